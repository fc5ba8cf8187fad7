#include "core/hash.h"

#include <string.h>

#define HASH_PRIME UINT64_C(0x100000001b3)

static uint64_t fold(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * HASH_PRIME;
    return hash ^ (hash >> 32); // without it a word's high bits never reach the low half
}

uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (; bytes >= 8; bytes -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = fold(hash, word);
    }
    for (; bytes > 0; bytes--, at++) hash = fold(hash, *at);
    return hash;
}
