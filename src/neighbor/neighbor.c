#include "neighbor/neighbor.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "neighbor/cell_frame.h"
#include "neighbor/method.h"
#include "neighbor/point_sort.h"
#include "neighbor/row_store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Rows in a block of the search: a few cells of water, so that blocks share little and balance well.
#define ROW_BLOCK 256u
// Clusters in a block: with more of them, fewer pairs are computed twice because their clusters are in two
// blocks; but there must be enough blocks for many threads, and their sums must fit the L2 cache. Few
// clusters make a few blocks all the same: a step of 1,728 particles is long enough for two threads.
#define CLUSTER_BLOCK_LEAST 208u
#define CLUSTER_BLOCKS_FEW 4u
#define CLUSTER_BLOCK_MIN 1024u
#define CLUSTER_BLOCK_MAX 4096u
#define CLUSTER_BLOCKS 64u
#define SCAN_BLOCK 32768u
// Edge of columns in spacings. Measured on collapsing water: boxes of four points then have the fewest
// partners.
#define COLUMN_SPACINGS 2.0
// The squared radius must be a normal float, or the cutoff test would not be exact.
#define RADIUS_MIN 1e-18f
#define RADIUS_MAX 1e18f

// Bounding box of a block of points.
typedef struct ScanBlock {
    float lo[3], hi[3];
    bool finite;
} ScanBlock;

struct NeighborSearch {
    const NeighborMethod *method;
    void *state;
    float radius;
    PointSort sort;      // of points that do not come in the order of cells
    const uint32_t *map; // sorted points -> the caller's; NULL if they are the same
    uint64_t sort_bytes; // in use
    RowStore rows;
    uint32_t *neighbors; // of each point, for clusters
    uint32_t *single;    // of each cluster
    size_t neighbors_capacity, single_capacity;
    ScanBlock *blocks;
    size_t block_capacity;
    const atomic_bool *stop; // ends a run; NULL: nothing does
};

Result neighbor_search_create(const char *method, double radius, NeighborSearch **out)
{
    *out = NULL;
    const NeighborMethod *found;
    TRY(neighbor_method_find(method, &found));
    if (!((float)radius >= RADIUS_MIN && (float)radius <= RADIUS_MAX))
        return result_error(RESULT_USAGE, "neighbor: a radius of %g m is out of range (%g to %g m)", radius,
                            (double)RADIUS_MIN, (double)RADIUS_MAX);
    NeighborSearch *search = memory_allocate_zeroed(sizeof *search);
    if (!search) return result_no_memory("neighbor search", sizeof *search);
    search->method = found;
    search->radius = (float)radius;
    search->state = memory_allocate_zeroed(found->state_bytes);
    if (!search->state) {
        memory_free(search);
        return result_no_memory("neighbor search", found->state_bytes);
    }
    *out = search;
    return result_ok();
}

void neighbor_search_destroy(NeighborSearch *search)
{
    if (!search) return;
    if (search->method->release) search->method->release(search->state);
    memory_free(search->state);
    row_store_free(&search->rows);
    point_sort_free(&search->sort);
    memory_free(search->neighbors);
    memory_free(search->single);
    memory_free(search->blocks);
    memory_free(search);
}

typedef struct ScanJob {
    const PointView *points;
    ScanBlock *blocks;
} ScanJob;

