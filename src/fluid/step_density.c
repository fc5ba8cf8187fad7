// The density's constraint within a step: what reaches far first, then the iterations.

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

static void find_density(const Step *step, const PassView *view)
{
    step_pass(view, step->passes->density);
    step_fill_strands(step, view);
}

// The share of the last step's lambdas to start from. Lambdas that hold a load are as the square of the
// step; those that mend compression that was there are not, so a longer step gets no more of them.
static float warm_share(const Fluid *fluid, double dt)
{
    double ratio = fluid->report.dt > 0.0 ? fmin(dt / fluid->report.dt, 1.0) : 0.0;
    return (float)(fluid->def.warm_start * ratio * ratio);
}

// carried: the sums of lambda already hold a share of this step.
static Result solve_density(Step *step, uint32_t iterations, float warm, bool carried)
{
    for (uint32_t k = 0; k < iterations; k++) {
        PassView view = step_view(step);
        view.constants.warm = k == 0 ? warm : 0.0f;
        view.constants.carry = k > 0 || carried ? 1.0f : 0.0f;
        TRY(step_check(step));
        find_density(step, &view);
        step_phase_end(step, PHASE_DENSITY);
        step_pass(&view, step->passes->correction);
        Streams3 before = step->at;
        step->at = step->next;
        step->next = before;
        step_phase_end(step, PHASE_CORRECTION);
    }
    return step_check(step);
}

// Pressure that reaches further than the iterations do.
static Result project_far(Step *step)
{
    Fluid *fluid = step->fluid;
    PassView view = step_view(step);
    if (fluid->strands)
        find_density(step, &view);
    else
        step_pass(&view, step->passes->density_alone);
    step_phase_end(step, PHASE_DENSITY);
    TRY(step_check(step));
    PressureJob job = {.density = fluid->particles.density,
                       .release = fluid->particles.release,
                       .held_after = step->constants.held_after,
                       .dt = step->dt,
                       .move_max = step->constants.correction_max,
                       .spacing = fluid->def.spacing,
                       .measured = fluid->contacts.measured,
                       .count = fluid->particles.count,
                       .at = step->at,
                       .move = step->next,
                       .lambda_sum = fluid->particles.lambda_sum};
    pressure_grid_project(&fluid->pressure, &job);
    step_phase_end(step, PHASE_CORRECTION);
    return result_ok();
}

static bool too_dense(const Particles *p, double error)
{
    float most = (float)(1.0 + error);
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->density[i] > most) return true;
    }
    return false;
}

// Water may start where it has no room: a body stands in it, blocks touch. Solved as part of a step the
// overlap would leave as speed, so positions alone are mended first (as the pre-stabilisation of Macklin et
// al. 2014, "Unified Particle Physics", sec. 4.4).
static Result relax_start(Step *step)
{
    Particles *p = &step->fluid->particles;
    float dt = (float)step->dt;
    double error =
        fmin(START_DENSITY_ERROR, 3.0 * START_SPEED * step->dt / fall_time(step->fluid->def.spacing));
    PassConstants kept = step->constants;
    step->constants.relaxation = (float)(START_RELAXATION * step->fluid->lattice.gradient_sum);
    step->constants.scorr_scale = step->constants.scorr_rest = 0.0f;
    for (int round = 0; round < START_ROUNDS; round++) {
        PassView view = step_view(step);
        find_density(step, &view);
        bool dense = too_dense(p, error);
        if (dense) TRY(solve_density(step, START_ITERATIONS, 0.0f, false));
        for (uint32_t i = 0; i < p->count; i++) {
            p->x[i] = step->at.x[i] - p->vx[i] * dt;
            p->y[i] = step->at.y[i] - p->vy[i] * dt;
            p->z[i] = step->at.z[i] - p->vz[i] * dt;
        }
        if (!dense) break;
        TRY(step_search(step, (Streams3){p->x, p->y, p->z}, step->at, p->count));
    }
    step->constants = kept;
    return result_ok();
}

Result step_project_density(Step *step)
{
    Fluid *fluid = step->fluid;
    Particles *p = &fluid->particles;
    particles_lease(p, &step->volume);
    particles_lease(p, &step->lambda);
    particles_lease(p, &step->gradient_sum);
    particles_lease3(p, &step->wall);
    particles_lease3(p, &step->next);
    if (step->report->step == 1) TRY(relax_start(step));
    bool far = fluid_reaches_far(fluid);
    if (far) TRY(project_far(step));
    TRY(solve_density(step, fluid->def.iterations, far ? 0.0f : warm_share(fluid, step->dt), far));
    particles_release(p, &step->lambda);
    return result_ok();
}
