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

// Always stores and lets the test move the end: no branch to mispredict. The test itself comes first and for
// many candidates at once, so that the compiler can use whatever vectors the processor has.
static uint32_t filter_range(const Candidates *list, uint32_t begin, uint32_t end, float x, float y, float z,
                             float radius_squared, uint32_t *out)
{
    enum { CHUNK = 64 };
    uint32_t count = 0;
    while (begin < end) {
        uint32_t hit[CHUNK];
        uint32_t chunk = end - begin < CHUNK ? end - begin : CHUNK;
        const float *cx = list->x + begin, *cy = list->y + begin, *cz = list->z + begin;
        for (uint32_t k = 0; k < chunk; k++)
            hit[k] = within(cx[k] - x, cy[k] - y, cz[k] - z, radius_squared);
        for (uint32_t k = 0; k < chunk; k++) {
            out[count] = list->index[begin + k];
            count += hit[k];
        }
        begin += chunk;
    }
    return count;
}

static uint32_t filter(const Candidates *list, float x, float y, float z, uint32_t skip, float radius_squared,
                       uint32_t *out)
{
    uint32_t before = filter_range(list, 0, skip, x, y, z, radius_squared, out);
    return before + filter_range(list, skip + 1, list->count, x, y, z, radius_squared, out + before);
}

// No point of a box is nearer than this, in the rounded arithmetic of within() too: every operation is monotonic.
static uint32_t boxes_within(const CandidateBoxes *boxes, float x, float y, float z, float radius_squared)
{
    const float center[3] = {x, y, z};
    float gap[3][CANDIDATES_BOXES];
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t k = 0; k < CANDIDATES_BOXES; k++) {
            float below = boxes->lo[axis][k] - center[axis], above = center[axis] - boxes->hi[axis][k];
            float outside = below > above ? below : above;
            gap[axis][k] = outside > 0.0f ? outside : 0.0f;
        }
    }
    uint32_t near[CANDIDATES_BOXES], mask = 0;
    for (uint32_t k = 0; k < CANDIDATES_BOXES; k++) near[k] = within(gap[0][k], gap[1][k], gap[2][k], radius_squared);
    for (uint32_t k = 0; k < CANDIDATES_BOXES; k++) mask |= near[k] << k;
    return mask;
}

const CandidateKernel candidate_kernel_plain = {append, close_list, filter, filter_range, boxes_within};
