// Pairs of strands that do not pass through each other: what strand_contacts.c and strand_guard.c share.
#ifndef PBF_STRAND_STRAND_PAIRS_H
#define PBF_STRAND_STRAND_PAIRS_H

#include "strand/strand_state.h"
#include "strand/strand_sweep.h"

#include <stddef.h>

#define STRAND_MARGIN 0.1f // of the thickness, within which edges that do not touch are kept apart, too

// Points at `along` and `beside` of two edges that are kept apart along `normal`, which points from the other
// edge to this one. A line of the cache.
typedef struct StrandContact {
    uint32_t own, other; // first particles of the edges
    float along, beside;
    Vec3 normal;
    float apart;     // m, where the step begins, less what they are kept apart by
    float pull[4];   // m that each particle moves by along the normal, of those that the edges are too near
    float kept;      // m, what they are kept apart by: not all of the thickness where they overlap already
    float thickness; // m
    uint32_t strand_own, strand_other;
} StrandContact;
_Static_assert(sizeof(StrandContact) == 64, "a contact is a line of the cache");
_Static_assert(offsetof(StrandContact, apart) == offsetof(StrandContact, normal) + 3 * sizeof(float),
               "what is fetched together lies together");

// Edges at neighboring places. Their contacts: `count` from `first` on.
typedef struct ContactChunk {
    uint32_t begin, end, first, count;
    float depth; // how far they would overlap without contacts, as a share of the shorter segment
} ContactChunk;

typedef struct ContactSlab {
    uint32_t begin, end; // chunks
} ContactSlab;

typedef struct PairBatch PairBatch; // strand_contacts.c

struct StrandPairs {
    StrandContact *contacts;
    uint8_t *count; // of each edge, CONTACTS_PER_EDGE at most
    ContactChunk *chunks;
    ContactSlab *slabs;
    uint32_t chunk_count, slab_count;
    StrandSweep sweep;
    PairBatch *batches; // of each worker
    size_t batches_capacity;
    bool *cared; // of each strand: strand_guard_begin
};

// How far (m) the edges are apart along the normal at the end of their ways, less what they should be.
static inline float strand_contact_distance(const Strands *strands, const StrandContact *contact)
{
    const Vec3 *own = &strands->way[contact->own], *other = &strands->way[contact->other];
    float first = vec3_dot(contact->normal, own[0]), second = vec3_dot(contact->normal, own[1]);
    float third = vec3_dot(contact->normal, other[0]), fourth = vec3_dot(contact->normal, other[1]);
    return contact->apart + (first + contact->along * (second - first)) -
           (third + contact->beside * (fourth - third));
}

// Pairs need care that overlap by STRAND_OVERLAP (of the thickness) more than they should, with middle lines
// that are less than STRAND_NEAR of it apart along their normal.
#define STRAND_OVERLAP 0.1f
#define STRAND_NEAR 0.5f
static inline bool strand_contact_is_deep(const StrandContact *contact, float distance)
{
    return distance < -STRAND_OVERLAP * contact->thickness &&
           distance + contact->kept < STRAND_NEAR * contact->thickness;
}

#define STRAND_AT_ONCE 16u // contacts

// The loops over contacts (strand_apart_body.h), for one instruction set each.
typedef struct StrandApart {
    // Which of the first STRAND_AT_ONCE of these contacts are nearer than they should be, as bits. Of `left`
    // contacts, those that follow are fetched.
    uint32_t (*overlapping)(const Strands *strands, const StrandContact *contacts, uint32_t left);
    // Moves the edges of each contact apart, one contact after the other. Returns whether any needs care.
    bool (*apart)(Strands *strands, const StrandContact *contacts, uint32_t count);
} StrandApart;

extern const StrandApart strand_apart_plain, strand_apart_avx2, strand_apart_avx512;

// The loops for cpu_level().
const StrandApart *strand_apart(void);

#endif
