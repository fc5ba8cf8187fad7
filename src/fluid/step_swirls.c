// Vorticity confinement (Macklin and Mueller 2013, eq. 16) and spinning particles (Bender et al. 2017, "A
// Micropolar Material Model for Turbulent SPH Fluids"), kept within the laws of mechanics: as they stand they
// give fluid energy without end, and the first momentum, too.
#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "fluid/fluid_state.h"
#include "fluid/step_run.h"

#include <math.h>

#define SUM_GRAIN 4096u

// Sums over particles that no nozzle holds, of f, what would be added to their velocities v.
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

static SwirlSums sum_all(Step *step)
{
    uint32_t count = step->fluid->particles.count;
    SwirlJob job = {.step = step, .blocks = step->fluid->swirl_sums};
    parallel_for(count, SUM_GRAIN, sum_swirls, &job);
    SwirlSums sum = {0};
    for (uint32_t k = 0; k < groups_of(count, SUM_GRAIN); k++) {
        const SwirlSums *one = &job.blocks[k];
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

// The share s <= 1 with s vf + s^2 ff / 2 <= budget.
static double share_within(double vf, double ff, double budget)
{
    if (!(ff > 0.0)) return 0.0;
    double root = sqrt(vf * vf + 2.0 * ff * fmax(budget, 0.0));
    return fmin(1.0, fmax(0.0, (root - vf) / ff));
}

Result step_reserve_swirls(Fluid *fluid)
{
    const FluidDef *def = &fluid->def;
    if (def->vorticity_confinement == 0.0f && !fluid_spins(def)) return result_ok();
    return memory_reserve(&fluid->swirl_sums, &fluid->swirl_sums_capacity, 0,
                          fluid->particles.count / SUM_GRAIN + 1, sizeof(SwirlSums), "step");
}

void step_add_swirls(Step *step)
{
    SwirlSums sums = sum_all(step);
    if (sums.count == 0.0) return;
    double vf = sums.vf, ff = sums.ff;
    SwirlJob job = {.step = step};
    for (int a = 0; a < 3; a++) {
        vf -= sums.f[a] * sums.v[a] / sums.count;
        ff -= sums.f[a] * sums.f[a] / sums.count;
        job.mean[a] = (float)(sums.f[a] / sums.count);
    }
    job.share = (float)share_within(vf, ff, sums.taken);
    parallel_for(step->fluid->particles.count, SUM_GRAIN, add_swirls, &job);
}

void step_add_all(Step *step)
{
    SwirlJob job = {.step = step, .share = 1.0f};
    parallel_for(step->fluid->particles.count, SUM_GRAIN, add_swirls, &job);
}

// --- spins ---

// A spin turns with the swirl around it, solved for so that no step is too long, and with the spins around
// it.
static void turn_spins(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Step *step = context;
    const Fluid *fluid = step->fluid;
    const Spins *spins = &fluid->spins;
    double inertia = (double)fluid->def.micropolar_inertia * (double)fluid->h * (double)fluid->h;
    float rate = (float)(step->dt * (double)fluid->def.micropolar / inertia);
    float seen = (float)fluid->lattice.gradient_seen;
    float *now[3] = {spins->now.x, spins->now.y, spins->now.z};
    const float *gain[3] = {spins->gain.x, spins->gain.y, spins->gain.z};
    const float *curl[3] = {step->curl.x, step->curl.y, step->curl.z};
    for (uint32_t i = begin; i < end; i++) {
        for (int a = 0; a < 3; a++) {
            float turn = curl[a][i] / seen - 2.0f * now[a][i];
            now[a][i] += (rate * turn + gain[a][i]) / (1.0f + 2.0f * rate);
        }
    }
}

void step_turn_spins(Step *step)
{
    parallel_for(step->fluid->particles.count, SUM_GRAIN, turn_spins, step);
}
