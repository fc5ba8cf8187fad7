#include "export/export.h"

#include "export/vtk_writer.h"

static void put_vectors(FileWriter *file, uint32_t count, const float *x, const float *y, const float *z,
                        Vec3 offset)
{
    vtp_put_length(file, 12ull * count);
    for (uint32_t i = 0; i < count; i++) {
        float vector[3] = {offset.x + x[i], offset.y + y[i], offset.z + z[i]};
        file_writer_write(file, vector, sizeof vector);
    }
}

static void put_ages(FileWriter *file, const FrameView *view)
{
    vtp_put_length(file, 4ull * view->count);
    for (uint32_t i = 0; i < view->count; i++) {
        float age = frame_view_age(view, i);
        file_writer_write(file, &age, sizeof age);
    }
}

Result export_particles_vtp(const char *path, const FrameView *view)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    uint32_t n = view->count;
    uint64_t offset = 0, words = 4ull * n;
    file_writer_print(&file,
                      "<?xml version=\"1.0\"?>\n"
                      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\""
                      " header_type=\"UInt64\">\n<PolyData>\n"
                      "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\""
                      " format=\"ascii\">%.9g</DataArray>\n"
                      "<DataArray type=\"Float64\" Name=\"spacing\" NumberOfTuples=\"1\""
                      " format=\"ascii\">%.9g</DataArray></FieldData>\n"
                      "<Piece NumberOfPoints=\"%u\" NumberOfVerts=\"%u\" NumberOfLines=\"0\""
                      " NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<Points>\n",
                      view->time, (double)view->spacing, n, n);
    vtp_put_tag(&file, "Float32", "Points", 3, 3 * words, &offset);
    file_writer_print(&file, "</Points>\n<Verts>\n");
    vtp_put_tag(&file, "Int32", "connectivity", 1, words, &offset);
    vtp_put_tag(&file, "Int32", "offsets", 1, words, &offset);
    file_writer_print(&file, "</Verts>\n<PointData Scalars=\"density\" Vectors=\"velocity\">\n");
    vtp_put_tag(&file, "Float32", "velocity", 3, 3 * words, &offset);
    vtp_put_tag(&file, "Float32", "density", 1, words, &offset);
    vtp_put_tag(&file, "UInt32", "id", 1, words, &offset);
    vtp_put_tag(&file, "Float32", "vorticity", 1, words, &offset);
    vtp_put_tag(&file, "Float32", "age", 1, words, &offset);
    vtp_put_tag(&file, "UInt32", "neighbors", 1, words, &offset);
    file_writer_print(&file, "</PointData>\n");
    vtp_open_arrays(&file);

    put_vectors(&file, n, view->x, view->y, view->z, view->origin);
    vtp_put_numbers(&file, n, 0, 1);
    vtp_put_numbers(&file, n, 1, 1);
    put_vectors(&file, n, view->vx, view->vy, view->vz, vec3_make(0, 0, 0));
    vtp_put_bytes(&file, view->density, words);
    vtp_put_bytes(&file, view->id, words);
    vtp_put_bytes(&file, view->vorticity, words);
    put_ages(&file, view);
    vtp_put_bytes(&file, view->neighbors, words);
    return vtp_commit(&file);
}

Result export_mesh_vtp(const char *path, const SurfaceMesh *mesh)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    uint32_t triangles = mesh->triangle_count;
    uint64_t offset, vectors = 12ull * mesh->vertex_count;
    vtp_open_triangles(&file, mesh->vertex_count, triangles, &offset);
    file_writer_print(&file, "<PointData Normals=\"normals\"%s>\n",
                      mesh->velocity ? " Vectors=\"velocity\"" : "");
    vtp_put_tag(&file, "Float32", "normals", 3, vectors, &offset);
    if (mesh->velocity) vtp_put_tag(&file, "Float32", "velocity", 3, vectors, &offset);
    file_writer_print(&file, "</PointData>\n");
    vtp_open_arrays(&file);

    vtp_put_bytes(&file, mesh->vertex, vectors);
    vtp_put_bytes(&file, mesh->triangle, 12ull * triangles);
    vtp_put_numbers(&file, triangles, 3, 3);
    vtp_put_bytes(&file, mesh->normal, vectors);
    if (mesh->velocity) vtp_put_bytes(&file, mesh->velocity, vectors);
    return vtp_commit(&file);
}
