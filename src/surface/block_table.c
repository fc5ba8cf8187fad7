#include "surface/block_table.h"

#include "core/memory.h"

#include <string.h>

#define SLOTS_AT_FIRST 1024u

static uint32_t slot_of(const BlockTable *table, uint64_t key)
{
    // Fibonacci hashing: the high bits of the product depend on all bits of the key.
    uint32_t slot = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (table->slots - 1);
    while (table->values[slot] != BLOCK_NONE && table->keys[slot] != key)
        slot = (slot + 1) & (table->slots - 1);
    return slot;
}

static Result grow(BlockTable *table)
{
    uint32_t slots = table->slots ? 2 * table->slots : SLOTS_AT_FIRST;
    BlockTable larger = {memory_allocate(slots * sizeof(uint64_t)), memory_allocate(slots * sizeof(uint32_t)),
                         slots, table->used};
    if (!larger.keys || !larger.values) {
        block_table_free(&larger);
        return result_no_memory("the surface's blocks", slots * 12ull);
    }
    memset(larger.values, 0xff, slots * sizeof(uint32_t));
    for (uint32_t k = 0; k < table->slots; k++) {
        if (table->values[k] == BLOCK_NONE) continue;
        uint32_t slot = slot_of(&larger, table->keys[k]);
        larger.keys[slot] = table->keys[k];
        larger.values[slot] = table->values[k];
    }
    block_table_free(table);
    *table = larger;
    return result_ok();
}

Result block_table_insert(BlockTable *table, uint64_t key, uint32_t value, uint32_t **out)
{
    CHECK(value != BLOCK_NONE);
    if (2 * table->used >= table->slots) TRY(grow(table));
    uint32_t slot = slot_of(table, key);
    if (table->values[slot] == BLOCK_NONE) {
        table->keys[slot] = key;
        table->values[slot] = value;
        table->used++;
    }
    *out = &table->values[slot];
    return result_ok();
}

uint32_t block_table_find(const BlockTable *table, uint64_t key)
{
    return table->slots ? table->values[slot_of(table, key)] : BLOCK_NONE;
}

void block_table_free(BlockTable *table)
{
    memory_free(table->keys);
    memory_free(table->values);
    *table = (BlockTable){0};
}
