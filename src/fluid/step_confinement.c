// Vorticity confinement (Macklin and Mueller 2013, eq. 16), kept within the laws of mechanics: as it stands
// it gives fluid momentum and energy without end.
#include "core/memory.h"
#include "core/parallel.h"
#include "fluid/fluid_state.h"
#include "fluid/step_run.h"

#include <math.h>

#define SUM_GRAIN 4096u

// Sums over particles that no nozzle holds, of f, what confinement would add to their velocities v.
typedef struct SwirlSums {
    double count, f[3], v[3], ff, vf;
    double taken; // m^2/s^2, of the energy of a unit mass: by the forces before
} SwirlSums;

typedef struct SwirlJob {
    Step *step;
    SwirlSums *blocks;
    float share, mean[3]; // of f that is added, beyond its mean
} SwirlJob;

static bool is_free(const Step *step, uint32_t i)
{
    return step->fluid->particles.release[i] <= step->constants.held_after;
}

static void sum_swirls(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const SwirlJob *job = context;
    const Step *step = job->step;
    const Particles *p = &step->fluid->particles;
    SwirlSums sums = {0};
    for (uint32_t i = begin; i < end; i++) {
        if (!is_free(step, i)) continue;
        double f[3] = {step->swirl.x[i], step->swirl.y[i], step->swirl.z[i]};
        double v[3] = {step->next.x[i], step->next.y[i], step->next.z[i]};
        double before[3] = {p->vx[i], p->vy[i], p->vz[i]};
        sums.count += 1.0;
        for (int a = 0; a < 3; a++) {
            sums.f[a] += f[a];
            sums.v[a] += v[a];
            sums.ff += f[a] * f[a];
            sums.vf += v[a] * f[a];
            sums.taken += 0.5 * (before[a] * before[a] - v[a] * v[a]);
        }
    }
    job->blocks[begin / SUM_GRAIN] = sums;
}

static void add_swirls(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const SwirlJob *job = context;
    Step *step = job->step;
    for (uint32_t i = begin; i < end; i++) {
        if (!is_free(step, i)) continue;
        step->next.x[i] += job->share * (step->swirl.x[i] - job->mean[0]);
        step->next.y[i] += job->share * (step->swirl.y[i] - job->mean[1]);
        step->next.z[i] += job->share * (step->swirl.z[i] - job->mean[2]);
    }
}

static SwirlSums all_blocks(const SwirlJob *job, uint32_t count)
{
    SwirlSums sum = {0};
    for (uint32_t k = 0; k < (count + SUM_GRAIN - 1) / SUM_GRAIN; k++) {
        const SwirlSums *one = &job->blocks[k];
        sum.count += one->count;
        for (int a = 0; a < 3; a++) {
            sum.f[a] += one->f[a];
            sum.v[a] += one->v[a];
        }
        sum.ff += one->ff;
        sum.vf += one->vf;
        sum.taken += one->taken;
    }
    return sum;
}

// The share s <= 1 with s vf + s^2 ff / 2 <= taken, of f without its mean.
static float share_of(SwirlSums sum)
{
    double vf = sum.vf, ff = sum.ff;
    for (int a = 0; a < 3; a++) {
        vf -= sum.f[a] * sum.v[a] / sum.count;
        ff -= sum.f[a] * sum.f[a] / sum.count;
    }
    if (!(ff > 0.0)) return 0.0f;
    double root = sqrt(vf * vf + 2.0 * ff * fmax(sum.taken, 0.0));
    return (float)fmin(1.0, fmax(0.0, (root - vf) / ff));
}

Result step_reserve_confinement(Fluid *fluid)
{
    if (fluid->def.vorticity_confinement == 0.0f) return result_ok();
    return memory_reserve(&fluid->swirl_sums, &fluid->swirl_sums_capacity, 0,
                          fluid->particles.count / SUM_GRAIN + 1, sizeof(SwirlSums), "step");
}

void step_add_swirls(Step *step)
{
    uint32_t count = step->fluid->particles.count;
    SwirlJob job = {.step = step, .blocks = step->fluid->swirl_sums};
    parallel_for(count, SUM_GRAIN, sum_swirls, &job);
    SwirlSums sum = all_blocks(&job, count);
    if (sum.count == 0.0) return;
    job.share = share_of(sum);
    for (int a = 0; a < 3; a++) job.mean[a] = (float)(sum.f[a] / sum.count);
    parallel_for(count, SUM_GRAIN, add_swirls, &job);
}
