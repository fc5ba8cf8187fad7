// Numbers from the command line: the whole text must be a finite number in range.
#ifndef PBF_COMMAND_NUMBER_H
#define PBF_COMMAND_NUMBER_H

#include "core/result.h"

#include <stdbool.h>
#include <stdint.h>

// A decimal number; no hexadecimal, no infinity, no NaN, nothing before or behind it.
bool number_parse(const char *text, double *out);

// A number in (lo, hi], or in [lo, hi] if including_lo. Error: RESULT_USAGE "WHERE: "TEXT" is not ... (...)".
Result number_real(const char *where, const char *text, double lo, bool including_lo, double hi, double *out);

// A whole number in [lo, hi].
Result number_whole(const char *where, const char *text, uint32_t lo, uint32_t hi, uint32_t *out);

// 1234567 as "1,234,567". Returns out, which holds at least 27 bytes.
char *number_grouped(uint64_t number, char *out);

// The same for a count >= 0 that need not fit 64 bits: from 10^15 on as "1.23e+20".
char *number_grouped_real(double number, char *out);

// Writes "12.3 GB" or "0.4 MB"; returns text.
const char *number_in_bytes(uint64_t bytes, char text[24]);

#endif
