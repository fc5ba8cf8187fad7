// The parts of a step, in the order in which step.c calls them.
#ifndef PBF_FLUID_STEP_RUN_H
#define PBF_FLUID_STEP_RUN_H

#include "fluid/fluid.h"
#include "fluid/particles.h"
#include "fluid/passes.h"

// A step under way.
typedef struct Step {
    Fluid *fluid;
    double t1, dt; // s, its end and length
    StepReport *report;
    bool moved;                    // the bodies have
    const atomic_bool *stop;       // of the fluid, as long as what has been done can be taken back
    bool kept;                     // what passes change is
    bool agreed;                   // all processes that share the fluid have met its error
    double clock, processor_clock; // s, at the end of the last phase
    NeighborPairs pairs;
    PassConstants constants;
    const FluidPasses *passes;
    // leased from the particles, each from its phase on
    Prediction start;
    Streams3 at;           // m, positions that the step works on; none: the particles have taken them
    Streams3 pushes;       // m/s, of all that moves `at`, on held water, but for its weight
    Streams3 next;         // their next version; velocities after the forces
    Streams3 wall;         // 1/m, the walls' share of grad C
    Streams3 curl, normal; // 1/s; the surface's normals
    Streams3 swirl;        // m/s, by vorticity confinement
    float *volume;         // rho0 / rho
    float *lambda;         // m^2
    float *gradient_sum;   // 1/m^2
    float *kappa;          // m^2/s
    float *water;          // PressureJob; NULL: no grid says which
} Step;

// s, of the next step, which goes no further than `until`.
double step_length(const Fluid *fluid, double until);

// s. What is sooner counts as reached, without a step.
double step_least(const Fluid *fluid);

// s, the longest step in which pressure, as this fluid has it, carries the water's weight (fluid_wave_step).
double step_wave_length(const Fluid *fluid);

// m/s, that at most this share of the particles exceeds; up to 4.5 % more than the least such speed.
double step_speed_exceeded_by(const Fluid *fluid, double share);

// Room for the passes over these pairs, and for the sums of step_commit over as many particles as there are:
// nothing where ranks share these.
// Errors: RESULT_NO_MEMORY.
Result step_reserve_scratch(Fluid *fluid, const NeighborPairs *pairs);
Result step_reserve_sums(Fluid *fluid);

// m^2/s, of the forces at the end of a step of dt seconds; 0 where the viscosity is solved for.
double step_explicit_viscosity(const Fluid *fluid, double dt);

// Room for step_solve_viscosity. Errors: RESULT_NO_MEMORY.
Result step_reserve_viscosity(Fluid *fluid, double dt);

// Changes predicted velocities and positions by the viscous forces that are too strong to be explicit. moved:
// m, by what pressure has moved the positions, or no streams.
void step_solve_viscosity(Step *step, PassView view, Streams3 moved);

// Room for step_add_swirls. Errors: RESULT_NO_MEMORY.
Result step_reserve_swirls(Fluid *fluid);

// Adds `swirl` to the velocities after the forces, `next`: its mean left out, so that momentum stays, and no
// more than gives back the energy that the forces took.
void step_add_swirls(Step *step);

// The same without a bound: forces.
void step_add_all(Step *step);

// Spins follow the swirls around them, and what pass_spin has written to `gain`.
void step_turn_spins(Step *step);

// Turbulence by angular momentum (step_torques.c). Before the prediction is accepted: keeps the velocities
// that the step starts from, in `gain`. After the forces: what the step has changed, to `before`. After
// pass_torque: spins take what it has written to `gain`.
void step_keep_velocities(Step *step);
void step_note_changes(Step *step);
void step_take_torques(Step *step);

// Where kernels are ellipsoids: those of the view's velocities, and their pairs.
void step_stretch(const Step *step, PassView *view);

// What the passes see of the step as it is.
PassView step_view(const Step *step);

// The time since the end of the last phase was this one's.
void step_phase_end(Step *step, StepPhase phase);

// The particles become those of the prediction.
void step_start_passes(Step *step);

// Curls, normals, and what they and the viscosity do: `next` has the velocities.
void step_find_forces(Step *step);

// After step_find_forces. Turns the pushes back to where the step began, by half the curl.
void step_turn_pushes(Step *step);

// Gives back what a step has leased.
void step_release_all(Step *step);

// *stop ends searches; NULL: nothing does.
void step_watch_searches(Fluid *fluid, const atomic_bool *stop);

// Room for the potentials of whitewater, of so many particles; what they are now stays. Errors:
// RESULT_NO_MEMORY.
Result step_reserve_potentials(Fluid *fluid, uint32_t count);

// Contacts and neighbors of the positions of the prediction or, once it is accepted, of `at`. Errors: those
// of contacts_gather and of neighbor_search_pairs.
Result step_search(Step *step);

// Moves `at` until water is at most as dense as at rest, or as far as the iterations reach. Leases volume,
// gradient_sum, wall and next. Errors: RESULT_STOPPED.
Result step_project_density(Step *step);

// Its parts. Densities of `at`, and lambdas. Some iterations that move `at`; warm: the share of the last
// lambdas to start from; carried: the sums of lambda already hold a share of this step.
void step_find_density(const Step *step, const PassView *view);
Result step_solve_density(Step *step, uint32_t iterations, float warm, bool carried);

// The mouths of the nozzles that blow in [t0, t1). Errors: RESULT_NO_MEMORY.
Result step_find_mouths(Fluid *fluid, double t0, double t1);

// Particles begin to end - 1 that the solver has moved away from what a nozzle sends: as if they came from
// where it would have moved them no faster than the nozzle blows.
void step_hold_at_mouths(const Step *step, uint32_t begin, uint32_t end);

// Runs a pass over all particles, or a part of it if the step is stopped meanwhile (step_check follows).
void step_pass(const PassView *view, Pass *pass);

// Keeps what the passes are going to change, if somebody may stop the step; without memory for that, nobody
// may any more.
void step_keep(Step *step);

// Takes back what they have changed, once nothing is leased.
void step_undo(Step *step);
void step_undo_free(StepUndo *undo);

// RESULT_STOPPED if somebody has asked to stop.
Result step_check(const Step *step);

// v = (at - x) / dt by what the prediction x + dt v is moved to, x = at.
void step_take_velocity(Step *step);

// Strands: room for them beside `count` particles of water; the water near them where it is predicted to be;
// what they fill as density, after the density's pass; their own step, after the water's forces. Nothing
// without strands. Errors: RESULT_NO_MEMORY; of their step also RESULT_FAILED.
Result step_reserve_strands(Fluid *fluid, uint32_t count);
void step_begin_strands(Step *step);
void step_fill_strands(const Step *step, const PassView *view);
Result step_move_strands(Step *step);

// Takes over densities and neighbors, and measures errors, speeds and the depth. Error: RESULT_FAILED if a
// particle is not finite or runs away.
Result step_commit(Step *step);

#endif
