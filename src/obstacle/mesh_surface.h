// What makes a bag of triangles the surface of a solid.
#ifndef PBF_OBSTACLE_MESH_SURFACE_H
#define PBF_OBSTACLE_MESH_SURFACE_H

#include "obstacle/mesh.h"

// Joins vertices at the same place, drops triangles without area and vertices without triangle, refuses a
// surface that is not closed or encloses nothing, turns it right side out and sets the bounds. lines: of each
// triangle in the file at `path`, for messages; reordered along. Errors: RESULT_USAGE, RESULT_NO_MEMORY.
Result mesh_close_surface(TriangleMesh *mesh, const char *path, uint32_t *lines);

#endif
