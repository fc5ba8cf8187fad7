// The passes of a step: their constants, and how they run over all particles.
#include "core/memory.h"
#include "core/parallel.h"
#include "fluid/fall.h"
#include "fluid/fluid_state.h"
#include "fluid/share_run.h"
#include "fluid/step_run.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define PASS_GRAIN 256u

// No single iteration moves a particle further than this, in h: the constraint is linearised and means
// nothing there.
#define CORRECTION_MAX 0.1f

// A share of the artificial pressure that nobody will miss; smaller powers would be denormal numbers, which
// take processors long.
#define SCORR_LEAST 1e-17

// Of fall_time, the step from which on the artificial pressure is as eq. 13 says.
#define SCORR_STEP 0.15

// Particles that are nearer than this, in spacings, have artificial pressure. From 1 on it acts on all water
// that is in disorder: waves lose more of their swing, and deep columns move ten times as fast.
#define SCORR_NEAR 0.7f

// Of a velocity wave, by a sweep of the velocities' projection on the lattice, at most: 1 takes it away,
// above 2 it grows. Water that is squeezed has stiffer ones.
#define DIVERGENCE_SWEEP 1.5

// Of the surface tension, by the stress of a lattice. Water is not one: with these parts drops of 6 to 12
// spacings hold Laplace's pressure and oscillate with Rayleigh's period. Cohesion alone freezes drops,
// curvature alone blows them up.
#define COHESION_PART 0.41
#define CURVATURE_PART 0.32

// 1/s, at which spins take on those around them (Bender et al.'s zeta), and the most of it in a step.
#define SPIN_SPREAD 10.0
#define SPIN_SPREAD_MAX 0.5

// Keeps coincident particles apart, in h.
#define LEAST_DISTANCE 1e-6

// Artificial pressure is a pressure, so that what it moves in a step is as the square of the step: as far as
// eq. 13 says in steps of SCORR_STEP sqrt(spacing / g), no further in longer ones.
static double scorr_share(const FluidDef *def, double dt)
{
    double step = SCORR_STEP * fall_time((double)def->spacing);
    return fmin(1.0, (dt / step) * (dt / step));
}

// What the pairs of the surface tension accelerate each other by: along their line by K_ij cohesion times the
// cohesion's shape and bend times the normals' difference.
typedef struct TensionScale {
    double cohesion; // m/s^2
    double bend;     // a pure number
} TensionScale;

static TensionScale tension_scale(const Fluid *fluid)
{
    const FluidDef *def = &fluid->def;
    double sigma = (double)def->surface_tension / (double)def->rest_density; // m^3/s^2
    return (TensionScale){COHESION_PART * sigma / fluid->tension.cohesion, CURVATURE_PART / COHESION_PART *
                                                                               fluid->tension.cohesion /
                                                                               fluid->tension.curvature};
}

float fluid_tension_borne(const Fluid *fluid, double dt)
{
    if (fluid->def.surface_tension == 0.0f) return 0.0f;
    return (float)fmin(1.0, pow(fluid_tension_step(&fluid->def) / dt, 2.0));
}

// What is too dense is pressed apart, and a pressure moves water by the square of the step. The iterations do
// so in steps shorter than this share of those that gravity and tension allow. Mended whole, what one step
// leaves would be a speed of so much a step in the next, however short that is: a step of 0.2 ms after some
// of 10 ms gave a dam break four times its energy (now 1.01), and in steps of 1 ms a jet pressed on a plate
// with 1.14 of its momentum (now 1.06). From 0.35 on water runs down a plate of 45 degrees in steps of 3 ms
// at 0.85 of its speed without friction and less (now 0.88).
#define FULL_STEP 0.25

static double relaxation(const Fluid *fluid, double dt)
{
    double step = FULL_STEP * fmin(step_wave_length(fluid), fluid_tension_step(&fluid->def));
    double softer = step / dt, full = fluid->def.relaxation;
    return softer > 1.0 ? (1.0 + full) * softer * softer - 1.0 : full;
}

