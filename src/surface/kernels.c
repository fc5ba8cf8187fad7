#include "surface/kernels.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "surface/point_bins.h"
#include "surface/shape_loops.h"

#include <string.h>

#define GRAIN 16u // bins

// The covariance of a full ball of radius r with weights 1 - (d/r)^3 is this times r^2 on each axis.
#define BALL_COVARIANCE 0.15f

// The sum of these weights over a full ball of radius r spacings is this times r^3.
#define BALL_WEIGHT 2.0944f

// The part of it above which a particle is not lonely: that of a flat surface; a sheet has 0.3.
#define CROWD 0.5f

// A particle with less than this part of a crowd around it spreads more than its own volume, a lone one
// nearly twice as much: Yu and Turk's m / rho, but 1 at flat surfaces. Chosen by measuring: with it lone
// drops, pairs, strands, sheets and sheets that are stretched to 1.4 spacings keep their volume within 15 %,
// without it lone drops keep half of theirs and stretched sheets a third.
#define COMPANY 0.8f

// Particles closer than this, in spacings, are connected, and connected particles form a body. Other bodies
// do not influence a kernel's shape and place, or drops would reach out to the water that they fall on.
#define LINK 1.75f

static Kernel round_kernel(const SurfaceDef *def)
{
    float h = def->support / def->cell, volume = 1 / (def->cell * def->cell * def->cell);
    float root = cbrtf(volume * 315.0f / (64.0f * 3.14159265f * h * h * h)), m = root / (h * h);
    return (Kernel){.root = root, .extent = {h, h, h}, .m = {m, 0, 0, m, 0, m}};
}

static KernelShaper make_shaper(const SurfaceDef *def, const PointBins *bins, Kernels *kernels)
{
    float range = def->covariance_radius;
    return (KernelShaper){
        .bins = bins,
        .kernels = kernels,
        .range = range / def->cell,
        .support = def->support / def->cell,
        .crowd = CROWD * BALL_WEIGHT * range * range * range,
        .company = COMPANY,
        .ball = BALL_COVARIANCE * range * range / (def->cell * def->cell),
        .least = def->kernel_min,
        .lonely = def->kernel_lone,
        .smoothing = def->center_smoothing,
    };
}

typedef struct Shaping {
    const SurfaceDef *def;
    const ShapeLoops *run;
    KernelShaper shaper;
    bool moving; // the second pass
} Shaping;

// Moving to the neighbors' mean smooths the surface but also sinks it, by up to a third of the radius. The
// neighbors' mean sinking is given back, weighted by how far each sank: deep particles, which do not move,
// cannot tell how far the surface sank.
static void move_group(const Shaping *shaping, const ShapeGroup *group, uint32_t first)
{
    float sums[4][SHAPE_LANES], limit = KERNEL_MOVE_MAX / shaping->def->cell;
    shaping->run->sum_moves(&shaping->shaper, group, sums);
    for (uint32_t i = 0; i < group->count; i++) {
        float *center = shaping->shaper.kernels->kernel[first + i].center, move[3], square = 0;
        for (int axis = 0; axis < 3; axis++) {
            float back = sums[3][i] > 0 ? sums[axis][i] / sums[3][i] : 0;
            move[axis] = shaping->shaper.move[first + i][axis] - back;
            square += move[axis] * move[axis];
        }
        float length = sqrtf(square), part = length > limit ? limit / length : 1;
        for (int axis = 0; axis < 3; axis++) center[axis] += part * move[axis];
    }
}

static void finish_group(const Shaping *shaping, ShapeGroup *group, uint32_t first)
{
    for (uint32_t i = group->count; i < SHAPE_LANES; i++) {
        for (int axis = 0; axis < 3; axis++) group->at[axis][i] = group->at[axis][0];
        group->body[i] = group->body[0];
    }
    if (shaping->moving)
        move_group(shaping, group, first);
    else
        shaping->run->shape(&shaping->shaper, group, first);
}

static void shape_bins(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Shaping *shaping = context;
    const PointBins *bins = shaping->shaper.bins;
    const uint32_t *of = shaping->shaper.kernels->of;
    for (uint32_t bin = begin; bin < end; bin++) {
        ShapeGroup group = {.key = bins->key[bin]};
        uint32_t next = BLOCK_NONE; // the first kernel of the group
        uint32_t last = bins->begin[(bin + 1) * bins->sub_volume];
        for (uint32_t i = bins->begin[bin * bins->sub_volume]; i < last; i++) {
            if (of[i] == BLOCK_NONE) continue;
            if (group.count == 0) next = of[i];
            group.at[0][group.count] = bins->x[i];
            group.at[1][group.count] = bins->y[i];
            group.at[2][group.count] = bins->z[i];
            group.body[group.count++] = shaping->shaper.body[i];
            if (group.count < SHAPE_LANES) continue;
            finish_group(shaping, &group, next);
            group.count = 0;
        }
        if (group.count > 0) finish_group(shaping, &group, next);
    }
}

static void number_kernels(const PointBins *bins, Kernels *kernels)
{
    for (uint32_t i = 0; i < bins->count; i++)
        kernels->of[i] = bins->depth[i] == POINT_SURFACE ? kernels->count++ : BLOCK_NONE;
}

static Result shape_kernels(const SurfaceDef *def, const PointBins *bins, const SurfacePoints *points,
                            Kernels *kernels)
{
    Shaping shaping = {
        .def = def, .run = shape_loops(cpu_level()), .shaper = make_shaper(def, bins, kernels)};
    size_t bytes = kernels->count * (sizeof(Kernel) + sizeof *shaping.shaper.move) + bins->count * 4ull;
    uint32_t *body = memory_allocate(bins->count * sizeof(uint32_t));
    kernels->kernel = memory_allocate(kernels->count * sizeof(Kernel));
    shaping.shaper.move = memory_allocate(kernels->count * sizeof *shaping.shaper.move);
    shaping.shaper.body = body;
    bool enough = body && kernels->kernel && shaping.shaper.move;
    Result result = enough ? result_ok() : result_no_memory("the surface's kernels", bytes);
    if (enough) result = point_bodies_find(bins, LINK / def->cell, body);
    if (result_is_ok(&result)) {
        parallel_for(bins->bin_count, GRAIN, shape_bins, &shaping);
        shaping.moving = true;
        if (def->center_smoothing > 0) parallel_for(bins->bin_count, GRAIN, shape_bins, &shaping);
        if (def->shutter > 0 && points->vx) result = kernels_stretch(def, bins, points, body, kernels);
    }
    memory_free(body);
    memory_free(shaping.shaper.move);
    return result;
}

Result kernels_make(const SurfaceDef *def, const PointBins *bins, const SurfacePoints *points, Kernels *out)
{
    *out = (Kernels){.round = round_kernel(def), .radius = def->support / def->cell};
    if (!def->anisotropic) return result_ok();
    out->of = memory_allocate(bins->count * sizeof *out->of);
    if (!out->of) return result_no_memory("the surface's kernels", bins->count * sizeof *out->of);
    number_kernels(bins, out);
    return shape_kernels(def, bins, points, out);
}

void kernels_free(Kernels *kernels)
{
    memory_free(kernels->kernel);
    memory_free(kernels->of);
    *kernels = (Kernels){0};
}
