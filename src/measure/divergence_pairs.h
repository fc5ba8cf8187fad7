// The loop over pairs of divergence.c, for one instruction set each.
#ifndef PBF_MEASURE_DIVERGENCE_PAIRS_H
#define PBF_MEASURE_DIVERGENCE_PAIRS_H

#include "neighbor/neighbor.h"

// Particles and the pairs of their clusters, filled up to whole clusters with some out of reach.
typedef struct DivergencePairs {
    const NeighborClusters *clusters;
    const float *x, *y, *z;    // m
    const float *vx, *vy, *vz; // m/s
    const float *volume;       // m^3
    float *rate;               // 1/s, added to
    float inv_h, scale;        // 1/m; of the kernel's slope, 1/m^4
} DivergencePairs;

// Adds up the rates of the particles of clusters begin to end - 1, which are a block: those of other blocks
// are not touched. The same bits for every instruction set.
typedef void DivergenceLoop(const DivergencePairs *pairs, uint32_t begin, uint32_t end);

extern DivergenceLoop divergence_loop_plain, divergence_loop_avx2, divergence_loop_avx512;

#endif
