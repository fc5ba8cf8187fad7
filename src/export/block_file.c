// The only file that knows zstd.
#include "export/block_file.h"

#include "core/hash.h"
#include "core/memory.h"
#include "export/file_writer.h"
#include "export/number_cursor.h"

#include <string.h>
#include <zstd.h>

static const uint8_t MAGIC[8] = {0x89, 'P', 'B', 'F', '\r', '\n', 0x1a, '\n'};
#define VERSION 1u
#define HEAD_BYTES 12
#define TAIL_BYTES 16
#define BLOCK_HEAD_BYTES (BLOCK_NAME_BYTES + 12)
#define RUN 65536u // numbers

// Real states shrink to a third, or to a twentieth where water rests in a lattice. What claims more is made
// up, and would fill the memory from a small file.
#define RATIO_MAX 2000u
#define SMALL_BYTES ((uint64_t)64 << 20) // always allowed

// Fast, and within a few percent of what slower levels reach with positions and velocities.
#define LEVEL 1

// --- numbers as bytes ---

static void put_bytes(uint8_t *out, uint64_t value, uint32_t bytes)
{
    for (uint32_t k = 0; k < bytes; k++) out[k] = (uint8_t)(value >> 8 * k);
}

static uint64_t get_bytes(const uint8_t *in, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t k = bytes; k-- > 0;) value = value << 8 | in[k];
    return value;
}

static uint64_t number_bits(const uint8_t *at, uint32_t bytes)
{
    uint64_t wide;
    uint32_t word;
    if (bytes == 1) return *at;
    if (bytes == 4) {
        memcpy(&word, at, 4);
        return word;
    }
    memcpy(&wide, at, 8);
    return wide;
}

static void split_run(const StateBlock *block, uint64_t first, uint32_t count, uint8_t *out)
{
    uint32_t bytes = block_type_bytes(block->type);
    const uint8_t *data = (const uint8_t *)block->data + first * bytes;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = number_bits(data + (size_t)i * bytes, bytes);
        for (uint32_t k = 0; k < bytes; k++) out[(size_t)k * count + i] = (uint8_t)(value >> 8 * k);
    }
}

// `in` and `out` are different memory.
static void join_run(const uint8_t *in, uint32_t bytes, uint32_t count, uint8_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = 0;
        for (uint32_t k = bytes; k-- > 0;) value = value << 8 | in[(size_t)k * count + i];
        uint32_t word = (uint32_t)value;
        if (bytes == 8) memcpy(out + 8 * (size_t)i, &value, 8);
        if (bytes == 4) memcpy(out + 4 * (size_t)i, &word, 4);
        if (bytes == 1) out[i] = (uint8_t)value;
    }
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
    put_bytes(head + BLOCK_NAME_BYTES, block->type, 4);
    put_bytes(head + BLOCK_NAME_BYTES + 4, block->count, 8);
    TRY(pack(packer, head, sizeof head, ZSTD_e_continue));
    for (uint64_t first = 0; first < block->count; first += RUN) {
        uint32_t count = block->count - first < RUN ? (uint32_t)(block->count - first) : RUN;
        split_run(block, first, count, packer->run);
        TRY(pack(packer, packer->run, (size_t)count * block_type_bytes(block->type), ZSTD_e_continue));
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
    put_bytes(head + sizeof MAGIC, VERSION, 4);
    emit(packer, head, sizeof head);
    for (uint32_t k = 0; k < blocks->count; k++) TRY(pack_block(packer, &blocks->block[k]));
    TRY(pack(packer, NULL, 0, ZSTD_e_end));
    put_bytes(tail, packer->total, 8);
    emit(packer, tail, 8);
    put_bytes(tail + 8, hash_bytes(packer->hash, packer->word, packer->word_used), 8);
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
    return result_error(RESULT_USAGE, "%s: is no whole checkpoint: %s", path, what);
}

static Result check_frame(const char *path, const uint8_t *bytes, size_t size)
{
    if (!block_file_recognize(bytes, size)) return damaged(path, "it does not begin like one");
    if (size < HEAD_BYTES + TAIL_BYTES) return damaged(path, "it is cut off");
    uint64_t version = get_bytes(bytes + sizeof MAGIC, 4);
    if (hash_bytes(HASH_START, bytes, size - 8) != get_bytes(bytes + size - 8, 8))
        return damaged(path, "its checksum is wrong, it was damaged or cut off");
    if (version == VERSION) return result_ok();
    return result_error(RESULT_USAGE, "%s: is a checkpoint of version %llu (this program reads %u)", path,
                        (unsigned long long)version, VERSION);
}

