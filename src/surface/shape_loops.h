// The hot SIMD loops that shape the anisotropic kernels of a few particles after their neighbors. One variant
// for each instruction set, with the same bits. Lengths are in grid cells.
#ifndef PBF_SURFACE_SHAPE_LOOPS_H
#define PBF_SURFACE_SHAPE_LOOPS_H

#include "core/cpu.h"
#include "surface/kernels.h"
#include "surface/near_points.h"

#define SHAPE_LANES 16u

// Up to sixteen particles that get kernels, all of one block.
typedef struct ShapeGroup {
    uint32_t count;
    float at[3][SHAPE_LANES];   // from the block's first node; lanes beyond `count` repeat the first
    uint32_t body[SHAPE_LANES]; // likewise
    uint64_t key;               // of the block
} ShapeGroup;

typedef struct KernelShaper {
    const PointBins *bins;
    const uint32_t *body; // per particle
    Kernels *kernels;
    float (*move)[4];    // per kernel: towards the mean of its particle's neighbors, and that length's square
    float range;         // of the neighbors that count
    float support;       // of a round kernel
    float crowd;         // weight of the neighbors above which a particle is not lonely
    float company;       // with less than this part of a crowd a particle spreads more than its volume
    float ball;          // covariance of a full ball
    float least, lonely; // shortest axis in a crowd and alone, as parts of `support`
    float smoothing;     // part of the way to the neighbors' mean that kernels move
} KernelShaper;

typedef struct ShapeLoops {
    // Shapes the kernels of a group, which are numbered from `first` on, and writes their moves. A neighbor
    // counts by 1 - (d / range)^3 and only if it is of the same body.
    void (*shape)(const KernelShaper *shaper, const ShapeGroup *group, uint32_t first);
    // Sums for every particle of the group over those with kernels around it: move * |move|^2, and |move|^2.
    void (*sum_moves)(const KernelShaper *shaper, const ShapeGroup *group, float sums[4][SHAPE_LANES]);
} ShapeLoops;

extern const ShapeLoops shape_loops_plain, shape_loops_avx2, shape_loops_avx512;

// The variant for a level; scalar gets the plain one.
const ShapeLoops *shape_loops(CpuLevel level);

#endif
