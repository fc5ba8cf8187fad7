// Keeps the momentum of water that touches neither wall nor nozzle: a displacement that was read between the
// cells of a grid does so only nearly.
#ifndef PBF_FLUID_PRESSURE_FREE_H
#define PBF_FLUID_PRESSURE_FREE_H

#include "fluid/pressure_grid.h"

// As many connected waters at most have their momentum kept; further ones are single drops of a splash.
#define FREE_WATER_MAX 1024

// Bytes of grid->free_water.
size_t pressure_free_bytes(void);

// Takes the mean translation and rotation out of job->move for every connected water that is free, and the
// whole move of particles further than a cell from all water.
void pressure_free(PressureGrid *grid, const PressureJob *job);

#endif
