// An independent judge of triangle meshes, and sets of particles.
#ifndef PBF_TESTS_SURFACE_HELPERS_H
#define PBF_TESTS_SURFACE_HELPERS_H

#include "surface/surface.h"

// What the judge found, from the triangles alone.
typedef struct MeshVerdict {
    uint32_t open_edges; // not used exactly once in each direction
    uint32_t degenerate; // triangles with a repeated vertex or without area
    uint32_t pinched;    // vertices whose triangles form more than one fan
    uint32_t unused;     // vertices without a triangle
    uint32_t inward;     // vertex normals more than 90 degrees away from the triangles round the vertex
    uint32_t not_unit;   // normals
    uint32_t components;
    int64_t euler; // V - E + F
    double volume, area;
    uint32_t hollow; // components with negative volume
} MeshVerdict;

MeshVerdict mesh_judge(const SurfaceMesh *mesh);

// Fails the test unless the mesh is closed, two-manifold, without degenerate triangles and with outward
// normals.
void mesh_assert_sound(const SurfaceMesh *mesh);

// How many times the mesh winds round a point, from the solid angles of its triangles: 1 inside, 0 outside of
// a closed mesh without self-intersections.
double mesh_winding(const SurfaceMesh *mesh, Vec3 point);

// Of all that a mesh holds, bit for bit.
uint64_t test_mesh_hash(const SurfaceMesh *mesh);

// Particles for tests; streams are as long as `capacity`.
typedef struct TestCloud {
    float *x, *y, *z, *vx, *vy, *vz;
    uint32_t count, capacity;
    uint64_t random; // state of the box's jitter, 1 at first
} TestCloud;

TestCloud test_cloud_make(uint32_t capacity);
void test_cloud_add(TestCloud *cloud, double x, double y, double z);
void test_cloud_free(TestCloud *cloud);
SurfacePoints test_cloud_points(const TestCloud *cloud, bool with_velocity);

// Uniform in [-1, 1), the same on every machine.
double test_cloud_random(uint64_t *state);

// A lattice box of nx * ny * nz particles of spacing 1 whose low corner is `low`, each moved by up to jitter.
void test_cloud_add_box(TestCloud *cloud, Vec3 low, uint32_t nx, uint32_t ny, uint32_t nz, double jitter);

#endif
