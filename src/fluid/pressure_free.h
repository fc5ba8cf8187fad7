// Keeps the momentum of water that touches neither wall nor nozzle: a displacement that was read between the
// cells of a grid does so only nearly.
#ifndef PBF_FLUID_PRESSURE_FREE_H
#define PBF_FLUID_PRESSURE_FREE_H

#include "fluid/pressure_cells.h"

// As many connected waters at most have their momentum kept; further ones are single drops of a splash.
#define FREE_WATER_MAX 1024

// Bytes of grid->free_water.
size_t pressure_free_bytes(void);

// Names the connected waters of the grid's cells: grid->waters.
void pressure_free_name(PressureGrid *grid);

// The same where processes divide the cells (pressure_waters.c): the same names.
void pressure_waters_name(PressureGrid *grid);

// Gives the water that is connected with a cell, among these, a name; returns whether a wall holds it.
bool pressure_free_flood(PressureGrid *grid, CellBox among, size_t start, uint32_t name);

// The name of the next water, whose lowest cell this is: waters beyond FREE_WATER_MAX share one and count as
// held.
uint32_t pressure_free_next(PressureGrid *grid, size_t first);
void pressure_free_hold(PressureGrid *grid, uint32_t name);

// Whether the water of an own cell touches a wall.
bool pressure_water_held(const PressureGrid *grid, size_t k);

// After pressure_free_name. Takes the mean translation and rotation out of the particles' moves for every
// connected water that is free, and the whole move of particles further than a cell from all water; says
// which water particles are in.
void pressure_free(GridJob *job);

#endif
