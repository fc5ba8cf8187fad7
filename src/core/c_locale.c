#include "core/c_locale.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t c_locale;

// Runs once; if memory is short, the process's locale stays in use.
static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t take_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_locale);
    return c_locale;
}

double c_strtod(const char *text, char **end)
{
    locale_t locale = take_locale();
    return locale ? strtod_l(text, end, locale) : strtod(text, end);
}

int c_vsnprintf(char *out, size_t bytes, const char *format, va_list arguments)
{
    locale_t before = uselocale(take_locale());
    int length = vsnprintf(out, bytes, format, arguments);
    uselocale(before);
    return length;
}

int c_snprintf(char *out, size_t bytes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = c_vsnprintf(out, bytes, format, arguments);
    va_end(arguments);
    return length;
}
