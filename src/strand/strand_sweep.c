#include "strand/strand_sweep.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "strand/strand_state.h"

#include <float.h>

#define GRAIN 256u
#define SLACK 16.0f // times the rounding of the largest coordinate of an edge

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
    size_t count = list_edges(strands, NULL), bytes = count * sizeof(float), blocks = count / GRAIN + 1;
    *sweep = (StrandSweep){.count = (uint32_t)count};
    sweep->edge = memory_allocate(bytes);
    sweep->edge_at = memory_allocate(bytes);
    sweep->radius = memory_allocate(strands->particle_count * sizeof(float));
    sweep->blocks = memory_allocate(blocks * sizeof *sweep->blocks);
    bool good = sweep->edge && sweep->edge_at && sweep->radius && sweep->blocks;
    for (int axis = 0; axis < 3; axis++) {
        sweep->center[axis] = memory_allocate(bytes);
        sweep->half[axis] = memory_allocate(bytes);
        sweep->half_at[axis] = memory_allocate(bytes);
        good = good && sweep->center[axis] && sweep->half[axis] && sweep->half_at[axis];
    }
    if (!good) return result_no_memory("contacts of strands", 12 * bytes);
    list_edges(strands, sweep->edge);
    for (uint32_t k = 0; k < strands->particle_count; k++)
        sweep->radius[k] = strand_def(strands, strands->strand_of[k])->radius;
    return result_ok();
}

void strand_sweep_free(StrandSweep *sweep)
{
    memory_free(sweep->edge);
    memory_free(sweep->edge_at);
    memory_free(sweep->radius);
    memory_free(sweep->blocks);
    memory_free(sweep->found);
    for (int axis = 0; axis < 3; axis++) {
        memory_free(sweep->center[axis]);
        memory_free(sweep->half[axis]);
        memory_free(sweep->half_at[axis]);
    }
    shape_index_free(&sweep->index);
    *sweep = (StrandSweep){0};
}

static size_t found_room(const StrandSweep *sweep)
{
    return (size_t)sweep->count + SHAPE_LANES;
}

Result strand_sweep_reserve(StrandSweep *sweep)
{
    TRY(MEMORY_RESERVE(sweep->found, sweep->found_capacity, 0, found_room(sweep) * parallel_workers(),
                       "contacts of strands"));
    return shape_index_reserve(&sweep->index, sweep->count, 3);
}

typedef struct SweepJob {
    StrandSweep *sweep;
    const Strands *strands;
    Vec3 common;  // m, what all edges move by on the whole: pairs do not feel it
    float margin; // of the thickness
    int axis[3];  // of the index's streams
} SweepJob;

static void sum_ways(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const SweepJob *job = context;
    SweepBlock *block = &job->sweep->blocks[begin / GRAIN];
    *block = (SweepBlock){0};
    for (uint32_t e = begin; e < end; e++) {
        Vec3 way = job->strands->way[job->sweep->edge[e]];
        block->way[0] += (double)way.x, block->way[1] += (double)way.y, block->way[2] += (double)way.z;
    }
}

static Vec3 mean_way(const SweepJob *job)
{
    double sum[3] = {0}, count = job->sweep->count;
    for (uint32_t begin = 0; begin < job->sweep->count; begin += GRAIN) {
        for (int axis = 0; axis < 3; axis++) sum[axis] += job->sweep->blocks[begin / GRAIN].way[axis];
    }
    return vec3_make((float)(sum[0] / count), (float)(sum[1] / count), (float)(sum[2] / count));
}

static Vec3 lowest(Vec3 a, Vec3 b)
{
    return vec3_make(smaller(a.x, b.x), smaller(a.y, b.y), smaller(a.z, b.z));
}

static Vec3 highest(Vec3 a, Vec3 b)
{
    return vec3_make(larger(a.x, b.x), larger(a.y, b.y), larger(a.z, b.z));
}

static float widest_of(Vec3 v)
{
    return larger(larger(fabsf(v.x), fabsf(v.y)), fabsf(v.z));
}

// Around the way of an edge.
static Box3 box_of_way(const SweepJob *job, uint32_t k)
{
    Vec3 from[2] = {job->strands->x[k], job->strands->x[k + 1]}, to[2];
    for (int n = 0; n < 2; n++) to[n] = vec3_add(from[n], vec3_sub(job->strands->way[k + n], job->common));
    return (Box3){lowest(lowest(from[0], from[1]), lowest(to[0], to[1])),
                  highest(highest(from[0], from[1]), highest(to[0], to[1]))};
}

