// One step, Algorithm 1 of Macklin and Mueller 2013: the order of the calls in `advance` is the algorithm.

#include "core/clock.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "fluid/emitter_run.h"
#include "fluid/fluid_state.h"
#include "fluid/steer_run.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define PASS_GRAIN 256u
#define REDUCE_GRAIN 4096u

// A particle found inside an obstacle at the start of a step leaves it at this many h per second.
#define DEPENETRATION_RATE 2.0f

// No single iteration moves a particle further than this, in h: the constraint is linearised and means
// nothing there.
#define CORRECTION_MAX 0.1f

// Water that starts denser than this is relaxed before the first step, in at most so many rounds.
#define START_DENSITY_ERROR 0.1f
#define START_ROUNDS 40
#define START_ITERATIONS 5

// A share of the artificial pressure that nobody will miss.
#define SCORR_LEAST 1e-17f

// Keeps coincident particles apart, in h.
#define LEAST_DISTANCE 1e-6

// Ripples as short as the spacing oscillate at a rate of sqrt(sigma / (rho0 spacing^3)); explicit forces stay
// stable only in steps of a small part of that time. Measured on weightless cubes with influence radii of 1.5
// to 2.5 spacings and 1 to 10 iterations: at 0.1 they calm down, at 0.13 they gain energy, at 0.2 they burst.
#define TENSION_CFL 0.1

// A particle faster than this many h in the shortest step the definition allows is a runaway.
#define RUNAWAY 50.0

// --- length of the step ---

// With a fixed number of relaxed iterations water under its own weight is compressed by about C = g H / c^2,
// where c = 3.2 spacings a step acts as a speed of sound (measured on resting columns); a warm start leaves
// 1 - warm_start of that. The gravity wave's sqrt(g H) as a second CFL speed therefore keeps C the same at
// every spacing and depth.
double fluid_wave_step(const FluidDef *def, double depth)
{
    double speed = sqrt(vec3_length(def->gravity) * depth);
    return speed > 0.0 ? def->wave_cfl * (double)(def->radius_factor * def->spacing) / speed : INFINITY;
}

double fluid_tension_step(const FluidDef *def)
{
    double mass = (double)def->rest_density * pow(def->spacing, 3);
    return def->surface_tension > 0.0f ? TENSION_CFL * sqrt(mass / def->surface_tension) : INFINITY;
}

static double choose_dt(const Fluid *fluid, double until)
{
    const FluidDef *def = &fluid->def;
    double gravity = vec3_length(def->gravity);
    double fastest = fluid->speed_max + (gravity + steer_acceleration(fluid)) * def->time_step;
    fastest = fmax(fastest, steer_speed(fluid));
    double limit = fmin(def->time_step, fluid_tension_step(def));
    if (fastest * limit > def->cfl * fluid->h) limit = def->cfl * fluid->h / fastest;
    limit = fmin(limit, fluid_wave_step(def, fluid->depth));
    limit = fmax(limit, def->time_step / def->max_substeps);
    double remaining = until - fluid->time;
    return remaining / fmax(1.0, ceil(remaining / limit - 1e-9));
}