// Independent lanes, which the compiler turns into SIMD; a float is finite unless its exponent is all ones.
static bool scan_stream(const float *at, uint32_t count, float *lo, float *hi)
{
    enum { LANES = 16 };
    float low[LANES], high[LANES];
    uint32_t bad[LANES] = {0};
    for (uint32_t k = 0; k < LANES; k++) low[k] = high[k] = at[0];
    uint32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (uint32_t k = 0; k < LANES; k++) {
            float value = at[i + k];
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            bad[k] |= (bits & 0x7f800000u) == 0x7f800000u;
            low[k] = value < low[k] ? value : low[k];
            high[k] = value > high[k] ? value : high[k];
        }
    }
    for (; i < count; i++) {
        bad[0] |= !isfinite(at[i]);
        low[0] = at[i] < low[0] ? at[i] : low[0];
        high[0] = at[i] > high[0] ? at[i] : high[0];
    }
    for (uint32_t k = 1; k < LANES; k++) {
        bad[0] |= bad[k];
        low[0] = low[k] < low[0] ? low[k] : low[0];
        high[0] = high[k] > high[0] ? high[k] : high[0];
    }
    *lo = low[0];
    *hi = high[0];
    return bad[0] == 0;
}

static void scan_block(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const ScanJob *job = context;
    ScanBlock *block = &job->blocks[begin / SCAN_BLOCK];
    const float *streams[3] = {job->points->x, job->points->y, job->points->z};
    block->finite = true;
    for (int axis = 0; axis < 3; axis++)
        block->finite &= scan_stream(streams[axis] + begin, end - begin, &block->lo[axis], &block->hi[axis]);
}

static Result name_bad_point(const PointView *points)
{
    for (uint32_t i = 0; i < points->count; i++) {
        float x = points->x[i], y = points->y[i], z = points->z[i];
        if (!isfinite(x) || !isfinite(y) || !isfinite(z))
            return result_error(RESULT_FAILED,
                                "neighbor: point %u is at (%g, %g, %g) (coordinates must be finite)", i,
                                (double)x, (double)y, (double)z);
    }
    CHECK(!"a scan found a coordinate that is not finite");
    return result_ok();
}

// Checks the points and finds their bounding box.
static Result scan_points(NeighborSearch *search, const PointView *points, PointSet *set)
{
    size_t blocks = groups_of(points->count, SCAN_BLOCK);
    TRY(MEMORY_RESERVE(search->blocks, search->block_capacity, 0, blocks, "neighbor search"));
    ScanJob job = {points, search->blocks};
    parallel_for(points->count, SCAN_BLOCK, scan_block, &job);
    *set = (PointSet){points->x, points->y, points->z, .count = points->count, .radius = search->radius};
    for (size_t k = 0; k < blocks; k++) {
        const ScanBlock *block = &search->blocks[k];
        if (!block->finite) return name_bad_point(points);
        for (int axis = 0; axis < 3; axis++) {
            if (k == 0 || block->lo[axis] < set->lo[axis]) set->lo[axis] = block->lo[axis];
            if (k == 0 || block->hi[axis] > set->hi[axis]) set->hi[axis] = block->hi[axis];
        }
    }
    return result_ok();
}

// Builds the method's structure over the points in the order of cells.
static Result build(NeighborSearch *search, const PointView *points)
{
    PointSet set;
    search->map = NULL;
    search->sort_bytes = 0;
    if (points->count == 0) return result_ok();
    TRY(scan_points(search, points, &set));
    TRY(point_sort_reserve(&search->sort, points->count)); // the next run may need it
    CellFrame frame = cell_frame(&set);
    point_sort_run(&search->sort, &frame, &set, &search->map);
    search->sort_bytes = search->map ? point_sort_bytes(points->count) : points->count * sizeof *set.keys;
    return search->method->build(search->state, &set);
}

void neighbor_search_watch(NeighborSearch *search, const atomic_bool *stop)
{
    search->stop = stop;
}

static bool is_stopped(const NeighborSearch *search)
{
    return search->stop && atomic_load_explicit(search->stop, memory_order_relaxed);
}

static void find_block(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    NeighborSearch *search = context;
    RowWriter *writer = &search->rows.writers[worker];
    if (!writer->failed && !is_stopped(search)) search->method->find(search->state, begin, end, writer);
}

static void find_cluster_block(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    NeighborSearch *search = context;
    RowWriter *writer = &search->rows.writers[worker];
    if (!writer->failed && !is_stopped(search))
        search->method->find_clusters(search->state, begin, end, writer, search->single, search->neighbors);
}

