// Simulations and their steps.
#include "fluid/fluid_params.h"
#include "library/inside.h"
#include "library/sims.h"

#include <stdio.h>

// --- life ---

static void sim_free(pbf_sim *sim)
{
    pbf_context *context = sim->context;
    Host *before = call_begin(context);
    fluid_destroy(sim->fluid);
    shared_scene_release(sim->shared);
    memory_free(sim->loads);
    measure_free(sim->watch);
    memory_free(sim);
    call_close(context, before);
}

Result sim_wrap(pbf_context *context, SharedScene *shared, Fluid *fluid, pbf_sim **out)
{
    pbf_sim *sim = memory_allocate_zeroed(sizeof *sim);
    if (!sim) {
        fluid_destroy(fluid);
        return result_no_memory("a simulation", sizeof *sim);
    }
    *sim = (pbf_sim){
        .context = context_hold(context), .shared = shared_scene_hold(shared), .fluid = fluid, .version = 1};
    *out = sim;
    return result_ok();
}

static Result create(const pbf_scene *scene, pbf_sim **out)
{
    Fluid *fluid;
    TRY(scene_build(&scene->shared->def, &fluid));
    return sim_wrap(scene->context, scene->shared, fluid, out);
}

pbf_result pbf_sim_create(const pbf_scene *scene, pbf_sim **out)
{
    if (!out) return call_refused(scene ? scene->context : NULL, missing("out"));
    *out = NULL;
    if (!scene) return call_refused(NULL, missing("scene"));
    RETURN_CALL(scene->context, create(scene, out));
}

// In its own callback a simulation lives until its step is over.
void pbf_sim_destroy(pbf_sim *sim)
{
    if (sim && sim->stepping)
        sim->doomed = true;
    else if (sim)
        sim_free(sim);
}

Fluid *sim_fluid(pbf_sim *sim)
{
    return sim->fluid;
}

const SceneDef *sim_scene(const pbf_sim *sim)
{
    return &sim->shared->def;
}

// --- steps ---

static pbf_report report_of(const StepReport *report)
{
    const NeighborStats *search = &report->neighbor;
    pbf_report out = {.step = report->step,
                      .time = report->time,
                      .dt = report->dt,
                      .particles = report->particles,
                      .iterations = report->iterations,
                      .density_error_mean = report->density_error_mean,
                      .density_error_max = report->density_error_max,
                      .speed_max = report->speed_max,
                      .build_ms = search->construction_ms,
                      .search_ms = search->search_ms,
                      .candidates = search->candidates,
                      .neighbors = search->neighbors,
                      .structure_bytes = search->structure_bytes,
                      .cell_bytes = search->structure_bytes - search->point_bytes,
                      .list_bytes = search->list_bytes,
                      .compact = search->compact};
    for (int phase = 0; phase < PHASE_COUNT; phase++) out.wall_ms += report->phase_ms[phase];
    return out;
}

static Result step(pbf_sim *sim, double until, pbf_report *out)
{
    StepReport report;
    TRY(fluid_step(sim->fluid, until, &report));
    sim->version++;
    sim_add_loads(sim, report.dt);
    if (out) *out = report_of(&report);
    return sim_watch_step(sim);
}

// Stepping a simulation that steps already, from its callback, would pull the ground from under it.
static Result begin_steps(pbf_sim *sim)
{
    if (sim->stepping) return result_error(RESULT_USAGE, "the simulation is in a step already");
    sim->stepping = true;
    sim_clear_loads(sim);
    return result_ok();
}

static pbf_result end_steps(pbf_sim *sim, Host *before, pbf_result result)
{
    sim->stepping = false;
    host_enter(before);
    if (sim->doomed) sim_free(sim);
    return result;
}

pbf_result pbf_sim_step(pbf_sim *sim, double until, pbf_report *report)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    Host *before = call_begin(sim->context);
    Result result = begin_steps(sim);
    if (!result_is_ok(&result)) return call_end(sim->context, before, result);
    result = step(sim, until, report);
    return end_steps(sim, before, call_refused(sim->context, result));
}

static Result settle(pbf_sim *sim)
{
    bool started = fluid_view(sim->fluid).report.step > 0;
    TRY(fluid_settle(sim->fluid));
    if (!started) sim->version++;
    return result_ok();
}

