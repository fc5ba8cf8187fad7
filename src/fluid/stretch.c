#include "fluid/stretch.h"

#include "core/lanes.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"

#include <math.h>
#include <string.h>

#define GRAIN 4096u
#define NEWTON_STEPS 8 // from where the slowest case is exact to the last bit of a float

static bool is_on(const FluidDef *def)
{
    return def->velocity_kernels > 0.0f && def->velocity_kernels_limit > 1.0f;
}

float stretch_reach(const FluidDef *def, float h)
{
    return is_on(def) ? h * def->velocity_kernels_limit : h;
}

// From the right of the root the function is convex, so that Newton's steps never pass it.
double stretch_axis(const FluidDef *def, double h, double speed)
{
    double half = speed * (double)def->velocity_kernels / (2.0 * h), k = half * half,
           limit = def->velocity_kernels_limit;
    if (!(k * limit < limit * limit * limit - 1.0)) return limit;
    double a = 1.0 + half;
    for (int step = 0; step < NEWTON_STEPS; step++) a -= (a * a * a - k * a - 1.0) / (3.0 * a * a - k);
    return a;
}

Result stretch_set(Stretch *stretch, const FluidDef *def, float h)
{
    NeighborSearch *search = NULL;
    if (is_on(def)) TRY(neighbor_search_create(def->neighbor, stretch_reach(def, h), &search));
    neighbor_search_destroy(stretch->search);
    stretch->search = search;
    stretch->pairs = (NeighborPairs){0};
    stretch->reach = stretch_reach(def, h);
    return result_ok();
}

void stretch_free(Stretch *stretch)
{
    neighbor_search_destroy(stretch->search);
    memory_free(stretch->memory);
    *stretch = (Stretch){0};
}

static Result reserve(Stretch *stretch, uint32_t count)
{
    size_t needed = round_up((size_t)count + LANES, LANES);
    if (needed <= stretch->stride) return result_ok();
    size_t stride = round_up(needed + needed / 8, LANES);
    float *memory = memory_allocate_zeroed(4 * stride * sizeof *memory);
    if (!memory) return result_no_memory("kernels along the velocity", 4 * stride * sizeof *memory);
    memory_free(stretch->memory);
    stretch->memory = memory;
    stretch->stride = stride;
    stretch->along = streams3_at(memory, stride);
    stretch->swell = memory + 3 * stride;
    return result_ok();
}

Result stretch_search(Stretch *stretch, PointView points, NeighborStats *stats)
{
    NeighborStats own;
    if (!stretch->search) return result_ok();
    TRY(reserve(stretch, points.count));
    TRY(neighbor_search_pairs(stretch->search, points, &stretch->pairs, &own));
    stats->construction_ms += own.construction_ms;
    stats->search_ms += own.search_ms;
    stats->structure_bytes += own.structure_bytes;
    stats->list_bytes += own.list_bytes;
    return result_ok();
}

typedef struct Follow {
    const Stretch *stretch;
    const FluidDef *def;
    double h;
    const float *vx, *vy, *vz;
} Follow;

static void follow(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Follow *job = context;
    const Stretch *to = job->stretch;
    for (uint32_t i = begin; i < end; i++) {
        double v[3] = {job->vx[i], job->vy[i], job->vz[i]};
        double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        double a = stretch_axis(job->def, job->h, speed);
        double along = speed > 0.0 ? sqrt(fmax(a - 1.0 / (a * a), 0.0)) / speed : 0.0;
        to->swell[i] = (float)(a - 1.0);
        to->along.x[i] = (float)(along * v[0]);
        to->along.y[i] = (float)(along * v[1]);
        to->along.z[i] = (float)(along * v[2]);
    }
}

void stretch_follow(Stretch *stretch, const FluidDef *def, float h, const float *vx, const float *vy,
                    const float *vz, uint32_t count)
{
    Follow job = {stretch, def, (double)h, vx, vy, vz};
    parallel_for(count, GRAIN, follow, &job);
    // Lanes behind the last are read: balls.
    for (uint32_t i = count; i % LANES != 0; i++)
        stretch->swell[i] = stretch->along.x[i] = stretch->along.y[i] = stretch->along.z[i] = 0.0f;
}