// One of so many blocks of rows tells how long all of them will be.
#define SAMPLE_SHARE 32u
#define SAMPLE_ROWS_MIN 65536u

typedef struct Sample {
    NeighborSearch *search;
    ParallelBody *find;
    uint32_t block;
} Sample;

static void find_sample(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const Sample *sample = context;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t first = k * SAMPLE_SHARE * sample->block;
        sample->find(first, first + sample->block, worker, sample->search);
    }
}

// The first run of many rows would otherwise be made twice: once to count them.
static void expect_rows(NeighborSearch *search, uint32_t rows, uint32_t block, ParallelBody *find)
{
    Sample sample = {search, find, block};
    row_store_start(&search->rows, search->map, search->method->in_order);
    parallel_for(rows / (SAMPLE_SHARE * block), 1, find_sample, &sample);
    row_store_expect(&search->rows, SAMPLE_SHARE);
}

static Result find_rows(NeighborSearch *search, uint32_t rows, uint32_t block, ParallelBody *find)
{
    TRY(row_store_prepare(&search->rows, rows, search->radius));
    if (!search->rows.pool && rows >= SAMPLE_ROWS_MIN) expect_rows(search, rows, block, find);
    for (bool again = true; again;) {
        row_store_start(&search->rows, search->map, search->method->in_order);
        parallel_for(rows, block, find, search);
        if (is_stopped(search)) return result_error(RESULT_STOPPED, "the search was stopped");
        TRY(row_store_finish(&search->rows, &again));
    }
    return result_ok();
}

static void count_costs(const NeighborSearch *search, double started, double built, NeighborStats *stats)
{
    const RowStore *rows = &search->rows;
    stats->construction_ms = 1e3 * (built - started);
    stats->search_ms = 1e3 * (clock_seconds() - built);
    for (uint32_t k = 0; k < rows->writer_count; k++) {
        stats->candidates += rows->writers[k].sums.candidates;
        stats->neighbors += rows->writers[k].sums.neighbors;
    }
    MethodBytes held = {0};
    if (search->method->bytes) held = search->method->bytes(search->state);
    stats->structure_bytes = held.total + search->sort_bytes;
    stats->point_bytes = held.per_point + search->sort_bytes;
    stats->compact = held.compact;
    stats->list_bytes = row_store_bytes(rows) + search->neighbors_capacity * sizeof *search->neighbors +
                        search->single_capacity * sizeof *search->single;
}

Result neighbor_search_run(NeighborSearch *search, PointView points, NeighborLists *lists,
                           NeighborStats *stats)
{
    *lists = (NeighborLists){0};
    *stats = (NeighborStats){0};
    double started = clock_seconds();
    TRY(build(search, &points));
    double built = clock_seconds();
    uint32_t block = search->method->block > 0 ? search->method->block : ROW_BLOCK;
    Result found = find_rows(search, points.count, block, find_block);
    count_costs(search, started, built, stats);
    stats->evaluated = stats->neighbors;
    TRY(found);
    *lists = (NeighborLists){search->rows.begin, search->rows.count, search->rows.pool, .rows = points.count};
    return result_ok();
}

// Depends on the number of clusters alone, so that sums over pairs do not depend on the threads.
uint32_t neighbor_cluster_block(uint64_t clusters)
{
    uint64_t few = clusters / CLUSTER_BLOCK_LEAST, block = clusters / CLUSTER_BLOCKS;
    if (few < 1) few = 1;
    if (few > CLUSTER_BLOCKS_FEW) few = CLUSTER_BLOCKS_FEW;
    few = (clusters / few + 16) / 16 * 16;
    if (block < CLUSTER_BLOCK_MIN) block = CLUSTER_BLOCK_MIN;
    if (block > CLUSTER_BLOCK_MAX) block = CLUSTER_BLOCK_MAX;
    return (uint32_t)(few < block ? few : block / 16 * 16);
}

