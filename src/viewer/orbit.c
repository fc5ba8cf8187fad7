#include "viewer/orbit.h"

#include <stdbool.h>

static const float PITCH_MAX = 1.5533f; // 89 degrees
static const float DISTANCE_MIN = 1e-3f, DISTANCE_MAX = 1e5f;

static Vec3 to_eye(const Orbit *orbit)
{
    float level = cosf(orbit->pitch);
    return vec3_make(level * cosf(orbit->yaw), level * sinf(orbit->yaw), sinf(orbit->pitch));
}

static Vec3 right_of(const Orbit *orbit)
{
    return vec3_make(-sinf(orbit->yaw), cosf(orbit->yaw), 0);
}

static Vec3 up_of(const Orbit *orbit)
{
    return vec3_cross(to_eye(orbit), right_of(orbit));
}

static float tangent(const Orbit *orbit)
{
    return tanf(0.5f * orbit->fov * 0.017453293f);
}

Orbit orbit_of_camera(const CameraDef *camera)
{
    Vec3 away = vec3_sub(camera->eye, camera->target);
    Vec3 unit = vec3_normalize_or(away, vec3_make(0, -1, 0));
    Orbit orbit = {.target = camera->target, .distance = vec3_length(away), .fov = camera->fov};
    // Straight from above +y is up, as for the renderer.
    bool vertical = fabsf(unit.x) < 1e-3f && fabsf(unit.y) < 1e-3f;
    orbit.yaw = vertical ? -1.5707963f : atan2f(unit.y, unit.x);
    orbit.pitch = asinf(fminf(fmaxf(unit.z, -1), 1));
    orbit_turn(&orbit, 0, 0);
    return orbit;
}

CameraDef orbit_camera(const Orbit *orbit)
{
    return (CameraDef){.eye = vec3_add(orbit->target, vec3_scale(to_eye(orbit), orbit->distance)),
                       .target = orbit->target,
                       .fov = orbit->fov};
}

void orbit_turn(Orbit *orbit, float yaw, float pitch)
{
    orbit->yaw = fmodf(orbit->yaw + yaw, 6.2831853f);
    orbit->pitch = fminf(fmaxf(orbit->pitch + pitch, -PITCH_MAX), PITCH_MAX);
}

void orbit_pan(Orbit *orbit, float dx, float dy)
{
    float height = 2 * tangent(orbit) * orbit->distance; // m of the picture at the target
    Vec3 move = vec3_add(vec3_scale(right_of(orbit), -dx * height), vec3_scale(up_of(orbit), -dy * height));
    orbit->target = vec3_add(orbit->target, move);
}

void orbit_zoom(Orbit *orbit, float factor, Vec3 at)
{
    float distance = fminf(fmaxf(orbit->distance * factor, DISTANCE_MIN), DISTANCE_MAX);
    float share = distance / orbit->distance;
    orbit->target = vec3_add(at, vec3_scale(vec3_sub(orbit->target, at), share));
    orbit->distance = distance;
}
