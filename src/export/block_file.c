// The only file that knows zstd.
#include "export/block_file.h"

#include "core/hash.h"
#include "core/memory.h"
#include "export/file_writer.h"
#include "export/number_cursor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

static const uint8_t MAGIC[8] = {0x89, 'P', 'B', 'F', '\r', '\n', 0x1a, '\n'};
#define VERSION 1u
#define HEAD_BYTES 12
#define TAIL_BYTES 16
#define BLOCK_HEAD_BYTES (BLOCK_NAME_BYTES + 12)
#define RUN 65536u                     // numbers
#define PEEK_BYTES ((size_t)192 << 10) // more than a block of zstd, which unpacks whole ones alone

// Real states shrink to a third, or to a twentieth where water rests in a lattice. What claims more is made
// up, and would fill the memory from a small file.
#define RATIO_MAX 2000u
#define SMALL_BYTES ((uint64_t)64 << 20) // always allowed

// Fast, and within a few percent of what slower levels reach with positions and velocities.
#define LEVEL 1

// --- numbers as bytes ---

// Machines are little-endian (core/cpu.h), as the file is.
static void put_word(uint8_t *out, uint32_t value)
{
    memcpy(out, &value, sizeof value);
}

static void put_wide(uint8_t *out, uint64_t value)
{
    memcpy(out, &value, sizeof value);
}

static uint32_t get_word(const uint8_t *in)
{
    uint32_t value;
    memcpy(&value, in, sizeof value);
    return value;
}

static uint64_t get_wide(const uint8_t *in)
{
    uint64_t value;
    memcpy(&value, in, sizeof value);
    return value;
}

// `in` and `out` are different memory.
static void split_run(const uint8_t *in, uint32_t bytes, uint32_t count, uint8_t *out)
{
    for (uint32_t k = 0; k < bytes; k++) {
        for (uint32_t i = 0; i < count; i++) out[(size_t)k * count + i] = in[(size_t)i * bytes + k];
    }
}

static void join_run(const uint8_t *in, uint32_t bytes, uint32_t count, uint8_t *out)
{
    for (uint32_t k = 0; k < bytes; k++) {
        for (uint32_t i = 0; i < count; i++) out[(size_t)i * bytes + k] = in[(size_t)k * count + i];
    }
}

static uint32_t run_length(uint64_t first, uint64_t count)
{
    return count - first < RUN ? (uint32_t)(count - first) : RUN;
}

// --- writing ---

typedef struct Packer {
    FileWriter *file;
    ZSTD_CStream *stream;
    uint8_t *run, *packed;
    size_t packed_bytes;
    uint64_t total; // before compression
    uint64_t hash;
    uint8_t word[8]; // the hash takes whole words, so that it does not depend on how bytes come
    uint32_t word_used;
} Packer;

static void emit(Packer *packer, const uint8_t *bytes, size_t count)
{
    file_writer_write(packer->file, bytes, count);
    while (count > 0 && packer->word_used > 0) {
        packer->word[packer->word_used++] = *bytes++;
        count--;
        if (packer->word_used < 8) continue;
        packer->hash = hash_bytes(packer->hash, packer->word, 8);
        packer->word_used = 0;
    }
    size_t whole = count / 8 * 8;
    packer->hash = hash_bytes(packer->hash, bytes, whole);
    if (packer->word_used == 0 && count > whole) {
        memcpy(packer->word, bytes + whole, count - whole);
        packer->word_used = (uint32_t)(count - whole);
    }
}

static Result pack(Packer *packer, const uint8_t *bytes, size_t count, ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = {bytes, count, 0};
    packer->total += count;
    for (;;) {
        ZSTD_outBuffer out = {packer->packed, packer->packed_bytes, 0};
        size_t left = ZSTD_compressStream2(packer->stream, &out, &in, end);
        if (ZSTD_isError(left)) return result_no_memory("packing a state", packer->packed_bytes);
        emit(packer, packer->packed, out.pos);
        if (in.pos == in.size && (end == ZSTD_e_continue || left == 0)) return result_ok();
    }
}

static Result pack_block(Packer *packer, const StateBlock *block)
{
    uint8_t head[BLOCK_HEAD_BYTES] = {0};
    memcpy(head, block->name, strlen(block->name));
    put_word(head + BLOCK_NAME_BYTES, block->type);
    put_wide(head + BLOCK_NAME_BYTES + 4, block->count);
    TRY(pack(packer, head, sizeof head, ZSTD_e_continue));
    uint32_t bytes = block_type_bytes(block->type);
    for (uint64_t first = 0; first < block->count; first += RUN) {
        uint32_t count = run_length(first, block->count);
        split_run((const uint8_t *)block->data + first * bytes, bytes, count, packer->run);
        TRY(pack(packer, packer->run, (size_t)count * bytes, ZSTD_e_continue));
    }
    return result_ok();
}

