// How the passes meet pairs: through the list of each particle. The particle fills the lanes, its neighbors
// are gathered into them. Same names as in pairs_clusters.h; a file includes one of the two.
#ifndef PBF_FLUID_PAIRS_LISTS_H
#define PBF_FLUID_PAIRS_LISTS_H

#include "core/lanes.h"
#include "fluid/passes.h"

// Particles that are visited at once.
#define GROUP 1u

// w(0): lists leave out the particle itself.
#define OWN_SHAPE 1.0f

// A batch of up to sixteen neighbors of particle i; unused lanes repeat i. FOR_PAIRS visits them.
typedef struct PairBatch {
    const uint32_t *at, *end; // in the list
    uint32_t i;
    LaneIndex j;
    LaneMask used;
} PairBatch;

static inline PairBatch pairs_of(const NeighborPairs *pairs, uint32_t i)
{
    const uint32_t *row = pairs->lists.index + pairs->lists.begin[i];
    return (PairBatch){.at = row, .end = row + pairs->lists.count[i], .i = i};
}
static inline bool pairs_left(PairBatch *batch)
{
    if (batch->at >= batch->end) return false;
    batch->used = lanes_first((uint32_t)(batch->end - batch->at));
    batch->j = lanes_index_load(batch->at, batch->used, batch->i);
    return true;
}
static inline void pairs_next(PairBatch *batch)
{
    batch->at += LANES;
}

// Rows are too short to look ahead in.
#define PAIRS_AHEAD false
static inline PairBatch pairs_first(const NeighborPairs *pairs, uint32_t i)
{
    return pairs_of(pairs, i);
}
static inline PairBatch pairs_peek(PairBatch batch)
{
    return batch;
}

// Every particle meets all its neighbors: no pair serves both sides.
static inline bool is_shared(PairBatch batch)
{
    (void)batch;
    return false;
}
static inline uint32_t own_slot(uint32_t i, uint32_t begin)
{
    (void)i, (void)begin;
    return 0;
}
static inline uint32_t other_slot(PairBatch batch, uint32_t begin)
{
    (void)batch, (void)begin;
    return 0;
}

// A quantity of the particles of the group, and of those in a batch.
static inline Lanes self(const float *stream, uint32_t i)
{
    return lanes_set(stream[i]);
}
ALWAYS_INLINE Lanes other(const float *stream, PairBatch batch)
{
    return lanes_gather(stream, batch.j);
}

// 0 in lanes that hold no pair.
static inline Lanes used(Lanes a, PairBatch batch)
{
    return lanes_select(batch.used, a, lanes_set(0.0f));
}

// One sum for each particle of the group.
static inline void collect(Lanes sum, const Lanes *before, float *out)
{
    (void)before;
    *out = lanes_sum(sum);
}
static inline void collect_difference(Lanes sum, const Lanes *before, float *out)
{
    collect(sum, before, out);
}

#endif
