#include "solid_file_helpers.h"
#include "case_helpers.h"
#include "vtp_file_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static SolidFile make(uint32_t count, bool moving, bool coloured)
{
    SolidFile file = {.count = count, .moving = moving, .coloured = coloured};
    file.corner = calloc(count + (size_t)1, sizeof *file.corner);
    file.body = calloc(count + (size_t)1, sizeof *file.body);
    file.color = calloc(count + (size_t)1, sizeof *file.color);
    assert_true(file.corner && file.body && file.color);
    return file;
}

static void take(const char **at, const char *end, void *to, size_t bytes)
{
    assert_true((size_t)(end - *at) >= bytes);
    memcpy(to, *at, bytes);
    *at += bytes;
}

static void expect(const char **at, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0) fail_msg("\"%.60s\" is not \"%s\"", *at, text);
    *at += length;
}

// A title, which also says time and spacing where bodies move.
static void expect_title(const char **at)
{
    expect(at, "pbf obstacles");
    if (**at == ',') *at = strchr(*at, '\n');
    expect(at, "\n");
}

static uint32_t take_count(const char **at)
{
    char *end;
    uint32_t count = (uint32_t)strtoul(*at, &end, 10);
    assert_true(end > *at);
    *at = end;
    return count;
}

static SolidFile read_ply(const char *at, const char *end)
{
    expect(&at, "ply\nformat binary_little_endian 1.0\ncomment ");
    expect_title(&at);
    expect(&at, "element vertex ");
    uint32_t vertices = take_count(&at);
    expect(&at,
           "\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\n"
           "property float nz\nproperty float vx\nproperty float vy\nproperty float vz\n"
           "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty int obstacle\n"
           "element face ");
    SolidFile file = make(take_count(&at), true, true);
    expect(&at, "\nproperty list uchar int vertex_indices\nend_header\n");
    const char *rows = at;
    at += 43 * (size_t)vertices;
    for (uint32_t t = 0; t < file.count; t++) {
        uint8_t corners;
        uint32_t v[3];
        take(&at, end, &corners, 1);
        take(&at, end, v, 12);
        assert_int_equal(corners, 3);
        for (int k = 0; k < 3; k++) {
            assert_true(v[k] < vertices);
            int32_t body;
            const char *row = rows + 43 * (size_t)v[k];
            memcpy(&file.corner[t][k], row, 36);
            memcpy(file.color[t], row + 36, 3);
            memcpy(&body, row + 39, 4);
            assert_true(k == 0 || body == file.body[t]);
            file.body[t] = body;
        }
    }
    assert_ptr_equal(at, end);
    return file;
}

