#include "strand/strand_sweep.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "strand/strand_state.h"

#include <float.h>

#define GRAIN 256u
#define SLACK 16.0f // times the rounding of the largest coordinate

static const SweepKernel *sweep_kernel(void)
{
    switch (cpu_level()) {
#if defined(__x86_64__)
    case CPU_AVX512:
        return &sweep_kernel_avx512;
    case CPU_AVX2:
        return &sweep_kernel_avx2;
#endif
    default:
        return &sweep_kernel_plain;
    }
}

static uint32_t list_edges(const Strands *strands, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t strand = 0; strand < strands->strand_count; strand++) {
        if (!strand_def(strands, strand)->self_contact) continue;
        for (uint32_t k = strands->first[strand]; k + 1 < strands->first[strand + 1]; k++) {
            if (out) out[count] = k;
            count++;
        }
    }
    return count;
}

Result strand_sweep_create(StrandSweep *sweep, const Strands *strands)
{
    size_t count = list_edges(strands, NULL), bytes = count * sizeof(float);
    *sweep = (StrandSweep){.count = (uint32_t)count, .found_room = count + SHAPE_LANES};
    sweep->edge = memory_allocate(bytes);
    sweep->edge_at = memory_allocate(bytes);
    sweep->reach = memory_allocate(bytes);
    bool good = sweep->edge && sweep->edge_at && sweep->reach;
    for (int axis = 0; axis < 3; axis++) good = (sweep->center[axis] = memory_allocate(bytes)) && good;
    for (int k = 0; k < SWEEP_VALUES; k++) good = (sweep->value[k] = memory_allocate(bytes)) && good;
    if (!good) return result_no_memory("contacts of strands", (SWEEP_VALUES + 6) * bytes);
    list_edges(strands, sweep->edge);
    return result_ok();
}

void strand_sweep_free(StrandSweep *sweep)
{
    memory_free(sweep->edge);
    memory_free(sweep->edge_at);
    memory_free(sweep->reach);
    memory_free(sweep->found);
    memory_free(sweep->pair);
    for (int axis = 0; axis < 3; axis++) memory_free(sweep->center[axis]);
    for (int k = 0; k < SWEEP_VALUES; k++) memory_free(sweep->value[k]);
    shape_index_free(&sweep->index);
    *sweep = (StrandSweep){0};
}

Result strand_sweep_reserve(StrandSweep *sweep)
{
    TRY(MEMORY_RESERVE(sweep->found, sweep->found_capacity, 0, sweep->found_room * parallel_workers(),
                       "contacts of strands"));
    TRY(MEMORY_RESERVE(sweep->pair, sweep->pair_capacity, 0, sweep->found_room * parallel_workers(),
                       "contacts of strands"));
    return shape_index_reserve(&sweep->index, sweep->count, 3);
}

typedef struct SweepJob {
    StrandSweep *sweep;
    const Strands *strands;
    Vec3 common;  // m, what all edges move by on the whole: pairs do not feel it
    float margin; // of the thickness
} SweepJob;

// Nothing of an edge is further from the center of its way's corners than this.
static void find_balls(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const SweepJob *job = context;
    const Strands *strands = job->strands;
    StrandSweep *sweep = job->sweep;
    for (uint32_t e = begin; e < end; e++) {
        uint32_t k = sweep->edge[e];
        Vec3 corner[4];
        for (uint32_t n = 0; n < 4; n++) {
            corner[n] = strands->x[k + n / 2];
            if (n % 2) corner[n] = vec3_add(corner[n], vec3_sub(strands->way[k + n / 2], job->common));
        }
        Vec3 sum = vec3_add(vec3_add(corner[0], corner[1]), vec3_add(corner[2], corner[3]));
        Vec3 center = vec3_scale(sum, 0.25f);
        float squared = 0.0f;
        for (int n = 0; n < 4; n++) {
            Vec3 apart = vec3_sub(corner[n], center);
            squared = larger(squared, vec3_dot(apart, apart));
        }
        sweep->center[0][e] = center.x, sweep->center[1][e] = center.y, sweep->center[2][e] = center.z;
        sweep->reach[e] = sqrtf(squared) + job->margin * strand_def(strands, strands->strand_of[k])->radius;
    }
}

static void put_vector(StrandSweep *sweep, SweepValue which, uint32_t place, Vec3 v)
{
    sweep->value[which][place] = v.x;
    sweep->value[which + 1][place] = v.y;
    sweep->value[which + 2][place] = v.z;
}

