// A 64-bit hash of bytes (FNV-1a over 64-bit words, each step followed by a fold of the high half into the
// low one): for comparing states, not for security.
#ifndef PBF_CORE_HASH_H
#define PBF_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

// Folds `bytes` bytes at data into hash; start with HASH_START. A change of a single aligned word always
// changes the hash. How the data is split over calls matters only where a piece is not a multiple of 8 bytes.
// Words are little-endian (core/cpu.h), so hashes in files hold on every machine.
uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes);

#endif
