#include "mesh_file_helpers.h"
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

static SurfaceMesh make_mesh(uint32_t vertices, uint32_t triangles, bool moving)
{
    size_t bytes = (vertices + (size_t)1) * sizeof(Vec3);
    SurfaceMesh mesh = {.vertex_count = vertices, .triangle_count = triangles};
    mesh.vertex = malloc(bytes);
    mesh.normal = malloc(bytes);
    mesh.triangle = malloc((triangles + (size_t)1) * sizeof *mesh.triangle);
    if (moving) mesh.velocity = malloc(bytes);
    assert_true(mesh.vertex && mesh.normal && mesh.triangle && (mesh.velocity || !moving));
    return mesh;
}

// The number that follows a word in a text; fails the test if the word is missing.
static uint32_t number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    if (!at) fail_msg("\"%s\" is missing", word);
    return (uint32_t)strtoul(at + strlen(word), NULL, 10);
}

static SurfaceMesh read_obj(char *text)
{
    SurfaceMesh mesh = make_mesh(number_after(text, "surface: "), number_after(text, "vertices, "), false);
    uint32_t vertices = 0, normals = 0, triangles = 0, t[6];
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        Vec3 v;
        if (sscanf(line, "v %f %f %f", &v.x, &v.y, &v.z) == 3)
            mesh.vertex[vertices++] = v;
        else if (sscanf(line, "vn %f %f %f", &v.x, &v.y, &v.z) == 3)
            mesh.normal[normals++] = v;
        else if (sscanf(line, "f %u//%u %u//%u %u//%u", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5]) == 6) {
            for (int k = 0; k < 3; k++) {
                assert_int_equal(t[2 * k], t[2 * k + 1]);
                mesh.triangle[triangles][k] = t[2 * k] - 1;
            }
            triangles++;
        } else
            assert_int_equal(line[0], '#');
    }
    assert_int_equal(vertices, mesh.vertex_count);
    assert_int_equal(normals, mesh.vertex_count);
    assert_int_equal(triangles, mesh.triangle_count);
    return mesh;
}

static SurfaceMesh read_ply(const char *text, const char *end)
{
    const char *at = strstr(text, "end_header\n");
    assert_non_null(at);
    at += 11;
    const char *velocity = strstr(text, "property float vx\nproperty float vy\nproperty float vz\n");
    bool moving = velocity && velocity < at;
    SurfaceMesh mesh =
        make_mesh(number_after(text, "element vertex "), number_after(text, "element face "), moving);
    long row = moving ? 36 : 24;
    assert_true(end - at == row * (long)mesh.vertex_count + 13 * (long)mesh.triangle_count);
    for (uint32_t v = 0; v < mesh.vertex_count; v++, at += row) {
        memcpy(&mesh.vertex[v], at, 12);
        memcpy(&mesh.normal[v], at + 12, 12);
        if (moving) memcpy(&mesh.velocity[v], at + 24, 12);
    }
    for (uint32_t t = 0; t < mesh.triangle_count; t++, at += 13) {
        assert_int_equal(*at, 3);
        memcpy(mesh.triangle[t], at + 1, 12);
    }
    return mesh;
}

