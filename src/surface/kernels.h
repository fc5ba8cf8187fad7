// Anisotropic kernels, one for each particle: (root - d^T m d)^3 where that is positive, d from its center.
// Lengths are in grid cells.
#ifndef PBF_SURFACE_KERNELS_H
#define PBF_SURFACE_KERNELS_H

#include "surface/point_bins.h"

typedef struct Kernel {
    float center[3]; // from the first node of its particle's block
    float root;      // of the value at the center; the integral over all cells is the particle's volume
    float extent[3]; // half the size of the kernel's box
    float spare;     // a kernel fills a cache line
    float m[6];      // xx, xy, xz, yy, yz, zz
    float spare_too[2];
} Kernel;
_Static_assert(sizeof(Kernel) == 64, "a cache line");

typedef struct Kernels {
    Kernel *kernel; // of the particles at the surface, in their order
    uint32_t *of;   // the kernel of each particle, or BLOCK_NONE: it is round; NULL: all are
    uint32_t count;
    float radius; // no kernel is longer
    Kernel round; // without a center
} Kernels;

// Shapes the kernels of the particles at the surface. points: what the bins were made of. Errors:
// RESULT_NO_MEMORY. Free with kernels_free, also after an error.
Result kernels_make(const SurfaceDef *def, const PointBins *bins, const SurfacePoints *points, Kernels *out);
void kernels_free(Kernels *kernels);

// Stretches the kernels of drops, bodies of a few particles, along their velocities, by def->shutter. body:
// of each particle (point_bodies_find). Error: RESULT_NO_MEMORY.
Result kernels_stretch(const SurfaceDef *def, const PointBins *bins, const SurfacePoints *points,
                       const uint32_t *body, Kernels *kernels);

#endif