PassConstants fluid_pass_constants(const Fluid *fluid, double dt)
{
    const FluidDef *def = &fluid->def;
    double h = fluid->h, spacing = def->spacing;
    double mass = fluid->lattice.mass_factor * def->rest_density * spacing * spacing * spacing;
    double density_scale = mass / def->rest_density * 8.0 / (PI * h * h * h);
    double borne = fmin(1.0, pow(fluid_tension_step(def) / dt, 2.0)); // what the step bears of the tension
    double gamma = cohesion_gamma(borne * def->surface_tension, def->rest_density, h);
    return (PassConstants){
        .h = (float)h,
        .inv_h = (float)(1.0 / h),
        .least_distance2 = (float)(LEAST_DISTANCE * LEAST_DISTANCE * h * h),
        .density_scale = (float)density_scale,
        .gradient_scale = (float)(density_scale / h),
        .relaxation = (float)(def->relaxation * fluid->lattice.gradient_sum),
        .scorr_scale = (float)(def->scorr_strength / fluid->lattice.gradient_sum *
                               pow(2.0 / (double)kernel_shape(def->scorr_distance), def->scorr_power)),
        .scorr_least = powf(SCORR_LEAST, 1.0f / (float)def->scorr_power),
        .scorr_power = def->scorr_power,
        .correction_max = (float)(CORRECTION_MAX * h),
        .viscosity = (float)fmin(def->viscosity * dt, 1.0),
        .vorticity = def->vorticity,
        .cohesion_scale = (float)(gamma * mass * 32.0 / (PI * h * h * h)),
        .normal_scale = (float)(PI * h * h * h / (16.0 * mass)),
        .dt = (float)dt,
        .wall_density = def->boundary == BOUNDARY_DENSITY,
    };
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
                           (size_t)layer + 2 * (size_t)pending, sizeof *fluid->emitted, "emitter"));
        Vec3 *positions = fluid->emitted + layer, *velocities = positions + pending;
        uint32_t count = emitter_emit(emitter, fluid->def.spacing, fluid->def.gravity, t0, t1, fluid->emitted,
                                      positions, velocities);
        TRY(fluid_insert(fluid, positions, count, velocities, 1, t0));
    }
    return result_ok();
}

static bool drained(Vec3 position, const void *context)
{
    const Fluid *fluid = context;
    for (uint32_t k = 0; k < fluid->drain_count; k++) {
        if (drain_removes(&fluid->drains[k], position, fluid->time)) return true;
    }
    return false;
}

// --- passes over ranges ---

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
    job->pass(view, begin, end, view->scratch + worker * pass_scratch(&view->pairs));
}

static void pass_all(const PassView *view, Pass *pass)
{
    PassJob job = {view, pass};
    parallel_for(view->count, pass_grain(&view->pairs), run_pass, &job);
}

static Result reserve_scratch(Fluid *fluid, const NeighborPairs *pairs)
{
    size_t before = fluid->scratch_capacity;
    TRY(memory_reserve((void **)&fluid->scratch, &fluid->scratch_capacity, 0,
                       parallel_workers() * pass_scratch(pairs), sizeof *fluid->scratch, "step"));
    if (fluid->scratch_capacity > before)
        memset(fluid->scratch, 0, fluid->scratch_capacity * sizeof *fluid->scratch);
    return result_ok();
}

static PassView pass_view(const Fluid *fluid, const PassConstants *constants, const NeighborPairs *pairs)
{
    const Particles *p = &fluid->particles;
    return (PassView){
        .constants = *constants,
        .count = p->count,
        .pairs = *pairs,
        .scratch = fluid->scratch,
        .contacts = &fluid->contacts,
        .x0 = p->x,
        .y0 = p->y,
        .z0 = p->z,
        .x = p->px,
        .y = p->py,
        .z = p->pz,
        .next_x = p->qx,
        .next_y = p->qy,
        .next_z = p->qz,
        .vx = p->vx,
        .vy = p->vy,
        .vz = p->vz,
        .density = p->density,
        .volume = p->volume,
        .lambda = p->lambda,
        .lambda_sum = p->lambda_sum,
        .wall_x = p->normal_x, // normals come later
        .wall_y = p->normal_y,
        .wall_z = p->normal_z,
        .curl_x = p->curl_x,
        .curl_y = p->curl_y,
        .curl_z = p->curl_z,
        .curl = p->vorticity,
        .normal_x = p->normal_x,
        .normal_y = p->normal_y,
        .normal_z = p->normal_z,
    };
}

static void swap(float **a, float **b)
{
    float *t = *a;
    *a = *b;
    *b = t;
}

// --- velocity and commit, with reductions whose blocks do not depend on the threads ---

