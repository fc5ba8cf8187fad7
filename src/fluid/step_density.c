// The density's constraint within a step: what reaches far first, then the iterations.

#include "fluid/fluid_state.h"
#include "fluid/share_run.h"
#include "fluid/step_run.h"

#include <math.h>

void step_find_density(const Step *step, const PassView *view)
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

Result step_solve_density(Step *step, uint32_t iterations, float warm, bool carried)
{
    for (uint32_t k = 0; k < iterations; k++) {
        PassView view = step_view(step);
        view.constants.warm = k == 0 ? warm : 0.0f;
        view.constants.carry = k > 0 || carried ? 1.0f : 0.0f;
        TRY(step_check(step));
        step_find_density(step, &view);
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
    const Particles *p = &fluid->particles;
    particles_lease(&fluid->particles, &step->water);
    PassView view = step_view(step);
    if (fluid->strands)
        step_find_density(step, &view);
    else
        step_pass(&view, step->passes->density_alone);
    step_phase_end(step, PHASE_DENSITY);
    TRY(step_check(step));
    PressureJob job = {.density = fluid->particles.density,
                       .filled = fluid->strands ? fluid->exchange.filled : NULL,
                       .release = fluid->particles.release,
                       .held_after = step->constants.held_after,
                       .dt = step->dt,
                       .move_max = step->constants.correction_max,
                       .spacing = fluid->def.spacing,
                       .measured = fluid->contacts.measured,
                       .count = fluid->particles.count,
                       .gravity = fluid->def.gravity,
                       .from = {p->x, p->y, p->z},
                       .pull = step->start.pull,
                       .pull_share = fluid_tension_borne(fluid, step->dt),
                       .at = step->at,
                       .move = step->next,
                       .lambda_sum = fluid->particles.lambda_sum,
                       .water = step->water,
                       .links = fluid->share ? fluid->share->links : NULL};
    pressure_grid_project(&fluid->pressure, &job);
    if (fluid->share) {
        share_moved(fluid->share);
        share_count_pressure(fluid->share, pressure_share_traffic(&fluid->pressure));
    }
    step_phase_end(step, PHASE_CORRECTION);
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
    bool far = fluid_reaches_far(fluid);
    if (far) TRY(project_far(step));
    step_solve_viscosity(step, step_view(step), far ? step->next : (Streams3){0});
    step_phase_end(step, PHASE_FORCES);
    TRY(step_check(step));
    TRY(step_solve_density(step, fluid->def.iterations, far ? 0.0f : warm_share(fluid, step->dt), far));
    particles_release(p, &step->lambda);
    return result_ok();
}