PassConstants fluid_pass_constants(const Fluid *fluid, double dt)
{
    const FluidDef *def = &fluid->def;
    double h = fluid->h, spacing = def->spacing;
    double mass = fluid->lattice.mass_factor * def->rest_density * spacing * spacing * spacing;
    double density_scale = mass / def->rest_density * 8.0 / (PI * h * h * h);
    TensionScale tension = tension_scale(fluid);
    double n = def->scorr_power;
    double scorr_scale = scorr_share(def, dt) * def->scorr_strength / fluid->lattice.gradient_sum *
                         pow(2.0 / (double)kernel_shape(def->scorr_distance), n);
    double scorr_least =
        fmax(0.5 * (double)kernel_shape(SCORR_NEAR / def->radius_factor), pow(SCORR_LEAST, 1.0 / n));
    return (PassConstants){
        .h = (float)h,
        .inv_h = (float)(1.0 / h),
        .least_distance2 = (float)(LEAST_DISTANCE * LEAST_DISTANCE * h * h),
        .density_scale = (float)density_scale,
        .gradient_scale = (float)(density_scale / h),
        .relaxation = (float)(relaxation(fluid, dt) * fluid->lattice.gradient_sum),
        .scorr_scale = (float)scorr_scale,
        .scorr_least = (float)scorr_least,
        .scorr_rest = (float)(scorr_scale * pow(scorr_least, n)),
        .scorr_power = def->scorr_power,
        .correction_max = (float)(CORRECTION_MAX * h),
        .viscosity = (float)(4.0 * density_scale * fluid->lattice.shear_scale * dt *
                             step_explicit_viscosity(fluid, dt)),
        .wall_drag =
            (float)(2.0 * h * h * fluid->lattice.shear_scale * dt * step_explicit_viscosity(fluid, dt)),
        .wall_speed = (float)(1.0 / dt),
        .wall_load = (float)dt,
        .confinement = def->vorticity_confinement,
        .spin_drive = (float)(3.0 * density_scale / h * dt * def->micropolar),
        .spin_spread = (float)(density_scale * fmin(dt * SPIN_SPREAD, SPIN_SPREAD_MAX)),
        .spin_turn = (float)(2.0 * density_scale / fluid->lattice.inertia),
        .spin_transfer = (float)(2.0 * density_scale * dt * def->angular_momentum),
        .cohesion_scale = (float)tension.cohesion,
        .wall_cohesion = (float)(8.0 * tension.cohesion / density_scale),
        .tension_borne = fluid_tension_borne(fluid, dt),
        .normal_scale = (float)(0.5 * tension.bend),
        .dt = (float)dt,
        .divergence_relaxation =
            (float)(fluid->lattice.stiffest / DIVERGENCE_SWEEP - fluid->lattice.gradient_sum),
        .potential_speed = fluid->potential_speed,
        .potential_weight = (float)(PI / 3.0 * pow(h / spacing, 3.0) - 1.0),
        .held_after = INFINITY,
        .wall_density = def->boundary == BOUNDARY_DENSITY,
    };
}

typedef struct PassJob {
    const PassView *view;
    Pass *pass;
} PassJob;

// Particles of a range.
static uint32_t pass_grain(const NeighborPairs *pairs)
{
    return pairs->clustered ? pairs->clusters.block * NEIGHBOR_CLUSTER : PASS_GRAIN;
}

// Floats of scratch for each worker.
static size_t pass_scratch(const NeighborPairs *pairs)
{
    return pairs->clustered ? (size_t)pairs->clusters.block * PASS_SCRATCH : PASS_SCRATCH;
}

static void run_pass(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const PassJob *job = context;
    const PassView *view = job->view;
    if (view->stop && atomic_load_explicit(view->stop, memory_order_relaxed)) return;
    job->pass(view, begin, end, view->scratch + worker * pass_scratch(&view->pairs));
}

void step_pass(const PassView *view, Pass *pass)
{
    PassJob job = {view, pass};
    if (view->ghosts && view->ghosts->count > 0) ghosts_refresh(view->ghosts, view);
    if (view->share) share_refresh(view->share, view, pass);
    parallel_for_kind(view->count, pass_grain(&view->pairs), run_pass, &job, (ParallelKind *)pass);
}

Result step_reserve_scratch(Fluid *fluid, const NeighborPairs *pairs)
{
    size_t before = fluid->scratch_capacity;
    TRY(MEMORY_RESERVE(fluid->scratch, fluid->scratch_capacity, 0, parallel_workers() * pass_scratch(pairs),
                       "step"));
    if (fluid->scratch_capacity > before)
        memset(fluid->scratch, 0, fluid->scratch_capacity * sizeof *fluid->scratch);
    return result_ok();
}

void step_stretch(const Step *step, PassView *view)
{
    Fluid *fluid = step->fluid;
    Stretch *stretch = &fluid->stretch;
    if (!stretch->search || fluid->particles.count == 0) return;
    stretch_follow(stretch, &fluid->def, fluid->h, view->vx, view->vy, view->vz, fluid->particles.count);
    view->pairs = stretch->pairs;
    view->swell = stretch->swell;
    view->along_x = stretch->along.x;
    view->along_y = stretch->along.y;
    view->along_z = stretch->along.z;
}
