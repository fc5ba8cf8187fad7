// Whether a picture is taken from within the water.
#ifndef PBF_RENDER_EYE_IN_WATER_H
#define PBF_RENDER_EYE_IN_WATER_H

#include "fluid/frame_view.h"
#include "render/view.h"

// Whether rays of the picture may start in water: particles are near the eye.
bool eye_may_be_in_water(const FrameView *frame, const View *camera);

// Whether at least half of the room around a place is filled with water, out to two spacings. What is solid
// or outside of the tank's walls is no room.
bool is_in_water(const FrameView *frame, Vec3 place);

#endif
