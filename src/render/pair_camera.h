// The camera of two pictures beside each other, which are narrower than one would be.
#ifndef PBF_RENDER_PAIR_CAMERA_H
#define PBF_RENDER_PAIR_CAMERA_H

#include "render/render.h"

// The vertical angle of view (degrees) of a picture of width x height pixels: the definition's, grown so far
// that the tank (m, scene coordinates; NULL: none) fits, but not so far that more is seen from left to right
// than in the whole picture.
float pair_camera_fov(const RenderDef *whole, uint32_t width, uint32_t height, const Box3 *tank);

#endif
