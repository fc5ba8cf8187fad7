// The loops of strand_sweep.h. Included by strand_sweep_*.c, which differ in their compiler flags alone;
// SWEEP_KERNEL names the table that each defines.
#include "core/lanes.h"
#include "strand/strand_sweep.h"

#include <float.h>

#define PARALLEL 1e-6f // of two edges, sine of their angle squared
#define TINY 1e-30f
#define ADVANCES_MAX 48
#define OVER 2.0f       // any time after the step
#define AHEAD 32        // pairs
#define CORRECTION 0.1f // of the thickness, that edges which overlap part in a step at most
#define LEVER 0.25f

typedef struct Lanes3Of {
    Lanes x, y, z;
} Lanes3Of;

static inline Lanes3Of plus(Lanes3Of a, Lanes3Of b)
{
    return (Lanes3Of){lanes_add(a.x, b.x), lanes_add(a.y, b.y), lanes_add(a.z, b.z)};
}

static inline Lanes3Of minus(Lanes3Of a, Lanes3Of b)
{
    return (Lanes3Of){lanes_sub(a.x, b.x), lanes_sub(a.y, b.y), lanes_sub(a.z, b.z)};
}

static inline Lanes3Of times(Lanes3Of a, Lanes s)
{
    return (Lanes3Of){lanes_mul(a.x, s), lanes_mul(a.y, s), lanes_mul(a.z, s)};
}

static inline Lanes dot(Lanes3Of a, Lanes3Of b)
{
    return lanes_add(lanes_add(lanes_mul(a.x, b.x), lanes_mul(a.y, b.y)), lanes_mul(a.z, b.z));
}

static inline Lanes clamped(Lanes s)
{
    return lanes_min(lanes_max(s, lanes_set(0.0f)), lanes_set(1.0f));
}

// One box, and sixteen beside it.
typedef struct BoxLanes {
    Lanes lo[3], hi[3];
} BoxLanes;

static inline BoxLanes spread_box(Box3 box)
{
    return (BoxLanes){{lanes_set(box.lo.x), lanes_set(box.lo.y), lanes_set(box.lo.z)},
                      {lanes_set(box.hi.x), lanes_set(box.hi.y), lanes_set(box.hi.z)}};
}

static inline uint32_t touching_bits(const SweepBoxes *boxes, uint32_t k, const BoxLanes *box)
{
    uint32_t bits = ~0u;
    for (int axis = 0; axis < 3; axis++) {
        bits &= lanes_bits(lanes_less_equal(lanes_load(boxes->lo[axis] + k), box->hi[axis]));
        bits &= lanes_bits(lanes_less_equal(box->lo[axis], lanes_load(boxes->hi[axis] + k)));
    }
    return bits;
}

static uint32_t touching(const SweepBoxes *boxes, Box3 box, SweepLeftOut left_out, PlaceRange range,
                         uint32_t *out)
{
    const BoxLanes own = spread_box(box);
    const SweepBoxes from = *boxes; // a copy, which writing to `out` cannot change
    uint32_t *at = out;
    for (uint32_t k = range.begin; k < range.end; k += SHAPE_LANES) {
        uint32_t bits = lanes_first_bits(range.end - k) & touching_bits(&from, k, &own);
        bits &= ~lanes_numbers_within(from.edge + k, left_out.from, left_out.count);
        at += from.place ? lanes_write_chosen(at, from.place + k, bits) : lanes_write_numbers(at, k, bits);
    }
    return (uint32_t)(at - out);
}

static uint32_t bring(const SweepBoxes *boxes, Box3 box, const PlaceRange *rows, uint32_t count,
                      SweepNear *out)
{
    const BoxLanes own = spread_box(box);
    uint32_t to = 0;
    for (uint32_t row = 0; row < count; row++) {
        for (uint32_t k = rows[row].begin; k < rows[row].end; k += SHAPE_LANES) {
            uint32_t bits = lanes_first_bits(rows[row].end - k) & touching_bits(boxes, k, &own);
            if (!bits) continue;
            for (int axis = 0; axis < 3; axis++) {
                lanes_store_chosen(out->lo[axis] + to, lanes_load(boxes->lo[axis] + k), bits);
                lanes_store_chosen(out->hi[axis] + to, lanes_load(boxes->hi[axis] + k), bits);
            }
            lanes_write_chosen(out->edge + to, boxes->edge + k, bits);
            to += lanes_write_numbers(out->place + to, k, bits);
        }
    }
    return to;
}

