#include "command/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

char *number_grouped(uint64_t number, char *out)
{
    char plain[24];
    int digits = snprintf(plain, sizeof plain, "%" PRIu64, number);
    char *to = out;
    for (int k = 0; k < digits; k++) {
        if (k > 0 && (digits - k) % 3 == 0) *to++ = ',';
        *to++ = plain[k];
    }
    *to = '\0';
    return out;
}

char *number_grouped_real(double number, char *out)
{
    if (number < 1e15) return number_grouped((uint64_t)round(number), out);
    snprintf(out, 27, "%.3g", number);
    return out;
}

const char *number_in_bytes(uint64_t bytes, char text[24])
{
    bool many = bytes >= 1000000000;
    snprintf(text, 24, "%.1f %s", (double)bytes / (many ? 1e9 : 1e6), many ? "GB" : "MB");
    return text;
}
