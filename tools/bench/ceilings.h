// What the machine can do at most, for one instruction set.
#ifndef PBF_TOOLS_BENCH_CEILINGS_H
#define PBF_TOOLS_BENCH_CEILINGS_H

#include "core/cpu.h"

// Does `rounds` rounds of multiply-adds on registers; returns how many floating point operations that were.
// *sink keeps the work alive.
typedef double CeilingFlops(long rounds, float *sink);

extern CeilingFlops ceiling_flops_plain, ceiling_flops_avx2, ceiling_flops_avx512;

#endif
