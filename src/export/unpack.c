// The only file that knows zlib.
#include "export/unpack.h"

#include "core/memory.h"

#include <limits.h>
#include <zlib.h>

#define STEP_BYTES ((size_t)1 << 20)
#define GZIP_WINDOW (15 + 16) // zlib's number for a gzip header and its largest window

bool unpack_zlib(const void *packed, size_t packed_bytes, void *out, size_t bytes)
{
    uLongf length = bytes;
    return uncompress(out, &length, packed, packed_bytes) == Z_OK && length == bytes;
}

// Adds to *out until the stream ends.
static Result inflate_all(const char *path, z_stream *stream, char **out, size_t *size)
{
    size_t capacity = 0;
    int state = Z_OK;
    while (state == Z_OK) {
        if (*size + STEP_BYTES > memory_available())
            return result_error(RESULT_NO_MEMORY, "%s: unpacked, it needs more memory than there is", path);
        TRY(MEMORY_RESERVE(*out, capacity, *size, *size + STEP_BYTES + 1, "the unpacked file"));
        stream->next_out = (Bytef *)*out + *size;
        stream->avail_out = STEP_BYTES;
        state = inflate(stream, Z_NO_FLUSH);
        *size += STEP_BYTES - stream->avail_out;
    }
    if (state != Z_STREAM_END)
        return result_error(RESULT_USAGE, "%s: is packed with gzip, and damaged or not complete", path);
    (*out)[*size] = '\0';
    return result_ok();
}

Result unpack_gzip(const char *path, const void *packed, size_t packed_bytes, char **out, size_t *size)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)packed, .avail_in = (uInt)packed_bytes};
    *out = NULL;
    *size = 0;
    if (packed_bytes > UINT_MAX)
        return result_error(RESULT_USAGE, "%s: is packed with gzip, and larger than 4 GB", path);
    if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK) return result_no_memory("unpacking", packed_bytes);
    Result result = inflate_all(path, &stream, out, size);
    inflateEnd(&stream);
    if (result_is_ok(&result)) return result;
    memory_free(*out);
    *out = NULL;
    return result;
}
