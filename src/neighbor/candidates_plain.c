#include "neighbor/candidates.h"

#include "neighbor/within.h"

#include <math.h>
#include <string.h>

static void append(Candidates *list, const float *x, const float *y, const float *z, const uint32_t *index,
                   uint32_t begin, uint32_t end)
{
    uint32_t at = list->count, count = end - begin;
    memcpy(list->x + at, x + begin, count * sizeof(float));
    memcpy(list->y + at, y + begin, count * sizeof(float));
    memcpy(list->z + at, z + begin, count * sizeof(float));
    if (index)
        memcpy(list->index + at, index + begin, count * sizeof(uint32_t));
    else
        for (uint32_t k = 0; k < count; k++) list->index[at + k] = begin + k;
    list->count = at + count;
}

static void close_list(Candidates *list)
{
    uint32_t count = list->count, descents = 0;
    for (uint32_t k = count; k < count + CANDIDATES_LANES; k++) {
        list->x[k] = list->y[k] = list->z[k] = INFINITY;
        list->index[k] = UINT32_MAX;
    }
    for (uint32_t k = 1; k < count; k++) descents += list->index[k - 1] > list->index[k];
    list->ascending = descents == 0;
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

static uint32_t filter_groups(const Candidates *list, const uint32_t *groups, uint32_t mask, float px,
                              float py, float pz, uint32_t skip, float radius_squared, uint32_t *out)
{
    enum { CHUNK = 128 };
    const Candidates kept = *list;
    Float4 x = spread(px), y = spread(py), z = spread(pz), limit = spread(radius_squared);
    uint32_t count = 0, vectors = (kept.count + GROUP - 1) / GROUP;
    for (uint32_t first = 0; first < vectors; first += CHUNK) {
        // Which ones, first, without a branch: leaving them out one by one is guessed wrong too often.
        uint32_t wanted[CHUNK], many = 0, end = vectors - first < CHUNK ? vectors : first + CHUNK;
        for (uint32_t vector = first; vector < end; vector++) {
            wanted[many] = GROUP * vector;
            many += (groups[vector] & mask) != 0;
        }
        for (uint32_t k = 0; k < many; k++)
            count = filter_vector(&kept, wanted[k], x, y, z, limit, skip, out, count);
    }
    return count;
}

// How far boxes are from a coordinate; at most one of the differences is positive.
static inline Float4 box_gap(const float *lo, const float *hi, Float4 center)
{
    Float4 below = load(lo) - center, above = center - load(hi), zero = spread(0.0f);
    return (Float4)((Int4)below & (below > zero)) + (Float4)((Int4)above & (above > zero));
}

// No point of a box is nearer than this, in the rounded arithmetic of within() too: every operation is
// monotonic.
static uint32_t boxes_within(const CandidateBoxes *boxes, float px, float py, float pz, float radius_squared)
{
    Float4 x = spread(px), y = spread(py), z = spread(pz), limit = spread(radius_squared);
    Int4 bit = {1, 2, 4, 8}, mask = {0, 0, 0, 0};
    for (uint32_t k = 0; k < CANDIDATES_BOXES; k += GROUP) {
        Float4 dx = box_gap(boxes->lo[0] + k, boxes->hi[0] + k, x);
        Float4 dy = box_gap(boxes->lo[1] + k, boxes->hi[1] + k, y);
        Float4 dz = box_gap(boxes->lo[2] + k, boxes->hi[2] + k, z);
        Float4 xx = dx * dx, yy = dy * dy, zz = dz * dz;
        mask |= (xx + yy + zz <= limit) & bit;
        bit = (Int4)((Uint4)bit << GROUP);
    }
    return (uint32_t)(mask[0] | mask[1] | mask[2] | mask[3]);
}

const CandidateKernel candidate_kernel_plain = {append,        close_list, filter,
                                                filter_groups, GROUP,      boxes_within};
