// The water's surface as triangles in buffers of OpenGL.
#ifndef PBF_RENDER_MESH_DRAW_H
#define PBF_RENDER_MESH_DRAW_H

#include "core/result.h"
#include "surface/surface.h"

typedef struct MeshDrawer MeshDrawer;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result mesh_drawer_create(MeshDrawer **out);
void mesh_drawer_destroy(MeshDrawer *drawer); // NULL is allowed

// Uploads a mesh; NULL or an empty one draws nothing. content_id: of its FrameView; if it is the last call's
// and not 0, the mesh is there already.
Result mesh_drawer_load(MeshDrawer *drawer, const SurfaceMesh *mesh, uint64_t content_id);

// Draws all triangles with the program in use: attribute 0 is the position (m, domain), 1 the outward normal.
void mesh_drawer_draw_faces(const MeshDrawer *drawer);

#endif
