// Prints numbers as reports show them.
#ifndef PBF_COMMAND_NUMBER_H
#define PBF_COMMAND_NUMBER_H

#include <stdint.h>

// Writes 1234567 as "1,234,567". Returns out, which holds at least 27 bytes.
char *number_grouped(uint64_t number, char *out);

// Writes a count >= 0 that need not fit 64 bits: as number_grouped, from 10^15 on as "1.23e+20".
char *number_grouped_real(double number, char *out);

// Writes "12.3 GB" or "0.4 MB"; returns text.
const char *number_in_bytes(uint64_t bytes, char text[24]);

#endif
