// Threads are reached through this header only. Passes are range loops; results never depend on the number
// of threads, because block edges depend on count and grain alone and every block writes its own slots.
#ifndef PBF_CORE_PARALLEL_H
#define PBF_CORE_PARALLEL_H

#include <stdint.h>

// The body of a loop: handles [begin, end). worker < parallel_workers() picks scratch, never results.
typedef void ParallelBody(uint32_t begin, uint32_t end, uint32_t worker, void *context);

// How many threads loops use, 1024 at most; 0 asks for one per core. Call before the first loop or between
// loops.
void parallel_set_workers(uint32_t workers);
uint32_t parallel_workers(void);

// grain >= 1. Calls body on disjoint blocks [k*grain, min((k+1)*grain, count)) that cover [0, count), spread
// over the workers as they become free. Returns when all are done. Not to be nested.
void parallel_for(uint32_t count, uint32_t grain, ParallelBody *body, void *context);

#endif
