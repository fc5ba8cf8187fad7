// Surface reconstruction: particles become a closed triangle mesh, by marching cubes. Every particle spreads
// its volume over a kernel that is stretched along the surface and flattened across it (Yu and Turk 2013,
// "Reconstructing surfaces of particle-based fluids using anisotropic kernels"); the mesh is where the sum of
// all kernels, about 1 inside and 0 outside, passes the isovalue. The field is stored in blocks of 8^3 nodes
// that exist only near the surface. The mesh is closed and two-manifold by construction and the same, bit for
// bit, for any number of threads.
#ifndef PBF_SURFACE_SURFACE_H
#define PBF_SURFACE_SURFACE_H

#include "core/result.h"
#include "core/vec3.h"

#include <stdbool.h>
#include <stdint.h>

// How a surface is made. Fill with surface_def_default, set the spacing, change the rest where wanted. Ranges
// stand in surface_params.c.
typedef struct SurfaceDef {
    float spacing;    // m, 1e-6 to 1e6: distance of neighboring particles at rest; a particle fills spacing^3
    float cell;       // spacings: edge of a grid cell
    float support;    // spacings: radius of an undeformed kernel; larger is smoother
    bool anisotropic; // false: the same round kernel for every particle, for comparison
    float covariance_radius; // spacings: neighbors within it decide on a kernel's shape
    float kernel_min;        // no kernel is shorter than this part of `support`, in any direction
    float kernel_lone;      // as kernel_min for a particle without neighbors, so that strands and lone drops,
                            // whose kernels are short in several directions, keep their volume
    float center_smoothing; // part of the way to their neighbors' mean that kernels move (lambda)
    float isovalue;         // 0: chosen so that the mesh encloses the particles' volume
    uint32_t smoothing;     // steps that smooth the mesh; what moves inward is moved back on average
    float speck_volume;     // particles: separate pieces of less than this volume are left out, and so are
                            // bubbles of less than eight times this volume; 0 keeps all
    bool clip;              // the surface of a frame ends at the tank's walls, see frame_surface.h
    float shutter;          // s; drops that fly alone are stretched along their way in this time; 0: off
    uint64_t memory_limit;  // bytes that the grid and the mesh may take; 0: what the system can give
    uint32_t cookie;        // set by surface_def_default only
} SurfaceDef;

// The defaults that scenes/README.md documents, for a spacing in m.
SurfaceDef surface_def_default(float spacing);

// Particles, owned by the caller.
typedef struct SurfacePoints {
    const float *x, *y, *z;    // m
    const float *vx, *vy, *vz; // m/s, all NULL if the mesh needs no velocities
    uint32_t count;
} SurfacePoints;

// Timings of a reconstruction, and what its result is made of.
typedef struct SurfaceStats {
    double points_ms, kernels_ms, field_ms; // sorting, anisotropy, grid
    double mesh_ms, finish_ms;              // triangles, the rest
    uint32_t blocks;                        // of 8^3 grid nodes
    uint32_t pieces;                        // connected surfaces, bubbles included
    double particle_volume;                 // m^3, of all particles
    float isovalue;
} SurfaceStats;

// Files number the corners of triangles with 31 bits.
#define SURFACE_TRIANGLES_MAX ((uint32_t)INT32_MAX / 3)

// Triangles are counter-clockwise as seen from outside; there are at most SURFACE_TRIANGLES_MAX.
typedef struct SurfaceMesh {
    Vec3 *vertex;   // m
    Vec3 *normal;   // unit, outward
    Vec3 *velocity; // m/s, NULL if the points had none
    uint32_t vertex_count;
    uint32_t (*triangle)[3];
    uint32_t triangle_count;
    SurfaceStats stats;
} SurfaceMesh;

// Makes the surface of the particles. No particles give an empty mesh. Coordinates must be finite. Errors,
// after which *out is empty: RESULT_USAGE for a parameter out of range, a coordinate that is not finite (the
// message names the particle) or a grid that needs more memory than there is (both numbers are named);
// RESULT_NO_MEMORY; RESULT_FAILED for more triangles than there may be. Free with surface_mesh_free. Call
// from one thread; it uses all workers.
Result surface_reconstruct(const SurfaceDef *def, SurfacePoints points, SurfaceMesh *out);

// The spacing at rest, m, from the distances between the particles: within 2 % where some of them have
// neighbors all around, which *certain tells; else, in strands and spray, within 10 % as a rule. 0 if all
// tested particles lie on each other, or are fewer than two.
float surface_estimate_spacing(const SurfacePoints *points, bool *certain);

void surface_mesh_move(SurfaceMesh *mesh, Vec3 by); // m

// Moves vertices that are less than `reach` (m) outside of a box onto its nearest face, with that face's
// normal: water ends at walls, where kernels reach through them. Sides of the box may be infinite.
void surface_mesh_clip(SurfaceMesh *mesh, Box3 box, float reach);
void surface_mesh_free(SurfaceMesh *mesh); // an empty or zeroed mesh is allowed

// Volume that the mesh encloses, m^3.
double surface_mesh_volume(const SurfaceMesh *mesh);

#endif
