// The multiply-add loop of ceilings.h. Included by ceiling_*.c, which differ in their compiler flags alone;
// CEILING_FLOPS names the function.
#define LANES_FAST
#include "ceilings.h"
#include "core/lanes.h"

// As many independent chains as registers hold, at least as many as the units have stages.
#if defined(__AVX512F__)
#define CHAINS 10
#elif defined(__AVX2__)
#define CHAINS 6
#else
#define CHAINS 3
#endif

double CEILING_FLOPS(long rounds, float *sink)
{
    Lanes chain[CHAINS], a = lanes_set(0.999f), b = lanes_set(0.1f);
    for (int k = 0; k < CHAINS; k++) chain[k] = lanes_set((float)k);
    for (long round = 0; round < rounds; round++) {
        for (int k = 0; k < CHAINS; k++) chain[k] = lanes_mul_add(chain[k], a, b);
    }
    for (int k = 0; k < CHAINS; k++) *sink += lanes_sum(chain[k]);
    return 2.0 * LANES * CHAINS * (double)rounds;
}
