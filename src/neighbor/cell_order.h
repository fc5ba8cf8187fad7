// Points in the order of the cells they lie in: by z, then y, then x, and by index inside a cell. The cells
// of a row along x that touch each other are therefore one contiguous range of points. Used by the grids (CSR
// of points by cell).
#ifndef PBF_NEIGHBOR_CELL_ORDER_H
#define PBF_NEIGHBOR_CELL_ORDER_H

#include "neighbor/cell_runs.h"
#include "neighbor/point_sort.h"

typedef struct CellOrder {
    CellFrame frame;
    PointStreams points; // in cell order
    uint32_t count;
    bool dense;      // a table of all cells; else a sorted list of those that hold points
    uint64_t cells;  // entries of the one or the other
    uint32_t *start; // dense: first place of each cell, one entry more than cells
    CellRuns listed; // not dense: key and first place of each
    size_t start_capacity;
    PointSort sort; // for frames that leave points out
} CellOrder;

// build, release, bytes and boxes (the cells that hold points) of a method whose state is a CellOrder.
Result cell_order_build(void *state, const PointSet *points);
void cell_order_release(void *state);
MethodBytes cell_order_bytes(const void *state);
Result cell_order_boxes(const void *state, NeighborBoxes *boxes);

// First place of cell `id`, an entry of the table or of the list; that of the cell behind the last is the
// end.
static inline uint32_t cell_order_first(const CellOrder *order, uint64_t id)
{
    return order->dense ? order->start[id] : order->listed.first[id];
}

// Cells next to each other along x: entries low..high-1.
typedef struct CellRow {
    uint64_t low, high;
} CellRow;

// A walk over places in ascending order, cell by cell.
typedef struct CellWalk {
    uint64_t cell;      // entry of the cell itself
    CellRow row[9];     // the cells around it and itself, by z and y; nothing where the frame ends
    uint32_t cursor[9]; // not dense: where the last search of each row ended
} CellWalk;

// Fills writer->list with the candidates of the walk's cell. Returns the position of the cell's first point.
typedef uint32_t CellPack(const CellOrder *order, const CellWalk *walk, RowWriter *writer);

// Writes rows begin..end-1, cell by cell.
void cell_order_find(const CellOrder *order, uint32_t begin, uint32_t end, RowWriter *writer, CellPack *pack);

#endif
