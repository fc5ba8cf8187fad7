// How the passes meet pairs: four particles that lie side by side in memory (a cluster) against four others,
// the ones in the blocks of the lanes, the others repeated in every block. No gathers, and a list of clusters
// serves four particles. Pairs out of reach are among them; every kernel vanishes there.
// Same names as in pairs_lists.h; a file includes one of the two.
#ifndef PBF_FLUID_PAIRS_CLUSTERS_H
#define PBF_FLUID_PAIRS_CLUSTERS_H

#include "core/lanes.h"
#include "fluid/passes.h"

// Particles that are visited at once.
#define GROUP NEIGHBOR_CLUSTER

// w(0): nothing to add, a cluster is among its own partners.
#define OWN_SHAPE 0.0f

// The first particle of the other cluster.
typedef struct PairBatch {
    uint32_t j;
} PairBatch;

#define FOR_PAIRS(view, i, batch)                                                                            \
    for (const uint32_t *at_ = (view)->pairs.clusters.partner + (view)->pairs.clusters.begin[(i) / GROUP],   \
                        *end_ = at_ + (view)->pairs.clusters.count[(i) / GROUP];                             \
         at_ < end_; at_++)                                                                                  \
        for (PairBatch batch = {*at_ * GROUP}, *once_ = &batch; once_; once_ = (void *)0)

// A quantity of the particles of the group, and of those in a batch.
static inline Lanes self(const float *stream, uint32_t i)
{
    return lanes_spread(stream + i);
}
static inline Lanes other(const float *stream, PairBatch batch)
{
    return lanes_repeat(stream + batch.j);
}

// 0 in lanes that hold no pair: there are none.
static inline Lanes used(Lanes a, PairBatch batch)
{
    (void)batch;
    return a;
}

// One sum for each particle of the group.
static inline void collect(Lanes sum, float *out)
{
    lanes_sum_blocks(sum, out);
}

#endif
