#include "core/median.h"

#include <stdlib.h>

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sort_numbers(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare_numbers);
}

double median(double *values, uint32_t count)
{
    sort_numbers(values, count);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}
