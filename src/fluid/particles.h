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

// All streams have room for `capacity` particles and are 64-byte aligned.
typedef struct Particles {
    uint32_t count, capacity;
    PARTICLE_STREAMS();  // of the last step's end; during a step its own
    float *px, *py, *pz; // m, positions that the step works on
    float *qx, *qy, *qz; // their next version; also velocities on their way, and room for the reorder
    float *volume;       // rho0 / rho
    float *lambda;       // m^2
    float *curl_x, *curl_y, *curl_z; // 1/s
    float *normal_x, *normal_y, *normal_z;
    SortBuffers sort;
    PointCell *bounds; // of blocks of particles, while they are ordered
    size_t bounds_capacity;
} Particles;

// Makes room for `capacity` particles and keeps those that are there. Errors: RESULT_NO_MEMORY; nothing
// changed then.
Result particles_reserve(Particles *particles, uint32_t capacity);
void particles_free(Particles *particles);

// Bytes that particles_reserve takes for one particle.
uint64_t particles_bytes_each(void);

// Says for a predicted position whether the particle is to be removed.
typedef bool ParticleFilter(Vec3 position, const void *context);

// Predicts px = x + dt (v + dt gravity), sets v to that velocity, and puts all particles in the given order
// of their predictions, those that it does not tell apart as before. Particles that `removed` (may be NULL)
// picks by their position now are dropped. The order depends on positions alone.
Result particles_predict(Particles *particles, float dt, Vec3 gravity, PointOrder order,
                         ParticleFilter *removed, const void *context);

// Fills the slots behind the last particle, up to a whole vector, with predictions out of everybody's reach.
void particles_pad(Particles *particles);

#endif