static Result run_clusters(NeighborSearch *search, PointView points, const NeighborPart *part,
                           NeighborClusters *clusters, NeighborStats *stats)
{
    *clusters = (NeighborClusters){0};
    *stats = (NeighborStats){0};
    double started = clock_seconds();
    uint32_t own = part ? part->points : points.count, rows = groups_of(own, NEIGHBOR_CLUSTER);
    search->map = NULL;
    search->sort_bytes = 0;
    if (own > 0) {
        PointSet set;
        TRY(scan_points(search, &points, &set));
        set.part = part;
        TRY(MEMORY_RESERVE(search->neighbors, search->neighbors_capacity, 0, own, "neighbor search"));
        TRY(MEMORY_RESERVE(search->single, search->single_capacity, 0, rows, "neighbor search"));
        TRY(search->method->build_clusters(search->state, &set));
    }
    double built = clock_seconds();
    uint32_t block = neighbor_cluster_block(part ? part->clusters : rows);
    TRY(find_rows(search, rows, block, find_cluster_block));
    const RowStore *found = &search->rows;
    *clusters = (NeighborClusters){found->begin, found->count, search->single, found->pool, rows, block};
    count_costs(search, started, built, stats);
    const uint64_t pairs = NEIGHBOR_CLUSTER * NEIGHBOR_CLUSTER;
    for (uint32_t k = 0; k < found->writer_count; k++) {
        const RowSums *sums = &found->writers[k].sums;
        stats->evaluated += (sums->entries - sums->shared) * pairs;
        stats->shared += sums->shared * pairs;
    }
    return result_ok();
}

Result neighbor_search_pairs(NeighborSearch *search, PointView points, NeighborPairs *pairs,
                             NeighborStats *stats)
{
    *pairs = (NeighborPairs){.clustered = search->method->find_clusters != NULL};
    if (pairs->clustered) {
        TRY(run_clusters(search, points, NULL, &pairs->clusters, stats));
        pairs->neighbors = search->neighbors;
    } else {
        TRY(neighbor_search_run(search, points, &pairs->lists, stats));
        pairs->neighbors = pairs->lists.count;
    }
    return result_ok();
}

Result neighbor_search_part(NeighborSearch *search, PointView points, const NeighborPart *part,
                            NeighborPairs *pairs, NeighborStats *stats)
{
    CHECK(search->method->find_clusters);
    *pairs = (NeighborPairs){.clustered = true};
    TRY(run_clusters(search, points, part, &pairs->clusters, stats));
    pairs->neighbors = search->neighbors;
    return result_ok();
}

void neighbor_boxes_free(NeighborBoxes *boxes)
{
    memory_free(boxes->box);
    *boxes = (NeighborBoxes){0};
}

Result neighbor_box_add(NeighborBoxes *boxes, const float lo[3], const float hi[3], uint32_t points,
                        uint32_t level)
{
    TRY(MEMORY_RESERVE(boxes->box, boxes->capacity, boxes->count, (size_t)boxes->count + 1, "boxes"));
    NeighborBox *box = &boxes->box[boxes->count++];
    memcpy(box->lo, lo, sizeof box->lo);
    memcpy(box->hi, hi, sizeof box->hi);
    box->points = points;
    box->level = level;
    return result_ok();
}

Result neighbor_search_boxes(NeighborSearch *search, PointView points, NeighborBoxes *boxes)
{
    boxes->count = 0;
    if (points.count == 0 || !search->method->boxes) return result_ok();
    TRY(build(search, &points));
    return search->method->boxes(search->state, boxes);
}

PointOrder neighbor_search_order(const NeighborSearch *search, float spacing)
{
    if (search->method->find_clusters)
        return (PointOrder){.columns = true, .inverse = 1.0 / (COLUMN_SPACINGS * (double)spacing)};
    return (PointOrder){.inverse = 1.0 / (double)(search->radius * CELL_MARGIN)};
}