static uint32_t take_big(const char **at, const char *end)
{
    uint8_t b[4];
    take(at, end, b, 4);
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static Vec3 *take_big_vectors(const char **at, const char *end, uint32_t count)
{
    uint32_t *words = malloc(12 * (size_t)count + 1);
    for (size_t k = 0; k < 3 * (size_t)count; k++) words[k] = take_big(at, end);
    return (Vec3 *)words;
}

static SolidFile read_vtk(const char *at, const char *end)
{
    expect(&at, "# vtk DataFile Version 3.0\n");
    expect_title(&at);
    expect(&at, "BINARY\nDATASET POLYDATA\nPOINTS ");
    uint32_t vertices = take_count(&at);
    expect(&at, " float\n");
    Vec3 *position = take_big_vectors(&at, end, vertices);
    expect(&at, "\nPOLYGONS ");
    SolidFile file = make(take_count(&at), true, true);
    assert_int_equal(take_count(&at), 4 * file.count);
    expect(&at, "\n");
    uint32_t(*triangle)[3] = malloc(12 * (size_t)file.count + 1);
    for (uint32_t t = 0; t < file.count; t++) {
        assert_int_equal(take_big(&at, end), 3);
        for (int k = 0; k < 3; k++) triangle[t][k] = take_big(&at, end);
    }
    expect(&at, "\nPOINT_DATA ");
    assert_int_equal(take_count(&at), vertices);
    expect(&at, "\nNORMALS normals float\n");
    Vec3 *normal = take_big_vectors(&at, end, vertices);
    expect(&at, "\nVECTORS velocity float\n");
    Vec3 *velocity = take_big_vectors(&at, end, vertices);
    expect(&at, "\nCELL_DATA ");
    assert_int_equal(take_count(&at), file.count);
    expect(&at, "\nSCALARS obstacle int 1\nLOOKUP_TABLE default\n");
    for (uint32_t t = 0; t < file.count; t++) file.body[t] = (int32_t)take_big(&at, end);
    expect(&at, "\nFIELD FieldData 1\ncolor 3 ");
    assert_int_equal(take_count(&at), file.count);
    expect(&at, " unsigned_char\n");
    take(&at, end, file.color, 3 * (size_t)file.count);
    expect(&at, "\n");
    assert_ptr_equal(at, end);
    for (uint32_t t = 0; t < file.count; t++) {
        for (int k = 0; k < 3; k++) {
            uint32_t v = triangle[t][k];
            assert_true(v < vertices);
            file.corner[t][k] = (SolidCorner){position[v], normal[v], velocity[v]};
        }
    }
    free(position);
    free(triangle);
    free(normal);
    free(velocity);
    return file;
}

// An array by its name, to be freed.
static void *take_array(const char *text, const char *name, uint64_t bytes)
{
    void *to = malloc(bytes + 1);
    if (!test_vtp_array(text, name, bytes, to)) fail_msg("the array %s is not whole", name);
    return to;
}

static uint32_t number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    if (!at) fail_msg("\"%s\" is missing", word);
    return (uint32_t)strtoul(at + strlen(word), NULL, 10);
}

static SolidFile read_vtp(const char *text, const char *end)
{
    static const char closing[] = "</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n";
    uint64_t vertices = number_after(text, "NumberOfPoints=\"");
    SolidFile file = make(number_after(text, "NumberOfPolys=\""), true, true);
    uint64_t n = file.count;
    Vec3 *position = take_array(text, "Points", 12 * vertices),
         *normal = take_array(text, "normals", 12 * vertices),
         *velocity = take_array(text, "velocity", 12 * vertices);
    uint32_t(*triangle)[3] = take_array(text, "connectivity", 12 * n);
    uint32_t *ends = take_array(text, "offsets", 4 * n);
    if (!test_vtp_array(text, "obstacle", 4 * n, file.body) ||
        !test_vtp_array(text, "color", 3 * n, file.color))
        fail_msg("obstacle or color is not whole");
    assert_string_equal(end - (sizeof closing - 1), closing);
    for (uint32_t t = 0; t < n; t++) {
        assert_int_equal(ends[t], 3 * (t + 1));
        for (int k = 0; k < 3; k++) {
            uint32_t v = triangle[t][k];
            assert_true(v < vertices);
            file.corner[t][k] = (SolidCorner){position[v], normal[v], velocity[v]};
        }
    }
    free(position);
    free(normal);
    free(velocity);
    free(triangle);
    free(ends);
    return file;
}

static void add_name(SolidFile *file, const char *name, size_t length)
{
    assert_true(length > 0 && length < SOLID_NAME_BYTES);
    file->name = realloc(file->name, (file->names + (size_t)1) * sizeof *file->name);
    assert_non_null(file->name);
    memcpy(file->name[file->names], name, length);
    file->name[file->names++][length] = '\0';
}

static uint32_t count_lines(const char *text, const char *start)
{
    uint32_t count = strncmp(text, start, strlen(start)) == 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        count += strncmp(at + 1, start, strlen(start)) == 0;
    return count;
}

