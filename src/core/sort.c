#include "core/sort.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/round.h"

#include <stdbool.h>
#include <string.h>

// Least significant digit first, in as few rounds as digits of at most 12 bits allow: their 4096 counters
// stay in the L1 cache.
#define DIGIT_BITS 12u
#define DIGITS (1u << DIGIT_BITS)
#define BLOCK 32768u

Result sort_buffers_reserve(SortBuffers *buffers, uint32_t count)
{
    if (count > buffers->capacity) {
        size_t capacity = (size_t)count + count / 8;
        sort_buffers_free(buffers);
        for (int k = 0; k < 2; k++) {
            buffers->keys[k] = memory_allocate(capacity * sizeof(uint64_t));
            buffers->order[k] = memory_allocate(capacity * sizeof(uint32_t));
            if (!buffers->keys[k] || !buffers->order[k]) {
                sort_buffers_free(buffers);
                return result_no_memory("sorting particles", capacity * 24ull);
            }
        }
        buffers->capacity = capacity;
    }
    size_t blocks = groups_of(buffers->capacity, BLOCK) + 1;
    return MEMORY_RESERVE(buffers->histogram, buffers->histogram_capacity, 0, blocks * DIGITS,
                          "sorting particles");
}

void sort_buffers_free(SortBuffers *buffers)
{
    for (int k = 0; k < 2; k++) {
        memory_free(buffers->keys[k]);
        memory_free(buffers->order[k]);
    }
    memory_free(buffers->histogram);
    *buffers = (SortBuffers){0};
}

uint64_t sort_buffers_bytes(const SortBuffers *buffers)
{
    return buffers->capacity * 2 * (sizeof(uint64_t) + sizeof(uint32_t)) +
           buffers->histogram_capacity * sizeof(uint32_t);
}

typedef struct DigitPass {
    const uint64_t *keys_in;
    const uint32_t *order_in;
    uint64_t *keys_out;
    uint32_t *order_out;
    uint32_t *histogram; // DIGITS counters a block
    unsigned shift;
    uint32_t digits; // of this round
} DigitPass;

static void count_digits(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const DigitPass *pass = context;
    uint32_t *counters = pass->histogram + (size_t)(begin / BLOCK) * DIGITS;
    uint32_t mask = pass->digits - 1;
    memset(counters, 0, pass->digits * sizeof *counters);
    for (uint32_t i = begin; i < end; i++) counters[(pass->keys_in[i] >> pass->shift) & mask]++;
}

static void scatter_digits(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const DigitPass *pass = context;
    uint32_t *next = pass->histogram + (size_t)(begin / BLOCK) * DIGITS, mask = pass->digits - 1;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t to = next[(pass->keys_in[i] >> pass->shift) & mask]++;
        pass->keys_out[to] = pass->keys_in[i];
        pass->order_out[to] = pass->order_in[i];
    }
}

// Counts become the first slot of every digit in every block: digits outside, blocks inside, hence stable.
static void histogram_to_offsets(uint32_t *histogram, uint32_t digits, uint32_t blocks)
{
    uint32_t sum = 0;
    for (uint32_t digit = 0; digit < digits; digit++) {
        for (uint32_t block = 0; block < blocks; block++) {
            uint32_t *counter = &histogram[(size_t)block * DIGITS + digit];
            uint32_t here = *counter;
            *counter = sum;
            sum += here;
        }
    }
}

// Comparison of a block's keys with each other and with the next block's first key.
typedef struct Scan {
    uint64_t differing; // bits
    bool descends;
} Scan;

typedef struct ScanJob {
    SortBuffers *buffers;
    uint32_t count;
} ScanJob;

// Stored where the block's counters will be.
static Scan *scan_of(const ScanJob *job, uint32_t begin)
{
    return (Scan *)(void *)(job->buffers->histogram + (size_t)(begin / BLOCK) * DIGITS);
}

static void scan_keys(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const ScanJob *job = context;
    const uint64_t *keys = job->buffers->keys[0];
    uint32_t *order = job->buffers->order[0];
    uint64_t differing = 0;
    uint32_t descents = 0, last = end < job->count ? end : job->count - 1;
    for (uint32_t i = begin; i < end; i++) order[i] = i;
    for (uint32_t i = begin; i < last; i++) {
        differing |= keys[i] ^ keys[i + 1];
        descents += keys[i] > keys[i + 1];
    }
    *scan_of(job, begin) = (Scan){differing, descents > 0};
}

static void sort_round(SortBuffers *buffers, uint32_t count, unsigned shift, unsigned bits)
{
    DigitPass pass = {buffers->keys[0],  buffers->order[0],  buffers->keys[1],
                      buffers->order[1], buffers->histogram, shift,
                      1u << bits};
    parallel_for(count, BLOCK, count_digits, &pass);
    histogram_to_offsets(buffers->histogram, pass.digits, groups_of(count, BLOCK));
    parallel_for(count, BLOCK, scatter_digits, &pass);
    uint64_t *keys = buffers->keys[0];
    buffers->keys[0] = buffers->keys[1];
    buffers->keys[1] = keys;
    uint32_t *places = buffers->order[0];
    buffers->order[0] = buffers->order[1];
    buffers->order[1] = places;
}

void sort_order(SortBuffers *buffers, uint32_t count, const uint32_t **order)
{
    CHECK(count <= buffers->capacity);
    ScanJob job = {buffers, count};
    Scan all = {0};
    parallel_for(count, BLOCK, scan_keys, &job);
    for (uint32_t begin = 0; begin < count; begin += BLOCK) {
        all.differing |= scan_of(&job, begin)->differing;
        all.descends |= scan_of(&job, begin)->descends;
        if (count - begin <= BLOCK) break;
    }
    unsigned low = 0, high = 64;
    while (low < 64 && !(all.differing >> low & 1)) low++;
    while (high > low && !(all.differing >> (high - 1) & 1)) high--;
    unsigned rounds = (high - low + DIGIT_BITS - 1) / DIGIT_BITS;
    for (unsigned left = rounds; all.descends && left > 0; left--) {
        unsigned bits = (high - low + left - 1) / left;
        if (all.differing >> low & ((UINT64_C(1) << bits) - 1)) sort_round(buffers, count, low, bits);
        low += bits;
    }
    *order = buffers->order[0];
}
