#include "core/sort.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

// Least significant digit first. 11 bits: two thousand counters stay in the first-level cache.
#define DIGIT_BITS 11
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
    size_t blocks = (buffers->capacity + BLOCK - 1) / BLOCK + 1;
    return memory_reserve((void **)&buffers->histogram, &buffers->histogram_capacity, 0, blocks * DIGITS,
                          sizeof(uint32_t), "sorting particles");
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
} DigitPass;

static void count_digits(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const DigitPass *pass = context;
    uint32_t *counters = pass->histogram + (size_t)(begin / BLOCK) * DIGITS;
    memset(counters, 0, DIGITS * sizeof *counters);
    for (uint32_t i = begin; i < end; i++) counters[(pass->keys_in[i] >> pass->shift) & (DIGITS - 1)]++;
}

static void scatter_digits(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker;
    const DigitPass *pass = context;
    uint32_t *next = pass->histogram + (size_t)(begin / BLOCK) * DIGITS;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t to = next[(pass->keys_in[i] >> pass->shift) & (DIGITS - 1)]++;
        pass->keys_out[to] = pass->keys_in[i];
        pass->order_out[to] = pass->order_in[i];
    }
}

// Counts become the first slot of every digit in every block: digits outside, blocks inside, hence stable.
static void histogram_to_offsets(uint32_t *histogram, uint32_t blocks)
{
    uint32_t sum = 0;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        for (uint32_t block = 0; block < blocks; block++) {
            uint32_t *counter = &histogram[(size_t)block * DIGITS + digit];
            uint32_t here = *counter;
            *counter = sum;
            sum += here;
        }
    }
}

void sort_order(SortBuffers *buffers, uint32_t count, const uint32_t **order)
{
    CHECK(count <= buffers->capacity);
    uint64_t differing = 0;
    int sorted = 1;
    for (uint32_t i = 0; i < count; i++) {
        buffers->order[0][i] = i;
        if (i > 0) {
            differing |= buffers->keys[0][i] ^ buffers->keys[0][i - 1];
            sorted &= buffers->keys[0][i - 1] <= buffers->keys[0][i];
        }
    }
    for (unsigned shift = 0; !sorted && shift < 64; shift += DIGIT_BITS) {
        if (((differing >> shift) & (DIGITS - 1)) == 0) continue;
        DigitPass pass = {buffers->keys[0],  buffers->order[0],  buffers->keys[1],
                          buffers->order[1], buffers->histogram, shift};
        parallel_for(count, BLOCK, count_digits, &pass);
        histogram_to_offsets(buffers->histogram, (count + BLOCK - 1) / BLOCK);
        parallel_for(count, BLOCK, scatter_digits, &pass);
        uint64_t *keys = buffers->keys[0];
        buffers->keys[0] = buffers->keys[1];
        buffers->keys[1] = keys;
        uint32_t *places = buffers->order[0];
        buffers->order[0] = buffers->order[1];
        buffers->order[1] = places;
    }
    *order = buffers->order[0];
}
