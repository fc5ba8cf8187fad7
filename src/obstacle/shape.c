#include "obstacle/shape.h"

#include <stddef.h>

// Unit vector along a and its length; scaled first, so that neither tiny nor huge vectors lose their
// direction.
static Vec3 direction_of(Vec3 a, Vec3 fallback, float *length)
{
    float largest = fmaxf(fabsf(a.x), fmaxf(fabsf(a.y), fabsf(a.z)));
    if (!(largest > 1e-30f)) {
        *length = 0;
        return fallback;
    }
    Vec3 scaled = vec3_make(a.x / largest, a.y / largest, a.z / largest);
    float scaled_length = vec3_length(scaled);
    *length = scaled_length * largest;
    return vec3_scale(scaled, 1.0f / scaled_length);
}

static float with_sign(float magnitude, float sign)
{
    return sign < 0 ? -magnitude : magnitude;
}

// The largest component of the distances to the faces decides inside; the Euclidean part outside.
static float box_distance(Vec3 half, Vec3 p, Vec3 *normal)
{
    Vec3 q = vec3_make(fabsf(p.x) - half.x, fabsf(p.y) - half.y, fabsf(p.z) - half.z);
    Vec3 face = vec3_make(0, 0, with_sign(1, p.z));
    float inside = q.z;
    if (q.x >= q.y && q.x >= q.z) {
        face = vec3_make(with_sign(1, p.x), 0, 0);
        inside = q.x;
    } else if (q.y >= q.z) {
        face = vec3_make(0, with_sign(1, p.y), 0);
        inside = q.y;
    }
    *normal = face;
    if (inside <= 0) return inside;
    Vec3 beyond = vec3_make(with_sign(fmaxf(q.x, 0), p.x), with_sign(fmaxf(q.y, 0), p.y),
                            with_sign(fmaxf(q.z, 0), p.z));
    float length;
    *normal = direction_of(beyond, face, &length);
    return length;
}

static float sphere_distance(float radius, Vec3 p, Vec3 *normal)
{
    float length;
    *normal = direction_of(p, vec3_make(0, 0, 1), &length);
    return length - radius;
}

// A rectangle in the plane of radius and height.
static float cylinder_distance(float radius, float half_height, Vec3 p, Vec3 *normal)
{
    float r;
    Vec3 radial = direction_of(vec3_make(p.x, p.y, 0), vec3_make(1, 0, 0), &r);
    Vec3 axial = vec3_make(0, 0, with_sign(1, p.z));
    float side = r - radius, cap = fabsf(p.z) - half_height;
    if (side <= 0 || cap <= 0) {
        *normal = side >= cap ? radial : axial;
        return side >= cap ? side : cap;
    }
    float length;
    Vec3 beyond = vec3_add(vec3_scale(radial, side), vec3_scale(axial, cap));
    *normal = direction_of(beyond, radial, &length);
    return length;
}

static float capsule_distance(float radius, float half_height, Vec3 p, Vec3 *normal)
{
    float along = fmaxf(-half_height, fminf(half_height, p.z));
    float length;
    *normal = direction_of(vec3_make(p.x, p.y, p.z - along), vec3_make(1, 0, 0), &length);
    return length - radius;
}

float shape_distance(const Shape *shape, Vec3 point, Vec3 *normal)
{
    Vec3 unused;
    if (!normal) normal = &unused;
    switch (shape->kind) {
    case SHAPE_BOX:
        return box_distance(shape->half_extent, point, normal);
    case SHAPE_SPHERE:
        return sphere_distance(shape->radius, point, normal);
    case SHAPE_CYLINDER:
        return cylinder_distance(shape->radius, shape->half_height, point, normal);
    case SHAPE_CAPSULE:
        return capsule_distance(shape->radius, shape->half_height, point, normal);
    case SHAPE_MESH:
        return distance_grid_sample(&shape->grid, point, normal);
    }
    CHECK(!"a shape of a known kind");
    return 0;
}

// Length of the way through a slab at a slope; INFINITY along the slab.
static float slab_chord(float half, float slope)
{
    return slope != 0 ? 2 * half / fabsf(slope) : INFINITY;
}

// From a cap the ray passes the cap's center, then leaves through the side or through the other cap.
static float capsule_chord(float radius, float half_height, Vec3 normal)
{
    float across = sqrtf(normal.x * normal.x + normal.y * normal.y), along = fabsf(normal.z);
    if (along * radius <= 2 * half_height * across) return radius + radius / across;
    float offset = 2 * half_height * across;
    return radius + 2 * half_height * along + sqrtf(fmaxf(radius * radius - offset * offset, 0));
}

