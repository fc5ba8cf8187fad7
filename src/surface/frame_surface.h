// The surface of a frame's water.
#ifndef PBF_SURFACE_FRAME_SURFACE_H
#define PBF_SURFACE_FRAME_SURFACE_H

#include "fluid/frame_view.h"
#include "surface/surface.h"

// Makes it in the frame's coordinates; with def->clip it ends at the closed walls of the tank. The spacing is
// the frame's. velocities: does the mesh carry them? Errors: those of surface_reconstruct.
Result frame_surface_make(const SurfaceDef *def, const FrameView *view, bool velocities, SurfaceMesh *out);

#endif
