// Stable parallel radix sort of 64-bit keys; the result does not depend on the number of threads.
#ifndef PBF_CORE_SORT_H
#define PBF_CORE_SORT_H

#include "core/result.h"

#include <stddef.h>
#include <stdint.h>

// Buffers kept between calls; zero-initialize, free with sort_buffers_free.
typedef struct SortBuffers {
    uint64_t *keys[2];
    uint32_t *order[2];
    size_t capacity;
    uint32_t *histogram;
    size_t histogram_capacity;
} SortBuffers;

// Makes room for `count` keys; callers write them to buffers->keys[0]. Only grows, an eighth beyond `count`,
// and then loses what the buffers held. Error: RESULT_NO_MEMORY; the buffers must still be freed.
Result sort_buffers_reserve(SortBuffers *buffers, uint32_t count);
void sort_buffers_free(SortBuffers *buffers);
uint64_t sort_buffers_bytes(const SortBuffers *buffers); // bytes held

// Ascending stable order of keys[0][0..count): *order points to the permutation (order[k] is the old place
// of the k-th smallest), inside the buffers, until they are used again. keys[0] then holds the sorted keys.
// Only bits that differ between keys cost time.
void sort_order(SortBuffers *buffers, uint32_t count, const uint32_t **order);

#endif
