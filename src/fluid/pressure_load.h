// What the pressure of the coarse grid does to bodies and to the tank.
#ifndef PBF_FLUID_PRESSURE_LOAD_H
#define PBF_FLUID_PRESSURE_LOAD_H

#include "fluid/pressure_grid.h"

// Adds what a body (or CONTACT_TANK) did to the water in the last projection, through the faces that it
// closes: volume x move (m^4), and the same times its arm from the domain's corner (m^5).
void pressure_load(const PressureGrid *grid, const Obstacles *obstacles, uint32_t body, double push[3],
                   double turn[3]);

#endif
