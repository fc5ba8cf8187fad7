#include "core/result.h"

#include "core/c_locale.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

Result result_error(ResultCode code, const char *format, ...)
{
    Result result = {.code = code};
    va_list arguments;
    va_start(arguments, format);
    c_vsnprintf(result.text, sizeof result.text, format, arguments);
    va_end(arguments);
    for (char *c = result.text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    }
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
