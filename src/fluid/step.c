// One step, Algorithm 1 of Macklin and Mueller 2013: the order of the calls in `prepare` and `solve` is the
// algorithm. A step writes nothing that it could not take back until nothing can fail for lack of memory any
// more: until then the particles' next start stands beside them. One that somebody may stop keeps them
// longer.

#include "core/clock.h"
#include "core/memory.h"
#include "core/round.h"
#include "fluid/emitter_run.h"
#include "fluid/fluid_state.h"
#include "fluid/share_run.h"
#include "fluid/steer_run.h"
#include "fluid/step_run.h"

#include <math.h>

// --- time by phase ---

void step_phase_end(Step *step, StepPhase phase)
{
    double now = clock_seconds();
    step->report->phase_ms[phase] += 1e3 * (now - step->clock);
    step->clock = now;
    if (!step->fluid->times_processor) return;
    double processor = clock_processor_seconds();
    step->report->processor_ms[phase] += 1e3 * (processor - step->processor_clock);
    step->processor_clock = processor;
}

// --- sources and sinks ---

static Result emit(Fluid *fluid, double t0, double t1)
{
    for (uint32_t k = 0; k < fluid->emitter_count; k++) {
        const EmitterDef *emitter = &fluid->emitters[k];
        uint32_t pending = emitter_pending(emitter, fluid->def.spacing, t0, t1);
        if (pending == 0) continue;
        TRY(MEMORY_RESERVE(fluid->emitted, fluid->emitted_capacity, 0, 3 * (size_t)pending, "emitter"));
        Vec3 *room = fluid->emitted;
        EmittedPoints points = {room, room + pending, &room[2 * (size_t)pending].x};
        uint32_t count = emitter_emit(emitter, fluid->def.spacing, fluid->h, fluid->def.gravity, t0, t1,
                                      &points);
        TRY(fluid_insert(fluid, points.position, count, points.velocity, 1, t0, points.release));
    }
    return result_ok();
}

// Of processes that share a fluid the last one gets what is new: it comes after all others.
static Result emit_shared(Fluid *fluid, double t0, double t1)
{
    Share *share = fluid->share;
    uint32_t count = fluid->particles.count, next_id = fluid->next_id;
    TRY(emit(fluid, t0, t1));
    if (!share) return result_ok();
    if (share->links->rank + 1 < share->links->ranks) fluid->particles.count = count;
    share->particles += fluid->next_id - next_id;
    share_reserve(share, &fluid->particles);
    return result_ok();
}

static bool drained(Vec3 position, const void *context)
{
    return fluid_drains(((const Step *)context)->fluid, position);
}

// --- preparation ---

static Vec3 pushed(Vec3 position, Vec3 velocity, const void *context)
{
    const Step *step = context;
    return steer_push(step->fluid, step->dt, position, velocity);
}

// No particle moves further than that (m) in the step before its neighbors are looked for.
static float longest_way(const Step *step)
{
    const Fluid *fluid = step->fluid;
    double push = vec3_length(fluid->def.gravity);
    for (uint32_t k = 0; k < fluid->force_count; k++)
        push += vec3_length(fluid->forces[k].along) + fabsf(fluid->forces[k].toward);
    return (float)(1.01 * step->dt * (fluid->speed_max + step->dt * push));
}

void step_watch_searches(Fluid *fluid, const atomic_bool *stop)
{
    neighbor_search_watch(fluid->search, stop);
    if (fluid->stretch.search) neighbor_search_watch(fluid->stretch.search, stop);
}

Result step_reserve_potentials(Fluid *fluid, uint32_t count)
{
    if (!fluid_has_potentials(fluid)) return result_ok();
    size_t used = fluid->trapped_air ? fluid->particles.count : 0, needed = (size_t)count + CONTACT_LANES;
    used = used < fluid->trapped_air_capacity ? used : fluid->trapped_air_capacity;
    TRY(MEMORY_RESERVE(fluid->trapped_air, fluid->trapped_air_capacity, used, needed, "whitewater"));
    used = used < fluid->wave_crest_capacity ? used : fluid->wave_crest_capacity;
    return MEMORY_RESERVE(fluid->wave_crest, fluid->wave_crest_capacity, used, needed, "whitewater");
}

