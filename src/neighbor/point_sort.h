// Sorts points by the cells they lie in: by z, then y, then x, and by index inside a cell.
#ifndef PBF_NEIGHBOR_POINT_SORT_H
#define PBF_NEIGHBOR_POINT_SORT_H

#include "core/sort.h"
#include "neighbor/cell_frame.h"

// Buffers kept between calls; zero-initialize, free with point_sort_free.
typedef struct PointSort {
    SortBuffers sort;
    float *copy; // x, y, z after each other
    size_t copy_capacity;
} PointSort;

// Makes room for `count` points. Memory that is never written costs nothing. Error: RESULT_NO_MEMORY.
Result point_sort_reserve(PointSort *sort, uint32_t count);
void point_sort_free(PointSort *sort);
uint64_t point_sort_bytes(uint32_t count); // of a sorted copy of this many points

// If points are not in the order of the frame's cells, makes *points a sorted copy in the buffers and *index
// the point of each place; else leaves them and sets *index to NULL. Sets points->keys. Uses parallel_for.
void point_sort_run(PointSort *sort, const CellFrame *frame, PointSet *points, const uint32_t **index);

#endif
