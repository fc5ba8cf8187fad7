#include "core/blocks.h"

#include "core/memory.h"
#include "core/round.h"

#include <stdio.h>
#include <string.h>

uint32_t block_type_bytes(BlockType type)
{
    static const uint32_t bytes[BLOCK_TYPE_COUNT] = {1, 4, 8, 4, 8};
    CHECK(type < BLOCK_TYPE_COUNT);
    return bytes[type];
}

static const StateBlock *find_name(const StateBlocks *list, const char *name)
{
    for (uint32_t k = 0; k < list->count; k++) {
        if (strcmp(list->block[k].name, name) == 0) return &list->block[k];
    }
    return NULL;
}

void blocks_add(StateBlocks *list, const char *name, BlockType type, uint64_t count, const void *data)
{
    CHECK(list->count < BLOCKS_MAX && strlen(name) < BLOCK_NAME_BYTES && !find_name(list, name));
    StateBlock *block = &list->block[list->count++];
    *block = (StateBlock){.type = type, .count = count, .data = data};
    strcpy(block->name, name);
}

const StateBlock *blocks_find(const StateBlocks *list, const char *name, BlockType type)
{
    const StateBlock *block = find_name(list, name);
    return block && block->type == type ? block : NULL;
}

Result blocks_copy(const StateBlocks *list, const char *name, BlockType type, uint64_t count, void *out)
{
    const StateBlock *block = blocks_find(list, name, type);
    if (!block) return result_error(RESULT_USAGE, "%s: missing or of another type", name);
    if (block->count != count)
        return result_error(RESULT_USAGE, "%s: holds %llu numbers (expected %llu)", name,
                            (unsigned long long)block->count, (unsigned long long)count);
    if (count > 0) memcpy(out, block->data, count * block_type_bytes(type));
    return result_ok();
}

// Bytes of a block, so that the next one is aligned.
static uint64_t padded_bytes(const StateBlock *block)
{
    uint64_t bytes = block->count * block_type_bytes(block->type);
    return round_up(bytes, MEMORY_ALIGNMENT);
}

uint64_t blocks_bytes(const StateBlocks *list)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < list->count; k++) sum += padded_bytes(&list->block[k]);
    return sum;
}

Result blocks_clone(const StateBlocks *list, StateBlocks *out)
{
    char *at = memory_allocate(blocks_bytes(list));
    *out = (StateBlocks){0};
    if (!at) return result_no_memory("a stored state", blocks_bytes(list));
    *out = *list;
    out->storage = at;
    for (uint32_t k = 0; k < out->count; k++) {
        StateBlock *block = &out->block[k];
        uint64_t bytes = block->count * block_type_bytes(block->type);
        if (bytes > 0) memcpy(at, block->data, bytes);
        block->data = at;
        at += padded_bytes(block);
    }
    return result_ok();
}

void blocks_free(StateBlocks *list)
{
    memory_free(list->storage);
    *list = (StateBlocks){0};
}
