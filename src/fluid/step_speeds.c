// How fast nearly all particles are: numbers of them by speed, which no order of adding changes.
#include "core/parallel.h"
#include "fluid/fluid_state.h"
#include "fluid/share_run.h"
#include "fluid/step_run.h"

#include <stdatomic.h>
#include <string.h>

#define SPEEDS_GRAIN 16384u

// Squares of speeds, (m/s)^2, from 2^-14 to 2^18 in eighths of an octave: bits of a float.
#define SPEED_BINS 256
#define BIN_SHIFT 20
#define FIRST_BIN ((127 - 14) << 3)

typedef struct SpeedJob {
    const Particles *particles;
    atomic_uint count[SPEED_BINS];
} SpeedJob;

static uint32_t bin_of(float speed2)
{
    uint32_t bits;
    memcpy(&bits, &speed2, sizeof bits);
    uint32_t bin = bits >> BIN_SHIFT;
    if (bin <= FIRST_BIN) return 0;
    return bin - FIRST_BIN < SPEED_BINS ? bin - FIRST_BIN : SPEED_BINS - 1;
}

// m/s, that no particle of a bin reaches.
static float end_of(uint32_t bin)
{
    if (bin == SPEED_BINS - 1) return INFINITY;
    uint32_t bits = (bin + FIRST_BIN + 1) << BIN_SHIFT;
    float speed2;
    memcpy(&speed2, &bits, sizeof speed2);
    return sqrtf(speed2);
}

static void count_speeds(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    SpeedJob *job = context;
    const Particles *p = job->particles;
    uint32_t count[SPEED_BINS] = {0};
    for (uint32_t i = begin; i < end; i++)
        count[bin_of(p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i])]++;
    for (uint32_t k = 0; k < SPEED_BINS; k++)
        if (count[k]) atomic_fetch_add_explicit(&job->count[k], count[k], memory_order_relaxed);
}

double step_speed_exceeded_by(const Fluid *fluid, double share)
{
    SpeedJob job = {.particles = &fluid->particles};
    parallel_for(fluid->particles.count, SPEEDS_GRAIN, count_speeds, &job);
    int64_t count[SPEED_BINS], all = 0, faster = 0;
    for (uint32_t k = 0; k < SPEED_BINS; k++) count[k] = job.count[k];
    if (fluid->share) fluid->share->links->sum(fluid->share->links->self, count, SPEED_BINS);
    for (uint32_t k = 0; k < SPEED_BINS; k++) all += count[k];
    for (uint32_t k = SPEED_BINS; k-- > 0;) {
        faster += count[k];
        if ((double)faster > share * (double)all) return fmin((double)end_of(k), fluid->speed_max);
    }
    return fluid->speed_max;
}
