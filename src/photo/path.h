// A path of light, followed backward from the eye: bent and mirrored at water and glass, swallowed by length
// in them, scattered by opaque surfaces, lit by sky, sun and lamps. Direct light is drawn at every opaque
// surface and weighed against the light that the path itself meets (multiple importance sampling, Veach
// 1997). Sunlight that water has bent arrives as photons (photo/caustics.h), as paths never find it.
#ifndef PBF_PHOTO_PATH_H
#define PBF_PHOTO_PATH_H

#include "photo/flight.h"

// What a path saw first, for the denoiser: means over samples.
typedef struct PathFeatures {
    Vec3 albedo, normal;
} PathFeatures;

// The light along a ray from the eye. in_water: the ray starts there.
Vec3 path_light(const PathScene *scene, const Ray *ray, bool in_water, PathSampler *sampler,
                PathFeatures *features);

#endif
