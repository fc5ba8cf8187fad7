#include "surface/kernels.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "neighbor/neighbor.h"
#include "neighbor/point_order.h"
#include "surface/eigen3.h"

#include <string.h>

#define GRAIN 1024u
#define MOVE_MAX 0.5f // spacings, of a kernel's centre; the bins' reach counts on it

// The covariance of a full ball of radius r with weights 1 - (d/r)^3 is this times r^2 on each axis.
#define BALL_COVARIANCE 0.15f

// The sum of these weights over a full ball of radius r spacings is this times r^3.
#define BALL_WEIGHT 2.0944f

// The part of it from which on a particle is not lonely at all: as in a flat surface; a sheet has 0.3.
#define CROWD 0.5f

// A particle with less than this part of a crowd round it spreads more than its own volume, a lone one nearly
// twice as much: Yu and Turk's m / rho, but 1 at flat surfaces. Chosen by measuring: with it lone drops,
// pairs, strands, sheets and sheets that are stretched to 1.4 spacings keep their volume within 15 %, without
// it lone drops keep half of theirs and stretched sheets a third.
#define COMPANY 0.8f

// Particles closer than this, in spacings, belong to one body, and so do those that such ones connect. Other
// bodies have no say in a kernel's shape and place, or drops would reach out for the water that they fall on.
#define LINK 1.75f

// The particles that take part: those at the surface and their neighbors.
typedef struct Band {
    const SurfaceDef *def;
    const PointBins *bins;
    float *x, *y, *z;
    float *move[3];  // m, from each particle towards the mean of its neighbors; 0 for deep ones
    uint32_t *point; // place among the sorted particles
    uint32_t *body;  // the same number for all particles of a body
    uint32_t count;
    NeighborLists lists;
    Kernels *kernels;
} Band;

static Kernel round_kernel(const SurfaceDef *def)
{
    float h = def->support * def->spacing, inverse = 1.0f / (h * h);
    float volume = def->spacing * def->spacing * def->spacing;
    return (Kernel){.m = {inverse, 0, 0, inverse, 0, inverse},
                    .amplitude = volume * 315.0f / (64.0f * 3.14159265f * h * h * h),
                    .extent = {h, h, h}};
}

// Sums over the neighbors within the radius, itself included, weighted 1 - (d/r)^3.
typedef struct Moments {
    float weight, first[3], second[6];
} Moments;

static Moments sum_moments(const Band *band, uint32_t i)
{
    float r = band->def->covariance_radius * band->def->spacing, inverse = 1.0f / (r * r * r);
    const uint32_t *index = band->lists.index + band->lists.begin[i];
    Moments sum = {.weight = 1};
    for (uint32_t k = 0; k < band->lists.count[i]; k++) {
        uint32_t j = index[k];
        if (band->body[j] != band->body[i]) continue;
        float x = band->x[j] - band->x[i], y = band->y[j] - band->y[i], z = band->z[j] - band->z[i];
        float d2 = x * x + y * y + z * z, w = 1.0f - d2 * sqrtf(d2) * inverse;
        sum.weight += w;
        sum.first[0] += w * x, sum.first[1] += w * y, sum.first[2] += w * z;
        sum.second[0] += w * x * x, sum.second[1] += w * x * y, sum.second[2] += w * x * z;
        sum.second[3] += w * y * y, sum.second[4] += w * y * z, sum.second[5] += w * z * z;
    }
    return sum;
}

// Yu and Turk scale a kernel by its covariance and bound the ratio of its axes. Here each axis is bounded by
// itself, relative to a full ball: a sheet's kernels are thin, a strand's in two directions and a lone
// particle's in all three, which is their "isolated particles are round and small" without a threshold.
static void shape_kernel(const SurfaceDef *def, float weight, const float covariance[6], Kernel *out)
{
    float h = def->support * def->spacing, r = def->covariance_radius * def->spacing;
    float value[3], axis[3][3], length[3];
    float range = def->covariance_radius, company = weight / (CROWD * BALL_WEIGHT * range * range * range);
    float least = def->kernel_lone + (def->kernel_min - def->kernel_lone) * (company < 1 ? company : 1);
    eigen3_symmetric(covariance, value, axis);
    float lonely = company < COMPANY ? 1 - company / COMPANY : 0;
    *out = round_kernel(def);
    out->amplitude *= 1 + lonely * lonely;
    for (int k = 0; k < 3; k++) {
        float part = value[k] / (BALL_COVARIANCE * r * r);
        part = part < least ? least : part > 1.0f ? 1.0f : part;
        out->amplitude /= part;
        length[k] = h * part;
    }
    for (int a = 0, slot = 0; a < 3; a++) {
        float extent = 0;
        for (int k = 0; k < 3; k++) extent += axis[a][k] * axis[a][k] * length[k] * length[k];
        out->extent[a] = sqrtf(extent);
        for (int b = a; b < 3; b++, slot++) {
            out->m[slot] = 0;
            for (int k = 0; k < 3; k++) out->m[slot] += axis[a][k] * axis[b][k] / (length[k] * length[k]);
        }
    }
}

