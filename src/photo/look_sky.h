// Skies that looks choose from.
#ifndef PBF_PHOTO_LOOK_SKY_H
#define PBF_PHOTO_LOOK_SKY_H

#include "photo/look.h"
#include "photo/sky.h"

// A studio's backdrop, a day with thin clouds and hills on the horizon, a night, or even light from
// everywhere; below the horizon they go on as at it. Error: RESULT_NO_MEMORY.
Result look_sky_make(LookSky kind, float strength, Vec3 toward_sun, Sky *out);

// The picture in look->environment (photo/radiance.h), times the strength. Errors: those of the file.
Result look_sky_of_file(const LookDef *look, Sky *out);

#endif