// A point of an edge is never further from the middle's way than half of what its ends move apart.
static void put_capsule(StrandSweep *sweep, uint32_t place, Vec3 side, Vec3 motion, float spread,
                        float thickness)
{
    float length = vec3_length(side);
    put_vector(sweep, SWEEP_AXIS, place, vec3_scale(side, length > 0.0f ? 1.0f / length : 0.0f));
    sweep->value[SWEEP_HALF][place] = 0.5f * length;
    sweep->value[SWEEP_TUBE][place] = 0.5f * vec3_length(motion) + 0.5f * spread + thickness;
}

static void fill_values(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const SweepJob *job = context;
    const Strands *strands = job->strands;
    StrandSweep *sweep = job->sweep;
    const ShapeIndex *index = &sweep->index;
    for (uint32_t place = begin; place < end; place++) {
        uint32_t e = index->index[place], k = sweep->edge[e];
        Vec3 side = vec3_sub(strands->x[k + 1], strands->x[k]);
        Vec3 motion = vec3_scale(vec3_add(strands->way[k], strands->way[k + 1]), 0.5f);
        Vec3 turn = vec3_scale(vec3_sub(strands->way[k + 1], strands->way[k]), 0.5f);
        float spread = vec3_length(turn);
        float thickness = job->margin * strand_def(strands, strands->strand_of[k])->radius;
        put_vector(sweep, SWEEP_CENTER, place, vec3_make(index->x[place], index->y[place], index->z[place]));
        put_vector(sweep, SWEEP_START, place, strands->x[k]);
        put_vector(sweep, SWEEP_SIDE, place, side);
        put_vector(sweep, SWEEP_MOTION, place, motion);
        put_capsule(sweep, place, vec3_add(side, turn), vec3_sub(motion, job->common), spread, thickness);
        sweep->value[SWEEP_REACH][place] = sweep->reach[e];
        sweep->value[SWEEP_ROOM][place] = spread + thickness;
        sweep->edge_at[place] = k;
    }
}

static Vec3 mean_way(const StrandSweep *sweep, const Strands *strands)
{
    double sum[3] = {0}, count = fmax(sweep->count, 1);
    for (uint32_t e = 0; e < sweep->count; e++) {
        Vec3 way = strands->way[sweep->edge[e]];
        sum[0] += (double)way.x, sum[1] += (double)way.y, sum[2] += (double)way.z;
    }
    return vec3_make((float)(sum[0] / count), (float)(sum[1] / count), (float)(sum[2] / count));
}

Result strand_sweep_sort(StrandSweep *sweep, const Strands *strands, float margin)
{
    SweepJob job = {sweep, strands, mean_way(sweep, strands), margin};
    sweep->reach_max = 0.0f;
    if (sweep->count == 0) return result_ok();
    TRY(strand_sweep_reserve(sweep));
    parallel_for(sweep->count, GRAIN, find_balls, &job);
    for (uint32_t e = 0; e < sweep->count; e++) sweep->reach_max = larger(sweep->reach_max, sweep->reach[e]);
    PointView centers = {sweep->center[0], sweep->center[1], sweep->center[2], sweep->count};
    TRY(shape_index_build(&sweep->index, centers, 3, 2.0f * sweep->reach_max));
    parallel_for(sweep->count, GRAIN, fill_values, &job);
    float largest = 0.0f;
    for (int axis = 0; axis < 3; axis++)
        largest = larger(largest, larger(fabsf(sweep->index.lo[axis]), fabsf(sweep->index.hi[axis])));
    sweep->slack = SLACK * FLT_EPSILON * (largest + sweep->reach_max);
    return result_ok();
}

const SweepPair *strand_sweep_find(const StrandSweep *sweep, uint32_t place, uint32_t least, uint32_t worker,
                                   uint32_t *count)
{
    const SweepKernel *kernel = sweep_kernel();
    uint32_t *found = sweep->found + worker * sweep->found_room, own = sweep->edge_at[place], kept = 0;
    SweepPair *pair = sweep->pair + worker * sweep->found_room;
    PlaceRange rows[SHAPE_ROWS_MAX];
    Vec3 at = vec3_make(sweep->index.x[place], sweep->index.y[place], sweep->index.z[place]);
    float reach = sweep->value[SWEEP_REACH][place] + sweep->reach_max;
    uint32_t ranges = shape_index_rows(&sweep->index, at, reach, rows);
    uint32_t near = kernel->touching(sweep->value, place, rows, ranges, found);
    for (uint32_t n = 0; n < near; n++) {
        uint32_t other = sweep->edge_at[found[n]];
        found[kept] = found[n];
        kept += other >= least && other != own;
    }
    *count = kept == 0 ? 0 : kernel->approaching(sweep->value, place, sweep->slack, found, kept, pair);
    for (uint32_t n = 0; n < *count; n++) pair[n].other = sweep->edge_at[pair[n].other];
    return pair;
}
