#include "command/number.h"

#include "core/c_locale.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool number_parse(const char *text, double *out)
{
    if (!*text || text[strspn(text, "0123456789+-.eE")] != '\0') return false;
    char *end;
    *out = c_strtod(text, &end);
    return *end == '\0' && isfinite(*out);
}

Result number_real(const char *where, const char *text, double lo, bool including_lo, double hi, double *out)
{
    bool parsed = number_parse(text, out);
    if (parsed && (including_lo ? *out >= lo : *out > lo) && *out <= hi) return result_ok();
    return result_error(RESULT_USAGE, "%s: \"%.60s\" %s (a number %s %g and at most %g)", where, text,
                        parsed ? "is out of range" : "is not a number",
                        including_lo ? "from" : "greater than", lo, hi);
}

Result number_whole(const char *where, const char *text, uint32_t lo, uint32_t hi, uint32_t *out)
{
    bool digits = *text && text[strspn(text, "0123456789")] == '\0';
    errno = 0;
    unsigned long long value = digits ? strtoull(text, NULL, 10) : 0;
    if (digits && errno == 0 && value >= lo && value <= hi) {
        *out = (uint32_t)value;
        return result_ok();
    }
    return result_error(RESULT_USAGE, "%s: \"%.60s\" %s (a whole number from %u to %u)", where, text,
                        digits ? "is out of range" : "is not a whole number", lo, hi);
}

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
