// Three floats by value, for geometry outside the hot loops, which work on structures of arrays.
#ifndef PBF_CORE_VEC3_H
#define PBF_CORE_VEC3_H

#include <math.h>
#include <stdbool.h>

typedef struct Vec3 {
    float x, y, z;
} Vec3;

// An axis-aligned box, its faces included; empty when lo > hi on an axis.
typedef struct Box3 {
    Vec3 lo, hi;
} Box3;

static inline Vec3 vec3_make(float x, float y, float z)
{
    return (Vec3){x, y, z};
}
static inline Vec3 vec3_add(Vec3 a, Vec3 b)
{
    return vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline Vec3 vec3_sub(Vec3 a, Vec3 b)
{
    return vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline Vec3 vec3_scale(Vec3 a, float s)
{
    return vec3_make(a.x * s, a.y * s, a.z * s);
}
static inline Vec3 vec3_mul(Vec3 a, Vec3 b)
{
    return vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}
static inline float vec3_dot(Vec3 a, Vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Vec3 vec3_cross(Vec3 a, Vec3 b)
{
    return vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
// Along an axis: 0 x, 1 y, 2 z.
static inline float vec3_component(Vec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}
static inline float vec3_length(Vec3 a)
{
    return sqrtf(vec3_dot(a, a));
}
static inline bool vec3_equal(Vec3 a, Vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}
// Component by component; NaN is ignored.
static inline Vec3 vec3_min(Vec3 a, Vec3 b)
{
    return vec3_make(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}
static inline Vec3 vec3_max(Vec3 a, Vec3 b)
{
    return vec3_make(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}

// Unit vector along a, or `fallback` if a has no direction.
static inline Vec3 vec3_normalize_or(Vec3 a, Vec3 fallback)
{
    float length = vec3_length(a);
    return length > 1e-20f ? vec3_scale(a, 1.0f / length) : fallback;
}

// Two unit vectors across a unit vector, and across each other.
static inline void vec3_axes_across(Vec3 a, Vec3 *first, Vec3 *second)
{
    Vec3 other = fabsf(a.x) > 0.7f ? vec3_make(0, 1, 0) : vec3_make(1, 0, 0);
    *first = vec3_normalize_or(vec3_cross(a, other), other);
    *second = vec3_cross(a, *first);
}

// Corner k of eight: its bits choose lo or hi of x, y and z.
static inline Vec3 box3_corner(Box3 box, int k)
{
    return vec3_make(k & 1 ? box.hi.x : box.lo.x, k & 2 ? box.hi.y : box.lo.y, k & 4 ? box.hi.z : box.lo.z);
}

// The smallest box around both; lo = INFINITY with hi = -INFINITY is the empty box.
static inline Box3 box3_join(Box3 a, Box3 b)
{
    return (Box3){vec3_min(a.lo, b.lo), vec3_max(a.hi, b.hi)};
}

// Do two boxes share a point, faces included?
static inline bool box3_touches(Box3 a, Box3 b)
{
    // Without branches: which of the six tests fails is unpredictable.
    return (a.lo.x <= b.hi.x) & (b.lo.x <= a.hi.x) & (a.lo.y <= b.hi.y) & (b.lo.y <= a.hi.y) &
           (a.lo.z <= b.hi.z) & (b.lo.z <= a.hi.z);
}

#endif
