// Turbulence by angular momentum (Kim and Lee 2025, "Adaptive disk sector", eqs. 23-27, after Kim et al.
// 2021), mended where it goes against mechanics; src/fluid/README.md has the equations.
//   23  (x_i - x_j) x f_j W is minus the torque, has no volume, and f_j is not defined. Here: V_j (x_j - x_i)
//   x
//       (dv_j - dv_i) W, with dv what the step has changed velocities by. Inside the water dv_i makes no
//       difference; at its surface water in free fall would spin up without it.
//   24  L grows without end. Here it fades within LIFE.
//   25  I = m / 30 has no m^2, and with m h^2 / 30 water would spin 4.5 times as fast as it turns. Here: the
//       moment of inertia of the kernel's own ball, 0.15 m h^2.
//   26  is not used by the others, and left out.
//   27  (w_i - w_j) x (x_i - x_j) drives against the swirls, which makes up for the sign of eq. 23; it has
//       neither volume nor step, and its sum over all particles is not 0. Here: V_j dt (w_j - w_i) x ..., of
//       which step_add_swirls leaves out the mean and what would give more energy than was taken.
// Sums go over balls. Over the paper's disk sectors they are one-sided and lose momentum.
#include "core/lanes.h"
#include "core/parallel.h"
#include "fluid/fluid_state.h"
#include "fluid/step_run.h"

#include <math.h>

#define GRAIN 4096u
#define LIFE 1.0 // s, in which a spin fades to 1 / e

static void keep(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Step *step = context;
    const Particles *p = &step->fluid->particles;
    Streams3 to = step->fluid->spins.gain;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t from = step->start.order[i];
        to.x[i] = p->vx[from];
        to.y[i] = p->vy[from];
        to.z[i] = p->vz[from];
    }
}

void step_keep_velocities(Step *step)
{
    if (step->fluid->def.angular_momentum > 0.0f) parallel_for(step->start.count, GRAIN, keep, step);
}

static void note(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Step *step = context;
    Streams3 change = step->fluid->spins.before, start = step->fluid->spins.gain, next = step->next;
    for (uint32_t i = begin; i < end; i++) {
        change.x[i] = next.x[i] - start.x[i];
        change.y[i] = next.y[i] - start.y[i];
        change.z[i] = next.z[i] - start.z[i];
    }
}

void step_note_changes(Step *step)
{
    uint32_t count = step->fluid->particles.count;
    Streams3 change = step->fluid->spins.before;
    parallel_for(count, GRAIN, note, step);
    // Lanes behind the last are read.
    for (uint32_t i = count; i % LANES != 0; i++) change.x[i] = change.y[i] = change.z[i] = 0.0f;
}

static void take(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Step *step = context;
    const Spins *spins = &step->fluid->spins;
    float left = (float)exp(-step->dt / LIFE);
    float *now[3] = {spins->now.x, spins->now.y, spins->now.z};
    const float *gain[3] = {spins->gain.x, spins->gain.y, spins->gain.z};
    for (uint32_t i = begin; i < end; i++) {
        for (int a = 0; a < 3; a++) now[a][i] = left * (now[a][i] + gain[a][i]);
    }
}

void step_take_torques(Step *step)
{
    parallel_for(step->fluid->particles.count, GRAIN, take, step);
}
