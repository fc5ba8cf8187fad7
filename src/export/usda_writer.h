// What the writers of USD files share.
#ifndef PBF_EXPORT_USDA_WRITER_H
#define PBF_EXPORT_USDA_WRITER_H

#include "core/vec3.h"
#include "export/file_writer.h"

// What every stage begins with; more of its metadata and the closing bracket may follow. prim: of the root.
void usda_put_head(FileWriter *file, const char *prim);

// "DECLARATION = [(x, y, z), ...]" without an end of the line, as the declaration is indented.
void usda_put_vectors(FileWriter *file, const char *declaration, const Vec3 *vectors, uint32_t count);

// The box of the points on a line of its own, nothing if there are none: programs that place or cull by it do
// not look at the points. indent: blanks before it.
void usda_put_extent(FileWriter *file, const char *indent, const Vec3 *points, uint32_t count);

// Opens the list of a mesh's triangles: how many corners each has, and the declaration of their numbers.
void usda_open_triangles(FileWriter *file, const char *indent, uint32_t count);

#endif
