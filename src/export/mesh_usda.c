#include "export/export.h"

#include "export/usda_writer.h"

Result export_mesh_usda(const char *path, const SurfaceMesh *mesh)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    uint32_t n = mesh->vertex_count;
    usda_put_head(&file, "surface");
    file_writer_print(&file, ")\n\ndef Mesh \"surface\"\n{\n");
    usda_open_triangles(&file, "    ", mesh->triangle_count);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *at = mesh->triangle[t];
        file_writer_print(&file, "%s%u, %u, %u", t > 0 ? ", " : "", at[0], at[1], at[2]);
    }
    file_writer_print(&file, "]\n");
    usda_put_extent(&file, "    ", mesh->vertex, n);
    usda_put_vectors(&file, "    point3f[] points", mesh->vertex, n);
    file_writer_print(&file, "\n");
    usda_put_vectors(&file, "    normal3f[] normals", mesh->normal, n);
    file_writer_print(&file, " (\n        interpolation = \"vertex\"\n    )\n");
    if (mesh->velocity) {
        usda_put_vectors(&file, "    vector3f[] velocities", mesh->velocity, n);
        file_writer_print(&file, "\n");
    }
    file_writer_print(&file, "}\n");
    return file_writer_commit(&file);
}
