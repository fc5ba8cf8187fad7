#include "export/export.h"

#include "export/usda_writer.h"

#define INDENT "        "

static void put_vectors(FileWriter *file, const char *declaration, const Vec3 *vectors, uint32_t count)
{
    usda_put_vectors(file, declaration, vectors, count);
    file_writer_print(file, "\n");
}

static void put_triangles(FileWriter *file, const ObstacleMesh *mesh, const ObstaclePart *part)
{
    usda_open_triangles(file, INDENT, part->triangle_count);
    for (uint32_t k = 0; k < part->triangle_count; k++) {
        for (int c = 0; c < 3; c++) {
            uint32_t point = mesh->vertex_point[mesh->triangle[part->first_triangle + k][c]];
            file_writer_print(file, "%s%u", k > 0 || c > 0 ? ", " : "", point - part->first_point);
        }
    }
    file_writer_print(file, "]\n");
}

// Bodies without edges have a normal for each point, others one for each corner of their triangles.
static void put_normals(FileWriter *file, const ObstacleMesh *mesh, const ObstaclePart *part)
{
    bool smooth = part->vertex_count == part->point_count;
    if (smooth) {
        usda_put_vectors(file, INDENT "normal3f[] normals", mesh->normal + part->first_vertex,
                         part->vertex_count);
    } else {
        file_writer_print(file, INDENT "normal3f[] normals = [");
        for (uint32_t k = 0; k < 3 * part->triangle_count; k++) {
            Vec3 n = mesh->normal[mesh->triangle[part->first_triangle + k / 3][k % 3]];
            file_writer_print(file, "%s(%.9g, %.9g, %.9g)", k > 0 ? ", " : "", (double)n.x, (double)n.y,
                              (double)n.z);
        }
        file_writer_print(file, "]");
    }
    file_writer_print(file, " (\n" INDENT "    interpolation = \"%s\"\n" INDENT ")\n",
                      smooth ? "vertex" : "faceVarying");
}

static void put_part(FileWriter *file, const ObstacleMesh *mesh, uint32_t k)
{
    const ObstaclePart *part = &mesh->parts[k];
    file_writer_print(file, "\n    def Mesh \"%s\"\n    {\n", part->label);
    put_triangles(file, mesh, part);
    usda_put_extent(file, INDENT, mesh->point + part->first_point, part->point_count);
    put_vectors(file, INDENT "point3f[] points", mesh->point + part->first_point, part->point_count);
    put_normals(file, mesh, part);
    put_vectors(file, INDENT "vector3f[] velocities", mesh->velocity + part->first_point, part->point_count);
    file_writer_print(file,
                      INDENT "color3f[] primvars:displayColor = [(%.9g, %.9g, %.9g)] (\n" INDENT
                             "    interpolation = \"constant\"\n" INDENT ")\n" INDENT
                             "custom int userProperties:obstacle = %u\n    }\n",
                      (double)part->color[0], (double)part->color[1], (double)part->color[2], k);
}

Result export_obstacles_usda(const char *path, const ObstacleMesh *mesh)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    usda_put_head(&file, "obstacles");
    file_writer_print(&file, ")\n\ndef Xform \"obstacles\"\n{");
    for (uint32_t k = 0; k < mesh->part_count; k++) put_part(&file, mesh, k);
    file_writer_print(&file, "}\n");
    return file_writer_commit(&file);
}
