// Shape queries over points in a dense grid: points sorted by cells of one size (counting sort), cells of a
// row along x next to each other in memory, so that a query tests whole rows, sixteen points at a time.
//
// Worth its build from a few queries on (tools/bench/README.md); for one query over moving points the
// scan of Kim and Lee (reference/shape_reference.h) is faster.
#ifndef PBF_NEIGHBOR_SHAPE_INDEX_H
#define PBF_NEIGHBOR_SHAPE_INDEX_H

#include "core/result.h"
#include "neighbor/neighbor.h"
#include "neighbor/shape/shape_kernel.h"

// All zero before the first build; free with shape_index_free.
typedef struct ShapeIndex {
    float *x, *y, *z;  // of the points in the order of cells, m
    uint32_t *index;   // the caller's numbers of them
    uint32_t *first;   // of each cell, in the order of z, y, x; and one past the last
    uint32_t *cell_of; // of the caller's points
    uint32_t count;
    bool flat;
    float edge, inverse; // of a cell, m and 1/m
    float lo[3], hi[3];  // box of the points, m
    uint32_t size[3];    // cells along the axes
    size_t x_capacity, y_capacity, z_capacity, index_capacity, first_capacity, of_capacity;
} ShapeIndex;

// Which rows of cells a query looks at; what it finds is the same.
typedef enum ShapeRowChoice {
    SHAPE_ROWS_BALL, // of the box around the ball of the shape's reach: fastest up to about the size of a
                     // cell
    SHAPE_ROWS_BOX,  // of the shape's own box: fastest for shapes up to two cells long
    SHAPE_ROWS_CUT,  // of that box, each cut to the shape: for longer ones and many points
    SHAPE_ROW_CHOICES,
} ShapeRowChoice;

// Sorts the points into cells. dimensions: 2 or 3; with 2, z is 0 everywhere and not looked at. cell: edge of
// the cells, m, about the usual reach (half of it for SHAPE_ROWS_CUT); wider where there would be many more
// cells than points. Any cell is correct. Takes O(points) on the calling thread. Errors: RESULT_NO_MEMORY;
// RESULT_FAILED for a coordinate that is not finite (the message names the point).
Result shape_index_build(ShapeIndex *index, PointView points, uint32_t dimensions, float cell);
void shape_index_free(ShapeIndex *index);

// Makes room for builds of up to so many points, which then cannot fail for lack of memory. Errors:
// RESULT_NO_MEMORY.
Result shape_index_reserve(ShapeIndex *index, uint32_t points, uint32_t dimensions);
uint64_t shape_index_bytes(const ShapeIndex *index);

// Writes the numbers of all points inside to `out`, in the order of cells; returns how many. `out` has room
// for all points of the index and SHAPE_LANES more. Adds the number of points tested to *tested unless it is
// NULL. Threads may call it at once.
uint32_t shape_index_find(const ShapeIndex *index, const ShapeQuery *query, ShapeRowChoice rows,
                          uint32_t *out, uint64_t *tested);

// For loops of one's own over a ball no wider than two cells: writes the ranges of places that hold all
// points inside, and others, of the index's streams; returns how many. Threads may call it at once.
#define SHAPE_ROWS_MAX 16u
uint32_t shape_index_rows(const ShapeIndex *index, Vec3 at, float radius, PlaceRange rows[SHAPE_ROWS_MAX]);
// Of the cell that a place is in and those around it: the ranges of places, ascending; *end: where the cell's
// own end. behind: without rows of cells that lie before the cell.
uint32_t shape_index_near_rows(const ShapeIndex *index, uint32_t place, bool behind,
                               PlaceRange rows[SHAPE_ROWS_MAX], uint32_t *end);
// Along the slowest axis, z: where the points of a layer of cells begin. layer: 0..size[2].
static inline uint32_t shape_index_layer(const ShapeIndex *index, uint32_t layer)
{
    return index->first[(size_t)layer * index->size[0] * index->size[1]];
}

#endif
