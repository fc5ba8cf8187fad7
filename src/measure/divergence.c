#include "measure/divergence.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "neighbor/neighbor.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// Particles of at least this share of the rest density have neighbors all round.
#define INSIDE_DENSITY 0.95f

// Copies of the particles' numbers, filled up to whole vectors with some out of reach.
enum { AT_X, AT_Y, AT_Z, VX, VY, VZ, VOLUME, COPIES };

struct Divergence {
    NeighborSearch *search;
    float radius; // m, that the search is made for
    float *copy[COPIES];
    float *rate;  // 1/s, of each particle
    double *sums; // two of each block: of squares, and how many
    size_t copy_capacity[COPIES], rate_capacity, sums_capacity;
};

Result divergence_create(Divergence **out)
{
    *out = memory_allocate_zeroed(sizeof **out);
    return *out ? result_ok() : result_no_memory("the divergence", sizeof **out);
}

void divergence_free(Divergence *divergence)
{
    if (!divergence) return;
    neighbor_search_destroy(divergence->search);
    for (int k = 0; k < COPIES; k++) memory_free(divergence->copy[k]);
    memory_free(divergence->rate);
    memory_free(divergence->sums);
    memory_free(divergence);
}

typedef struct Job {
    const Divergence *work;
    const FrameView *view;
    const NeighborClusters *clusters;
    float inv_h, scale; // 1/m; of the kernel's slope, 1/m^4
} Job;

// (v_j - v_i) . grad_i W_ij, the same for both sides; 0 out of reach. Without branches, for vectors.
static inline float pair_rate(const Job *job, uint32_t i, uint32_t j)
{
    float *const *c = job->work->copy;
    float dx = c[AT_X][i] - c[AT_X][j], dy = c[AT_Y][i] - c[AT_Y][j], dz = c[AT_Z][i] - c[AT_Z][j];
    float r = sqrtf(dx * dx + dy * dy + dz * dz + 1e-30f), t = 1.0f - r * job->inv_h;
    t = t > 0.0f ? t : 0.0f;
    float s = t > 0.5f ? t - 0.5f : 0.0f;
    float slope = (4.0f * s * s - t * t) * job->scale; // dW/dr, of fluid/kernel.h
    float along = (c[VX][j] - c[VX][i]) * dx + (c[VY][j] - c[VY][i]) * dy + (c[VZ][j] - c[VZ][i]) * dz;
    return along * slope / r;
}

// Rates of the particles of two clusters: those of the second, too, where the pair is met only once.
static void add_clusters(const Job *job, uint32_t k, uint32_t partner, bool shared)
{
    const float *volume = job->work->copy[VOLUME];
    float *rate = job->work->rate;
    uint32_t first = NEIGHBOR_CLUSTER * partner;
    for (uint32_t i = NEIGHBOR_CLUSTER * k; i < NEIGHBOR_CLUSTER * (k + 1); i++) {
        float both[NEIGHBOR_CLUSTER], sum = 0.0f;
        for (uint32_t b = 0; b < NEIGHBOR_CLUSTER; b++) both[b] = pair_rate(job, i, first + b);
        for (uint32_t b = 0; b < NEIGHBOR_CLUSTER; b++) {
            sum += volume[first + b] * both[b];
            if (shared) rate[first + b] += volume[i] * both[b];
        }
        rate[i] += sum;
    }
}

// Clusters of a block name each other once; rates of other blocks are not touched.
static void add_block(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const NeighborClusters *c = job->clusters;
    const FrameView *view = job->view;
    for (uint32_t k = begin; k < end; k++) {
        for (uint32_t n = 0; n < c->count[k]; n++)
            add_clusters(job, k, c->partner[c->begin[k] + n], n >= c->single[k]);
    }
    double sum = 0.0, inside = 0.0;
    for (uint32_t i = NEIGHBOR_CLUSTER * begin; i < NEIGHBOR_CLUSTER * end && i < view->count; i++) {
        if (view->density[i] < INSIDE_DENSITY * view->rest_density) continue;
        sum += (double)job->work->rate[i] * job->work->rate[i];
        inside++;
    }
    double *out = &job->work->sums[2 * (begin / c->block)];
    out[0] = sum;
    out[1] = inside;
}

// The search and room for so many particles.
static Result prepare(Divergence *work, const FrameView *view)
{
    if (!work->search || work->radius != view->radius) {
        NeighborSearch *search;
        TRY(neighbor_search_create("cluster_grid", view->radius, &search));
        neighbor_search_destroy(work->search);
        work->search = search;
        work->radius = view->radius;
    }
    const float *from[COPIES] = {view->x, view->y, view->z, view->vx, view->vy, view->vz};
    for (int k = 0; k < COPIES; k++) {
        TRY(MEMORY_RESERVE(work->copy[k], work->copy_capacity[k], 0, view->count + 16u, "the divergence"));
        if (from[k]) memcpy(work->copy[k], from[k], view->count * sizeof(float));
        for (uint32_t i = 0; i < 16; i++) work->copy[k][view->count + i] = k <= AT_Z ? NEIGHBOR_FAR : 0.0f;
    }
    float mass = view->spacing * view->spacing * view->spacing * view->rest_density;
    for (uint32_t i = 0; i < view->count; i++) work->copy[VOLUME][i] = mass / view->density[i];
    TRY(MEMORY_RESERVE(work->rate, work->rate_capacity, 0, view->count + 16u, "the divergence"));
    memset(work->rate, 0, (view->count + 16u) * sizeof(float));
    return result_ok();
}

Result divergence_rms(Divergence *work, const FrameView *view, double *out)
{
    NeighborPairs pairs;
    NeighborStats stats;
    *out = 0.0;
    if (view->count == 0) return result_ok();
    TRY(prepare(work, view));
    PointView points = {work->copy[AT_X], work->copy[AT_Y], work->copy[AT_Z], view->count};
    TRY(neighbor_search_pairs(work->search, points, &pairs, &stats));
    const NeighborClusters *clusters = &pairs.clusters;
    uint32_t blocks = (clusters->rows + clusters->block - 1) / clusters->block;
    TRY(MEMORY_RESERVE(work->sums, work->sums_capacity, 0, 2 * (size_t)blocks, "the divergence"));
    double h = view->radius;
    Job job = {.work = work,
               .view = view,
               .clusters = clusters,
               .inv_h = (float)(1.0 / h),
               .scale = (float)(6.0 * 8.0 / (PI * h * h * h * h))};
    parallel_for(clusters->rows, clusters->block, add_block, &job);
    double sum = 0.0, inside = 0.0;
    for (uint32_t k = 0; k < blocks; k++) {
        sum += work->sums[2 * k];
        inside += work->sums[2 * k + 1];
    }
    *out = inside > 0.0 ? sqrt(sum / inside) : 0.0;
    return result_ok();
}
