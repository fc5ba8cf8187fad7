#include "export/export.h"

#define PARTICLES GEOMETRY_PARTICLES, "particles"
#define SURFACE GEOMETRY_SURFACE, "mesh"
#define OBSTACLES GEOMETRY_OBSTACLES, "obstacles"
#define STAGE GEOMETRY_STAGE, "scene", "part"

static const FileFormat formats[] = {
    {"ply", PARTICLES, "ply", export_ply, NULL, NULL, "particles: binary PLY, for Blender and MeshLab"},
    {"vtk", PARTICLES, "vtk", export_vtk, "particles.vtk.series", export_series_vtk,
     "particles: legacy VTK with particles.vtk.series"},
    {"vtp", PARTICLES, "vtp", export_vtp, "particles.pvd", export_series_pvd,
     "particles: XML VTK with particles.pvd, for ParaView"},
    {"bgeo", PARTICLES, "bgeo", export_bgeo, NULL, NULL,
     "particles: Houdini's classic format, as Partio and SPlisHSPlasH have it"},
    {"mesh_ply", SURFACE, "ply", export_ply, NULL, NULL, "surface: binary PLY with normals and velocities"},
    {"mesh_obj", SURFACE, "obj", export_obj, NULL, NULL, "surface: OBJ text with normals"},
    {"mesh_vtk", SURFACE, "vtk", export_vtk, "mesh.vtk.series", export_series_vtk,
     "surface: legacy VTK with mesh.vtk.series"},
    {"mesh_vtp", SURFACE, "vtp", export_vtp, "mesh.pvd", export_series_pvd,
     "surface: XML VTK with mesh.pvd, for ParaView"},
    {"mesh_usda", SURFACE, "usda", export_usda, "mesh.usda", export_series_usda,
     "surface: USD text with mesh.usda, the stage of all frames"},
    {"obstacles_ply", OBSTACLES, "ply", export_ply, NULL, NULL,
     "obstacles: binary PLY with normals, velocities and colors"},
    {"obstacles_obj", OBSTACLES, "obj", export_obj, NULL, NULL, "obstacles: OBJ text with normals and names"},
    {"obstacles_vtk", OBSTACLES, "vtk", export_vtk, "obstacles.vtk.series", export_series_vtk,
     "obstacles: legacy VTK with obstacles.vtk.series"},
    {"obstacles_vtp", OBSTACLES, "vtp", export_vtp, "obstacles.pvd", export_series_pvd,
     "obstacles: XML VTK with obstacles.pvd, for ParaView"},
    {"obstacles_usda", OBSTACLES, "usda", export_usda, "obstacles.usda", export_series_obstacles_usda,
     "obstacles: USD text with obstacles.usda, the stage of all frames"},
    {"usda", STAGE, NULL, "scene.usda", export_stage_usda,
     "all: one USD text file that plays, with velocities, for Blender, Houdini and Maya"},
    {"abc", STAGE, NULL, "scene.abc", export_stage_abc,
     "all: one Alembic file that plays, with velocities, for Blender, Houdini and Maya"},
};

const FileFormat *file_format(uint32_t k)
{
    return k < sizeof formats / sizeof *formats ? &formats[k] : NULL;
}
