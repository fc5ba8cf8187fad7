#include "measure/quantities.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"
#include "measure/divergence.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define GRAIN 4096u

// --- the table ---

#define AT(member) offsetof(FluidTotals, member)

static const Quantity quantities[] = {
    {"time", "s", AT(time), "simulated time"},
    {"step", "", AT(step), "number of the last step; 0 is the start"},
    {"dt", "s", AT(dt), "length of the last step"},
    {"iterations", "", AT(iterations), "density iterations of the last step"},
    {"particles", "", AT(particles), "how many there are; each weighs rest_density x spacing^3"},
    {"kinetic_energy", "J", AT(kinetic), "sum of m v^2 / 2"},
    {"potential_energy", "J", AT(potential), "sum of -m g . x, 0 at the scene's origin"},
    {"energy", "J", AT(energy), "kinetic and potential energy together"},
    {"momentum_x", "kg m/s", AT(momentum[0]), "sum of m v"},
    {"momentum_y", "kg m/s", AT(momentum[1]), "along y"},
    {"momentum_z", "kg m/s", AT(momentum[2]), "along z"},
    {"angular_momentum_x", "kg m^2/s", AT(angular_momentum[0]), "sum of m x x v about the center of mass"},
    {"angular_momentum_y", "kg m^2/s", AT(angular_momentum[1]), "about y"},
    {"angular_momentum_z", "kg m^2/s", AT(angular_momentum[2]), "about z"},
    {"center_x", "m", AT(center[0]), "center of mass"},
    {"center_y", "m", AT(center[1]), "its y"},
    {"center_z", "m", AT(center[2]), "its z"},
    {"volume", "m^3", AT(volume), "particles x spacing^3: what has been filled in"},
    {"density_volume", "m^3", AT(density_volume),
     "sum of m / density, free surfaces at rest density: what compressed water fills"},
    {"density_error_mean", "", AT(error_mean), "mean of density / rest_density - 1 where that is positive"},
    {"density_error_max", "", AT(error_max), "the largest of these"},
    {"divergence_rms", "1/s", AT(divergence),
     "root mean square of the velocities' divergence, of particles with neighbors all round"},
    {"speed_max", "m/s", AT(speed_max), "speed of the fastest particle"},
    {"spray", "", AT(diffuse[DIFFUSE_SPRAY]), "droplets of whitewater; 0 without it"},
    {"foam", "", AT(diffuse[DIFFUSE_FOAM]), "its foam"},
    {"bubbles", "", AT(diffuse[DIFFUSE_BUBBLE]), "its bubbles"},
    {"enstrophy", "m^3/s^2", AT(enstrophy),
     "half the integral of the squared curl of the velocity: how much it swirls"},
    {"spread_x", "m", AT(spread[0]), "root mean square of the distances from the center of mass along x"},
    {"spread_y", "m", AT(spread[1]), "along y: how the shape of a drop or a jet changes"},
    {"spread_z", "m", AT(spread[2]), "along z"},
};

const Quantity *quantity_at(uint32_t k)
{
    return k < sizeof quantities / sizeof *quantities ? &quantities[k] : NULL;
}

// --- the sums ---

// Of a block of particles, or of all: of unit masses, in domain coordinates.
typedef struct Moments {
    double v[3], x[3], turn[3], v2; // turn: x cross v
    double x2[3];                   // of x, y and z squared
    double volume;                  // of rest_density / density
    double speed2_max;
    double curl2; // 1/s^2
} Moments;

struct QuantityWork {
    Moments *blocks;
    size_t blocks_capacity;
    Divergence *divergence;
};

Result quantities_create(QuantityWork **out)
{
    *out = memory_allocate_zeroed(sizeof **out);
    if (!*out) return result_no_memory("the measurements", sizeof **out);
    Result result = divergence_create(&(*out)->divergence);
    if (result_is_ok(&result)) return result;
    quantities_free(*out);
    *out = NULL;
    return result;
}

