// Medians.
#ifndef PBF_CORE_MEDIAN_H
#define PBF_CORE_MEDIAN_H

#include <stdint.h>

// Sorts numbers, the smallest first.
void sort_numbers(double *values, uint32_t count);

// Sorts numbers, one at least, and returns their median: of an even count the mean of the two in the middle.
double median(double *values, uint32_t count);

#endif
