// A hash table of cells, each with a list of its points (Game Physics Pearls, chapter 6). A query looks up 27
// cells and meets only their own points: O(c) + O(g) for c cells in a bucket and g points in a cell, and no
// guard against visiting a bucket twice. Space without bounds, memory by the cells that hold points (about 50
// bytes each). Good for water that flies apart; in a full tank each lookup is a cache miss that a grid does
// not have.
#include "neighbor/reference/hashed_cells.h"

static Result build(void *state, const PointSet *points)
{
    TRY(hashed_cells_start(state, points));
    return hashed_cells_file_all(state);
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    hashed_cells_find(state, begin, end, writer, hashed_cells_look_up);
}

const NeighborMethod neighbor_cell_hash = {
    .name = "cell_hash",
    .summary = "a hash table of cells; space without bounds, memory by the water alone",
    .in_order = true,
    .create = hashed_cells_create,
    .build = build,
    .find = find,
    .boxes = hashed_cells_boxes,
    .release = hashed_cells_release,
    .bytes = hashed_cells_bytes,
};
