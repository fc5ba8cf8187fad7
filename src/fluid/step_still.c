// Particles where they are: room for those that start too densely, and what a step measures, while no time
// passes.
#include "core/clock.h"
#include "fluid/fall.h"
#include "fluid/fluid_state.h"
#include "fluid/step_run.h"

#include <math.h>

// Water that starts denser than this is relaxed before the first step, in at most this many rounds. What is
// left moves particles by about a third of it, in spacings, which is this part of sqrt(g spacing) as a speed.
#define START_DENSITY_ERROR 0.003
#define START_SPEED 0.02
#define START_ROUNDS 10
#define START_ITERATIONS 20
// Of the constraint in these rounds, in units of the rest lattice's sum |grad C|^2: nothing has to stay calm,
// so it is stiffer than in a step. At 0 it overshoots.
#define START_RELAXATION 0.3

// way: m, that no particle moves further than.
static Result prepare(Step *step, float way)
{
    Fluid *fluid = step->fluid;
    TankDef tank = obstacles_tank(fluid->obstacles);
    TRY(ghosts_reserve(&fluid->ghosts, &fluid->particles, &tank, fluid->stretch.reach, way));
    TRY(spins_reserve(&fluid->spins, fluid->spins.count, fluid->ghosts.room));
    TRY(step_reserve_sums(fluid));
    PredictionRule rule = {.order = neighbor_search_order(fluid->search, fluid->def.spacing)};
    Prediction *start = &step->start;
    TRY(particles_predict(&fluid->particles, &rule, start));
    TRY(step_search(step));
    return step_reserve_potentials(fluid, start->count + fluid->ghosts.count);
}

static void lease_for_density(Step *step)
{
    Particles *p = &step->fluid->particles;
    particles_lease(p, &step->volume);
    particles_lease(p, &step->lambda);
    particles_lease(p, &step->gradient_sum);
    particles_lease3(p, &step->wall);
}

// --- room ---

static bool too_dense(const Particles *p, double error)
{
    float most = (float)(1.0 + error);
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->density[i] > most) return true;
    }
    return false;
}

// Moves `at` alone.
static Result make_room(Step *step)
{
    Particles *p = &step->fluid->particles;
    double error =
        fmin(START_DENSITY_ERROR, 3.0 * START_SPEED * step->dt / fall_time(step->fluid->def.spacing));
    step->constants.relaxation = (float)(START_RELAXATION * step->fluid->lattice.gradient_sum);
    step->constants.scorr_scale = step->constants.scorr_rest = 0.0f;
    for (int round = 0; round < START_ROUNDS; round++) {
        PassView view = step_view(step);
        TRY(step_check(step));
        step_find_density(step, &view);
        if (!too_dense(p, error)) break;
        TRY(step_solve_density(step, START_ITERATIONS, 0.0f, false));
        TRY(step_search(step));
    }
    return step_check(step);
}

static void take_positions(Step *step, bool moved)
{
    Particles *p = &step->fluid->particles;
    for (uint32_t i = 0; i < p->count; i++) {
        if (moved) p->x[i] = step->at.x[i], p->y[i] = step->at.y[i], p->z[i] = step->at.z[i];
        p->density[i] = step->fluid->def.rest_density;
        p->lambda_sum[i] = 0.0f;
    }
}

static Result settle(Step *step)
{
    Fluid *fluid = step->fluid;
    TRY(prepare(step, 2.0f * fluid->h));
    TRY(step_reserve_strands(fluid, step->start.count));
    step_keep(step);
    step_start_passes(step);
    step_begin_strands(step);
    lease_for_density(step);
    particles_lease3(&fluid->particles, &step->next);
    Result result = make_room(step);
    take_positions(step, result_is_ok(&result));
    TankDef tank = obstacles_tank(fluid->obstacles);
    ghosts_wrap(&tank, &fluid->particles);
    return result;
}

Result fluid_settle(Fluid *fluid)
{
    if (fluid->settled || fluid->report.step > 0) return result_ok();
    StepReport now = {.step = 1, .time = fluid->time};
    Step step = {.fluid = fluid,
                 .t1 = fluid->time,
                 .dt = step_length(fluid, fluid->time + fluid->def.time_step),
                 .report = &now,
                 .stop = fluid->stop,
                 .clock = clock_seconds()};
    step_watch_searches(fluid, fluid->stop);
    Result result = settle(&step);
    step_watch_searches(fluid, NULL);
    step_release_all(&step);
    if (step.kept && !result_is_ok(&result)) step_undo(&step);
    fluid->settled = result_is_ok(&result);
    return result;
}

// --- measuring ---

static Result measure(Step *step)
{
    TRY(prepare(step, 0.0f));
    step_start_passes(step);
    lease_for_density(step);
    PassView view = step_view(step);
    step_pass(&view, step->passes->density);
    Particles *p = &step->fluid->particles;
    particles_release(p, &step->lambda);
    particles_release(p, &step->gradient_sum);
    particles_release3(p, &step->wall);
    step_find_forces(step);
    return step_commit(step);
}

Result fluid_measure_now(Fluid *fluid)
{
    StepReport now = {.step = fluid->report.step, .time = fluid->time, .dt = fluid->def.time_step};
    Step step = {.fluid = fluid, .t1 = fluid->time, .dt = now.dt, .report = &now};
    Result result = measure(&step);
    step_release_all(&step);
    if (result_is_ok(&result)) fluid->report = now;
    return result;
}
