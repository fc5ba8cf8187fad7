// Position based fluids (Macklin and Mueller 2013, "Position Based Fluids", Algorithm 1), with vorticity
// confinement, surface tension (Akinci, Akinci and Teschner 2013) and viscosity. A fluid owns its
// particles, its emitters and its obstacles; each step moves them; fluid_view shows the outcome.
#ifndef PBF_FLUID_FLUID_H
#define PBF_FLUID_FLUID_H

#include "core/blocks.h"
#include "core/result.h"
#include "fluid/emitter.h"
#include "fluid/frame_view.h"
#include "obstacle/obstacle.h"
#include "strand/strand.h"

#include <stdatomic.h>
#include <stdint.h>

typedef enum BoundaryKind {
    BOUNDARY_DENSITY, // walls add the kernel volume behind their tangent plane: neither light nor sticky
    BOUNDARY_PENALTY, // walls only push back (Takeshita sec. 3.1): cheap, and water sticks to them
} BoundaryKind;

// What fluid_params.c has a row for is in the range that stands there.
typedef struct FluidDef {
    float spacing;       // m: distance of particles at rest; mass = rest_density * spacing^3
    float radius_factor; // influence radius h / spacing
    float rest_density;  // kg/m^3
    Vec3 gravity;        // m/s^2
    double time_step;    // s: the longest step
    double cfl;          // 99 of 100 particles move no further than this fraction of h in a step
    double wave_cfl; // nor does a gravity wave on the water's depth: bounds how far water is compressed by
                     // its own weight
    uint32_t max_substeps;          // of one time_step, when particles are fast
    uint32_t iterations;            // constraint iterations a step
    uint32_t divergence_iterations; // of the velocities' projection
    bool pressure_flow;             // that grid mends in full what a step compresses
    bool global_pressure; // a coarse grid carries pressure as far as it reaches before the iterations
    float relaxation; // epsilon of Macklin and Mueller eq. 11 in units of the rest lattice's sum |grad C|^2
    float warm_start; // share of the last step's lambda that the first iteration starts from
    float scorr_strength;          // k of eq. 13 in units of 1 / that sum
    float scorr_distance;          // |dq| / h of eq. 13; the kernel is 0 at 1
    uint32_t scorr_power;          // n of eq. 13
    float viscosity;               // m^2/s, kinematic
    float xsph;                    // 1/s: least rate at which particles take on their neighbors' velocity
    float vorticity_confinement;   // m/s
    float micropolar;              // m^2/s, transfer viscosity of particles that spin; 0: none does
    float micropolar_inertia;      // of a particle that spins, in h^2
    float angular_momentum;        // 1/s, at which particles that torque spins drive others; 0: none does
    float velocity_kernels;        // s of a particle's way that its kernel is as long as; 0: it is a ball
    float velocity_kernels_limit;  // h, longest half axis of such a kernel
    double viscosity_error;        // of implicit viscosity: residual over the change that it starts from
    uint32_t viscosity_iterations; // at most, of each of its two solves
    float surface_tension;         // N/m
    float contact_angle;           // degrees, of the tank's walls and of obstacles without their own
    BoundaryKind boundary;
    BroadPhaseKind broad_phase; // of the obstacles; the outcome is the same
    Vec3 origin;                // m: scene position of the domain's lower corner; kept for FrameView
    char neighbor[32];          // method of the neighbor search
} FluidDef;

// The defaults that scenes/README.md documents.
FluidDef fluid_def_default(void);

typedef struct Fluid Fluid;

// Makes an empty fluid at time 0. obstacles: not NULL, ownership moves to the fluid on success. Emitters and
// drains are copied. Errors: RESULT_USAGE "KEY: what is wrong (what is allowed)", RESULT_NO_MEMORY.
Result fluid_create(const FluidDef *def, Obstacles *obstacles, const EmitterDef *emitters,
                    uint32_t emitter_count, const DrainDef *drains, uint32_t drain_count, Fluid **out);
void fluid_destroy(Fluid *fluid); // NULL is allowed

