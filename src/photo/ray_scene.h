// Triangles and mist, and the rays that hit them, by Intel's Embree 3. A program that was built without it
// says so.
#ifndef PBF_PHOTO_RAY_SCENE_H
#define PBF_PHOTO_RAY_SCENE_H

#include "core/result.h"
#include "core/vec3.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// All arrays are from core/memory.h, belong to the caller and must outlive the scene.
//
// A puff is a little mist: a ball that gets thinner outward, or a disc of it across a normal. A ray that
// passes its middle at the distance b meets it with the probability 1 - exp(-depth (1 - b^2 / radius^2)^2),
// which for a ball is Beer's law of a density (1 - r^2 / radius^2)^(3/2).
typedef struct RayPuff {
    _Alignas(16) Vec3 center; // m; aligned for vectors
    float radius;             // m
} RayPuff;

typedef struct RayMesh {
    const Vec3 *vertex;   // m
    const Vec3 *normal;   // unit, of each vertex; NULL: flat triangles, puffs that are balls
    const Vec3 *velocity; // m/s, of each vertex; NULL: at rest
    uint32_t vertex_count;
    const uint32_t (*triangle)[3]; // counter-clockwise from outside
    uint32_t triangle_count;
    const RayPuff *puff; // instead of vertices and triangles, vertex_count of them; NULL: triangles
    float depth;         // of puffs, optical, through their middle
} RayMesh;

typedef struct Ray {
    Vec3 origin, direction; // direction: unit
    float near, far;        // m
    float time;             // 0..1, of the time that the shutter is open
    uint32_t chance;        // of meeting puffs: the same number meets the same ones; 0 meets none
} Ray;

typedef struct RayHit {
    float distance;    // m
    Vec3 outward;      // unit normal of the triangle or disc; against the ray for a ball
    Vec3 normal;       // interpolated, unit
    uint32_t mesh;     // by number
    uint32_t triangle; // or puff
} RayHit;

typedef struct RayScene RayScene;

// Fails if the program cannot trace rays, with what is missing: RESULT_FAILED.
Result ray_scene_check(void);

// shutter: s that it is open, half of it before the meshes are where they are now and half of it after; 0
// for a moment. Rays find the same for any number of threads. Ends soon once *stop is true; NULL: never.
// Errors: those of ray_scene_check, RESULT_NO_MEMORY, RESULT_STOPPED.
Result ray_scene_create(const RayMesh *meshes, uint32_t count, float shutter, const atomic_bool *stop,
                        RayScene **out);
void ray_scene_destroy(RayScene *scene); // NULL is allowed

// Has it puffs, which rays need a chance for?
bool ray_scene_has_puffs(const RayScene *scene);

// The nearest hit; false if there is none.
bool ray_scene_hit(const RayScene *scene, const Ray *ray, RayHit *out);

// Does the ray hit anything?
bool ray_scene_blocked(const RayScene *scene, const Ray *ray);

#endif
