// 3x3 rotation matrices, row major: out = m * v.
#ifndef PBF_CORE_MAT3_H
#define PBF_CORE_MAT3_H

#include "core/vec3.h"

typedef struct Mat3 {
    Vec3 row[3];
} Mat3;

static inline Vec3 mat3_apply(Mat3 m, Vec3 v)
{
    return vec3_make(vec3_dot(m.row[0], v), vec3_dot(m.row[1], v), vec3_dot(m.row[2], v));
}
// Applies the transpose, which for a rotation is the inverse.
static inline Vec3 mat3_apply_transposed(Mat3 m, Vec3 v)
{
    return vec3_add(vec3_scale(m.row[0], v.x),
                    vec3_add(vec3_scale(m.row[1], v.y), vec3_scale(m.row[2], v.z)));
}
// Rotation by roll about x, then pitch about y, then yaw about z; degrees.
static inline Mat3 mat3_from_euler_degrees(Vec3 degrees)
{
    const float radians = 0.017453292519943295f;
    float cx = cosf(degrees.x * radians), sx = sinf(degrees.x * radians);
    float cy = cosf(degrees.y * radians), sy = sinf(degrees.y * radians);
    float cz = cosf(degrees.z * radians), sz = sinf(degrees.z * radians);
    return (Mat3){{
        {cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx},
        {sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx},
        {-sy, cy * sx, cy * cx},
    }};
}

#endif