static SolidFile read_obj(char *text)
{
    SolidFile file = make(count_lines(text, "f "), false, false);
    size_t points = 0, normals = 0;
    uint32_t t = 0, v[6], bodies = number_after(text, "# pbf obstacles: ");
    Vec3 *point = malloc((count_lines(text, "v ") + (size_t)1) * sizeof *point),
         *normal = malloc((count_lines(text, "vn ") + (size_t)1) * sizeof *normal);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        Vec3 p;
        if (sscanf(line, "v %f %f %f", &p.x, &p.y, &p.z) == 3) {
            point[points++] = p;
        } else if (sscanf(line, "vn %f %f %f", &p.x, &p.y, &p.z) == 3) {
            normal[normals++] = p;
        } else if (sscanf(line, "f %u//%u %u//%u %u//%u", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]) == 6) {
            for (int k = 0; k < 3; k++) {
                assert_true(v[2 * k] >= 1 && v[2 * k] <= points);
                assert_true(v[2 * k + 1] >= 1 && v[2 * k + 1] <= normals);
                file.corner[t][k].position = point[v[2 * k] - 1];
                file.corner[t][k].normal = normal[v[2 * k + 1] - 1];
            }
            file.body[t++] = (int32_t)file.names - 1;
        } else if (line[0] == 'o') {
            add_name(&file, line + 2, strlen(line + 2));
        } else if (line[0] == 'g') {
            assert_string_equal(line + 2, file.name[file.names - 1]);
        } else {
            assert_int_equal(line[0], '#');
        }
    }
    assert_int_equal(t, file.count);
    assert_int_equal(file.names, bodies);
    free(point);
    free(normal);
    return file;
}

// The numbers of a list in brackets that follows a declaration.
static double *read_list(const char *text, const char *end, const char *declaration, uint32_t *count)
{
    const char *at = strstr(text, declaration);
    if (!at || at > end) fail_msg("\"%s\" is missing", declaration);
    double *numbers = malloc((size_t)(end - at) / 2 * sizeof *numbers + 8);
    *count = 0;
    at += strlen(declaration);
    for (at += strspn(at, " =[("); *at != ']'; at += strspn(at, "(), ")) {
        char *stop;
        numbers[(*count)++] = strtod(at, &stop);
        assert_true(stop > at);
        at = stop;
    }
    return numbers;
}

static Vec3 vector_at(const double *numbers, uint32_t k)
{
    const double *v = numbers + 3 * (size_t)k;
    return vec3_make((float)v[0], (float)v[1], (float)v[2]);
}

static uint8_t byte_of_linear(double c)
{
    return (uint8_t)lround(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055));
}

// A prim between its opening and the next one's; returns how many triangles there are in all then.
static uint32_t read_prim(const char *at, const char *end, SolidFile *file, uint32_t t)
{
    uint32_t count, corners, points, normals, velocities, colours, ends;
    double *sides = read_list(at, end, "int[] faceVertexCounts", &count),
           *indices = read_list(at, end, "int[] faceVertexIndices", &corners),
           *point = read_list(at, end, "point3f[] points", &points),
           *normal = read_list(at, end, "normal3f[] normals", &normals),
           *velocity = read_list(at, end, "vector3f[] velocities", &velocities),
           *colour = read_list(at, end, "color3f[] primvars:displayColor", &colours),
           *extent = read_list(at, end, "float3[] extent", &ends);
    const char *by_corner = strstr(at, "interpolation = \"faceVarying\"");
    bool split = by_corner && by_corner < end;
    assert_int_equal(corners, 3 * count);
    assert_int_equal(velocities, points);
    assert_int_equal(normals, split ? 9 * count : points);
    assert_true(colours == 3 && ends == 6 && t + count <= file->count);
    for (uint32_t k = 0; k < points; k++)
        assert_true(point[k] >= extent[k % 3] && point[k] <= extent[3 + k % 3]);
    int32_t body = (int32_t)number_after(at, "custom int userProperties:obstacle = ");
    for (uint32_t k = 0; k < 3 * count; k++) {
        assert_true(sides[k / 3] == 3 && 3 * indices[k] < points);
        uint32_t p = (uint32_t)indices[k];
        file->corner[t + k / 3][k % 3] =
            (SolidCorner){vector_at(point, p), vector_at(normal, split ? k : p), vector_at(velocity, p)};
        file->color[t + k / 3][k % 3] = byte_of_linear(colour[k % 3]);
        file->body[t + k / 3] = body;
    }
    double *lists[] = {sides, indices, point, normal, velocity, colour, extent};
    for (int k = 0; k < 7; k++) free(lists[k]);
    return t + count;
}

