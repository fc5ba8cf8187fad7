#include "neighbor/cell_order.h"

#include "core/memory.h"
#include "core/parallel.h"

#define BLOCK 16384u
// A table of all cells may have this many entries per point, and this many in any case.
#define DENSE_CELLS_PER_POINT 4u
#define DENSE_CELLS_ALWAYS 65536u

typedef struct OrderJob {
    CellOrder *order;
    CellKeys keys;
} OrderJob;

static void fill_starts(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const OrderJob *job = context;
    CellOrder *order = job->order;
    // First cell without a start; UINT64_MAX + 1 is 0.
    uint64_t room[CELL_KEYS_CHUNK], next = cell_keys_before(&job->keys, begin, UINT64_MAX) + 1;
    for (uint32_t i = begin; i < end; i += CELL_KEYS_CHUNK) {
        uint32_t count = end - i < CELL_KEYS_CHUNK ? end - i : CELL_KEYS_CHUNK;
        const uint64_t *keys = cell_keys(&job->keys, i, i + count, room);
        for (uint32_t k = 0; k < count; k++) {
            for (; next <= keys[k]; next++) order->start[next] = i + k;
        }
    }
    if (end == order->count) {
        for (; next <= order->cells; next++) order->start[next] = end;
    }
}

static uint64_t frame_cells(const CellFrame *frame)
{
    return frame->size[0] * frame->size[1] * frame->size[2]; // at most 2^63
}

static bool fits_a_table(uint64_t cells, const PointSet *points)
{
    return cells <= (uint64_t)DENSE_CELLS_PER_POINT * points->count + DENSE_CELLS_ALWAYS;
}

Result cell_order_build(void *state, const PointSet *points)
{
    CellOrder *order = state;
    PointSet sorted = *points;
    CellFrame frame = cell_frame(points);
    const uint32_t *index = NULL;
    TRY(point_sort_reserve(&order->sort, points->count)); // the next run may need it
    if (!fits_a_table(frame_cells(&frame), points)) {
        // A few strays should not cost all other points their table.
        CellFrame most = cell_frame_of_most(points);
        if (fits_a_table(frame_cells(&most), points)) {
            frame = most;
            point_sort_run(&order->sort, &frame, &sorted, &index);
        }
    }
    order->frame = frame;
    order->points = (PointStreams){sorted.x, sorted.y, sorted.z, index};
    order->count = points->count;
    order->cells = frame_cells(&frame);
    order->dense = fits_a_table(order->cells, points);
    OrderJob job = {.order = order, .keys = {&order->frame, &sorted, sorted.keys}};
    if (!order->dense) {
        TRY(cell_runs_build(&order->listed, &job.keys, points->count, true));
        order->cells = order->listed.count;
        return result_ok();
    }
    TRY(MEMORY_RESERVE(order->start, order->start_capacity, 0, order->cells + 1, "cells"));
    parallel_for(points->count, BLOCK, fill_starts, &job);
    return result_ok();
}

void cell_order_release(void *state)
{
    CellOrder *order = state;
    point_sort_free(&order->sort);
    cell_runs_free(&order->listed);
    memory_free(order->start);
}

MethodBytes cell_order_bytes(const void *state)
{
    const CellOrder *order = state;
    uint64_t cells = order->dense ? (order->cells + 1) * sizeof(uint32_t) : cell_runs_bytes(&order->listed);
    uint64_t points = order->points.index ? point_sort_bytes(order->count) : 0;
    return (MethodBytes){.total = cells + points, .per_point = points, .compact = !order->dense};
}

Result cell_order_boxes(const void *state, NeighborBoxes *boxes)
{
    const CellOrder *order = state;
    for (uint64_t cell = 0; cell < order->cells; cell++) {
        uint32_t first = cell_order_first(order, cell), points = cell_order_first(order, cell + 1) - first;
        if (points == 0) continue;
        CellPlace at =
            cell_at(&order->frame, order->points.x[first], order->points.y[first], order->points.z[first]);
        TRY(cell_box_add(boxes, &order->frame, at, 0, points, 0));
    }
    return result_ok();
}

// Galloping search for the first listed cell at or after `from` whose key is at least `key`: steps double,
// then halve, so near ones are cheap.
static uint32_t seek(const CellRuns *listed, uint32_t from, uint64_t key)
{
    uint32_t step = 1, low = from;
    if (low >= listed->count || listed->key[low] >= key) return low;
    while (step < listed->count - low && listed->key[low + step] < key) {
        low += step;
        step *= 2;
    }
    uint32_t high =
        step < listed->count - low ? low + step : listed->count; // key[low] is less, high's is not
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (listed->key[middle] < key)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static CellRow find_row(const CellOrder *order, uint64_t low, uint64_t high, uint32_t *cursor)
{
    if (order->dense) return (CellRow){low, high + 1};
    uint32_t begin = seek(&order->listed, *cursor, low), end = begin;
    while (end < order->cells && order->listed.key[end] <= high) end++;
    *cursor = begin;
    return (CellRow){begin, end};
}

// Goes to the cell that holds `place`; places ascend from call to call.
static void walk_to(const CellOrder *order, uint32_t place, CellWalk *walk)
{
    const CellFrame *frame = &order->frame;
    CellPlace at = cell_at(frame, order->points.x[place], order->points.y[place], order->points.z[place]);
    uint32_t low_x = at.x > 0 ? at.x - 1 : 0, high_x = at.x + 1 < frame->size[0] ? at.x + 1 : at.x;
    for (uint32_t row = 0; row < 9; row++) {
        // Unsigned: below the first cell wraps around to far behind the last one.
        uint32_t y = at.y + row % 3 - 1, z = at.z + row / 3 - 1;
        walk->row[row] = (CellRow){0, 0};
        if (y >= frame->size[1] || z >= frame->size[2]) continue;
        uint64_t low = cell_key(frame, (CellPlace){low_x, y, z});
        walk->row[row] = find_row(order, low, low + (high_x - low_x), &walk->cursor[row]);
    }
    walk->cell =
        order->dense ? cell_key(frame, at) : seek(&order->listed, walk->row[4].low, cell_key(frame, at));
}

void cell_order_find(const CellOrder *order, uint32_t begin, uint32_t end, RowWriter *writer, CellPack *pack)
{
    CellWalk walk = {0};
    for (uint32_t place = begin; place < end && !writer->failed;) {
        walk_to(order, place, &walk);
        uint32_t own = pack(order, &walk, writer) + place - cell_order_first(order, walk.cell);
        uint32_t last = cell_order_first(order, walk.cell + 1);
        if (last > end) last = end;
        rows_filter(writer, &order->points, place, last, own);
        place = last;
    }
}
