// What a step asks of emitters and drains.
#ifndef PBF_FLUID_EMITTER_RUN_H
#define PBF_FLUID_EMITTER_RUN_H

#include "fluid/emitter.h"

// How many particles leave in [t0, t1).
uint32_t emitter_pending(const EmitterDef *emitter, float spacing, double t0, double t1);

// Writes their positions and velocities at t0; returns their number. Columns of particles are ahead of each
// other, as if they had left earlier and fallen since. scratch holds a layer, position and velocity the
// pending ones.
uint32_t emitter_emit(const EmitterDef *emitter, float spacing, Vec3 gravity, double t0, double t1,
                      Vec3 *scratch, Vec3 *position, Vec3 *velocity);

// Is a particle there removed at time t?
bool drain_removes(const DrainDef *drain, Vec3 position, double t);

#endif