// Sixteen edges on their ways, from the start of the step on.
typedef struct EdgeLanes {
    Lanes3Of from[2], way[2];
    Lanes radius, inverse_mass[2], segment;
} EdgeLanes;

static inline EdgeLanes gather_edges(const SweepEdge *edges, const uint32_t *place)
{
    const float *base = &edges->from[0].x;
    Lanes a[4], b[4], c[4], d[4];
    lanes_gather_four(base, 16, place, a);
    lanes_gather_four(base + 4, 16, place, b);
    lanes_gather_four(base + 8, 16, place, c);
    lanes_gather_four(base + 12, 16, place, d);
    return (EdgeLanes){{{a[0], a[1], a[2]}, {a[3], b[0], b[1]}},
                       {{b[2], b[3], c[0]}, {c[1], c[2], c[3]}},
                       d[0],
                       {d[1], d[2]},
                       d[3]};
}

static inline EdgeLanes spread_edge(const SweepEdge *edge)
{
    const Vec3 *from = edge->from, *way = edge->way;
    return (EdgeLanes){{{lanes_set(from[0].x), lanes_set(from[0].y), lanes_set(from[0].z)},
                        {lanes_set(from[1].x), lanes_set(from[1].y), lanes_set(from[1].z)}},
                       {{lanes_set(way[0].x), lanes_set(way[0].y), lanes_set(way[0].z)},
                        {lanes_set(way[1].x), lanes_set(way[1].y), lanes_set(way[1].z)}},
                       lanes_set(edge->radius),
                       {lanes_set(edge->inverse_mass[0]), lanes_set(edge->inverse_mass[1])},
                       lanes_set(edge->segment)};
}

// Where two edges are nearest.
typedef struct NearestLanes {
    Lanes s, t; // on the first, on the second
    Lanes3Of gap;
    Lanes distance;
} NearestLanes;

// Ericson 2005, "Real-Time Collision Detection", sec. 5.1.9.
static inline NearestLanes nearest(Lanes3Of u, Lanes3Of v, Lanes3Of between)
{
    Lanes tiny = lanes_set(TINY), uu = lanes_max(dot(u, u), tiny), vv = lanes_max(dot(v, v), tiny);
    Lanes uv = dot(u, v), ur = dot(u, between), vr = dot(v, between);
    Lanes both = lanes_mul(uu, vv), area = lanes_sub(both, lanes_mul(uv, uv));
    Lanes crossing =
        clamped(lanes_div(lanes_sub(lanes_mul(uv, vr), lanes_mul(ur, vv)), lanes_max(area, tiny)));
    LaneMask parallel = lanes_less_equal(area, lanes_mul(both, lanes_set(PARALLEL)));
    Lanes s = lanes_select(parallel, lanes_set(0.5f), crossing);
    Lanes line = lanes_div(lanes_add(lanes_mul(uv, s), vr), vv), t = clamped(line);
    Lanes at_end = clamped(lanes_div(lanes_sub(lanes_mul(uv, t), ur), uu));
    Lanes outside = lanes_max(lanes_sub(line, t), lanes_sub(t, line));
    s = lanes_select(lanes_less_equal(outside, lanes_set(0.0f)), s, at_end);
    Lanes3Of gap = plus(between, minus(times(u, s), times(v, t)));
    return (NearestLanes){s, t, gap, lanes_sqrt(dot(gap, gap))};
}

static inline NearestLanes nearest_at(const EdgeLanes *a, const EdgeLanes *b, Lanes time)
{
    Lanes3Of p = plus(a->from[0], times(a->way[0], time)), q = plus(b->from[0], times(b->way[0], time));
    Lanes3Of u = minus(plus(a->from[1], times(a->way[1], time)), p);
    Lanes3Of v = minus(plus(b->from[1], times(b->way[1], time)), q);
    return nearest(u, v, minus(p, q));
}

