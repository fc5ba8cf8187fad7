// What a step asks of the commands.
#ifndef PBF_FLUID_STEER_RUN_H
#define PBF_FLUID_STEER_RUN_H

#include "fluid/steer.h"

// Bounds of what the commands do to water and bodies, for the length of the step.
double steer_acceleration(const Fluid *fluid); // m/s^2
double steer_speed(const Fluid *fluid);        // m/s

// Accelerates the water of a step of dt (s) and forgets the forces.
void steer_push(Fluid *fluid, double dt);

// Shifts the bodies by what they move in dt.
void steer_shift(Fluid *fluid, double dt);

#endif