pbf_result pbf_sim_settle(pbf_sim *sim)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    Host *before = call_begin(sim->context);
    if (sim->stepping)
        return call_end(sim->context, before, result_error(RESULT_USAGE, "the simulation is in a step"));
    return call_end(sim->context, before, settle(sim));
}

static pbf_result stopped(const pbf_sim *sim)
{
    pbf_result result = {PBF_STOPPED, ""};
    snprintf(result.text, sizeof result.text, "stopped at %g s by the caller", fluid_time(sim->fluid));
    return result;
}

// The callback is the caller's code, which runs outside of the context.
static bool asks_to_stop(pbf_sim *sim, pbf_step_callback on_step, const pbf_report *report, void *user)
{
    Host *inside = host_enter(NULL);
    bool stop = on_step && on_step(sim, report, user) != 0;
    host_enter(inside);
    return stop || sim->doomed;
}

static pbf_result advance(pbf_sim *sim, double until, pbf_step_callback on_step, void *user)
{
    Result result = result_ok();
    if (!(until >= fluid_time(sim->fluid)))
        result = result_error(RESULT_USAGE, "cannot go on to %g s (now or later, it is %g s)", until,
                              fluid_time(sim->fluid));
    if (result_is_ok(&result)) result = settle(sim);
    while (result_is_ok(&result) && fluid_time(sim->fluid) < until) {
        pbf_report report;
        result = step(sim, until, &report);
        if (result_is_ok(&result) && asks_to_stop(sim, on_step, &report, user)) return stopped(sim);
    }
    return call_refused(sim->context, result);
}

pbf_result pbf_sim_advance(pbf_sim *sim, double until, pbf_step_callback on_step, void *user)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    Host *before = call_begin(sim->context);
    Result result = begin_steps(sim);
    if (!result_is_ok(&result)) return call_end(sim->context, before, result);
    return end_steps(sim, before, advance(sim, until, on_step, user));
}

// --- settings ---

static Result set(pbf_sim *sim, const pbf_setting *settings, size_t count)
{
    SharedScene *changed;
    TRY(settings_check(settings, count));
    for (size_t k = 0; k < count; k++) {
        if (!param_find(FLUID_ROWS, settings[k].key).row)
            return result_error(RESULT_USAGE, "%.80s: cannot change under way (keys of fluid and solver can)",
                                settings[k].key);
    }
    TRY(scene_with(sim->shared, settings, count, &changed));
    Result result = fluid_change(sim->fluid, &changed->def.fluid);
    if (!result_is_ok(&result)) {
        shared_scene_release(changed);
        return result;
    }
    shared_scene_release(sim->shared);
    sim->shared = changed;
    if (sim->watch) measure_set_gravity(sim->watch, changed->def.fluid.gravity);
    sim->version++;
    return result;
}

pbf_result pbf_sim_set(pbf_sim *sim, const pbf_setting *settings, size_t count)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    RETURN_CALL(sim->context, set(sim, settings, count));
}

// --- what there is ---

pbf_result pbf_sim_info(const pbf_sim *sim, pbf_info *out)
{
    if (!out) return call_refused(sim ? sim->context : NULL, missing("out"));
    *out = (pbf_info){0};
    if (!sim) return call_refused(NULL, missing("sim"));
    FrameView view = fluid_view(sim->fluid);
    double spacing = (double)view.spacing;
    *out = (pbf_info){.time = view.time,
                      .steps = view.report.step,
                      .version = sim->version,
                      .particles = view.count,
                      .bodies = obstacles_count(view.obstacles),
                      .spacing = spacing,
                      .radius = (double)view.radius,
                      .rest_density = (double)view.rest_density,
                      .particle_mass = (double)view.rest_density * spacing * spacing * spacing,
                      .origin = {(double)view.origin.x, (double)view.origin.y, (double)view.origin.z}};
    return call_refused(sim->context, result_ok());
}

uint64_t pbf_sim_hash(const pbf_sim *sim)
{
    if (!sim) return 0;
    Host *before = call_begin(sim->context);
    uint64_t hash = fluid_state_hash(sim->fluid);
    host_enter(before);
    return hash;
}
