#include "neighbor/cell_grid.h"

#include "core/memory.h"

Result cell_grid_create(float radius, void **state)
{
    CellGrid *grid = memory_allocate_zeroed(sizeof *grid);
    if (!grid) return result_no_memory("neighbor search", sizeof *grid);
    grid->radius = radius;
    *state = grid;
    return result_ok();
}

Result cell_grid_build(void *state, const PointSet *points)
{
    CellGrid *grid = state;
    return cell_order_build(&grid->order, grid->radius, points);
}

void cell_grid_release(void *state)
{
    CellGrid *grid = state;
    cell_order_free(&grid->order);
    memory_free(grid);
}

MethodBytes cell_grid_bytes(const void *state)
{
    const CellGrid *grid = state;
    return cell_order_bytes(&grid->order);
}

void cell_grid_find(const CellGrid *grid, uint32_t begin, uint32_t end, RowWriter *writer, CellPack *pack)
{
    const CellOrder *order = &grid->order;
    CellWalk walk = {0};
    for (uint32_t place = begin; place < end && !writer->failed;) {
        cell_walk_to(order, place, &walk);
        uint32_t own = pack(order, &walk, writer) + place - cell_order_first(order, walk.cell);
        uint32_t last = cell_order_first(order, walk.cell + 1);
        if (last > end) last = end;
        rows_filter(writer, &order->points, place, last, own);
        place = last;
    }
}
