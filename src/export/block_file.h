// Named blocks in one file: compressed with zstd, little-endian, with a checksum over every byte. Like all
// files of the program it appears under its name only when it is complete.
//
//   8 bytes    "\x89PBF\r\n\x1a\n": reveals text transfers and truncated files at once
//   4          version of this layout, 1
//   ...        one zstd stream: for each block its name (24 bytes, NUL-padded), type (4), count (8), numbers
//   8          bytes of that stream before compression
//   8          hash (core/hash.h) of everything before it
//
// Numbers are stored in runs of 65,536 whose first bytes come first, then the second ones, and so on
// (byte shuffle): the exponents of floats lie together, and compress better.
#ifndef PBF_EXPORT_BLOCK_FILE_H
#define PBF_EXPORT_BLOCK_FILE_H

#include "core/blocks.h"

#include <stdbool.h>

// Errors: RESULT_FAILED naming path and reason, RESULT_NO_MEMORY.
Result block_file_write(const char *path, const StateBlocks *blocks);

// Makes the bytes of such a file in memory: a new block, freed with memory_free. Error: RESULT_NO_MEMORY.
Result block_file_pack(const StateBlocks *blocks, void **bytes, size_t *size);

#define BLOCK_FILE_MAGIC "\x89PBF\r\n\x1a\n" // 8 bytes

// Does a file begin like a block file?
bool block_file_recognize(const void *head, size_t bytes);

// Reads a file whole; the blocks own their numbers, which are unpacked straight to where they stay. Refuses
// files that are truncated, damaged, of another version, or claim more than memory holds. Errors:
// RESULT_USAGE "FILE: what is wrong", RESULT_FAILED if reading breaks off, RESULT_NO_MEMORY. Free with
// blocks_free.
Result block_file_read(const char *path, StateBlocks *out);

// Is it a file that is there, whole and undamaged? It is read to its end, but not unpacked.
bool block_file_is_whole(const char *path);

// Reads the first blocks of a file, which together take 64 kB at most, without looking at the rest: a file
// that is damaged further on is taken. Errors as above.
Result block_file_peek(const char *path, uint32_t blocks, StateBlocks *out);

// Parses a file's bytes; path is for messages. Errors as above.
Result block_file_parse(const char *path, const void *bytes, size_t size, StateBlocks *out);

#endif
