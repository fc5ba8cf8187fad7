// Random numbers of a path: Sobol points of two dimensions, Owen-scrambled and shuffled by hashes for each
// further pair of dimensions (Burley 2020, "Practical Hash-based Owen Scrambling"). A number depends on seed,
// index of the sample and dimension alone: not on threads, nor on what was drawn before. Pixels of a film
// share one table of such points, each pixel with bits of its own flipped, which keeps them as even
// (Kollig and Keller 2002, "Efficient Multidimensional Sampling").
#ifndef PBF_PHOTO_SAMPLER_H
#define PBF_PHOTO_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAMPLER_ROWS = 1024, SAMPLER_PAIRS = 24 };

// The first dimensions of the first samples.
typedef struct SamplerTable {
    uint32_t row[SAMPLER_ROWS][2 * SAMPLER_PAIRS];
} SamplerTable;

typedef struct PathSampler {
    uint32_t seed;           // of a pixel
    uint32_t reversed_index; // of the sample, bits in reverse order
    uint32_t dimension;      // pairs that were drawn
    const uint32_t *row;     // of a table; NULL: none
} PathSampler;

// Mixes all bits (Wellons, hash-prospector).
static inline uint32_t sampler_hash(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static inline uint32_t sampler_hash2(uint32_t a, uint32_t b)
{
    return sampler_hash(a ^ sampler_hash(b + 0x9e3779b9u));
}

static inline uint32_t sampler_reversed(uint32_t x)
{
    x = __builtin_bswap32(x);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    return (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
}

// Owen scrambling of a number whose bits are in reverse order (Laine and Karras 2011, constants by Vegdahl).
static inline uint32_t sampler_scrambled(uint32_t x, uint32_t seed)
{
    x ^= x * 0x3d20adeau;
    x += seed;
    x *= seed >> 16 | 1;
    x ^= x * 0x05526c56u;
    x ^= x * 0x53a22864u;
    return x;
}

// The second dimension of Sobol's sequence, bits in reverse order: Pascal's triangle modulo 2 times the
// index.
static inline uint32_t sampler_pascal(uint32_t x)
{
    x ^= x >> 1 & 0x55555555u;
    x ^= x >> 2 & 0x33333333u;
    x ^= x >> 4 & 0x0f0f0f0fu;
    x ^= x >> 8 & 0x00ff00ffu;
    return x ^ (x >> 16 & 0x0000ffffu);
}

static inline float sampler_unit(uint32_t x)
{
    return (float)(x >> 8) * 0x1p-24f;
}

static inline PathSampler sampler_make(uint32_t seed, uint32_t index)
{
    return (PathSampler){seed, sampler_reversed(index), 0, NULL};
}

// The same by a table, which has to outlive it. Every SAMPLER_ROWS samples are even among themselves.
static inline PathSampler sampler_by_table(const SamplerTable *table, uint32_t seed, uint32_t index)
{
    if (index >= SAMPLER_ROWS) seed = sampler_hash2(seed, index / SAMPLER_ROWS);
    return (PathSampler){seed, sampler_reversed(index), 0, table->row[index % SAMPLER_ROWS]};
}

static inline bool sampler_has_row(const PathSampler *sampler)
{
    return sampler->row && sampler->dimension < SAMPLER_PAIRS;
}

// The next pair of the table; *flips: of its first number.
static inline const uint32_t *sampler_next_pair(PathSampler *sampler, uint32_t *flips)
{
    *flips = sampler_hash(sampler->seed + sampler->dimension * 0x9e3779b9u);
    return sampler->row + 2 * sampler->dimension++;
}

// The sample's place in the order of the next pair of dimensions; *seed: of that pair.
static inline uint32_t sampler_next(PathSampler *sampler, uint32_t *seed)
{
    *seed = sampler_hash(sampler->seed + sampler->dimension++ * 0x9e3779b9u);
    return sampler_reversed(sampler_scrambled(sampler->reversed_index, *seed));
}

// Two numbers in [0, 1).
static inline void sampler_pair(PathSampler *sampler, float *u, float *v)
{
    uint32_t seed;
    if (sampler_has_row(sampler)) {
        const uint32_t *pair = sampler_next_pair(sampler, &seed);
        *u = sampler_unit(pair[0] ^ seed);
        *v = sampler_unit(pair[1] ^ seed * 0x297a2d39u);
        return;
    }
    uint32_t index = sampler_next(sampler, &seed);
    *u = sampler_unit(sampler_reversed(sampler_scrambled(index, seed * 0x2c1b3c6du + 1)));
    *v = sampler_unit(sampler_reversed(sampler_scrambled(sampler_pascal(index), seed * 0x297a2d39u + 2)));
}

// A number for what is decided by chance outside of the sequence; not 0.
static inline uint32_t sampler_chance(const PathSampler *sampler)
{
    return sampler_hash2(sampler->seed + sampler->dimension * 0x9e3779b9u, sampler->reversed_index) | 1;
}

static inline float sampler_one(PathSampler *sampler)
{
    uint32_t seed;
    if (sampler_has_row(sampler)) {
        uint32_t first = *sampler_next_pair(sampler, &seed);
        return sampler_unit(first ^ seed);
    }
    uint32_t index = sampler_next(sampler, &seed);
    return sampler_unit(sampler_reversed(sampler_scrambled(index, seed * 0x2c1b3c6du + 1)));
}

static inline void sampler_table_fill(SamplerTable *table)
{
    for (uint32_t k = 0; k < SAMPLER_ROWS; k++) {
        for (uint32_t d = 0; d < SAMPLER_PAIRS; d++) {
            PathSampler sampler = {0, sampler_reversed(k), d, NULL};
            uint32_t seed, index = sampler_next(&sampler, &seed), *pair = table->row[k] + 2 * d;
            pair[0] = sampler_reversed(sampler_scrambled(index, seed * 0x2c1b3c6du + 1));
            pair[1] = sampler_reversed(sampler_scrambled(sampler_pascal(index), seed * 0x297a2d39u + 2));
        }
    }
}

#endif
