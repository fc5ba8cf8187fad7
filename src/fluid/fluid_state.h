// What a fluid is made of; shared by fluid.c (life, views) and step.c (one step).
#ifndef PBF_FLUID_FLUID_STATE_H
#define PBF_FLUID_FLUID_STATE_H

#include "fluid/contact.h"
#include "fluid/fluid.h"
#include "fluid/ghosts.h"
#include "fluid/kernel.h"
#include "fluid/particles.h"
#include "fluid/passes.h"
#include "fluid/pressure_grid.h"
#include "fluid/steer.h"

// The least distance of a particle from a wall, in spacings: half of what the rest lattice keeps.
#define WALL_CLEARANCE 0.25f

// What is left of a body's way on command.
typedef struct BodyShift {
    Vec3 left;   // m
    float speed; // m/s
} BodyShift;

// What a step leaves for the next one has to be in fluid_store.c too.
struct Fluid {
    FluidDef def;
    float h;             // m
    RestLattice lattice; // of the spacing and h
    TensionLattice tension;
    Particles particles;
    uint32_t next_id;
    Obstacles *obstacles;
    EmitterDef *emitters;
    uint32_t emitter_count;
    DrainDef *drains;
    uint32_t drain_count;
    NeighborSearch *search;
    ContactRows contacts;
    Ghosts ghosts;           // of the step under way
    PressureGrid pressure;   // where fluid_reaches_far
    double step_begin, time; // s, of the last step
    double speed_max;        // m/s, for the next step's length
    double depth;            // m of water, robust against single drops
    StepReport report;
    bool broken; // by a step that failed half way
    // commands
    FluidForce forces[FLUID_FORCES_MAX]; // of the next step
    uint32_t force_count;
    BodyShift *shifts; // of each body; NULL until the first
    // scratch
    Vec3 *emitted;
    size_t emitted_capacity;
    float *scratch; // of the passes, all zero between them
    size_t scratch_capacity;
    float *viscous; // of the implicit viscosity
    size_t viscous_capacity;
    void *viscous_sums;
    size_t viscous_sums_capacity;
    void *swirl_sums; // of vorticity confinement
    size_t swirl_sums_capacity;
    void *partials; // one reduction a block
    size_t partials_capacity;
};

// Does a grid carry the pressure before the iterations? It does not reach across periodic sides.
bool fluid_reaches_far(const Fluid *fluid);

// The constants of a step of dt seconds, without what belongs to a single iteration (warm, carry).
PassConstants fluid_pass_constants(const Fluid *fluid, double dt);

// Bytes a particle that solving for the viscosity takes; 0 where it is never solved for.
uint64_t fluid_viscosity_bytes(const FluidDef *def);

// The share of the surface tension that a step of dt seconds bears; 0 without tension.
float fluid_tension_borne(const Fluid *fluid, double dt);

// fluid_add with a time of birth (s). velocity_step: 1 if each has its own velocity, 0 if all have the first.
// release: when each leaves its nozzle's stream (s); NULL: they are in none.
Result fluid_insert(Fluid *fluid, const Vec3 *positions, uint32_t count, const Vec3 *velocities,
                    uint32_t velocity_step, double birth, const float *release);

#endif
