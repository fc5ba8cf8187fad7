// The hot SIMD loop of the field: adds kernels to the nodes of a block. One variant for each instruction set,
// with the same bits.
#ifndef PBF_SURFACE_FIELD_SUM_H
#define PBF_SURFACE_FIELD_SUM_H

#include "core/cpu.h"
#include "surface/kernels.h"

#define SUM_KERNELS 128u // in a batch

#define TILE_NODES 64u // x fastest

// Kernels as streams; centers are counted from the block's first node. Slots beyond `count` are read, so they
// must have been written once.
typedef struct SumBatch {
    uint32_t count;
    uint32_t tiles; // bits of those that are summed
    float radius;   // no kernel is longer
    float center[3][SUM_KERNELS], extent[3][SUM_KERNELS], m[6][SUM_KERNELS], root[SUM_KERNELS];
} SumBatch;

// Adds the batch.
typedef void FieldSum(float tiles[BLOCK_TILES][TILE_NODES], const SumBatch *batch);

extern FieldSum field_sum_plain, field_sum_avx2, field_sum_avx512;

// The variant for a level; scalar gets the plain one.
FieldSum *field_sum(CpuLevel level);

#endif
