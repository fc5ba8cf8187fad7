// What the grids have in common: points in the order of cells, and a walk over them cell by cell.
#ifndef PBF_NEIGHBOR_CELL_GRID_H
#define PBF_NEIGHBOR_CELL_GRID_H

#include "neighbor/cell_order.h"

typedef struct CellGrid {
    float radius;
    CellOrder order;
} CellGrid;

// create, build, release and bytes of a method whose state is this.
Result cell_grid_create(float radius, void **state);
Result cell_grid_build(void *state, const PointSet *points);
void cell_grid_release(void *state);
MethodBytes cell_grid_bytes(const void *state);

// Fills writer->list with the candidates of the walk's cell. Returns the position of the cell's first point.
typedef uint32_t CellPack(const CellOrder *order, const CellWalk *walk, RowWriter *writer);

// Writes rows begin..end-1.
void cell_grid_find(const CellGrid *grid, uint32_t begin, uint32_t end, RowWriter *writer, CellPack *pack);

#endif
