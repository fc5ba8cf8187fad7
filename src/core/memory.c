#include "core/memory.h"

#include "core/host.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

// Stored in the alignment unit in front of a block: its size, and who takes it back. NULL: free.
typedef struct BlockHeader {
    size_t bytes;
    void (*release)(void *block, void *user);
    void *user;
} BlockHeader;
_Static_assert(sizeof(BlockHeader) <= MEMORY_ALIGNMENT, "a block's header fits in front of it");

#define HUGE_PAGE ((uintptr_t)2 << 20)
#define LARGE_BLOCK (2 * HUGE_PAGE) // from which on a block holds one whole wherever it begins

static atomic_uint_least64_t allocation_count;
static atomic_uint_least64_t bytes_in_use;
static atomic_uint_least64_t bytes_peak;
static atomic_uint_least64_t fail_countdown; // allocations until one fails, 0 for none
static atomic_bool failed;

static bool fails_now(void)
{
    if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) == 0) return false;
    if (atomic_fetch_sub_explicit(&fail_countdown, 1, memory_order_relaxed) != 1) return false;
    atomic_store_explicit(&failed, true, memory_order_relaxed);
    return true;
}

bool memory_fail_at(uint64_t nth)
{
    atomic_store_explicit(&fail_countdown, nth, memory_order_relaxed);
    return atomic_exchange_explicit(&failed, false, memory_order_relaxed);
}

// Large blocks want huge pages where the system leaves that to programs: one fault instead of 512 when they
// are filled, and fewer misses of addresses. Refusal changes nothing but time.
static void ask_for_huge_pages(void *raw, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t from = (uintptr_t)raw, first = (from + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t last = (from + bytes) / HUGE_PAGE * HUGE_PAGE;
    if (bytes >= LARGE_BLOCK) madvise((void *)first, last - first, MADV_HUGEPAGE);
#else
    (void)raw, (void)bytes;
#endif
}

void *memory_allocate(size_t bytes)
{
    if (bytes > SIZE_MAX - 3 * MEMORY_ALIGNMENT || fails_now()) return NULL;
    size_t padded = (bytes + 2 * MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    const Host *host = host_now();
    bool hosted = host && host->allocate;
    unsigned char *raw = hosted ? host->allocate(padded + MEMORY_ALIGNMENT, MEMORY_ALIGNMENT, host->user)
                                : aligned_alloc(MEMORY_ALIGNMENT, padded + MEMORY_ALIGNMENT);
    if (!raw) return NULL;
    if (!hosted) ask_for_huge_pages(raw, padded);
    *(BlockHeader *)(void *)raw =
        (BlockHeader){padded, hosted ? host->release : NULL, hosted ? host->user : NULL};
    atomic_fetch_add_explicit(&allocation_count, 1, memory_order_relaxed);
    uint64_t now = atomic_fetch_add_explicit(&bytes_in_use, padded, memory_order_relaxed) + padded;
    uint_least64_t peak = atomic_load_explicit(&bytes_peak, memory_order_relaxed);
    while (now > peak && !atomic_compare_exchange_weak_explicit(&bytes_peak, &peak, now, memory_order_relaxed,
                                                                memory_order_relaxed)) {
    }
    return raw + MEMORY_ALIGNMENT;
}

void *memory_allocate_zeroed(size_t bytes)
{
    void *block = memory_allocate(bytes);
    if (block) memset(block, 0, bytes);
    return block;
}

void memory_free(void *block)
{
    if (!block) return;
    unsigned char *raw = (unsigned char *)block - MEMORY_ALIGNMENT;
    BlockHeader header = *(BlockHeader *)(void *)raw;
    atomic_fetch_sub_explicit(&bytes_in_use, header.bytes, memory_order_relaxed);
    if (header.release)
        header.release(raw, header.user);
    else
        free(raw);
}

Result memory_reserve(void **block, size_t *capacity, size_t used, size_t needed, size_t element_bytes,
                      const char *what)
{
    CHECK(used <= *capacity);
    if (needed <= *capacity && *block) return result_ok();
    size_t grown = *capacity + *capacity / 2;
    if (grown < needed) grown = needed;
    if (grown > SIZE_MAX / element_bytes) return result_no_memory(what, UINT64_MAX);
    void *bigger = memory_allocate(grown * element_bytes);
    if (!bigger) return result_no_memory(what, (unsigned long long)grown * element_bytes);
    if (used > 0) memcpy(bigger, *block, used * element_bytes);
    memory_free(*block);
    *block = bigger;
    *capacity = grown;
    return result_ok();
}

uint64_t memory_allocation_count(void)
{
    return atomic_load_explicit(&allocation_count, memory_order_relaxed);
}

uint64_t memory_bytes_in_use(void)
{
    return atomic_load_explicit(&bytes_in_use, memory_order_relaxed);
}

uint64_t memory_bytes_peak(void)
{
    return atomic_load_explicit(&bytes_peak, memory_order_relaxed);
}

void memory_restart_peak(void)
{
    atomic_store_explicit(&bytes_peak, memory_bytes_in_use(), memory_order_relaxed);
}

uint64_t memory_peak_rss(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return (uint64_t)usage.ru_maxrss * 1024; // Linux reports kilobytes
}
