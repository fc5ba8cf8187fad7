// Picking: what is under the mouse.
#ifndef PBF_VIEWER_PICK_H
#define PBF_VIEWER_PICK_H

#include "fluid/frame_view.h"
#include "render/view.h"
#include "viewer/clip.h"

#include <stdbool.h>

// The first particle not cut away on the ray through (x, y) of the picture (-1 to 1, right and up). False if
// there is none.
bool pick_particle(const FrameView *frame, const View *view, const ClipPlane *cut, float x, float y,
                   uint32_t *particle);

// The first obstacle on the ray, by its bounds and its surface; -1 if there is none. *point: where it is met.
int pick_obstacle(const Obstacles *obstacles, const View *view, float x, float y, Vec3 *point);

#endif
