#include "export/export.h"

#include "export/file_writer.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written in the machine's byte order");

Result export_mesh_ply(const char *path, const SurfaceMesh *mesh)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file,
                      "ply\n"
                      "format binary_little_endian 1.0\n"
                      "comment pbf surface\n"
                      "element vertex %u\n"
                      "property float x\nproperty float y\nproperty float z\n"
                      "property float nx\nproperty float ny\nproperty float nz\n"
                      "%s"
                      "element face %u\n"
                      "property list uchar int vertex_indices\n"
                      "end_header\n",
                      mesh->vertex_count,
                      mesh->velocity ? "property float vx\nproperty float vy\nproperty float vz\n" : "",
                      mesh->triangle_count);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        file_writer_write(&file, &mesh->vertex[v], sizeof(Vec3));
        file_writer_write(&file, &mesh->normal[v], sizeof(Vec3));
        if (mesh->velocity) file_writer_write(&file, &mesh->velocity[v], sizeof(Vec3));
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint8_t corners = 3;
        file_writer_write(&file, &corners, 1);
        file_writer_write(&file, mesh->triangle[t], sizeof mesh->triangle[t]);
    }
    return file_writer_commit(&file);
}