static inline Lanes faster(const EdgeLanes *edges, Lanes3Of mean)
{
    Lanes3Of first = minus(edges->way[0], mean), second = minus(edges->way[1], mean);
    return lanes_sqrt(lanes_max(dot(first, first), dot(second, second)));
}

// No two points of two edges approach by more in the step.
static inline Lanes approach_bound(const EdgeLanes *a, const EdgeLanes *b)
{
    Lanes3Of sum = plus(plus(a->way[0], a->way[1]), plus(b->way[0], b->way[1]));
    Lanes3Of mean = times(sum, lanes_set(0.25f));
    return lanes_add(faster(a, mean), faster(b, mean));
}

// Sixteen pairs of edges.
typedef struct PairLanes {
    EdgeLanes a, b;
    Lanes thickness, reach;
} PairLanes;

static inline PairLanes gather_pairs(const SweepEdge *edges, const uint32_t *own, const uint32_t *other,
                                     float margin)
{
    bool alike = own[0] == own[SHAPE_LANES - 1]; // those of one edge follow each other
    EdgeLanes a = alike ? spread_edge(&edges[own[0]]) : gather_edges(edges, own);
    EdgeLanes b = gather_edges(edges, other);
    Lanes thickness = lanes_add(a.radius, b.radius);
    return (PairLanes){a, b, thickness, lanes_mul(thickness, lanes_set(1.0f + margin))};
}

// What becomes of pairs. Most are decided by where the step begins. The few that are not are brought forward
// together, so that they do not hold up the lanes of the others.
typedef struct PairTimes {
    float time[SWEEP_PAIRS];                    // of the step, when they first meet
    uint32_t meet[SWEEP_PAIRS / SHAPE_LANES];   // bits of those that do
    uint32_t chosen[SWEEP_PAIRS + SHAPE_LANES]; // pairs that are handled together
} PairTimes;

// Fills the last vector of chosen pairs: the last of them repeats.
static inline void repeat_last(uint32_t *chosen, uint32_t count)
{
    for (uint32_t k = count; count > 0 && k % SHAPE_LANES != 0; k++) chosen[k] = chosen[count - 1];
}

// The places of sixteen pairs.
typedef struct PlaceLanes {
    uint32_t own[SHAPE_LANES], other[SHAPE_LANES];
} PlaceLanes;

static inline void choose_places(const uint32_t *own, const uint32_t *other, const uint32_t *chosen,
                                 PlaceLanes *out)
{
    for (uint32_t lane = 0; lane < SHAPE_LANES; lane++) {
        out->own[lane] = own[chosen[lane]];
        out->other[lane] = other[chosen[lane]];
    }
}

// Chooses the pairs that neither are as near as their reach where the step begins nor too slow to get there.
static uint32_t look_at_start(const SweepEdge *edges, const uint32_t *own, const uint32_t *other,
                              uint32_t count, float margin, PairTimes *out)
{
    uint32_t open = 0;
    for (uint32_t k = 0; k < count; k += SHAPE_LANES) {
        uint32_t all = lanes_first_bits(count - k);
        PlaceLanes places;
        for (uint32_t lane = 0; lane < SHAPE_LANES; lane++) {
            uint32_t pair = k + lane < count ? k + lane : count - 1;
            places.own[lane] = own[pair];
            places.other[lane] = other[pair];
            if (k + AHEAD + lane < count) __builtin_prefetch(&edges[other[k + AHEAD + lane]]);
        }
        PairLanes pairs = gather_pairs(edges, places.own, places.other, margin);
        NearestLanes at = nearest_at(&pairs.a, &pairs.b, lanes_set(0.0f));
        uint32_t met = lanes_bits(lanes_less_equal(at.distance, pairs.reach)) & all;
        Lanes step = lanes_div(lanes_sub(at.distance, pairs.thickness), approach_bound(&pairs.a, &pairs.b));
        uint32_t soon = lanes_bits(lanes_less_equal(step, lanes_set(1.0f))) & all;
        lanes_store(&out->time[k], lanes_set(0.0f));
        out->meet[k / SHAPE_LANES] = met;
        open += lanes_write_numbers(&out->chosen[open], k, soon & ~met);
    }
    repeat_last(out->chosen, open);
    return open;
}

