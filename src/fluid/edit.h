// Changes of single particles between two steps, by a program that uses the fluid. Particles are named by
// their ids, which never change; positions are domain coordinates. Each call does all or nothing.
#ifndef PBF_FLUID_EDIT_H
#define PBF_FLUID_EDIT_H

#include "fluid/fluid.h"

#include <stdint.h>

// Adds particles, each with a velocity of its own (m/s; NULL: at rest). The ids count up from *first_id (may
// be NULL). Errors: RESULT_USAGE for numbers that are not finite, speeds above 1000 m/s, and places outside
// of closed walls of the tank (the message names the first); RESULT_FAILED where ids run out;
// RESULT_NO_MEMORY.
Result fluid_add_each(Fluid *fluid, const Vec3 *positions, const Vec3 *velocities, uint32_t count,
                      uint32_t *first_id);

// Removes particles. Errors: RESULT_USAGE for an id that no particle has, RESULT_NO_MEMORY.
Result fluid_remove(Fluid *fluid, const uint32_t *ids, uint32_t count);

// Changes positions or velocities (either may be NULL) of particles; ids NULL: of all, in memory order. A
// particle that is named twice gets the last values. Errors: RESULT_USAGE as of fluid_add_each and
// fluid_remove, or, without ids, where count is not the number of particles; RESULT_NO_MEMORY.
Result fluid_change_particles(Fluid *fluid, const uint32_t *ids, uint32_t count, const Vec3 *positions,
                              const Vec3 *velocities);

#endif