// Walks inwards from one side of a mesh to the other by the distance that is known to be free of surface. The
// thickness matters to the fluid only where it is a few particles; a longer walk is not worth its time.
static float mesh_chord(const DistanceGrid *grid, Vec3 surface, Vec3 normal)
{
    const float depth_max = 24 * grid->cell;
    float depth = 0.5f * grid->cell, before = 0, before_distance = 0;
    while (depth < depth_max) {
        float distance = distance_grid_sample(grid, vec3_sub(surface, vec3_scale(normal, depth)), NULL);
        if (distance >= 0) {
            float rise = distance - before_distance;
            return rise > 0 ? before - before_distance / rise * (depth - before) : depth;
        }
        before = depth;
        before_distance = distance;
        depth += fmaxf(-distance, 0.25f * grid->cell);
    }
    return INFINITY;
}

float shape_thickness(const Shape *shape, Vec3 surface, Vec3 normal)
{
    switch (shape->kind) {
    case SHAPE_BOX:
        return fminf(
            slab_chord(shape->half_extent.x, normal.x),
            fminf(slab_chord(shape->half_extent.y, normal.y), slab_chord(shape->half_extent.z, normal.z)));
    case SHAPE_SPHERE:
        return 2 * shape->radius;
    case SHAPE_CYLINDER:
        return fminf(slab_chord(shape->radius, sqrtf(normal.x * normal.x + normal.y * normal.y)),
                     slab_chord(shape->half_height, normal.z));
    case SHAPE_CAPSULE:
        return capsule_chord(shape->radius, shape->half_height, normal);
    case SHAPE_MESH:
        return mesh_chord(&shape->grid, surface, normal);
    }
    CHECK(!"a shape of a known kind");
    return 0;
}

static SolidSide slab_side(Vec3 axis, float half, float at)
{
    return (SolidSide){vec3_scale(axis, with_sign(1, at)), fabsf(at) - half, 2 * half};
}

uint32_t shape_sides(const Shape *shape, Vec3 point, SolidSide out[SOLID_SIDES_MAX])
{
    float r;
    switch (shape->kind) {
    case SHAPE_BOX:
        out[0] = slab_side(vec3_make(1, 0, 0), shape->half_extent.x, point.x);
        out[1] = slab_side(vec3_make(0, 1, 0), shape->half_extent.y, point.y);
        out[2] = slab_side(vec3_make(0, 0, 1), shape->half_extent.z, point.z);
        return 3;
    case SHAPE_CYLINDER:
        out[0] = slab_side(vec3_make(0, 0, 1), shape->half_height, point.z);
        out[1].normal = direction_of(vec3_make(point.x, point.y, 0), vec3_make(1, 0, 0), &r);
        out[1].distance = r - shape->radius;
        out[1].thickness = 2 * shape->radius;
        return 2;
    case SHAPE_SPHERE:
    case SHAPE_CAPSULE:
    case SHAPE_MESH:
        return 0;
    }
    CHECK(!"a shape of a known kind");
    return 0;
}

double shape_volume(const Shape *shape)
{
    const double pi = 3.14159265358979323846;
    double r = (double)shape->radius, h = 2.0 * (double)shape->half_height;
    Vec3 half = shape->half_extent;
    switch (shape->kind) {
    case SHAPE_BOX:
        return 8.0 * (double)half.x * (double)half.y * (double)half.z;
    case SHAPE_SPHERE:
        return 4.0 / 3.0 * pi * r * r * r;
    case SHAPE_CYLINDER:
        return pi * r * r * h;
    case SHAPE_CAPSULE:
        return pi * r * r * (h + 4.0 / 3.0 * r);
    case SHAPE_MESH:
        break;
    }
    return mesh_volume(&shape->mesh);
}

Box3 shape_bounds(const Shape *shape)
{
    Vec3 half = vec3_make(shape->radius, shape->radius, shape->radius);
    switch (shape->kind) {
    case SHAPE_BOX:
        half = shape->half_extent;
        break;
    case SHAPE_SPHERE:
        break;
    case SHAPE_CYLINDER:
        half.z = shape->half_height;
        break;
    case SHAPE_CAPSULE:
        half.z += shape->half_height;
        break;
    case SHAPE_MESH: {
        // Between the nodes the interpolated surface may bulge by up to a cell.
        Vec3 cell = vec3_make(shape->grid.cell, shape->grid.cell, shape->grid.cell);
        return (Box3){vec3_sub(shape->mesh.bounds.lo, cell), vec3_add(shape->mesh.bounds.hi, cell)};
    }
    }
    return (Box3){vec3_scale(half, -1), half};
}
