#include "export/export.h"

#include "export/file_writer.h"

static void put_vectors(FileWriter *file, const char *name, const Vec3 *vectors, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) {
        file_writer_print(file, "%s %.9g %.9g %.9g\n", name, (double)vectors[v].x, (double)vectors[v].y,
                          (double)vectors[v].z);
    }
}

// Points and normals have numbers of their own, so that a body stays in one piece at its edges.
static void put_part(FileWriter *file, const ObstacleMesh *mesh, const ObstaclePart *part)
{
    // Programs go by one or the other.
    file_writer_print(file, "o %s\ng %s\n", part->label, part->label);
    put_vectors(file, "v", mesh->point + part->first_point, part->point_count);
    put_vectors(file, "vn", mesh->normal + part->first_vertex, part->vertex_count);
    for (uint32_t t = part->first_triangle; t < part->first_triangle + part->triangle_count; t++) {
        const uint32_t *at = mesh->triangle[t];
        file_writer_print(file, "f %u//%u %u//%u %u//%u\n", mesh->vertex_point[at[0]] + 1, at[0] + 1,
                          mesh->vertex_point[at[1]] + 1, at[1] + 1, mesh->vertex_point[at[2]] + 1, at[2] + 1);
    }
}

Result export_obstacles_obj(const char *path, const ObstacleMesh *mesh)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file, "# pbf obstacles: %u\n", mesh->part_count);
    for (uint32_t k = 0; k < mesh->part_count; k++) put_part(&file, mesh, &mesh->parts[k]);
    return file_writer_commit(&file);
}
