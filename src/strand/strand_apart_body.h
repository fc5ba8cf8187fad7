// The loops over contacts of strand_pairs.h. Included by strand_apart_*.c, which differ in their compiler
// flags alone; STRAND_APART names the table that each defines.
//
// Sixteen are looked at together, and those that overlap are moved one after the other, with those that a
// move before them may have brought nearer, which are looked at again: as if each had been looked at in turn.
#include "core/lanes.h"
#include "strand/strand_pairs.h"

_Static_assert(LANES == STRAND_AT_ONCE, "a look is a whole vector");

// The particles that edges begin with.
typedef struct EdgePlaces {
    uint32_t own[LANES], other[LANES];
} EdgePlaces;

static inline Lanes dot(const Lanes a[3], Lanes x, Lanes y, Lanes z)
{
    return lanes_add(lanes_add(lanes_mul(a[0], x), lanes_mul(a[1], y)), lanes_mul(a[2], z));
}

// How far the points at `share` of edges move along the normals.
static inline Lanes move_along(const Lanes normal[3], const Vec3 *way, const uint32_t *edge, Lanes share)
{
    Lanes a[4], b[4];
    lanes_gather_four(&way->x, 3, edge, a); // two particles of three numbers each: the first four,
    lanes_gather_four(&way->z, 3, edge, b); // and the last four
    Lanes first = dot(normal, a[0], a[1], a[2]), second = dot(normal, b[1], b[2], b[3]);
    return lanes_add(first, lanes_mul(share, lanes_sub(second, first)));
}

static inline void fetch(const Strands *strands, const StrandContact *contact)
{
    const Vec3 *own = &strands->way[contact->own], *other = &strands->way[contact->other];
    __builtin_prefetch(own);
    __builtin_prefetch(&own[1].z); // maybe in another line of the cache
    __builtin_prefetch(other);
    __builtin_prefetch(&other[1].z);
}

// strand_contact_distance of up to sixteen contacts, to the bit, and the bits of those below 0. Lanes beyond
// repeat the first.
static inline uint32_t overlapping_bits(const Strands *strands, const StrandContact *contacts, uint32_t left,
                                        EdgePlaces *places, float *distances)
{
    uint32_t row[LANES];
    for (uint32_t k = 0; k < LANES; k++) {
        row[k] = k < left ? k : 0;
        places->own[k] = contacts[row[k]].own;
        places->other[k] = contacts[row[k]].other;
        if (k + LANES < left) fetch(strands, &contacts[k + LANES]);
        // Chunks are too short for the processor to foresee their contacts.
        if (k + 4 * LANES < left) __builtin_prefetch(&contacts[k + 4 * LANES]);
    }
    Lanes share[4], side[4]; // along, beside and two numbers more; normal and apart
    lanes_gather_four(&contacts->along, sizeof *contacts / sizeof(float), row, share);
    lanes_gather_four(&contacts->normal.x, sizeof *contacts / sizeof(float), row, side);
    Lanes own = move_along(side, strands->way, places->own, share[0]);
    Lanes other = move_along(side, strands->way, places->other, share[1]);
    Lanes distance = lanes_sub(lanes_add(side[3], own), other);
    lanes_store(distances, distance);
    return ~lanes_bits(lanes_less_equal(lanes_set(0.0f), distance)) & lanes_first_bits(left);
}

// The bits of the contacts that share a particle with an edge.
static inline uint32_t sharing(const EdgePlaces *places, uint32_t edge)
{
    return lanes_numbers_within(places->own, edge - 1, 3) | lanes_numbers_within(places->other, edge - 1, 3);
}

static uint32_t overlapping(const Strands *strands, const StrandContact *contacts, uint32_t left)
{
    EdgePlaces places;
    float distances[LANES];
    return overlapping_bits(strands, contacts, left, &places, distances);
}

// distance: of the edges, below 0.
static inline void move_apart(Strands *strands, const StrandContact *contact, float distance)
{
    Vec3 *ways[4] = {&strands->way[contact->own], &strands->way[contact->own + 1],
                     &strands->way[contact->other], &strands->way[contact->other + 1]};
    for (int n = 0; n < 4; n++)
        *ways[n] = vec3_add(*ways[n], vec3_scale(contact->normal, -distance * contact->pull[n]));
    strand_mark(&strands->restless[contact->strand_own]);
    strand_mark(&strands->restless[contact->strand_other]);
}

static bool apart(Strands *strands, const StrandContact *contacts, uint32_t count)
{
    bool deep = false;
    for (uint32_t k = 0; k < count; k += LANES) {
        EdgePlaces places;
        float distances[LANES];
        uint32_t bits = overlapping_bits(strands, contacts + k, count - k, &places, distances),
                 all = lanes_first_bits(count - k), again = 0;
        while (bits) {
            uint32_t lane = (uint32_t)__builtin_ctz(bits);
            const StrandContact *contact = &contacts[k + lane];
            float distance = again >> lane & 1u ? strand_contact_distance(strands, contact) : distances[lane];
            bits &= bits - 1;
            if (distance >= 0.0f) continue;
            move_apart(strands, contact, distance);
            deep |= strand_contact_is_deep(contact, distance);
            uint32_t moved = sharing(&places, contact->own) | sharing(&places, contact->other);
            again |= moved;
            bits |= moved & all & ~((2u << lane) - 1u); // those that are still to come
        }
    }
    return deep;
}

const StrandApart STRAND_APART = {overlapping, apart};
