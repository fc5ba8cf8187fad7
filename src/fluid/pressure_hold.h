// What walls do to water that gravity pulls at: floors carry it, roofs do not.
#ifndef PBF_FLUID_PRESSURE_HOLD_H
#define PBF_FLUID_PRESSURE_HOLD_H

#include "fluid/pressure_grid.h"

// What holds water up at a closed face (m, along axis a, below cell k), so that what gravity adds to a step
// does not go on between it and the centers of the cells there: all of it on a floor, below a roof as much as
// leaves pressure at the roof.
float pressure_held_at_wall(const PressureGrid *grid, uint32_t a, size_t k);

// After a solution: water that suction alone would hold at a roof may leave it. Returns whether there is any,
// of all processes, and the equation has to be solved again. Where no water has a free surface there is
// nothing that could take its place.
bool pressure_let_go(PressureGrid *grid, const Links *links);

#endif
