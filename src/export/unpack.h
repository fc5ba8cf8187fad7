// Bytes that zlib has packed, unpacked.
#ifndef PBF_EXPORT_UNPACK_H
#define PBF_EXPORT_UNPACK_H

#include "core/result.h"

#include <stdbool.h>
#include <stddef.h>

// Most bytes that deflate packs into one.
#define UNPACK_RATIO 1032u

// Unpacks a zlib stream that holds exactly `bytes` bytes; false if it is damaged or holds another number.
bool unpack_zlib(const void *packed, size_t packed_bytes, void *out, size_t bytes);

// Unpacks a gzip file's bytes and adds a NUL; free *out with memory_free. path is for messages. Errors:
// RESULT_USAGE if they are damaged or end early, RESULT_NO_MEMORY.
Result unpack_gzip(const char *path, const void *packed, size_t packed_bytes, char **out, size_t *size);

#endif
