// What a step asks of emitters and drains.
#ifndef PBF_FLUID_EMITTER_RUN_H
#define PBF_FLUID_EMITTER_RUN_H

#include "core/mat3.h"
#include "fluid/emitter.h"

// How many particles leave in [t0, t1).
uint32_t emitter_pending(const EmitterDef *emitter, float spacing, double t0, double t1);

// Room for them.
typedef struct EmittedPoints {
    Vec3 *position, *velocity; // m, m/s, at t0
    float *release;            // s, when each will have come `reach` m beyond the nozzle
} EmittedPoints;

// Writes them; returns their number. Columns of particles leave one after the other, not as layers. Streams
// that gravity slows down widen from the nozzle on.
uint32_t emitter_emit(const EmitterDef *emitter, float spacing, float reach, Vec3 gravity, double t0,
                      double t1, const EmittedPoints *out);

// What is at a nozzle: among its new particles, or beside them.
typedef struct EmitterMouth {
    Mat3 turn;
    Vec3 position, half; // m; of a disc half.x is the radius
    bool disc;
    float speed; // m/s
} EmitterMouth;

EmitterMouth emitter_mouth(const EmitterDef *emitter, float spacing);
bool emitter_at_mouth(const EmitterMouth *mouth, Vec3 position);

// Whether any has left in [t0, t1), or as long before t0 as a layer takes to come out.
bool emitter_blows(const EmitterDef *emitter, float spacing, double t0, double t1);

// Is a particle there removed at time t?
bool drain_removes(const DrainDef *drain, Vec3 position, double t);

#endif
