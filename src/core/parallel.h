// Parallel range loops; OpenMP is used behind this header only. Results never depend on the number of
// threads, because block boundaries depend on count and grain alone and every block writes its own slots.
#ifndef PBF_CORE_PARALLEL_H
#define PBF_CORE_PARALLEL_H

#include "core/host.h"

#include <stdint.h>

// The body of a loop: handles [begin, end). worker < parallel_workers() picks scratch, never results.
typedef void ParallelBody(uint32_t begin, uint32_t end, uint32_t worker, void *context);

// Sets how many threads a loop uses at most (up to 1024); 0: one per core that the process may use
// (parallel_cores). Call before the first loop or between loops.
void parallel_set_workers(uint32_t workers);

// That number, or the one of the thread's host.
uint32_t parallel_workers(void);

// Ends and frees the threads of a host's own. No loop of the host's may run.
void parallel_end_team(Host *host);

// Cores that the process may use: those of its affinity mask, and no more than the quotas of its control
// groups, rounded up.
uint32_t parallel_cores(void);

// Thousandths of a core that a control group may use, from the files in its folder (version 1 or 2).
// UINT64_MAX without a limit.
uint64_t parallel_thousandths_in_group(const char *folder);

// grain >= 1. Calls body on disjoint blocks [k*grain, min((k+1)*grain, count)) that cover [0, count), spread
// over the workers as they become free; loops too short to be worth waking a worker stay on the calling
// thread. Returns when all are done. Several threads may call it: one at a time gets the workers, the others
// run their loops alone. Must not be nested.
void parallel_for(uint32_t count, uint32_t grain, ParallelBody *body, void *context);

// What tells loops apart whose body is the same: a function that the body calls.
typedef void ParallelKind(void);

// The same with a kind: how long a loop takes, which decides whether it is worth sharing, is known of each
// kind.
void parallel_for_kind(uint32_t count, uint32_t grain, ParallelBody *body, void *context, ParallelKind *kind);

#endif
