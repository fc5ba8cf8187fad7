// What strands are made of; shared by the files of this folder.
#ifndef PBF_STRAND_STRAND_STATE_H
#define PBF_STRAND_STRAND_STATE_H

#include "strand/strand.h"

#define NO_BODY UINT32_MAX

// fmaxf and fminf are calls, for the sake of NaN.
static inline float larger(float a, float b)
{
    return a > b ? a : b;
}
static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}

// Where the root and its direction are held, in the frame of a body or of the domain.
typedef struct StrandAnchor {
    uint32_t body; // or NO_BODY
    Vec3 root, second, end;
} StrandAnchor;

// A tangent plane that a particle stays in front of: dot(normal, p) >= offset.
typedef struct StrandPlane {
    Vec3 normal; // 0: none
    float offset;
    float friction;
    Vec3 motion; // m, of the surface in this step
} StrandPlane;

#define PLANES_PER_PARTICLE 2

typedef struct StrandPairs StrandPairs;     // strand_contacts.c
typedef struct StrandLengths StrandLengths; // strand_lengths.h

struct Strands {
    StrandDef *defs;
    uint32_t group_count, strand_count, particle_count;
    uint32_t *first, *group;
    uint32_t *strand_of; // of each particle
    float *segment;      // m, length of a segment of each strand
    float *mass;         // kg, of a particle of each strand
    float *inverse_mass; // 1/kg, of each particle; 0 where it is held
    StrandAnchor *anchors;
    Vec3 *x, *v; // what is stored
    // scratch
    Vec3 *next_v; // m/s, without constraints
    // m, from x to where the step under way takes each particle, and would without constraints. As such
    // differences they are not rounded as positions are, and momentum stays.
    Vec3 *way, *free_way;
    StrandPlane *planes;    // of strands that have some
    bool *has_planes;       // of each strand
    bool *restless;         // of each strand: a contact has moved it
    uint32_t *listed;       // strands that are restless, in their order
    StrandLengths *lengths; // of each worker
    size_t lengths_capacity;
    StrandPairs *pairs; // of strands that do not pass through each other; NULL if none do not
};

// Several threads may set one. One that is set stays where other threads have it, too.
static inline void strand_mark(bool *strand)
{
    if (!__atomic_load_n(strand, __ATOMIC_RELAXED)) __atomic_store_n(strand, true, __ATOMIC_RELAXED);
}

// m, where the step under way takes a particle.
static inline Vec3 strand_end(const Strands *strands, uint32_t particle)
{
    return vec3_add(strands->x[particle], strands->way[particle]);
}

static inline const StrandDef *strand_def(const Strands *strands, uint32_t strand)
{
    return &strands->defs[strands->group[strand]];
}

// How many particles at the root and at the end are held.
static inline uint32_t strand_held_first(const StrandDef *def)
{
    return def->hold == HOLD_NONE ? 0 : def->hold == HOLD_CLAMPED ? 2 : 1;
}
static inline uint32_t strand_held_last(const StrandDef *def)
{
    return def->hold == HOLD_BOTH ? 1 : 0;
}

// The strand's particles as solvers take them.
typedef struct StrandLine {
    const Vec3 *x;  // m
    Vec3 *way;      // m, changed
    uint32_t count; // of particles
    uint32_t held_first, held_last;
    double segment; // m
} StrandLine;
StrandLine strand_line(Strands *strands, uint32_t strand);

// Planes of bodies near the ways of a strand's particles (strand_bodies.c).
void strand_find_planes(Strands *strands, uint32_t strand, const StrandStep *step);
// Moves particles in front of their planes and the tank's walls, with friction. Returns whether any has
// moved.
bool strand_apply_planes(Strands *strands, uint32_t strand, const StrandStep *step);

// Pairs of edges that meet on their ways, for strands whose definitions and particles are numbered. Errors:
// RESULT_NO_MEMORY.
Result strand_pairs_create(const Strands *strands, StrandPairs **out);
void strand_pairs_destroy(StrandPairs *pairs); // NULL is allowed
// Makes room for all that a step needs. Errors: RESULT_NO_MEMORY.
Result strand_pairs_reserve(StrandPairs *pairs); // NULL is allowed
// Finds them. Errors: RESULT_FAILED for what is not finite; RESULT_NO_MEMORY unless there is room.
Result strand_pairs_find(Strands *strands);
// How far the pairs that the last search has found would have overlapped then, as a share of the shorter
// segment, at most.
float strand_pairs_depth(const Strands *strands);
// Moves the edges of each pair apart, one pair after the other, or some side by side that share nothing, in
// an order that depends on the strands alone. cared: strand_guard_begin has left few of them, which is
// another loop to those who share it. Returns whether any was about to pass.
bool strand_pairs_apply(Strands *strands, bool cared);

// Takes strands into care that are about to pass through each other at the end of their ways. Until the next
// search strand_pairs_apply moves their pairs only. Returns whether there are any.
bool strand_guard_begin(Strands *strands);

// Fills x of all strands, from their definitions (strand_build.c); needs `first`, `group` and obstacles.
Result strand_place(Strands *strands, const Obstacles *obstacles);
// Sends held particles to where bodies stand now.
void strand_hold(Strands *strands, uint32_t strand, const Obstacles *obstacles);

#endif
