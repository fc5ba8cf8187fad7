// USD as text, in meters with z up: a mesh of one part, a group of meshes, one a part, or curves.
#include "core/srgb.h"
#include "export/export.h"

#include <math.h>

static void put_head(FileWriter *file, const char *prim, UpAxis up)
{
    file_writer_print(file,
                      "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    metersPerUnit = 1\n    upAxis = \"%s\"\n",
                      prim, up == UP_Y ? "Y" : "Z");
}

static void put_vector(FileWriter *file, bool first, Vec3 v)
{
    file_writer_print(file, "%s(%.9g, %.9g, %.9g)", first ? "" : ", ", (double)v.x, (double)v.y, (double)v.z);
}

static void put_vectors(FileWriter *file, const Geometry *geometry, const Attribute *attribute,
                        uint32_t first, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        put_vector(file, k == 0, geometry_vector(geometry, attribute, first + k));
}

static void put_triangles(FileWriter *file, const char *indent, const Geometry *geometry,
                          const GeometryPart *part)
{
    file_writer_print(file, "%suniform token subdivisionScheme = \"none\"\n%sint[] faceVertexCounts = [",
                      indent, indent);
    for (uint32_t t = 0; t < part->triangle_count; t++) file_writer_print(file, "%s3", t > 0 ? ", " : "");
    file_writer_print(file, "]\n%sint[] faceVertexIndices = [", indent);
    for (uint32_t t = 0; t < part->triangle_count; t++) {
        for (int c = 0; c < 3; c++) {
            uint32_t point = geometry_point(geometry, geometry->triangle[part->first_triangle + t][c]);
            file_writer_print(file, "%s%u", t > 0 || c > 0 ? ", " : "", point - part->first_point);
        }
    }
    file_writer_print(file, "]\n");
}

// The bounding box; programs place and cull by it without looking at the points.
static void put_extent(FileWriter *file, const char *indent, const Geometry *geometry,
                       const GeometryPart *part)
{
    const Attribute *position = geometry_find(geometry, ROLE_POSITION);
    if (part->point_count == 0) return;
    Vec3 lo = geometry_vector(geometry, position, part->first_point), hi = lo;
    for (uint32_t k = 1; k < part->point_count; k++) {
        Vec3 point = geometry_vector(geometry, position, part->first_point + k);
        lo = vec3_min(lo, point);
        hi = vec3_max(hi, point);
    }
    file_writer_print(file, "%sfloat3[] extent = [", indent);
    put_vector(file, true, lo);
    put_vector(file, false, hi);
    file_writer_print(file, "]\n");
}

// Bodies without edges have a normal for each point, others one for each corner of their triangles.
static void put_normals(FileWriter *file, const char *indent, const Geometry *geometry,
                        const Attribute *normals, const GeometryPart *part)
{
    bool smooth = part->vertex_count == part->point_count;
    file_writer_print(file, "%snormal3f[] normals = [", indent);
    if (smooth) put_vectors(file, geometry, normals, part->first_vertex, part->vertex_count);
    for (uint32_t k = 0; k < 3 * part->triangle_count && !smooth; k++) {
        uint32_t vertex = geometry->triangle[part->first_triangle + k / 3][k % 3];
        put_vector(file, k == 0, geometry_vector(geometry, normals, vertex));
    }
    file_writer_print(file, "] (\n%s    interpolation = \"%s\"\n%s)\n", indent,
                      smooth ? "vertex" : "faceVarying", indent);
}

static void put_points(FileWriter *file, const char *indent, const Geometry *geometry,
                       const Attribute *attribute, const GeometryPart *part)
{
    file_writer_print(file, "%s%s = [", indent,
                      attribute->role == ROLE_POSITION ? "point3f[] points" : "vector3f[] velocities");
    put_vectors(file, geometry, attribute, part->first_point, part->point_count);
    file_writer_print(file, "]\n");
}

static void put_mesh(FileWriter *file, const char *indent, const Geometry *geometry, const GeometryPart *part)
{
    put_triangles(file, indent, geometry, part);
    put_extent(file, indent, geometry, part);
    for (uint32_t k = 0; k < geometry->attribute_count; k++) {
        const Attribute *attribute = &geometry->attributes[k];
        if (attribute->role == ROLE_NORMAL) put_normals(file, indent, geometry, attribute, part);
        if (attribute->role == ROLE_POSITION || attribute->role == ROLE_VELOCITY)
            put_points(file, indent, geometry, attribute, part);
    }
}

// --- lines ---

static void put_widths(FileWriter *file, const Geometry *geometry, const Attribute *radius)
{
    file_writer_print(file, "    float[] widths = [");
    for (uint32_t line = 0; line < geometry->line_count; line++) {
        float value;
        geometry_gather(geometry, radius, ELEMENT_LINE, line, 1, &value, sizeof value);
        file_writer_print(file, "%s%.9g", line > 0 ? ", " : "", 2.0 * (double)value);
    }
    file_writer_print(file, "] (\n        interpolation = \"uniform\"\n    )\n");
}

