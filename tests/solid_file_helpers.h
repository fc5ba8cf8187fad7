// Readers of files of obstacles, written apart from the program's writers.
#ifndef PBF_TESTS_SOLID_FILE_HELPERS_H
#define PBF_TESTS_SOLID_FILE_HELPERS_H

#include "surface/surface.h"

#define SOLID_NAME_BYTES 160

typedef struct SolidCorner {
    Vec3 position, normal, velocity;
} SolidCorner;

// What a file says about each triangle.
typedef struct SolidFile {
    SolidCorner (*corner)[3];
    int32_t *body;
    uint8_t (*color)[3]; // sRGB
    uint32_t count;
    bool moving, coloured; // whether the format has velocities, colours
    char (*name)[SOLID_NAME_BYTES];
    uint32_t names; // bodies with a name, 0 if the format has none
} SolidFile;

// Reads a .ply, .obj, .vtk, .vtp or .usda file as the program writes them, told apart by the suffix. A byte
// too many or too few fails the test. Free with solid_file_free.
SolidFile solid_file_read(const char *path);
void solid_file_free(SolidFile *file);

// The triangles of a body, -1 for all, as a mesh for the judge of surfaces: corners at the same place become
// one vertex, with any of their normals. Free with test_mesh_free.
SurfaceMesh solid_file_mesh(const SolidFile *file, int body);

#endif
