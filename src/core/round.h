// Whole numbers rounded up.
#ifndef PBF_CORE_ROUND_H
#define PBF_CORE_ROUND_H

#include <stdint.h>

// How many groups of `size` hold `count`, the last one maybe not full.
static inline uint64_t groups_of(uint64_t count, uint64_t size)
{
    return count / size + (count % size != 0);
}

// The next multiple of `step`.
static inline uint64_t round_up(uint64_t count, uint64_t step)
{
    return groups_of(count, step) * step;
}

#endif
