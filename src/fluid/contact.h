// Walls and obstacles near particles, as planes: gathered once a step, used by every solver iteration.
#ifndef PBF_FLUID_CONTACT_H
#define PBF_FLUID_CONTACT_H

#include "core/result.h"
#include "core/vec3.h"
#include "obstacle/obstacle.h"

#include <stddef.h>
#include <stdint.h>

// At most so many surfaces act on one particle; the nearest win.
#define CONTACTS_PER_PARTICLE 8

// The tangent plane of a surface: distance of p is dot(normal, p) - offset.
typedef struct Contact {
    Vec3 normal;        // unit, into the fluid
    float offset;       // m
    float min_distance; // m, where the particle may not get below in this step
    float thickness;    // m of solid behind the plane
    float friction;
    Vec3 motion; // m, of the surface during this step
} Contact;

// All contacts of a step in compressed rows, like neighbor lists.
typedef struct ContactRows {
    uint64_t *begin;
    uint32_t *count;
    Contact *contacts;
    size_t rows_capacity, rows_capacity_count, contacts_capacity;
} ContactRows;

typedef struct ContactGather {
    const Obstacles *obstacles;
    const float *x, *y, *z; // m, positions at the start of the step
    float *px, *py, *pz;    // m, predicted positions; moved where the way is blocked
    uint32_t count;
    float reach;         // m: surfaces further away do not matter in this step
    float clearance;     // m: least distance of a particle from a surface
    float depenetration; // m: what a particle found too deep moves outward at most in this step
    double dt;           // s
} ContactGather;

// Finds the surfaces within reach of every predicted position. A particle whose way runs through a surface
// is stopped there first, however fast it is. Errors: RESULT_NO_MEMORY.
Result contacts_gather(ContactRows *rows, const ContactGather *gather);
void contact_rows_free(ContactRows *rows);

// Moves p out of the planes that it is too deep in and takes Coulomb friction from its way since `from`.
void contacts_resolve(const Contact *contacts, uint32_t count, Vec3 from, Vec3 *p);

#endif
