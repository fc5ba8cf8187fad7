#include "core/nearest.h"

#include <stdbool.h>
#include <string.h>

#define TEXT_MAX 40

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// Optimal string alignment distance: Levenshtein's with swapped neighbors counted once.
static uint32_t edit_distance(const char *a, const char *b)
{
    uint32_t rows[3][TEXT_MAX + 1];
    uint32_t na = (uint32_t)strlen(a), nb = (uint32_t)strlen(b);
    uint32_t *before = rows[0], *last = rows[1], *row = rows[2];
    if (na > TEXT_MAX || nb > TEXT_MAX) return UINT32_MAX;
    for (uint32_t j = 0; j <= nb; j++) last[j] = before[j] = j;
    for (uint32_t i = 1; i <= na; i++) {
        row[0] = i;
        for (uint32_t j = 1; j <= nb; j++) {
            uint32_t change = last[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(change, 1 + least(last[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        uint32_t *oldest = before;
        before = last, last = row, row = oldest;
    }
    return last[nb];
}

const char *nearest_name(const char *text, NearestNames *names, const void *context)
{
    const char *best = NULL;
    uint32_t best_distance = (uint32_t)strlen(text) / 3 + 2;
    for (uint32_t k = 0; names(k, context); k++) {
        const char *name = names(k, context);
        bool begins = *text && strncmp(name, text, strlen(text)) == 0;
        uint32_t distance = begins ? 1 : edit_distance(text, name);
        if (distance < best_distance) best = name, best_distance = distance;
    }
    return best;
}
