// The only file that knows zstd.
#include "export/block_file.h"

#include "core/hash.h"
#include "core/memory.h"
#include "core/regular_file.h"
#include "core/round.h"
#include "export/file_writer.h"
#include "export/number_cursor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#define VERSION 1u
#define RUN 65536u                     // numbers
#define PEEK_BYTES ((size_t)192 << 10) // more than a block of zstd, which unpacks whole ones alone

// Largest compression to believe. Real states shrink to a third, or to a twentieth where water rests in a
// lattice; a forged file could fill the memory otherwise.
#define RATIO_MAX 2000u
#define SMALL_BYTES ((uint64_t)64 << 20) // always allowed

// Fast; slower levels save only a few percent of positions and velocities.
#define LEVEL 1

// --- layout: little-endian, as memory is (core/cpu.h) ---

typedef struct FileHead {
    uint8_t magic[8];
    uint32_t version;
} __attribute__((packed)) FileHead;

typedef struct BlockHead {
    char name[BLOCK_NAME_BYTES];
    uint32_t type;
    uint64_t count;
} __attribute__((packed)) BlockHead;

typedef struct FileTail {
    uint64_t total; // bytes of the stream before compression
    uint64_t hash;
} __attribute__((packed)) FileTail;

// The bytes of `rows` rows column by column: numbers become runs of their first, second, ... bytes, and back.
static void transpose(const uint8_t *in, uint32_t rows, uint32_t columns, uint8_t *out)
{
    for (uint32_t c = 0; c < columns; c++) {
        for (uint32_t r = 0; r < rows; r++) out[(size_t)c * rows + r] = in[(size_t)r * columns + c];
    }
}

static uint32_t run_length(uint64_t first, uint64_t count)
{
    return count - first < RUN ? (uint32_t)(count - first) : RUN;
}

// --- writing ---

typedef struct Packer {
    FileWriter *file; // NULL: bytes gather in memory
    uint8_t *bytes;
    size_t used, capacity;
    bool short_of_memory;
    ZSTD_CStream *stream;
    uint8_t *run, *packed;
    size_t packed_bytes;
    uint64_t total; // before compression
    uint64_t hash;
    uint8_t word[8]; // the hash takes whole words, so that it does not depend on how bytes come
    uint32_t word_used;
} Packer;

// A failure is remembered, as the writer of files does.
static void gather(Packer *packer, const void *bytes, size_t count)
{
    Result result = packer->short_of_memory ? result_no_memory("a packed state", count)
                                            : MEMORY_RESERVE(packer->bytes, packer->capacity, packer->used,
                                                             packer->used + count, "a packed state");
    packer->short_of_memory = !result_is_ok(&result);
    if (packer->short_of_memory || count == 0) return;
    memcpy(packer->bytes + packer->used, bytes, count);
    packer->used += count;
}

static void emit(Packer *packer, const void *data, size_t count)
{
    const uint8_t *bytes = data;
    if (packer->file)
        file_writer_write(packer->file, bytes, count);
    else
        gather(packer, bytes, count);
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

static Result pack(Packer *packer, const void *bytes, size_t count, ZSTD_EndDirective end)
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
    BlockHead head = {.type = block->type, .count = block->count};
    memcpy(head.name, block->name, strlen(block->name));
    TRY(pack(packer, &head, sizeof head, ZSTD_e_continue));
    uint32_t bytes = block_type_bytes(block->type);
    for (uint64_t first = 0; first < block->count; first += RUN) {
        uint32_t count = run_length(first, block->count);
        transpose((const uint8_t *)block->data + first * bytes, count, bytes, packer->run);
        TRY(pack(packer, packer->run, (size_t)count * bytes, ZSTD_e_continue));
    }
    return result_ok();
}

static Result pack_all(Packer *packer, const StateBlocks *blocks)
{
    if (!packer->run || !packer->packed || !packer->stream)
        return result_no_memory("packing a state", RUN * 8 + packer->packed_bytes);
    ZSTD_CCtx_setParameter(packer->stream, ZSTD_c_compressionLevel, LEVEL);
    FileHead head = {.version = VERSION};
    memcpy(head.magic, BLOCK_FILE_MAGIC, sizeof head.magic);
    emit(packer, &head, sizeof head);
    for (uint32_t k = 0; k < blocks->count; k++) TRY(pack_block(packer, &blocks->block[k]));
    TRY(pack(packer, NULL, 0, ZSTD_e_end));
    FileTail tail = {.total = packer->total};
    emit(packer, &tail.total, sizeof tail.total);
    tail.hash = hash_bytes(packer->hash, packer->word, packer->word_used);
    emit(packer, &tail.hash, sizeof tail.hash);
    return packer->short_of_memory ? result_no_memory("a packed state", packer->used) : result_ok();
}

