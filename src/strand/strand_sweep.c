#include "strand/strand_sweep.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "strand/strand_state.h"

#include <float.h>

#define GRAIN 256u
#define AHEAD 8u
#define FEW 3u      // edges of a cell, for whom bringing boxes together is not worth it
#define SLACK 16.0f // times the rounding of the largest coordinate of an edge

static const SweepKernel *sweep_kernel(void)
{
    return CPU_VERSION(&sweep_kernel, cpu_level());
}

// Edges so near to each other on a strand that bending keeps them apart.
static SweepLeftOut left_out(const Strands *strands, uint32_t strand, uint32_t k)
{
    uint32_t first = strands->first[strand], end = strands->first[strand + 1];
    uint32_t apart = 3 + (uint32_t)(4.0f * strand_def(strands, strand)->radius / strands->segment[strand]);
    uint32_t from = k - first < apart ? first : k - apart + 1, to = end - k < apart ? end : k + apart;
    return (SweepLeftOut){from, to - from};
}

static uint32_t list_edges(const Strands *strands, SweepOwn *out)
{
    uint32_t count = 0;
    for (uint32_t strand = 0; strand < strands->strand_count; strand++) {
        const StrandDef *def = strand_def(strands, strand);
        if (!def->self_contact) continue;
        for (uint32_t k = strands->first[strand]; k + 1 < strands->first[strand + 1]; k++, count++) {
            if (!out) continue;
            out[count] = (SweepOwn){.edge = k,
                                    .left_out = left_out(strands, strand, k),
                                    .radius = def->radius,
                                    .inverse_mass = {strands->inverse_mass[k], strands->inverse_mass[k + 1]},
                                    .segment = strands->segment[strand]};
        }
    }
    return count;
}

Result strand_sweep_create(StrandSweep *sweep, const Strands *strands)
{
    size_t count = list_edges(strands, NULL), bytes = count * sizeof(float), blocks = count / GRAIN + 1;
    *sweep = (StrandSweep){.count = (uint32_t)count};
    sweep->own = memory_allocate(count * sizeof *sweep->own);
    sweep->edge_at = memory_allocate(bytes);
    sweep->left_out_at = memory_allocate(count * sizeof *sweep->left_out_at);
    sweep->edges_at = memory_allocate(count * sizeof *sweep->edges_at);
    sweep->blocks = memory_allocate(blocks * sizeof *sweep->blocks);
    bool good = sweep->own && sweep->edge_at && sweep->left_out_at && sweep->edges_at && sweep->blocks;
    for (int axis = 0; axis < 3; axis++) {
        sweep->center[axis] = memory_allocate(bytes);
        sweep->lo_at[axis] = memory_allocate(bytes);
        sweep->hi_at[axis] = memory_allocate(bytes);
        good = good && sweep->center[axis] && sweep->lo_at[axis] && sweep->hi_at[axis];
    }
    size_t each = sizeof *sweep->own + sizeof *sweep->edges_at + 12 * sizeof(float);
    if (!good) return result_no_memory("contacts of strands", count * each);
    list_edges(strands, sweep->own);
    return result_ok();
}

