// Arrays of the .vtp files that pbf writes.
#ifndef PBF_TESTS_VTP_FILE_HELPERS_H
#define PBF_TESTS_VTP_FILE_HELPERS_H

#include <stdbool.h>
#include <stdint.h>

// Decodes the array of that name, which must be of that many bytes. False if it is missing, or not that long,
// or anything but its end tag follows.
bool test_vtp_array(const char *text, const char *name, uint64_t bytes, void *to);

#endif
