// "Did you mean": the known name that is closest to a mistyped one.
#ifndef PBF_CORE_NEAREST_H
#define PBF_CORE_NEAREST_H

#include <stdint.h>

// Names by number, NULL past the end.
typedef const char *NearestNames(uint32_t k, const void *context);

// The name at the smallest edit distance (letters added, dropped, changed or swapped); NULL if none is near
// enough to be meant.
const char *nearest_name(const char *text, NearestNames *names, const void *context);

#endif
