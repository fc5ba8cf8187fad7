#include "export/export.h"

#include "export/file_writer.h"

// What every stage begins with; more of its metadata and the closing bracket may follow.
static void put_head(FileWriter *file, const char *prim)
{
    file_writer_print(
        file, "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    metersPerUnit = 1\n    upAxis = \"Z\"\n", prim);
}

static void put_vectors(FileWriter *file, const char *declaration, const Vec3 *vectors, uint32_t count)
{
    file_writer_print(file, "    %s = [", declaration);
    for (uint32_t v = 0; v < count; v++) {
        file_writer_print(file, "%s(%.9g, %.9g, %.9g)", v > 0 ? ", " : "", (double)vectors[v].x,
                          (double)vectors[v].y, (double)vectors[v].z);
    }
    file_writer_print(file, "]");
}

// Programs that place or cull by the extent do not look at the points.
static void put_extent(FileWriter *file, const SurfaceMesh *mesh)
{
    if (mesh->vertex_count == 0) return;
    Vec3 ends[2] = {mesh->vertex[0], mesh->vertex[0]};
    for (uint32_t v = 1; v < mesh->vertex_count; v++) {
        ends[0] = vec3_min(ends[0], mesh->vertex[v]);
        ends[1] = vec3_max(ends[1], mesh->vertex[v]);
    }
    put_vectors(file, "float3[] extent", ends, 2);
    file_writer_print(file, "\n");
}

Result export_mesh_usda(const char *path, const SurfaceMesh *mesh)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    uint32_t n = mesh->vertex_count;
    put_head(&file, "surface");
    file_writer_print(&file, ")\n\ndef Mesh \"surface\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
                             "    int[] faceVertexCounts = [");
    for (uint32_t t = 0; t < mesh->triangle_count; t++) file_writer_print(&file, "%s3", t > 0 ? ", " : "");
    file_writer_print(&file, "]\n    int[] faceVertexIndices = [");
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *at = mesh->triangle[t];
        file_writer_print(&file, "%s%u, %u, %u", t > 0 ? ", " : "", at[0], at[1], at[2]);
    }
    file_writer_print(&file, "]\n");
    put_extent(&file, mesh);
    put_vectors(&file, "point3f[] points", mesh->vertex, n);
    file_writer_print(&file, "\n");
    put_vectors(&file, "normal3f[] normals", mesh->normal, n);
    file_writer_print(&file, " (\n        interpolation = \"vertex\"\n    )\n");
    if (mesh->velocity) {
        put_vectors(&file, "vector3f[] velocities", mesh->velocity, n);
        file_writer_print(&file, "\n");
    }
    file_writer_print(&file, "}\n");
    return file_writer_commit(&file);
}

// The number of triangles differs from frame to frame, which time samples of one mesh cannot show in every
// program: each frame is a prim of its own that is visible at its time.
Result export_series_usda(const char *path, FileSeries series)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    uint32_t last = series.count > 0 ? series.count - 1 : 0;
    double length = series.count > 1 ? series.times[last] - series.times[0] : 0;
    double rate = length > 0 ? last / length : 24;
    put_head(&file, "water");
    file_writer_print(&file,
                      "    startTimeCode = 0\n    endTimeCode = %u\n"
                      "    timeCodesPerSecond = %.9g\n    framesPerSecond = %.9g\n)\n\n"
                      "def Xform \"water\"\n{\n",
                      last, rate, rate);
    for (uint32_t k = 0; k < series.count; k++) {
        file_writer_print(&file,
                          "    def \"frame_%04u\" (\n        prepend payload = @./%s@\n    )\n    {\n"
                          "        token visibility.timeSamples = {",
                          k, series.files[k]);
        if (k > 0) file_writer_print(&file, "0: \"invisible\", ");
        file_writer_print(&file, "%u: \"inherited\"", k);
        if (k < last) file_writer_print(&file, ", %u: \"invisible\"", k + 1);
        file_writer_print(&file, "}\n    }\n");
    }
    file_writer_print(&file, "}\n");
    return file_writer_commit(&file);
}
