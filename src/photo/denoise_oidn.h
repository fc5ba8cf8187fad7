// Intel's Open Image Denoise, loaded when it is used: Debian 12 does not have it, users may.
#ifndef PBF_PHOTO_DENOISE_OIDN_H
#define PBF_PHOTO_DENOISE_OIDN_H

#include "core/result.h"
#include "core/vec3.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Is the library there? It is looked for where the linker looks (LD_LIBRARY_PATH), versions 2 and 1.
bool denoise_oidn_found(void);

// Filters light in place; all arrays: width * height. Ends soon once *stop is true; NULL: never. Errors:
// RESULT_STOPPED, RESULT_FAILED with the library's own words.
Result denoise_oidn(uint32_t width, uint32_t height, const Vec3 *albedo, const Vec3 *normal,
                    const atomic_bool *stop, Vec3 *light);

#endif