static uint32_t find_root(uint32_t *body, uint32_t i)
{
    while (body[i] != i) i = body[i] = body[body[i]];
    return i;
}

static void find_bodies(Band *band)
{
    float link = LINK * band->def->spacing;
    for (uint32_t i = 0; i < band->count; i++) {
        const uint32_t *index = band->lists.index + band->lists.begin[i];
        uint32_t root = band->body[i] = i;
        for (uint32_t k = 0; k < band->lists.count[i]; k++) {
            uint32_t j = index[k];
            if (j >= i || band->body[j] == root) continue;
            float x = band->x[j] - band->x[i], y = band->y[j] - band->y[i], z = band->z[j] - band->z[i];
            if (x * x + y * y + z * z > link * link) continue;
            uint32_t other = find_root(band->body, j);
            uint32_t low = root < other ? root : other;
            band->body[root] = band->body[other] = low;
            root = low;
        }
    }
    for (uint32_t i = 0; i < band->count; i++) band->body[i] = find_root(band->body, i);
}

static void shape_kernels(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Band *band = context;
    for (uint32_t i = begin; i < end; i++) {
        for (int axis = 0; axis < 3; axis++) band->move[axis][i] = 0;
        uint32_t at = band->kernels->of[band->point[i]];
        if (at == BLOCK_NONE) continue;
        Moments sum = sum_moments(band, i);
        float mean[3], covariance[6];
        for (int axis = 0; axis < 3; axis++) {
            mean[axis] = sum.first[axis] / sum.weight;
            band->move[axis][i] = band->def->centre_smoothing * mean[axis];
        }
        for (int a = 0, slot = 0; a < 3; a++) {
            for (int b = a; b < 3; b++, slot++) {
                covariance[slot] = sum.second[slot] / sum.weight - mean[a] * mean[b];
            }
        }
        Kernel *kernel = &band->kernels->kernel[at];
        shape_kernel(band->def, sum.weight, covariance, kernel);
        kernel->centre[0] = band->x[i], kernel->centre[1] = band->y[i], kernel->centre[2] = band->z[i];
    }
}

// Moving to the neighbors' mean evens out the surface but also sinks it, by up to a third of the radius. What
// the neighbors sank by is given back, weighted by how far they did: deep particles, which do not move, do
// not know how far the surface sank.
static void move_kernels(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    Band *band = context;
    float r = band->def->covariance_radius * band->def->spacing, inverse = 1.0f / (r * r * r);
    float limit = MOVE_MAX * band->def->spacing;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t at = band->kernels->of[band->point[i]];
        if (at == BLOCK_NONE) continue;
        const uint32_t *index = band->lists.index + band->lists.begin[i];
        float own[3] = {band->move[0][i], band->move[1][i], band->move[2][i]};
        float weight = own[0] * own[0] + own[1] * own[1] + own[2] * own[2];
        float back[3] = {weight * own[0], weight * own[1], weight * own[2]};
        for (uint32_t k = 0; k < band->lists.count[i]; k++) {
            uint32_t j = index[k];
            if (band->body[j] != band->body[i]) continue;
            float x = band->x[j] - band->x[i], y = band->y[j] - band->y[i], z = band->z[j] - band->z[i];
            float d2 = x * x + y * y + z * z;
            float m[3] = {band->move[0][j], band->move[1][j], band->move[2][j]};
            float w = (1.0f - d2 * sqrtf(d2) * inverse) * (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
            weight += w;
            for (int axis = 0; axis < 3; axis++) back[axis] += w * m[axis];
        }
        Kernel *kernel = &band->kernels->kernel[at];
        float move[3], length = 0;
        for (int axis = 0; axis < 3; axis++) {
            move[axis] = weight > 0 ? own[axis] - back[axis] / weight : 0;
            length += move[axis] * move[axis];
        }
        length = sqrtf(length);
        for (int axis = 0; axis < 3; axis++) {
            kernel->centre[axis] += length > limit ? move[axis] * (limit / length) : move[axis];
        }
    }
}

