#include "neighbor/candidates.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "core/result.h"
#include "core/round.h"

#include <string.h>

const CandidateKernel *candidate_kernel(void)
{
    return CPU_VERSION(&candidate_kernel, cpu_level());
}

bool candidates_reserve(Candidates *list, uint64_t count)
{
    // The kernels write whole vectors, one of them behind the last candidate.
    uint64_t needed = count + 2 * CANDIDATES_LANES;
    return needed <= list->capacity || candidates_resize(list, needed + needed / 4);
}

// Scratch for sorting: a copy of each candidate and two keys.
typedef struct CandidateSpare {
    float *x, *y, *z;
    uint64_t *keys[2];
} CandidateSpare;

bool candidates_resize(Candidates *list, uint64_t capacity)
{
    if (capacity <= list->capacity) return true;
    capacity = round_up(capacity, CANDIDATES_LANES);
    unsigned char *block = NULL;
    if (capacity < SIZE_MAX / CANDIDATE_BYTES / 2) block = memory_allocate(64 + capacity * CANDIDATE_BYTES);
    if (!block) return false;
    Candidates old = *list;
    CandidateSpare *spare = (CandidateSpare *)(void *)block;
    float *stream = (float *)(void *)(block + 64);
    spare->keys[0] = (uint64_t *)(void *)(stream + 7 * capacity);
    spare->keys[1] = spare->keys[0] + capacity;
    spare->x = stream + 4 * capacity;
    spare->y = stream + 5 * capacity;
    spare->z = stream + 6 * capacity;
    *list = (Candidates){.x = stream,
                         .y = stream + capacity,
                         .z = stream + 2 * capacity,
                         .index = (uint32_t *)(void *)(stream + 3 * capacity),
                         .spare = spare,
                         .count = old.count,
                         .capacity = capacity};
    if (old.count > 0) {
        memcpy(list->x, old.x, old.count * sizeof(float));
        memcpy(list->y, old.y, old.count * sizeof(float));
        memcpy(list->z, old.z, old.count * sizeof(float));
        memcpy(list->index, old.index, old.count * sizeof(uint32_t));
    }
    memory_free(old.spare); // the block's beginning
    return true;
}

void candidates_free(Candidates *list)
{
    memory_free(list->spare); // the block's beginning
    *list = (Candidates){0};
}

#define DIGIT_BITS 7u
#define DIGITS (1u << DIGIT_BITS)
#define INSERTION_MAX 24u

static void insertion_sort(uint64_t *keys, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        uint64_t key = keys[k];
        uint32_t at = k;
        for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

// Sorts by the upper halves, least significant digit first; small digits, because a list has only a few
// hundred entries and counters must not outnumber them. Returns where the result is.
static uint64_t *radix_sort(uint64_t *from, uint64_t *to, uint32_t count, uint32_t range)
{
    for (uint32_t shift = 0; shift < 32 && (range >> shift) > 0; shift += DIGIT_BITS) {
        uint32_t next[DIGITS] = {0};
        for (uint32_t k = 0; k < count; k++) next[(from[k] >> (32 + shift)) & (DIGITS - 1)]++;
        for (uint32_t digit = 0, sum = 0; digit < DIGITS; digit++) {
            uint32_t here = next[digit];
            next[digit] = sum;
            sum += here;
        }
        for (uint32_t k = 0; k < count; k++) to[next[(from[k] >> (32 + shift)) & (DIGITS - 1)]++] = from[k];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

void candidates_sort(Candidates *list)
{
    CandidateSpare *spare = list->spare;
    uint32_t count = list->count, low = UINT32_MAX, high = 0;
    for (uint32_t k = 0; k < count; k++) {
        low = list->index[k] < low ? list->index[k] : low;
        high = list->index[k] > high ? list->index[k] : high;
    }
    uint64_t *keys = spare->keys[0];
    for (uint32_t k = 0; k < count; k++) keys[k] = (uint64_t)(list->index[k] - low) << 32 | k;
    if (count <= INSERTION_MAX)
        insertion_sort(keys, count);
    else
        keys = radix_sort(keys, spare->keys[1], count, high - low);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t from = (uint32_t)keys[k];
        spare->x[k] = list->x[from];
        spare->y[k] = list->y[from];
        spare->z[k] = list->z[from];
        list->index[k] = (uint32_t)(keys[k] >> 32) + low;
    }
    memcpy(list->x, spare->x, count * sizeof(float));
    memcpy(list->y, spare->y, count * sizeof(float));
    memcpy(list->z, spare->z, count * sizeof(float));
}

uint32_t candidates_position(const Candidates *list, uint32_t index, uint32_t hint)
{
    for (uint32_t k = hint; k < list->count; k++) {
        if (list->index[k] == index) return k;
    }
    for (uint32_t k = 0; k < hint; k++) {
        if (list->index[k] == index) return k;
    }
    CHECK(!"the point is among its own candidates");
    return 0;
}