// All that can fail for lack of memory. What it changes, take_back mends.
static Result prepare(Step *step)
{
    Fluid *fluid = step->fluid;
    Particles *p = &fluid->particles;
    TRY(emit_shared(fluid, fluid->time, step->t1));
    TRY(step_find_mouths(fluid, fluid->time, step->t1));
    TankDef tank = obstacles_tank(fluid->obstacles);
    TRY(ghosts_reserve(&fluid->ghosts, p, &tank, fluid->stretch.reach, longest_way(step)));
    TRY(step_reserve_sums(fluid));
    TRY(step_reserve_viscosity(fluid, step->dt));
    TRY(step_reserve_swirls(fluid));
    if (fluid_spins(&fluid->def)) TRY(spins_reserve(&fluid->spins, p->count, fluid->ghosts.room));
    steer_shift(fluid, step->dt);
    step->moved = true;
    TRY(obstacles_move(fluid->obstacles, fluid->time, step->t1));
    step_phase_end(step, PHASE_OTHER);
    PredictionRule rule = {.dt = (float)step->dt,
                           .gravity = fluid->def.gravity,
                           .tension = fluid_tension_borne(fluid, step->dt),
                           .order = neighbor_search_order(fluid->search, fluid->def.spacing),
                           .push = fluid->force_count ? pushed : NULL,
                           .removed = fluid->drain_count ? drained : NULL,
                           .context = step,
                           .share = fluid->share};
    Prediction *start = &step->start;
    TRY(particles_predict(p, &rule, start));
    if (fluid_reaches_far(fluid) && rule.tension > 0.0f)
        start->pull = (PredictionPull){{p->tension_x, p->tension_y, p->tension_z}, start->order};
    if (fluid->share) share_migrate(fluid->share, p, start);
    TRY(step_check(step));
    step->report->particles = fluid->share ? (uint32_t)fluid->share->particles : start->count;
    step_phase_end(step, PHASE_REORDER);
    TRY(step_search(step));
    TRY(step_reserve_potentials(fluid, start->count + fluid->ghosts.count));
    if (fluid->follower.prepare) TRY(fluid->follower.prepare(fluid->follower.self, start->count));
    TRY(step_reserve_strands(fluid, start->count));
    if (!fluid_reaches_far(fluid)) return result_ok();
    fluid->pressure.flow = fluid_mends_flow(fluid);
    return pressure_grid_cover(&fluid->pressure, fluid->obstacles, fluid->def.spacing, start->at,
                               start->count, fluid->share ? fluid->share->links : NULL);
}

// --- solution ---

PassView step_view(const Step *step)
{
    const Fluid *fluid = step->fluid;
    const Particles *p = &fluid->particles;
    bool potentials = fluid_has_potentials(fluid);
    Streams3 at = step->at.x ? step->at : (Streams3){p->x, p->y, p->z};
    return (PassView){
        .constants = step->constants,
        .stop = step->stop,
        .count = p->count + fluid->ghosts.count,
        .ghosts = &fluid->ghosts,
        .share = fluid->share,
        .pairs = step->pairs,
        .scratch = fluid->scratch,
        .contacts = &fluid->contacts,
        .x0 = p->x,
        .y0 = p->y,
        .z0 = p->z,
        .x = at.x,
        .y = at.y,
        .z = at.z,
        .next_x = step->next.x,
        .next_y = step->next.y,
        .next_z = step->next.z,
        .vx = p->vx,
        .vy = p->vy,
        .vz = p->vz,
        .density = p->density,
        .volume = step->volume,
        .release = p->release,
        .gradient_sum = step->gradient_sum,
        .kappa = step->kappa,
        .lambda = step->lambda,
        .lambda_sum = p->lambda_sum,
        .wall_x = step->wall.x,
        .wall_y = step->wall.y,
        .wall_z = step->wall.z,
        .curl_x = step->curl.x,
        .curl_y = step->curl.y,
        .curl_z = step->curl.z,
        .curl = p->vorticity,
        .normal_x = step->normal.x,
        .normal_y = step->normal.y,
        .normal_z = step->normal.z,
        .tension_x = p->tension_x,
        .tension_y = p->tension_y,
        .tension_z = p->tension_z,
        .trapped_air = potentials ? fluid->trapped_air : NULL,
        .wave_crest = potentials ? fluid->wave_crest : NULL,
        .spin_x = fluid->spins.now.x,
        .spin_y = fluid->spins.now.y,
        .spin_z = fluid->spins.now.z,
        .spread_x = fluid->spins.gain.x,
        .spread_y = fluid->spins.gain.y,
        .spread_z = fluid->spins.gain.z,
        .change_x = fluid->spins.before.x,
        .change_y = fluid->spins.before.y,
        .change_z = fluid->spins.before.z,
    };
}

