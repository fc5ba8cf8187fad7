#include "surface/point_bins.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/sort.h"

#include <string.h>

#define GRAIN 8192u
#define SUB_WIDTH 0.85 // undeformed kernel radii that a sub-cell is wide at least
#define SUB_EDGE_MAX 4u
#define BLOCKS_MAX (UINT64_C(1) << 19) // along an axis: three axes and 64 sub-cells fit 64 bits

typedef struct Sorting {
    const SurfacePoints *points;
    PointBins *bins;
    uint64_t *keys;
    const uint32_t *order;
} Sorting;

// Far from the origin floats cannot tell the sides of a grid cell apart.
static Result check_steps(const PointBins *bins, float low, float high)
{
    float far = fmaxf(fabsf(low), fabsf(high));
    double step = (double)(nextafterf(far, INFINITY) - far);
    if (step <= bins->cell) return result_ok();
    return result_error(
        RESULT_USAGE,
        "surface: particles lie %.3g m from the origin, where coordinates go in steps of %.2g "
        "m: too coarse for grid cells of %.3g m (move them near the origin)",
        (double)far, step, bins->cell);
}

// border: blocks around those with particles.
static Result find_bounds(const SurfacePoints *points, int64_t border, PointBins *bins)
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
        double first = floor(low / bins->edge) - (double)border;
        double last = floor(high / bins->edge) + (double)border;
        if (last - first + 1 > (double)BLOCKS_MAX || fabs(first) > 9e15 || fabs(last) > 9e15) {
            return result_error(
                RESULT_USAGE, "surface: the particles span %.3g m, %.3g grid cells of %.3g m (at most %llu)",
                (double)high - low, ((double)high - low) / bins->cell, bins->cell,
                (unsigned long long)BLOCKS_MAX * BLOCK_NODES);
        }
        TRY(check_steps(bins, low, high));
        bins->low[axis] = (int64_t)first;
        bins->blocks[axis] = (uint64_t)(last - first) + 1;
    }
    return result_ok();
}

// The place of coordinate `at` m on an axis: its block, and grid cells from the block's first node.
static inline uint64_t find_block(const PointBins *bins, int axis, float at, double *within)
{
    double blocks = at / bins->edge - (double)bins->low[axis];
    uint64_t block = (uint64_t)blocks;
    *within = (blocks - (double)block) * BLOCK_NODES;
    return block;
}

static void make_keys(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Sorting *sorting = context;
    const PointBins *bins = sorting->bins;
    const float *streams[3] = {sorting->points->x, sorting->points->y, sorting->points->z};
    double parts = bins->sub_edge / (double)BLOCK_NODES;
    for (uint32_t i = begin; i < end; i++) {
        uint64_t place[3], sub[3];
        for (int axis = 0; axis < 3; axis++) {
            double within;
            place[axis] = find_block(bins, axis, streams[axis][i], &within);
            sub[axis] = (uint64_t)(within * parts);
        }
        uint64_t key = place[0] + bins->blocks[0] * (place[1] + bins->blocks[1] * place[2]);
        sorting->keys[i] =
            key * bins->sub_volume + sub[0] + bins->sub_edge * (sub[1] + bins->sub_edge * sub[2]);
    }
}

static void gather(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Sorting *sorting = context;
    PointBins *bins = sorting->bins;
    const float *from[3] = {sorting->points->x, sorting->points->y, sorting->points->z};
    float *to[3] = {bins->x, bins->y, bins->z};
    for (uint32_t k = begin; k < end; k++) {
        uint32_t i = bins->source[k] = sorting->order[k];
        for (int axis = 0; axis < 3; axis++) {
            double within;
            find_block(bins, axis, from[axis][i], &within);
            to[axis][k] = (float)within;
        }
    }
}

