#include "neighbor/candidates.h"

#include <math.h>
#include <string.h>

static void append(Candidates *list, const PointStreams *points, uint32_t begin, uint32_t end)
{
    uint32_t at = list->count, count = end - begin;
    memcpy(list->x + at, points->x + begin, count * sizeof(float));
    memcpy(list->y + at, points->y + begin, count * sizeof(float));
    memcpy(list->z + at, points->z + begin, count * sizeof(float));
    if (points->index)
        memcpy(list->index + at, points->index + begin, count * sizeof(uint32_t));
    else
        for (uint32_t k = 0; k < count; k++) list->index[at + k] = begin + k;
    list->count = at + count;
}

// How far a coordinate is from a range.
static inline float range_gap(float at, float lo, float hi)
{
    float inside = at > lo ? at : lo;
    inside = inside < hi ? inside : hi;
    return at - inside;
}

static void append_near(Candidates *list, const PointStreams *points, const PlaceRange *ranges,
                        uint32_t count, const PointBox *box, float radius_squared)
{
    const Candidates kept = *list; // what is written cannot change these
    const PointStreams from = *points;
    const PointBox near = *box;
    uint32_t at = kept.count;
    for (uint32_t range = 0; range < count; range++) {
        for (uint32_t k = ranges[range].begin, end = ranges[range].end; k < end; k++) {
            float x = from.x[k], y = from.y[k], z = from.z[k];
            kept.x[at] = x;
            kept.y[at] = y;
            kept.z[at] = z;
            kept.index[at] = from.index ? from.index[k] : k;
            at += within(range_gap(x, near.lo[0], near.hi[0]), range_gap(y, near.lo[1], near.hi[1]),
                         range_gap(z, near.lo[2], near.hi[2]), radius_squared);
        }
    }
    list->count = at;
}

static void close_list(Candidates *list)
{
    uint32_t count = list->count;
    for (uint32_t k = count; k < count + CANDIDATES_LANES; k++) {
        list->x[k] = list->y[k] = list->z[k] = INFINITY;
        list->index[k] = UINT32_MAX;
    }
}

static bool ascends(const Candidates *list)
{
    uint32_t descents = 0;
    for (uint32_t k = 1; k < list->count; k++) descents += list->index[k - 1] > list->index[k];
    return descents == 0;
}

// Four floats, in the compiler's own notation: SSE2, NEON, or scalars where there is neither.
#define GROUP 4u
typedef float Float4 __attribute__((vector_size(16)));
typedef int32_t Int4 __attribute__((vector_size(16)));
typedef uint32_t Uint4 __attribute__((vector_size(16)));

static inline Float4 load(const float *at)
{
    Float4 out;
    memcpy(&out, at, sizeof out);
    return out;
}

static inline Float4 spread(float value)
{
    return (Float4){value, value, value, value};
}

// within() for four candidates. Always stores and lets the test move the end: no branch to mispredict. The
// candidate at position skip is left out.
static inline uint32_t filter_vector(const Candidates *list, uint32_t begin, Float4 x, Float4 y, Float4 z,
                                     Float4 limit, uint32_t skip, uint32_t *out, uint32_t count)
{
    Float4 dx = load(list->x + begin) - x, dy = load(list->y + begin) - y, dz = load(list->z + begin) - z;
    Float4 xx = dx * dx, yy = dy * dy, zz = dz * dz;
    Int4 hit = xx + yy + zz <= limit; // -1 or 0
    const uint32_t *index = list->index + begin;
    Int4 own = {(int32_t)begin, (int32_t)begin + 1, (int32_t)begin + 2, (int32_t)begin + 3};
    hit &= own != (int32_t)skip;
    for (uint32_t k = 0; k < GROUP; k++) {
        out[count] = index[k];
        count -= (uint32_t)hit[k];
    }
    return count;
}

// The list is closed, so whole vectors can be tested: infinity is within no radius.
static uint32_t filter(const Candidates *list, float px, float py, float pz, uint32_t skip,
                       float radius_squared, uint32_t *out)
{
    const Candidates kept = *list; // out cannot change it
    Float4 x = spread(px), y = spread(py), z = spread(pz), limit = spread(radius_squared);
    uint32_t count = 0;
    for (uint32_t begin = 0; begin < kept.count; begin += GROUP)
        count = filter_vector(&kept, begin, x, y, z, limit, skip, out, count);
    return count;
}

const CandidateKernel candidate_kernel_plain = {append, append_near, close_list, ascends, filter};
