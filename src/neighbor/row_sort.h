// Sorting one row of neighbor indices. Rows come as a few ascending runs, one per cell they were taken from,
// so runs are merged instead of sorting from scratch; a row that ascends costs one look.
#ifndef PBF_NEIGHBOR_ROW_SORT_H
#define PBF_NEIGHBOR_ROW_SORT_H

#include <stdint.h>

// Sorts row[0..count) ascending; spare has room for as many.
void row_sort(uint32_t *row, uint32_t count, uint32_t *spare);

#endif
