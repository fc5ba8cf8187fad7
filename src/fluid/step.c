// One step, Algorithm 1 of Macklin and Mueller 2013: the order of the calls in `prepare` and `solve` is the
// algorithm. A step writes nothing that it could not take back until nothing can fail for lack of memory any
// more: until then the particles' next start stands beside them.

#include "core/clock.h"
#include "core/memory.h"
#include "fluid/emitter_run.h"
#include "fluid/fluid_state.h"
#include "fluid/steer_run.h"
#include "fluid/step_run.h"

#include <math.h>

// A particle found inside an obstacle at the start of a step leaves it at this many h per second.
#define DEPENETRATION_RATE 2.0f

// Water that starts denser than this is relaxed before the first step, in at most this many rounds.
#define START_DENSITY_ERROR 0.003f
#define START_ROUNDS 10
#define START_ITERATIONS 20
// Of the constraint in these rounds, in units of the rest lattice's sum |grad C|^2: nothing has to stay calm,
// so it is stiffer than in a step. At 0 it overshoots.
#define START_RELAXATION 0.3

// --- time by phase ---

static void phase_end(Step *step, StepPhase phase)
{
    double now = clock_seconds(), processor = clock_processor_seconds();
    step->report->phase_ms[phase] += 1e3 * (now - step->clock);
    step->report->processor_ms[phase] += 1e3 * (processor - step->processor_clock);
    step->clock = now;
    step->processor_clock = processor;
}

// --- sources and sinks ---

static Result emit(Fluid *fluid, double t0, double t1)
{
    for (uint32_t k = 0; k < fluid->emitter_count; k++) {
        const EmitterDef *emitter = &fluid->emitters[k];
        uint32_t pending = emitter_pending(emitter, fluid->def.spacing, t0, t1);
        if (pending == 0) continue;
        uint32_t layer = emitter_layer_particles(emitter, fluid->def.spacing);
        TRY(memory_reserve((void **)&fluid->emitted, &fluid->emitted_capacity, 0,
                           (size_t)layer + 3 * (size_t)pending, sizeof *fluid->emitted, "emitter"));
        Vec3 *room = fluid->emitted + layer;
        EmittedPoints points = {room, room + pending, &room[2 * (size_t)pending].x};
        uint32_t count = emitter_emit(emitter, fluid->def.spacing, fluid->h, fluid->def.gravity, t0, t1,
                                      fluid->emitted, &points);
        TRY(fluid_insert(fluid, points.position, count, points.velocity, 1, t0, points.release));
    }
    return result_ok();
}

static bool drained(Vec3 position, const void *context)
{
    const Fluid *fluid = ((const Step *)context)->fluid;
    for (uint32_t k = 0; k < fluid->drain_count; k++) {
        if (drain_removes(&fluid->drains[k], position, fluid->time)) return true;
    }
    return false;
}

// --- preparation ---

// Contacts and neighbors of the positions at->x ..., which were at `from` when the step began.
static Result search(Step *step, Streams3 from, Streams3 at, uint32_t count)
{
    Fluid *fluid = step->fluid;
    StepReport *report = step->report;
    bool start = report->step == 1;
    ContactGather gather = {.obstacles = fluid->obstacles,
                            .x = from.x,
                            .y = from.y,
                            .z = from.z,
                            .px = at.x,
                            .py = at.y,
                            .pz = at.z,
                            .count = count,
                            .reach = fluid->h,
                            .clearance = WALL_CLEARANCE * fluid->def.spacing,
                            .depenetration =
                                start ? INFINITY : (float)(DEPENETRATION_RATE * fluid->h * step->dt),
                            .contact_angle = fluid->def.contact_angle,
                            .dt = step->dt};
    TRY(contacts_gather(&fluid->contacts, &gather));
    TankDef tank = obstacles_tank(fluid->obstacles);
    TRY(ghosts_find(&fluid->ghosts, &tank, fluid->h, at, count));
    uint32_t all = count + fluid->ghosts.count;
    TRY(contacts_extend(&fluid->contacts, count, all));
    phase_end(step, PHASE_CONTACTS);
    particles_pad(at, all);
    PointView points = {at.x, at.y, at.z, all};
    Result result = neighbor_search_pairs(fluid->search, points, &step->pairs, &report->neighbor);
    phase_end(step, PHASE_SEARCH);
    report->phase_ms[PHASE_CONSTRUCTION] = report->neighbor.construction_ms;
    report->phase_ms[PHASE_SEARCH] = report->neighbor.search_ms;
    if (!result_is_ok(&result) && result.code != RESULT_NO_MEMORY)
        return result_error(RESULT_FAILED, "step %llu, search: %.200s", (unsigned long long)report->step,
                            result.text);
    return result_is_ok(&result) ? step_reserve_scratch(fluid, &step->pairs) : result;
}

