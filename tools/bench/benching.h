// What the benchmarks have in common.
#ifndef PBF_TOOLS_BENCH_BENCHING_H
#define PBF_TOOLS_BENCH_BENCHING_H

#include "core/result.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Ends the program with the message if a result is an error.
static inline void stop_on_error(Result result)
{
    if (result_is_ok(&result)) return;
    fprintf(stderr, "bench: %s\n", result.text);
    exit(result_exit_status(&result));
}

static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts the values.
static inline double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

#endif
