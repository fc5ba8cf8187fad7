// Random numbers that depend on their seed alone: SplitMix64 (Steele, Lea and Flood 2014), one 64-bit state,
// any seed is good.
#ifndef PBF_CORE_RANDOM_H
#define PBF_CORE_RANDOM_H

#include <stdint.h>

// The next number of the sequence, 0 <= number < 1.
static inline double random_unit(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

// lo <= number < hi, to rounding.
static inline float random_between(uint64_t *state, float lo, float hi)
{
    return lo + (hi - lo) * (float)random_unit(state);
}

#endif