// Gives a fluid that has none its strands (strand/strand.h), in domain coordinates. Ownership moves.
void fluid_take_strands(Fluid *fluid, Strands *strands);

// Changes the settings of a fluid that is under way, between steps. spacing, radius_factor and origin must be
// what they were: particles carry them; origin is not looked at. Errors: RESULT_USAGE as of fluid_create,
// RESULT_NO_MEMORY; the fluid is then as it was, but for its broad phase: see obstacles_set_broad_phase.
Result fluid_change(Fluid *fluid, const FluidDef *def);

// Adds particles at positions (domain coordinates, m) with one velocity (m/s) for all. Ids count up.
Result fluid_add(Fluid *fluid, const Vec3 *positions, uint32_t count, Vec3 velocity);

// Takes the place of all particles and of the time (s) by those of another program, in domain coordinates;
// velocities may be NULL: at rest. Ids count from 0. Errors: RESULT_NO_MEMORY, RESULT_FAILED (too many).
Result fluid_take(Fluid *fluid, const Vec3 *positions, const Vec3 *velocities, uint32_t count, double time);

// Before the first step, which does it otherwise: gives water room that starts denser than at rest, where a
// body stands in it or blocks touch. Solved as part of a step the overlap would leave as speed, so positions
// alone are moved, while no time passes (as the pre-stabilisation of Macklin et al. 2014, "Unified Particle
// Physics", sec. 4.4). Nothing after the first step, or when it is done already and no particle was added or
// moved since. Errors: RESULT_NO_MEMORY, RESULT_FAILED, RESULT_STOPPED; positions are then as they were, and
// it may be tried again.
Result fluid_settle(Fluid *fluid);

// One step, at most up to time `until` (s) and as long as time_step and CFL allow; the steps that reach
// `until` are equally long. One that is nearer than 1e-4 sqrt(spacing / g) counts as reached: nothing moves,
// the report's dt is 0, and the next step makes up for it. report may be NULL. Errors:
// - RESULT_USAGE if `until` is not later than the fluid's time; the fluid is as it was.
// - RESULT_NO_MEMORY: the fluid, its bodies and the commands for this step are as they were before it (the
//   first step: or as fluid_settle leaves them), and the same step may be tried again with the same outcome.
// - RESULT_FAILED when the state ceases to be finite or runs away (the message names the step and the
//   particle). The fluid is then broken off between two steps: views show it, but every further step is
//   RESULT_FAILED.
Result fluid_step(Fluid *fluid, double until, StepReport *report);

// From now on a step ends soon with RESULT_STOPPED once *stop is true, which any thread may set and has to
// stay until the step has returned; the fluid is then as it was before the step (the first: or as
// fluid_settle leaves it, which can be stopped, too), which may be tried again with the same outcome
// (fluid_load tells nothing then). Steps keep what they change meanwhile: 64 bytes a particle, or more with
// spins; without memory for these only the preparation can be stopped. NULL: never.
void fluid_watch(Fluid *fluid, const atomic_bool *stop);

// From now on the reports of steps say the processor time of each phase, too: small fluids are slower then,
// by a call of the system a phase.
void fluid_time_processor(Fluid *fluid);

// The longest step (s) in which gravity (that of the earth at least) moves water no further than it may, by
// 0.0144 spacings and, without global pressure, a wave on water of a depth (m) by wave_cfl; and the longest
// that the surface tension bears, INFINITY without any. Steps are no longer than these unless max_substeps
// forbids shorter ones: then water is compressed more, and the tension weakened to what the step bears.
double fluid_wave_step(const FluidDef *def, double depth);
double fluid_tension_step(const FluidDef *def);

// m/s: a step with faster particles, which move more than 50 h in the shortest step, fails.
double fluid_speed_limit(const FluidDef *def);

// m^2/s: the viscosity that acts, the larger of def->viscosity and what def->xsph amounts to at this spacing.
double fluid_acting_viscosity(const FluidDef *def);

// s of simulated time since the start, at the end of the last step or what counts as it.
double fluid_time(const Fluid *fluid);

// The last step's report, as fluid_view has it, but without gathering what processes share.
const StepReport *fluid_report(const Fluid *fluid);

