// Locale-independent numbers as text: always the C locale, so that scenes and files keep their decimal points
// inside a host program that has set another one. Otherwise as the C library's functions of the same names.
#ifndef PBF_CORE_C_LOCALE_H
#define PBF_CORE_C_LOCALE_H

#include <stdarg.h>
#include <stddef.h>

double c_strtod(const char *text, char **end);
int c_snprintf(char *out, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
int c_vsnprintf(char *out, size_t bytes, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