static Result pack_blocks(Packer *packer, const StateBlocks *blocks)
{
    packer->packed_bytes = ZSTD_CStreamOutSize();
    packer->hash = HASH_START;
    packer->run = memory_allocate(RUN * 8);
    packer->packed = memory_allocate(packer->packed_bytes);
    packer->stream = ZSTD_createCStream();
    Result result = pack_all(packer, blocks);
    ZSTD_freeCStream(packer->stream);
    memory_free(packer->run);
    memory_free(packer->packed);
    return result;
}

Result block_file_write(const char *path, const StateBlocks *blocks)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    Packer packer = {.file = &file};
    Result result = pack_blocks(&packer, blocks);
    if (result_is_ok(&result)) return file_writer_commit(&file);
    file_writer_discard(&file);
    return result;
}

Result block_file_pack(const StateBlocks *blocks, void **bytes, size_t *size)
{
    Packer packer = {.file = NULL};
    Result result = pack_blocks(&packer, blocks);
    if (!result_is_ok(&result)) memory_free(packer.bytes);
    *bytes = result_is_ok(&result) ? packer.bytes : NULL;
    *size = result_is_ok(&result) ? packer.used : 0;
    return result;
}

// --- reading ---

bool block_file_recognize(const void *head, size_t bytes)
{
    return bytes >= 8 && memcmp(head, BLOCK_FILE_MAGIC, 8) == 0;
}

static Result damaged(const char *path, const char *what)
{
    return result_error(RESULT_USAGE, "%s: is not a complete checkpoint: %s", path, what);
}

static Result check_head(const char *path, const void *bytes, size_t size)
{
    FileHead head;
    if (!block_file_recognize(bytes, size)) return damaged(path, "it does not begin like one");
    if (size < sizeof head + sizeof(FileTail)) return damaged(path, "it is cut off");
    memcpy(&head, bytes, sizeof head);
    if (head.version == VERSION) return result_ok();
    return result_error(RESULT_USAGE, "%s: is a checkpoint of version %u (this program reads %u)", path,
                        head.version, VERSION);
}

static Result check_whole(const char *path, const uint8_t *bytes, size_t size, FileTail *tail)
{
    TRY(check_head(path, bytes, size));
    memcpy(tail, bytes + size - sizeof *tail, sizeof *tail);
    if (hash_bytes(HASH_START, bytes, size - sizeof tail->hash) != tail->hash)
        return damaged(path, "its checksum is wrong, it was damaged or cut off");
    if (tail->total > SMALL_BYTES && tail->total / RATIO_MAX > size)
        return damaged(path, "it claims to unpack to more than any state does");
    return result_ok();
}

typedef struct Unpacker {
    const char *path;
    ZSTD_DStream *stream;
    ZSTD_inBuffer in;
    size_t status; // of the stream: 0 at its end
    uint64_t left; // bytes that are still to come, unpacked
    uint8_t *run;
    uint8_t *to; // where the next block's numbers go: aligned, which they are not in the file
} Unpacker;

// Unpacks the next bytes.
static Result take(Unpacker *unpacker, void *to, size_t bytes)
{
    ZSTD_outBuffer out = {to, bytes, 0};
    while (out.pos < out.size) {
        size_t before = out.pos;
        unpacker->status = ZSTD_decompressStream(unpacker->stream, &out, &unpacker->in);
        bool stuck = out.pos == before && (unpacker->status == 0 || unpacker->in.pos == unpacker->in.size);
        if (ZSTD_isError(unpacker->status) || stuck)
            return damaged(unpacker->path, "its contents cannot be unpacked");
    }
    unpacker->left -= bytes;
    return result_ok();
}

// The stream has to end where the last block does.
static Result check_end(Unpacker *unpacker)
{
    uint8_t more;
    ZSTD_outBuffer out = {&more, 1, 0};
    if (unpacker->status > 0) unpacker->status = ZSTD_decompressStream(unpacker->stream, &out, &unpacker->in);
    if (unpacker->status == 0 && out.pos == 0 && unpacker->in.pos == unpacker->in.size) return result_ok();
    return damaged(unpacker->path, "its contents are longer than it says");
}

