// Every point against every other: n^2 tests, no structure. Good for a few hundred points, and as the
// reference that the other methods are compared with.
#include "neighbor/reference/reference.h"

#include "core/memory.h"
#include "neighbor/within.h"

typedef struct BruteForce {
    float radius;
    PointSet points;
} BruteForce;

static Result create(float radius, void **state)
{
    BruteForce *search = memory_allocate_zeroed(sizeof *search);
    if (!search) return result_no_memory("neighbor search", sizeof *search);
    search->radius = radius;
    *state = search;
    return result_ok();
}

static Result build(void *state, const PointSet *points)
{
    BruteForce *search = state;
    search->points = *points;
    return result_ok();
}

// Plain on purpose: what the vector kernels do is compared with this.
static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    const BruteForce *search = state;
    const PointSet *points = &search->points;
    float radius_squared = search->radius * search->radius;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t *out = row_open(writer, points->count);
        if (!out) return;
        uint32_t count = 0;
        float x = points->x[i], y = points->y[i], z = points->z[i];
        for (uint32_t j = 0; j < points->count; j++) {
            out[count] = j;
            count += j != i && within(points->x[j] - x, points->y[j] - y, points->z[j] - z, radius_squared);
        }
        row_close(writer, i, count, points->count - 1);
    }
}

static void release(void *state)
{
    memory_free(state);
}

static MethodBytes bytes(const void *state)
{
    (void)state;
    return (MethodBytes){0};
}

const NeighborMethod neighbor_brute_force = {
    .name = "brute_force",
    .summary = "every pair tested; the reference, for small scenes only",
    .create = create,
    .build = build,
    .find = find,
    .release = release,
    .bytes = bytes,
};
