// Named blocks of numbers: what a state is stored as. A list refers to the owners' memory, so that writing
// copies nothing, or owns one piece of storage that was read.
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
    void *storage; // what blocks_free frees; NULL where the blocks belong to others
} StateBlocks;

// Appends a block that refers to `count` numbers at data, which stay the caller's and have to outlive the
// list. Names are unique and shorter than BLOCK_NAME_BYTES, blocks BLOCKS_MAX at most: both are CHECKed.
void blocks_add(StateBlocks *list, const char *name, BlockType type, uint64_t count, const void *data);

// The block of that name and type, or NULL.
const StateBlock *blocks_find(const StateBlocks *list, const char *name, BlockType type);

// Copies the block of that name into `out` if it has exactly that type and count. Error: RESULT_USAGE
// "NAME: ..."; the caller adds the file.
Result blocks_copy(const StateBlocks *list, const char *name, BlockType type, uint64_t count, void *out);

// Frees what a list owns and empties it; one that owns nothing is allowed.
void blocks_free(StateBlocks *list);

#endif
