#include "fluid/passes_table.h"

const FluidPasses *fluid_passes(CpuLevel level)
{
    switch (level) {
    case CPU_AVX512:
        return &fluid_passes_avx512;
    case CPU_AVX2:
        return &fluid_passes_avx2;
    default:
        return &fluid_passes_plain;
    }
}
