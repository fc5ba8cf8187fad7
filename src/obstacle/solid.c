#include "obstacle/solid.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

// Edges of a mesh whose faces bend by more than this stay sharp: cosine of 40 degrees.
static const float CREASE_COSINE = 0.766f;

static const float HALF_PI = 1.57079633f;

#define NO_VERTEX UINT32_MAX

static Result allocate(Solid *solid, size_t vertices, size_t triangles)
{
    solid->vertices = memory_allocate(vertices * sizeof *solid->vertices);
    solid->points = memory_allocate(vertices * sizeof *solid->points);
    solid->triangles = memory_allocate(triangles * sizeof *solid->triangles);
    if (solid->vertices && solid->points && solid->triangles) return result_ok();
    size_t each = sizeof *solid->vertices + sizeof *solid->points;
    return result_no_memory("an obstacle's triangles",
                            vertices * each + triangles * sizeof *solid->triangles);
}

static uint32_t add_vertex(Solid *solid, uint32_t point, Vec3 position, Vec3 normal)
{
    solid->vertices[solid->vertex_count] = (SolidVertex){position, normal};
    solid->points[solid->vertex_count] = point;
    return solid->vertex_count++;
}

static void add_triangle(Solid *solid, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *corner = solid->triangles[solid->triangle_count++];
    corner[0] = a, corner[1] = b, corner[2] = c;
}

static void add_quad(Solid *solid, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(solid, a, b, c);
    add_triangle(solid, a, c, d);
}

static Vec3 axis(int k, float length)
{
    return vec3_make(k == 0 ? length : 0, k == 1 ? length : 0, k == 2 ? length : 0);
}

static Result build_box(Solid *solid)
{
    TRY(allocate(solid, 24, 12));
    solid->point_count = 8;
    for (int face = 0; face < 6; face++) {
        float side = face & 1 ? 1 : -1;
        Vec3 normal = axis(face / 2, side), u = axis((face / 2 + 1) % 3, side),
             v = axis((face / 2 + 2) % 3, 1);
        uint32_t first = solid->vertex_count;
        for (int k = 0; k < 4; k++) {
            Vec3 p = vec3_add(normal, vec3_scale(u, k == 1 || k == 2 ? 1 : -1));
            p = vec3_add(p, vec3_scale(v, k >= 2 ? 1 : -1));
            uint32_t point = (uint32_t)(p.x > 0) | (uint32_t)(p.y > 0) << 1 | (uint32_t)(p.z > 0) << 2;
            add_vertex(solid, point, p, normal);
        }
        add_quad(solid, first, first + 1, first + 2, first + 3);
    }
    return result_ok();
}

// A corner of a circle of 4 * quarter pieces.
static Vec3 around(int k, int quarter, float radius, float z)
{
    float angle = HALF_PI * (float)k / (float)quarter;
    return vec3_make(radius * cosf(angle), radius * sinf(angle), z);
}

static Result build_cylinder(Solid *solid, int quarter)
{
    uint32_t n = 4 * (uint32_t)quarter;
    TRY(allocate(solid, 4 * (size_t)n + 2, 4 * (size_t)n));
    solid->point_count = 2 * n + 2;
    // A ring below and one above for the side, then for each end a ring of its own and its center.
    for (uint32_t end = 0; end < 2; end++) {
        for (uint32_t k = 0; k < n; k++) {
            Vec3 normal = around((int)k, quarter, 1, 0);
            add_vertex(solid, end * n + k, vec3_add(normal, axis(2, end ? 1 : -1)), normal);
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t next = (k + 1) % n;
        add_quad(solid, k, next, n + next, n + k);
    }
    for (uint32_t end = 0; end < 2; end++) {
        Vec3 normal = axis(2, end ? 1 : -1);
        uint32_t first = solid->vertex_count;
        for (uint32_t k = 0; k < n; k++)
            add_vertex(solid, end * n + k, solid->vertices[end * n + k].position, normal);
        uint32_t center = add_vertex(solid, 2 * n + end, normal, normal);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t a = first + k, b = first + (k + 1) % n;
            add_triangle(solid, center, end ? a : b, end ? b : a);
        }
    }
    return result_ok();
}

