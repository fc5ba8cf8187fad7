// How long a step is.
#include "fluid/fall.h"
#include "fluid/fluid_state.h"
#include "fluid/steer_run.h"
#include "fluid/step_run.h"

#include <math.h>

// Ripples as short as the spacing oscillate at a rate of sqrt(sigma / (rho0 spacing^3)); explicit forces stay
// stable only in steps of a small part of that time. Measured on weightless cubes with influence radii of 1.5
// to 2.5 spacings and 1 to 10 iterations: at 0.1 they calm down, at 0.13 they gain energy, at 0.2 they burst.
#define TENSION_CFL 0.1

// Few particles may be faster than the rest of the water, by so much: what a body could hide from them is
// found along their way. A ball of a hundredth of a pool's water that falls into it at 25 m/s loses as much
// energy as with all particles within the limit; at a factor of 2 it loses 5 % more.
#define FAST_SHARE 0.01
#define FAST_FACTOR 1.5

// A particle that would move further than so many h in the shortest step is a runaway.
#define RUNAWAY 50.0

#define GRAVITY_STEP 0.12

// Positions of some meters are rounded by 1e-7 m, which a step makes a speed of: no step is shorter. Twenty
// of 1e-7 s give a dam break a tenth of its energy, at a spacing of 0.1 m, where this is 1e-5 s.
#define LEAST_STEP 1e-4

// With a fixed number of relaxed iterations water under its own weight is compressed by about C = g H / c^2
// on average, where c = 3.2 spacings a step acts as a speed of sound (measured on resting columns); a warm
// start leaves 1 - warm_start of that. The gravity wave's sqrt(g H) as a second CFL speed therefore keeps C
// the same at every spacing and depth.
//
// Global pressure reaches through any depth. With it and without, in longer steps than GRAVITY_STEP
// sqrt(spacing / g) films get slow (0.94 of a jet's speed at 0.2 instead of 0.97) and fine water flies apart,
// weightless water too: its pressure mends errors at the rate of g.
static double free_fall(const FluidDef *def)
{
    return sqrt(def->spacing / fmax(vec3_length(def->gravity), STANDARD_GRAVITY));
}

double step_least(const Fluid *fluid)
{
    return LEAST_STEP * free_fall(&fluid->def);
}

double fluid_wave_step(const FluidDef *def, double depth)
{
    double gravity = vec3_length(def->gravity), speed = sqrt(gravity * depth);
    double step = GRAVITY_STEP * free_fall(def);
    if (def->global_pressure || speed == 0.0) return step;
    return fmin(step, def->wave_cfl * (double)(def->radius_factor * def->spacing) / speed);
}

double step_wave_length(const Fluid *fluid)
{
    FluidDef as_solved = fluid->def;
    as_solved.global_pressure = fluid_reaches_far(fluid);
    return fluid_wave_step(&as_solved, fluid->depth);
}

double fluid_speed_limit(const FluidDef *def)
{
    return RUNAWAY * (double)(def->radius_factor * def->spacing) * def->max_substeps / def->time_step;
}

double fluid_tension_step(const FluidDef *def)
{
    double mass = (double)def->rest_density * pow(def->spacing, 3);
    return def->surface_tension > 0.0f ? TENSION_CFL * sqrt(mass / def->surface_tension) : INFINITY;
}

bool fluid_reaches_far(const Fluid *fluid)
{
    TankDef tank = obstacles_tank(fluid->obstacles);
    return fluid->def.global_pressure && !ghosts_wanted(&tank);
}

bool fluid_mends_flow(const Fluid *fluid)
{
    bool walls = obstacles_tank(fluid->obstacles).present || obstacles_count(fluid->obstacles) > 0;
    return fluid->def.pressure_flow && walls && fluid_reaches_far(fluid);
}

// The longest step up to `limit` in which water as fast as this moves no further than the settings allow.
static double flow_step(const Fluid *fluid, double speed, double limit)
{
    double pushed = (vec3_length(fluid->def.gravity) + steer_acceleration(fluid)) * fluid->def.time_step;
    double fastest = fmax(speed + pushed, steer_speed(fluid)), way = fluid->def.cfl * fluid->h;
    return fastest * limit > way ? way / fastest : limit;
}

double step_length(const Fluid *fluid, double until)
{
    const FluidDef *def = &fluid->def;
    double limit = fmin(fmin(def->time_step, fluid_tension_step(def)), step_wave_length(fluid));
    if (flow_step(fluid, fluid->speed_max, limit) < limit) {
        double most = step_speed_exceeded_by(fluid, FAST_SHARE);
        limit = flow_step(fluid, fmax(most, fluid->speed_max / FAST_FACTOR), limit);
    }
    limit = fmax(limit, def->time_step / def->max_substeps);
    double remaining = until - fluid->time, most = floor(remaining / step_least(fluid));
    return remaining / fmax(1.0, fmin(ceil(remaining / limit - 1e-9), most));
}
