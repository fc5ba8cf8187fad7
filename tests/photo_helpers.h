// Scenes for the path tracer: one body in simple light.
#ifndef PBF_TESTS_PHOTO_HELPERS_H
#define PBF_TESTS_PHOTO_HELPERS_H

#include "photo/film.h"
#include "photo/photo.h"

#define PHOTO_INDEX 1.333 // of water

typedef struct PhotoBody {
    Vec3 *vertex, *normal;
    uint32_t (*triangle)[3];
    uint32_t vertices, triangles;
} PhotoBody;

// A ball of rings and sectors, whose vertices and normals are exact; a box with flat faces.
PhotoBody photo_ball(Vec3 center, float radius, uint32_t rings);
PhotoBody photo_box(Vec3 lo, Vec3 hi);
void photo_body_free(PhotoBody *body);

// The body as a surface of water; its memory stays the body's.
SurfaceMesh photo_surface(const PhotoBody *body);

typedef struct PhotoTest {
    PathScene path;
    PhotoBody body;
    RayScene *rays;
    PathMesh made_of;
    Material material;
    Sky sky;
    Caustics *caustics;
} PhotoTest;

Vec3 photo_even_light(Vec3 direction, const void *context); // 1 from everywhere
Vec3 photo_no_light(Vec3 direction, const void *context);
Vec3 photo_light_from_above(Vec3 direction, const void *context); // 1 from above, else 0

// Sets up the body alone, clear or white, without limits to a path's light; it moves to the scene. Fails the
// test if it cannot.
void photo_test_open(PhotoTest *scene, PhotoBody body, Matter matter, SkyLight *light);
void photo_test_close(PhotoTest *scene);

// Mean light along a ray, and its standard error (may be NULL).
double photo_mean_light(const PhotoTest *scene, Vec3 eye, Vec3 way, bool in_water, uint32_t samples,
                        double *error);

PhotoCamera photo_camera(Vec3 eye, Vec3 forward, float tangent);
void photo_ok(Result result); // fails the test with an error's text

// Skips the test, and says so, where the program was built without Embree.
bool photo_missing(void);

#endif