static uint32_t capsule_rings(int quarter, float half_height)
{
    return 2 * (uint32_t)quarter - (half_height > 0 ? 0 : 1);
}

static void add_ring(Solid *solid, int row, int quarter, float radius, float middle)
{
    float latitude = HALF_PI * (float)row / (float)quarter;
    for (int k = 0; k < 4 * quarter; k++) {
        Vec3 normal = around(k, quarter, cosf(latitude), sinf(latitude));
        Vec3 position = vec3_add(vec3_scale(normal, radius), axis(2, middle));
        add_vertex(solid, solid->point_count++, position, normal);
    }
}

// A sphere whose halves are half_height away from the middle, with the straight part between them.
static Result build_capsule(Solid *solid, int quarter, float radius, float half_height)
{
    uint32_t n = 4 * (uint32_t)quarter, rings = capsule_rings(quarter, half_height);
    TRY(allocate(solid, (size_t)rings * n + 2, 2 * (size_t)rings * n));
    for (int row = 1 - quarter; row <= 0; row++) add_ring(solid, row, quarter, radius, -half_height);
    for (int row = half_height > 0 ? 0 : 1; row < quarter; row++)
        add_ring(solid, row, quarter, radius, half_height);
    uint32_t poles[2];
    for (int end = 0; end < 2; end++) {
        Vec3 normal = axis(2, end ? 1 : -1);
        Vec3 position = vec3_scale(normal, radius + half_height);
        poles[end] = add_vertex(solid, solid->point_count++, position, normal);
    }
    uint32_t top = (rings - 1) * n;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t next = (k + 1) % n;
        add_triangle(solid, poles[0], next, k);
        for (uint32_t ring = 0; ring + 1 < rings; ring++) {
            uint32_t below = ring * n, above = below + n;
            add_quad(solid, below + k, below + next, above + next, above + k);
        }
        add_triangle(solid, poles[1], top + k, top + next);
    }
    return result_ok();
}

static Vec3 mesh_corner_place(const TriangleMesh *mesh, uint32_t triangle, int corner)
{
    return mesh->vertices[mesh->triangles[3 * (size_t)triangle + (size_t)corner]];
}

static Vec3 triangle_normal(const TriangleMesh *mesh, uint32_t triangle)
{
    Vec3 a = mesh_corner_place(mesh, triangle, 0), b = mesh_corner_place(mesh, triangle, 1),
         c = mesh_corner_place(mesh, triangle, 2);
    return vec3_normalize_or(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), axis(2, 1));
}

// The triangle's angle at a corner, radians.
static float corner_angle(const TriangleMesh *mesh, uint32_t triangle, int corner)
{
    Vec3 at = mesh_corner_place(mesh, triangle, corner);
    Vec3 u = vec3_sub(mesh_corner_place(mesh, triangle, (corner + 1) % 3), at),
         v = vec3_sub(mesh_corner_place(mesh, triangle, (corner + 2) % 3), at);
    return atan2f(vec3_length(vec3_cross(u, v)), vec3_dot(u, v));
}

// A vertex of a mesh and what becomes of it.
typedef struct MeshPoint {
    Vec3 sum;              // of the normals of the triangles around, by their angles
    uint32_t number;       // as a point of the solid
    uint32_t smooth, last; // the vertex with the mean normal, the last one with a triangle's
} MeshPoint;

// Smooth normals, but flat ones where a face turns away from its neighbors' mean.
static uint32_t mesh_corner(Solid *solid, MeshPoint *point, Vec3 position, Vec3 flat)
{
    Vec3 normal = vec3_normalize_or(point->sum, flat);
    bool sharp = vec3_dot(normal, flat) < CREASE_COSINE;
    if (sharp) normal = flat;
    uint32_t *vertex = sharp ? &point->last : &point->smooth;
    if (point->number == NO_VERTEX) point->number = solid->point_count++;
    if (*vertex == NO_VERTEX || !vec3_equal(solid->vertices[*vertex].normal, normal))
        *vertex = add_vertex(solid, point->number, position, normal);
    return *vertex;
}

