// The uniform grid: cells of one radius, a counting sort into them, and the 27 cells around each point
// (Takeshita, section 2). The baseline of the lists, good where points fill space evenly: O(n) to build, O(n)
// to search, and four bytes a cell. The cells of a row along x lie next to each other in memory, so the 27
// cells are 9 ranges, found once per cell. Where the points' box holds many more cells than points, only
// cells that hold points are kept (12 bytes each, found by galloping through their sorted keys), so a scene
// without bounds costs what its water costs.
#include "neighbor/cell_order.h"

// Packs the rows of cells around the walk's cell.
static uint32_t pack(const CellOrder *order, const CellWalk *walk, RowWriter *writer)
{
    uint32_t own = 0;
    row_list_start(writer);
    for (int row = 0; row < 9; row++) {
        uint32_t first = cell_order_first(order, walk->row[row].low);
        uint32_t behind = cell_order_first(order, walk->row[row].high);
        if (row == 4) own = writer->list.count + cell_order_first(order, walk->cell) - first;
        if (first < behind) row_list_append(writer, &order->points, first, behind);
    }
    return own;
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    cell_order_find(state, begin, end, writer, pack);
}

const NeighborMethod neighbor_uniform_grid = {
    .name = "uniform_grid",
    .summary = "cells of one radius, 27 per point; the baseline, good where water fills its box",
    .in_order = true,
    .state_bytes = sizeof(CellOrder),
    .build = cell_order_build,
    .find = find,
    .boxes = cell_order_boxes,
    .release = cell_order_release,
    .bytes = cell_order_bytes,
};
