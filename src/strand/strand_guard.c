// No strand passes through another, whatever the iterations have left.
//
// After the iterations each pair that could is followed along its ways (strand_sweep_pass). Strands that
// would come too near to each other make up clusters, whose motion ends when the first of their pairs does
// so: they are as they were at that time, carried on by the mean motion of the cluster, or by the body that
// holds one of them, and move as much slower beside it: momentum stays. What has been changed is looked at
// again.
#include "core/memory.h"
#include "core/parallel.h"
#include "obstacle/obstacle.h"
#include "strand/strand_pairs.h"

#include <string.h>

// Of its radius, that a strand may leave the way by with which pairs were sought: two that were not listed
// keep (1 + STRAND_MARGIN - LOOSE) of their thickness, which is more than SWEEP_NEAREST.
#define LOOSE 1.2f
#define BOX_MARGIN (2.0f * SWEEP_NEAREST)

Result strand_guard_create(StrandGuard *guard, const Strands *strands)
{
    size_t rows = strands->strand_count;
    guard->loose = memory_allocate_zeroed(rows * sizeof *guard->loose);
    guard->cluster = memory_allocate(rows * sizeof *guard->cluster);
    guard->time = memory_allocate(rows * sizeof *guard->time);
    guard->means = memory_allocate(rows * sizeof *guard->means);
    if (!guard->loose || !guard->cluster || !guard->time || !guard->means)
        return result_no_memory("contacts of strands", rows * (sizeof *guard->means + 9));
    return result_ok();
}

void strand_guard_free(StrandGuard *guard)
{
    memory_free(guard->loose);
    memory_free(guard->cluster);
    memory_free(guard->time);
    memory_free(guard->means);
    *guard = (StrandGuard){0};
}

// --- clusters ---

static uint32_t cluster_of(StrandGuard *guard, uint32_t strand)
{
    while (guard->cluster[strand] != strand) {
        guard->cluster[strand] = guard->cluster[guard->cluster[strand]];
        strand = guard->cluster[strand];
    }
    return strand;
}

// What comes of it does not depend on the order of calls.
static void join(StrandGuard *guard, uint32_t first, uint32_t second, float time)
{
    while (__atomic_test_and_set(&guard->lock, __ATOMIC_ACQUIRE)) continue; // there are few
    uint32_t a = cluster_of(guard, first), b = cluster_of(guard, second);
    guard->cluster[a < b ? b : a] = a < b ? a : b;
    guard->time[first] = smaller(guard->time[first], time);
    __atomic_clear(&guard->lock, __ATOMIC_RELEASE);
}

// Gives each cluster the time of its first pair. Returns whether there is one.
static bool take_times(StrandGuard *guard, uint32_t strands)
{
    bool any = false;
    for (uint32_t k = 0; k < strands; k++) {
        uint32_t cluster = cluster_of(guard, k);
        if (guard->time[k] >= 1.0f) continue;
        guard->time[cluster] = smaller(guard->time[cluster], guard->time[k]);
        any = true;
    }
    return any;
}

// --- pairs that would pass ---

typedef struct GuardSearch {
    const Strands *strands;
    StrandPairs *pairs;
    PairBatch *batch;
} GuardSearch;

static void look_at_pairs(const GuardSearch *search)
{
    PairBatch *batch = search->batch;
    const StrandSweep *sweep = &search->pairs->sweep;
    uint32_t count = strand_sweep_pass(sweep, batch->own, batch->other, batch->count, batch->passings);
    batch->count = 0;
    for (uint32_t n = 0; n < count; n++) {
        const SweepPassing *passing = &batch->passings[n];
        const uint32_t *strand_of = search->strands->strand_of;
        join(&search->pairs->guard, strand_of[sweep->edge_at[passing->own]],
             strand_of[sweep->edge_at[passing->other]], passing->time);
    }
}

static void add_pair(const GuardSearch *search, uint32_t own, uint32_t other)
{
    PairBatch *batch = search->batch;
    batch->own[batch->count] = own;
    batch->other[batch->count++] = other;
    if (batch->count == PAIRS) look_at_pairs(search);
}

// The ways of edges are those at the end of the iterations from now on.
static void find_loose(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const Strands *strands = context;
    StrandPairs *pairs = strands->pairs;
    for (uint32_t place = begin; place < end; place++) {
        SweepEdge *edge = &pairs->sweep.edges_at[place];
        uint32_t k = pairs->sweep.edge_at[place];
        float most = LOOSE * edge->radius;
        for (int n = 0; n < 2; n++) {
            Vec3 off = vec3_sub(strands->way[k + (uint32_t)n], edge->way[n]);
            if (!(vec3_dot(off, off) <= most * most)) strand_mark(&pairs->guard.loose[strands->strand_of[k]]);
            edge->way[n] = strands->way[k + (uint32_t)n];
        }
    }
}

// Of those that keep to their ways; the others look for all that they meet now.
static void look_at_contacts(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const Strands *strands = context;
    StrandPairs *pairs = strands->pairs;
    GuardSearch search = {strands, pairs, &pairs->batches[worker]};
    search.batch->count = 0;
    for (uint32_t n = begin; n < end; n++) {
        const StrandContact *row = pairs->contacts + pairs->chunks[n].first;
        for (uint32_t c = 0; c < pairs->chunks[n].count; c++) {
            bool loose = pairs->guard.loose[strands->strand_of[row[c].own]] ||
                         pairs->guard.loose[strands->strand_of[row[c].other]];
            if (!loose) add_pair(&search, row[c].place[0], row[c].place[1]);
        }
    }
    look_at_pairs(&search);
}

