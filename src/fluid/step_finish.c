// The end of a step: what is measured of all particles, in blocks that do not depend on the threads.
#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "fluid/fluid_state.h"
#include "fluid/share_run.h"
#include "fluid/step_run.h"

#include <math.h>
#include <string.h>

#define REDUCE_GRAIN SHARE_SUM

typedef struct Partial {
    double error_sum, error_max, speed2_max;
    double height_sum, deviation_sum; // m against gravity; of the distances from the mean height
    uint32_t bad;                     // first particle that is not finite or runs away, or UINT32_MAX
} Partial;

typedef struct CommitJob {
    Fluid *fluid;
    const NeighborPairs *pairs;
    float speed_limit;  // m/s
    Vec3 up;            // against gravity
    double height_mean; // m, of all particles
    Partial *partials;
    uint32_t ahead; // particles of lower ranks in the first block
    float *first;   // rho / rho0 of the particles in it, if there are any
} CommitJob;

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

// A loop over blocks of all particles' order begins `ahead` particles before the own ones: these are begin
// ... end - 1 of a block.
static uint32_t own_of(const CommitJob *job, uint32_t *begin, uint32_t *end)
{
    uint32_t block = *begin / REDUCE_GRAIN;
    *begin = *begin > job->ahead ? *begin - job->ahead : 0;
    *end -= job->ahead;
    return block;
}

static void scale(float *stream, uint32_t count, float factor)
{
    for (uint32_t i = 0; i < count; i++) stream[i] *= factor;
}

static void commit(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const CommitJob *job = context;
    Particles *p = &job->fluid->particles;
    float limit2 = job->speed_limit * job->speed_limit;
    Partial partial = {.bad = UINT32_MAX};
    uint32_t block = own_of(job, &begin, &end);
    for (uint32_t i = begin; i < end; i++) {
        float speed2 = p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i];
        // The comparison fails for NaN too.
        if (!(speed2 <= limit2) && partial.bad == UINT32_MAX) partial.bad = i;
        partial.speed2_max = larger(speed2, partial.speed2_max);
        partial.height_sum += height_of(job, i);
        double error = larger((double)p->density[i] - 1.0, 0.0);
        partial.error_sum += error;
        partial.error_max = larger(error, partial.error_max);
    }
    scale(p->density + begin, end - begin, job->fluid->def.rest_density);
    memcpy(p->neighbors + begin, job->pairs->neighbors + begin, (end - begin) * sizeof *p->neighbors);
    job->partials[block] = partial;
}

static void sum_deviations(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const CommitJob *job = context;
    double sum = 0.0;
    uint32_t block = own_of(job, &begin, &end);
    for (uint32_t i = begin; i < end; i++) sum += fabs(height_of(job, i) - job->height_mean);
    job->partials[block].deviation_sum = sum;
}

// Blocks of all particles' order that there are particles of here.
static uint32_t blocks_here(const CommitJob *job)
{
    uint32_t count = job->fluid->particles.count;
    return count ? (uint32_t)groups_of(job->ahead + count, REDUCE_GRAIN) : 0;
}

static void over_blocks(const CommitJob *job, ParallelBody *body)
{
    uint32_t count = job->fluid->particles.count;
    if (count > 0) parallel_for(job->ahead + count, REDUCE_GRAIN, body, (void *)(uintptr_t)job);
}

// --- the same sums of particles that several processes have ---

// sums: of errors, of heights.
static void go_on(uint32_t begin, uint32_t end, double *sums, const void *context)
{
    const CommitJob *job = context;
    for (uint32_t i = begin; i < end; i++) {
        sums[0] += larger((double)job->first[i] - 1.0, 0.0);
        sums[1] += height_of(job, i);
    }
}

static void go_on_deviating(uint32_t begin, uint32_t end, double *sums, const void *context)
{
    const CommitJob *job = context;
    for (uint32_t i = begin; i < end; i++) sums[0] += fabs(height_of(job, i) - job->height_mean);
}

// What commit turns into kg/m^3.
static void keep_first(CommitJob *job)
{
    const Particles *p = &job->fluid->particles;
    uint32_t left = REDUCE_GRAIN - job->ahead, count = p->count < left ? p->count : left;
    job->first = share_room(job->fluid->share, &job->fluid->share->packed, (count + 1) * sizeof *job->first);
    memcpy(job->first, p->density, count * sizeof *job->first);
}

