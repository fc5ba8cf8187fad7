// The multilevel hash (Eitz and Lixu 2007, as in Pouchol et al. 2009, Eqs. 2 and 3): cells of sizes 2^c in
// one table, every element in the smallest class that holds it, the key naming class and cell. Made for the
// broad phase with bodies of many sizes. Particles are all of one size and fill one class, where it is a
// uniform hash (Pouchol et al., section 4.1, say the same); it is here to be compared with, and costs what
// cell_hash costs.
#include "neighbor/hashed_cells.h"

static Result build(void *state, const PointSet *points)
{
    TRY(hashed_cells_start(state, points));
    return hashed_cells_file_all(state);
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    hashed_cells_find(state, begin, end, writer, hashed_cells_look_up);
}

const NeighborMethod neighbor_multilevel_hash = {
    .name = "multilevel_hash",
    .summary = "cells of sizes 2^c in one hash table; for particles alone the same as cell_hash",
    .in_order = true,
    .create = hashed_cells_create,
    .build = build,
    .find = find,
    .boxes = hashed_cells_boxes,
    .release = hashed_cells_release,
    .bytes = hashed_cells_bytes,
};