// The same where kernels follow the present velocities, if they do.
static PassView stretched_view(const Step *step)
{
    PassView view = step_view(step);
    step_stretch(step, &view);
    return view;
}

static void swap(float **a, float **b)
{
    float *t = *a;
    *a = *b;
    *b = t;
}

static void take_next_velocity(Step *step)
{
    Particles *p = &step->fluid->particles;
    swap(&p->vx, &step->next.x);
    swap(&p->vy, &step->next.y);
    swap(&p->vz, &step->next.z);
}

// Velocities that would compress water, or thin it out inside, in the next step.
static Result project_velocity(Step *step)
{
    Particles *p = &step->fluid->particles;
    particles_lease(p, &step->kappa);
    for (uint32_t k = 0; k < step->fluid->def.divergence_iterations; k++) {
        PassView view = step_view(step);
        TRY(step_check(step));
        step_pass(&view, step->passes->divergence);
        step_pass(&view, step->passes->projection);
        take_next_velocity(step);
    }
    particles_release(p, &step->kappa);
    particles_release(p, &step->gradient_sum);
    particles_release3(p, &step->wall);
    particles_release3(p, &step->next);
    step_phase_end(step, PHASE_CORRECTION);
    return step_check(step);
}

// Adds to the velocities what a pass says of swirls.
static void add_swirls(Step *step, Pass *pass)
{
    particles_lease3(&step->fluid->particles, &step->swirl);
    PassView view = step_view(step);
    view.next_x = step->swirl.x, view.next_y = step->swirl.y, view.next_z = step->swirl.z;
    step_pass(&view, pass);
    step_add_swirls(step);
    particles_release3(&step->fluid->particles, &step->swirl);
}

// Where kernels are ellipsoids viscosity has a pass of its own, as the tension of pass_forces has balls.
void step_find_forces(Step *step)
{
    Particles *p = &step->fluid->particles;
    particles_lease3(p, &step->curl);
    particles_lease3(p, &step->normal);
    particles_lease3(p, &step->next);
    PassView view = step_view(step), stretched = stretched_view(step);
    step_pass(&stretched, step->passes->curl);
    if (stretched.swell) view.constants.viscosity = 0.0f;
    step_pass(&view, step->passes->forces);
    particles_release3(p, &step->normal);
    if (!stretched.swell) return;
    particles_lease3(p, &step->swirl);
    stretched.next_x = step->swirl.x, stretched.next_y = step->swirl.y, stretched.next_z = step->swirl.z;
    stretched.normal_x = stretched.normal_y = stretched.normal_z = NULL;
    stretched.constants.wall_drag = stretched.constants.wall_load = 0.0f; // pass_forces has them
    step_pass(&stretched, step->passes->viscosity);
    step_add_all(step);
    particles_release3(p, &step->swirl);
}

static void apply_forces(Step *step)
{
    const FluidDef *def = &step->fluid->def;
    step_find_forces(step);
    step_turn_pushes(step);
    if (def->vorticity_confinement > 0.0f) add_swirls(step, step->passes->swirl);
    if (def->micropolar > 0.0f) {
        add_swirls(step, step->passes->spin);
        step_turn_spins(step);
    }
    if (def->angular_momentum > 0.0f) {
        step_note_changes(step);
        PassView view = step_view(step);
        step_pass(&view, step->passes->torque);
        step_take_torques(step);
        add_swirls(step, step->passes->transfer);
    }
    take_next_velocity(step);
    step_phase_end(step, PHASE_FORCES);
}

void step_start_passes(Step *step)
{
    Fluid *fluid = step->fluid;
    step->at = step->start.at;
    step->start.at = (Streams3){0};
    particles_accept(&fluid->particles, &step->start, step->kept ? &fluid->undo.particles : NULL);
    spins_reorder(&fluid->spins, step->start.order, step->start.count);
    step->passes = fluid_passes(cpu_level(), step->pairs.clustered);
    step->constants = fluid_pass_constants(fluid, step->dt);
    step->constants.held_after = (float)step->t1;
}

