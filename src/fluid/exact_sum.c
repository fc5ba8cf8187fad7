#include "fluid/exact_sum.h"

#include <math.h>
#include <string.h>

#define LOWEST (-224) // the exponent of the lowest bit
#define HIGHEST (LOWEST + 32 * EXACT_SUM_LIMBS)

void exact_sum_add(ExactSum *sum, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1075; // of the lowest bit of the 53
    uint64_t digits = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    if (exponent + 53 <= LOWEST) return; // with 0 and what is nearly that
    if (exponent + 53 > HIGHEST) exponent = HIGHEST - 53;
    if (exponent < LOWEST) digits >>= LOWEST - exponent, exponent = LOWEST;
    uint32_t at = (uint32_t)(exponent - LOWEST), limb = at / 32, shift = at % 32;
    uint64_t low = digits << shift, high = shift ? digits >> (64 - shift) : 0;
    int64_t sign = bits >> 63 ? -1 : 1;
    const uint64_t part[3] = {low & 0xffffffffu, low >> 32, high};
    for (uint32_t k = 0; k < 3 && limb + k < EXACT_SUM_LIMBS; k++)
        sum->limb[limb + k] += sign * (int64_t)part[k];
}

void exact_sum_join(ExactSum *sum, const ExactSum *part)
{
    for (int k = 0; k < EXACT_SUM_LIMBS; k++)
        if (part->limb[k]) __atomic_fetch_add(&sum->limb[k], part->limb[k], __ATOMIC_RELAXED);
}

double exact_sum_total(const ExactSum *sum)
{
    // Limbs of one sign alone, so that nothing cancels: its digits, all but the highest limb from 0 to 2^32
    // - 1.
    int64_t digit[EXACT_SUM_LIMBS], carry = 0;
    for (int k = 0; k < EXACT_SUM_LIMBS; k++) {
        int64_t all = sum->limb[k] + carry;
        digit[k] = k + 1 < EXACT_SUM_LIMBS ? all & 0xffffffff : all;
        carry = (all - (all & 0xffffffff)) / INT64_C(0x100000000);
    }
    bool negative = digit[EXACT_SUM_LIMBS - 1] < 0;
    ExactSum turned;
    if (negative) {
        for (int k = 0; k < EXACT_SUM_LIMBS; k++) turned.limb[k] = -digit[k];
        return -exact_sum_total(&turned);
    }
    double total = 0.0;
    for (int k = 0; k < EXACT_SUM_LIMBS; k++) total += ldexp((double)digit[k], LOWEST + 32 * k);
    return total;
}
