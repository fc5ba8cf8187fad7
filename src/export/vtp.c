#include "export/export.h"

#include "export/file_writer.h"

#include <inttypes.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are written in the machine's byte order");

// Arrays follow the XML as raw bytes, each behind its length; the XML names where each one starts.
#define LENGTH_BYTES sizeof(uint64_t)

static void put_array_tag(FileWriter *file, const char *type, const char *name, uint32_t components,
                          uint32_t count, uint64_t *offset)
{
    file_writer_print(file,
                      "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%u\" format=\"appended\""
                      " offset=\"%" PRIu64 "\"/>\n",
                      type, name, components, *offset);
    *offset += LENGTH_BYTES + (uint64_t)count * components * 4;
}

static void put_length(FileWriter *file, uint32_t count, uint32_t components)
{
    uint64_t bytes = (uint64_t)count * components * 4;
    file_writer_write(file, &bytes, sizeof bytes);
}

static void put_vectors(FileWriter *file, uint32_t count, const float *x, const float *y, const float *z,
                        Vec3 offset)
{
    put_length(file, count, 3);
    for (uint32_t i = 0; i < count; i++) {
        float vector[3] = {offset.x + x[i], offset.y + y[i], offset.z + z[i]};
        file_writer_write(file, vector, sizeof vector);
    }
}

static void put_numbers(FileWriter *file, uint32_t count, uint32_t first, uint32_t step)
{
    put_length(file, count, 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = first + i * step;
        file_writer_write(file, &number, sizeof number);
    }
}

static void put_stream(FileWriter *file, uint32_t count, uint32_t components, const void *stream)
{
    put_length(file, count, components);
    file_writer_write(file, stream, (size_t)count * components * 4);
}

static Result complete(FileWriter *file)
{
    file_writer_print(file, "\n</AppendedData>\n</VTKFile>\n");
    return file_writer_commit(file);
}

Result export_particles_vtp(const char *path, const FrameView *view)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    uint32_t n = view->count;
    uint64_t offset = 0;
    file_writer_print(&file,
                      "<?xml version=\"1.0\"?>\n"
                      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\""
                      " header_type=\"UInt64\">\n<PolyData>\n"
                      "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\""
                      " format=\"ascii\">%.9g</DataArray></FieldData>\n"
                      "<Piece NumberOfPoints=\"%u\" NumberOfVerts=\"%u\" NumberOfLines=\"0\""
                      " NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<Points>\n",
                      view->time, n, n);
    put_array_tag(&file, "Float32", "Points", 3, n, &offset);
    file_writer_print(&file, "</Points>\n<Verts>\n");
    put_array_tag(&file, "Int32", "connectivity", 1, n, &offset);
    put_array_tag(&file, "Int32", "offsets", 1, n, &offset);
    file_writer_print(&file, "</Verts>\n<PointData Scalars=\"density\" Vectors=\"velocity\">\n");
    put_array_tag(&file, "Float32", "velocity", 3, n, &offset);
    put_array_tag(&file, "Float32", "density", 1, n, &offset);
    put_array_tag(&file, "UInt32", "id", 1, n, &offset);
    file_writer_print(&file, "</PointData>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");

    put_vectors(&file, n, view->x, view->y, view->z, view->origin);
    put_numbers(&file, n, 0, 1);
    put_numbers(&file, n, 1, 1);
    put_vectors(&file, n, view->vx, view->vy, view->vz, vec3_make(0, 0, 0));
    put_stream(&file, n, 1, view->density);
    put_stream(&file, n, 1, view->id);
    return complete(&file);
}

Result export_mesh_vtp(const char *path, const SurfaceMesh *mesh)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    uint32_t n = mesh->vertex_count, triangles = mesh->triangle_count;
    uint64_t offset = 0;
    file_writer_print(&file,
                      "<?xml version=\"1.0\"?>\n"
                      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\""
                      " header_type=\"UInt64\">\n<PolyData>\n"
                      "<Piece NumberOfPoints=\"%u\" NumberOfVerts=\"0\" NumberOfLines=\"0\""
                      " NumberOfStrips=\"0\" NumberOfPolys=\"%u\">\n<Points>\n",
                      n, triangles);
    put_array_tag(&file, "Float32", "Points", 3, n, &offset);
    file_writer_print(&file, "</Points>\n<Polys>\n");
    put_array_tag(&file, "Int32", "connectivity", 1, 3 * triangles, &offset);
    put_array_tag(&file, "Int32", "offsets", 1, triangles, &offset);
    file_writer_print(&file, "</Polys>\n<PointData Normals=\"normals\"%s>\n",
                      mesh->velocity ? " Vectors=\"velocity\"" : "");
    put_array_tag(&file, "Float32", "normals", 3, n, &offset);
    if (mesh->velocity) put_array_tag(&file, "Float32", "velocity", 3, n, &offset);
    file_writer_print(&file, "</PointData>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");

    put_stream(&file, n, 3, mesh->vertex);
    put_stream(&file, 3 * triangles, 1, mesh->triangle);
    put_numbers(&file, triangles, 3, 3);
    put_stream(&file, n, 3, mesh->normal);
    if (mesh->velocity) put_stream(&file, n, 3, mesh->velocity);
    return complete(&file);
}
