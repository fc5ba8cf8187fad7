// Random numbers, shapes, surfaces in plain formulas and OBJ files for the tests of obstacles.
#ifndef PBF_TESTS_OBSTACLE_HELPERS_H
#define PBF_TESTS_OBSTACLE_HELPERS_H

#include "fluid/frame_view.h"
#include "obstacle/obstacle.h"

#include <stdint.h>
#include <stdio.h>

// The same numbers on every machine (xorshift).
typedef struct ShapeRandom {
    uint64_t state;
} ShapeRandom;

float shape_random_between(ShapeRandom *random, float lo, float hi);
Vec3 shape_random_vector(ShapeRandom *random, float half_width); // in a cube about the origin
Vec3 shape_random_direction(ShapeRandom *random);

#define ANALYTIC_SHAPES 4 // box, sphere, cylinder, capsule

// A shape of a kind with random sizes between 0.1 and 0.6 m.
Shape shape_random(ShapeRandom *random, ShapeKind kind);

// A random point on the surface of an analytic shape (not evenly spread) and whether a point is inside.
Vec3 shape_random_surface(ShapeRandom *random, const Shape *shape);
bool shape_contains(const Shape *shape, Vec3 point);

// A set of bodies without a tank; takes the definitions. Fails the test if memory is short.
Obstacles *obstacle_test_set(ObstacleDef *bodies, uint32_t count);

// A body at the origin, at rest.
ObstacleDef obstacle_test_body(Shape shape);

// A frame without water at a time, its origin off the domain's: bodies stand where they are then.
FrameView obstacle_test_frame(Obstacles *obstacles, double time);

// Fails the test if two points are further than that apart.
void obstacle_assert_near(Vec3 a, Vec3 b, double tolerance);

// Where a point of a pose's frame is in the domain, and back.
Vec3 pose_to_domain(Pose pose, Vec3 local);
Vec3 pose_to_local(Pose pose, Vec3 point);

// A file under a folder of its own in /tmp that the test removes at its end with obstacle_file_remove.
typedef struct ObstacleFile {
    char folder[64], path[96];
} ObstacleFile;
ObstacleFile obstacle_file_make(const char *name);
void obstacle_file_write(const ObstacleFile *file, const void *bytes, size_t count);
void obstacle_file_remove(const ObstacleFile *file);

// Loads and parses an OBJ file, as scenes do.
Result obstacle_read_mesh(const char *path, TriangleMesh *out);

// Writes closed surfaces as OBJ faces. A sphere and a torus about the z axis by rings and steps.
void obstacle_write_sphere(FILE *file, float radius, int rings, int steps);
void obstacle_write_torus(FILE *file, float ring_radius, float tube_radius, int rings, int steps);
void obstacle_write_box(FILE *file, Vec3 lo, Vec3 hi, bool inside_out);

#endif
