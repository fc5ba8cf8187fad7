// Every point against every other: n^2 tests, no structure. Good for a few hundred points, and as the
// reference that the other methods are compared with.
#include "neighbor/reference/reference.h"

static Result build(void *state, const PointSet *points)
{
    *(PointSet *)state = *points;
    return result_ok();
}

// Plain on purpose: the SIMD kernels are compared with this loop.
static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    const PointSet *points = state;
    float radius_squared = points->radius * points->radius;
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

const NeighborMethod neighbor_brute_force = {
    .name = "brute_force",
    .summary = "every pair tested; the reference, for small scenes only",
    .block = 8,
    .state_bytes = sizeof(PointSet),
    .build = build,
    .find = find,
};