static uint32_t big(const char *at)
{
    const uint8_t *b = (const uint8_t *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// `count` vectors behind the line that starts with a word; returns what follows them and a newline.
static const char *read_vectors(const char *at, const char *word, uint32_t count, Vec3 *to)
{
    assert_int_equal(strncmp(at, word, strlen(word)), 0);
    at = strchr(at, '\n') + 1;
    for (uint32_t k = 0; k < 3 * count; k++, at += 4) {
        uint32_t number = big(at);
        memcpy((char *)to + 4 * (size_t)k, &number, 4);
    }
    assert_int_equal(*at, '\n');
    return at + 1;
}

static SurfaceMesh read_vtk(const char *text, const char *end)
{
    const char *at = strstr(text, "POINTS");
    uint32_t vertices = number_after(text, "POINTS ");
    SurfaceMesh mesh =
        make_mesh(vertices, number_after(strchr(at, '\n') + 1 + 12 * (size_t)vertices, "POLYGONS "), true);
    at = read_vectors(at, "POINTS", vertices, mesh.vertex);
    assert_int_equal(number_after(strchr(at, ' ') + 1, " "), 4 * mesh.triangle_count);
    at = strchr(at, '\n') + 1;
    for (uint32_t t = 0; t < mesh.triangle_count; t++, at += 16) {
        assert_int_equal(big(at), 3);
        for (int k = 0; k < 3; k++) mesh.triangle[t][k] = big(at + 4 + 4 * k);
    }
    assert_int_equal(number_after(at, "\nPOINT_DATA "), vertices);
    at = strchr(at + 1, '\n') + 1;
    at = read_vectors(at, "NORMALS normals float", vertices, mesh.normal);
    if (at < end) {
        at = read_vectors(at, "VECTORS velocity float", vertices, mesh.velocity);
    } else {
        free(mesh.velocity);
        mesh.velocity = NULL;
    }
    assert_ptr_equal(at, end);
    return mesh;
}

static void take_array(const char *text, const char *name, void *to, uint64_t bytes)
{
    if (!test_vtp_array(text, name, bytes, to)) fail_msg("the array %s is not whole", name);
}

static SurfaceMesh read_vtp(const char *text, const char *end)
{
    static const char closing[] = "</Piece>\n</PolyData>\n</VTKFile>\n";
    bool moving = strstr(text, "Name=\"velocity\"") != NULL;
    SurfaceMesh mesh =
        make_mesh(number_after(text, "NumberOfPoints=\""), number_after(text, "NumberOfPolys=\""), moving);
    uint64_t vectors = 12 * (uint64_t)mesh.vertex_count;
    uint32_t *ends = malloc((mesh.triangle_count + (size_t)1) * 4);
    take_array(text, "Points", mesh.vertex, vectors);
    take_array(text, "connectivity", mesh.triangle, 12 * (uint64_t)mesh.triangle_count);
    take_array(text, "offsets", ends, 4 * (uint64_t)mesh.triangle_count);
    take_array(text, "normals", mesh.normal, vectors);
    if (moving) take_array(text, "velocity", mesh.velocity, vectors);
    for (uint32_t t = 0; t < mesh.triangle_count; t++) assert_int_equal(ends[t], 3 * (t + 1));
    assert_string_equal(end - (sizeof closing - 1), closing);
    free(ends);
    return mesh;
}

// Numbers of a list in brackets that follows a declaration, brackets of single vectors skipped; `to` may be
// NULL.
static uint32_t read_list(const char *text, const char *declaration, double *to)
{
    const char *at = strstr(text, declaration);
    if (!at) fail_msg("\"%s\" is missing", declaration);
    at += strlen(declaration);
    uint32_t count = 0;
    for (at += strspn(at, " =[("); *at != ']'; at += strspn(at, "(), ")) {
        char *end;
        double number = strtod(at, &end);
        assert_true(end > at);
        if (to) to[count] = number;
        count++;
        at = end;
    }
    return count;
}

static void read_vector_list(const char *text, const char *declaration, uint32_t count, Vec3 *to)
{
    double *numbers = malloc((3 * (size_t)count + 1) * sizeof *numbers);
    assert_int_equal(read_list(text, declaration, numbers), 3 * count);
    for (uint32_t k = 0; k < count; k++) {
        const double *v = numbers + 3 * (size_t)k;
        to[k] = vec3_make((float)v[0], (float)v[1], (float)v[2]);
    }
    free(numbers);
}

// The extent is the box of the points, to the bit.
static void check_extent(const char *text, const SurfaceMesh *mesh)
{
    Vec3 extent[2], lo = vec3_make(INFINITY, INFINITY, INFINITY), hi = vec3_scale(lo, -1);
    if (mesh->vertex_count == 0) {
        assert_null(strstr(text, "extent"));
        return;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        lo = vec3_min(lo, mesh->vertex[v]);
        hi = vec3_max(hi, mesh->vertex[v]);
    }
    read_vector_list(text, "float3[] extent", 2, extent);
    assert_memory_equal(&extent[0], &lo, sizeof lo);
    assert_memory_equal(&extent[1], &hi, sizeof hi);
}

static SurfaceMesh read_usda(const char *text)
{
    assert_int_equal(strncmp(text, "#usda 1.0\n", 10), 0);
    bool moving = strstr(text, "vector3f[] velocities") != NULL;
    uint32_t triangles = read_list(text, "int[] faceVertexCounts", NULL);
    SurfaceMesh mesh = make_mesh(read_list(text, "point3f[] points", NULL) / 3, triangles, moving);
    double *numbers = malloc((3 * (size_t)triangles + 1) * sizeof *numbers);
    assert_int_equal(read_list(text, "int[] faceVertexCounts", numbers), triangles);
    for (uint32_t t = 0; t < triangles; t++) assert_true(numbers[t] == 3);
    assert_int_equal(read_list(text, "int[] faceVertexIndices", numbers), 3 * triangles);
    for (uint32_t k = 0; k < 3 * triangles; k++) mesh.triangle[k / 3][k % 3] = (uint32_t)numbers[k];
    free(numbers);
    read_vector_list(text, "point3f[] points", mesh.vertex_count, mesh.vertex);
    check_extent(text, &mesh);
    read_vector_list(text, "normal3f[] normals", mesh.vertex_count, mesh.normal);
    if (moving) read_vector_list(text, "vector3f[] velocities", mesh.vertex_count, mesh.velocity);
    return mesh;
}

SurfaceMesh test_read_mesh(const char *path)
{
    long size;
    char *text = test_read_file(path, &size);
    if (!text) fail_msg("%s is missing", path);
    const char *suffix = strrchr(path, '.') + 1, *end = text + size;
    SurfaceMesh mesh = {0};
    if (strcmp(suffix, "obj") == 0) mesh = read_obj(text);
    if (strcmp(suffix, "ply") == 0) mesh = read_ply(text, end);
    if (strcmp(suffix, "vtk") == 0) mesh = read_vtk(text, end);
    if (strcmp(suffix, "vtp") == 0) mesh = read_vtp(text, end);
    if (strcmp(suffix, "usda") == 0) mesh = read_usda(text);
    assert_non_null(mesh.vertex);
    free(text);
    return mesh;
}

void test_mesh_free(SurfaceMesh *mesh)
{
    free(mesh->vertex);
    free(mesh->normal);
    free(mesh->velocity);
    free(mesh->triangle);
    *mesh = (SurfaceMesh){0};
}
