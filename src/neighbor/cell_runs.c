#include "neighbor/cell_runs.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"

#define BLOCK 16384u

typedef struct RunsJob {
    CellRuns *runs;
    const CellKeys *keys;
} RunsJob;

static void count_runs(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const RunsJob *job = context;
    uint64_t room[CELL_KEYS_CHUNK], before = cell_keys_before(job->keys, begin, UINT64_MAX);
    uint32_t runs = 0;
    for (uint32_t i = begin; i < end; i += CELL_KEYS_CHUNK) {
        uint32_t count = end - i < CELL_KEYS_CHUNK ? end - i : CELL_KEYS_CHUNK;
        const uint64_t *keys = cell_keys(job->keys, i, i + count, room);
        runs += keys[0] != before;
        for (uint32_t k = 1; k < count; k++) runs += keys[k] != keys[k - 1];
        before = keys[count - 1];
    }
    job->runs->block[begin / BLOCK] = runs;
}

static void fill_runs(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const RunsJob *job = context;
    uint64_t room[CELL_KEYS_CHUNK], before = cell_keys_before(job->keys, begin, UINT64_MAX);
    uint32_t run = job->runs->block[begin / BLOCK];
    for (uint32_t i = begin; i < end; i += CELL_KEYS_CHUNK) {
        uint32_t count = end - i < CELL_KEYS_CHUNK ? end - i : CELL_KEYS_CHUNK;
        const uint64_t *keys = cell_keys(job->keys, i, i + count, room);
        for (uint32_t k = 0; k < count; k++) {
            if (keys[k] == before) continue;
            before = keys[k];
            if (job->runs->keyed) job->runs->key[run] = before;
            job->runs->first[run++] = i + k;
        }
    }
}

Result cell_runs_build(CellRuns *runs, const CellKeys *keys, uint32_t points, bool keyed)
{
    uint32_t blocks = groups_of(points, BLOCK);
    RunsJob job = {runs, keys};
    TRY(MEMORY_RESERVE(runs->block, runs->block_capacity, 0, blocks, "cells"));
    parallel_for(points, BLOCK, count_runs, &job);
    uint32_t sum = 0;
    for (uint32_t k = 0; k < blocks; k++) {
        uint32_t here = runs->block[k];
        runs->block[k] = sum;
        sum += here;
    }
    runs->count = sum;
    runs->keyed = keyed;
    if (keyed) TRY(MEMORY_RESERVE(runs->key, runs->key_capacity, 0, sum, "cells"));
    TRY(MEMORY_RESERVE(runs->first, runs->first_capacity, 0, (size_t)sum + 1, "cells"));
    parallel_for(points, BLOCK, fill_runs, &job);
    runs->first[sum] = points;
    return result_ok();
}

void cell_runs_free(CellRuns *runs)
{
    memory_free(runs->key);
    memory_free(runs->first);
    memory_free(runs->block);
    *runs = (CellRuns){0};
}

uint64_t cell_runs_bytes(const CellRuns *runs)
{
    return runs->count * (uint64_t)(runs->keyed ? sizeof(uint64_t) + sizeof(uint32_t) : sizeof(uint32_t));
}
