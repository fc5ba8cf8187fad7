// Pairs of strands that do not pass through each other: what strand_contacts.c and strand_guard.c share.
#ifndef PBF_STRAND_STRAND_PAIRS_H
#define PBF_STRAND_STRAND_PAIRS_H

#include "strand/strand_state.h"
#include "strand/strand_sweep.h"

#define STRAND_MARGIN 0.5f // of the thickness, within which edges that do not touch are kept apart, too

// Points at `along` and `beside` of two edges that are kept apart along `normal`, which points from the other
// edge to this one.
typedef struct StrandContact {
    uint32_t own, other; // first particles of the edges
    float along, beside;
    float apart;     // m, where the step begins, less what they are kept apart by
    float kept;      // m, what they are kept apart by: not all of the thickness where they overlap already
    float thickness; // m
    Vec3 normal;
    float pull[4]; // m that each particle moves by along the normal, of those that the edges are too near
} StrandContact;

// Edges at neighboring places. Their contacts lie together, wherever there was room: `count` from `first` on.
typedef struct ContactChunk {
    uint32_t begin, end, first, count;
    float depth; // how far they would overlap without contacts, as a share of the shorter segment
} ContactChunk;

typedef struct ContactSlab {
    uint32_t begin, end; // chunks
} ContactSlab;

typedef struct PairBatch PairBatch; // strand_contacts.c

// Strands that need care, and contacts among them.
typedef struct StrandGuard {
    uint32_t *contacts; // numbers
    uint32_t count;
    bool *cared; // of each strand
} StrandGuard;

struct StrandPairs {
    StrandContact *contacts;
    uint32_t contact_count; // so far
    uint8_t *count;         // of each edge, CONTACTS_PER_EDGE at most
    ContactChunk *chunks;
    ContactSlab *slabs;
    uint32_t chunk_count, slab_count;
    StrandSweep sweep;
    PairBatch *batches; // of each worker
    size_t batches_capacity;
    StrandGuard guard;
};

// How far (m) the edges are apart along the normal at the end of their ways, less what they should be.
float strand_contact_distance(const Strands *strands, const StrandContact *contact);
// Moves them apart. Returns how far they were.
float strand_contact_apply(Strands *strands, const StrandContact *contact);

// Room for as many contacts. Errors: RESULT_NO_MEMORY.
Result strand_guard_create(StrandGuard *guard, size_t contacts, size_t strands);
void strand_guard_free(StrandGuard *guard); // all zero is allowed

#endif
