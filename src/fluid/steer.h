// What a hand does to a fluid between two steps: push and pull water, drop a ball of it, move a body.
// Deterministic: the same calls before the same steps give the same states. A stored state (fluid_store) does
// not know of pushes that wait.
#ifndef PBF_FLUID_STEER_H
#define PBF_FLUID_STEER_H

#include "fluid/fluid.h"

#include <stdbool.h>
#include <stdint.h>

#define FLUID_FORCES_MAX 8

// An acceleration of the water in a ball. With s the distance from its center in radii it is
//   along * (1 - s^2)^2 + direction to the center * toward * 3.49 s (1 - s^2)^2:
// full in the center (along) or at s = 0.45 (toward), smoothly none at the rim.
typedef struct FluidForce {
    Vec3 center;  // m, domain coordinates
    float radius; // m, > 0
    float toward; // m/s^2 to the center, negative away from it
    Vec3 along;   // m/s^2
} FluidForce;

// Sets the forces of the next step, at most FLUID_FORCES_MAX; after it they are gone. Instead of those that
// were set before.
void fluid_set_forces(Fluid *fluid, const FluidForce *forces, uint32_t count);

// Adds a ball of water at rest density with one velocity (m/s), as far as there is room: places nearer than
// half a spacing to obstacles or closed walls, or nearer than 0.9 spacings to a particle, stay empty. A ball
// of more than `limit` particles is made smaller. *added (may be NULL) is how many there are. Errors:
// RESULT_NO_MEMORY.
Result fluid_add_ball(Fluid *fluid, Vec3 center, float radius, Vec3 velocity, uint32_t limit,
                      uint32_t *added);

// Moves a body by an offset (m) from where it is or is going, at `speed` (m/s, > 0), from the next step on.
// It sweeps through the water as bodies on a path do, and the steps are as short as its speed asks for. A
// body with a motion of its own keeps that beside it. Errors: RESULT_NO_MEMORY.
Result fluid_shift_obstacle(Fluid *fluid, uint32_t body, Vec3 offset, float speed);

// The pose that its motion gives a body now, without shifts.
RigidPose fluid_obstacle_pose(const Fluid *fluid, uint32_t body);

// Leads a body from where it is to a pose (domain coordinates), evenly, so that it arrives at time `arrival`
// (s); it rests there. From the next step on this takes the place of the motion that its definition says, and
// of an earlier lead. It sweeps through the water as bodies on a path do, and the steps are as short as its
// speed asks for. Error: RESULT_USAGE unless arrival is later than the fluid's time.
Result fluid_lead_obstacle(Fluid *fluid, uint32_t body, const RigidPose *to, double arrival);

// The lead that a body follows; false if it follows none. A stored state does not hold it: put it into the
// restored fluid with fluid_restore_lead. Errors: RESULT_USAGE for a lead that no fluid has,
// RESULT_NO_MEMORY.
bool fluid_obstacle_lead(const Fluid *fluid, uint32_t body, Lead *out);
Result fluid_restore_lead(Fluid *fluid, uint32_t body, const Lead *lead);

// Does the body still have a way to go?
bool fluid_obstacle_shifting(const Fluid *fluid, uint32_t body);

#endif
