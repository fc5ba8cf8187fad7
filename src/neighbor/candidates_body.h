// The loops of candidates.h over whole vectors, written once. Included by candidates_avx2.c and
// candidates_avx512.c, which first say what a vector is and what can be done with one: WIDTH lanes, the types
// Floats, Numbers and Some (a choice of lanes), Front (how chosen lanes move to the front), and the functions
// used here. CANDIDATE_KERNEL names the table that each defines.

#include <math.h>

static void append(Candidates *list, const PointStreams *points, uint32_t begin, uint32_t end)
{
    const float *x = points->x, *y = points->y, *z = points->z;
    const uint32_t *index = points->index;
    uint32_t at = list->count;
    for (uint32_t k = begin; k < end; k += WIDTH, at += WIDTH) {
        // Masked loads, because the caller's streams may end inside the vector; the list has room for all of
        // it.
        Some some = first_lanes(end - k < WIDTH ? end - k : WIDTH);
        store(list->x + at, load_some(x + k, some));
        store(list->y + at, load_some(y + k, some));
        store(list->z + at, load_some(z + k, some));
        store_numbers(list->index + at, index ? load_some_numbers(index + k, some) : count_from(k));
    }
    list->count += end - begin;
}

// How far coordinates are from a range.
static inline Floats range_gap(Floats at, Floats lo, Floats hi)
{
    return subtract(at, clamp(at, lo, hi));
}

// A box in vector registers, and where the points near it go.
typedef struct NearWriter {
    Floats lo_x, hi_x, lo_y, hi_y, lo_z, hi_z, limit;
    float *x, *y, *z;
    uint32_t *index;
} NearWriter;

// `inside` has the bits of the lanes that hold points. Returns how many are near.
static inline uint32_t write_near(const NearWriter *to, uint32_t at, Floats x, Floats y, Floats z,
                                  Numbers index, uint32_t inside)
{
    uint32_t near = inside & within_bits(range_gap(x, to->lo_x, to->hi_x), range_gap(y, to->lo_y, to->hi_y),
                                         range_gap(z, to->lo_z, to->hi_z), to->limit);
    Front front = front_of(near);
    store(to->x + at, move_to_front(x, front));
    store(to->y + at, move_to_front(y, front));
    store(to->z + at, move_to_front(z, front));
    store_numbers(to->index + at, move_numbers_to_front(index, front));
    return (uint32_t)__builtin_popcount(near);
}

static void append_near(Candidates *list, const PointStreams *points, const PlaceRange *ranges,
                        uint32_t count, const PointBox *box, float radius_squared)
{
    const NearWriter to = {
        .lo_x = spread(box->lo[0]),
        .hi_x = spread(box->hi[0]),
        .lo_y = spread(box->lo[1]),
        .hi_y = spread(box->hi[1]),
        .lo_z = spread(box->lo[2]),
        .hi_z = spread(box->hi[2]),
        .limit = spread(radius_squared),
        .x = list->x,
        .y = list->y,
        .z = list->z,
        .index = list->index,
    };
    const float *x = points->x, *y = points->y, *z = points->z;
    const uint32_t *index = points->index;
    uint32_t at = list->count;
    for (uint32_t range = 0; range < count; range++) {
        for (uint32_t k = ranges[range].begin, end = ranges[range].end; k < end; k += WIDTH) {
            uint32_t left = end - k < WIDTH ? end - k : WIDTH;
            Some some = first_lanes(left);
            at += write_near(&to, at, load_some(x + k, some), load_some(y + k, some), load_some(z + k, some),
                             index ? load_some_numbers(index + k, some) : count_from(k), (1u << left) - 1u);
        }
    }
    list->count = at;
}

static void close_list(Candidates *list)
{
    const Floats far_away = spread(INFINITY);
    for (uint32_t k = list->count; k < list->count + CANDIDATES_LANES; k += WIDTH) {
        store(list->x + k, far_away);
        store(list->y + k, far_away);
        store(list->z + k, far_away);
        store_numbers(list->index + k, spread_number(UINT32_MAX));
    }
}

static bool ascends(const Candidates *list)
{
    const uint32_t *index = list->index, count = list->count;
    uint32_t descents = 0;
    for (uint32_t k = 0; k < count; k += WIDTH)
        descents |= greater_bits(load_numbers(index + k), load_numbers(index + k + 1));
    return descents == 0;
}

// The point whose neighbors are wanted.
typedef struct Center {
    Floats x, y, z, radius_squared;
} Center;

// `allowed` switches the point itself off.
static inline uint32_t *filter_vector(const Candidates *list, uint32_t k, const Center *center,
                                      uint32_t allowed, uint32_t *out)
{
    uint32_t hits =
        allowed & within_bits(subtract(load(list->x + k), center->x), subtract(load(list->y + k), center->y),
                              subtract(load(list->z + k), center->z), center->radius_squared);
    store_numbers(out, move_numbers_to_front(load_numbers(list->index + k), front_of(hits)));
    return out + __builtin_popcount(hits);
}

static uint32_t filter(const Candidates *list, float px, float py, float pz, uint32_t skip,
                       float radius_squared, uint32_t *out)
{
    const Candidates kept = *list; // out cannot change it
    const Center center = {spread(px), spread(py), spread(pz), spread(radius_squared)};
    const uint32_t all = (1u << WIDTH) - 1u, own = skip - skip % WIDTH;
    uint32_t *at = out, k = 0;
    for (; k < own; k += WIDTH) at = filter_vector(&kept, k, &center, all, at);
    at = filter_vector(&kept, k, &center, all & ~(1u << skip % WIDTH), at);
    for (k += WIDTH; k < kept.count; k += WIDTH) at = filter_vector(&kept, k, &center, all, at);
    return (uint32_t)(at - out);
}

const CandidateKernel CANDIDATE_KERNEL = {append, append_near, close_list, ascends, filter};
