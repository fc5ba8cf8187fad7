// Checkpoints: bytes that begin like a file are read as one, with its checksum made right. All others are
// taken for what is inside of a file, and packed first. So the checks behind the checksum are reached, too.
#include "command/checkpoint.h"
#include "core/hash.h"
#include "export/block_file.h"
#include "export/particle_file.h"
#include "fuzz_input.h"

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
    size_t room = ZSTD_compressBound(size);
    uint8_t *file = malloc(HEAD_BYTES + room + 16);
    if (!file) abort();
    memcpy(file, HEAD, HEAD_BYTES);
    size_t packed = ZSTD_compress(file + HEAD_BYTES, room, data, size, 1);
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
