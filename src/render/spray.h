// Spray. A particle that flies alone stands for more water than holds together in the air, and as one ball it
// looks like a bead; in pictures it is a handful of drops of different sizes, together of its volume, drawn
// out along its flight. Which drops depends on the particle's id alone, so they are the same from frame to
// frame.
#ifndef PBF_RENDER_SPRAY_H
#define PBF_RENDER_SPRAY_H

#include "fluid/frame_view.h"
#include "surface/surface.h"

// The mesh of view's particles with every separate piece of about one particle's volume replaced by drops. A
// mesh without such pieces gives an empty *out: draw the mesh itself. Error: RESULT_NO_MEMORY. Free *out with
// surface_mesh_free; it has no velocities.
Result spray_make(const SurfaceMesh *mesh, const FrameView *view, SurfaceMesh *out);

// The same in the mesh's place. Error: RESULT_NO_MEMORY; the mesh is then as it was.
Result spray_replace(SurfaceMesh *mesh, const FrameView *view);

#endif
