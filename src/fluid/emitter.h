// Nozzles that pour particles into the scene, and volumes that remove them.
#ifndef PBF_FLUID_EMITTER_H
#define PBF_FLUID_EMITTER_H

#include "core/vec3.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct EmitterDef {
    char name[64];
    bool disc;     // disc of `radius`, else rectangle width x height
    Vec3 position; // m, centre of the nozzle, domain coordinates
    Vec3 rotation; // degrees about x, then y, then z; unrotated, the nozzle blows along +z, width along x,
                   // height along y
    float width, height, radius; // m
    float speed;                 // m/s, > 0: a layer leaves in the time that a spacing takes
    double start, stop;          // s; stop may be INFINITY
    double volume; // m^3 that leave in all; INFINITY for no limit. Particles = round(volume / spacing^3)
} EmitterDef;

typedef struct DrainDef {
    char name[64];
    bool sphere;        // sphere of `radius` about position, else a box about position
    bool outside;       // removes what is outside of the volume instead
    Vec3 position;      // m
    Vec3 half_extent;   // m, of the box
    float radius;       // m, of the sphere
    double start, stop; // s; stop may be INFINITY
} DrainDef;

// Number of particles in one full layer at a spacing (m); 0 if the nozzle is too small for one.
uint32_t emitter_layer_particles(const EmitterDef *emitter, float spacing);

// Number of particles that leave by time t (s) in a run at a spacing (m), within the volume limit; 2^40
// stands for more.
uint64_t emitter_total_particles(const EmitterDef *emitter, float spacing, double t);

// Around the nozzle and what comes out of it first, in the definition's coordinates: what a picture of it has
// to show.
Box3 emitter_bounds(const EmitterDef *emitter);

#endif
