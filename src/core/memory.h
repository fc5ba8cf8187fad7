// Counted heap allocation: all of the program's own data is allocated here, so that tests can prove that warm
// steps allocate nothing and benchmarks can say what a structure costs. A thread that has entered a host
// (core/host.h) gets its memory from there; blocks may be freed by any thread.
#ifndef PBF_CORE_MEMORY_H
#define PBF_CORE_MEMORY_H

#include "core/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Every block is aligned to this many bytes (a cache line, and the widest vector) and padded by at least one
// less, so a whole-vector load at the last element stays inside the block.
#define MEMORY_ALIGNMENT 64

// Returns uninitialized memory, or NULL. bytes == 0 gives a valid block. Free with memory_free. Blocks of 4
// MiB or more ask the system for huge pages.
void *memory_allocate(size_t bytes);

// As memory_allocate, but zeroed.
void *memory_allocate_zeroed(size_t bytes);

// Frees a block of memory_allocate; NULL is allowed.
void memory_free(void *block);

// Makes *block hold at least `needed` elements of element_bytes; grows by at least half, so that repeated
// calls settle, and keeps the first `used` elements. *capacity is in elements. On failure nothing has
// changed. `what` names the data in the message.
Result memory_reserve(void **block, size_t *capacity, size_t used, size_t needed, size_t element_bytes,
                      const char *what);

// memory_reserve for an array of any type; `array` and `capacity` are the variables, not their addresses.
#define MEMORY_RESERVE(array, capacity, used, needed, what)                                                  \
    memory_reserve((void **)&(array), &(capacity), used, needed, sizeof *(array), what)

// For tests: from now on the nth allocation (from 1) fails, as if memory had run out; 0 for none. Returns
// whether the one that was set before has failed.
bool memory_fail_at(uint64_t nth);

uint64_t memory_allocation_count(void); // allocations since the program started
uint64_t memory_bytes_in_use(void);     // bytes of live blocks
uint64_t memory_bytes_peak(void);       // the most bytes of live blocks since the last restart
void memory_restart_peak(void);         // resets the peak to the bytes in use now
uint64_t memory_peak_rss(void);         // bytes; the largest resident set of the process so far

// Bytes that this process could still get: what the machine has free, no more than its control groups
// (containers, systemd, batch systems) and its address space (ulimit -v) leave. UINT64_MAX if unknown.
uint64_t memory_available(void);

// Bytes of addresses (ulimit -v) that are left, UINT64_MAX without a limit. Libraries and the stacks of
// threads take addresses that they never touch.
uint64_t memory_addresses_left(void);

// Bytes left to a control group, from the files in its folder (version 1 or 2); memory that only caches files
// counts as free. UINT64_MAX without a limit.
uint64_t memory_available_in_group(const char *folder);

#ifdef __cplusplus
}
#endif

#endif
