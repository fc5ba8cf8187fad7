// The hot loop of the field: adding kernels to the nodes of a block. One variant an instruction set, the same
// bits from all.
#ifndef PBF_SURFACE_FIELD_SUM_H
#define PBF_SURFACE_FIELD_SUM_H

#include "core/cpu.h"
#include "surface/kernels.h"

// values: 8^3, x fastest. The kernels' centres are relative to the block's first node.
typedef void FieldSum(float *values, const Kernel *kernels, uint32_t count, float cell);

extern FieldSum field_sum_plain, field_sum_avx2, field_sum_avx512;

FieldSum *field_sum(CpuLevel level);

#endif