static Vec3 pushed(Vec3 position, Vec3 velocity, const void *context)
{
    const Step *step = context;
    return steer_push(step->fluid, step->dt, position, velocity);
}

// No particle moves further than that (m) in the step before its neighbors are looked for.
static float longest_way(const Step *step)
{
    const Fluid *fluid = step->fluid;
    double push = vec3_length(fluid->def.gravity), start = step->report->step == 1 ? 2.0 * fluid->h : 0.0;
    for (uint32_t k = 0; k < fluid->force_count; k++)
        push += vec3_length(fluid->forces[k].along) + fabsf(fluid->forces[k].toward);
    return (float)(1.01 * (start + step->dt * (fluid->speed_max + step->dt * push)));
}

// All that can fail for lack of memory. What it changes, take_back mends.
static Result prepare(Step *step)
{
    Fluid *fluid = step->fluid;
    Particles *p = &fluid->particles;
    TRY(emit(fluid, fluid->time, step->t1));
    TankDef tank = obstacles_tank(fluid->obstacles);
    TRY(ghosts_reserve(&fluid->ghosts, p, &tank, fluid->h, longest_way(step)));
    TRY(step_reserve_sums(fluid));
    TRY(step_reserve_viscosity(fluid, step->dt));
    TRY(step_reserve_confinement(fluid));
    steer_shift(fluid, step->dt);
    step->moved = true;
    TRY(obstacles_move(fluid->obstacles, fluid->time, step->t1));
    phase_end(step, PHASE_OTHER);
    PredictionRule rule = {.dt = (float)step->dt,
                           .gravity = fluid->def.gravity,
                           .tension = fluid_tension_borne(fluid, step->dt),
                           .order = neighbor_search_order(fluid->search, fluid->def.spacing),
                           .push = fluid->force_count ? pushed : NULL,
                           .removed = fluid->drain_count ? drained : NULL,
                           .context = step};
    Prediction *start = &step->start;
    TRY(particles_predict(p, &rule, start));
    step->report->particles = start->count;
    phase_end(step, PHASE_REORDER);
    TRY(search(step, (Streams3){start->x, start->y, start->z}, start->at, start->count));
    if (!fluid_reaches_far(fluid)) return result_ok();
    return pressure_grid_cover(&fluid->pressure, fluid->obstacles, fluid->def.spacing, start->at,
                               start->count);
}

// --- solution ---

static PassView pass_view(const Step *step)
{
    const Fluid *fluid = step->fluid;
    const Particles *p = &fluid->particles;
    return (PassView){
        .constants = step->constants,
        .count = p->count + fluid->ghosts.count,
        .ghosts = &fluid->ghosts,
        .pairs = step->pairs,
        .scratch = fluid->scratch,
        .contacts = &fluid->contacts,
        .x0 = p->x,
        .y0 = p->y,
        .z0 = p->z,
        .x = step->at.x,
        .y = step->at.y,
        .z = step->at.z,
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
    };
}

// The share of the last step's lambdas to start from. Lambdas that hold a load are as the square of the
// step; those that mend compression that was there are not, so a longer step gets no more of them.
static float warm_share(const Fluid *fluid, double dt)
{
    double ratio = fluid->report.dt > 0.0 ? fmin(dt / fluid->report.dt, 1.0) : 0.0;
    return (float)(fluid->def.warm_start * ratio * ratio);
}