typedef struct Partial {
    double error_sum, error_max, speed2_max;
    double height_sum, deviation_sum; // m against gravity; of the distances from the mean height
    uint32_t bad;                     // first particle that is not finite or runs away, or UINT32_MAX
} Partial;

typedef struct CommitJob {
    Fluid *fluid;
    const NeighborPairs *pairs;
    float inv_dt, speed_limit;
    Vec3 up;            // against gravity
    double height_mean; // m, of all particles
    Partial *partials;
} CommitJob;

// v = (x* - x) / dt, x = x*
static void take_velocity(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const CommitJob *job = context;
    Particles *p = &job->fluid->particles;
    for (uint32_t i = begin; i < end; i++) {
        p->vx[i] = (p->px[i] - p->x[i]) * job->inv_dt;
        p->vy[i] = (p->py[i] - p->y[i]) * job->inv_dt;
        p->vz[i] = (p->pz[i] - p->z[i]) * job->inv_dt;
        p->x[i] = p->px[i];
        p->y[i] = p->py[i];
        p->z[i] = p->pz[i];
    }
}

static double height_of(const CommitJob *job, uint32_t i)
{
    const Particles *p = &job->fluid->particles;
    return vec3_dot(job->up, vec3_make(p->x[i], p->y[i], p->z[i]));
}

// fmax without a call to the library. NaN does not count.
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static void commit(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const CommitJob *job = context;
    Particles *p = &job->fluid->particles;
    float limit2 = job->speed_limit * job->speed_limit;
    Partial partial = {.bad = UINT32_MAX};
    for (uint32_t i = begin; i < end; i++) {
        float speed2 = p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i];
        // The comparison fails for NaN too.
        if (!(speed2 <= limit2) && partial.bad == UINT32_MAX) partial.bad = i;
        partial.speed2_max = larger(speed2, partial.speed2_max);
        partial.height_sum += height_of(job, i);
        double error = larger((double)p->density[i] - 1.0, 0.0);
        partial.error_sum += error;
        partial.error_max = larger(error, partial.error_max);
        p->density[i] *= job->fluid->def.rest_density;
        p->neighbors[i] = job->pairs->neighbors[i];
    }
    job->partials[begin / REDUCE_GRAIN] = partial;
}

static void sum_deviations(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const CommitJob *job = context;
    double sum = 0.0;
    for (uint32_t i = begin; i < end; i++) sum += fabs(height_of(job, i) - job->height_mean);
    job->partials[begin / REDUCE_GRAIN].deviation_sum = sum;
}

// m of water, robust against single drops: a column of depth H deviates by H / 4 from its mean height.
static double measure_depth(CommitJob *job, double height_sum)
{
    uint32_t count = job->fluid->particles.count;
    if (count == 0) return 0.0;
    job->height_mean = height_sum / count;
    parallel_for(count, REDUCE_GRAIN, sum_deviations, job);
    double sum = 0.0;
    for (uint32_t k = 0; k < (count + REDUCE_GRAIN - 1) / REDUCE_GRAIN; k++)
        sum += job->partials[k].deviation_sum;
    return 4.0 * sum / count;
}

static Result commit_all(CommitJob *job, StepReport *report)
{
    Fluid *fluid = job->fluid;
    uint32_t count = fluid->particles.count;
    parallel_for(count, REDUCE_GRAIN, commit, job);
    double error_sum = 0.0, speed2_max = 0.0, height_sum = 0.0;
    uint32_t blocks = (count + REDUCE_GRAIN - 1) / REDUCE_GRAIN;
    for (uint32_t k = 0; k < blocks; k++) {
        const Partial *partial = &job->partials[k];
        if (partial->bad != UINT32_MAX)
            return result_error(
                RESULT_FAILED,
                "step %llu (%.4f s): particle %u is not finite or faster than %.3g m/s after the forces "
                "(try a smaller solver.time_step or a larger solver.relaxation)",
                (unsigned long long)report->step, report->time, fluid->particles.id[partial->bad],
                (double)job->speed_limit);
        error_sum += partial->error_sum;
        height_sum += partial->height_sum;
        speed2_max = fmax(speed2_max, partial->speed2_max);
        report->density_error_max = fmax(report->density_error_max, partial->error_max);
    }
    report->density_error_mean = count ? error_sum / count : 0.0;
    report->speed_max = sqrt(speed2_max);
    fluid->depth = measure_depth(job, height_sum);
    return result_ok();
}

