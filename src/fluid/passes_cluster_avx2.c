// The passes over clusters for one instruction set; the file's name decides the compiler flags.
#define LANES_FAST
#include "fluid/passes_table.h"

#define FLUID_PASSES fluid_cluster_passes_avx2
#include "fluid/pairs_clusters.h"
#include "fluid/passes_body.h"