static Result list_bins(PointBins *bins, const uint64_t *keys)
{
    uint32_t count = 0, volume = bins->sub_volume;
    for (uint32_t i = 0; i < bins->count; i++) count += i == 0 || keys[i] / volume != keys[i - 1] / volume;
    bins->bin_count = count;
    size_t cells = (size_t)count * volume;
    if (cells > UINT32_MAX - 1) return result_no_memory("the surface's bins", cells * 4);
    bins->key = memory_allocate(count * sizeof *bins->key);
    bins->begin = memory_allocate((cells + 1) * sizeof *bins->begin);
    bins->depth = memory_allocate(bins->count);
    bins->inside = memory_allocate(count * sizeof *bins->inside);
    if (!bins->key || !bins->begin || !bins->depth || !bins->inside)
        return result_no_memory("the surface's bins", count * 16ull + cells * 4 + bins->count);
    uint32_t bin = 0, cell = 0; // the next to begin
    for (uint32_t i = 0; i < bins->count; i++) {
        uint64_t key = keys[i] / volume;
        if (i == 0 || key != bins->key[bin - 1]) {
            uint32_t *value;
            TRY(block_table_insert(&bins->table, key, bin, &value));
            bins->key[bin++] = key;
        }
        uint32_t here = (bin - 1) * volume + (uint32_t)(keys[i] % volume);
        while (cell <= here) bins->begin[cell++] = i;
    }
    while (cell <= cells) bins->begin[cell++] = bins->count;
    return result_ok();
}

static Result sort_points(const SurfacePoints *points, SortBuffers *buffers, PointBins *bins)
{
    uint32_t n = points->count;
    TRY(sort_buffers_reserve(buffers, n));
    Sorting sorting = {points, bins, buffers->keys[0], NULL};
    parallel_for(n, GRAIN, make_keys, &sorting);
    sort_order(buffers, n, &sorting.order);
    bins->x = memory_allocate(n * sizeof(float));
    bins->y = memory_allocate(n * sizeof(float));
    bins->z = memory_allocate(n * sizeof(float));
    bins->source = memory_allocate(n * sizeof(uint32_t));
    if (!bins->x || !bins->y || !bins->z || !bins->source) {
        return result_no_memory("the surface's particles", n * 16ull);
    }
    parallel_for(n, GRAIN, gather, &sorting);
    bins->count = n;
    return list_bins(bins, buffers->keys[0]);
}

Result point_bins_make(const SurfaceDef *def, const SurfacePoints *points, PointBins *out)
{
    *out = (PointBins){0};
    out->cell = (double)def->cell * def->spacing;
    out->edge = out->cell * BLOCK_NODES;
    double sub_cells = floor(out->edge / (SUB_WIDTH * (double)def->support * def->spacing) + 1e-6);
    out->sub_edge = sub_cells < 1 ? 1 : sub_cells > SUB_EDGE_MAX ? SUB_EDGE_MAX : (uint32_t)sub_cells;
    out->sub_volume = out->sub_edge * out->sub_edge * out->sub_edge;
    out->reach = (int64_t)ceil((double)(def->support + KERNEL_MOVE_MAX) * def->spacing / out->edge);
    int64_t seen = (int64_t)ceil((double)def->covariance_radius * def->spacing / out->edge);
    TRY(find_bounds(points, (seen > out->reach ? seen : out->reach) + 1, out));
    SortBuffers buffers = {0};
    Result result = sort_points(points, &buffers, out);
    sort_buffers_free(&buffers);
    TRY(result);
    return point_depth_find(def, out);
}

