// A hash table from block keys to small numbers.
#ifndef PBF_SURFACE_BLOCK_TABLE_H
#define PBF_SURFACE_BLOCK_TABLE_H

#include "core/result.h"

#include <stdint.h>

#define BLOCK_NONE UINT32_MAX // result of looking up a missing key

typedef struct BlockTable {
    uint64_t *keys;
    uint32_t *values; // BLOCK_NONE: a free slot
    uint32_t slots;   // a power of two, 0 before the first insertion
    uint32_t used;
} BlockTable;

// Finds the value of a key, to read or change in place; inserts `value` if the key is new. Error:
// RESULT_NO_MEMORY.
Result block_table_insert(BlockTable *table, uint64_t key, uint32_t value, uint32_t **out);
uint32_t block_table_find(const BlockTable *table, uint64_t key);
void block_table_free(BlockTable *table);

#endif
