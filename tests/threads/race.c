// Two races on purpose, to prove that the thread sanitizer would tell: blocks of a loop that write the same
// number, and a block that reads what its neighbor writes. usage: race write|read
#include "core/parallel.h"

#include <stdio.h>
#include <string.h>

#define COUNT 4096u
#define GRAIN 64u

static float numbers[COUNT + 1];
static float sum;

static void add(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker, (void)context;
    for (uint32_t k = begin; k < end; k++) sum += numbers[k];
}

// What a pass does that is not Jacobi's: it reads the numbers it writes.
static void smooth(uint32_t begin, uint32_t end, uint32_t worker, void *context)
{
    (void)worker, (void)context;
    for (uint32_t k = begin; k < end; k++) numbers[k] = 0.5f * (numbers[k] + numbers[k + 1]);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    parallel_set_workers(4);
    for (int round = 0; round < 10; round++)
        parallel_for(COUNT, GRAIN, strcmp(argv[1], "write") == 0 ? add : smooth, NULL);
    printf("%g\n", (double)(sum + numbers[0]));
    return 0;
}
