#include "render/eye_in_water.h"

#include <math.h>

// Spacings: how far around a place water counts.
static const float AROUND = 2;
// Sample places along each axis for free space.
enum { PROBES = 9 };

bool eye_may_be_in_water(const FrameView *frame, const View *camera)
{
    float corner = camera->near * sqrtf(1 + camera->tan_x * camera->tan_x + camera->tan_y * camera->tan_y);
    float reach = corner + 2 * frame->spacing;
    for (uint32_t k = 0; k < frame->count; k++) {
        Vec3 from = vec3_sub(vec3_make(frame->x[k], frame->y[k], frame->z[k]), camera->eye);
        if (vec3_dot(from, from) < reach * reach) return true;
    }
    return false;
}

// Weight of a place by its squared distance (reaches).
static float weight(float square)
{
    return square < 1 ? 1 - square : 0;
}

// Sum of the weights if water fills the free space, in particles.
static float weight_of_room(const FrameView *frame, Vec3 place, float reach)
{
    float sum = 0, step = 2.0f / PROBES;
    for (int k = 0; k < PROBES * PROBES * PROBES; k++) {
        Vec3 off = vec3_make(((float)(k % PROBES) + 0.5f) * step - 1,
                             ((float)(k / PROBES % PROBES) + 0.5f) * step - 1,
                             ((float)(k / (PROBES * PROBES)) + 0.5f) * step - 1);
        Vec3 at = vec3_add(place, vec3_scale(off, reach));
        bool open = !frame->obstacles || obstacles_distance(frame->obstacles, at) > 0;
        if (open) sum += weight(vec3_dot(off, off));
    }
    float cell = step * reach / frame->spacing;
    return sum * cell * cell * cell;
}

bool is_in_water(const FrameView *frame, Vec3 place)
{
    float reach = AROUND * frame->spacing, sum = 0;
    for (uint32_t k = 0; k < frame->count; k++) {
        Vec3 off = vec3_sub(vec3_make(frame->x[k], frame->y[k], frame->z[k]), place);
        sum += weight(vec3_dot(off, off) / (reach * reach));
    }
    return sum > 0 && sum > 0.5f * weight_of_room(frame, place, reach);
}
