// Readers of mesh files, written apart from the program's writers.
#ifndef PBF_TESTS_MESH_FILE_HELPERS_H
#define PBF_TESTS_MESH_FILE_HELPERS_H

#include "surface/surface.h"

// Reads a .ply, .obj, .vtk, .vtp or .usda file as the program writes them, told apart by the suffix; velocity
// is NULL if the file has none. A byte too many or too few fails the test. Free with test_mesh_free.
SurfaceMesh test_read_mesh(const char *path);
void test_mesh_free(SurfaceMesh *mesh);

#endif
