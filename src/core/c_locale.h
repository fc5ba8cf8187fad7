// Numbers as text in the C locale, whatever locale the process has: scenes and files keep their decimal
// points inside of a host program that has set another one. As their namesakes of the C library otherwise.
#ifndef PBF_CORE_C_LOCALE_H
#define PBF_CORE_C_LOCALE_H

#include <stdarg.h>
#include <stddef.h>

double c_strtod(const char *text, char **end);
int c_snprintf(char *out, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
int c_vsnprintf(char *out, size_t bytes, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
