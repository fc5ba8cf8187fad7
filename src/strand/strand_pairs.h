// Pairs of edges of strands: what keeps them apart (strand_contacts.c), and what keeps them from passing
// through each other (strand_guard.c).
#ifndef PBF_STRAND_STRAND_PAIRS_H
#define PBF_STRAND_STRAND_PAIRS_H

#include "strand/strand_state.h"
#include "strand/strand_sweep.h"

#define CHUNK 256u // edges at most
#define CONTACTS_PER_EDGE 8u
#define PAIRS 1024u        // that are looked at together
#define STRAND_MARGIN 0.5f // of the thickness, within which edges that do not touch are kept apart, too

// Points at `along` and `beside` of two edges that are kept apart along `normal`, which points from the other
// edge to this one.
typedef struct StrandContact {
    uint32_t own, other; // first particles of the edges
    float along, beside;
    float apart;     // m, where the step begins, less what they are kept apart by
    float thickness; // m
    Vec3 normal;
    float pull[4];     // m that each particle moves by along the normal, of those that the edges are too near
    uint32_t place[2]; // of the edges, in the search that found them
} StrandContact;

// Edges at neighboring places. Their contacts lie together, wherever there was room: `count` from `first` on.
typedef struct ContactChunk {
    uint32_t begin, end, first, count;
} ContactChunk;

typedef struct ContactSlab {
    uint32_t begin, end; // chunks
} ContactSlab;

// Pairs of a worker on their way to strand_sweep_meet, and what has become of them.
typedef struct PairBatch {
    uint32_t own[PAIRS], other[PAIRS], count;
    SweepMeeting meetings[PAIRS];
    SweepPassing passings[PAIRS];
    StrandContact contacts[CHUNK * CONTACTS_PER_EDGE + 1]; // of a chunk, before they join the others
} PairBatch;

// Sums over the particles of a cluster; or what holds one of them, which the others go with.
typedef struct ClusterMean {
    double way[3], speed[3]; // kg m, kg m/s
    double mass;             // kg
    bool held;
    uint32_t body; // or NO_BODY
} ClusterMean;

// What keeps strands from passing through each other whatever iterations have left. Strands that would in the
// step, and those that would because of it, make up a cluster: the lowest of their numbers is its name.
typedef struct StrandGuard {
    bool *loose;        // of each strand: its way is not the one that pairs were sought with
    uint32_t *cluster;  // of each strand, or a strand on the way to it
    float *time;        // of each strand, and of its cluster: the share of the step until it would pass
    ClusterMean *means; // of each cluster
    bool lock;
} StrandGuard;

struct StrandPairs {
    StrandContact *contacts; // of the last search
    uint32_t contact_count;  // so far
    ContactChunk *chunks;
    ContactSlab *slabs;
    uint32_t chunk_count, slab_count;
    StrandSweep sweep;
    StrandGuard guard;
    PairBatch *batches; // of each worker
    size_t batches_capacity;
};

// Errors: RESULT_NO_MEMORY.
Result strand_guard_create(StrandGuard *guard, const Strands *strands);
void strand_guard_free(StrandGuard *guard); // all zero is allowed

// By whichever thread.
static inline void strand_mark(bool *strand)
{
    __atomic_store_n(strand, true, __ATOMIC_RELAXED);
}

#endif
