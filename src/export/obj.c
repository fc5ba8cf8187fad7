// OBJ text. Points and normals have numbers of their own, so that a body stays in one piece at its edges.
#include "export/export.h"

static void put_vectors(FileWriter *file, const char *word, const Geometry *geometry, AttributeRole role,
                        uint32_t first, uint32_t count)
{
    const Attribute *attribute = geometry_find(geometry, role);
    for (uint32_t k = first; k < first + count; k++) {
        Vec3 v = geometry_vector(geometry, attribute, k);
        file_writer_print(file, "%s %.9g %.9g %.9g\n", word, (double)v.x, (double)v.y, (double)v.z);
    }
}

static void put_part(FileWriter *file, const Geometry *geometry, const GeometryPart *part)
{
    // Programs go by one or the other.
    if (part->label[0]) file_writer_print(file, "o %s\ng %s\n", part->label, part->label);
    put_vectors(file, "v", geometry, ROLE_POSITION, part->first_point, part->point_count);
    put_vectors(file, "vn", geometry, ROLE_NORMAL, part->first_vertex, part->vertex_count);
    for (uint32_t t = part->first_triangle; t < part->first_triangle + part->triangle_count; t++) {
        const uint32_t *at = geometry->triangle[t];
        file_writer_print(file, "f %u//%u %u//%u %u//%u\n", geometry_point(geometry, at[0]) + 1, at[0] + 1,
                          geometry_point(geometry, at[1]) + 1, at[1] + 1, geometry_point(geometry, at[2]) + 1,
                          at[2] + 1);
    }
}

static void put_lines(FileWriter *file, const Geometry *geometry)
{
    put_vectors(file, "v", geometry, ROLE_POSITION, 0, geometry->point_count);
    for (uint32_t line = 0; line < geometry->line_count; line++) {
        file_writer_print(file, "l");
        for (uint32_t i = geometry->line_first[line]; i < geometry->line_first[line + 1]; i++)
            file_writer_print(file, " %u", geometry_point(geometry, i) + 1);
        file_writer_print(file, "\n");
    }
}

Result export_obj(const char *path, const Geometry *geometry)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    if (geometry->line_first)
        file_writer_print(&file, "# pbf %s: %u vertices, %u lines\n", geometry->name, geometry->vertex_count,
                          geometry->line_count);
    else if (geometry->parts)
        file_writer_print(&file, "# pbf %s: %u\n", geometry->name, geometry->part_count);
    else
        file_writer_print(&file, "# pbf %s: %u vertices, %u triangles\n", geometry->name,
                          geometry->vertex_count, geometry->triangle_count);
    for (uint32_t k = 0; k < geometry->part_count; k++) {
        GeometryPart part = geometry_part(geometry, k);
        put_part(&file, geometry, &part);
    }
    if (geometry->line_first) put_lines(&file, geometry);
    return file_writer_commit(&file);
}
