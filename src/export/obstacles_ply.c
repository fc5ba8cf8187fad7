#include "export/export.h"

#include "export/file_writer.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "vertices are written in the machine's byte order");

// As the header declares it.
#define VERTEX_BYTES 43

static void put_vertices(FileWriter *file, const ObstacleMesh *mesh, uint32_t part)
{
    const ObstaclePart *of = &mesh->parts[part];
    uint8_t row[VERTEX_BYTES];
    obstacle_part_srgb(of, row + 36);
    memcpy(row + 39, &part, 4);
    for (uint32_t v = of->first_vertex; v < of->first_vertex + of->vertex_count; v++) {
        uint32_t point = mesh->vertex_point[v];
        memcpy(row, &mesh->point[point], 12);
        memcpy(row + 12, &mesh->normal[v], 12);
        memcpy(row + 24, &mesh->velocity[point], 12);
        file_writer_write(file, row, sizeof row);
    }
}

Result export_obstacles_ply(const char *path, const ObstacleMesh *mesh)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file,
                      "ply\n"
                      "format binary_little_endian 1.0\n"
                      "comment pbf obstacles\n"
                      "element vertex %u\n"
                      "property float x\nproperty float y\nproperty float z\n"
                      "property float nx\nproperty float ny\nproperty float nz\n"
                      "property float vx\nproperty float vy\nproperty float vz\n"
                      "property uchar red\nproperty uchar green\nproperty uchar blue\n"
                      "property int obstacle\n"
                      "element face %u\n"
                      "property list uchar int vertex_indices\n"
                      "end_header\n",
                      mesh->vertex_count, mesh->triangle_count);
    for (uint32_t k = 0; k < mesh->part_count; k++) put_vertices(&file, mesh, k);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint8_t corners = 3;
        file_writer_write(&file, &corners, 1);
        file_writer_write(&file, mesh->triangle[t], sizeof mesh->triangle[t]);
    }
    return file_writer_commit(&file);
}
