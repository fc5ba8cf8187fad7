// Cubic cells a little wider than the radius. Cell k of an axis spans [k, k+1) edges, counted from coordinate
// 0 and not from the box of the points, so a point changes its cell only when it moves.
#ifndef PBF_NEIGHBOR_CELL_FRAME_H
#define PBF_NEIGHBOR_CELL_FRAME_H

#include "neighbor/method.h"

// Cells are this much wider than the radius. Without it float rounding can put two points that are exactly
// one radius apart two cells apart.
#define CELL_MARGIN 1.0001f

// Cells along an axis at most, 2^21. A float further than 2^20 cells from 0 is coarser than an eighth of a
// cell: points out there cannot be simulated and share the outermost cell.
#define CELL_AXIS_MAX 2097152.0

typedef struct CellFrame {
    double inverse;  // 1 / edge of a cell, 1/m
    double first[3]; // number of the first cell
    double last[3];  // of the last one, counted from the first
    uint64_t size[3];
} CellFrame;

// The cells that points can lie in.
CellFrame cell_frame(const PointSet *points);

// The cells around most points: a few strays per thousand are left out. Points outside of a frame count as in
// its outermost cells, which keeps neighbors in cells next to each other, so any frame gives the same rows.
CellFrame cell_frame_of_most(const PointSet *points);

// Number of the cell along an axis, from 0. Coordinates are taken in double precision: a float cannot tell a
// place 1e6 cells away to within the margin.
static inline uint32_t cell_of(const CellFrame *frame, int axis, float coordinate)
{
    double cell = (double)coordinate * frame->inverse - frame->first[axis];
    cell = cell > 0.0 ? cell : 0.0;
    cell = cell < frame->last[axis] ? cell : frame->last[axis];
    return (uint32_t)(int32_t)cell;
}

typedef struct CellPlace {
    uint32_t x, y, z;
} CellPlace;

// A key names a cell of the frame; keys ascend by z, then y, then x, and those of a row along x are
// consecutive.
static inline uint64_t cell_key(const CellFrame *frame, CellPlace cell)
{
    return (cell.z * frame->size[1] + cell.y) * frame->size[0] + cell.x;
}

static inline CellPlace cell_at(const CellFrame *frame, float x, float y, float z)
{
    return (CellPlace){cell_of(frame, 0, x), cell_of(frame, 1, y), cell_of(frame, 2, z)};
}

// Appends the box of the cube of 2^power cells an edge that holds a cell (counted from the frame's first).
Result cell_box_add(NeighborBoxes *boxes, const CellFrame *frame, CellPlace cell, uint32_t power,
                    uint32_t points, uint32_t level);

// Keys of points, or of places in a list of keys that was made before.
typedef struct CellKeys {
    const CellFrame *frame;
    const PointSet *points;
    const uint64_t *listed; // NULL: compute them
} CellKeys;

// Number of keys that are handled at a time.
#define CELL_KEYS_CHUNK 512u

// Keys begin..end-1, at most a chunk; from the list, or computed into `room`.
const uint64_t *cell_keys(const CellKeys *keys, uint32_t begin, uint32_t end, uint64_t *room);

// The key in front of `begin`, `none` if there is none.
uint64_t cell_keys_before(const CellKeys *keys, uint32_t begin, uint64_t none);

#endif
