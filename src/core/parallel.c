#include "core/parallel.h"

#include <omp.h>

#define WORKERS_MAX 1024

// Blocks go to whoever is free, unless the build says "static": then workers take turns. The thread sanitizer
// needs that, as it sees a race only between blocks of different workers.
#ifndef PARALLEL_SCHEDULE
#define PARALLEL_SCHEDULE dynamic
#endif

static uint32_t worker_count;

void parallel_set_workers(uint32_t workers)
{
    if (workers == 0) workers = (uint32_t)omp_get_num_procs();
    worker_count = workers < WORKERS_MAX ? workers : WORKERS_MAX;
}

uint32_t parallel_workers(void)
{
    if (worker_count == 0) parallel_set_workers(0);
    return worker_count;
}

void parallel_for(uint32_t count, uint32_t grain, ParallelBody *body, void *context)
{
    if (count == 0) return;
    uint32_t blocks = (count - 1) / grain + 1;
    if (blocks == 1 || parallel_workers() == 1) {
        for (uint32_t block = 0; block < blocks; block++) {
            uint32_t begin = block * grain;
            body(begin, count - begin < grain ? count : begin + grain, 0, context);
        }
        return;
    }
#pragma omp parallel for schedule(PARALLEL_SCHEDULE, 1) num_threads(parallel_workers())
    for (uint32_t block = 0; block < blocks; block++) {
        uint32_t begin = block * grain;
        body(begin, count - begin < grain ? count : begin + grain, (uint32_t)omp_get_thread_num(), context);
    }
}
