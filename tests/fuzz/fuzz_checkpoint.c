// Checkpoints: bytes that begin like a file are read as one, with its checksum made right. All others are
// taken for what is inside of a file, and packed first. So the checks behind the checksum are reached, too,
// and the mutator knows blocks: it changes numbers where they stand.
#include "command/checkpoint.h"
#include "core/hash.h"
#include "export/block_file.h"
#include "export/particle_file.h"
#include "fuzz_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define HEAD "\x89PBF\r\n\x1a\n\1\0\0\0"
#define HEAD_BYTES 12
#define PARTICLES_MAX 300
#define STEPS 2

static void put_number(uint8_t *at, uint64_t value)
{
    for (int k = 0; k < 8; k++) at[k] = (uint8_t)(value >> 8 * k);
}

// The file around a stream of blocks.
static uint8_t *forge(const uint8_t *data, size_t size, size_t *file_size)
{
    static ZSTD_CCtx *context; // making one takes longer than packing
    if (!context) context = ZSTD_createCCtx();
    size_t room = ZSTD_compressBound(size);
    uint8_t *file = malloc(HEAD_BYTES + room + 16);
    if (!file || !context) abort();
    memcpy(file, HEAD, HEAD_BYTES);
    size_t packed = ZSTD_compressCCtx(context, file + HEAD_BYTES, room, data, size, 1);
    if (ZSTD_isError(packed)) abort();
    *file_size = HEAD_BYTES + packed + 16;
    put_number(file + *file_size - 16, size);
    put_number(file + *file_size - 8, hash_bytes(HASH_START, file, *file_size - 8));
    return file;
}

static void simulate(const SceneDef *scene, const Checkpoint *checkpoint)
{
    Fluid *fluid;
    Result result = scene_restore(scene, &checkpoint->state, &fluid);
    if (result_is_ok(&result) && fluid_view(fluid).count <= PARTICLES_MAX) {
        for (int k = 0; k < STEPS && result_is_ok(&result); k++)
            result = fluid_step(fluid, fluid_time(fluid) + 0.01, NULL);
    }
    fluid_destroy(fluid);
}

// Scenes are the business of another target: only those that hold little are read.
static void go_on(Checkpoint *checkpoint)
{
    SceneDef scene;
    const StateBlock *x = blocks_find(&checkpoint->state, "x", BLOCK_FLOAT);
    if (!x || x->count > PARTICLES_MAX || checkpoint->source.bytes > 2000) return;
    Result result = scene_read_source(&checkpoint->source, &scene);
    if (!result_is_ok(&result)) return;
    if (scene.obstacle_count <= 8 && scene.emitter_count == 0) simulate(&scene, checkpoint);
    scene_free(&scene);
}

// Makes the checksum at the end of a file right.
static uint8_t *mend(const uint8_t *data, size_t size)
{
    uint8_t *file = malloc(size);
    if (!file) abort();
    memcpy(file, data, size);
    if (size >= 8) put_number(file + size - 8, hash_bytes(HASH_START, file, size - 8));
    return file;
}

// --- mutations ---

#define NAME_BYTES 24
#define BLOCK_HEAD_BYTES (NAME_BYTES + 4 + 8)

// Where a block of a stream is; its numbers have their first bytes first, then the second ones, and so on.
typedef struct Block {
    size_t numbers; // offset
    uint64_t count;
    uint32_t bytes; // of a number
} Block;

static uint64_t get_number(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int k = bytes; k-- > 0;) value = value << 8 | at[k];
    return value;
}

// The block at an offset; false if the stream is not that long.
static bool block_at(const uint8_t *data, size_t size, size_t at, Block *out)
{
    if (at + BLOCK_HEAD_BYTES > size) return false;
    uint64_t type = get_number(data + at + NAME_BYTES, 4);
    if (type >= BLOCK_TYPE_COUNT) return false;
    *out = (Block){.numbers = at + BLOCK_HEAD_BYTES,
                   .count = get_number(data + at + NAME_BYTES + 4, 8),
                   .bytes = block_type_bytes((BlockType)type)};
    return out->count <= (size - out->numbers) / out->bytes;
}

static void change_number(uint8_t *data, const Block *block, uint64_t draw)
{
    static const double words[] = {0, -1, 1, 1e30, -1e30, 1e-30, 1e300, (double)INFINITY, (double)NAN};
    uint64_t number = draw % block->count, value = draw * UINT64_C(0x9e3779b97f4a7c15);
    double word = words[(draw >> 20) % (sizeof words / sizeof *words)];
    float narrow = (float)word;
    switch ((draw >> 40) % 4) {
    case 0:
        if (block->bytes == 8) memcpy(&value, &word, 8);
        if (block->bytes == 4) memcpy(&value, &narrow, 4);
        break;
    case 1: // a whole number
        value = (draw >> 50) % 2 ? UINT64_MAX - (draw >> 58) : draw >> 58;
        break;
    case 2: // one bit
        data[block->numbers + number + block->count * ((draw >> 50) % block->bytes)] ^=
            (uint8_t)(1 << (draw >> 61));
        return;
    default:
        break;
    }
    for (uint32_t k = 0; k < block->bytes; k++)
        data[block->numbers + number + block->count * k] = (uint8_t)(value >> 8 * k);
}

// libFuzzer's own changes; without it (test_fuzz_corpus) there are none.
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

// A few numbers of one block, or what libFuzzer thinks of.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint64_t draw = hash_bytes(HASH_START, &seed, sizeof seed);
    Block blocks[BLOCKS_MAX];
    uint32_t count = 0;
    for (size_t at = 0; count < BLOCKS_MAX && block_at(data, size, at, &blocks[count]); count++)
        at = blocks[count].numbers + blocks[count].count * blocks[count].bytes;
    if (count == 0 || (draw % 4 == 0 && LLVMFuzzerMutate))
        return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
    const Block *block = &blocks[(draw >> 8) % count];
    for (uint64_t k = 0; k <= (draw >> 16) % 3 && block->count > 0; k++) {
        draw = hash_bytes(draw, &k, sizeof k);
        change_number(data, block, draw);
    }
    return size;
}

// --- the target ---

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool whole = block_file_recognize(data, size);
    size_t file_size = size;
    uint8_t *file = whole ? mend(data, size) : forge(data, size, &file_size);
    Checkpoint checkpoint;
    Result result = checkpoint_parse("input.pbf", file, file_size, &checkpoint);
    if (result_is_ok(&result)) {
        if (fuzz_goes_on(data, size)) go_on(&checkpoint);
        checkpoint_free(&checkpoint);
    }
    ParticleFile particles;
    result = particle_file_parse("input.pbf", (const char *)file, file_size, &particles);
    particle_file_free(&particles);
    free(file);
    return 0;
}
