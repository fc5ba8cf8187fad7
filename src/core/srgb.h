// Color components in 0..1 as linear light and as sRGB (IEC 61966-2-1), which screens take.
#ifndef PBF_CORE_SRGB_H
#define PBF_CORE_SRGB_H

#include <math.h>

static inline float linear_of_srgb(float c)
{
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

static inline float srgb_of_linear(float c)
{
    c = fminf(fmaxf(c, 0), 1);
    return c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1 / 2.4f) - 0.055f;
}

#endif
