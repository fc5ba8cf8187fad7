#include "export/vtk_writer.h"

#include <inttypes.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "words are swapped, arrays are written as they are");

void vtk_put_words(FileWriter *file, const void *words, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)words + 4 * k, 4);
        word = __builtin_bswap32(word);
        file_writer_write(file, &word, 4);
    }
}

void vtk_put_triangles(FileWriter *file, uint32_t (*triangles)[3], uint32_t count)
{
    file_writer_print(file, "\nPOLYGONS %u %llu\n", count, 4ull * count);
    for (uint32_t t = 0; t < count; t++) {
        const uint32_t corners = 3;
        vtk_put_words(file, &corners, 1);
        vtk_put_words(file, triangles[t], 3);
    }
}

void vtp_put_tag(FileWriter *file, const char *type, const char *name, uint32_t components, uint64_t bytes,
                 uint64_t *offset)
{
    file_writer_print(file,
                      "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%u\" format=\"appended\""
                      " offset=\"%" PRIu64 "\"/>\n",
                      type, name, components, *offset);
    *offset += sizeof(uint64_t) + bytes;
}

void vtp_open_triangles(FileWriter *file, uint32_t points, uint32_t triangles, uint64_t *offset)
{
    *offset = 0;
    file_writer_print(file,
                      "<?xml version=\"1.0\"?>\n"
                      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\""
                      " header_type=\"UInt64\">\n<PolyData>\n"
                      "<Piece NumberOfPoints=\"%u\" NumberOfVerts=\"0\" NumberOfLines=\"0\""
                      " NumberOfStrips=\"0\" NumberOfPolys=\"%u\">\n<Points>\n",
                      points, triangles);
    vtp_put_tag(file, "Float32", "Points", 3, 12ull * points, offset);
    file_writer_print(file, "</Points>\n<Polys>\n");
    vtp_put_tag(file, "Int32", "connectivity", 1, 12ull * triangles, offset);
    vtp_put_tag(file, "Int32", "offsets", 1, 4ull * triangles, offset);
    file_writer_print(file, "</Polys>\n");
}

void vtp_open_arrays(FileWriter *file)
{
    file_writer_print(file, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
}

void vtp_put_length(FileWriter *file, uint64_t bytes)
{
    file_writer_write(file, &bytes, sizeof bytes);
}

void vtp_put_bytes(FileWriter *file, const void *data, uint64_t bytes)
{
    vtp_put_length(file, bytes);
    file_writer_write(file, data, bytes);
}

void vtp_put_numbers(FileWriter *file, uint32_t count, uint32_t first, uint32_t step)
{
    vtp_put_length(file, 4ull * count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = first + i * step;
        file_writer_write(file, &number, sizeof number);
    }
}

Result vtp_commit(FileWriter *file)
{
    file_writer_print(file, "\n</AppendedData>\n</VTKFile>\n");
    return file_writer_commit(file);
}
