// What the benchmarks have in common.
#ifndef PBF_TOOLS_BENCH_BENCHING_H
#define PBF_TOOLS_BENCH_BENCHING_H

#include "core/median.h"
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

// The k-th argument as a number from 1 to `most`; `fallback` without one.
static inline uint32_t number(int count, char **arguments, int k, uint32_t fallback, uint32_t most)
{
    unsigned long value = k < count ? strtoul(arguments[k], NULL, 10) : fallback;
    return value < 1 ? fallback : value < most ? (uint32_t)value : most;
}

#endif
