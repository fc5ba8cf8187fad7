// Strands against strands: pairs of edges that meet on their ways, found once a step, and kept apart.
//
// Ways are straight and edges stay straight on them. Where the distance of two edges first falls to their
// thickness is found by conservative advancement (Mirtich 1996): distance over the bound of their relative
// speed is time in which they cannot meet.
#include "core/memory.h"
#include "core/parallel.h"
#include "strand/strand_state.h"
#include "strand/strand_sweep.h"

#include <string.h>

#define GRAIN 256u
#define ADVANCES_MAX 48
#define MARGIN 0.5f     // of the thickness, within which edges that do not touch are kept apart, too
#define CORRECTION 0.1f // of the thickness, that edges which overlap part in a step at most
#define FACTOR_LEAST 1e-6f
#define CONTACTS_PER_EDGE 8
#define LEVER 0.25f
#define OVERLAP 0.5f // of the thickness: more asks for another iteration

// Points at `along` and `other_along` of two edges that are kept apart along `normal`, which points from the
// other edge to this one.
typedef struct StrandContact {
    uint32_t other; // first particle of the other edge
    float along, other_along;
    float apart;     // m, where the step begins, less what they are kept apart by
    float thickness; // m
    Vec3 normal;
    float pull[4]; // m that each particle moves by along the normal, of those that the edges are too near
} StrandContact;

// An edge has the number of its first particle; CONTACTS_PER_EDGE of each have room.
struct StrandPairs {
    StrandContact *contacts;
    uint8_t *count;
    uint32_t *active; // of all contacts, by edge and then as they were found
    uint32_t active_count;
    StrandSweep sweep;
    bool *fresh;  // of each edge: it has met another one that it had not
    bool *struck; // of each strand: its way would have led through another
};

void strand_pairs_destroy(StrandPairs *pairs)
{
    if (!pairs) return;
    void *blocks[] = {pairs->contacts, pairs->count, pairs->active, pairs->fresh, pairs->struck};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) memory_free(blocks[k]);
    strand_sweep_free(&pairs->sweep);
    memory_free(pairs);
}

static Result allocate(StrandPairs *pairs, const Strands *strands)
{
    size_t particles = strands->particle_count, rows = particles * CONTACTS_PER_EDGE;
    pairs->contacts = memory_allocate(rows * sizeof *pairs->contacts);
    pairs->active = memory_allocate(rows * sizeof *pairs->active);
    pairs->count = memory_allocate_zeroed(particles);
    pairs->fresh = memory_allocate_zeroed(particles);
    pairs->struck = memory_allocate_zeroed(strands->strand_count);
    if (!pairs->contacts || !pairs->active || !pairs->count || !pairs->fresh || !pairs->struck)
        return result_no_memory("contacts of strands", rows * (sizeof(StrandContact) + sizeof(uint32_t)));
    return strand_sweep_create(&pairs->sweep, strands);
}

Result strand_pairs_create(const Strands *strands, StrandPairs **out)
{
    *out = NULL;
    StrandPairs *pairs = memory_allocate_zeroed(sizeof *pairs);
    if (!pairs) return result_no_memory("strands", sizeof *pairs);
    Result result = allocate(pairs, strands);
    if (result_is_ok(&result))
        *out = pairs;
    else
        strand_pairs_destroy(pairs);
    return result;
}

Result strand_pairs_reserve(StrandPairs *pairs)
{
    return pairs ? strand_sweep_reserve(&pairs->sweep) : result_ok();
}

typedef struct Edge {
    Vec3 from[2], way[2]; // m, of its two ends: at the start of the step, and what they move
} Edge;

static Edge edge_of(const Strands *strands, uint32_t k)
{
    return (Edge){{strands->x[k], strands->x[k + 1]}, {strands->way[k], strands->way[k + 1]}};
}

static float clamp_unit(float s)
{
    return s < 0.0f ? 0.0f : s > 1.0f ? 1.0f : s;
}

