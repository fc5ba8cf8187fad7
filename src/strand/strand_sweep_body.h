// The loops of strand_sweep.h. Included by strand_sweep_*.c, which differ in their compiler flags alone;
// SWEEP_KERNEL names the table that each defines.
#include "core/lanes.h"
#include "strand/strand_sweep.h"

#define PARALLEL 1e-6f // of two edges, sine of their angle squared
#define TINY 1e-30f

typedef struct Lanes3Of {
    Lanes x, y, z;
} Lanes3Of;

static inline Lanes3Of spread_value(float *const *value, SweepValue which, uint32_t place)
{
    return (Lanes3Of){lanes_set(value[which][place]), lanes_set(value[which + 1][place]),
                      lanes_set(value[which + 2][place])};
}

static inline Lanes3Of gather_value(float *const *value, SweepValue which, LaneIndex places)
{
    return (Lanes3Of){lanes_gather(value[which], places), lanes_gather(value[which + 1], places),
                      lanes_gather(value[which + 2], places)};
}

static inline Lanes3Of minus(Lanes3Of a, Lanes3Of b)
{
    return (Lanes3Of){lanes_sub(a.x, b.x), lanes_sub(a.y, b.y), lanes_sub(a.z, b.z)};
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

// Squared, from a point to an axis around a center that is `apart` from it.
static inline Lanes axis_distance(Lanes3Of apart, Lanes3Of axis, Lanes half)
{
    Lanes along = dot(apart, axis);
    along = lanes_max(lanes_min(along, half), lanes_sub(lanes_set(0.0f), half));
    Lanes3Of left = {lanes_sub(apart.x, lanes_mul(axis.x, along)),
                     lanes_sub(apart.y, lanes_mul(axis.y, along)),
                     lanes_sub(apart.z, lanes_mul(axis.z, along))};
    return dot(left, left);
}

static inline Lanes3Of load_value(float *const *value, SweepValue which, uint32_t place)
{
    return (Lanes3Of){lanes_load(value[which] + place), lanes_load(value[which + 1] + place),
                      lanes_load(value[which + 2] + place)};
}

static uint32_t touching(float *const *value, uint32_t place, const PlaceRange *ranges, uint32_t count,
                         uint32_t *out)
{
    Lanes3Of center = spread_value(value, SWEEP_CENTER, place), axis = spread_value(value, SWEEP_AXIS, place);
    Lanes half = lanes_set(value[SWEEP_HALF][place]), tube = lanes_set(value[SWEEP_TUBE][place]);
    Lanes ball = lanes_set(value[SWEEP_REACH][place]);
    uint32_t *at = out;
    for (uint32_t range = 0; range < count; range++) {
        for (uint32_t k = ranges[range].begin, end = ranges[range].end; k < end; k += SHAPE_LANES) {
            Lanes3Of apart = minus(load_value(value, SWEEP_CENTER, k), center);
            Lanes reach = lanes_add(tube, lanes_load(value[SWEEP_REACH] + k));
            LaneMask near = lanes_less_equal(axis_distance(apart, axis, half), lanes_mul(reach, reach));
            uint32_t bits = lanes_bits(near) & present(end - k);
            if (!bits) continue;
            Lanes3Of other = load_value(value, SWEEP_AXIS, k);
            reach = lanes_add(ball, lanes_load(value[SWEEP_TUBE] + k));
            Lanes squared = axis_distance(apart, other, lanes_load(value[SWEEP_HALF] + k));
            bits &= lanes_bits(lanes_less_equal(squared, lanes_mul(reach, reach)));
            at += lanes_write_numbers(at, k, bits);
        }
    }
    return (uint32_t)(at - out);
}

// Where an edge along `side` and others are nearest, and their squared distance there: Ericson 2005,
// "Real-Time Collision Detection", sec. 5.1.9.
static inline Lanes distance_squared(Lanes3Of side, Lanes uu, Lanes3Of other_side, Lanes3Of between,
                                     Lanes *along, Lanes *beside)
{
    Lanes tiny = lanes_set(TINY), vv = lanes_max(dot(other_side, other_side), tiny);
    Lanes uv = dot(side, other_side), ur = dot(side, between), vr = dot(other_side, between);
    Lanes both = lanes_mul(uu, vv), area = lanes_sub(both, lanes_mul(uv, uv));
    Lanes crossing =
        clamped(lanes_div(lanes_sub(lanes_mul(uv, vr), lanes_mul(ur, vv)), lanes_max(area, tiny)));
    LaneMask parallel = lanes_less_equal(area, lanes_mul(both, lanes_set(PARALLEL)));
    Lanes s = lanes_select(parallel, lanes_set(0.5f), crossing);
    Lanes line = lanes_div(lanes_add(lanes_mul(uv, s), vr), vv), t = clamped(line);
    Lanes at_end = clamped(lanes_div(lanes_sub(lanes_mul(uv, t), ur), uu));
    Lanes outside = lanes_max(lanes_sub(line, t), lanes_sub(t, line));
    s = lanes_select(lanes_less_equal(outside, lanes_set(0.0f)), s, at_end);
    Lanes3Of gap = {lanes_add(between.x, lanes_sub(lanes_mul(side.x, s), lanes_mul(other_side.x, t))),
                    lanes_add(between.y, lanes_sub(lanes_mul(side.y, s), lanes_mul(other_side.y, t))),
                    lanes_add(between.z, lanes_sub(lanes_mul(side.z, s), lanes_mul(other_side.z, t)))};
    *along = s;
    *beside = t;
    return dot(gap, gap);
}

static uint32_t approaching(float *const *value, uint32_t place, float slack, const uint32_t *list,
                            uint32_t count, SweepPair *out)
{
    Lanes3Of start = spread_value(value, SWEEP_START, place), side = spread_value(value, SWEEP_SIDE, place);
    Lanes3Of motion = spread_value(value, SWEEP_MOTION, place);
    Lanes uu = lanes_max(dot(side, side), lanes_set(TINY)), along, beside;
    Lanes own = lanes_set(value[SWEEP_ROOM][place] + slack);
    float numbers[3][SHAPE_LANES];
    uint32_t found = 0;
    for (uint32_t k = 0; k < count; k += SHAPE_LANES) {
        LaneIndex places = lanes_index_load(list + k, lanes_first(count - k), list[0]);
        Lanes3Of between = minus(start, gather_value(value, SWEEP_START, places));
        Lanes3Of other = gather_value(value, SWEEP_SIDE, places);
        Lanes squared = distance_squared(side, uu, other, between, &along, &beside);
        Lanes3Of relative = minus(motion, gather_value(value, SWEEP_MOTION, places));
        Lanes room = lanes_add(lanes_gather(value[SWEEP_ROOM], places), own);
        room = lanes_add(room, lanes_sqrt(dot(relative, relative)));
        uint32_t bits = lanes_bits(lanes_less_equal(squared, lanes_mul(room, room))) & present(count - k);
        if (!bits) continue;
        lanes_store(numbers[0], along);
        lanes_store(numbers[1], beside);
        lanes_store(numbers[2], lanes_sqrt(squared));
        for (; bits; bits &= bits - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(bits);
            out[found++] = (SweepPair){list[k + lane], numbers[0][lane], numbers[1][lane], numbers[2][lane]};
        }
    }
    return found;
}

const SweepKernel SWEEP_KERNEL = {touching, approaching};