// Room for the unpacked stream, and behind it for the longest run while its bytes are put together.
static Result unpack(const char *path, const uint8_t *bytes, size_t size, uint8_t **out, uint64_t *total)
{
    *total = get_bytes(bytes + size - TAIL_BYTES, 8);
    uint64_t available = memory_available();
    if (*total > SMALL_BYTES && *total / RATIO_MAX > size)
        return damaged(path, "it claims to unpack to more than any state does");
    if (*total > available || *total > SIZE_MAX - RUN * 8)
        return result_error(RESULT_NO_MEMORY, "%s: needs %.1f GB of memory, %.1f GB are free", path,
                            (double)*total / 1e9, (double)available / 1e9);
    *out = memory_allocate(*total + RUN * 8);
    if (!*out) return result_no_memory("a stored state", *total);
    size_t got = ZSTD_decompress(*out, *total, bytes + HEAD_BYTES, size - HEAD_BYTES - TAIL_BYTES);
    if (!ZSTD_isError(got) && got == *total) return result_ok();
    return damaged(path, "its contents cannot be unpacked");
}

// Turns the runs of a block back into numbers, in place.
static void join_block(uint8_t *data, uint32_t bytes, uint64_t count, uint8_t *spare)
{
    for (uint64_t first = 0; first < count && bytes > 1; first += RUN) {
        uint32_t run = count - first < RUN ? (uint32_t)(count - first) : RUN;
        uint8_t *at = data + first * bytes;
        memcpy(spare, at, (size_t)run * bytes);
        join_run(spare, bytes, run, at);
    }
}

// Numbers are aligned where they are used in place: blocks of the file follow each other without gaps.
static Result list_blocks(const char *path, uint8_t *from, uint64_t total, uint8_t *to, StateBlocks *out)
{
    uint8_t *spare = from + total;
    for (uint64_t at = 0; at < total;) {
        char name[BLOCK_NAME_BYTES];
        if (total - at < BLOCK_HEAD_BYTES) return damaged(path, "a block is cut off");
        if (out->count == BLOCKS_MAX) return damaged(path, "it has too many blocks");
        memcpy(name, from + at, sizeof name);
        uint64_t type = get_bytes(from + at + BLOCK_NAME_BYTES, 4);
        uint64_t count = get_bytes(from + at + BLOCK_NAME_BYTES + 4, 8);
        at += BLOCK_HEAD_BYTES;
        if (type >= BLOCK_TYPE_COUNT || name[BLOCK_NAME_BYTES - 1] != '\0' || name[0] == '\0')
            return damaged(path, "a block's head makes no sense");
        uint32_t bytes = block_type_bytes((BlockType)type);
        if (count > (total - at) / bytes) return damaged(path, "a block is longer than the file");
        for (uint32_t k = 0; k < out->count; k++) {
            if (strcmp(out->block[k].name, name) == 0) return damaged(path, "a block is there twice");
        }
        join_block(from + at, bytes, count, spare);
        if (count > 0) memcpy(to, from + at, count * bytes);
        blocks_add(out, name, (BlockType)type, count, to);
        to += (count * bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
        at += count * bytes;
    }
    return result_ok();
}

Result block_file_parse(const char *path, const void *bytes, size_t size, StateBlocks *out)
{
    uint8_t *unpacked = NULL;
    uint64_t total;
    *out = (StateBlocks){0};
    TRY(check_frame(path, bytes, size));
    Result result = unpack(path, bytes, size, &unpacked, &total);
    if (result_is_ok(&result)) {
        out->storage = memory_allocate(total + (uint64_t)BLOCKS_MAX * MEMORY_ALIGNMENT);
        result = out->storage ? list_blocks(path, unpacked, total, out->storage, out)
                              : result_no_memory("a stored state", total);
    }
    memory_free(unpacked);
    if (!result_is_ok(&result)) blocks_free(out);
    return result;
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
