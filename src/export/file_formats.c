#include "core/path.h"
#include "export/export.h"

#include <string.h>

#define PARTICLES GEOMETRY_PARTICLES, "particles"
#define DIFFUSE GEOMETRY_DIFFUSE, "diffuse"
#define SURFACE GEOMETRY_SURFACE, "mesh"
#define OBSTACLES GEOMETRY_OBSTACLES, "obstacles"
#define STRANDS GEOMETRY_STRANDS, "strands"
#define STAGE GEOMETRY_STAGE, "scene", "part"

static const FileFormat formats[] = {
    {"ply", PARTICLES, "ply", export_ply, NULL, NULL, "particles: binary PLY, for Blender and MeshLab"},
    {"vtk", PARTICLES, "vtk", export_vtk, "particles.vtk.series", export_series_vtk,
     "particles: legacy VTK with particles.vtk.series"},
    {"vtp", PARTICLES, "vtp", export_vtp, "particles.pvd", export_series_pvd,
     "particles: XML VTK with particles.pvd, for ParaView"},
    {"bgeo", PARTICLES, "bgeo", export_bgeo, NULL, NULL,
     "particles: Houdini's classic format, as Partio and SPlisHSPlasH have it"},
    {"diffuse_ply", DIFFUSE, "ply", export_ply, NULL, NULL,
     "whitewater: binary PLY with class, age, life, size and velocity"},
    {"diffuse_vtp", DIFFUSE, "vtp", export_vtp, "diffuse.pvd", export_series_pvd,
     "whitewater: XML VTK with diffuse.pvd, for ParaView"},
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
    {"strands_ply", STRANDS, "ply", export_ply, NULL, NULL,
     "strands: binary PLY with edges, velocities, radii and colors"},
    {"strands_obj", STRANDS, "obj", export_obj, NULL, NULL, "strands: OBJ text, lines"},
    {"strands_vtk", STRANDS, "vtk", export_vtk, "strands.vtk.series", export_series_vtk,
     "strands: legacy VTK lines with strands.vtk.series"},
    {"strands_vtp", STRANDS, "vtp", export_vtp, "strands.pvd", export_series_pvd,
     "strands: XML VTK lines with strands.pvd, for ParaView"},
    {"strands_usda", STRANDS, "usda", export_usda, "strands.usda", export_series_strands_usda,
     "strands: USD curves with strands.usda, the stage of all frames"},
    {"usda", STAGE, NULL, "scene.usda", export_stage_usda,
     "all: one USD text file that plays, with velocities, for Blender, Houdini and Maya"},
    {"abc", STAGE, NULL, "scene.abc", export_stage_abc,
     "all: one Alembic file that plays, with velocities, for Blender, Houdini and Maya"},
};

const FileFormat *file_format(uint32_t k)
{
    return k < sizeof formats / sizeof *formats ? &formats[k] : NULL;
}

uint32_t file_format_named(const char *name)
{
    uint32_t k = 0;
    while (file_format(k) && strcmp(file_format(k)->name, name) != 0) k++;
    return k;
}

const FileFormat *file_format_of(GeometryKind kind, const char *path)
{
    const char *dot = strrchr(path_name(path), '.');
    for (uint32_t k = 0; dot && file_format(k); k++) {
        const FileFormat *format = file_format(k);
        if (format->kind == kind && strcmp(dot + 1, format->suffix) == 0) return format;
    }
    static const FileFormat vdb = {"vdb", SURFACE, "vdb", export_vdb, NULL, NULL, "surface: OpenVDB"};
    return dot && kind == vdb.kind && strcmp(dot + 1, vdb.suffix) == 0 ? &vdb : NULL;
}

Result geometry_of_format(const FileFormat *format, const FrameView *view, Geometry *out)
{
    if (format->kind == GEOMETRY_STRANDS && !view->strands)
        return result_error(RESULT_USAGE, "%s: the scene has no strands (a list `strands`)", format->name);
    if (format->kind == GEOMETRY_DIFFUSE && !view->diffuse)
        return result_error(RESULT_USAGE, "%s: the scene has no whitewater (whitewater: {})", format->name);
    *out = format->kind == GEOMETRY_DIFFUSE   ? geometry_of_diffuse(view)
           : format->kind == GEOMETRY_STRANDS ? geometry_of_strands(view)
                                              : geometry_of_particles(view);
    return result_ok();
}
