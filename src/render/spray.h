// Spray in a mesh: separate pieces of one particle become drops.
#ifndef PBF_RENDER_SPRAY_H
#define PBF_RENDER_SPRAY_H

#include "render/drops.h"
#include "surface/surface.h"

// The mesh of view's particles with every separate piece of about one particle's volume replaced by drops. A
// mesh without such pieces gives an empty *out: draw the mesh itself. Error: RESULT_NO_MEMORY. Free *out with
// surface_mesh_free; it has velocities if the mesh has them.
Result spray_make(const SurfaceMesh *mesh, const FrameView *view, SurfaceMesh *out);

// Replaces them in place. Error: RESULT_NO_MEMORY; the mesh is then as it was.
Result spray_replace(SurfaceMesh *mesh, const FrameView *view);

#endif