// Division that rounds down.
static int divide(int a, int b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

#define BOX_CELLS_MAX 64 // sub-cells along an axis that a search may touch

// The sub-cells that a search touches.
typedef struct CellBox {
    int first[3], last[3];
    float square[3][BOX_CELLS_MAX]; // of the distance from the box on each axis, from `first` on
    float radius_square;
} CellBox;

static void find_box(const PointBins *bins, const float low[3], const float high[3], float radius,
                     CellBox *box)
{
    float width = (float)BLOCK_NODES / (float)bins->sub_edge;
    box->radius_square = radius * radius;
    for (int axis = 0; axis < 3; axis++) {
        box->first[axis] = (int)floorf((low[axis] - radius) / width);
        box->last[axis] = (int)floorf((high[axis] + radius) / width);
        CHECK(box->last[axis] - box->first[axis] < BOX_CELLS_MAX);
        for (int cell = box->first[axis]; cell <= box->last[axis]; cell++) {
            float begin = (float)cell * width, below = low[axis] - begin - width, above = begin - high[axis];
            float away = below > 0 ? below : above > 0 ? above : 0;
            box->square[axis][cell - box->first[axis]] = away * away;
        }
    }
}

// at: the bin's place, in bins from the block that was asked about.
static uint32_t add_bin_rows(const PointBins *bins, const CellBox *box, const int at[3], uint32_t bin,
                             PointRow *rows)
{
    int n = (int)bins->sub_edge, begin[3], first[3], last[3]; // from the bin's first sub-cell on
    uint32_t count = 0;
    for (int axis = 0; axis < 3; axis++) {
        int end = box->last[axis] - at[axis] * n;
        begin[axis] = box->first[axis] - at[axis] * n;
        first[axis] = begin[axis] > 0 ? begin[axis] : 0;
        last[axis] = end < n - 1 ? end : n - 1;
    }
    const float edge = BLOCK_NODES;
    const PointRow row = {.shift = {(float)at[0] * edge, (float)at[1] * edge, (float)at[2] * edge}};
    for (int z = first[2]; z <= last[2]; z++) {
        for (int y = first[1]; y <= last[1]; y++) {
            float left = box->radius_square - box->square[2][z - begin[2]] - box->square[1][y - begin[1]];
            int from = first[0], to = last[0];
            while (from <= to && box->square[0][from - begin[0]] > left) from++;
            while (from <= to && box->square[0][to - begin[0]] > left) to--;
            if (from > to) continue;
            uint32_t line = bin * bins->sub_volume + (uint32_t)(n * (y + n * z));
            rows[count] = row;
            rows[count].first = line + (uint32_t)from;
            rows[count++].last = line + (uint32_t)to;
        }
    }
    return count;
}

// The bin of a key. before: that of the key before it, BLOCK_NONE without one; bins are sorted.
static uint32_t find_next(const PointBins *bins, uint32_t before, uint64_t key)
{
    if (before == BLOCK_NONE) return block_table_find(&bins->table, key);
    uint32_t next = before + 1;
    return next < bins->bin_count && bins->key[next] == key ? next : BLOCK_NONE;
}

uint32_t point_bins_rows(const PointBins *bins, uint64_t key, const float low[3], const float high[3],
                         float radius, PointRow rows[POINT_ROWS_MAX])
{
    CellBox box;
    int begin[3], end[3];
    find_box(bins, low, high, radius, &box);
    for (int axis = 0; axis < 3; axis++) {
        begin[axis] = divide(box.first[axis], (int)bins->sub_edge);
        end[axis] = divide(box.last[axis], (int)bins->sub_edge);
    }
    uint32_t count = 0, most = bins->sub_edge * bins->sub_edge;
    int at[3];
    for (at[2] = begin[2]; at[2] <= end[2]; at[2]++) {
        for (at[1] = begin[1]; at[1] <= end[1]; at[1]++) {
            uint32_t bin = BLOCK_NONE;
            for (at[0] = begin[0]; at[0] <= end[0]; at[0]++) {
                bin = find_next(bins, bin, key + point_bins_offset(bins, at[0], at[1], at[2]));
                if (bin == BLOCK_NONE) continue;
                CHECK(count + most <= POINT_ROWS_MAX);
                count += add_bin_rows(bins, &box, at, bin, rows + count);
            }
        }
    }
    return count;
}

void point_bins_free(PointBins *bins)
{
    memory_free(bins->x);
    memory_free(bins->y);
    memory_free(bins->z);
    memory_free(bins->source);
    memory_free(bins->depth);
    memory_free(bins->inside);
    memory_free(bins->key);
    memory_free(bins->begin);
    block_table_free(&bins->table);
    *bins = (PointBins){0};
}
