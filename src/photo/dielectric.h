// Light at the smooth boundary of two clear media.
#ifndef PBF_PHOTO_DIELECTRIC_H
#define PBF_PHOTO_DIELECTRIC_H

#include "core/vec3.h"

// Share of unpolarized light that is reflected (Fresnel). cosine: of the angle between the ray and the
// normal, >= 0; eta: refractive index of the ray's side over that of the far side. *cosine_far: of the bent
// ray, 0 for total reflection.
static inline float dielectric_reflectance(float cosine, float eta, float *cosine_far)
{
    float square = 1 - eta * eta * (1 - cosine * cosine);
    if (square <= 0) {
        *cosine_far = 0;
        return 1;
    }
    float far = sqrtf(square);
    float across = (eta * cosine - far) / (eta * cosine + far);
    float along = (eta * far - cosine) / (eta * far + cosine);
    *cosine_far = far;
    return 0.5f * (across * across + along * along);
}

// normal: on the ray's side, unit; cosine: -dot(direction, normal).
static inline Vec3 dielectric_reflected(Vec3 direction, Vec3 normal, float cosine)
{
    return vec3_add(direction, vec3_scale(normal, 2 * cosine));
}
static inline Vec3 dielectric_bent(Vec3 direction, Vec3 normal, float cosine, float eta, float cosine_far)
{
    Vec3 bent = vec3_add(vec3_scale(direction, eta), vec3_scale(normal, eta * cosine - cosine_far));
    return vec3_normalize_or(bent, direction);
}

#endif
