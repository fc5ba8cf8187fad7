#include "export/export.h"

static const MeshFormat formats[] = {
    {"ply", "binary, with normals and velocities", export_mesh_ply},
    {"obj", "text, with normals", export_mesh_obj},
    {"vtk", "legacy VTK, binary, with normals and velocities", export_mesh_vtk},
};

const MeshFormat *mesh_format(uint32_t k)
{
    return k < sizeof formats / sizeof *formats ? &formats[k] : NULL;
}