static void put_colors(FileWriter *file, const Geometry *geometry, const Attribute *color)
{
    file_writer_print(file, "    color3f[] primvars:displayColor = [");
    for (uint32_t line = 0; line < geometry->line_count; line++) {
        uint8_t srgb[3];
        float linear[3];
        geometry_gather(geometry, color, ELEMENT_LINE, line, 1, srgb, sizeof srgb);
        for (int k = 0; k < 3; k++) linear[k] = linear_of_srgb((float)srgb[k] / 255.0f);
        put_vector(file, line == 0, vec3_make(linear[0], linear[1], linear[2]));
    }
    file_writer_print(file, "] (\n        interpolation = \"uniform\"\n    )\n");
}

static void put_curves(FileWriter *file, const Geometry *geometry)
{
    GeometryPart whole = geometry_part(geometry, 0);
    file_writer_print(file, "    uniform token type = \"linear\"\n    uniform token wrap = \"nonperiodic\"\n"
                            "    int[] curveVertexCounts = [");
    for (uint32_t line = 0; line < geometry->line_count; line++)
        file_writer_print(file, "%s%u", line > 0 ? ", " : "",
                          geometry->line_first[line + 1] - geometry->line_first[line]);
    file_writer_print(file, "]\n");
    put_extent(file, "    ", geometry, &whole);
    for (uint32_t k = 0; k < geometry->attribute_count; k++) {
        const Attribute *attribute = &geometry->attributes[k];
        if (attribute->role == ROLE_RADIUS) put_widths(file, geometry, attribute);
        if (attribute->role == ROLE_COLOR) put_colors(file, geometry, attribute);
        if (attribute->role == ROLE_POSITION || attribute->role == ROLE_VELOCITY)
            put_points(file, "    ", geometry, attribute, &whole);
    }
}

// --- files ---

static void put_part(FileWriter *file, const Geometry *geometry, const GeometryPart *part)
{
    file_writer_print(file, "\n    def Mesh \"%s\"\n    {\n", part->label);
    put_mesh(file, "        ", geometry, part);
    file_writer_print(file,
                      "        color3f[] primvars:displayColor = [(%.9g, %.9g, %.9g)] (\n"
                      "            interpolation = \"constant\"\n        )\n"
                      "        custom int userProperties:obstacle = %u\n    }\n",
                      (double)part->color[0], (double)part->color[1], (double)part->color[2], part->number);
}

Result export_usda(const char *path, const Geometry *geometry)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    put_head(&file, geometry->name, geometry->up);
    if (geometry->parts) {
        file_writer_print(&file, ")\n\ndef Xform \"%s\"\n{", geometry->name);
        for (uint32_t k = 0; k < geometry->part_count; k++) put_part(&file, geometry, &geometry->parts[k]);
    } else if (geometry->line_first) {
        file_writer_print(&file, ")\n\ndef BasisCurves \"%s\"\n{\n", geometry->name);
        put_curves(&file, geometry);
    } else {
        GeometryPart whole = geometry_part(geometry, 0);
        file_writer_print(&file, ")\n\ndef Mesh \"%s\"\n{\n", geometry->name);
        put_mesh(&file, "    ", geometry, &whole);
    }
    file_writer_print(&file, "}\n");
    return file_writer_commit(&file);
}

double series_rate(FileSeries series)
{
    double length = series.count > 1 ? series.times[series.count - 1] - series.times[0] : 0;
    return length > 0 ? (series.count - 1) / length : 24;
}

// The number of triangles differs from frame to frame, which time samples of one mesh cannot show in every
// program: each frame is a prim of its own that is visible at its time.
static Result write_stage(const char *path, const char *root, FileSeries series)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    double rate = series_rate(series);
    // Frames of a run that went on elsewhere have the codes of scene.usda, not 0 and up.
    uint32_t first = series.count > 1 ? (uint32_t)lround(series.times[0] * rate) : 0;
    uint32_t last = first + (series.count > 0 ? series.count - 1 : 0);
    put_head(&file, root, series.up);
    file_writer_print(&file,
                      "    startTimeCode = %u\n    endTimeCode = %u\n"
                      "    timeCodesPerSecond = %.9g\n    framesPerSecond = %.9g\n)\n\n"
                      "def Xform \"%s\"\n{\n",
                      first, last, rate, rate, root);
    for (uint32_t k = first; k < first + series.count; k++) {
        file_writer_print(&file,
                          "    def \"frame_%04u\" (\n        prepend payload = @./%s@\n    )\n    {\n"
                          "        token visibility.timeSamples = {",
                          k, series.files[k - first]);
        if (k > first) file_writer_print(&file, "%u: \"invisible\", ", first);
        file_writer_print(&file, "%u: \"inherited\"", k);
        if (k < last) file_writer_print(&file, ", %u: \"invisible\"", k + 1);
        file_writer_print(&file, "}\n    }\n");
    }
    file_writer_print(&file, "}\n");
    return file_writer_commit(&file);
}

Result export_series_usda(const char *path, FileSeries series)
{
    return write_stage(path, "water", series);
}

Result export_series_strands_usda(const char *path, FileSeries series)
{
    return write_stage(path, "strands", series);
}

Result export_series_obstacles_usda(const char *path, FileSeries series)
{
    return write_stage(path, "obstacles", series);
}