// --- what the water does to bodies ---

// The walls of the tank, where bodies are numbered.
#define FLUID_TANK UINT32_MAX

// What the water gave a body in the last step: the opposite of what the body's surface gave to the particles,
// by its share of their density and by contact with friction. Particles weigh rest_density x spacing^3.
typedef struct FluidLoad {
    double impulse[3]; // N s
    double turn[3];    // N m s, about the domain's origin
} FluidLoad;

// From the next step on loads are measured, or not any more; steps take a little longer then, and move the
// water as before.
void fluid_measure_loads(Fluid *fluid, bool measured);

// The load of a body, or of FLUID_TANK; zeros if the last step was not measured, or one failed or
// was stopped since.
FluidLoad fluid_load(const Fluid *fluid, uint32_t body);

// --- what whitewater comes from ---

// From the next step on the potentials of whitewater are measured of particles faster than least_speed (m/s):
// FrameView.trapped_air and wave_crest. Steps take a little longer then, and move the water as before.
// INFINITY: not any more.
void fluid_measure_potentials(Fluid *fluid, float least_speed);

// Measures densities, neighbors, vorticity and these potentials of the particles where they are, for a fluid
// that holds what another program has simulated and is not stepped itself. Errors: RESULT_NO_MEMORY;
// RESULT_FAILED for a particle that is not finite or runs away.
Result fluid_measure_now(Fluid *fluid);

// --- what follows the fluid ---

// Something that moves with the water and does not act on it, such as whitewater: it takes part in steps and
// is stored, shown and freed with the fluid. All functions are there.
typedef struct FluidFollower {
    void *self;
    // Takes all the memory that it may need after a step that ends with so many particles. Errors:
    // RESULT_NO_MEMORY; the step is then not made, and may be tried again.
    Result (*prepare)(void *self, uint32_t particles);
    void (*step)(void *self, const Fluid *fluid); // after every step; cannot fail
    void (*show)(const void *self, FrameView *view);
    void (*store)(const void *self, StateBlocks *blocks); // as fluid_store
    // As fluid_restore; a state without such blocks leaves it empty.
    Result (*restore)(void *self, const StateBlocks *blocks);
    void (*destroy)(void *self);
} FluidFollower;

// Gives the fluid its follower, which it then owns; it has none so far.
void fluid_follow(Fluid *fluid, FluidFollower follower);

// The settings that the fluid has now, and whether a drain takes a particle at this place (domain
// coordinates, m) out.
const FluidDef *fluid_settings(const Fluid *fluid);
bool fluid_drains(const Fluid *fluid, Vec3 position);

// What is there now; valid until the next call that changes the fluid.
FrameView fluid_view(const Fluid *fluid);

// Hash of positions and velocities in order of id, and of strands: equal hashes mean bitwise equal states. 0
// if memory is short.
uint64_t fluid_state_hash(const Fluid *fluid);

// Lists everything that the next step needs beyond the definition (particles in memory order, ids, time,
// step, what a step leaves for the length of the next one) and what a view shows. The blocks refer to the
// fluid's memory: they are good until the next call that changes it.
void fluid_store(const Fluid *fluid, StateBlocks *blocks);

// Puts such a state into a fluid that was made with the same definition, instead of what it holds. From there
// on it steps as the stored one would, bit for bit. Errors: RESULT_USAGE "what is wrong" (a state that
// no fluid stores: counts that differ, numbers that are not finite); RESULT_NO_MEMORY. After an error the
// fluid is only good for fluid_destroy.
Result fluid_restore(Fluid *fluid, const StateBlocks *blocks);

// Shows a stored state without a fluid: its particles, time and report, no whitewater, all else as in `like`,
// a view of a fluid of the same definition. Bodies and strands are where that has them. The view refers to
// both. Errors: RESULT_USAGE "what is wrong" (streams that are missing or of another length).
Result fluid_view_state(const StateBlocks *blocks, const FrameView *like, FrameView *out);

// Bytes that a fluid of so many particles will need at its peak, lists included.
uint64_t fluid_memory_estimate(const FluidDef *def, uint64_t particles);

#endif