static void fill_mesh(Solid *solid, const TriangleMesh *mesh, MeshPoint *points)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        points[v] = (MeshPoint){.number = NO_VERTEX, .smooth = NO_VERTEX, .last = NO_VERTEX};
    // Weighted by angles, the mean does not depend on how flat parts are cut into triangles (Thürmer and
    // Wüthrich 1998, "Computing vertex normals from polygonal facets").
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        Vec3 normal = triangle_normal(mesh, t);
        for (int c = 0; c < 3; c++) {
            Vec3 *sum = &points[mesh->triangles[3 * (size_t)t + (size_t)c]].sum;
            *sum = vec3_add(*sum, vec3_scale(normal, corner_angle(mesh, t, c)));
        }
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        Vec3 flat = triangle_normal(mesh, t);
        uint32_t corner[3];
        for (int c = 0; c < 3; c++) {
            uint32_t v = mesh->triangles[3 * (size_t)t + (size_t)c];
            corner[c] = mesh_corner(solid, &points[v], mesh->vertices[v], flat);
        }
        add_triangle(solid, corner[0], corner[1], corner[2]);
    }
}

static Result build_mesh(Solid *solid, const TriangleMesh *mesh)
{
    TRY(allocate(solid, 3 * (size_t)mesh->triangle_count, mesh->triangle_count));
    MeshPoint *points = memory_allocate(mesh->vertex_count * sizeof *points);
    if (!points) return result_no_memory("an obstacle's normals", mesh->vertex_count * sizeof *points);
    fill_mesh(solid, mesh, points);
    memory_free(points);
    return result_ok();
}

Result solid_of_shape(const Shape *shape, int quarter, Solid *out)
{
    *out = (Solid){0};
    Result result = result_ok();
    switch (shape->kind) {
    case SHAPE_BOX:
        result = build_box(out);
        break;
    case SHAPE_SPHERE:
        result = build_capsule(out, quarter, 1, 0);
        break;
    case SHAPE_CYLINDER:
        result = build_cylinder(out, quarter);
        break;
    case SHAPE_CAPSULE:
        result = build_capsule(out, quarter, shape->radius, shape->half_height);
        break;
    case SHAPE_MESH:
        result = build_mesh(out, &shape->mesh);
        break;
    }
    if (!result_is_ok(&result)) solid_free(out);
    return result;
}

void solid_free(Solid *solid)
{
    memory_free(solid->vertices);
    memory_free(solid->points);
    memory_free(solid->triangles);
    memset(solid, 0, sizeof *solid);
}

uint32_t solid_triangles(const Shape *shape, int quarter)
{
    uint32_t n = 4 * (uint32_t)quarter;
    switch (shape->kind) {
    case SHAPE_BOX:
        return 12;
    case SHAPE_SPHERE:
        return 2 * n * capsule_rings(quarter, 0);
    case SHAPE_CYLINDER:
        return 4 * n;
    case SHAPE_CAPSULE:
        return 2 * n * capsule_rings(quarter, shape->half_height);
    case SHAPE_MESH:
        break;
    }
    return shape->mesh.triangle_count;
}

bool solid_is_unit(const Shape *shape)
{
    return shape->kind == SHAPE_BOX || shape->kind == SHAPE_SPHERE || shape->kind == SHAPE_CYLINDER;
}

Vec3 solid_scale(const Shape *shape)
{
    switch (shape->kind) {
    case SHAPE_BOX:
        return shape->half_extent;
    case SHAPE_SPHERE:
        return vec3_make(shape->radius, shape->radius, shape->radius);
    case SHAPE_CYLINDER:
        return vec3_make(shape->radius, shape->radius, shape->half_height);
    case SHAPE_CAPSULE:
    case SHAPE_MESH:
        break;
    }
    return vec3_make(1, 1, 1);
}

int solid_quarter(uint32_t bodies)
{
    enum { FEW = 32, MANY = 256, CROWD = 4096 };
    return bodies <= FEW ? 24 : bodies <= MANY ? 12 : bodies <= CROWD ? 7 : 4;
}
