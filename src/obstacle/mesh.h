// Closed triangle meshes: read from OBJ files, converted to a grid of signed distances (SDF).
#ifndef PBF_OBSTACLE_MESH_H
#define PBF_OBSTACLE_MESH_H

#include "core/result.h"
#include "core/vec3.h"

#include <stddef.h>
#include <stdint.h>

typedef struct TriangleMesh {
    Vec3 *vertices;      // m
    uint32_t *triangles; // three vertex numbers each, counter-clockwise from outside
    uint32_t vertex_count, triangle_count;
    Box3 bounds;
} TriangleMesh;

// Reads the bytes of a regular file of at most 1 GiB, a new block that is freed with memory_free. Errors:
// RESULT_USAGE, RESULT_NO_MEMORY.
Result mesh_file_load(const char *path, char **text, size_t *bytes);

// Parses `v` and `f` lines of a Wavefront OBJ file (polygons are fanned, negative indices and v/vt/vn forms
// understood, other lines skipped; vertices at the same place become one). Refuses files that are malformed
// (FILE:LINE), not finite, empty, or whose surface is not closed (FILE:LINE of a face at a hole:
// every edge must be used equally often in both directions); a mesh that is inside out is turned. Closed
// parts may overlap: the solid is what any of them encloses, and a turned part inside another is a hollow.
// path is for messages. Errors: RESULT_USAGE, RESULT_NO_MEMORY. Free with mesh_free.
Result mesh_parse_obj(const char *path, const char *text, size_t bytes, TriangleMesh *out);

// Makes a surface of a bag of triangles: joins vertices at the same place, drops triangles without area and
// vertices without a triangle, refuses a surface that is not closed or encloses nothing, turns it right side
// out and sets the bounds. lines: of each triangle in the file at `path`, for messages; reordered along.
// Errors: RESULT_USAGE, RESULT_NO_MEMORY.
Result mesh_close_surface(TriangleMesh *mesh, const char *path, uint32_t *lines);

void mesh_free(TriangleMesh *mesh); // zeroed is allowed

// The volume that the mesh encloses, m^3; where parts overlap, each counts.
double mesh_volume(const TriangleMesh *mesh);

// Scales all vertices about the origin. Factors are not 0; an odd number of negative ones mirrors the mesh.
void mesh_scale(TriangleMesh *mesh, Vec3 factor);

// Signed distance on a regular grid of nodes around a mesh; negative inside. Exact at the nodes,
// trilinear between them; outside the grid the distance to the grid's box is added.
typedef struct DistanceGrid {
    float *distance; // m, x fastest
    uint32_t nx, ny, nz;
    float cell;  // m
    Vec3 origin; // of node (0, 0, 0)
} DistanceGrid;

// cell: m, > 0; enlarged where the grid would pass max_nodes (>= 64). margin: m around the mesh's bounds, >=
// 0. A solid thinner than a cell can slip between the nodes: choose the cell for the thinnest part that
// counts. Errors: RESULT_NO_MEMORY. Free with distance_grid_free.
Result distance_grid_build(const TriangleMesh *mesh, float cell, float margin, uint64_t max_nodes,
                           DistanceGrid *out);
void distance_grid_free(DistanceGrid *grid);

// Distance at a point in the mesh's own frame, m; *gradient (may be NULL) is the unit normal that leads away
// from the surface's inside.
float distance_grid_sample(const DistanceGrid *grid, Vec3 point, Vec3 *gradient);

#endif
