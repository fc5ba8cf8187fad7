#include "neighbor/reference/cell_hash.h"

void hashed_cells_release(void *state)
{
    HashedCells *cells = state;
    cell_runs_free(&cells->filed.runs);
    cell_table_free(&cells->table);
}

MethodBytes hashed_cells_bytes(const void *state)
{
    const HashedCells *cells = state;
    MethodBytes held = filed_runs_bytes(&cells->filed);
    held.total += cell_table_bytes(&cells->table, cells->filed.runs.count);
    if (cells->table.bucket) held.per_point += cells->filed.runs.count * (uint64_t)sizeof(uint32_t);
    return held;
}

Result hashed_cells_boxes(const void *state, NeighborBoxes *boxes)
{
    const HashedCells *cells = state;
    const uint32_t *first = cells->filed.runs.first;
    for (uint32_t k = 0; k < cells->table.cells; k++) {
        const TableCell *cell = &cells->table.cell[k];
        uint32_t points = 0, class = hashed_key_class(cell->key);
        for (uint32_t run = cell->run; run != CELL_NONE; run = cells->table.next_run[run])
            points += first[run + 1] - first[run];
        TRY(cell_box_add(boxes, &cells->filed.frame, hashed_key_place(cell->key), class, points, class));
    }
    return result_ok();
}

Result hashed_cells_start(HashedCells *cells, const PointSet *points)
{
    TRY(filed_runs_build(&cells->filed, points));
    return cell_table_start(&cells->table, cells->filed.runs.count);
}

// A walk from cell to cell.
typedef struct Walk {
    const HashedCells *cells;
    CellLookup *look_around;
    CellPlace before;
    CellNeighborhood around;
} Walk;

static uint32_t pack_run(void *context, uint32_t run, CellPlace at, RowWriter *writer)
{
    Walk *walk = context;
    const HashedCells *cells = walk->cells;
    walk->look_around(cells, at, cell_step(walk->before, at, walk->around.cell), &walk->around);
    walk->before = at;
    return cell_table_pack(&cells->table, &cells->filed, &walk->around, run, writer);
}

void hashed_cells_find(const HashedCells *cells, uint32_t begin, uint32_t end, RowWriter *writer,
                       CellLookup *look_around)
{
    Walk walk;
    walk.cells = cells;
    walk.look_around = look_around;
    walk.before = (CellPlace){UINT32_MAX, UINT32_MAX, UINT32_MAX};
    filed_runs_find(&cells->filed, begin, end, writer, pack_run, &walk);
}

static Result build(void *state, const PointSet *points)
{
    HashedCells *cells = state;
    TRY(hashed_cells_start(cells, points));
    for (uint32_t run = 0; run < cells->filed.runs.count; run++) {
        CellPlace at = filed_runs_cell(&cells->filed, run);
        uint32_t cell;
        TRY(cell_table_add(&cells->table, hashed_key(0, at), hashed_class(0, at), &cell));
        cell_table_file(&cells->table, cell, run);
    }
    return result_ok();
}

// Cells outside of the frame are not in the table.
static void look_up(const HashedCells *cells, CellPlace at, uint32_t column, CellNeighborhood *around)
{
    for (uint32_t k = 0; k < 27; k++) {
        if (k % 3 < column) continue;
        CellPlace near = {at.x + k % 3 - 1, at.y + k / 3 % 3 - 1, at.z + k / 9 - 1};
        around->cell[k] = cell_table_find(&cells->table, hashed_key(0, near), hashed_class(0, near));
    }
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    hashed_cells_find(state, begin, end, writer, look_up);
}

const NeighborMethod neighbor_cell_hash = {
    .name = "cell_hash",
    .summary = "a hash table of cells; space without bounds, memory by the water alone",
    .in_order = true,
    .state_bytes = sizeof(HashedCells),
    .build = build,
    .find = find,
    .boxes = hashed_cells_boxes,
    .release = hashed_cells_release,
    .bytes = hashed_cells_bytes,
};
