// What a frame has to show.
#ifndef PBF_RENDER_CONTENT_H
#define PBF_RENDER_CONTENT_H

#include "core/mat3.h"
#include "fluid/frame_view.h"

// Bounds of everything in the frame, domain coordinates; empty (lo above hi) if there is nothing.
Box3 content_bounds(const FrameView *view, const TankDef *tank);

#endif
