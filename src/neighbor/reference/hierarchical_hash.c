// The hierarchical hash (Pouchol et al. 2009, sections 3.1 to 3.3): cells of sizes 2^c in one table. A cell's
// key is the sum of the hashes of all larger cells around it (Eq. 4), and each cell knows whether it has
// children, so a query goes from the largest class down and leaves empty space at the first cell without any.
// Space without bounds, memory by the cells that hold points, at all sizes. Good for spray in large empty
// scenes, where most lookups end at the top; inside water it pays for two more classes than cell_hash.
#include "neighbor/reference/cell_hash.h"

// Largest first; 0 is the class of the points. Fourfold steps: with twofold ones the levels between cost more
// lookups than they save.
static const uint32_t classes[] = {4, 2, 0};
#define CLASSES (sizeof classes / sizeof classes[0])

// Listing 1, for a run of points in one cell.
static Result insert(HashedCells *cells, uint32_t run)
{
    CellPlace at = filed_runs_cell(&cells->filed, run);
    uint32_t hash = 0, cell = CELL_NONE;
    for (uint32_t k = 0; k < CLASSES; k++) {
        hash += hashed_class(classes[k], at);
        TRY(cell_table_add(&cells->table, hashed_key(classes[k], at), hash, &cell));
        if (k + 1 < CLASSES) cells->table.cell[cell].children = 1;
    }
    cell_table_file(&cells->table, cell, run);
    return result_ok();
}

static Result build(void *state, const PointSet *points)
{
    HashedCells *cells = state;
    TRY(hashed_cells_start(cells, points));
    for (uint32_t run = 0; run < cells->filed.runs.count; run++) TRY(insert(cells, run));
    return result_ok();
}

// A query: the cells of class 0 around one.
typedef struct Query {
    const HashedCells *cells;
    CellPlace center;
    CellNeighborhood *around;
} Query;

// Goes through the cells of class k that meet the box lo..hi, and into those that have children. Listing 3
// does it point by point; a box visits every larger cell once for all 27 points.
static void descend(const Query *query, uint32_t k, uint32_t hash_above, CellPlace lo, CellPlace hi)
{
    const CellTable *table = &query->cells->table;
    uint32_t class = classes[k], step = 1u << class, inside = step - 1;
    for (uint32_t z = lo.z; z <= hi.z; z = (z | inside) + 1) {
        for (uint32_t y = lo.y; y <= hi.y; y = (y | inside) + 1) {
            for (uint32_t x = lo.x; x <= hi.x; x = (x | inside) + 1) {
                CellPlace at = {x, y, z};
                uint32_t hash = hash_above + hashed_class(class, at);
                uint32_t cell = cell_table_find(table, hashed_key(class, at), hash);
                if (cell == CELL_NONE) continue;
                if (class == 0) {
                    const CellPlace *center = &query->center;
                    uint32_t slot = (z - center->z + 1) * 9 + (y - center->y + 1) * 3 + (x - center->x + 1);
                    query->around->cell[slot] = cell;
                } else if (table->cell[cell].children) {
                    CellPlace last = {x | inside, y | inside, z | inside};
                    last.x = last.x < hi.x ? last.x : hi.x;
                    last.y = last.y < hi.y ? last.y : hi.y;
                    last.z = last.z < hi.z ? last.z : hi.z;
                    descend(query, k + 1, hash, at, last);
                }
            }
        }
    }
}

static void look_around(const HashedCells *cells, CellPlace at, uint32_t column, CellNeighborhood *around)
{
    for (uint32_t k = 0; k < 27; k++) {
        if (k % 3 >= column) around->cell[k] = CELL_NONE;
    }
    const uint64_t *size = cells->filed.frame.size;
    uint32_t first_x = column == 0 && at.x > 0 ? at.x - 1 : at.x + column / 2;
    CellPlace lo = {first_x, at.y > 0 ? at.y - 1 : 0, at.z > 0 ? at.z - 1 : 0};
    CellPlace hi = {at.x + 1 < size[0] ? at.x + 1 : at.x, at.y + 1 < size[1] ? at.y + 1 : at.y,
                    at.z + 1 < size[2] ? at.z + 1 : at.z};
    Query query = {cells, at, around};
    descend(&query, 0, 0, lo, hi);
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    hashed_cells_find(state, begin, end, writer, look_around);
}

const NeighborMethod neighbor_hierarchical_hash = {
    .name = "hierarchical_hash",
    .summary = "cells of sizes 2^c in one hash table, searched from large to small; skips empty space",
    .in_order = true,
    .state_bytes = sizeof(HashedCells),
    .build = build,
    .find = find,
    .boxes = hashed_cells_boxes,
    .release = hashed_cells_release,
    .bytes = hashed_cells_bytes,
};
