#include "core/clock.h"

#include <stdio.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double clock_seconds(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double clock_processor_seconds(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double clock_waited_seconds(void)
{
    double waited = 0.0; // ns
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (!file) return 0.0;
    if (fscanf(file, "%*s %lf", &waited) != 1) waited = 0.0;
    fclose(file);
    return 1e-9 * waited;
}