static Result solve(Step *step)
{
    step_keep_velocities(step);
    step_start_passes(step);
    step_begin_strands(step);
    TRY(step_project_density(step));
    step_take_velocity(step);
    step_phase_end(step, PHASE_OTHER);
    TRY(project_velocity(step));
    apply_forces(step);
    TRY(step_check(step)); // the last one: strands are not taken back
    TRY(step_move_strands(step));
    TRY(step_commit(step));
    step_phase_end(step, PHASE_OTHER);
    return result_ok();
}

static Result keep_and_solve(Step *step)
{
    step_keep(step);
    return solve(step);
}

// --- the step ---

// What a step that fails while it is prepared has changed, and one that can be taken back later, too.
typedef struct Before {
    uint32_t count, next_id, spins;
    double speed_max;
} Before;

static void take_back(Step *step, Before before)
{
    Fluid *fluid = step->fluid;
    if (step->kept) step_undo(step);
    fluid->particles.count = before.count;
    fluid->next_id = before.next_id;
    fluid->spins.count = before.spins;
    fluid->speed_max = before.speed_max;
    if (!step->moved) return;
    Result result = obstacles_move_back(fluid->obstacles, fluid->step_begin, fluid->time);
    fluid->broken = !result_is_ok(&result);
}

// The next step makes up for it.
static Result count_as_reached(Fluid *fluid, double until, StepReport *report)
{
    fluid->counted = until;
    if (!report) return result_ok();
    *report = fluid->report;
    report->time = until;
    report->dt = 0.0;
    return result_ok();
}

Result fluid_step(Fluid *fluid, double until, StepReport *report)
{
    if (!(until > fluid_time(fluid) && isfinite(until)))
        return result_error(RESULT_USAGE, "a step from %g s cannot end at %g s (a later time)",
                            fluid_time(fluid), until);
    if (fluid->broken)
        return result_error(RESULT_FAILED, "step %llu failed: the fluid cannot go on from there",
                            (unsigned long long)fluid->report.step + 1);
    if (until - fluid->time < step_least(fluid)) return count_as_reached(fluid, until, report);
    TRY(fluid_settle(fluid));
    if (fluid->share) share_call(fluid->share, SHARE_STEP, until), share_stepped(fluid->share, false);
    double dt = step_length(fluid, until);
    // The last of the steps ends at `until` to the bit.
    double t1 = until - fluid->time <= dt * (1.0 + 1e-9) ? until : fluid->time + dt;
    StepReport now = {
        .step = fluid->report.step + 1, .time = t1, .dt = dt, .iterations = fluid->def.iterations};
    Step step = {.fluid = fluid,
                 .t1 = t1,
                 .dt = dt,
                 .report = &now,
                 .stop = fluid->stop,
                 .clock = clock_seconds(),
                 .processor_clock = fluid->times_processor ? clock_processor_seconds() : 0.0};
    Before before = {fluid->particles.count, fluid->next_id, fluid->spins.count, fluid->speed_max};
    step_watch_searches(fluid, fluid->stop);
    Result result = prepare(&step);
    if (result_is_ok(&result)) result = step_check(&step);
    bool prepared = result_is_ok(&result);
    if (prepared) result = keep_and_solve(&step);
    step_watch_searches(fluid, NULL);
    step_release_all(&step);
    bool whole = step.kept && (result.code == RESULT_STOPPED || result.code == RESULT_NO_MEMORY);
    if (!prepared || whole)
        take_back(&step, before);
    else if (!result_is_ok(&result))
        fluid->broken = true;
    // What one rank alone has met leaves the others in the middle of the step.
    if (!result_is_ok(&result) && fluid->share && !step.agreed)
        fluid->share->links->fail(fluid->share->links->self, &result);
    if (!result_is_ok(&result)) {
        fluid->contacts.measured = false; // contacts are those of this step, or of none
        return result;
    }
    TankDef tank = obstacles_tank(fluid->obstacles);
    ghosts_wrap(&tank, &fluid->particles);
    steer_done(fluid, dt);
    fluid->step_begin = fluid->time;
    fluid->time = t1;
    fluid->speed_max = now.speed_max;
    fluid->report = now;
    if (fluid->follower.step) {
        fluid->follower.step(fluid->follower.self, fluid);
        step_phase_end(&step, PHASE_OTHER);
        fluid->report = now;
    }
    if (fluid->share) share_stepped(fluid->share, true);
    if (report) *report = now;
    return result_ok();
}