// carried: the sums of lambda already hold a share of this step.
static void solve_density(Step *step, uint32_t iterations, float warm, bool carried)
{
    for (uint32_t k = 0; k < iterations; k++) {
        PassView view = pass_view(step);
        view.constants.warm = k == 0 ? warm : 0.0f;
        view.constants.carry = k > 0 || carried ? 1.0f : 0.0f;
        step_pass(&view, step->passes->density);
        phase_end(step, PHASE_DENSITY);
        step_pass(&view, step->passes->correction);
        Streams3 before = step->at;
        step->at = step->next;
        step->next = before;
        phase_end(step, PHASE_CORRECTION);
    }
}

// Pressure that reaches further than the iterations do.
static void project_far(Step *step)
{
    Fluid *fluid = step->fluid;
    PassView view = pass_view(step);
    step_pass(&view, step->passes->density);
    phase_end(step, PHASE_DENSITY);
    PressureJob job = {.density = fluid->particles.density,
                       .release = fluid->particles.release,
                       .held_after = step->constants.held_after,
                       .dt = step->dt,
                       .move_max = step->constants.correction_max,
                       .spacing = fluid->def.spacing,
                       .count = fluid->particles.count,
                       .at = step->at,
                       .move = step->next,
                       .lambda_sum = fluid->particles.lambda_sum};
    pressure_grid_project(&fluid->pressure, &job);
    if (fluid->contacts.measured) step_pass(&view, step->passes->far_loads);
    phase_end(step, PHASE_CORRECTION);
}

static bool too_dense(const Particles *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->density[i] > 1.0f + START_DENSITY_ERROR) return true;
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
    PassConstants kept = step->constants;
    step->constants.relaxation = (float)(START_RELAXATION * step->fluid->lattice.gradient_sum);
    step->constants.scorr_scale = 0.0f;
    for (int round = 0; round < START_ROUNDS; round++) {
        PassView view = pass_view(step);
        step_pass(&view, step->passes->density);
        bool dense = too_dense(p);
        if (dense) solve_density(step, START_ITERATIONS, 0.0f, false);
        for (uint32_t i = 0; i < p->count; i++) {
            p->x[i] = step->at.x[i] - p->vx[i] * dt;
            p->y[i] = step->at.y[i] - p->vy[i] * dt;
            p->z[i] = step->at.z[i] - p->vz[i] * dt;
        }
        if (!dense) break;
        TRY(search(step, (Streams3){p->x, p->y, p->z}, step->at, p->count));
    }
    step->constants = kept;
    return result_ok();
}

static Result project_density(Step *step)
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
    if (far) project_far(step);
    solve_density(step, fluid->def.iterations, far ? 0.0f : warm_share(fluid, step->dt), far);
    particles_release(p, &step->lambda);
    return result_ok();
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
static void project_velocity(Step *step)
{
    Particles *p = &step->fluid->particles;
    particles_lease(p, &step->kappa);
    for (uint32_t k = 0; k < step->fluid->def.divergence_iterations; k++) {
        PassView view = pass_view(step);
        step_pass(&view, step->passes->divergence);
        step_pass(&view, step->passes->projection);
        take_next_velocity(step);
    }
    particles_release(p, &step->kappa);
    particles_release(p, &step->gradient_sum);
    particles_release3(p, &step->wall);
    particles_release3(p, &step->next);
    phase_end(step, PHASE_CORRECTION);
}

static void confine_vorticity(Step *step)
{
    particles_lease3(&step->fluid->particles, &step->swirl);
    PassView view = pass_view(step);
    view.next_x = step->swirl.x, view.next_y = step->swirl.y, view.next_z = step->swirl.z;
    step_pass(&view, step->passes->swirl);
    step_add_swirls(step);
    particles_release3(&step->fluid->particles, &step->swirl);
}

