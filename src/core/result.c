#include "core/result.h"

#include "core/c_locale.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// A terminal would obey control characters, those from U+0080 to U+009F as well.
static void mask_controls(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) *c++ = '?', *c = '?';
        if (*c < 0x20 || *c == 0x7f) *c = '?';
    }
}

Result result_error(ResultCode code, const char *format, ...)
{
    Result result = {.code = code};
    va_list arguments;
    va_start(arguments, format);
    c_vsnprintf(result.text, sizeof result.text, format, arguments);
    va_end(arguments);
    mask_controls(result.text);
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
