#include "vtp_file_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The next `bytes` bytes of base64, behind which no digit may be left.
static const char *decode(const char *at, uint8_t *to, uint64_t bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (uint64_t done = 0; done < bytes; done += 3) {
        uint32_t bits = 0;
        for (uint64_t k = 0; k < 4; k++, at++) {
            bool filling = done + k > bytes; // one digit more than bytes
            const char *digit = *at ? strchr(digits, *at) : NULL;
            if (filling ? *at != '=' : !digit) return NULL;
            bits = bits << 6 | (filling ? 0 : (uint32_t)(digit - digits));
        }
        for (uint64_t k = 0; k < 3 && done + k < bytes; k++) to[done + k] = (uint8_t)(bits >> (16 - 8 * k));
    }
    return at;
}

bool test_vtp_array(const char *text, const char *name, uint64_t bytes, void *to)
{
    static const char closing[] = "\n</DataArray>\n";
    char word[80];
    snprintf(word, sizeof word, "Name=\"%s\"", name);
    const char *tag = strstr(text, word), *data = tag ? strstr(tag, " format=\"binary\">\n") : NULL;
    if (!data || data > strchr(tag, '>')) return false;
    uint8_t *decoded = malloc(8 + bytes);
    const char *end = decode(strchr(data, '\n') + 1, decoded, 8 + bytes);
    uint64_t length = 0;
    memcpy(&length, decoded, sizeof length);
    bool right = end && length == bytes && strncmp(end, closing, sizeof closing - 1) == 0;
    if (right && bytes > 0) memcpy(to, decoded + 8, bytes);
    free(decoded);
    return right;
}
