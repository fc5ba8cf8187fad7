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
    double clock, processor_clock; // s, at the end of the last phase
    NeighborPairs pairs;
    PassConstants constants;
    const FluidPasses *passes;
    // leased from the particles, each from its phase on
    Prediction start;
    Streams3 at;           // m, positions that the step works on
    Streams3 next;         // their next version; velocities after the forces
    Streams3 wall;         // 1/m, the walls' share of grad C
    Streams3 curl, normal; // 1/s; the surface's normals
    Streams3 swirl;        // m/s, by vorticity confinement
    float *volume;         // rho0 / rho
    float *lambda;         // m^2
    float *gradient_sum;   // 1/m^2
    float *kappa;          // m^2/s
} Step;

// s, of the next step, which goes no further than `until`.
double step_length(const Fluid *fluid, double until);

// Room for the passes over these pairs, and for the sums of step_commit over as many particles as there are.
// Errors: RESULT_NO_MEMORY.
Result step_reserve_scratch(Fluid *fluid, const NeighborPairs *pairs);
Result step_reserve_sums(Fluid *fluid);

// m^2/s, of the forces at the end of a step of dt seconds; 0 where the viscosity is solved for.
double step_explicit_viscosity(const Fluid *fluid, double dt);

// Room for step_solve_viscosity. Errors: RESULT_NO_MEMORY.
Result step_reserve_viscosity(Fluid *fluid, double dt);

// Changes predicted velocities and positions by the viscous forces that are too strong to be explicit.
void step_solve_viscosity(Step *step, PassView view);

// Room for step_add_swirls. Errors: RESULT_NO_MEMORY.
Result step_reserve_confinement(Fluid *fluid);

// Adds vorticity confinement to the velocities after the forces, `next`: its mean left out, so that momentum
// stays, and no more than gives back the energy that the forces took.
void step_add_swirls(Step *step);

// Runs a pass over all particles.
void step_pass(const PassView *view, Pass *pass);

// v = (at - x) / dt by what the prediction x + dt v is moved to, x = at.
void step_take_velocity(Step *step);

// Takes over densities and neighbors, and measures errors, speeds and the depth. Error: RESULT_FAILED if a
// particle is not finite or runs away.
Result step_commit(Step *step);

#endif
