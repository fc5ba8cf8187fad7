// What programs call positions and velocities of particles.
#ifndef PBF_EXPORT_PARTICLE_NAMES_H
#define PBF_EXPORT_PARTICLE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

// Is an array of vectors with this name, which is `length` bytes long, the velocity? "velocity", "Vel", "v",
// "U".
bool particle_name_is_velocity(const char *name, size_t length);

// Which number of a particle a column or property holds: 0 to 2 for x, y, z, 3 to 5 for the velocity's, -1
// for all others. "x", "Pos.x [m]", "Points:0"; "vx", "velocity_1", "Vel.z [m/s]".
int particle_name_column(const char *name, size_t length);

#endif
