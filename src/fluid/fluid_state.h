// What a fluid is made of; shared by fluid.c (life, views) and step.c (one step).
#ifndef PBF_FLUID_FLUID_STATE_H
#define PBF_FLUID_FLUID_STATE_H

#include "fluid/contact.h"
#include "fluid/emitter_run.h"
#include "fluid/fluid.h"
#include "fluid/ghosts.h"
#include "fluid/kernel.h"
#include "fluid/particles.h"
#include "fluid/passes.h"
#include "fluid/pressure_grid.h"
#include "fluid/spins.h"
#include "fluid/steer.h"
#include "fluid/stretch.h"
#include "strand/strand_water.h"

#include <math.h>

// The least distance of a particle from a wall, in spacings: half of what the rest lattice keeps.
#define WALL_CLEARANCE 0.25f

// A body's way on command; stored as it lies in memory.
typedef struct BodyShift {
    Vec3 left;    // m, of the way
    float speed;  // m/s
    Vec3 gone[2]; // m, before and after the last step
} BodyShift;
#define BODY_SHIFT_FLOATS (sizeof(BodyShift) / sizeof(float))

// What the passes of a step change, as it was before them (step_undo.c).
typedef struct StepUndo {
    ParticlesKept particles;
    float *numbers; // spins and potentials
    size_t capacity;
    uint32_t spins, potentials; // how many of each
} StepUndo;

// What a step leaves for the next one has to be in fluid_store.c and, if passes change it, in step_undo.c
// too.
struct Fluid {
    FluidDef def;
    float h;             // m
    RestLattice lattice; // of the spacing and h
    TensionLattice tension;
    Particles particles;
    uint32_t next_id;
    Obstacles *obstacles;
    Strands *strands; // or NULL
    StrandExchange exchange;
    EmitterDef *emitters;
    uint32_t emitter_count;
    DrainDef *drains;
    uint32_t drain_count;
    NeighborSearch *search;
    ContactRows contacts;
    Ghosts ghosts;         // of the step under way
    PressureGrid pressure; // where fluid_reaches_far
    Spins spins;           // where fluid_spins
    Stretch stretch;       // where def.velocity_kernels is not 0
    bool measures_loads;   // from the next step on
    float potential_speed; // m/s: potentials of faster particles are measured; INFINITY: of none
    float *trapped_air, *wave_crest;
    size_t trapped_air_capacity, wave_crest_capacity;
    FluidFollower follower;  // zeroed: none
    double step_begin, time; // s, of the last step
    double counted;          // s; later than `time`: counts as reached, and the next step makes up for it
    double speed_max;        // m/s, for the next step's length
    double depth;            // m of water, robust against single drops
    StepReport report;
    bool broken;  // by a step that failed half way
    bool settled; // fluid_settle is done
    Share *share; // with other processes; NULL: the fluid is this one's alone
    // commands
    FluidForce forces[FLUID_FORCES_MAX]; // of the next step
    uint32_t force_count;
    BodyShift *shifts;       // of each body; NULL until the first
    const atomic_bool *stop; // ends a step; NULL: nothing does
    StepUndo undo;           // where something may
    bool times_processor;    // reports have processor_ms
    // scratch
    Vec3 *emitted;
    size_t emitted_capacity;
    EmitterMouth *mouths; // of those that blow in this step
    size_t mouth_capacity;
    uint32_t mouth_count;
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

// All particles: those of other processes, too, where the fluid is shared and this is rank 0.
const Particles *fluid_particles(const Fluid *fluid);

// Does a grid carry the pressure before the iterations? It does not reach across periodic sides.
bool fluid_reaches_far(const Fluid *fluid);

// Whether that pressure mends what steps compress (FluidDef.pressure_flow): where there is anything that may
// hold water up.
bool fluid_mends_flow(const Fluid *fluid);

// Do particles spin?
static inline bool fluid_spins(const FluidDef *def)
{
    return def->micropolar > 0.0f || def->angular_momentum > 0.0f;
}

// Are the potentials of whitewater measured?
static inline bool fluid_has_potentials(const Fluid *fluid)
{
    return fluid->potential_speed < INFINITY;
}

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
