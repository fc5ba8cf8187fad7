// Walls and obstacles near particles, as planes: gathered once a step, used by every solver iteration.
#ifndef PBF_FLUID_CONTACT_H
#define PBF_FLUID_CONTACT_H

#include "core/result.h"
#include "core/vec3.h"
#include "obstacle/obstacle.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// At most so many surfaces act on one particle; the nearest win.
#define CONTACTS_PER_PARTICLE 8

// Particles whose contacts lie side by side.
#define CONTACT_LANES 16

// Tangent planes of surfaces, one of each of sixteen particles: the distance of p is dot(normal, p) - offset.
// Where a particle has none, the normal is 0 and the distance beyond everybody's reach.
typedef struct ContactLayer {
    float normal_x[CONTACT_LANES], normal_y[CONTACT_LANES], normal_z[CONTACT_LANES]; // unit, into the fluid
    float offset[CONTACT_LANES];                                                     // m
    float min_distance[CONTACT_LANES]; // m, where the particle may not get below in this step
    float thickness[CONTACT_LANES];    // m of solid behind the plane
    float friction[CONTACT_LANES];
    float no_slip[CONTACT_LANES];  // 1 where viscous fluid sticks to the surface, else 0
    float adhesion[CONTACT_LANES]; // how it attracts, of what the liquid behind it would
    // Where a body ends near a particle: the share of what is behind the plane that is solid, and the slope
    // of the solid's share in the kernel, of that of the plane (the normal, away from edges).
    float solid[CONTACT_LANES];
    float push_x[CONTACT_LANES], push_y[CONTACT_LANES], push_z[CONTACT_LANES];
    float motion_x[CONTACT_LANES], motion_y[CONTACT_LANES], motion_z[CONTACT_LANES]; // m in this step
} ContactLayer;

// Number of the tank's walls where bodies are named.
#define CONTACT_TANK UINT32_MAX

// How far the planes of a layer have moved their particles in a step, and the body that each belongs to.
typedef struct ContactLoad {
    uint32_t body[CONTACT_LANES];
    float x[CONTACT_LANES], y[CONTACT_LANES], z[CONTACT_LANES]; // m
} ContactLoad;

// All contacts of a step: those of particles 16 k to 16 k + 15 are layers[begin[k]] and so on, count[k]
// layers. A particle's nearest surface is in the first. loads: beside the layers where `measured` is set,
// else NULL; they start with what the particles were moved while contacts were gathered.
typedef struct ContactRows {
    uint32_t particles; // that they are of
    uint64_t *begin;
    uint32_t *count;
    ContactLayer *layers;
    bool measured;
    ContactLoad *loads;
    size_t begin_capacity, count_capacity, layers_capacity, loads_capacity;
} ContactRows;

typedef struct ContactGather {
    const Obstacles *obstacles;
    // Streams are padded to whole vectors of sixteen.
    const float *x, *y, *z; // m, positions at the start of the step
    float *px, *py, *pz;    // m, predicted positions; moved where the way is blocked
    uint32_t count;
    float reach;         // m: surfaces further away do not matter in this step
    float clearance;     // m: least distance of a particle from a surface
    float depenetration; // m: what a particle found too deep moves outward at most in this step
    float contact_angle; // degrees, of the tank's walls and of bodies without their own
    double dt;           // s
    bool measured;       // loads are noted
} ContactGather;

// Finds the surfaces within reach of every predicted position. A particle whose way runs through a surface
// is stopped there first, however fast it is. Errors: RESULT_NO_MEMORY.
Result contacts_gather(ContactRows *rows, const ContactGather *gather);
// Adds rows without contacts for the particles from `count` on, up to `all`. Errors: RESULT_NO_MEMORY.
Result contacts_extend(ContactRows *rows, uint32_t count, uint32_t all);
void contact_rows_free(ContactRows *rows);

#endif