// The shortest way between two edges at a time of their ways, from 0 to 1.
typedef struct Closest {
    float s, t; // on the first, on the second
    Vec3 gap;   // from the second to the first
    float distance;
} Closest;

// Ericson 2005, "Real-Time Collision Detection", sec. 5.1.9.
static Closest closest_points(const Edge *a, const Edge *b, float time)
{
    Vec3 p = vec3_add(a->from[0], vec3_scale(a->way[0], time)),
         q = vec3_add(b->from[0], vec3_scale(b->way[0], time));
    Vec3 u = vec3_sub(vec3_add(a->from[1], vec3_scale(a->way[1], time)), p);
    Vec3 v = vec3_sub(vec3_add(b->from[1], vec3_scale(b->way[1], time)), q), r = vec3_sub(p, q);
    float uu = vec3_dot(u, u), vv = vec3_dot(v, v), uv = vec3_dot(u, v), ur = vec3_dot(u, r),
          vr = vec3_dot(v, r);
    float area = uu * vv - uv * uv;
    Closest out = {0};
    out.s = area > FACTOR_LEAST * uu * vv ? clamp_unit((uv * vr - ur * vv) / area) : 0.5f;
    out.t = vv > 0.0f ? (uv * out.s + vr) / vv : 0.0f;
    if (out.t < 0.0f || out.t > 1.0f) {
        out.t = clamp_unit(out.t);
        out.s = uu > 0.0f ? clamp_unit((uv * out.t - ur) / uu) : 0.0f;
    }
    out.gap = vec3_add(r, vec3_sub(vec3_scale(u, out.s), vec3_scale(v, out.t)));
    out.distance = vec3_length(out.gap);
    return out;
}

// Of the relative motion of two edges: no two points of them approach by more in the step.
static float approach_bound(const Edge *a, const Edge *b)
{
    Vec3 sum = vec3_add(vec3_add(a->way[0], a->way[1]), vec3_add(b->way[0], b->way[1]));
    Vec3 mean = vec3_scale(sum, 0.25f);
    float first = larger(vec3_length(vec3_sub(a->way[0], mean)), vec3_length(vec3_sub(a->way[1], mean)));
    float second = larger(vec3_length(vec3_sub(b->way[0], mean)), vec3_length(vec3_sub(b->way[1], mean)));
    return first + second;
}

// Two edges where they are nearest when the step begins.
static Closest closest_at_start(const Edge *a, const Edge *b, const SweepPair *pair)
{
    Closest out = {.s = pair->along, .t = pair->beside, .distance = pair->distance};
    Vec3 p = vec3_add(a->from[0], vec3_scale(vec3_sub(a->from[1], a->from[0]), out.s));
    Vec3 q = vec3_add(b->from[0], vec3_scale(vec3_sub(b->from[1], b->from[0]), out.t));
    out.gap = vec3_sub(p, q);
    return out;
}

// Do the edges come as near as `thickness` and its margin? Then *out is how they are kept apart.
static bool edges_meet(const Edge *a, const Edge *b, const SweepPair *pair, float thickness,
                       StrandContact *out)
{
    float reach = (1.0f + MARGIN) * thickness, time = 0.0f;
    Closest start = closest_at_start(a, b, pair), at = start;
    float bound = at.distance > reach ? approach_bound(a, b) : 0.0f;
    for (int k = 0; at.distance > reach && k < ADVANCES_MAX; k++) {
        time += (at.distance - thickness) / bound; // INFINITY where nothing moves
        if (!(time <= 1.0f)) return false;
        at = closest_points(a, b, time);
    }
    if (!(at.distance > 0.0f)) return false; // the same line: no side is known
    float allowed = start.distance + CORRECTION * thickness;
    *out = (StrandContact){.along = at.s,
                           .other_along = at.t,
                           .thickness = thickness,
                           .apart = -smaller(allowed, thickness),
                           .normal = vec3_scale(at.gap, 1.0f / at.distance)};
    return true;
}

