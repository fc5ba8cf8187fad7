#include "obstacle/shape.h"

#include <stddef.h>

// A trilinear interpolant of distances changes by at most 1 per meter along each axis, so by sqrt(3) in all.
#define MESH_SLOPE 1.7320508f
#define CONVEX_STEPS_MAX 200

typedef struct Path {
    Vec3 from, direction; // unit direction
    float begin, end;     // m along it
} Path;

static Vec3 path_point(const Path *path, float way)
{
    return vec3_add(path->from, vec3_scale(path->direction, way));
}

// Cuts [*begin, *end] to the part of a line within [lo, hi] on one axis.
static void clip_axis(float from, float direction, float lo, float hi, float *begin, float *end)
{
    if (direction == 0) {
        if (from < lo || from > hi) *end = -1;
        return;
    }
    float a = (lo - from) / direction, b = (hi - from) / direction;
    *begin = fmaxf(*begin, fminf(a, b));
    *end = fminf(*end, fmaxf(a, b));
}

// Cuts the path to the neighborhood of the shape; false when nothing is left. A little is added on every
// side so that rounding loses nothing.
static bool path_clip(Path *path, Box3 box, float clearance)
{
    Vec3 size = vec3_sub(box.hi, box.lo);
    float reach = fmaxf(fabsf(path->from.x), fmaxf(fabsf(path->from.y), fabsf(path->from.z))) + path->end;
    float pad = clearance + 1e-3f * (size.x + size.y + size.z) + 4e-6f * reach;
    Vec3 o = path->from, d = path->direction;
    clip_axis(o.x, d.x, box.lo.x - pad, box.hi.x + pad, &path->begin, &path->end);
    clip_axis(o.y, d.y, box.lo.y - pad, box.hi.y + pad, &path->begin, &path->end);
    clip_axis(o.z, d.z, box.lo.z - pad, box.hi.z + pad, &path->begin, &path->end);
    return path->begin <= path->end;
}

// The distance to a convex solid is convex along a line: a Newton step from the left never passes the first
// root, and where the distance does not fall it never falls again.
static bool sweep_convex(const Shape *shape, const Path *path, float level, float tolerance, float *way,
                         Vec3 *normal)
{
    float at = path->begin;
    for (int step = 0; step < CONVEX_STEPS_MAX; step++) {
        float gap = shape_distance(shape, path_point(path, at), normal) - level;
        float slope = vec3_dot(*normal, path->direction);
        if (!(slope < 0)) return false;
        if (gap <= tolerance) break;
        float next = at + gap / fminf(-slope, 1.0f);
        if (!(next <= path->end)) return false;
        if (next <= at) break; // below the resolution of a float
        at = next;
    }
    *way = at;
    return true;
}

// Sphere tracing.
static bool sweep_mesh(const Shape *shape, const Path *path, float level, float tolerance, float *way,
                       Vec3 *normal)
{
    float at = path->begin;
    while (at <= path->end) {
        float gap = shape_distance(shape, path_point(path, at), NULL) - level;
        if (gap <= tolerance) {
            shape_distance(shape, path_point(path, at), normal);
            // One that moves away along the edge of the clearance is let go.
            if (vec3_dot(*normal, path->direction) < 0) {
                *way = at;
                return true;
            }
            gap = fmaxf(gap, tolerance);
        }
        float next = at + gap / MESH_SLOPE;
        at = next > at ? next : nextafterf(at, INFINITY);
    }
    return false;
}

bool shape_sweep(const Shape *shape, Vec3 from, Vec3 to, float clearance, Vec3 *stop, Vec3 *normal)
{
    Vec3 way = vec3_sub(to, from);
    float length = vec3_length(way);
    if (!(length > 0) || !isfinite(length)) return false;
    Path path = {from, vec3_scale(way, 1.0f / length), 0, length};
    Box3 box = shape_bounds(shape);
    if (!path_clip(&path, box, clearance)) return false;
    float start = shape_distance(shape, from, NULL);
    if (start <= 0) return false;
    float level = start > clearance ? clearance : 0;
    float hit;
    Vec3 hit_normal;
    if (shape->kind == SHAPE_MESH) {
        if (!sweep_mesh(shape, &path, level, 0.01f * shape->grid.cell, &hit, &hit_normal)) return false;
    } else {
        float scale = vec3_length(vec3_sub(box.hi, box.lo)) + clearance;
        if (!sweep_convex(shape, &path, level, 1e-6f * scale, &hit, &hit_normal)) return false;
    }
    *stop = path_point(&path, hit);
    *normal = hit_normal;
    return true;
}
