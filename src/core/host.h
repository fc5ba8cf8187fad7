// What a program that uses the library provides in place of the process's own: threads, an instruction set,
// memory. A host is entered by a thread for the time of a call, and by the threads that help it; all of
// memory.h, parallel.h and cpu.h go by it. Without one they go by what holds for the whole process.
#ifndef PBF_CORE_HOST_H
#define PBF_CORE_HOST_H

#include "core/cpu.h"

#include <stddef.h>
#include <stdint.h>

typedef struct Team Team; // parallel.c

typedef struct Host {
    // Threads of a loop at most; 0: the process's (parallel_workers), which all such hosts share.
    uint32_t workers;
    CpuLevel level; // CPU_LEVEL_COUNT: the process's
    // Memory, aligned to a power of two; NULL: aligned_alloc and free. Called from several threads at once.
    void *(*allocate)(size_t bytes, size_t alignment, void *user);
    void (*release)(void *block, void *user);
    // Runs task(k, job) once for each k < count, on any threads, several at a time or not, and returns when
    // all are done; NULL: threads of our own.
    void (*run)(void (*task)(uint32_t k, void *job), uint32_t count, void *job, void *user);
    void *user;
    Team *team; // of a host with workers > 1; NULL until the first loop. Freed by parallel_end_team
} Host;

// The host that the calling thread has entered; NULL: none.
Host *host_now(void);

// Enters a host, or none; returns the one before, which is to be entered again at the end of the call.
Host *host_enter(Host *host);

#endif
