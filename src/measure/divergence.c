#include "measure/divergence.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "measure/divergence_pairs.h"

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

static DivergenceLoop *pairs_loop(void)
{
    return CPU_VERSION(divergence_loop, cpu_level());
}

typedef struct Job {
    const Divergence *work;
    const FrameView *view;
    DivergencePairs pairs;
} Job;

static void add_block(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const FrameView *view = job->view;
    pairs_loop()(&job->pairs, begin, end);
    double sum = 0.0, inside = 0.0;
    for (uint32_t i = NEIGHBOR_CLUSTER * begin; i < NEIGHBOR_CLUSTER * end && i < view->count; i++) {
        if (view->density[i] < INSIDE_DENSITY * view->rest_density) continue;
        sum += (double)job->work->rate[i] * job->work->rate[i];
        inside++;
    }
    double *out = &job->work->sums[2 * (begin / job->pairs.clusters->block)];
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
    float *const *copy = work->copy;
    Job job = {.work = work,
               .view = view,
               .pairs = {.clusters = clusters,
                         .x = copy[AT_X],
                         .y = copy[AT_Y],
                         .z = copy[AT_Z],
                         .vx = copy[VX],
                         .vy = copy[VY],
                         .vz = copy[VZ],
                         .volume = copy[VOLUME],
                         .rate = work->rate,
                         .inv_h = (float)(1.0 / h),
                         .scale = (float)(6.0 * 8.0 / (PI * h * h * h * h))}};
    parallel_for(clusters->rows, clusters->block, add_block, &job);
    double sum = 0.0, inside = 0.0;
    for (uint32_t k = 0; k < blocks; k++) {
        sum += work->sums[2 * k];
        inside += work->sums[2 * k + 1];
    }
    *out = inside > 0.0 ? sqrt(sum / inside) : 0.0;
    return result_ok();
}