// --- time by phase ---

typedef struct PhaseClock {
    StepReport *report;
    double last, last_processor; // s
} PhaseClock;

static void phase_end(PhaseClock *timer, StepPhase phase)
{
    double now = clock_seconds(), processor = clock_processor_seconds();
    timer->report->phase_ms[phase] += 1e3 * (now - timer->last);
    timer->report->processor_ms[phase] += 1e3 * (processor - timer->last_processor);
    timer->last = now;
    timer->last_processor = processor;
}

// --- the step ---

static Result search_and_contacts(Fluid *fluid, double dt, NeighborPairs *pairs, StepReport *report,
                                  PhaseClock *timer)
{
    Particles *p = &fluid->particles;
    bool start = report->step == 1;
    ContactGather gather = {.obstacles = fluid->obstacles,
                            .x = p->x,
                            .y = p->y,
                            .z = p->z,
                            .px = p->px,
                            .py = p->py,
                            .pz = p->pz,
                            .count = p->count,
                            .reach = fluid->h,
                            .clearance = WALL_CLEARANCE * fluid->def.spacing,
                            .depenetration = start ? INFINITY : (float)(DEPENETRATION_RATE * fluid->h * dt),
                            .dt = dt};
    TRY(contacts_gather(&fluid->contacts, &gather));
    phase_end(timer, PHASE_CONTACTS);
    particles_pad(p);
    PointView points = {p->px, p->py, p->pz, p->count};
    Result result = neighbor_search_pairs(fluid->search, points, pairs, &report->neighbor);
    phase_end(timer, PHASE_SEARCH);
    report->phase_ms[PHASE_CONSTRUCTION] = report->neighbor.construction_ms;
    report->phase_ms[PHASE_SEARCH] = report->neighbor.search_ms;
    if (!result_is_ok(&result) && result.code != RESULT_NO_MEMORY)
        return result_error(RESULT_FAILED, "step %llu, search: %.200s", (unsigned long long)report->step,
                            result.text);
    return result_is_ok(&result) ? reserve_scratch(fluid, pairs) : result;
}

// The share of the last step's lambdas to start from. Lambdas that hold a load are as the square of the
// step; those that mend compression that was there are not, so a longer step gets no more of them.
static float warm_share(const Fluid *fluid, double dt)
{
    double ratio = fluid->report.dt > 0.0 ? fmin(dt / fluid->report.dt, 1.0) : 0.0;
    return (float)(fluid->def.warm_start * ratio * ratio);
}