static void find_boxes(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const SweepJob *job = context;
    StrandSweep *sweep = job->sweep;
    SweepBlock *block = &sweep->blocks[begin / GRAIN];
    *block = (SweepBlock){.lo = {FLT_MAX, FLT_MAX, FLT_MAX}, .hi = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (uint32_t e = begin; e < end; e++) {
        uint32_t k = sweep->edge[e];
        Box3 box = box_of_way(job, k);
        Vec3 center = vec3_scale(vec3_add(box.lo, box.hi), 0.5f);
        float more = job->margin * sweep->radius[k] +
                     SLACK * FLT_EPSILON * larger(widest_of(box.lo), widest_of(box.hi));
        Vec3 half = vec3_add(vec3_sub(box.hi, center), vec3_make(more, more, more));
        sweep->center[0][e] = center.x, sweep->center[1][e] = center.y, sweep->center[2][e] = center.z;
        sweep->half[0][e] = half.x, sweep->half[1][e] = half.y, sweep->half[2][e] = half.z;
        block->lo = lowest(block->lo, center);
        block->hi = highest(block->hi, center);
        block->widest = larger(block->widest, widest_of(half));
    }
}

// The slowest axis of the index is the one along which the edges are spread furthest, so that there are many
// layers of cells.
static void choose_axes(SweepJob *job)
{
    StrandSweep *sweep = job->sweep;
    SweepBlock all = sweep->blocks[0];
    for (uint32_t begin = GRAIN; begin < sweep->count; begin += GRAIN) {
        const SweepBlock *block = &sweep->blocks[begin / GRAIN];
        all.lo = lowest(all.lo, block->lo);
        all.hi = highest(all.hi, block->hi);
        all.widest = larger(all.widest, block->widest);
    }
    Vec3 size = vec3_sub(all.hi, all.lo);
    int slowest = size.x > size.y ? (size.x > size.z ? 0 : 2) : size.y > size.z ? 1 : 2;
    for (int k = 0; k < 3; k++) job->axis[k] = (slowest + 1 + k) % 3;
    sweep->widest = all.widest;
}

static void fill_places(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const SweepJob *job = context;
    StrandSweep *sweep = job->sweep;
    for (uint32_t place = begin; place < end; place++) {
        uint32_t e = sweep->index.index[place];
        for (int k = 0; k < 3; k++) sweep->half_at[k][place] = sweep->half[job->axis[k]][e];
        sweep->edge_at[place] = sweep->edge[e];
    }
}

Result strand_sweep_sort(StrandSweep *sweep, const Strands *strands, float margin)
{
    SweepJob job = {.sweep = sweep, .strands = strands, .margin = margin};
    if (sweep->count == 0) return result_ok();
    TRY(strand_sweep_reserve(sweep));
    parallel_for(sweep->count, GRAIN, sum_ways, &job);
    job.common = mean_way(&job);
    parallel_for(sweep->count, GRAIN, find_boxes, &job);
    choose_axes(&job);
    if (!(sweep->widest <= FLT_MAX / 4)) return result_error(RESULT_FAILED, "a strand is not finite");
    float *const *center = sweep->center;
    PointView centers = {center[job.axis[0]], center[job.axis[1]], center[job.axis[2]], sweep->count};
    TRY(shape_index_build(&sweep->index, centers, 3, 2.0f * sweep->widest));
    parallel_for(sweep->count, GRAIN, fill_places, &job);
    return result_ok();
}

const uint32_t *strand_sweep_find(const StrandSweep *sweep, uint32_t place, bool behind, uint32_t worker,
                                  uint32_t *count)
{
    const ShapeIndex *index = &sweep->index;
    uint32_t *found = sweep->found + worker * found_room(sweep), kept = 0, ranges = 0;
    SweepBoxes boxes = {{index->x, index->y, index->z},
                        {sweep->half_at[0], sweep->half_at[1], sweep->half_at[2]}};
    Vec3 at = vec3_make(index->x[place], index->y[place], index->z[place]), more, reach;
    more = vec3_make(sweep->widest, sweep->widest, sweep->widest);
    reach = vec3_add(vec3_make(boxes.half[0][place], boxes.half[1][place], boxes.half[2][place]), more);
    PlaceRange rows[SHAPE_ROWS_MAX];
    uint32_t all = shape_index_box_rows(index, (Box3){vec3_sub(at, reach), vec3_add(at, reach)}, rows);
    for (uint32_t k = 0; k < all; k++) {
        if (behind && rows[k].begin <= place) rows[k].begin = place + 1;
        if (rows[k].begin < rows[k].end) rows[ranges++] = rows[k];
    }
    uint32_t near = sweep_kernel()->touching(&boxes, place, rows, ranges, found);
    for (uint32_t n = 0; n < near; n++) {
        if (found[n] != place) found[kept++] = sweep->edge_at[found[n]];
    }
    *count = kept;
    return found;
}

uint32_t strand_sweep_meet(const StrandSweep *sweep, const Strands *strands, const uint32_t *own,
                           const uint32_t *other, uint32_t count, float margin, SweepMeeting *out)
{
    SweepEdges edges = {strands->x, strands->way, sweep->radius};
    return sweep_kernel()->meeting(&edges, own, other, count, margin, out);
}
