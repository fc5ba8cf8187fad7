#include "surface/point_bins.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "surface/point_depth.h"

#include <string.h>

#define GRAIN 8192u
#define BLOCKS_MAX (UINT64_C(1) << 20) // along an axis: three axes and a sub-cell fit 64 bits

typedef struct Sorting {
    const SurfacePoints *points;
    PointBins *bins;
    uint64_t *keys;
    const uint32_t *order;
    uint32_t sub; // sub-cells along an edge of a block
} Sorting;

static Result find_bounds(const SurfacePoints *points, PointBins *bins)
{
    const float *streams[3] = {points->x, points->y, points->z};
    for (int axis = 0; axis < 3; axis++) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < points->count; i++) {
            float value = streams[axis][i];
            // Not `low > high` afterwards: a NaN among others would go unnoticed.
            if (!(fabsf(value) <= 3.0e38f)) {
                return result_error(RESULT_USAGE, "surface: particle %u: %c = %g (must be finite)", i,
                                    "xyz"[axis], (double)value);
            }
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        // Blocks stand at multiples of their edge in space, so a still surface gives the same mesh in every
        // frame whatever happens elsewhere.
        double first = floor(low / bins->edge) - (double)bins->reach - 1;
        double last = floor(high / bins->edge) + (double)bins->reach + 1;
        if (last - first + 1 > (double)BLOCKS_MAX || fabs(first) > 9e15 || fabs(last) > 9e15) {
            return result_error(
                RESULT_USAGE, "surface: the particles span %.3g m, %.3g grid cells of %.3g m (at most %llu)",
                (double)high - low, ((double)high - low) / bins->cell, bins->cell,
                (unsigned long long)BLOCKS_MAX * BLOCK_NODES);
        }
        bins->low[axis] = (int64_t)first;
        bins->blocks[axis] = (uint64_t)(last - first) + 1;
    }
    return result_ok();
}

static void make_keys(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Sorting *sorting = context;
    const PointBins *bins = sorting->bins;
    const float *streams[3] = {sorting->points->x, sorting->points->y, sorting->points->z};
    for (uint32_t i = begin; i < end; i++) {
        uint64_t place[3], sub[3];
        for (int axis = 0; axis < 3; axis++) {
            double at = streams[axis][i] / bins->edge - (double)bins->low[axis];
            place[axis] = (uint64_t)at;
            sub[axis] = (uint64_t)((at - (double)place[axis]) * sorting->sub);
        }
        uint64_t key = place[0] + bins->blocks[0] * (place[1] + bins->blocks[1] * place[2]);
        uint64_t within = sub[0] + sorting->sub * (sub[1] + sorting->sub * sub[2]);
        sorting->keys[i] = key * (sorting->sub * sorting->sub * sorting->sub) + within;
    }
}

static void gather(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Sorting *sorting = context;
    PointBins *bins = sorting->bins;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t i = sorting->order[k];
        bins->source[k] = i;
        bins->x[k] = sorting->points->x[i];
        bins->y[k] = sorting->points->y[i];
        bins->z[k] = sorting->points->z[i];
    }
}

static Result list_bins(PointBins *bins, const uint64_t *keys, uint32_t cells)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < bins->count; i++) count += i == 0 || keys[i] / cells != keys[i - 1] / cells;
    bins->bin_count = count;
    bins->key = memory_allocate(count * sizeof *bins->key);
    bins->begin = memory_allocate((count + (size_t)1) * sizeof *bins->begin);
    if (!bins->key || !bins->begin) return result_no_memory("the surface's bins", count * 12ull);
    uint32_t bin = 0;
    for (uint32_t i = 0; i < bins->count; i++) {
        if (i > 0 && keys[i] / cells == keys[i - 1] / cells) continue;
        uint32_t *value;
        TRY(block_table_insert(&bins->table, keys[i] / cells, bin, &value));
        bins->key[bin] = keys[i] / cells;
        bins->begin[bin++] = i;
    }
    bins->begin[count] = bins->count;
    return result_ok();
}

static Result sort_points(const SurfaceDef *def, const SurfacePoints *points, SortBuffers *buffers,
                          PointBins *bins)
{
    uint32_t n = points->count;
    TRY(sort_buffers_reserve(buffers, n));
    Sorting sorting = {points, bins, buffers->keys[0], NULL, point_depth_cells(def, bins->edge)};
    uint32_t cells = sorting.sub * sorting.sub * sorting.sub;
    parallel_for(n, GRAIN, make_keys, &sorting);
    sort_order(buffers, n, &sorting.order);
    bins->x = memory_allocate(n * sizeof(float));
    bins->y = memory_allocate(n * sizeof(float));
    bins->z = memory_allocate(n * sizeof(float));
    bins->source = memory_allocate(n * sizeof(uint32_t));
    bins->depth = memory_allocate(n);
    if (!bins->x || !bins->y || !bins->z || !bins->source || !bins->depth) {
        return result_no_memory("the surface's particles", n * 17ull);
    }
    parallel_for(n, GRAIN, gather, &sorting);
    bins->count = n;
    TRY(list_bins(bins, buffers->keys[0], cells));
    if (!def->anisotropic) {
        // Round kernels need no neighbors, but the grid still wants to know where the surface is.
        return point_depth_find(def, bins, buffers->keys[0], sorting.sub, 0);
    }
    double width = bins->edge / sorting.sub;
    uint32_t steps = (uint32_t)ceil((double)def->covariance_radius * def->spacing / width);
    return point_depth_find(def, bins, buffers->keys[0], sorting.sub, steps);
}

Result point_bins_make(const SurfaceDef *def, const SurfacePoints *points, PointBins *out)
{
    *out = (PointBins){0};
    out->cell = (double)def->cell * def->spacing;
    out->edge = out->cell * BLOCK_NODES;
    // Half a spacing: as far as a kernel may move away from its particle.
    out->reach = (int64_t)ceil((def->support + 0.5) * def->spacing / out->edge);
    TRY(find_bounds(points, out));
    SortBuffers buffers = {0};
    Result result = sort_points(def, points, &buffers, out);
    sort_buffers_free(&buffers);
    return result;
}

void point_bins_free(PointBins *bins)
{
    memory_free(bins->x);
    memory_free(bins->y);
    memory_free(bins->z);
    memory_free(bins->source);
    memory_free(bins->depth);
    memory_free(bins->key);
    memory_free(bins->begin);
    block_table_free(&bins->table);
    *bins = (PointBins){0};
}
