// The shape of every particle's kernel: amplitude * (1 - q^2)^3 inside q < 1, q^2 = d^T m d, d from its
// centre.
#ifndef PBF_SURFACE_KERNELS_H
#define PBF_SURFACE_KERNELS_H

#include "surface/point_bins.h"

typedef struct Kernel {
    float centre[3]; // m
    float m[6];      // 1/m^2: xx, xy, xz, yy, yz, zz
    float amplitude; // the kernel's integral is 1: a particle's volume at rest is spacing^3
    float extent[3]; // m, half the size of the kernel's box
} Kernel;

typedef struct Kernels {
    Kernel *kernel;
    uint32_t *of; // per sorted particle its kernel, BLOCK_NONE for a round one; NULL: all are round
    uint32_t count;
    Kernel round; // without a centre
} Kernels;

// Shapes the kernels of the particles at the surface. Errors: RESULT_NO_MEMORY, RESULT_FAILED. Free with
// kernels_free, also after an error.
Result kernels_make(const SurfaceDef *def, const PointBins *bins, Kernels *out);
void kernels_free(Kernels *kernels);

#endif
