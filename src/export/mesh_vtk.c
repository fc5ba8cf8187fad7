#include "export/export.h"

#include "export/file_writer.h"

#include <string.h>

// The legacy format is big-endian on every machine.
static void put_words(FileWriter *file, const void *words, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)words + 4 * k, 4);
        word = __builtin_bswap32(word);
        file_writer_write(file, &word, 4);
    }
}
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the words above are swapped");

static void put_vectors(FileWriter *file, const Vec3 *vectors, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) put_words(file, &vectors[v], 3);
}

Result export_mesh_vtk(const char *path, const SurfaceMesh *mesh)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    uint32_t n = mesh->vertex_count;
    file_writer_print(&file,
                      "# vtk DataFile Version 3.0\n"
                      "pbf surface\n"
                      "BINARY\n"
                      "DATASET POLYDATA\n"
                      "POINTS %u float\n",
                      n);
    put_vectors(&file, mesh->vertex, n);
    file_writer_print(&file, "\nPOLYGONS %u %llu\n", mesh->triangle_count, 4ull * mesh->triangle_count);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t corners = 3;
        put_words(&file, &corners, 1);
        put_words(&file, mesh->triangle[t], 3);
    }
    file_writer_print(&file, "\nPOINT_DATA %u\nNORMALS normals float\n", n);
    put_vectors(&file, mesh->normal, n);
    if (mesh->velocity) {
        file_writer_print(&file, "\nVECTORS velocity float\n");
        put_vectors(&file, mesh->velocity, n);
    }
    file_writer_print(&file, "\n");
    return file_writer_commit(&file);
}
