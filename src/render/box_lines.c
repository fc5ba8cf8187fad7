#include "render/box_lines.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 4 // colors; boxes of higher levels have the last one
#define EDGES 12

struct BoxLines {
    LineSet *levels[LEVELS];
    Line *lines;
    size_t capacity;
};

// Orange for the cells, then green, violet and gray for what holds them: all unlike the colors of speed.
static const float COLORS[LEVELS][3] = {
    {0.90f, 0.42f, 0.05f}, {0.16f, 0.50f, 0.22f}, {0.48f, 0.22f, 0.62f}, {0.30f, 0.30f, 0.32f}};
static const float OPACITY[LEVELS] = {0.55f, 0.65f, 0.75f, 0.75f};

Result box_lines_create(BoxLines **out)
{
    *out = NULL;
    BoxLines *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result = result_ok();
    for (int level = 0; level < LEVELS && result_is_ok(&result); level++)
        result = line_set_create(&self->levels[level]);
    if (result_is_ok(&result))
        *out = self;
    else
        box_lines_destroy(self);
    return result;
}

void box_lines_destroy(BoxLines *lines)
{
    if (!lines) return;
    for (int level = 0; level < LEVELS; level++) line_set_destroy(lines->levels[level]);
    memory_free(lines->lines);
    memory_free(lines);
}

static Line edge(const NeighborBox *box, int number, float opacity)
{
    int axis = number / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
    float from[3], to[3];
    from[axis] = box->lo[axis];
    to[axis] = box->hi[axis];
    from[u] = to[u] = number & 1 ? box->hi[u] : box->lo[u];
    from[v] = to[v] = number & 2 ? box->hi[v] : box->lo[v];
    return (Line){vec3_make(from[0], from[1], from[2]), vec3_make(to[0], to[1], to[2]), opacity};
}

static int compare_floats(const float *a, const float *b, int count)
{
    for (int k = 0; k < count; k++) {
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    }
    return 0;
}

static int compare_lines(const void *a, const void *b)
{
    const Line *left = a, *right = b;
    const float ends[2][6] = {
        {left->from.x, left->from.y, left->from.z, left->to.x, left->to.y, left->to.z},
        {right->from.x, right->from.y, right->from.z, right->to.x, right->to.y, right->to.z}};
    return compare_floats(ends[0], ends[1], 6);
}

// Cells that touch were rounded apart by a bit; a grid of 1 / 4096 of their edge brings shared corners
// together again.
static float snapped(float at, float edge)
{
    float step = edge / 4096;
    return step > 0 ? roundf(at / step) * step : at;
}

static NeighborBox snapped_box(const NeighborBox *box, float cell)
{
    NeighborBox out = *box;
    for (int axis = 0; axis < 3; axis++) {
        out.lo[axis] = snapped(box->lo[axis], cell);
        out.hi[axis] = snapped(box->hi[axis], cell);
    }
    return out;
}

static uint32_t drop_doubles(Line *lines, uint32_t count)
{
    uint32_t kept = 0;
    qsort(lines, count, sizeof *lines, compare_lines);
    for (uint32_t k = 0; k < count; k++) {
        if (kept == 0 || compare_lines(&lines[k], &lines[kept - 1]) != 0) lines[kept++] = lines[k];
    }
    return kept;
}

static uint32_t level_of(const NeighborBox *box)
{
    return box->level < LEVELS ? box->level : LEVELS - 1;
}

Result box_lines_load(BoxLines *lines, const NeighborBox *boxes, uint32_t count)
{
    TRY(MEMORY_RESERVE(lines->lines, lines->capacity, 0, (size_t)count * EDGES + 1, "lines of boxes"));
    for (uint32_t level = 0; level < LEVELS; level++) {
        uint32_t used = 0;
        float cell = 0;
        for (uint32_t k = 0; k < count; k++) {
            if (level_of(&boxes[k]) != level) continue;
            for (int axis = 0; axis < 3; axis++) cell = fmaxf(cell, boxes[k].hi[axis] - boxes[k].lo[axis]);
        }
        for (uint32_t k = 0; k < count; k++) {
            if (level_of(&boxes[k]) != level) continue;
            NeighborBox box = snapped_box(&boxes[k], cell);
            for (int number = 0; number < EDGES; number++)
                lines->lines[used++] = edge(&box, number, OPACITY[level]);
        }
        TRY(line_set_load(lines->levels[level], lines->lines, drop_doubles(lines->lines, used)));
    }
    return result_ok();
}

Result box_lines_draw(const BoxLines *lines, const LineScene *scene)
{
    for (int level = 0; level < LEVELS; level++)
        TRY(line_set_draw(lines->levels[level], scene, COLORS[level]));
    return result_ok();
}
