#include "core/result.h"

#include "core/c_locale.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Bytes of the UTF-8 character that begins there, 0 if none does.
static uint32_t character_bytes(const unsigned char *at)
{
    uint32_t bytes = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (at[0] > 0xf4) bytes = 0;
    for (uint32_t k = 1; k < bytes; k++)
        if ((at[k] & 0xc0) != 0x80) return 0;
    return bytes;
}

void text_mask_controls(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at;) {
        uint32_t bytes = character_bytes(at);
        bool control = at[0] < 0x20 || at[0] == 0x7f || (bytes == 2 && at[0] == 0xc2 && at[1] < 0xa0);
        if (bytes == 0) bytes = 1, control = at[0] < 0xa0;
        for (; bytes > 0; bytes--, at++)
            if (control) *at = '?';
    }
}

const char *text_masked(const char *text, char *copy, size_t size)
{
    snprintf(copy, size, "%s", text);
    text_mask_controls(copy);
    return copy;
}

Result result_error(ResultCode code, const char *format, ...)
{
    Result result = {.code = code};
    va_list arguments;
    va_start(arguments, format);
    c_vsnprintf(result.text, sizeof result.text, format, arguments);
    va_end(arguments);
    text_mask_controls(result.text);
    return result;
}

Result result_no_memory(const char *what, unsigned long long bytes)
{
    return result_error(RESULT_NO_MEMORY, "out of memory: %s needs %.1f MB", what, (double)bytes / 1e6);
}

int result_exit_status(const Result *result)
{
    switch (result->code) {
    case RESULT_OK:
        return 0;
    case RESULT_USAGE:
        return 2;
    case RESULT_FAILED:
    case RESULT_NO_MEMORY:
    case RESULT_STOPPED:
        return 1;
    }
    return 1;
}

_Noreturn void check_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "pbf: %s:%d: internal error: %s does not hold\n", file, line, condition);
    abort();
}
