// From light to a picture that screens show.
#ifndef PBF_PHOTO_TONE_H
#define PBF_PHOTO_TONE_H

#include "core/result.h"
#include "core/vec3.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct Tone {
    float exposure; // factor of light
    float bloom;    // share of what is brighter than white that spreads around it
} Tone;

// light: width * height, top row first; changed. rgb: sRGB bytes. Bright light loses its color as on film
// (AgX by Sobotka, with Wrensch's polynomial). Ends soon once *stop is true; NULL: never. Errors:
// RESULT_NO_MEMORY, RESULT_STOPPED.
Result tone_develop(const Tone *tone, Vec3 *light, uint32_t width, uint32_t height, const atomic_bool *stop,
                    uint8_t *rgb);

#endif
