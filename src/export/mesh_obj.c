#include "export/export.h"

#include "export/file_writer.h"

static void print_vectors(FileWriter *file, const char *name, const Vec3 *vectors, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) {
        file_writer_print(file, "%s %.9g %.9g %.9g\n", name, (double)vectors[v].x, (double)vectors[v].y,
                          (double)vectors[v].z);
    }
}

Result export_mesh_obj(const char *path, const SurfaceMesh *mesh)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file, "# pbf surface: %u vertices, %u triangles\n", mesh->vertex_count,
                      mesh->triangle_count);
    print_vectors(&file, "v", mesh->vertex, mesh->vertex_count);
    print_vectors(&file, "vn", mesh->normal, mesh->vertex_count);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t a = mesh->triangle[t][0] + 1, b = mesh->triangle[t][1] + 1, c = mesh->triangle[t][2] + 1;
        file_writer_print(&file, "f %u//%u %u//%u %u//%u\n", a, a, b, b, c, c);
    }
    return file_writer_commit(&file);
}