// Sums of blocks lie where the partials were, which nothing reads any more, and take less room.
static void sum_shared(const CommitJob *job, double *error, double *height)
{
    double *sums = (double *)job->partials, total[2];
    for (uint32_t k = 0; k < blocks_here(job); k++) {
        const Partial partial = job->partials[k];
        sums[2 * k] = partial.error_sum;
        sums[2 * k + 1] = partial.height_sum;
    }
    share_sum(job->fluid->share, job->fluid->particles.count, sums, 2, go_on, job, total);
    *error = total[0], *height = total[1];
}

static double sum_shared_deviations(const CommitJob *job)
{
    double *sums = (double *)job->partials, total;
    for (uint32_t k = 0; k < blocks_here(job); k++) sums[k] = job->partials[k].deviation_sum;
    share_sum(job->fluid->share, job->fluid->particles.count, sums, 1, go_on_deviating, job, &total);
    return total;
}

// m of water, robust against single drops: a column of depth H deviates by H / 4 from its mean height.
static double measure_depth(CommitJob *job, double height_sum)
{
    const Share *share = job->fluid->share;
    double count = share ? (double)share->particles : job->fluid->particles.count, sum = 0.0;
    if (count == 0.0) return 0.0;
    job->height_mean = height_sum / count;
    over_blocks(job, sum_deviations);
    if (share) return 4.0 * sum_shared_deviations(job) / count;
    for (uint32_t k = 0; k < blocks_here(job); k++) sum += job->partials[k].deviation_sum;
    return 4.0 * sum / count;
}

Result step_reserve_sums(Fluid *fluid)
{
    if (fluid->share) return result_ok(); // step_commit knows which blocks a rank has a part of
    size_t blocks = groups_of(fluid->particles.count, REDUCE_GRAIN);
    return memory_reserve(&fluid->partials, &fluid->partials_capacity, 0, blocks, sizeof(Partial), "step");
}

Result step_commit(Step *step)
{
    Fluid *fluid = step->fluid;
    StepReport *report = step->report;
    CommitJob job = {
        .fluid = fluid,
        .pairs = &step->pairs,
        .speed_limit = (float)fluid_speed_limit(&fluid->def),
        .up = vec3_normalize_or(vec3_scale(fluid->def.gravity, -1.0f), vec3_make(0.0f, 0.0f, 1.0f)),
        .partials = fluid->partials,
        .ahead = fluid->share ? (uint32_t)(fluid->share->first % REDUCE_GRAIN) : 0,
    };
    double count = fluid->particles.count, error_sum = 0.0, speed2_max = 0.0, height_sum = 0.0;
    particles_end_step(&fluid->particles);
    if (fluid->share)
        job.partials = share_room(fluid->share, &fluid->share->sums, blocks_here(&job) * sizeof(Partial));
    if (job.ahead > 0) keep_first(&job);
    over_blocks(&job, commit);
    uint32_t bad = UINT32_MAX;
    for (uint32_t k = 0; k < blocks_here(&job) && bad == UINT32_MAX; k++) {
        const Partial *partial = &job.partials[k];
        if (partial->bad != UINT32_MAX) bad = fluid->particles.id[partial->bad];
        error_sum += partial->error_sum;
        height_sum += partial->height_sum;
        speed2_max = fmax(speed2_max, partial->speed2_max);
        report->density_error_max = fmax(report->density_error_max, partial->error_max);
    }
    if (fluid->share) {
        bad = share_first(fluid->share, bad);
        step->agreed = true;
    }
    if (bad != UINT32_MAX)
        return result_error(
            RESULT_FAILED,
            "step %llu (%.4f s): particle %u is not finite or faster than %.3g m/s after the forces "
            "(try a smaller solver.time_step or a larger solver.relaxation)",
            (unsigned long long)report->step, report->time, bad, (double)job.speed_limit);
    if (fluid->share) {
        double most[2] = {speed2_max, report->density_error_max};
        fluid->share->links->most(fluid->share->links->self, most, 2);
        speed2_max = most[0], report->density_error_max = most[1];
        count = (double)fluid->share->particles;
        sum_shared(&job, &error_sum, &height_sum);
    }
    report->density_error_mean = count > 0.0 ? error_sum / count : 0.0;
    report->speed_max = sqrt(speed2_max);
    fluid->depth = measure_depth(&job, height_sum);
    return result_ok();
}
