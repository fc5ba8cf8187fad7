// One table a compiled instruction set and way to meet pairs; fluid_passes picks.
#ifndef PBF_FLUID_PASSES_TABLE_H
#define PBF_FLUID_PASSES_TABLE_H

#include "fluid/passes.h"

extern const FluidPasses fluid_passes_scalar, fluid_passes_plain, fluid_passes_avx2, fluid_passes_avx512;
extern const FluidPasses fluid_cluster_passes_plain, fluid_cluster_passes_avx2, fluid_cluster_passes_avx512;

#endif
