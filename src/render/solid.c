#include "render/solid.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

// Edges of a mesh whose faces bend by more than this stay sharp: cosine of 40 degrees.
static const float CREASE_COSINE = 0.766f;

static Result reserve(Solid *solid, size_t more)
{
    return memory_reserve((void **)&solid->vertices, &solid->capacity, solid->count, solid->count + more,
                          sizeof(SolidVertex), "an obstacle's triangles");
}

static void add_triangle(Solid *solid, SolidVertex a, SolidVertex b, SolidVertex c)
{
    solid->vertices[solid->count++] = a;
    solid->vertices[solid->count++] = b;
    solid->vertices[solid->count++] = c;
}

static Result add_quad(Solid *solid, SolidVertex a, SolidVertex b, SolidVertex c, SolidVertex d)
{
    TRY(reserve(solid, 6));
    add_triangle(solid, a, b, c);
    add_triangle(solid, a, c, d);
    return result_ok();
}

static Vec3 axis(int k, float length)
{
    return vec3_make(k == 0 ? length : 0, k == 1 ? length : 0, k == 2 ? length : 0);
}

static Result build_box(Solid *solid)
{
    for (int face = 0; face < 6; face++) {
        float side = face & 1 ? 1 : -1;
        Vec3 normal = axis(face / 2, side), u = axis((face / 2 + 1) % 3, side),
             v = axis((face / 2 + 2) % 3, 1);
        SolidVertex corner[4];
        for (int k = 0; k < 4; k++) {
            Vec3 p = vec3_add(normal, vec3_scale(u, k == 1 || k == 2 ? 1 : -1));
            corner[k] = (SolidVertex){vec3_add(p, vec3_scale(v, k >= 2 ? 1 : -1)), normal};
        }
        TRY(add_quad(solid, corner[0], corner[1], corner[2], corner[3]));
    }
    return result_ok();
}

// A corner of a circle of 4 * quarter pieces.
static Vec3 around(int k, int quarter, float radius, float z)
{
    float angle = 1.57079633f * (float)(k % (4 * quarter)) / (float)quarter;
    return vec3_make(radius * cosf(angle), radius * sinf(angle), z);
}

static Result build_cylinder(Solid *solid, int quarter)
{
    for (int k = 0; k < 4 * quarter; k++) {
        Vec3 n0 = around(k, quarter, 1, 0), n1 = around(k + 1, quarter, 1, 0), up = vec3_make(0, 0, 1);
        TRY(add_quad(solid, (SolidVertex){vec3_sub(n0, up), n0}, (SolidVertex){vec3_sub(n1, up), n1},
                     (SolidVertex){vec3_add(n1, up), n1}, (SolidVertex){vec3_add(n0, up), n0}));
        TRY(reserve(solid, 6));
        for (int end = -1; end <= 1; end += 2) {
            Vec3 normal = vec3_make(0, 0, (float)end);
            SolidVertex center = {normal, normal};
            SolidVertex a = {vec3_add(n0, normal), normal}, b = {vec3_add(n1, normal), normal};
            add_triangle(solid, center, end > 0 ? a : b, end > 0 ? b : a);
        }
    }
    return result_ok();
}

// A sphere whose halves are half_height away from the middle, with the straight part between them.
static Result build_capsule(Solid *solid, int quarter, float radius, float half_height)
{
    for (int row = -quarter; row < quarter; row++) {
        float lower = 1.57079633f * (float)row / (float)quarter;
        float upper = 1.57079633f * (float)(row + 1) / (float)quarter;
        float wide[2] = {cosf(lower), cosf(upper)}, high[2] = {sinf(lower), sinf(upper)};
        for (int k = 0; k < 4 * quarter; k++) {
            Vec3 normal[4] = {around(k, quarter, wide[0], high[0]), around(k + 1, quarter, wide[0], high[0]),
                              around(k + 1, quarter, wide[1], high[1]), around(k, quarter, wide[1], high[1])};
            SolidVertex corner[4];
            for (int c = 0; c < 4; c++) {
                Vec3 position = vec3_scale(normal[c], radius);
                position.z += row < 0 ? -half_height : half_height;
                corner[c] = (SolidVertex){position, normal[c]};
            }
            TRY(add_quad(solid, corner[0], corner[1], corner[2], corner[3]));
        }
    }
    for (int k = 0; k < 4 * quarter && half_height > 0; k++) {
        Vec3 n0 = around(k, quarter, 1, 0), n1 = around(k + 1, quarter, 1, 0),
             up = vec3_make(0, 0, half_height);
        Vec3 p0 = vec3_scale(n0, radius), p1 = vec3_scale(n1, radius);
        TRY(add_quad(solid, (SolidVertex){vec3_sub(p0, up), n0}, (SolidVertex){vec3_sub(p1, up), n1},
                     (SolidVertex){vec3_add(p1, up), n1}, (SolidVertex){vec3_add(p0, up), n0}));
    }
    return result_ok();
}

// Twice the triangle's area along its normal.
static Vec3 area_normal(const TriangleMesh *mesh, uint32_t triangle)
{
    const uint32_t *corner = mesh->triangles + 3 * (size_t)triangle;
    Vec3 a = mesh->vertices[corner[0]];
    return vec3_cross(vec3_sub(mesh->vertices[corner[1]], a), vec3_sub(mesh->vertices[corner[2]], a));
}

// Smooth normals, but flat ones where a face turns away from its neighbours' mean.
static Result build_mesh(Solid *solid, const TriangleMesh *mesh)
{
    TRY(reserve(solid, 3 * (size_t)mesh->triangle_count));
    Vec3 *smooth = memory_allocate_zeroed(mesh->vertex_count * sizeof *smooth);
    if (!smooth) return result_no_memory("an obstacle's normals", mesh->vertex_count * sizeof *smooth);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        Vec3 normal = area_normal(mesh, t);
        for (int c = 0; c < 3; c++) {
            Vec3 *sum = &smooth[mesh->triangles[3 * (size_t)t + (size_t)c]];
            *sum = vec3_add(*sum, normal);
        }
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        Vec3 flat = vec3_normalize_or(area_normal(mesh, t), vec3_make(0, 0, 1));
        for (int c = 0; c < 3; c++) {
            uint32_t v = mesh->triangles[3 * (size_t)t + (size_t)c];
            Vec3 normal = vec3_normalize_or(smooth[v], flat);
            if (vec3_dot(normal, flat) < CREASE_COSINE) normal = flat;
            solid->vertices[solid->count++] = (SolidVertex){mesh->vertices[v], normal};
        }
    }
    memory_free(smooth);
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
    memset(solid, 0, sizeof *solid);
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
