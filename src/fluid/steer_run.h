// What a step asks of the commands.
#ifndef PBF_FLUID_STEER_RUN_H
#define PBF_FLUID_STEER_RUN_H

#include "fluid/steer.h"

// Bounds of what the commands do to water and bodies, for the length of the step.
double steer_acceleration(const Fluid *fluid); // m/s^2
double steer_speed(const Fluid *fluid);        // m/s

// A particle's velocity (m/s) after the forces have acted on it for dt (s).
Vec3 steer_push(const Fluid *fluid, double dt, Vec3 position, Vec3 velocity);

// Room for the ways of all bodies, none of which has one yet. Error: RESULT_NO_MEMORY.
Result steer_reserve(Fluid *fluid);

// Shifts the bodies by what they move in dt.
void steer_shift(Fluid *fluid, double dt);

// A step of dt has done what the commands asked of it: forces are forgotten, ways are shorter.
void steer_done(Fluid *fluid, double dt);

#endif
