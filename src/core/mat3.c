#include "core/mat3.h"

Mat3 mat3_from_euler_degrees(Vec3 degrees)
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