void quantities_free(QuantityWork *work)
{
    if (!work) return;
    memory_free(work->blocks);
    divergence_free(work->divergence);
    memory_free(work);
}

typedef struct SumJob {
    const FrameView *view;
    Moments *blocks;
} SumJob;

static void sum_block(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const SumJob *job = context;
    const FrameView *view = job->view;
    Moments sum = {0};
    for (uint32_t i = begin; i < end; i++) {
        double x[3] = {view->x[i], view->y[i], view->z[i]}, v[3] = {view->vx[i], view->vy[i], view->vz[i]};
        double speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            sum.v[a] += v[a];
            sum.x[a] += x[a];
            sum.x2[a] += x[a] * x[a];
            sum.turn[a] += x[b] * v[c] - x[c] * v[b];
        }
        sum.v2 += speed2;
        sum.volume += fmin(1.0, (double)view->rest_density / view->density[i]);
        sum.speed2_max = fmax(sum.speed2_max, speed2);
        sum.curl2 += (double)view->vorticity[i] * (double)view->vorticity[i];
    }
    job->blocks[begin / GRAIN] = sum;
}

static Result sum_moments(QuantityWork *work, const FrameView *view, Moments *out)
{
    uint32_t blocks = groups_of(view->count, GRAIN);
    *out = (Moments){0};
    TRY(MEMORY_RESERVE(work->blocks, work->blocks_capacity, 0, blocks, "the measurements"));
    SumJob job = {view, work->blocks};
    parallel_for(view->count, GRAIN, sum_block, &job);
    for (uint32_t k = 0; k < blocks; k++) {
        const Moments *block = &work->blocks[k];
        for (int a = 0; a < 3; a++) {
            out->v[a] += block->v[a];
            out->x[a] += block->x[a];
            out->x2[a] += block->x2[a];
            out->turn[a] += block->turn[a];
        }
        out->v2 += block->v2;
        out->volume += block->volume;
        out->speed2_max = fmax(out->speed2_max, block->speed2_max);
        out->curl2 += block->curl2;
    }
    return result_ok();
}

Result quantities_measure(QuantityWork *work, const FrameView *view, Vec3 gravity, FluidTotals *out)
{
    Moments sum;
    const StepReport *report = &view->report;
    TRY(sum_moments(work, view, &sum));
    double n = view->count, cell = pow((double)view->spacing, 3.0), mass = view->rest_density * cell;
    double origin[3] = {view->origin.x, view->origin.y, view->origin.z};
    double g[3] = {gravity.x, gravity.y, gravity.z}, mean[3];
    *out = (FluidTotals){.time = view->time,
                         .step = (double)report->step,
                         .dt = report->dt,
                         .iterations = report->iterations,
                         .particles = n,
                         .kinetic = 0.5 * mass * sum.v2,
                         .volume = n * cell,
                         .density_volume = cell * sum.volume,
                         .error_mean = report->density_error_mean,
                         .error_max = report->density_error_max,
                         .speed_max = sqrt(sum.speed2_max),
                         .enstrophy = 0.5 * cell * sum.curl2};
    for (int k = 0; k < DIFFUSE_CLASS_COUNT && view->diffuse; k++)
        out->diffuse[k] = view->diffuse->of_class[k];
    for (int a = 0; a < 3; a++) {
        mean[a] = n > 0.0 ? sum.x[a] / n : 0.0;
        out->center[a] = n > 0.0 ? origin[a] + mean[a] : NAN;
        out->spread[a] = n > 0.0 ? sqrt(fmax(sum.x2[a] / n - mean[a] * mean[a], 0.0)) : NAN;
        out->momentum[a] = mass * sum.v[a];
        out->potential -= mass * g[a] * (sum.x[a] + n * origin[a]);
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        out->angular_momentum[a] = mass * (sum.turn[a] - (mean[b] * sum.v[c] - mean[c] * sum.v[b]));
    }
    out->energy = out->kinetic + out->potential;
    return divergence_rms(work->divergence, view, &out->divergence);
}