// Distance over the bound of the relative speed is time in which they cannot meet: conservative advancement
// (Mirtich 1996). Returns the bits of those that meet, *when they first do.
static inline uint32_t advance(const PairLanes *pairs, uint32_t bits, Lanes *when)
{
    Lanes zero = lanes_set(0.0f), time = zero, bound = approach_bound(&pairs->a, &pairs->b);
    for (int k = 0; k < ADVANCES_MAX; k++) {
        Lanes distance = nearest_at(&pairs->a, &pairs->b, time).distance;
        LaneMask met = lanes_less_equal(distance, pairs->reach);
        Lanes step = lanes_div(lanes_sub(distance, pairs->thickness), bound); // INFINITY where nothing moves
        time = lanes_min(lanes_add(time, lanes_select(met, zero, step)), lanes_set(OVER));
        bits &= lanes_bits(lanes_less_equal(time, lanes_set(1.0f)));
        if (!(bits & ~lanes_bits(met))) break;
    }
    *when = time;
    return bits;
}

static void advance_open(const SweepEdge *edges, const uint32_t *own, const uint32_t *other, uint32_t count,
                         float margin, PairTimes *out)
{
    for (uint32_t k = 0; k < count; k += SHAPE_LANES) {
        PlaceLanes places;
        choose_places(own, other, &out->chosen[k], &places);
        PairLanes pairs = gather_pairs(edges, places.own, places.other, margin);
        Lanes when;
        uint32_t bits = advance(&pairs, lanes_first_bits(count - k), &when);
        float time[SHAPE_LANES];
        lanes_store(time, when);
        for (; bits; bits &= bits - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(bits), pair = out->chosen[k + lane];
            out->time[pair] = time[lane];
            out->meet[pair / SHAPE_LANES] |= 1u << pair % SHAPE_LANES;
        }
    }
}

// The numbers of sixteen meetings.
typedef struct MeetingLanes {
    float along[SHAPE_LANES], beside[SHAPE_LANES], normal[3][SHAPE_LANES], apart[SHAPE_LANES],
        pull[4][SHAPE_LANES], kept[SHAPE_LANES], thickness[SHAPE_LANES], depth[SHAPE_LANES],
        weight[SHAPE_LANES];
} MeetingLanes;

// How far the point at `share` of an edge moves along the normal.
static inline Lanes move_along(Lanes3Of normal, const EdgeLanes *edge, Lanes share)
{
    Lanes first = dot(normal, edge->way[0]), second = dot(normal, edge->way[1]);
    return lanes_add(first, lanes_mul(share, lanes_sub(second, first)));
}

// What moves each particle, of 1 m that the edges are too near: by its share of the point that meets and by
// how light it is. Returns the sum of what they weigh in.
static inline Lanes share_pull(const EdgeLanes *a, const EdgeLanes *b, const Lanes share[4],
                               float pull[4][SHAPE_LANES])
{
    Lanes zero = lanes_set(0.0f), sum = zero, largest = zero, part[4];
    const Lanes weight[4] = {a->inverse_mass[0], a->inverse_mass[1], b->inverse_mass[0], b->inverse_mass[1]};
    for (int n = 0; n < 4; n++) {
        largest = lanes_max(largest, weight[n]);
        part[n] = lanes_mul(share[n], weight[n]);
        sum = lanes_add(sum, lanes_mul(part[n], share[n]));
    }
    // Beside a held particle the free end of an edge would be thrown far as by a lever.
    sum = lanes_max(sum, lanes_mul(lanes_set(LEVER), largest));
    LaneMask held = lanes_less_equal(sum, zero);
    for (int n = 0; n < 4; n++) lanes_store(pull[n], lanes_select(held, zero, lanes_div(part[n], sum)));
    return sum;
}

