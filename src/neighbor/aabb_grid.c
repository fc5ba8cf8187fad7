// The uniform grid with a box around the points that are really in each cell (Takeshita, section 3.3):
// points are tested only against a cell whose box comes within their radius. The paper asks, for each point,
// which of the 27 boxes around it are near. Here each cell asks which points around it are near its box: the
// same pairs of point and box, hence the same tests spared, a third in water and more at its surface. But
// what a cell's box lets through is packed once and serves all points of the cell, side by side for vectors.
// The fastest lists where water fills its box, with every instruction set. In spray a cell has few points to
// share its box tests, and there it is hardly faster than uniform_grid.
#include "neighbor/cell_order.h"

// The box around the points at places begin..end-1, at least one. Made when the cell asks, which it does
// once: a table of all boxes takes longer to write and read.
static PointBox box_around(const PointStreams *points, uint32_t begin, uint32_t end)
{
    float x = points->x[begin], y = points->y[begin], z = points->z[begin];
    PointBox box = {{x, y, z}, {x, y, z}};
    for (uint32_t place = begin + 1; place < end; place++) {
        const float at[3] = {points->x[place], points->y[place], points->z[place]};
        for (int axis = 0; axis < 3; axis++) {
            box.lo[axis] = at[axis] < box.lo[axis] ? at[axis] : box.lo[axis];
            box.hi[axis] = at[axis] > box.hi[axis] ? at[axis] : box.hi[axis];
        }
    }
    return box;
}

// Packs what comes near the box of the walk's cell. Returns the position of the cell's first point.
static uint32_t pack(const CellOrder *order, const CellWalk *walk, RowWriter *writer)
{
    PlaceRange own = {cell_order_first(order, walk->cell), cell_order_first(order, walk->cell + 1)};
    PointBox box = box_around(&order->points, own.begin, own.end);
    PlaceRange before[5], behind[5]; // the cell's row is cut in front of the cell
    for (int row = 0; row < 9; row++) {
        PlaceRange range = {cell_order_first(order, walk->row[row].low),
                            cell_order_first(order, walk->row[row].high)};
        if (row < 5) before[row] = range;
        if (row >= 4) behind[row - 4] = range;
    }
    before[4].end = behind[0].begin = own.begin;
    row_list_start(writer);
    row_list_append_near(writer, &order->points, before, 5, &box);
    uint32_t position = writer->list.count;
    row_list_append_near(writer, &order->points, behind, 5, &box);
    return position;
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    cell_order_find(state, begin, end, writer, pack);
}

static Result list_boxes(const void *state, NeighborBoxes *boxes)
{
    const CellOrder *order = state;
    for (uint64_t cell = 0; cell < order->cells; cell++) {
        uint32_t begin = cell_order_first(order, cell), end = cell_order_first(order, cell + 1);
        if (begin == end) continue;
        PointBox box = box_around(&order->points, begin, end);
        TRY(neighbor_box_add(boxes, box.lo, box.hi, end - begin, 0));
    }
    return result_ok();
}

const NeighborMethod neighbor_aabb_grid = {
    .name = "aabb_grid",
    .summary = "the uniform grid with a box around each cell's points; a third fewer tests, fastest lists in "
               "dense water",
    .in_order = true,
    .state_bytes = sizeof(CellOrder),
    .build = cell_order_build,
    .find = find,
    .boxes = list_boxes,
    .release = cell_order_release,
    .bytes = cell_order_bytes,
};
