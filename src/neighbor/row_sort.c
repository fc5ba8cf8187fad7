#include "neighbor/row_sort.h"

#include <string.h>

// End of the ascending run that starts at `begin`.
static uint32_t run_end(const uint32_t *row, uint32_t begin, uint32_t count)
{
    uint32_t end = begin + 1;
    while (end < count && row[end - 1] <= row[end]) end++;
    return end;
}

static void merge(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count, uint32_t *out)
{
    const uint32_t *a_end = a + a_count, *b_end = b + b_count;
    while (a < a_end && b < b_end) {
        uint32_t from_a = *a <= *b;
        *out++ = from_a ? *a : *b;
        a += from_a;
        b += !from_a;
    }
    memcpy(out, a, (size_t)(a_end - a) * sizeof *a);
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

void row_sort(uint32_t *row, uint32_t count, uint32_t *spare)
{
    uint32_t descents = 0;
    for (uint32_t k = 1; k < count; k++) descents += row[k - 1] > row[k];
    if (descents == 0) return;
    uint32_t *from = row, *to = spare;
    for (uint32_t runs = descents + 1; runs > 1; runs = (runs + 1) / 2) {
        for (uint32_t at = 0; at < count;) {
            uint32_t middle = run_end(from, at, count);
            uint32_t end = middle < count ? run_end(from, middle, count) : count;
            merge(from + at, middle - at, from + middle, end - middle, to + at);
            at = end;
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != row) memcpy(row, from, count * sizeof *row);
}