// start: m, distance where the step begins.
static inline void store_meetings(const PairLanes *pairs, const NearestLanes *at, Lanes start,
                                  MeetingLanes *out)
{
    const EdgeLanes *a = &pairs->a, *b = &pairs->b;
    Lanes thickness = pairs->thickness;
    Lanes zero = lanes_set(0.0f), one = lanes_set(1.0f);
    const Lanes share[4] = {lanes_sub(one, at->s), at->s, lanes_sub(at->t, one), lanes_sub(zero, at->t)};
    Lanes3Of normal = times(at->gap, lanes_div(one, at->distance));
    Lanes kept = lanes_min(lanes_add(start, lanes_mul(lanes_set(CORRECTION), thickness)), thickness);
    Lanes apart = lanes_sub(zero, kept);
    apart = lanes_add(apart, lanes_mul(share[1], dot(normal, minus(a->from[1], a->from[0]))));
    apart = lanes_add(apart, lanes_mul(share[2], dot(normal, minus(b->from[0], a->from[0]))));
    apart = lanes_add(apart, lanes_mul(share[3], dot(normal, minus(b->from[1], a->from[0]))));
    Lanes after = lanes_sub(lanes_add(apart, move_along(normal, a, at->s)), move_along(normal, b, at->t));
    lanes_store(out->along, at->s);
    lanes_store(out->beside, at->t);
    lanes_store(out->normal[0], normal.x);
    lanes_store(out->normal[1], normal.y);
    lanes_store(out->normal[2], normal.z);
    lanes_store(out->apart, apart);
    lanes_store(out->kept, kept);
    lanes_store(out->thickness, thickness);
    lanes_store(out->depth, lanes_div(lanes_sub(zero, after), lanes_min(a->segment, b->segment)));
    lanes_store(out->weight, share_pull(a, b, share, out->pull));
}

static SweepMeeting meeting_of(const MeetingLanes *from, uint32_t lane, uint32_t own, uint32_t other)
{
    return (SweepMeeting){
        own,
        other,
        from->along[lane],
        from->beside[lane],
        {from->normal[0][lane], from->normal[1][lane], from->normal[2][lane]},
        from->apart[lane],
        {from->pull[0][lane], from->pull[1][lane], from->pull[2][lane], from->pull[3][lane]},
        from->kept[lane],
        from->thickness[lane],
        from->depth[lane],
        from->weight[lane]};
}

static uint32_t meeting(const SweepEdge *edges, const uint32_t *own, const uint32_t *other, uint32_t count,
                        float margin, SweepMeeting *out)
{
    PairTimes times;
    uint32_t open = look_at_start(edges, own, other, count, margin, &times), met = 0, found = 0;
    advance_open(edges, own, other, open, margin, &times);
    for (uint32_t k = 0; k < count; k += SHAPE_LANES)
        met += lanes_write_numbers(&times.chosen[met], k, times.meet[k / SHAPE_LANES]);
    repeat_last(times.chosen, met);
    for (uint32_t k = 0; k < met; k += SHAPE_LANES) {
        PlaceLanes places;
        MeetingLanes store;
        float time[SHAPE_LANES];
        choose_places(own, other, &times.chosen[k], &places);
        for (uint32_t lane = 0; lane < SHAPE_LANES; lane++) time[lane] = times.time[times.chosen[k + lane]];
        PairLanes pairs = gather_pairs(edges, places.own, places.other, margin);
        Lanes start = nearest_at(&pairs.a, &pairs.b, lanes_set(0.0f)).distance;
        NearestLanes at = nearest_at(&pairs.a, &pairs.b, lanes_load(time));
        // On the same line no side is known.
        uint32_t bits =
            lanes_first_bits(met - k) & lanes_bits(lanes_less_equal(lanes_set(FLT_MIN), at.distance));
        store_meetings(&pairs, &at, start, &store);
        for (; bits; bits &= bits - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(bits);
            out[found++] = meeting_of(&store, lane, places.own[lane], places.other[lane]);
        }
    }
    return found;
}

const SweepKernel SWEEP_KERNEL = {touching, bring, meeting};