static SolidFile read_usda(const char *text, const char *end)
{
    static const char opening[] = "    def Mesh \"";
    const char *at = text;
    expect(&at,
           "#usda 1.0\n(\n    defaultPrim = \"obstacles\"\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\n\n"
           "def Xform \"obstacles\"\n{\n");
    // As many triangles as there could be.
    SolidFile file = make((uint32_t)(end - text) / 8, true, true);
    uint32_t t = 0;
    int depth = 0;
    for (const char *c = text; c < end; c++) depth += (*c == '{') - (*c == '}');
    assert_int_equal(depth, 0);
    while ((at = strstr(at, opening))) {
        at += sizeof opening - 1;
        add_name(&file, at, strcspn(at, "\""));
        const char *next = strstr(at, opening);
        t = read_prim(at, next ? next : end, &file, t);
    }
    file.count = t;
    return file;
}

SolidFile solid_file_read(const char *path)
{
    long size;
    char *text = test_read_file(path, &size);
    if (!text) fail_msg("%s is missing", path);
    const char *suffix = strrchr(path, '.') + 1, *end = text + size;
    SolidFile file = {0};
    if (strcmp(suffix, "obj") == 0) file = read_obj(text);
    if (strcmp(suffix, "ply") == 0) file = read_ply(text, end);
    if (strcmp(suffix, "vtk") == 0) file = read_vtk(text, end);
    if (strcmp(suffix, "vtp") == 0) file = read_vtp(text, end);
    if (strcmp(suffix, "usda") == 0) file = read_usda(text, end);
    assert_non_null(file.corner);
    free(text);
    return file;
}

void solid_file_free(SolidFile *file)
{
    free(file->corner);
    free(file->body);
    free(file->color);
    free(file->name);
    *file = (SolidFile){0};
}

// --- as a mesh ---

typedef struct Place {
    Vec3 position, normal;
    uint32_t corner; // 3 * triangle + corner
} Place;

static int compare_places(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(Vec3));
}

SurfaceMesh solid_file_mesh(const SolidFile *file, int body)
{
    SurfaceMesh mesh = {0};
    size_t count = 3 * (size_t)file->count + 1, used = 0;
    Place *places = calloc(count, sizeof *places);
    mesh.vertex = malloc(count * sizeof *mesh.vertex);
    mesh.normal = malloc(count * sizeof *mesh.normal);
    mesh.triangle = malloc(count * sizeof *mesh.triangle);
    assert_true(places && mesh.vertex && mesh.normal && mesh.triangle);
    for (uint32_t t = 0; t < file->count; t++) {
        if (body >= 0 && file->body[t] != body) continue;
        for (uint32_t k = 0; k < 3; k++) {
            SolidCorner corner = file->corner[t][k];
            // Both zeros are the same place.
            corner.position = vec3_add(corner.position, vec3_make(0, 0, 0));
            places[used++] = (Place){corner.position, corner.normal, 3 * mesh.triangle_count + k};
        }
        mesh.triangle_count++;
    }
    qsort(places, used, sizeof *places, compare_places);
    for (size_t k = 0; k < used; k++) {
        if (k == 0 || compare_places(&places[k - 1], &places[k]) != 0) {
            mesh.vertex[mesh.vertex_count] = places[k].position;
            mesh.normal[mesh.vertex_count++] = places[k].normal;
        }
        mesh.triangle[places[k].corner / 3][places[k].corner % 3] = mesh.vertex_count - 1;
    }
    free(places);
    return mesh;
}
