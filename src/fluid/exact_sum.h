// Sums of doubles without rounding: the same bits in any order, and in any parts.
#ifndef PBF_FLUID_EXACT_SUM_H
#define PBF_FLUID_EXACT_SUM_H

#include <stdbool.h>
#include <stdint.h>

// A number in fixed point, 32 bits a limb, lowest first. Limbs of parts may be added one by one, up to 2^30
// summands in all. What is below 2^-224 of a summand is cut off; those of 2^160 and more, and what is not a
// number, count as that.
#define EXACT_SUM_LIMBS 12
typedef struct ExactSum {
    int64_t limb[EXACT_SUM_LIMBS];
} ExactSum;

void exact_sum_add(ExactSum *sum, double number);

// Adds a part; threads may do so at once.
void exact_sum_join(ExactSum *sum, const ExactSum *part);

// What the sum is, rounded.
double exact_sum_total(const ExactSum *sum);

#endif
