// CSR rows in a paged pool, filled by all threads without a counting pass. A worker takes pages from the pool
// and writes rows into them as it finds them. When the pool turns out to be too small the rest of the pass
// only counts; the pool then grows to what that many entries can need in any placement and the pass is
// repeated. Whether a run allocates thus depends on its rows, never on timing.
#ifndef PBF_NEIGHBOR_ROW_STORE_H
#define PBF_NEIGHBOR_ROW_STORE_H

#include "neighbor/method.h"

#include <stdatomic.h>

typedef struct RowStore {
    uint64_t *begin;
    uint32_t *count;
    size_t begin_capacity, count_capacity;
    uint32_t *pool;
    uint64_t most;        // number of neighbors that memory could hold when the store was first used
    size_t pool_capacity; // entries that rows may use; CANDIDATES_LANES more are allocated
    atomic_uint_least64_t taken;
    RowWriter *writers;
    uint32_t writer_count;
} RowStore;

// Makes room for the offsets of `rows` rows and for the writers of all workers. The store is all zero before
// the first call. Error: RESULT_NO_MEMORY.
Result row_store_prepare(RowStore *store, uint32_t rows, float radius);

// Starts a pass, which writes every row. map, in_order: see RowNames.
void row_store_start(RowStore *store, const uint32_t *map, bool in_order);

// After a pass over a part of the rows, 1 / share of all: makes room for what the whole of them will need if
// the rest is like it, and an eighth more. Memory that is not there is left to row_store_finish.
void row_store_expect(RowStore *store, uint32_t share);

// After a pass: *again is set if the pass has to be repeated because the pool has just grown. Error:
// RESULT_NO_MEMORY, also if there are more neighbors than memory holds (both numbers are named).
Result row_store_finish(RowStore *store, bool *again);

// Bytes of rows and offsets, without the workers' buffers.
uint64_t row_store_bytes(const RowStore *store);
void row_store_free(RowStore *store); // zeroed is allowed

#endif
