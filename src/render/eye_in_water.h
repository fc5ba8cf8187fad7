// Tells whether the camera is under water.
#ifndef PBF_RENDER_EYE_IN_WATER_H
#define PBF_RENDER_EYE_IN_WATER_H

#include "fluid/frame_view.h"
#include "render/view.h"

// May rays of the picture start in water? True if particles are near the eye.
bool eye_may_be_in_water(const FrameView *frame, const View *camera);

// Is at least half of the space around a place, out to two spacings, filled with water? Solids and what lies
// outside the tank do not count as space.
bool is_in_water(const FrameView *frame, Vec3 place);

#endif
