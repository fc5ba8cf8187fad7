#include "neighbor/point_sort.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <stdatomic.h>

#define BLOCK 16384u

typedef struct SortJob {
    PointSort *sort;
    CellKeys keys;
    const uint32_t *index;
    atomic_bool unordered;
} SortJob;

Result point_sort_reserve(PointSort *sort, uint32_t count)
{
    TRY(sort_buffers_reserve(&sort->sort, count));
    return MEMORY_RESERVE(sort->copy, sort->copy_capacity, 0, 3 * (size_t)count, "sorted points");
}

void point_sort_free(PointSort *sort)
{
    sort_buffers_free(&sort->sort);
    memory_free(sort->copy);
    *sort = (PointSort){0};
}

// Sorting holds two keys and two indices a point.
uint64_t point_sort_bytes(uint32_t count)
{
    return (uint64_t)count * (3 * sizeof(float) + 2 * (sizeof(uint64_t) + sizeof(uint32_t)));
}

static void list_keys(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    SortJob *job = context;
    uint64_t before = cell_keys_before(&job->keys, begin, 0);
    uint32_t descents = 0;
    for (uint32_t i = begin; i < end; i += CELL_KEYS_CHUNK) {
        uint32_t count = end - i < CELL_KEYS_CHUNK ? end - i : CELL_KEYS_CHUNK;
        const uint64_t *keys = cell_keys(&job->keys, i, i + count, job->sort->sort.keys[0] + i);
        descents += keys[0] < before;
        for (uint32_t k = 1; k < count; k++) descents += keys[k] < keys[k - 1];
        before = keys[count - 1];
    }
    if (descents > 0) atomic_store_explicit(&job->unordered, true, memory_order_relaxed);
}

static void copy_points(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const SortJob *job = context;
    const PointSet *points = job->keys.points;
    const uint32_t *index = job->index;
    size_t stride = job->sort->copy_capacity / 3;
    float *x = job->sort->copy, *y = x + stride, *z = y + stride;
    for (uint32_t k = begin; k < end; k++) {
        x[k] = points->x[index[k]];
        y[k] = points->y[index[k]];
        z[k] = points->z[index[k]];
    }
}

void point_sort_run(PointSort *sort, const CellFrame *frame, PointSet *points, const uint32_t **index)
{
    SortJob job = {.sort = sort, .keys = {frame, points, NULL}};
    *index = NULL;
    atomic_init(&job.unordered, false);
    parallel_for(points->count, BLOCK, list_keys, &job);
    points->keys = sort->sort.keys[0];
    if (!atomic_load_explicit(&job.unordered, memory_order_relaxed)) return;
    sort_order(&sort->sort, points->count, &job.index);
    parallel_for(points->count, BLOCK, copy_points, &job);
    size_t stride = sort->copy_capacity / 3;
    points->x = sort->copy;
    points->y = sort->copy + stride;
    points->z = sort->copy + 2 * stride;
    points->keys = sort->sort.keys[0]; // the buffers have changed places
    *index = job.index;
}