static Result pack_all(Packer *packer, const StateBlocks *blocks)
{
    if (!packer->run || !packer->packed || !packer->stream)
        return result_no_memory("packing a state", RUN * 8 + packer->packed_bytes);
    ZSTD_CCtx_setParameter(packer->stream, ZSTD_c_compressionLevel, LEVEL);
    uint8_t head[HEAD_BYTES], tail[TAIL_BYTES];
    memcpy(head, MAGIC, sizeof MAGIC);
    put_word(head + sizeof MAGIC, VERSION);
    emit(packer, head, sizeof head);
    for (uint32_t k = 0; k < blocks->count; k++) TRY(pack_block(packer, &blocks->block[k]));
    TRY(pack(packer, NULL, 0, ZSTD_e_end));
    put_wide(tail, packer->total);
    emit(packer, tail, 8);
    put_wide(tail + 8, hash_bytes(packer->hash, packer->word, packer->word_used));
    file_writer_write(packer->file, tail + 8, 8);
    return result_ok();
}

Result block_file_write(const char *path, const StateBlocks *blocks)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    Packer packer = {.file = &file, .packed_bytes = ZSTD_CStreamOutSize(), .hash = HASH_START};
    packer.run = memory_allocate(RUN * 8);
    packer.packed = memory_allocate(packer.packed_bytes);
    packer.stream = ZSTD_createCStream();
    Result result = pack_all(&packer, blocks);
    ZSTD_freeCStream(packer.stream);
    memory_free(packer.run);
    memory_free(packer.packed);
    if (result_is_ok(&result)) return file_writer_commit(&file);
    file_writer_discard(&file);
    return result;
}

// --- reading ---

bool block_file_recognize(const void *head, size_t bytes)
{
    return bytes >= sizeof MAGIC && memcmp(head, MAGIC, sizeof MAGIC) == 0;
}

static Result damaged(const char *path, const char *what)
{
    return result_error(RESULT_USAGE, "%s: is not a complete checkpoint: %s", path, what);
}

static Result check_head(const char *path, const uint8_t *bytes, size_t size)
{
    if (!block_file_recognize(bytes, size)) return damaged(path, "it does not begin like one");
    if (size < HEAD_BYTES + TAIL_BYTES) return damaged(path, "it is cut off");
    uint32_t version = get_word(bytes + sizeof MAGIC);
    if (version == VERSION) return result_ok();
    return result_error(RESULT_USAGE, "%s: is a checkpoint of version %u (this program reads %u)", path,
                        version, VERSION);
}

static Result check_whole(const char *path, const uint8_t *bytes, size_t size)
{
    TRY(check_head(path, bytes, size));
    if (hash_bytes(HASH_START, bytes, size - 8) != get_wide(bytes + size - 8))
        return damaged(path, "its checksum is wrong, it was damaged or cut off");
    uint64_t total = get_wide(bytes + size - TAIL_BYTES);
    if (total > SMALL_BYTES && total / RATIO_MAX > size)
        return damaged(path, "it claims to unpack to more than any state does");
    return result_ok();
}

typedef struct Unpacker {
    const char *path;
    ZSTD_DStream *stream;
    ZSTD_inBuffer in;
    uint64_t left; // bytes that are still to come, unpacked
    uint8_t *run;
    uint8_t
        *to; // where the next block's numbers go, aligned: in the file blocks follow each other without gaps
} Unpacker;

// Unpacks the next bytes.
static Result take(Unpacker *unpacker, void *to, size_t bytes)
{
    ZSTD_outBuffer out = {to, bytes, 0};
    while (out.pos < out.size) {
        size_t before = out.pos, status = ZSTD_decompressStream(unpacker->stream, &out, &unpacker->in);
        bool stuck = out.pos == before && (status == 0 || unpacker->in.pos == unpacker->in.size);
        if (ZSTD_isError(status) || stuck) return damaged(unpacker->path, "its contents cannot be unpacked");
    }
    unpacker->left -= bytes;
    return result_ok();
}

// The stream ends where the last block does.
static Result check_end(Unpacker *unpacker)
{
    uint8_t more;
    ZSTD_outBuffer out = {&more, 1, 0};
    size_t status = 1;
    while (status > 0 && unpacker->in.pos < unpacker->in.size) {
        status = ZSTD_decompressStream(unpacker->stream, &out, &unpacker->in);
        if (ZSTD_isError(status) || out.pos > 0) return damaged(unpacker->path, "its contents are too long");
    }
    return unpacker->in.pos == unpacker->in.size ? result_ok()
                                                 : damaged(unpacker->path, "its contents are too long");
}

