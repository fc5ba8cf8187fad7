// What a step asks of emitters and drains.
#ifndef PBF_FLUID_EMITTER_RUN_H
#define PBF_FLUID_EMITTER_RUN_H

#include "fluid/emitter.h"

// How many particles leave in [t0, t1).
uint32_t emitter_pending(const EmitterDef *emitter, float spacing, double t0, double t1);

// Room for them.
typedef struct EmittedPoints {
    Vec3 *position, *velocity; // m, m/s, at t0
    float *release;            // s, when each will have come `reach` m beyond the nozzle
} EmittedPoints;

// Writes them; returns their number. Columns of particles are ahead of each other, as if they had left
// earlier and fallen since. Streams that gravity slows down widen from the nozzle on. scratch holds a layer.
uint32_t emitter_emit(const EmitterDef *emitter, float spacing, float reach, Vec3 gravity, double t0,
                      double t1, Vec3 *scratch, const EmittedPoints *out);

// Is a particle there removed at time t?
bool drain_removes(const DrainDef *drain, Vec3 position, double t);

#endif
