// The spatial hash of Teschner et al. 2003 (Eq. 1 of Pouchol et al. 2009): points are filed in a table by the
// hash of their cell, whatever other cells share the bucket. A query visits the buckets of 27 cells, each
// bucket once (the guard that Game Physics Pearls, chapter 6, describes), and tests everything in them. Space
// without bounds and the smallest structure of the hashes; costs distance tests for every collision.
#include "core/memory.h"
#include "neighbor/reference/cell_table.h"

#include <string.h>

// Every other cell in a bucket is tested in vain, so there are many more buckets than cells.
#define BUCKETS_PER_RUN UINT64_C(8)

typedef struct SpatialHash {
    FiledRuns filed;
    uint32_t *bucket; // first run
    uint32_t *next;   // next run in the same bucket
    uint32_t mask;
    size_t bucket_capacity, next_capacity;
} SpatialHash;

static Result build(void *state, const PointSet *points)
{
    SpatialHash *hash = state;
    TRY(filed_runs_build(&hash->filed, points));
    uint32_t runs = hash->filed.runs.count;
    uint64_t buckets = 16;
    while (buckets < BUCKETS_PER_RUN * runs && buckets < UINT64_C(1) << 31) buckets *= 2;
    TRY(MEMORY_RESERVE(hash->bucket, hash->bucket_capacity, 0, buckets, "hash table"));
    TRY(MEMORY_RESERVE(hash->next, hash->next_capacity, 0, runs, "hash table"));
    memset(hash->bucket, 0xff, buckets * sizeof(uint32_t)); // CELL_NONE
    hash->mask = (uint32_t)buckets - 1;
    // The last run first: each bucket's list then ascends.
    for (uint32_t run = runs; run-- > 0;) {
        CellPlace at = filed_runs_cell(&hash->filed, run);
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
static uint32_t pack(void *state, uint32_t own_run, CellPlace at, RowWriter *writer)
{
    const SpatialHash *hash = state;
    uint32_t visited[27], count = visit(hash, at, visited), own = 0;
    RunPacker packer = {writer, &hash->filed, 0, 0};
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
    filed_runs_find(&hash->filed, begin, end, writer, pack, (void *)hash);
}

static void release(void *state)
{
    SpatialHash *hash = state;
    cell_runs_free(&hash->filed.runs);
    memory_free(hash->bucket);
    memory_free(hash->next);
}

static MethodBytes bytes(const void *state)
{
    const SpatialHash *hash = state;
    MethodBytes held = filed_runs_bytes(&hash->filed);
    if (hash->bucket) held.total += ((uint64_t)hash->mask + 1 + hash->filed.runs.count) * sizeof(uint32_t);
    return held;
}

static Result list_boxes(const void *state, NeighborBoxes *boxes)
{
    return filed_runs_boxes(&((const SpatialHash *)state)->filed, boxes);
}

const NeighborMethod neighbor_spatial_hash = {
    .name = "spatial_hash",
    .summary = "points filed by the hash of their cell, buckets visited once; space without bounds",
    .state_bytes = sizeof(SpatialHash),
    .build = build,
    .find = find,
    .boxes = list_boxes,
    .release = release,
    .bytes = bytes,
};
