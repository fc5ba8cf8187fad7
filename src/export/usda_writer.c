#include "export/usda_writer.h"

void usda_put_head(FileWriter *file, const char *prim)
{
    file_writer_print(
        file, "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    metersPerUnit = 1\n    upAxis = \"Z\"\n", prim);
}

void usda_put_vectors(FileWriter *file, const char *declaration, const Vec3 *vectors, uint32_t count)
{
    file_writer_print(file, "%s = [", declaration);
    for (uint32_t v = 0; v < count; v++) {
        file_writer_print(file, "%s(%.9g, %.9g, %.9g)", v > 0 ? ", " : "", (double)vectors[v].x,
                          (double)vectors[v].y, (double)vectors[v].z);
    }
    file_writer_print(file, "]");
}

void usda_put_extent(FileWriter *file, const char *indent, const Vec3 *points, uint32_t count)
{
    if (count == 0) return;
    Vec3 ends[2] = {points[0], points[0]};
    for (uint32_t v = 1; v < count; v++) {
        ends[0] = vec3_min(ends[0], points[v]);
        ends[1] = vec3_max(ends[1], points[v]);
    }
    file_writer_print(file, "%s", indent);
    usda_put_vectors(file, "float3[] extent", ends, 2);
    file_writer_print(file, "\n");
}

void usda_open_triangles(FileWriter *file, const char *indent, uint32_t count)
{
    file_writer_print(file, "%suniform token subdivisionScheme = \"none\"\n%sint[] faceVertexCounts = [",
                      indent, indent);
    for (uint32_t t = 0; t < count; t++) file_writer_print(file, "%s3", t > 0 ? ", " : "");
    file_writer_print(file, "]\n%sint[] faceVertexIndices = [", indent);
}