static void solve_density(Fluid *fluid, const FluidPasses *passes, PassView *view, uint32_t iterations,
                          float warm, PhaseClock *timer)
{
    Particles *p = &fluid->particles;
    for (uint32_t k = 0; k < iterations; k++) {
        view->constants.warm = k == 0 ? warm : 0.0f;
        view->constants.carry = k == 0 ? 0.0f : 1.0f;
        pass_all(view, passes->density);
        phase_end(timer, PHASE_DENSITY);
        pass_all(view, passes->correction);
        swap(&p->px, &p->qx);
        swap(&p->py, &p->qy);
        swap(&p->pz, &p->qz);
        view->x = p->px, view->y = p->py, view->z = p->pz;
        view->next_x = p->qx, view->next_y = p->qy, view->next_z = p->qz;
        phase_end(timer, PHASE_CORRECTION);
    }
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
static Result relax_start(Fluid *fluid, double dt, const PassConstants *constants, NeighborPairs *pairs,
                          StepReport *report, PhaseClock *timer)
{
    Particles *p = &fluid->particles;
    const FluidPasses *passes = fluid_passes(cpu_level(), pairs->clustered);
    for (int round = 0; round < START_ROUNDS; round++) {
        PassView view = pass_view(fluid, constants, pairs);
        pass_all(&view, passes->density);
        bool dense = too_dense(p);
        if (dense) solve_density(fluid, passes, &view, START_ITERATIONS, 0.0f, timer);
        for (uint32_t i = 0; i < p->count; i++) {
            p->x[i] = p->px[i] - p->vx[i] * (float)dt;
            p->y[i] = p->py[i] - p->vy[i] * (float)dt;
            p->z[i] = p->pz[i] - p->vz[i] * (float)dt;
        }
        if (!dense) break;
        TRY(search_and_contacts(fluid, dt, pairs, report, timer));
    }
    return result_ok();
}

static Result advance(Fluid *fluid, double t1, double dt, StepReport *report)
{
    Particles *p = &fluid->particles;
    PhaseClock timer = {report, clock_seconds(), clock_processor_seconds()};
    TRY(emit(fluid, fluid->time, t1));
    steer_push(fluid, dt);
    steer_shift(fluid, dt);
    TRY(obstacles_move(fluid->obstacles, fluid->time, t1));
    phase_end(&timer, PHASE_OTHER);

    PointOrder order = neighbor_search_order(fluid->search, fluid->def.spacing);
    TRY(particles_predict(p, (float)dt, fluid->def.gravity, order, fluid->drain_count ? drained : NULL,
                          fluid));
    report->particles = p->count;
    phase_end(&timer, PHASE_REORDER);

    NeighborPairs pairs;
    TRY(search_and_contacts(fluid, dt, &pairs, report, &timer));

    const FluidPasses *passes = fluid_passes(cpu_level(), pairs.clustered);
    PassConstants constants = fluid_pass_constants(fluid, dt);
    if (report->step == 1) TRY(relax_start(fluid, dt, &constants, &pairs, report, &timer));
    PassView view = pass_view(fluid, &constants, &pairs);
    solve_density(fluid, passes, &view, fluid->def.iterations, warm_share(fluid, dt), &timer);

    TRY(memory_reserve(&fluid->partials, &fluid->partials_capacity, 0, p->count / REDUCE_GRAIN + 1,
                       sizeof(Partial), "step"));
    double shortest = fluid->def.time_step / fluid->def.max_substeps;
    CommitJob job = {
        .fluid = fluid, .pairs = &pairs, .inv_dt = (float)(1.0 / dt), .partials = fluid->partials};
    job.speed_limit = (float)(RUNAWAY * fluid->h / shortest);
    job.up = vec3_normalize_or(vec3_scale(fluid->def.gravity, -1.0f), vec3_make(0.0f, 0.0f, 1.0f));
    parallel_for(p->count, REDUCE_GRAIN, take_velocity, &job);
    phase_end(&timer, PHASE_OTHER);

    pass_all(&view, passes->curl);
    pass_all(&view, passes->forces);
    swap(&p->vx, &p->qx);
    swap(&p->vy, &p->qy);
    swap(&p->vz, &p->qz);
    phase_end(&timer, PHASE_FORCES);

    TRY(commit_all(&job, report));
    phase_end(&timer, PHASE_OTHER);
    return result_ok();
}

Result fluid_step(Fluid *fluid, double until, StepReport *report)
{
    CHECK(until > fluid->time);
    double dt = choose_dt(fluid, until);
    // The last of the steps ends at `until` to the bit.
    double t1 = until - fluid->time <= dt * (1.0 + 1e-9) ? until : fluid->time + dt;
    StepReport now = {.step = fluid->report.step + 1, .time = t1, .dt = dt};
    TRY(advance(fluid, t1, dt, &now));
    fluid->step_begin = fluid->time;
    fluid->time = t1;
    fluid->speed_max = now.speed_max;
    fluid->report = now;
    if (report) *report = now;
    return result_ok();
}