static Result take_head(Unpacker *unpacker, const StateBlocks *known, BlockHead *out)
{
    if (unpacker->left < sizeof *out) return damaged(unpacker->path, "a block is cut off");
    if (known->count == BLOCKS_MAX) return damaged(unpacker->path, "it has too many blocks");
    TRY(take(unpacker, out, sizeof *out));
    if (out->type >= BLOCK_TYPE_COUNT || out->name[BLOCK_NAME_BYTES - 1] != '\0' || out->name[0] == '\0')
        return damaged(unpacker->path, "a block's head is malformed");
    if (out->count > unpacker->left / block_type_bytes((BlockType)out->type))
        return damaged(unpacker->path, "a block is longer than the file");
    for (uint32_t k = 0; k < known->count; k++) {
        if (strcmp(known->block[k].name, out->name) == 0)
            return damaged(unpacker->path, "a block occurs twice");
    }
    return result_ok();
}

static Result take_block(Unpacker *unpacker, StateBlocks *out)
{
    BlockHead block;
    TRY(take_head(unpacker, out, &block));
    uint32_t bytes = block_type_bytes((BlockType)block.type);
    for (uint64_t first = 0; first < block.count; first += RUN) {
        uint32_t count = run_length(first, block.count);
        TRY(take(unpacker, unpacker->run, (size_t)count * bytes));
        transpose(unpacker->run, bytes, count, unpacker->to + first * bytes);
    }
    blocks_add(out, block.name, (BlockType)block.type, block.count, unpacker->to);
    unpacker->to += round_up(block.count * bytes, MEMORY_ALIGNMENT);
    return result_ok();
}

// Little is allocated without a look at how much is free, which takes longer than unpacking it.
static Result check_room(const char *path, uint64_t total, uint64_t room)
{
    if (total <= SMALL_BYTES) return result_ok();
    uint64_t available = memory_available();
    if (room + RUN * 8 <= available && room >= total && room <= SIZE_MAX) return result_ok();
    return result_error(RESULT_NO_MEMORY, "%s: needs %.1f GB of memory, %.1f GB are free", path,
                        (double)total / 1e9, (double)available / 1e9);
}

// Unpacks up to `most` blocks of a stream straight to where they stay. total: bytes that they all take.
static Result unpack(const char *path, const uint8_t *bytes, size_t size, uint64_t total, uint32_t most,
                     StateBlocks *out)
{
    uint64_t room = total + (uint64_t)BLOCKS_MAX * MEMORY_ALIGNMENT, run = total < RUN * 8 ? total : RUN * 8;
    TRY(check_room(path, total, room));
    Unpacker unpacker = {.path = path, .in = {bytes, size, 0}, .status = 1, .left = total};
    out->storage = unpacker.to = memory_allocate(room);
    unpacker.run = memory_allocate(run);
    unpacker.stream = ZSTD_createDStream();
    Result result = out->storage && unpacker.run && unpacker.stream
                        ? result_ok()
                        : result_no_memory("a stored state", room + run);
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
    FileTail tail;
    *out = (StateBlocks){0};
    TRY(check_whole(path, bytes, size, &tail));
    return unpack(path, (const uint8_t *)bytes + sizeof(FileHead), size - sizeof(FileHead) - sizeof tail,
                  tail.total, BLOCKS_MAX, out);
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

bool block_file_is_whole(const char *path)
{
    char *bytes;
    size_t size;
    FileTail tail;
    Result result = cursor_read_file(path, block_file_recognize, &bytes, &size);
    if (!result_is_ok(&result)) return false;
    result = check_whole(path, (const uint8_t *)bytes, size, &tail);
    memory_free(bytes);
    return result_is_ok(&result);
}

Result block_file_peek(const char *path, uint32_t blocks, StateBlocks *out)
{
    FILE *file;
    *out = (StateBlocks){0};
    TRY(regular_file_open_stream(path, path, &file));
    uint8_t *head = memory_allocate(PEEK_BYTES);
    size_t size = head ? fread(head, 1, PEEK_BYTES, file) : 0;
    Result result = !head          ? result_no_memory("a stored state", PEEK_BYTES)
                    : ferror(file) ? result_error(RESULT_FAILED, "%s: %s", path, strerror(errno))
                                   : check_head(path, head, size);
    fclose(file);
    if (result_is_ok(&result))
        result = unpack(path, head + sizeof(FileHead), size - sizeof(FileHead), PEEK_BYTES, blocks, out);
    memory_free(head);
    return result;
}
