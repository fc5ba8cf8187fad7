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

// A batch of up to sixteen neighbors of particle i; unused lanes repeat i.
typedef struct PairBatch {
    LaneIndex j;
    LaneMask used;
} PairBatch;

static inline PairBatch pair_batch(const uint32_t *row, uint32_t left, uint32_t i)
{
    LaneMask used = lanes_first(left);
    return (PairBatch){lanes_index_load(row, used, i), used};
}

#define FOR_PAIRS(view, i, batch)                                                                            \
    for (const uint32_t *at_ = (view)->pairs.lists.index + (view)->pairs.lists.begin[i],                     \
                        *end_ = at_ + (view)->pairs.lists.count[i];                                          \
         at_ < end_; at_ += LANES)                                                                           \
        for (PairBatch batch = pair_batch(at_, (uint32_t)(end_ - at_), i), *once_ = &batch; once_;           \
             once_ = (void *)0)

// A quantity of the particles of the group, and of those in a batch.
static inline Lanes self(const float *stream, uint32_t i)
{
    return lanes_set(stream[i]);
}
static inline Lanes other(const float *stream, PairBatch batch)
{
    return lanes_gather(stream, batch.j);
}

// 0 in lanes that hold no pair.
static inline Lanes used(Lanes a, PairBatch batch)
{
    return lanes_select(batch.used, a, lanes_set(0.0f));
}

// One sum for each particle of the group.
static inline void collect(Lanes sum, float *out)
{
    *out = lanes_sum(sum);
}

#endif
