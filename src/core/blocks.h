// Named arrays of numbers (blocks): the stored form of a state. A list either refers to its owners' memory,
// so that writing copies nothing, or owns one allocation that was read from a file.
#ifndef PBF_CORE_BLOCKS_H
#define PBF_CORE_BLOCKS_H

#include "core/result.h"

#include <stddef.h>
#include <stdint.h>

#define BLOCK_NAME_BYTES 24 // with the NUL
#define BLOCKS_MAX 256

typedef enum BlockType {
    BLOCK_BYTES,
    BLOCK_UINT32,
    BLOCK_UINT64,
    BLOCK_FLOAT,
    BLOCK_DOUBLE,
    BLOCK_TYPE_COUNT
} BlockType;

uint32_t block_type_bytes(BlockType type); // of one number

typedef struct StateBlock {
    char name[BLOCK_NAME_BYTES];
    BlockType type;
    uint64_t count; // of numbers
    const void *data;
} StateBlock;

typedef struct StateBlocks {
    StateBlock block[BLOCKS_MAX];
    uint32_t count;
    void *storage; // freed by blocks_free; NULL if the blocks belong to others
} StateBlocks;

// Appends a block that refers to `count` numbers at data, which remain the caller's and must outlive the
// list. CHECKed: names are unique and shorter than BLOCK_NAME_BYTES, and there are at most BLOCKS_MAX blocks.
void blocks_add(StateBlocks *list, const char *name, BlockType type, uint64_t count, const void *data);

// Finds the block with this name and type; NULL if there is none.
const StateBlock *blocks_find(const StateBlocks *list, const char *name, BlockType type);

// Copies the block with this name into `out` if it has exactly this type and count. Error: RESULT_USAGE
// "NAME: ..."; the caller adds the file.
Result blocks_copy(const StateBlocks *list, const char *name, BlockType type, uint64_t count, void *out);

// A list with numbers of its own. Errors: RESULT_NO_MEMORY. Free with blocks_free.
Result blocks_clone(const StateBlocks *list, StateBlocks *out);
uint64_t blocks_bytes(const StateBlocks *list); // that all numbers take

// Frees what a list owns and empties it; a list that owns nothing is allowed.
void blocks_free(StateBlocks *list);

#endif