static Result take_head(Unpacker *unpacker, const StateBlocks *known, StateBlock *out)
{
    uint8_t head[BLOCK_HEAD_BYTES];
    if (unpacker->left < sizeof head) return damaged(unpacker->path, "a block is cut off");
    if (known->count == BLOCKS_MAX) return damaged(unpacker->path, "it has too many blocks");
    TRY(take(unpacker, head, sizeof head));
    uint32_t type = get_word(head + BLOCK_NAME_BYTES);
    *out = (StateBlock){.type = (BlockType)type, .count = get_wide(head + BLOCK_NAME_BYTES + 4)};
    memcpy(out->name, head, sizeof out->name);
    if (type >= BLOCK_TYPE_COUNT || out->name[BLOCK_NAME_BYTES - 1] != '\0' || out->name[0] == '\0')
        return damaged(unpacker->path, "a block's head makes no sense");
    if (out->count > unpacker->left / block_type_bytes(out->type))
        return damaged(unpacker->path, "a block is longer than the file");
    for (uint32_t k = 0; k < known->count; k++) {
        if (strcmp(known->block[k].name, out->name) == 0)
            return damaged(unpacker->path, "a block is there twice");
    }
    return result_ok();
}

static Result take_block(Unpacker *unpacker, StateBlocks *out)
{
    StateBlock block;
    TRY(take_head(unpacker, out, &block));
    uint32_t bytes = block_type_bytes(block.type);
    for (uint64_t first = 0; first < block.count; first += RUN) {
        uint32_t count = run_length(first, block.count);
        TRY(take(unpacker, unpacker->run, (size_t)count * bytes));
        join_run(unpacker->run, bytes, count, unpacker->to + first * bytes);
    }
    blocks_add(out, block.name, block.type, block.count, unpacker->to);
    unpacker->to += (block.count * bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    return result_ok();
}

// Unpacks up to `most` blocks of a stream straight to where they stay. total: bytes that they all take.
static Result unpack(const char *path, const uint8_t *bytes, size_t size, uint64_t total, uint32_t most,
                     StateBlocks *out)
{
    uint64_t room = total + (uint64_t)BLOCKS_MAX * MEMORY_ALIGNMENT, available = memory_available();
    if (room + RUN * 8 > available || room < total || room > SIZE_MAX)
        return result_error(RESULT_NO_MEMORY, "%s: needs %.1f GB of memory, %.1f GB are free", path,
                            (double)total / 1e9, (double)available / 1e9);
    Unpacker unpacker = {.path = path, .in = {bytes, size, 0}, .left = total};
    out->storage = unpacker.to = memory_allocate(room);
    unpacker.run = memory_allocate(RUN * 8);
    unpacker.stream = ZSTD_createDStream();
    Result result = out->storage && unpacker.run && unpacker.stream
                        ? result_ok()
                        : result_no_memory("a stored state", room + RUN * 8);
    while (result_is_ok(&result) && unpacker.left > 0 && out->count < most)
        result = take_block(&unpacker, out);
    if (result_is_ok(&result) && unpacker.left == 0) result = check_end(&unpacker);
    ZSTD_freeDStream(unpacker.stream);
    memory_free(unpacker.run);
    if (!result_is_ok(&result)) blocks_free(out);
    return result;
}

Result block_file_parse(const char *path, const void *bytes, size_t size, StateBlocks *out)
{
    *out = (StateBlocks){0};
    TRY(check_whole(path, bytes, size));
    return unpack(path, (const uint8_t *)bytes + HEAD_BYTES, size - HEAD_BYTES - TAIL_BYTES,
                  get_wide((const uint8_t *)bytes + size - TAIL_BYTES), BLOCKS_MAX, out);
}

Result block_file_read(const char *path, StateBlocks *out)
{
    char *bytes;
    size_t size;
    *out = (StateBlocks){0};
    TRY(cursor_read_file(path, block_file_recognize, &bytes, &size));
    Result result = block_file_parse(path, bytes, size, out);
    memory_free(bytes);
    return result;
}

Result block_file_peek(const char *path, uint32_t blocks, StateBlocks *out)
{
    *out = (StateBlocks){0};
    FILE *file = fopen(path, "rb");
    if (!file) return result_error(RESULT_USAGE, "%s: %s", path, strerror(errno));
    uint8_t *head = memory_allocate(PEEK_BYTES);
    size_t size = head ? fread(head, 1, PEEK_BYTES, file) : 0;
    Result result = !head          ? result_no_memory("a stored state", PEEK_BYTES)
                    : ferror(file) ? result_error(RESULT_FAILED, "%s: %s", path, strerror(errno))
                                   : check_head(path, head, size);
    fclose(file);
    if (result_is_ok(&result))
        result = unpack(path, head + HEAD_BYTES, size - HEAD_BYTES, PEEK_BYTES, blocks, out);
    memory_free(head);
    return result;
}