static void look_around(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    const Strands *strands = context;
    StrandPairs *pairs = strands->pairs;
    GuardSearch search = {strands, pairs, &pairs->batches[worker]};
    SweepCell cell = {.end = 0};
    search.batch->count = 0;
    for (uint32_t place = begin; place < end; place++) {
        uint32_t own = pairs->sweep.edge_at[place], count;
        if (!pairs->guard.loose[strands->strand_of[own]]) continue;
        if (place >= cell.end) strand_sweep_cell(&pairs->sweep, place, false, worker, &cell);
        const uint32_t *found = strand_sweep_find(&pairs->sweep, &cell, place, worker, &count);
        for (uint32_t n = 0; n < count; n++) {
            uint32_t other = pairs->sweep.edge_at[found[n]];
            // The other one looks for this.
            if (other < own && pairs->guard.loose[strands->strand_of[other]]) continue;
            add_pair(&search, place, found[n]);
        }
    }
    look_at_pairs(&search);
}

static bool any_loose(const Strands *strands)
{
    return memchr(strands->pairs->guard.loose, 1, strands->strand_count) != NULL;
}

// --- ways that end early ---

static void add_strand(const Strands *strands, uint32_t strand, ClusterMean *mean)
{
    const StrandDef *def = strand_def(strands, strand);
    if (!mean->held && strand_held_first(def) + strand_held_last(def) > 0) {
        mean->held = true;
        mean->body = strands->anchors[strand].body;
    }
    double mass = (double)strands->mass[strand];
    for (uint32_t i = strands->first[strand]; i < strands->first[strand + 1] && !mean->held; i++) {
        Vec3 way = strands->way[i], v = strands->v[i];
        mean->way[0] += mass * (double)way.x, mean->speed[0] += mass * (double)v.x;
        mean->way[1] += mass * (double)way.y, mean->speed[1] += mass * (double)v.y;
        mean->way[2] += mass * (double)way.z, mean->speed[2] += mass * (double)v.z;
        mean->mass += mass;
    }
}

static Vec3 mean_of(const double sum[3], double mass)
{
    return vec3_make((float)(sum[0] / mass), (float)(sum[1] / mass), (float)(sum[2] / mass));
}

// The way and the speed of a particle that moves with its cluster alone.
static void move_with(const Strands *strands, uint32_t i, const StrandStep *step, const ClusterMean *mean,
                      Vec3 *way, Vec3 *speed)
{
    *way = *speed = vec3_make(0, 0, 0);
    if (!mean->held) {
        *way = mean_of(mean->way, mean->mass);
        *speed = mean_of(mean->speed, mean->mass);
    } else if (mean->body != NO_BODY) {
        *way = vec3_sub(obstacle_carry(step->obstacles, mean->body, strands->x[i]), strands->x[i]);
        *speed = vec3_scale(*way, (float)(1.0 / step->dt));
    }
}

// left: what remains of the motion beside the cluster's.
static void end_way(Strands *strands, uint32_t strand, const StrandStep *step, const ClusterMean *mean,
                    float left)
{
    Vec3 way, speed;
    for (uint32_t i = strands->first[strand]; i < strands->first[strand + 1]; i++) {
        if (strands->inverse_mass[i] == 0.0f) continue;
        move_with(strands, i, step, mean, &way, &speed);
        strands->way[i] = vec3_add(way, vec3_scale(vec3_sub(strands->way[i], way), left));
        strands->v[i] = vec3_add(speed, vec3_scale(vec3_sub(strands->v[i], speed), left));
    }
}

static void end_ways(Strands *strands, const StrandStep *step, bool still)
{
    StrandGuard *guard = &strands->pairs->guard;
    memset(guard->means, 0, strands->strand_count * sizeof *guard->means);
    for (uint32_t k = 0; k < strands->strand_count; k++) {
        uint32_t cluster = cluster_of(guard, k);
        if (guard->time[cluster] < 1.0f) add_strand(strands, k, &guard->means[cluster]);
    }
    for (uint32_t k = 0; k < strands->strand_count; k++) {
        uint32_t cluster = cluster_of(guard, k);
        bool ends = guard->time[cluster] < 1.0f;
        guard->loose[k] = strands->restless[k] = ends;
        if (ends) end_way(strands, k, step, &guard->means[cluster], still ? 0.0f : guard->time[cluster]);
    }
}

Result strand_pairs_guard(Strands *strands, const StrandStep *step, uint32_t round, bool still, bool *cut)
{
    StrandPairs *pairs = strands->pairs;
    for (uint32_t k = 0; k < strands->strand_count; k++) {
        if (round == 0) pairs->guard.cluster[k] = k;
        pairs->guard.time[k] = 1.0f;
    }
    if (round == 0) {
        parallel_for(pairs->sweep.count, CHUNK, find_loose, strands);
        parallel_for(pairs->chunk_count, 1, look_at_contacts, strands);
    }
    if (any_loose(strands)) {
        TRY(strand_sweep_sort(&pairs->sweep, strands, BOX_MARGIN));
        parallel_for(pairs->sweep.count, CHUNK, look_around, strands);
    }
    *cut = take_times(&pairs->guard, strands->strand_count);
    if (*cut) end_ways(strands, step, still);
    return result_ok();
}
