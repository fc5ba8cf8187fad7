// Stable parallel sorting of small keys; the outcome does not depend on the number of threads.
#ifndef PBF_CORE_SORT_H
#define PBF_CORE_SORT_H

#include "core/result.h"

#include <stddef.h>
#include <stdint.h>

// Buffers that a sorter keeps between calls; zero-initialise, free with sort_buffers_free.
typedef struct SortBuffers {
    uint64_t *keys[2];
    uint32_t *order[2];
    size_t capacity;
    uint32_t *histogram;
    size_t histogram_capacity;
} SortBuffers;

// Makes room for `count` keys; callers write them to buffers->keys[0]. Grows only, by an eighth more than is
// asked for; what the buffers held is lost then. Error: RESULT_NO_MEMORY, after which they are still to be
// freed.
Result sort_buffers_reserve(SortBuffers *buffers, uint32_t count);
void sort_buffers_free(SortBuffers *buffers);
uint64_t sort_buffers_bytes(const SortBuffers *buffers); // that they hold

// Ascending stable order of keys[0][0..count): *order points to the permutation (order[k] is the old place
// of the k-th smallest), inside the buffers, until they are used again. keys[0] then holds the sorted keys.
// Only bits that differ between keys cost time.
void sort_order(SortBuffers *buffers, uint32_t count, const uint32_t **order);

#endif
