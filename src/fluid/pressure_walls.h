// Which cells and faces of the pressure grid are open to water.
#ifndef PBF_FLUID_PRESSURE_WALLS_H
#define PBF_FLUID_PRESSURE_WALLS_H

#include "fluid/pressure_grid.h"

// A cell less open than this is wall. Water that runs along a body stops where cells that it passes are
// walls.
#define PRESSURE_LEAST_OPEN 0.1f

// A cell with less water than this, of its open volume, is air: as much as linear weights give a cell whose
// center is at the surface.
#define PRESSURE_LEAST_FILL 0.5f

static inline bool pressure_wall(const PressureGrid *grid, size_t k)
{
    return grid->open[k] < PRESSURE_LEAST_OPEN;
}

static inline bool pressure_water(const PressureGrid *grid, size_t k)
{
    return !pressure_wall(grid, k) && grid->fill[k] > PRESSURE_LEAST_FILL;
}

// Writes grid->open and grid->gate within grid->look. same: the cells are those of the last call, so that
// only what bodies have left or reached since is looked at. Errors: RESULT_NO_MEMORY.
Result pressure_walls(PressureGrid *grid, const Obstacles *obstacles, bool same);

// Writes grid->full of own cells in a box. Walls are known within a cell of them.
void pressure_full(PressureGrid *grid, CellBox box);

// Cells know bodies by so many places along each axis.
#define PRESSURE_PLACES 4

// Whether all bodies in a cell and half a cell around it are boxes along the axes, whose sides gates follow
// as they do the tank's.
bool pressure_sides_straight(const PressureGrid *grid, size_t k);

#define PRESSURE_NO_MOVER UINT32_MAX

// The body nearest to a cell, if it reaches into it or one around it and moves; else PRESSURE_NO_MOVER. Where
// many bodies are near, it is one of the first 16.
uint32_t pressure_mover(const PressureGrid *grid, size_t k);

// The center of a cell's lower face along an axis.
Vec3 pressure_face_center(const PressureGrid *grid, size_t k, int axis);

// m: what bodies are thickened by, where places are so far apart that a thin plate would be missed.
float pressure_thickening(const PressureGrid *grid);

// The share of a cell that bodies cover of its half toward a side: of the axis, -1 or 1.
float pressure_covered_half(const PressureGrid *grid, size_t k, int axis, int sign);

#endif