static Result find_band(Band *band)
{
    const PointBins *bins = band->bins;
    Kernels *kernels = band->kernels;
    kernels->of = memory_allocate(bins->count * sizeof(uint32_t));
    if (!kernels->of) return result_no_memory("the surface's kernels", bins->count * 4ull);
    for (uint32_t i = 0; i < bins->count; i++) {
        kernels->of[i] = bins->depth[i] == POINT_SURFACE ? kernels->count++ : BLOCK_NONE;
        band->count += bins->depth[i] != POINT_DEEP;
    }
    size_t bytes = band->count * sizeof(float);
    kernels->kernel = memory_allocate(kernels->count * sizeof(Kernel));
    band->x = memory_allocate(bytes);
    band->y = memory_allocate(bytes);
    band->z = memory_allocate(bytes);
    band->point = memory_allocate(bytes);
    band->body = memory_allocate(bytes);
    for (int axis = 0; axis < 3; axis++) band->move[axis] = memory_allocate(bytes);
    if (!kernels->kernel || !band->x || !band->y || !band->z || !band->point || !band->body ||
        !band->move[0] || !band->move[1] || !band->move[2]) {
        return result_no_memory("the surface's kernels", kernels->count * sizeof(Kernel) + 8 * bytes);
    }
    for (uint32_t i = 0, k = 0; i < bins->count; i++) {
        if (bins->depth[i] != POINT_DEEP) band->point[k++] = i;
    }
    return result_ok();
}

// Brings the band into the order of the neighbor search, which then finds rows that need no sorting.
static Result sort_band(Band *band, PointOrder order, SortBuffers *buffers)
{
    const PointBins *bins = band->bins;
    TRY(sort_buffers_reserve(buffers, band->count));
    PointCell lo = {{INT32_MAX, INT32_MAX, INT32_MAX}}, hi = {{INT32_MIN, INT32_MIN, INT32_MIN}};
    for (uint32_t k = 0; k < band->count; k++) {
        uint32_t i = band->point[k];
        PointCell cell = point_order_cell(&order, bins->x[i], bins->y[i], bins->z[i]);
        for (int axis = 0; axis < 3; axis++) {
            lo.at[axis] = cell.at[axis] < lo.at[axis] ? cell.at[axis] : lo.at[axis];
            hi.at[axis] = cell.at[axis] > hi.at[axis] ? cell.at[axis] : hi.at[axis];
        }
    }
    PointKeys keys = point_keys_between(&order, lo, hi);
    for (uint32_t k = 0; k < band->count; k++) {
        uint32_t i = band->point[k];
        buffers->keys[0][k] = point_key(&keys, point_order_cell(&order, bins->x[i], bins->y[i], bins->z[i]));
    }
    const uint32_t *sorted;
    sort_order(buffers, band->count, &sorted);
    memcpy(band->body, band->point, band->count * sizeof *band->point);
    for (uint32_t k = 0; k < band->count; k++) {
        uint32_t i = band->point[k] = band->body[sorted[k]];
        band->x[k] = bins->x[i];
        band->y[k] = bins->y[i];
        band->z[k] = bins->z[i];
    }
    return result_ok();
}

static Result shape_band(Band *band, NeighborSearch *search)
{
    NeighborStats stats;
    SortBuffers buffers = {0};
    Result sorted = sort_band(band, neighbor_search_order(search, band->def->spacing), &buffers);
    sort_buffers_free(&buffers);
    TRY(sorted);
    PointView points = {band->x, band->y, band->z, band->count};
    TRY(neighbor_search_run(search, points, &band->lists, &stats));
    find_bodies(band);
    parallel_for(band->count, GRAIN, shape_kernels, band);
    if (band->def->centre_smoothing > 0) parallel_for(band->count, GRAIN, move_kernels, band);
    return result_ok();
}

Result kernels_make(const SurfaceDef *def, const PointBins *bins, Kernels *out)
{
    *out = (Kernels){.round = round_kernel(def)};
    if (!def->anisotropic) return result_ok();
    Band band = {.def = def, .bins = bins, .kernels = out};
    NeighborSearch *search = NULL;
    Result result = find_band(&band);
    if (result_is_ok(&result)) {
        result = neighbor_search_create("uniform_grid", def->covariance_radius * def->spacing, &search);
    }
    if (result_is_ok(&result)) result = shape_band(&band, search);
    neighbor_search_destroy(search);
    memory_free(band.x);
    memory_free(band.y);
    memory_free(band.z);
    memory_free(band.point);
    memory_free(band.body);
    for (int axis = 0; axis < 3; axis++) memory_free(band.move[axis]);
    return result;
}

void kernels_free(Kernels *kernels)
{
    memory_free(kernels->kernel);
    memory_free(kernels->of);
    *kernels = (Kernels){0};
}