// Edges of a strand so near to each other that bending keeps them apart.
static bool are_neighbors(const Strands *strands, uint32_t a, uint32_t b, float thickness)
{
    uint32_t apart = a < b ? b - a : a - b;
    uint32_t strand = strands->strand_of[a];
    if (strand != strands->strand_of[b]) return false;
    return apart < 3 + (uint32_t)(2.0f * thickness / strands->segment[strand]);
}

typedef struct ContactJob {
    Strands *strands;
    bool again; // pairs of strands that a contact has struck
} ContactJob;

// Returns whether the pair is a new one.
static bool add_contact(StrandPairs *pairs, uint32_t k, StrandContact contact)
{
    StrandContact *row = pairs->contacts + (size_t)k * CONTACTS_PER_EDGE;
    uint32_t n = 0;
    while (n < pairs->count[k] && row[n].other != contact.other) n++;
    if (n == CONTACTS_PER_EDGE) return false;
    row[n] = contact;
    if (n < pairs->count[k]) return false;
    pairs->count[k]++;
    return true;
}

// What iterations need of a contact. False if nothing of it can move.
static bool prepare_contact(const Strands *strands, uint32_t k, StrandContact *contact)
{
    const uint32_t particle[4] = {k, k + 1, contact->other, contact->other + 1};
    const float share[4] = {1.0f - contact->along, contact->along, contact->other_along - 1.0f,
                            -contact->other_along};
    float sum = 0.0f, largest = 0.0f;
    for (int n = 0; n < 4; n++) {
        Vec3 from = vec3_sub(strands->x[particle[n]], strands->x[k]);
        contact->apart += share[n] * vec3_dot(contact->normal, from);
        largest = larger(largest, strands->inverse_mass[particle[n]]);
        contact->pull[n] = share[n] * strands->inverse_mass[particle[n]];
        sum += contact->pull[n] * share[n];
    }
    // Beside a held particle the free end of an edge would be thrown far as by a lever.
    sum = larger(sum, LEVER * largest);
    for (int n = 0; n < 4; n++) contact->pull[n] = sum > 0.0f ? contact->pull[n] / sum : 0.0f;
    return sum > 0.0f;
}

// Returns whether there is a new pair.
static bool find_of_edge(const ContactJob *job, uint32_t k, const SweepPair *found, uint32_t count)
{
    Strands *strands = job->strands;
    StrandPairs *pairs = strands->pairs;
    Edge own = edge_of(strands, k);
    bool any = false;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t other = found[n].other, strand = strands->strand_of[other];
        if (other < k && pairs->struck[strand]) continue; // the other one looks for this
        float thickness =
            strand_def(strands, strands->strand_of[k])->radius + strand_def(strands, strand)->radius;
        if (are_neighbors(strands, k, other, thickness)) continue;
        Edge edge = edge_of(strands, other);
        StrandContact contact;
        if (!edges_meet(&own, &edge, &found[n], thickness, &contact)) continue;
        contact.other = other;
        if (prepare_contact(strands, k, &contact)) any |= add_contact(pairs, k, contact);
    }
    return any;
}

// Edges by their places, so that threads look at what lies near each other.
static void find_contacts(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const ContactJob *job = context;
    const Strands *strands = job->strands;
    StrandPairs *pairs = strands->pairs;
    for (uint32_t place = begin; place < end; place++) {
        uint32_t k = pairs->sweep.edge_at[place], count;
        pairs->fresh[k] = false;
        if (!job->again) pairs->count[k] = 0;
        if (job->again && !pairs->struck[strands->strand_of[k]]) continue;
        const SweepPair *found = strand_sweep_find(&pairs->sweep, place, job->again ? 0 : k, worker, &count);
        pairs->fresh[k] = find_of_edge(job, k, found, count);
    }
}

// Returns whether any strand is.
static bool any_struck(const Strands *strands)
{
    for (uint32_t k = 0; k < strands->strand_count; k++) {
        if (strands->pairs->struck[k]) return true;
    }
    return false;
}

