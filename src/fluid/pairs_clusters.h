// How the passes meet pairs: four particles that lie side by side in memory (a cluster) against four others,
// the ones in the blocks of the lanes, the others repeated in every block. No gathers, and a list of clusters
// serves four particles. Pairs out of reach are among them; every kernel vanishes there. Most pairs are met
// once and serve both sides: what they give to the others is summed in memory, sixteen lanes a cluster.
// Same names as in pairs_lists.h; a file includes one of the two.
#ifndef PBF_FLUID_PAIRS_CLUSTERS_H
#define PBF_FLUID_PAIRS_CLUSTERS_H

#include "core/lanes.h"
#include "fluid/passes.h"

// Particles that are visited at once.
#define GROUP NEIGHBOR_CLUSTER

// w(0): nothing to add, a cluster is among its own partners.
#define OWN_SHAPE 0.0f

// A walk along the partners of the cluster that starts at particle i. FOR_PAIRS visits them.
typedef struct PairBatch {
    const uint32_t *at, *shared, *end; // in the row: here, where those begin that serve both sides, its end
    uint32_t j;                        // the first particle of the other cluster
} PairBatch;

static inline PairBatch pairs_of(const NeighborPairs *pairs, uint32_t i)
{
    const NeighborClusters *c = &pairs->clusters;
    const uint32_t *row = c->partner + c->begin[i / GROUP];
    return (PairBatch){row, row + c->single[i / GROUP], row + c->count[i / GROUP], 0};
}
static inline bool pairs_left(PairBatch *batch)
{
    if (batch->at == batch->end) return false;
    batch->j = *batch->at * GROUP;
    return true;
}
static inline void pairs_next(PairBatch *batch)
{
    batch->at++;
}

// Two looks ahead: the first batch of a row, which always holds one, and the one after this (or this again).
#define PAIRS_AHEAD true
static inline PairBatch pairs_first(const NeighborPairs *pairs, uint32_t i)
{
    PairBatch batch = pairs_of(pairs, i);
    batch.j = *batch.at * GROUP;
    return batch;
}
static inline PairBatch pairs_peek(PairBatch batch)
{
    batch.j = batch.at[batch.at + 1 < batch.end] * GROUP;
    return batch;
}

// Does the batch serve both sides?
static inline bool is_shared(PairBatch batch)
{
    return batch.at >= batch.shared;
}

// Which sums belong to the group at particle i, and to the others of a batch, in a block that begins at
// `begin`.
static inline uint32_t own_slot(uint32_t i, uint32_t begin)
{
    return (i - begin) / GROUP;
}
static inline uint32_t other_slot(PairBatch batch, uint32_t begin)
{
    return (batch.j - begin) / GROUP;
}

// A quantity of the particles of the group, and of those in a batch.
static inline Lanes self(const float *stream, uint32_t i)
{
    return lanes_spread(stream + i);
}
ALWAYS_INLINE Lanes other(const float *stream, PairBatch batch)
{
    return lanes_repeat(stream + batch.j);
}

// 0 in lanes that hold no pair: there are none.
static inline Lanes used(Lanes a, PairBatch batch)
{
    (void)batch;
    return a;
}

// One sum for each particle of the group: over its own pairs, and over those met before, whose sums start
// anew.
static inline void collect(Lanes sum, Lanes *before, float *out)
{
    float more[GROUP];
    lanes_sum_blocks(sum, out);
    lanes_sum_across(*before, more);
    for (uint32_t k = 0; k < GROUP; k++) out[k] += more[k];
    *before = lanes_set(0.0f);
}
// The same where what a pair gives to one is what it takes from the other.
static inline void collect_difference(Lanes sum, Lanes *before, float *out)
{
    *before = lanes_sub(lanes_set(0.0f), *before);
    collect(sum, before, out);
}

#endif
