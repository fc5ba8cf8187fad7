#include "fluid/passes_table.h"

const FluidPasses *fluid_passes(CpuLevel level, bool clustered)
{
    switch (level) {
    case CPU_AVX512:
        return clustered ? &fluid_cluster_passes_avx512 : &fluid_passes_avx512;
    case CPU_AVX2:
        return clustered ? &fluid_cluster_passes_avx2 : &fluid_passes_avx2;
    case CPU_SCALAR:
        return clustered ? &fluid_cluster_passes_plain : &fluid_passes_scalar;
    default:
        return clustered ? &fluid_cluster_passes_plain : &fluid_passes_plain;
    }
}
