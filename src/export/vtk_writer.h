// What the writers of VTK's two formats share.
#ifndef PBF_EXPORT_VTK_WRITER_H
#define PBF_EXPORT_VTK_WRITER_H

#include "export/file_writer.h"

// --- legacy ---

// Words of four bytes, big-endian as the format is on every machine.
void vtk_put_words(FileWriter *file, const void *words, uint64_t count);

// Triangles as POLYGONS.
void vtk_put_triangles(FileWriter *file, uint32_t (*triangles)[3], uint32_t count);

// --- XML ---

// Arrays follow the XML as raw bytes, each behind its length; the XML names where each one starts.

// An array's tag. bytes: of its numbers; *offset: where they start, moved on to the next array's.
void vtp_put_tag(FileWriter *file, const char *type, const char *name, uint32_t components, uint64_t bytes,
                 uint64_t *offset);

// Points and triangles of a piece, up to the opening of its point data; *offset starts there.
void vtp_open_triangles(FileWriter *file, uint32_t points, uint32_t triangles, uint64_t *offset);

// Closes the piece and opens the arrays, which come in the order of their tags.
void vtp_open_arrays(FileWriter *file);

void vtp_put_length(FileWriter *file, uint64_t bytes);
void vtp_put_bytes(FileWriter *file, const void *data, uint64_t bytes); // with their length
void vtp_put_numbers(FileWriter *file, uint32_t count, uint32_t first, uint32_t step);

// Closes the arrays and the file.
Result vtp_commit(FileWriter *file);

#endif
