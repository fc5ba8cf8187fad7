// Reads memory that was never written: proves that the sanitizer sees it in what core/memory.h hands out.
#include "core/memory.h"

#include <stdio.h>

int main(void)
{
    float *numbers = memory_allocate(4 * sizeof *numbers);
    if (numbers && numbers[2] > 1.0f) puts("more than one");
    memory_free(numbers);
    return 0;
}
