// Light and floor of a look.
#ifndef PBF_PHOTO_LOOK_LIGHT_H
#define PBF_PHOTO_LOOK_LIGHT_H

#include "photo/ground.h"
#include "photo/light.h"
#include "photo/look.h"

// Factor of light that `exposure` stops mean.
float look_exposure(float stops);

// The sky of a resolved look; toward_sun: unit. Errors: those of a picture's file; RESULT_NO_MEMORY.
Result look_sky(const LookDef *look, Vec3 toward_sun, Sky *out);
Vec3 look_toward_sun(const LookDef *look);

// Sun and lamps of a resolved look around a ball; the sky is set by the caller.
Lights look_lights(const LookDef *look, Vec3 center, float radius);

// The floor of a resolved look under that ball.
Ground look_ground(const LookDef *look, float height, float radius);

#endif
