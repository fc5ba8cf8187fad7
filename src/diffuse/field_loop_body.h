// The loop of velocity_field.h. Included by field_loop_*.c, which differ in their compiler flags alone;
// FIELD_LOOP names the function that each defines.

#include "core/lanes.h"
#include "diffuse/velocity_field.h"

FieldSums FIELD_LOOP(const FieldStreams *s, const PlaceRange *ranges, uint32_t count, Vec3 at, float radius)
{
    const Lanes none = lanes_set(0.0f), one = lanes_set(1.0f), inverse = lanes_set(1.0f / radius);
    const Lanes x = lanes_set(at.x), y = lanes_set(at.y), z = lanes_set(at.z);
    const Lanes reach = lanes_set(radius * radius);
    Lanes weights = none, vx = none, vy = none, vz = none;
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = ranges[k].begin; i < ranges[k].end; i += LANES) {
            Lanes dx = lanes_sub(lanes_load(s->x + i), x), dy = lanes_sub(lanes_load(s->y + i), y),
                  dz = lanes_sub(lanes_load(s->z + i), z);
            Lanes r2 = lanes_mul_add(dx, dx, lanes_mul_add(dy, dy, lanes_mul(dz, dz)));
            r2 = lanes_select(lanes_first(ranges[k].end - i), r2, reach);
            if (!lanes_any_less(r2, reach)) continue;
            Lanes weight = lanes_max(lanes_sub_mul(one, lanes_sqrt(r2), inverse), none);
            weights = lanes_add(weights, weight);
            vx = lanes_mul_add(weight, lanes_load(s->vx + i), vx);
            vy = lanes_mul_add(weight, lanes_load(s->vy + i), vy);
            vz = lanes_mul_add(weight, lanes_load(s->vz + i), vz);
        }
    }
    return (FieldSums){lanes_sum(weights), lanes_sum(vx), lanes_sum(vy), lanes_sum(vz)};
}