static void apply_forces(Step *step)
{
    Particles *p = &step->fluid->particles;
    particles_lease3(p, &step->curl);
    particles_lease3(p, &step->normal);
    particles_lease3(p, &step->next);
    PassView view = pass_view(step);
    step_pass(&view, step->passes->curl);
    step_pass(&view, step->passes->forces);
    particles_release3(p, &step->normal);
    if (step->fluid->def.vorticity_confinement > 0.0f) confine_vorticity(step);
    take_next_velocity(step);
    phase_end(step, PHASE_FORCES);
}

static Result solve(Step *step)
{
    Fluid *fluid = step->fluid;
    step->at = step->start.at;
    step->start.at = (Streams3){0};
    particles_accept(&fluid->particles, &step->start);
    step->passes = fluid_passes(cpu_level(), step->pairs.clustered);
    step->constants = fluid_pass_constants(fluid, step->dt);
    step->constants.held_after = (float)step->t1;
    step_solve_viscosity(step, pass_view(step));
    phase_end(step, PHASE_FORCES);
    TRY(project_density(step));
    step_take_velocity(step);
    phase_end(step, PHASE_OTHER);
    project_velocity(step);
    apply_forces(step);
    TRY(step_commit(step));
    phase_end(step, PHASE_OTHER);
    return result_ok();
}

static void release_all(Step *step)
{
    Particles *p = &step->fluid->particles;
    Streams3 *vectors[] = {&step->at, &step->next, &step->wall, &step->curl, &step->normal, &step->swirl};
    particles_reject(p, &step->start);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) particles_release3(p, vectors[k]);
    particles_release(p, &step->volume);
    float **numbers[] = {&step->lambda, &step->gradient_sum, &step->kappa};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) particles_release(p, numbers[k]);
}

// --- the step ---

// What a step that fails while it is prepared has changed.
typedef struct Before {
    uint32_t count, next_id;
    double speed_max;
} Before;

static void take_back(const Step *step, Before before)
{
    Fluid *fluid = step->fluid;
    fluid->particles.count = before.count;
    fluid->next_id = before.next_id;
    fluid->speed_max = before.speed_max;
    if (!step->moved) return;
    Result result = obstacles_move_back(fluid->obstacles, fluid->step_begin, fluid->time);
    fluid->broken = !result_is_ok(&result);
}

Result fluid_step(Fluid *fluid, double until, StepReport *report)
{
    if (!(until > fluid->time))
        return result_error(RESULT_USAGE, "a step from %g s cannot end at %g s (a later time)", fluid->time,
                            until);
    if (fluid->broken)
        return result_error(RESULT_FAILED, "step %llu failed: the fluid cannot go on from there",
                            (unsigned long long)fluid->report.step + 1);
    double dt = step_length(fluid, until);
    // The last of the steps ends at `until` to the bit.
    double t1 = until - fluid->time <= dt * (1.0 + 1e-9) ? until : fluid->time + dt;
    StepReport now = {
        .step = fluid->report.step + 1, .time = t1, .dt = dt, .iterations = fluid->def.iterations};
    Step step = {.fluid = fluid,
                 .t1 = t1,
                 .dt = dt,
                 .report = &now,
                 .clock = clock_seconds(),
                 .processor_clock = clock_processor_seconds()};
    Before before = {fluid->particles.count, fluid->next_id, fluid->speed_max};
    Result result = prepare(&step);
    bool prepared = result_is_ok(&result);
    if (prepared) result = solve(&step);
    release_all(&step);
    if (!prepared) take_back(&step, before);
    if (prepared && !result_is_ok(&result)) fluid->broken = true;
    if (!result_is_ok(&result)) return result;
    TankDef tank = obstacles_tank(fluid->obstacles);
    ghosts_wrap(&tank, &fluid->particles);
    steer_done(fluid, dt);
    fluid->step_begin = fluid->time;
    fluid->time = t1;
    fluid->speed_max = now.speed_max;
    fluid->report = now;
    if (report) *report = now;
    return result_ok();
}
