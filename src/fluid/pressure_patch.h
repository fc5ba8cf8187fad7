// The sums of particles that the pressure grid is made from, in fixed point: they do not depend on the order
// of particles. Two lie in the halves of one number: volume or weight below, source or offset above.
#ifndef PBF_FLUID_PRESSURE_PATCH_H
#define PBF_FLUID_PRESSURE_PATCH_H

#include "fluid/pressure_cells.h"

#define PRESSURE_VOLUME_ONE 65536.0f
#define PRESSURE_SOURCE_ONE 262144.0f
#define PRESSURE_WEIGHT_ONE 65536.0f
#define PRESSURE_WAY_ONE 0x1p22f // of a cell, and no way counts as longer than that
#define PRESSURE_HIGH_HALF INT64_C(0x100000000)

// So many particles are summed up together: their sums do not reach beyond 32 bits.
#define PRESSURE_TOGETHER 256u

// A worker's copy of the sums of a kind, a number for each cell.
static inline int64_t *pressure_sums(const PressureGrid *grid, uint32_t copy, size_t kind)
{
    return grid->sums + (copy * grid->sum_kinds + kind) * grid->poisson.level[0].cells;
}

// Adds particles, PRESSURE_TOGETHER at most, to a copy of the sums; where the grid has one for all workers,
// others may add to it at the same time.
void pressure_patch_add(const GridJob *job, uint32_t begin, uint32_t end, int64_t *sums);

#endif
