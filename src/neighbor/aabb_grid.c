// The uniform grid with a box around the points that are really in each cell (Takeshita, section 3.3). A cell is
// tested only where its box comes within the radius of the point, which spares a third of the distance tests in water
// and more at its surface, for 24 bytes a cell and 27 box tests a point. Good where distance tests are what
// time goes to; with wide vectors they are so cheap that the gain is small.
#include "neighbor/method.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "neighbor/cell_order.h"

#include <math.h>
#include <string.h>

#define CELL_BLOCK 2048u
#define CELLS_AROUND 27u

// lo x y z, hi x y z. Empty: lo is infinite, so the box is within no radius.
typedef struct CellBox {
    float lo[3], hi[3];
} CellBox;

typedef struct AabbGrid {
    float radius;
    CellOrder order;
    CellBox *box; // of each entry of the order
    size_t box_capacity;
} AabbGrid;

static Result create(float radius, void **state)
{
    AabbGrid *grid = memory_allocate_zeroed(sizeof *grid);
    if (!grid) return result_no_memory("neighbor search", sizeof *grid);
    grid->radius = radius;
    *state = grid;
    return result_ok();
}

static void fill_boxes(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const AabbGrid *grid = context;
    const CellOrder *order = &grid->order;
    uint64_t last = (uint64_t)end * CELL_BLOCK < order->cells ? (uint64_t)end * CELL_BLOCK : order->cells;
    for (uint64_t cell = (uint64_t)begin * CELL_BLOCK; cell < last; cell++) {
        float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (uint32_t p = cell_order_first(order, cell); p < cell_order_first(order, cell + 1); p++) {
            const float at[3] = {order->x[p], order->y[p], order->z[p]};
            for (int axis = 0; axis < 3; axis++) {
                lo[axis] = at[axis] < lo[axis] ? at[axis] : lo[axis];
                hi[axis] = at[axis] > hi[axis] ? at[axis] : hi[axis];
            }
        }
        memcpy(grid->box[cell].lo, lo, sizeof lo);
        memcpy(grid->box[cell].hi, hi, sizeof hi);
    }
}

static Result build(void *state, const PointSet *points)
{
    AabbGrid *grid = state;
    TRY(cell_order_build(&grid->order, grid->radius, points));
    TRY(memory_reserve((void **)&grid->box, &grid->box_capacity, 0, grid->order.cells, sizeof(CellBox), "cell boxes"));
    parallel_for((uint32_t)((grid->order.cells + CELL_BLOCK - 1) / CELL_BLOCK), 1, fill_boxes, grid);
    return result_ok();
}

// What the points of a cell have in common: the cells around it, their boxes, and where their points start in the list.
typedef struct Surroundings {
    CandidateBoxes boxes;
    uint32_t start[CELLS_AROUND + 1];
    uint32_t count, own;
} Surroundings;

static void add_cell(const AabbGrid *grid, uint64_t cell, uint32_t points, Surroundings *around)
{
    const CellBox *box = &grid->box[cell];
    uint32_t k = around->count++;
    for (int axis = 0; axis < 3; axis++) {
        around->boxes.lo[axis][k] = box->lo[axis];
        around->boxes.hi[axis][k] = box->hi[axis];
    }
    around->start[k + 1] = around->start[k] + points;
}

static bool pack(const AabbGrid *grid, const CellWalk *walk, RowWriter *writer, Surroundings *around)
{
    const CellOrder *order = &grid->order;
    uint64_t total = 0;
    around->count = 0;
    around->start[0] = 0;
    for (int row = 0; row < 9; row++) {
        for (uint64_t cell = walk->row[row].low; cell < walk->row[row].high; cell++) {
            uint32_t points = cell_order_first(order, cell + 1) - cell_order_first(order, cell);
            if (cell == walk->cell) around->own = around->count;
            if (points > 0) add_cell(grid, cell, points, around);
            total += points;
        }
    }
    for (uint32_t k = around->count; k < CANDIDATES_BOXES; k++) {
        for (int axis = 0; axis < 3; axis++) around->boxes.lo[axis][k] = around->boxes.hi[axis][k] = INFINITY;
    }
    Candidates *list = row_list(writer, total);
    if (!list) return false;
    for (int row = 0; row < 9; row++) {
        uint32_t begin = cell_order_first(order, walk->row[row].low);
        uint32_t end = cell_order_first(order, walk->row[row].high);
        if (begin < end) writer->kernel->append(list, order->x, order->y, order->z, order->index, begin, end);
    }
    writer->kernel->close(list);
    return true;
}

// Tests the cells in `mask` against place, which is at position `self` of the list. Cells that are next to each other
// in the list are one range.
static void filter_row(const CellOrder *order, const Surroundings *around, uint32_t mask, uint32_t place, uint32_t self,
                       RowWriter *writer)
{
    const Candidates *list = &writer->list;
    float x = order->x[place], y = order->y[place], z = order->z[place];
    uint32_t *out = row_open(writer, list->count);
    if (!out) return;
    uint32_t count = 0, tested = 0;
    while (mask) {
        uint32_t first = (uint32_t)__builtin_ctz(mask), behind = first;
        for (; mask >> behind & 1u; behind++) mask &= mask - 1;
        uint32_t begin = around->start[first], end = around->start[behind];
        tested += end - begin;
        if (self >= begin && self < end) {
            count += writer->kernel->filter_range(list, begin, self, x, y, z, writer->radius_squared, out + count);
            begin = self + 1;
        }
        count += writer->kernel->filter_range(list, begin, end, x, y, z, writer->radius_squared, out + count);
    }
    if (!list->ascending) row_sort_open(writer, count);
    row_close(writer, order->index ? order->index[place] : place, count, tested - 1);
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    const AabbGrid *grid = state;
    const CellOrder *order = &grid->order;
    CellWalk walk = {0};
    Surroundings around;
    for (uint32_t place = begin; place < end;) {
        cell_walk_to(order, place, &walk);
        if (!pack(grid, &walk, writer, &around)) return;
        uint32_t cell_begin = cell_order_first(order, walk.cell), last = cell_order_first(order, walk.cell + 1);
        for (; place < last && place < end; place++) {
            uint32_t mask = writer->kernel->boxes_within(&around.boxes, order->x[place], order->y[place],
                                                         order->z[place], writer->radius_squared);
            filter_row(order, &around, mask, place, around.start[around.own] + place - cell_begin, writer);
            if (writer->failed) return;
        }
    }
}

static void release(void *state)
{
    AabbGrid *grid = state;
    cell_order_free(&grid->order);
    memory_free(grid->box);
    memory_free(grid);
}

static MethodBytes bytes(const void *state)
{
    const AabbGrid *grid = state;
    MethodBytes held = cell_order_bytes(&grid->order);
    held.total += grid->order.cells * sizeof(CellBox);
    return held;
}

const NeighborMethod neighbor_aabb_grid = {
    .name = "aabb_grid",
    .summary = "the uniform grid with a box around each cell's points; a third fewer distance tests",
    .create = create,
    .build = build,
    .find = find,
    .release = release,
    .bytes = bytes,
};
