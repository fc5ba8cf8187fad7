// Pictures of high dynamic range, in Radiance's format (.hdr; Ward 1991, "Real Pixels").
#ifndef PBF_PHOTO_RADIANCE_H
#define PBF_PHOTO_RADIANCE_H

#include "core/result.h"
#include "core/vec3.h"

#include <stdint.h>

typedef struct RadiancePicture {
    Vec3 *light; // linear RGB, top row first; from core/memory.h
    uint32_t width, height;
} RadiancePicture;

// Is it a picture that radiance_read understands? Only its head is read. Errors as there.
Result radiance_check(const char *path);

// Reads a picture of at most 16384 x 8192. Errors: RESULT_USAGE "PATH: what is wrong", RESULT_NO_MEMORY.
Result radiance_read(const char *path, RadiancePicture *out);

#endif
