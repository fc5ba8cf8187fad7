// The uniform grid with a box around the points that are really in each cell (Takeshita, section 3.3). A cell
// is tested only where its box comes within the radius of the point, which spares a third of the distance
// tests in water and more at its surface, for 24 bytes a cell and 27 box tests a point. Good where distance
// tests are dear. Here a vector does 4 to 16 at once, and the boxes cost more than they spare: 6 % more time
// than uniform_grid without wide vectors, half as much again with AVX2 or AVX-512.
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
    TRY(memory_reserve((void **)&grid->box, &grid->box_capacity, 0, grid->order.cells, sizeof(CellBox),
                       "cell boxes"));
    parallel_for((uint32_t)((grid->order.cells + CELL_BLOCK - 1) / CELL_BLOCK), 1, fill_boxes, grid);
    return result_ok();
}

// What the points of a cell have in common: the cells around it and their boxes, and which of these cells
// each vector of the candidates has points of, as bits.
typedef struct Surroundings {
    CandidateBoxes boxes;
    uint32_t points[CANDIDATES_BOXES]; // in each cell
    uint32_t digit[32]; // bit k of entry d: digit d of points[k]. Sums over cells are then a few bit counts
    uint32_t digits;
    uint32_t count;
    uint32_t own; // position of the cell's own points in the list
} Surroundings;

static void add_cell(const AabbGrid *grid, uint64_t cell, uint32_t points, Surroundings *around)
{
    const CellBox *box = &grid->box[cell];
    uint32_t k = around->count++;
    for (int axis = 0; axis < 3; axis++) {
        around->boxes.lo[axis][k] = box->lo[axis];
        around->boxes.hi[axis][k] = box->hi[axis];
    }
    around->points[k] = points;
    for (; points >> around->digits; around->digits++) around->digit[around->digits] = 0;
    for (uint32_t d = 0; points >> d; d++) around->digit[d] |= (points >> d & 1u) << k;
}

static uint32_t points_in(const Surroundings *around, uint32_t cells)
{
    uint32_t sum = 0;
    for (uint32_t d = 0; d < around->digits; d++)
        sum += (uint32_t)__builtin_popcount(around->digit[d] & cells) << d;
    return sum;
}

static void pack(const AabbGrid *grid, const CellWalk *walk, RowWriter *writer, Surroundings *around)
{
    const CellOrder *order = &grid->order;
    around->count = around->digits = 0;
    row_list_start(writer);
    for (int row = 0; row < 9; row++) {
        uint32_t first = cell_order_first(order, walk->row[row].low), begin = first;
        for (uint64_t cell = walk->row[row].low; cell < walk->row[row].high; cell++) {
            uint32_t end = cell_order_first(order, cell + 1);
            if (cell == walk->cell) around->own = writer->list.count + begin - first;
            if (begin < end) add_cell(grid, cell, end - begin, around);
            begin = end;
        }
        if (first < begin) row_list_append(writer, order->x, order->y, order->z, order->index, first, begin);
    }
    for (uint32_t k = around->count; k < CANDIDATES_BOXES; k++) {
        for (int axis = 0; axis < 3; axis++) around->boxes.lo[axis][k] = around->boxes.hi[axis][k] = INFINITY;
    }
    if (!writer->failed) writer->kernel->close(&writer->list);
}

// The cells that each vector has points of. The vectors' borders know nothing of the cells'. False: memory is
// short.
static bool group(const Surroundings *around, RowWriter *writer)
{
    uint32_t lanes = writer->kernel->lanes, vectors = (writer->list.count + lanes - 1) / lanes;
    uint32_t *groups = row_scratch(writer, (uint64_t)vectors + CANDIDATES_LANES);
    if (!groups) return false;
    memset(groups, 0, (vectors + CANDIDATES_LANES) * sizeof *groups);
    uint32_t at = 0;
    for (uint32_t k = 0; k < around->count; k++) {
        uint32_t last = (at + around->points[k] - 1) / lanes;
        for (uint32_t vector = at / lanes; vector <= last; vector++) groups[vector] |= 1u << k;
        at += around->points[k];
    }
    return true;
}

static void filter_row(const CellOrder *order, const Surroundings *around, uint32_t place, uint32_t self,
                       RowWriter *writer)
{
    const Candidates *list = &writer->list;
    const CandidateKernel *kernel = writer->kernel;
    float x = order->x[place], y = order->y[place], z = order->z[place], limit = writer->radius_squared;
    uint32_t *out = row_open(writer, list->count);
    if (!out) return;
    uint32_t mask = kernel->boxes_within(&around->boxes, x, y, z, limit);
    uint32_t count = kernel->filter_groups(list, row_scratch(writer, 0), mask, x, y, z, self, limit, out);
    if (!list->ascending) row_sort_open(writer, count);
    row_close(writer, order->index ? order->index[place] : place, count, points_in(around, mask) - 1);
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    const AabbGrid *grid = state;
    const CellOrder *order = &grid->order;
    CellWalk walk = {0};
    Surroundings around;
    for (uint32_t place = begin; place < end;) {
        cell_walk_to(order, place, &walk);
        pack(grid, &walk, writer, &around);
        if (writer->failed || !group(&around, writer)) return;
        uint32_t cell_begin = cell_order_first(order, walk.cell),
                 last = cell_order_first(order, walk.cell + 1);
        for (; place < last && place < end && !writer->failed; place++)
            filter_row(order, &around, place, around.own + place - cell_begin, writer);
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

static Result list_boxes(const void *state, NeighborBoxes *boxes)
{
    const AabbGrid *grid = state;
    for (uint64_t cell = 0; cell < grid->order.cells; cell++) {
        uint32_t first = cell_order_first(&grid->order, cell);
        uint32_t points = cell_order_first(&grid->order, cell + 1) - first;
        const CellBox *box = &grid->box[cell];
        if (points > 0) TRY(neighbor_box_add(boxes, box->lo, box->hi, points, 0));
    }
    return result_ok();
}

const NeighborMethod neighbor_aabb_grid = {
    .name = "aabb_grid",
    .summary = "the uniform grid with a box around each cell's points; a third fewer distance tests",
    .create = create,
    .build = build,
    .find = find,
    .boxes = list_boxes,
    .release = release,
    .bytes = bytes,
};