void strand_sweep_free(StrandSweep *sweep)
{
    memory_free(sweep->own);
    memory_free(sweep->edge_at);
    memory_free(sweep->left_out_at);
    memory_free(sweep->edges_at);
    memory_free(sweep->blocks);
    memory_free(sweep->found);
    memory_free(sweep->near);
    for (int axis = 0; axis < 3; axis++) {
        memory_free(sweep->center[axis]);
        memory_free(sweep->lo_at[axis]);
        memory_free(sweep->hi_at[axis]);
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
    TRY(MEMORY_RESERVE(sweep->near, sweep->near_capacity, 0, parallel_workers(), "contacts of strands"));
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
        Vec3 way = job->strands->way[job->sweep->own[e].edge];
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

// Around the way of an edge, and what it has to be widened by on all sides.
static Box3 box_of_way(const SweepJob *job, const SweepEdge *edge, Vec3 *margin)
{
    Vec3 to[2];
    for (int n = 0; n < 2; n++) to[n] = vec3_add(edge->from[n], vec3_sub(edge->way[n], job->common));
    Box3 box = {lowest(lowest(edge->from[0], edge->from[1]), lowest(to[0], to[1])),
                highest(highest(edge->from[0], edge->from[1]), highest(to[0], to[1]))};
    float more =
        job->margin * edge->radius + SLACK * FLT_EPSILON * larger(widest_of(box.lo), widest_of(box.hi));
    *margin = vec3_make(more, more, more);
    return box;
}

static SweepEdge edge_now(const SweepJob *job, const SweepOwn *own)
{
    const Vec3 *x = &job->strands->x[own->edge], *way = &job->strands->way[own->edge];
    return (SweepEdge){.from = {x[0], x[1]},
                       .way = {way[0], way[1]},
                       .radius = own->radius,
                       .inverse_mass = {own->inverse_mass[0], own->inverse_mass[1]},
                       .segment = own->segment};
}

static void find_boxes(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const SweepJob *job = context;
    StrandSweep *sweep = job->sweep;
    SweepBlock *block = &sweep->blocks[begin / GRAIN];
    *block = (SweepBlock){.lo = {FLT_MAX, FLT_MAX, FLT_MAX}, .hi = {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (uint32_t e = begin; e < end; e++) {
        SweepEdge edge = edge_now(job, &sweep->own[e]);
        Vec3 margin;
        Box3 box = box_of_way(job, &edge, &margin);
        Vec3 center = vec3_scale(vec3_add(box.lo, box.hi), 0.5f);
        sweep->center[0][e] = center.x, sweep->center[1][e] = center.y, sweep->center[2][e] = center.z;
        block->lo = lowest(block->lo, center);
        block->hi = highest(block->hi, center);
        block->widest = larger(block->widest, widest_of(vec3_add(vec3_sub(box.hi, center), margin)));
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
    const uint32_t *index = sweep->index.index;
    for (uint32_t place = begin; place < end; place++) {
        // They lie anywhere.
        if (place + 2 * AHEAD < end) __builtin_prefetch(&sweep->own[index[place + 2 * AHEAD]]);
        if (place + AHEAD < end) {
            __builtin_prefetch(&job->strands->x[sweep->own[index[place + AHEAD]].edge]);
            __builtin_prefetch(&job->strands->way[sweep->own[index[place + AHEAD]].edge]);
        }
        const SweepOwn *own = &sweep->own[index[place]];
        SweepEdge edge = edge_now(job, own);
        Vec3 margin;
        Box3 box = box_of_way(job, &edge, &margin);
        box = (Box3){vec3_sub(box.lo, margin), vec3_add(box.hi, margin)};
        sweep->lo_at[0][place] = box.lo.x, sweep->hi_at[0][place] = box.hi.x;
        sweep->lo_at[1][place] = box.lo.y, sweep->hi_at[1][place] = box.hi.y;
        sweep->lo_at[2][place] = box.lo.z, sweep->hi_at[2][place] = box.hi.z;
        sweep->edge_at[place] = own->edge;
        sweep->edges_at[place] = edge;
        sweep->left_out_at[place] = own->left_out;
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

static SweepBoxes all_boxes(const StrandSweep *sweep)
{
    float *const *lo = sweep->lo_at, *const *hi = sweep->hi_at;
    return (SweepBoxes){{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}, sweep->edge_at, NULL};
}

static Box3 box_at(const StrandSweep *sweep, uint32_t place)
{
    float *const *lo = sweep->lo_at, *const *hi = sweep->hi_at;
    return (Box3){vec3_make(lo[0][place], lo[1][place], lo[2][place]),
                  vec3_make(hi[0][place], hi[1][place], hi[2][place])};
}

void strand_sweep_cell(const StrandSweep *sweep, uint32_t place, bool behind, uint32_t worker, SweepCell *out)
{
    PlaceRange rows[SHAPE_ROWS_MAX];
    uint32_t all = shape_index_near_rows(&sweep->index, place, behind, rows, &out->end), boxes = 0;
    out->behind = behind;
    out->begin = place;
    out->count = out->near = 0;
    for (uint32_t k = 0; k < all; k++) {
        if (behind && rows[k].begin <= place) rows[k].begin = place + 1;
        if (rows[k].begin >= rows[k].end) continue;
        boxes += rows[k].end - rows[k].begin;
        out->rows[out->count++] = rows[k];
    }
    if (!behind || out->end - place <= FEW || boxes > SWEEP_NEAR) return;
    SweepBoxes from = all_boxes(sweep);
    Box3 own = box_at(sweep, place);
    for (uint32_t k = place + 1; k < out->end; k++) {
        Box3 more = box_at(sweep, k);
        own = (Box3){lowest(own.lo, more.lo), highest(own.hi, more.hi)};
    }
    out->boxes = &sweep->near[worker];
    out->near = sweep_kernel()->bring(&from, own, out->rows, out->count, out->boxes);
}

const uint32_t *strand_sweep_find(const StrandSweep *sweep, const SweepCell *cell, uint32_t place,
                                  uint32_t worker, uint32_t *count)
{
    uint32_t *found = sweep->found + worker * found_room(sweep);
    SweepLeftOut left_out = sweep->left_out_at[place];
    SweepBoxes boxes = all_boxes(sweep);
    Box3 box = box_at(sweep, place);
    *count = 0;
    if (cell->near > 0) {
        const SweepNear *near = cell->boxes;
        boxes = (SweepBoxes){{near->lo[0], near->lo[1], near->lo[2]},
                             {near->hi[0], near->hi[1], near->hi[2]},
                             near->edge,
                             near->place};
        *count = sweep_kernel()->touching(&boxes, box, left_out,
                                          (PlaceRange){place - cell->begin, cell->near}, found);
        return found;
    }
    for (uint32_t k = 0; k < cell->count; k++) {
        PlaceRange row = cell->rows[k];
        if (cell->behind && row.begin <= place) row.begin = place + 1;
        if (row.begin < row.end)
            *count += sweep_kernel()->touching(&boxes, box, left_out, row, found + *count);
    }
    return found;
}

uint32_t strand_sweep_meet(const StrandSweep *sweep, const uint32_t *own, const uint32_t *other,
                           uint32_t count, float margin, SweepMeeting *out)
{
    return sweep_kernel()->meeting(sweep->edges_at, own, other, count, margin, out);
}