static void list_active(StrandPairs *pairs)
{
    pairs->active_count = 0;
    for (uint32_t e = 0; e < pairs->sweep.count; e++) {
        uint32_t k = pairs->sweep.edge[e];
        for (uint32_t n = 0; n < pairs->count[k]; n++)
            pairs->active[pairs->active_count++] = k * CONTACTS_PER_EDGE + n;
    }
}

Result strand_pairs_find(Strands *strands, bool again, bool *fresh)
{
    StrandPairs *pairs = strands->pairs;
    ContactJob job = {.strands = strands, .again = again};
    *fresh = false;
    if (again && !any_struck(strands)) return result_ok();
    TRY(strand_sweep_sort(&pairs->sweep, strands, 1.0f + MARGIN));
    parallel_for(pairs->sweep.count, GRAIN, find_contacts, &job);
    for (uint32_t e = 0; e < pairs->sweep.count; e++) *fresh |= pairs->fresh[pairs->sweep.edge[e]];
    memset(pairs->struck, 0, strands->strand_count * sizeof *pairs->struck);
    list_active(pairs);
    return result_ok();
}

// How far (m) the edges would be apart along the normal now, less what they should be.
static float distance_now(const Strands *strands, uint32_t k, const StrandContact *contact)
{
    const Vec3 *own = &strands->way[k], *other = &strands->way[contact->other];
    float first = vec3_dot(contact->normal, own[0]), second = vec3_dot(contact->normal, own[1]);
    float third = vec3_dot(contact->normal, other[0]), fourth = vec3_dot(contact->normal, other[1]);
    return contact->apart + (first + contact->along * (second - first)) -
           (third + contact->other_along * (fourth - third));
}

float strand_pairs_depth(const Strands *strands)
{
    const StrandPairs *pairs = strands->pairs;
    float worst = 0.0f;
    for (uint32_t n = 0; n < pairs->active_count; n++) {
        const StrandContact *contact = &pairs->contacts[pairs->active[n]];
        uint32_t k = pairs->active[n] / CONTACTS_PER_EDGE;
        float own = strands->segment[strands->strand_of[k]];
        float segment = smaller(own, strands->segment[strands->strand_of[contact->other]]);
        worst = larger(worst, -distance_now(strands, k, contact) / segment);
    }
    return worst;
}

// Returns by which part of their thickness they overlapped.
static float apply_contact(Strands *strands, uint32_t k, const StrandContact *contact)
{
    float distance = distance_now(strands, k, contact);
    if (distance >= 0.0f) return 0.0f;
    Vec3 *ways[4] = {&strands->way[k], &strands->way[k + 1], &strands->way[contact->other],
                     &strands->way[contact->other + 1]};
    for (int n = 0; n < 4; n++)
        *ways[n] = vec3_add(*ways[n], vec3_scale(contact->normal, -distance * contact->pull[n]));
    uint32_t both[2] = {strands->strand_of[k], strands->strand_of[contact->other]};
    for (int n = 0; n < 2; n++) {
        strands->restless[both[n]] = true;
        if (distance < -contact->thickness) strands->pairs->struck[both[n]] = true;
    }
    return -distance / contact->thickness;
}

#define AHEAD 8u // contacts that are fetched before they are needed

bool strand_pairs_apply(Strands *strands)
{
    const StrandPairs *pairs = strands->pairs;
    float worst = 0.0f;
    for (uint32_t n = 0; n < pairs->active_count; n++) {
        const StrandContact *contact = &pairs->contacts[pairs->active[n]];
        if (n + AHEAD < pairs->active_count) __builtin_prefetch(&pairs->contacts[pairs->active[n + AHEAD]]);
        worst = larger(worst, apply_contact(strands, pairs->active[n] / CONTACTS_PER_EDGE, contact));
    }
    return worst > OVERLAP;
}
