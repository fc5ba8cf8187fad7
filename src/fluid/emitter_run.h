// What a step asks of emitters and drains.
#ifndef PBF_FLUID_EMITTER_RUN_H
#define PBF_FLUID_EMITTER_RUN_H

#include "fluid/emitter.h"

// How many particles leave in [t0, t1).
uint32_t emitter_pending(const EmitterDef *emitter, float spacing, double t0, double t1);

// Writes their positions at t0 and their common velocity; returns their number. scratch holds a layer,
// position the pending ones.
uint32_t emitter_emit(const EmitterDef *emitter, float spacing, double t0, double t1, Vec3 *scratch,
                      Vec3 *position, Vec3 *velocity);

// Is a particle there removed at time t?
bool drain_removes(const DrainDef *drain, Vec3 position, double t);

#endif
