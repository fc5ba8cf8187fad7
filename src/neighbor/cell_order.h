// Points in the order of the cells they lie in: by z, then y, then x, and by index inside a cell. The cells
// of a row along x that touch each other are therefore one contiguous range of points. Used by the grids.
#ifndef PBF_NEIGHBOR_CELL_ORDER_H
#define PBF_NEIGHBOR_CELL_ORDER_H

#include "neighbor/cell_runs.h"
#include "neighbor/point_sort.h"

typedef struct CellOrder {
    CellFrame frame;
    uint32_t count;         // points
    const float *x, *y, *z; // in cell order
    const uint32_t *index;  // place -> point; NULL if they are the same
    bool dense;             // a table of all cells; else a sorted list of those that hold points
    uint64_t cells;         // entries of the one or the other
    uint32_t *start;        // dense: first place of each cell, one entry more than cells
    CellRuns listed;        // not dense: key and first place of each
    size_t start_capacity;
    PointSort sort; // for frames that leave points out
} CellOrder;

// Finds the runs of the points (order->listed), one for each cell, for methods that file runs. Makes no
// table. Uses parallel_for.
Result cell_order_file(CellOrder *order, float radius, const PointSet *points);
MethodBytes cell_order_file_bytes(const CellOrder *order);

// The cell of a run.
static inline CellPlace cell_order_run(const CellOrder *order, uint32_t run)
{
    uint32_t place = order->listed.first[run];
    return cell_at(&order->frame, order->x[place], order->y[place], order->z[place]);
}

// Packs runs into writer->list, those that follow each other in memory in one piece.
typedef struct RunPacker {
    RowWriter *writer;
    const CellOrder *order;
    uint32_t begin, end; // places that are not appended yet
} RunPacker;

// Appends what waits.
static inline void run_pack_finish(RunPacker *packer)
{
    const CellOrder *order = packer->order;
    if (packer->begin < packer->end)
        row_list_append(packer->writer, order->x, order->y, order->z, order->index, packer->begin,
                        packer->end);
}

// Adds a run. Returns the position in the list that its first point is going to have.
static inline uint32_t run_pack(RunPacker *packer, uint32_t run)
{
    uint32_t first = packer->order->listed.first[run], end = packer->order->listed.first[run + 1];
    if (first != packer->end) {
        run_pack_finish(packer);
        packer->begin = first;
    }
    packer->end = end;
    return packer->writer->list.count + first - packer->begin;
}

// Builds the order. All zero before the first call. Uses parallel_for.
Result cell_order_build(CellOrder *order, float radius, const PointSet *points);
void cell_order_free(CellOrder *order);
MethodBytes cell_order_bytes(const CellOrder *order);

// Appends the cells that hold points, of an order that was built.
Result cell_order_boxes(const CellOrder *order, NeighborBoxes *boxes);

// The same of runs that were filed, where a cell may have several.
Result cell_order_file_boxes(const CellOrder *order, NeighborBoxes *boxes);

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

// Goes to the cell that holds `place`. walk is all zero before the first call; places ascend from call to
// call.
void cell_walk_to(const CellOrder *order, uint32_t place, CellWalk *walk);

#endif
