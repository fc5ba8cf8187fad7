// The loops of strand_sweep.h. Included by strand_sweep_*.c, which differ in their compiler flags alone;
// SWEEP_KERNEL names the table that each defines.
#include "core/lanes.h"
#include "strand/strand_sweep.h"

#include <float.h>

#define PARALLEL 1e-6f // of two edges, sine of their angle squared
#define TINY 1e-30f
#define ADVANCES_MAX 48
#define OVER 2.0f // any time after the step
#define AHEAD 32  // pairs

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

static inline uint32_t present(uint32_t left)
{
    return left < SHAPE_LANES ? (1u << left) - 1u : 0xffffu;
}

static uint32_t touching(const SweepBoxes *boxes, uint32_t place, const PlaceRange *ranges, uint32_t count,
                         uint32_t *out)
{
    Lanes center[3], half[3], zero = lanes_set(0.0f);
    uint32_t *at = out;
    for (int axis = 0; axis < 3; axis++) {
        center[axis] = lanes_set(boxes->center[axis][place]);
        half[axis] = lanes_set(boxes->half[axis][place]);
    }
    for (uint32_t range = 0; range < count; range++) {
        for (uint32_t k = ranges[range].begin, end = ranges[range].end; k < end; k += SHAPE_LANES) {
            Lanes most = lanes_set(-FLT_MAX);
            for (int axis = 0; axis < 3; axis++) {
                Lanes apart = lanes_sub(lanes_load(boxes->center[axis] + k), center[axis]);
                apart = lanes_max(apart, lanes_sub(zero, apart));
                Lanes reach = lanes_add(lanes_load(boxes->half[axis] + k), half[axis]);
                most = lanes_max(most, lanes_sub(apart, reach));
            }
            uint32_t bits = lanes_bits(lanes_less_equal(most, zero)) & present(end - k);
            if (bits) at += lanes_write_numbers(at, k, bits);
        }
    }
    return (uint32_t)(at - out);
}

// Sixteen edges on their ways, from the start of the step on.
typedef struct EdgeLanes {
    Lanes3Of from[2], way[2];
} EdgeLanes;

static inline Lanes3Of gather_vector(const Vec3 *vectors, LaneIndex triple)
{
    const float *at = &vectors->x;
    return (Lanes3Of){lanes_gather(at, triple), lanes_gather(at + 1, triple), lanes_gather(at + 2, triple)};
}

static inline EdgeLanes gather_edges(const SweepEdges *edges, LaneIndex triple)
{
    return (EdgeLanes){{gather_vector(edges->x, triple), gather_vector(edges->x + 1, triple)},
                       {gather_vector(edges->way, triple), gather_vector(edges->way + 1, triple)}};
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

// Distance over the bound of the relative speed is time in which they cannot meet: conservative advancement
// (Mirtich 1996). Returns the bits of those that meet, *at when they first do.
static inline uint32_t advance(const EdgeLanes *a, const EdgeLanes *b, Lanes thickness, Lanes reach,
                               uint32_t bits, NearestLanes *at)
{
    Lanes zero = lanes_set(0.0f), one = lanes_set(1.0f), time = zero, bound = approach_bound(a, b);
    for (int k = 0; k < ADVANCES_MAX; k++) {
        LaneMask met = lanes_less_equal(at->distance, reach);
        Lanes step = lanes_div(lanes_sub(at->distance, thickness), bound); // INFINITY where nothing moves
        time = lanes_min(lanes_add(time, lanes_select(met, zero, step)), lanes_set(OVER));
        bits &= lanes_bits(lanes_less_equal(time, one));
        if (!(bits & ~lanes_bits(met))) break;
        *at = nearest_at(a, b, time);
    }
    // On the same line no side is known.
    return bits & lanes_bits(lanes_less_equal(lanes_set(FLT_MIN), at->distance));
}

// The numbers of sixteen meetings.
typedef struct MeetingLanes {
    float along[SHAPE_LANES], beside[SHAPE_LANES], gap[3][SHAPE_LANES], distance[SHAPE_LANES],
        start[SHAPE_LANES];
} MeetingLanes;

static inline void store_meetings(const NearestLanes *at, Lanes start, MeetingLanes *out)
{
    lanes_store(out->along, at->s);
    lanes_store(out->beside, at->t);
    lanes_store(out->gap[0], at->gap.x);
    lanes_store(out->gap[1], at->gap.y);
    lanes_store(out->gap[2], at->gap.z);
    lanes_store(out->distance, at->distance);
    lanes_store(out->start, start);
}

// The ends of sixteen other edges, long before they are needed: they lie anywhere.
static inline void fetch(const SweepEdges *edges, const uint32_t *other, uint32_t count)
{
    for (uint32_t lane = 0; lane < SHAPE_LANES && lane < count; lane++) {
        __builtin_prefetch(&edges->x[other[lane]]);
        __builtin_prefetch(&edges->way[other[lane]]);
        __builtin_prefetch(&edges->radius[other[lane]]);
    }
}

static uint32_t meeting(const SweepEdges *edges, const uint32_t *own, const uint32_t *other, uint32_t count,
                        float margin, SweepMeeting *out)
{
    uint32_t found = 0, triple[2][SHAPE_LANES];
    MeetingLanes store;
    for (uint32_t k = 0; k < count; k += SHAPE_LANES) {
        if (k + AHEAD < count) fetch(edges, other + k + AHEAD, count - k - AHEAD);
        for (uint32_t lane = 0; lane < SHAPE_LANES; lane++) {
            uint32_t from = k + lane < count ? k + lane : k;
            triple[0][lane] = 3 * own[from];
            triple[1][lane] = 3 * other[from];
        }
        LaneMask whole = lanes_first(SHAPE_LANES), some = lanes_first(count - k);
        EdgeLanes a = gather_edges(edges, lanes_index_load(triple[0], whole, 0)),
                  b = gather_edges(edges, lanes_index_load(triple[1], whole, 0));
        Lanes thickness = lanes_add(lanes_gather(edges->radius, lanes_index_load(own + k, some, own[k])),
                                    lanes_gather(edges->radius, lanes_index_load(other + k, some, other[k])));
        Lanes reach = lanes_mul(thickness, lanes_set(1.0f + margin));
        NearestLanes at = nearest_at(&a, &b, lanes_set(0.0f));
        Lanes start = at.distance;
        uint32_t bits = advance(&a, &b, thickness, reach, present(count - k), &at);
        if (!bits) continue;
        store_meetings(&at, start, &store);
        for (; bits; bits &= bits - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(bits);
            out[found++] = (SweepMeeting){own[k + lane],
                                          other[k + lane],
                                          store.along[lane],
                                          store.beside[lane],
                                          {store.gap[0][lane], store.gap[1][lane], store.gap[2][lane]},
                                          store.distance[lane],
                                          store.start[lane]};
        }
    }
    return found;
}

const SweepKernel SWEEP_KERNEL = {touching, meeting};
