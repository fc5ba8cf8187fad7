#include "neighbor/cell_frame.h"

#include <math.h>
#include <stdlib.h>

// Size of the sample that tells where most points are, and how much of it may lie outside on each side.
#define SAMPLE 1024u
#define SAMPLE_STRAYS 2u

static CellFrame frame_of_box(float radius, const float lo[3], const float hi[3])
{
    CellFrame frame = {.inverse = 1.0 / (double)(radius * CELL_MARGIN)};
    for (int axis = 0; axis < 3; axis++) {
        double first = floor((double)lo[axis] * frame.inverse);
        double last = floor((double)hi[axis] * frame.inverse);
        if (last - first >= CELL_AXIS_MAX) {
            first = -CELL_AXIS_MAX / 2;
            last = CELL_AXIS_MAX / 2 - 1;
        }
        frame.first[axis] = first;
        frame.last[axis] = last - first;
        frame.size[axis] = (uint64_t)(last - first) + 1;
    }
    return frame;
}

CellFrame cell_frame(const PointSet *points)
{
    return frame_of_box(points->radius, points->lo, points->hi);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

CellFrame cell_frame_of_most(const PointSet *points)
{
    const float *streams[3] = {points->x, points->y, points->z};
    uint32_t count = points->count < SAMPLE ? points->count : SAMPLE;
    uint32_t outside = (uint32_t)((uint64_t)count * SAMPLE_STRAYS / SAMPLE);
    float sample[SAMPLE], lo[3], hi[3];
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t k = 0; k < count; k++) sample[k] = streams[axis][(uint64_t)k * points->count / count];
        qsort(sample, count, sizeof *sample, compare_floats);
        // Most points that the sample missed lie right around it.
        lo[axis] = fmaxf(sample[outside] - points->radius, points->lo[axis]);
        hi[axis] = fminf(sample[count - 1 - outside] + points->radius, points->hi[axis]);
    }
    return frame_of_box(points->radius, lo, hi);
}

// Axis by axis, in loops that the compiler turns into SIMD.
static void axis_cells(const CellFrame *frame, int axis, const float *at, uint32_t count, uint32_t *cells)
{
    double inverse = frame->inverse, first = frame->first[axis], last = frame->last[axis];
    for (uint32_t k = 0; k < count; k++) {
        double cell = (double)at[k] * inverse - first;
        cell = cell > 0.0 ? cell : 0.0;
        cell = cell < last ? cell : last;
        cells[k] = (uint32_t)(int32_t)cell;
    }
}

const uint64_t *cell_keys(const CellKeys *keys, uint32_t begin, uint32_t end, uint64_t *room)
{
    if (keys->listed) return keys->listed + begin;
    uint32_t x[CELL_KEYS_CHUNK], y[CELL_KEYS_CHUNK], z[CELL_KEYS_CHUNK], count = end - begin;
    const CellFrame *frame = keys->frame;
    axis_cells(frame, 0, keys->points->x + begin, count, x);
    axis_cells(frame, 1, keys->points->y + begin, count, y);
    axis_cells(frame, 2, keys->points->z + begin, count, z);
    for (uint32_t k = 0; k < count; k++) room[k] = cell_key(frame, (CellPlace){x[k], y[k], z[k]});
    return room;
}

uint64_t cell_keys_before(const CellKeys *keys, uint32_t begin, uint64_t none)
{
    uint64_t key;
    return begin > 0 ? *cell_keys(keys, begin - 1, begin, &key) : none;
}

// Rounded outwards, so that a point at the border is inside.
static void cell_span(const CellFrame *frame, int axis, uint32_t cell, uint32_t power, float *lo, float *hi)
{
    double first = frame->first[axis] + (double)(cell >> power << power);
    double from = first / frame->inverse, to = (first + (double)(UINT64_C(1) << power)) / frame->inverse;
    *lo = (float)from;
    *hi = (float)to;
    if ((double)*lo > from) *lo = nextafterf(*lo, -INFINITY);
    if ((double)*hi < to) *hi = nextafterf(*hi, INFINITY);
}

Result cell_box_add(NeighborBoxes *boxes, const CellFrame *frame, CellPlace cell, uint32_t power,
                    uint32_t points, uint32_t level)
{
    const uint32_t at[3] = {cell.x, cell.y, cell.z};
    float lo[3], hi[3];
    for (int axis = 0; axis < 3; axis++) cell_span(frame, axis, at[axis], power, &lo[axis], &hi[axis]);
    return neighbor_box_add(boxes, lo, hi, points, level);
}
