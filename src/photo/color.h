// Light as linear RGB.
#ifndef PBF_PHOTO_COLOR_H
#define PBF_PHOTO_COLOR_H

#include "core/vec3.h"
#include "photo/number.h"

#define PHOTO_PI 3.14159265f

static inline float color_luminance(Vec3 c) // Rec. 709
{
    return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}
static inline float color_largest(Vec3 c) // fmaxf, which minds NaN, is a call
{
    float largest = c.x > c.y ? c.x : c.y;
    return largest > c.z ? largest : c.z;
}
static inline Vec3 color_gray(float value)
{
    return vec3_make(value, value, value);
}
static inline Vec3 color_mix(Vec3 a, Vec3 b, float share)
{
    return vec3_add(vec3_scale(a, 1 - share), vec3_scale(b, share));
}

// What is left of light after `length` m of a medium that swallows `sigma` per m (Beer and Lambert).
static inline Vec3 color_after(Vec3 sigma, float length)
{
    Real4 left = number_exp4((Real4){sigma.x, sigma.y, sigma.z, 0} * -length);
    return vec3_make(left[0], left[1], left[2]);
}

#endif
