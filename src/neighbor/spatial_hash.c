// The spatial hash of Teschner et al. 2003 (Eq. 1 of Pouchol et al. 2009): points are filed in a table by the
// hash of their cell, whatever other cells share the bucket. A query visits the buckets of 27 cells, each
// bucket once (the guard that Game Physics Pearls, chapter 6, describes), and tests everything in them. Space
// without bounds and the smallest structure of the hashes; costs distance tests for every collision.
#include "neighbor/method.h"

#include "core/memory.h"
#include "neighbor/cell_table.h"

#include <string.h>

// Every other cell in a bucket is tested in vain, so there are many more buckets than cells.
#define BUCKETS_PER_RUN UINT64_C(8)

typedef struct SpatialHash {
    float radius;
    PointSet points;
    CellFrame frame;
    CellRuns runs;
    uint32_t *bucket; // first run
    uint32_t *next;   // next run in the same bucket
    uint32_t mask;
    size_t bucket_capacity, next_capacity;
} SpatialHash;

static Result create(float radius, void **state)
{
    SpatialHash *hash = memory_allocate_zeroed(sizeof *hash);
    if (!hash) return result_no_memory("neighbor search", sizeof *hash);
    hash->radius = radius;
    *state = hash;
    return result_ok();
}

static CellPlace run_cell(const SpatialHash *hash, uint32_t run)
{
    uint32_t i = hash->runs.first[run];
    return cell_at(&hash->frame, hash->points.x[i], hash->points.y[i], hash->points.z[i]);
}

static Result build(void *state, const PointSet *points)
{
    SpatialHash *hash = state;
    hash->points = *points;
    hash->frame = cell_frame(hash->radius, points);
    CellKeys keys = {&hash->frame, &hash->points, NULL};
    TRY(cell_runs_build(&hash->runs, &keys, points->count));

    uint64_t buckets = 16;
    while (buckets < BUCKETS_PER_RUN * hash->runs.count && buckets < UINT64_C(1) << 31) buckets *= 2;
    TRY(memory_reserve((void **)&hash->bucket, &hash->bucket_capacity, 0, buckets, sizeof(uint32_t),
                       "hash table"));
    TRY(memory_reserve((void **)&hash->next, &hash->next_capacity, 0, hash->runs.count, sizeof(uint32_t),
                       "hash table"));
    memset(hash->bucket, 0xff, buckets * sizeof(uint32_t)); // CELL_NONE
    hash->mask = (uint32_t)buckets - 1;
    // The last run first: each bucket's list then ascends.
    for (uint32_t run = hash->runs.count; run-- > 0;) {
        CellPlace at = run_cell(hash, run);
        uint32_t *bucket = &hash->bucket[cell_hash(at.x, at.y, at.z) & hash->mask];
        hash->next[run] = *bucket;
        *bucket = run;
    }
    return result_ok();
}

// The buckets of the 27 cells around, each once; returns how many.
static uint32_t visit(const SpatialHash *hash, CellPlace at, uint32_t visited[27])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < 27; k++) {
        uint32_t x = at.x + k % 3 - 1, y = at.y + k / 3 % 3 - 1, z = at.z + k / 9 - 1;
        uint32_t bucket = cell_hash(x, y, z) & hash->mask;
        bool before = false;
        for (uint32_t v = 0; v < count; v++) before |= visited[v] == bucket;
        visited[count] = bucket;
        count += !before;
    }
    return count;
}

// Packs what is in the buckets around. Returns the position of the first point of own_run.
static uint32_t pack(const SpatialHash *hash, CellPlace at, uint32_t own_run, RowWriter *writer)
{
    uint32_t visited[27], count = visit(hash, at, visited), own = 0;
    RunPacker packer = {writer, &hash->runs, &hash->points, 0, 0};
    row_list_start(writer);
    for (uint32_t v = 0; v < count; v++) {
        for (uint32_t run = hash->bucket[visited[v]]; run != CELL_NONE; run = hash->next[run]) {
            uint32_t position = run_pack(&packer, run);
            if (run == own_run) own = position;
        }
    }
    run_pack_finish(&packer);
    return own;
}

static void find(const void *state, uint32_t begin, uint32_t end, RowWriter *writer)
{
    const SpatialHash *hash = state;
    const PointSet *points = &hash->points;
    for (uint32_t run = cell_runs_of(&hash->runs, begin); begin < end && !writer->failed; run++) {
        uint32_t last = hash->runs.first[run + 1] < end ? hash->runs.first[run + 1] : end;
        uint32_t own = pack(hash, run_cell(hash, run), run, writer);
        rows_filter(writer, points->x, points->y, points->z, NULL, begin, last,
                    own + begin - hash->runs.first[run]);
        begin = last;
    }
}

static void release(void *state)
{
    SpatialHash *hash = state;
    cell_runs_free(&hash->runs);
    memory_free(hash->bucket);
    memory_free(hash->next);
    memory_free(hash);
}

static MethodBytes bytes(const void *state)
{
    const SpatialHash *hash = state;
    uint64_t table = hash->bucket ? ((uint64_t)hash->mask + 1 + hash->runs.count) * sizeof(uint32_t) : 0;
    return (MethodBytes){.total = cell_runs_bytes(&hash->runs) + table};
}

const NeighborMethod neighbor_spatial_hash = {
    .name = "spatial_hash",
    .summary = "points filed by the hash of their cell, buckets visited once; space without bounds",
    .create = create,
    .build = build,
    .find = find,
    .release = release,
    .bytes = bytes,
};
