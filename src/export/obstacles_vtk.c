// Obstacles in VTK's two formats: normals and velocities of points, body and colour of triangles.
#include "export/export.h"

#include "export/vtk_writer.h"

// What belongs to points, for every vertex.
static void put_at_vertices(FileWriter *file, const ObstacleMesh *mesh, const Vec3 *values, bool big_endian)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        const Vec3 *value = &values[mesh->vertex_point[v]];
        if (big_endian)
            vtk_put_words(file, value, 3);
        else
            file_writer_write(file, value, sizeof *value);
    }
}

static void put_colors(FileWriter *file, const ObstacleMesh *mesh)
{
    for (uint32_t k = 0; k < mesh->part_count; k++) {
        uint8_t rgb[3];
        obstacle_part_srgb(&mesh->parts[k], rgb);
        for (uint32_t t = 0; t < mesh->parts[k].triangle_count; t++) file_writer_write(file, rgb, sizeof rgb);
    }
}

Result export_obstacles_vtk(const char *path, const ObstacleMesh *mesh)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    uint32_t n = mesh->vertex_count, triangles = mesh->triangle_count;
    file_writer_print(&file,
                      "# vtk DataFile Version 3.0\n"
                      "pbf obstacles\n"
                      "BINARY\n"
                      "DATASET POLYDATA\n"
                      "POINTS %u float\n",
                      n);
    put_at_vertices(&file, mesh, mesh->point, true);
    vtk_put_triangles(&file, mesh->triangle, triangles);
    file_writer_print(&file, "\nPOINT_DATA %u\nNORMALS normals float\n", n);
    vtk_put_words(&file, mesh->normal, 3ull * n);
    file_writer_print(&file, "\nVECTORS velocity float\n");
    put_at_vertices(&file, mesh, mesh->velocity, true);
    file_writer_print(&file, "\nCELL_DATA %u\nSCALARS obstacle int 1\nLOOKUP_TABLE default\n", triangles);
    for (uint32_t k = 0; k < mesh->part_count; k++) {
        for (uint32_t t = 0; t < mesh->parts[k].triangle_count; t++) vtk_put_words(&file, &k, 1);
    }
    file_writer_print(&file, "\nFIELD FieldData 1\ncolor 3 %u unsigned_char\n", triangles);
    put_colors(&file, mesh);
    file_writer_print(&file, "\n");
    return file_writer_commit(&file);
}

Result export_obstacles_vtp(const char *path, const ObstacleMesh *mesh)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    uint32_t triangles = mesh->triangle_count;
    uint64_t offset, vectors = 12ull * mesh->vertex_count;
    vtp_open_triangles(&file, mesh->vertex_count, triangles, &offset);
    file_writer_print(&file, "<PointData Normals=\"normals\" Vectors=\"velocity\">\n");
    vtp_put_tag(&file, "Float32", "normals", 3, vectors, &offset);
    vtp_put_tag(&file, "Float32", "velocity", 3, vectors, &offset);
    file_writer_print(&file, "</PointData>\n<CellData Scalars=\"obstacle\">\n");
    vtp_put_tag(&file, "Int32", "obstacle", 1, 4ull * triangles, &offset);
    vtp_put_tag(&file, "UInt8", "color", 3, 3ull * triangles, &offset);
    file_writer_print(&file, "</CellData>\n");
    vtp_open_arrays(&file);

    vtp_put_length(&file, vectors);
    put_at_vertices(&file, mesh, mesh->point, false);
    vtp_put_bytes(&file, mesh->triangle, 12ull * triangles);
    vtp_put_numbers(&file, triangles, 3, 3);
    vtp_put_bytes(&file, mesh->normal, vectors);
    vtp_put_length(&file, vectors);
    put_at_vertices(&file, mesh, mesh->velocity, false);
    vtp_put_length(&file, 4ull * triangles);
    for (uint32_t k = 0; k < mesh->part_count; k++) {
        for (uint32_t t = 0; t < mesh->parts[k].triangle_count; t++) file_writer_write(&file, &k, sizeof k);
    }
    vtp_put_length(&file, 3ull * triangles);
    put_colors(&file, mesh);
    return vtp_commit(&file);
}
