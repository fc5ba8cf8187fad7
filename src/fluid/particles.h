// The particles' memory: structure of arrays, kept in the order that the neighbor search asks for: neighbors
// in space are neighbors in memory.
#ifndef PBF_FLUID_PARTICLES_H
#define PBF_FLUID_PARTICLES_H

#include "core/result.h"
#include "core/sort.h"
#include "core/vec3.h"
#include "fluid/particle_attributes.h"
#include "neighbor/point_order.h"

#include <stdint.h>

// Scratch streams: as many as the forces need at a time, and one more than a reorder does.
enum { PARTICLE_SCRATCH = 13 };

// All streams have room for `capacity` particles and are 64-byte aligned.
typedef struct Particles {
    uint32_t count, capacity;
    PARTICLE_STREAMS();              // of the last step's end; during a step its own
    void *scratch[PARTICLE_SCRATCH]; // those that nobody has leased come first
    uint32_t free_scratch;
    SortBuffers sort;
    PointCell *bounds; // of blocks of particles, while they are ordered
    size_t bounds_capacity;
} Particles;

// Makes room for `capacity` particles and keeps those that are there; nothing may be leased. Errors:
// RESULT_NO_MEMORY; nothing changed then.
Result particles_reserve(Particles *particles, uint32_t capacity);
void particles_free(Particles *particles);

// The same while streams are leased, under these names and no others (NULL: none under that one): they keep
// what they hold.
Result particles_grow(Particles *particles, uint32_t capacity, float **const *names, uint32_t count);

// Bytes that particles_reserve takes for one particle.
uint64_t particles_bytes_each(void);

// Makes a stored attribute 0 for all particles.
void particles_clear(Particles *particles, FieldKey attribute);

// --- scratch, leased for a phase of a step ---

// A vector a particle.
typedef struct Streams3 {
    float *x, *y, *z;
} Streams3;

// Three streams one after the other in memory.
static inline Streams3 streams3_at(float *memory, size_t stride)
{
    return (Streams3){memory, memory + stride, memory + 2 * stride};
}

// Lends a stream, which then has this name alone until it is released. Its numbers are undefined; built with
// PBF_POISON (debug, sanitize), those of `count` particles are NaN from one lease to the next.
void particles_lease(Particles *particles, float **name);
void particles_lease3(Particles *particles, Streams3 *name);

// Takes it back; the name is NULL then. NULL is allowed.
void particles_release(Particles *particles, float **name);
void particles_release3(Particles *particles, Streams3 *name);

// --- the start of a step ---

// The tension's acceleration that a prediction used, m/s^2: of its particle i at order[i], or at i where
// order is NULL. Nothing: at.x is NULL.
typedef struct PredictionPull {
    Streams3 at;
    const uint32_t *order;
} PredictionPull;

// Where the next step starts: a reordered copy of the particles, which stay as they are until it is accepted.
typedef struct Prediction {
    uint32_t count;
    PARTICLE_STREAMS();    // leased: those that the next step starts from (ParticleAttribute.state)
    Streams3 at;           // leased: m, predicted positions
    const uint32_t *order; // where each was before, until the next prediction
    PredictionPull pull;   // nothing, unless somebody asks for it
} Prediction;

// What a prediction is made by.
typedef struct PredictionRule {
    float dt;      // s
    Vec3 gravity;  // m/s^2
    float tension; // share of the particles' tension_x ... that accelerates them
    PointOrder order;
    // A particle's velocity with what else accelerates it, and whether it is to be removed. NULL: none.
    Vec3 (*push)(Vec3 position, Vec3 velocity, const void *context);
    bool (*removed)(Vec3 position, const void *context);
    const void *context;
    const struct Share *share; // whose other parts count as well; NULL: none
} PredictionRule;

// Predicts x + dt v with v = push(v) + dt (gravity + tension), and puts all particles in the given order of
// their predictions, those that it does not tell apart as before. Those to be removed are left out. The order
// depends on positions alone. Errors: RESULT_NO_MEMORY; nothing changed then.
Result particles_predict(Particles *particles, const PredictionRule *rule, Prediction *out);

// The particles as a step found them, until the next one. All zero before the first use; free with
// particles_kept_free.
typedef struct ParticlesKept {
    uint32_t capacity, count;
    void *stream[PARTICLE_STREAM_COUNT];
} ParticlesKept;

// Keeps the first `count` particles while the next prediction is accepted. Errors: RESULT_NO_MEMORY; nothing
// is kept then.
Result particles_keep(const Particles *particles, uint32_t count, ParticlesKept *kept);
void particles_kept_free(ParticlesKept *kept);

// The particles become those of the prediction, whose streams go to them; `at` stays leased. kept: of
// particles_keep, gets what they were; or NULL.
void particles_accept(Particles *particles, Prediction *prediction, ParticlesKept *kept);

// The particles become what they were before the prediction was accepted. Nothing may be leased.
void particles_bring_back(Particles *particles, ParticlesKept *kept);

// Once no pass follows: what particles_pad has left behind the last particle does not look like a place.
void particles_end_step(Particles *particles);

// Fills the slots behind the last of `count` positions, up to a whole vector, with some out of everybody's
// reach.
void particles_pad(Streams3 at, uint32_t count);

#endif
