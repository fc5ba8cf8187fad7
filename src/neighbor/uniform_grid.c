// Cells of one radius, a counting sort into them, and the 27 cells around each point (Takeshita, section 1).
// The baseline of the lists, good where points fill space evenly: O(n) to build, O(n) to search, and four
// bytes a cell. The cells of a row along x lie next to each other in memory, so the 27 cells are 9 ranges,
// found once per cell. Where the points' box holds many more cells than points, only cells that hold points
// are kept (12 bytes each, found by galloping through their sorted keys), so a scene without bounds costs
// what its water costs.
#include "neighbor/method.h"

#include "core/memory.h"
#include "neighbor/cell_order.h"

typedef struct UniformGrid {
    float radius;
    CellOrder order;
} UniformGrid;

static Result create(float radius, void **state)
{
    UniformGrid *grid = memory_allocate_zeroed(sizeof *grid);
    if (!grid) return result_no_memory("neighbor search", sizeof *grid);
    grid->radius = radius;
    *state = grid;
    return result_ok();
}

static Result build(void *state, const PointSet *points)
{
    UniformGrid *grid = state;
    return cell_order_build(&grid->order, grid->radius, points);
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    const CellOrder *order = &((const UniformGrid *)state)->order;
    CellWalk walk = {0};
    for (uint32_t place = begin; place < end && !writer->failed;) {
        cell_walk_to(order, place, &walk);
        row_list_start(writer);
        uint32_t own = 0;
        for (int row = 0; row < 9; row++) {
            uint32_t first = cell_order_first(order, walk.row[row].low);
            uint32_t behind = cell_order_first(order, walk.row[row].high);
            if (row == 4) own = writer->list.count + place - first;
            if (first < behind)
                row_list_append(writer, order->x, order->y, order->z, order->index, first, behind);
        }
        uint32_t last = cell_order_first(order, walk.cell + 1);
        if (last > end) last = end;
        rows_filter(writer, order->x, order->y, order->z, order->index, place, last, own);
        place = last;
    }
}

static void release(void *state)
{
    cell_order_free(&((UniformGrid *)state)->order);
    memory_free(state);
}

static MethodBytes bytes(const void *state)
{
    return cell_order_bytes(&((const UniformGrid *)state)->order);
}

static Result list_boxes(const void *state, NeighborBoxes *boxes)
{
    return cell_order_boxes(&((const UniformGrid *)state)->order, boxes);
}

const NeighborMethod neighbor_uniform_grid = {
    .name = "uniform_grid",
    .summary = "cells of one radius, 27 per point; the baseline, good where water fills its box",
    .in_order = true,
    .create = create,
    .build = build,
    .find = find,
    .boxes = list_boxes,
    .release = release,
    .bytes = bytes,
};
