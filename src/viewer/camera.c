#include "viewer/camera.h"

#include <math.h>
#include <stdio.h>

static const float PITCH_MAX = 1.5533f; // 89 degrees
static const float PARALLEL_FOV = 1;    // degrees
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

// --- the camera of the window ---

static const float KEY_TURN = 0.1f, KEY_PAN = 0.05f, KEY_ZOOM = 1.15f; // radians, heights, factor

void camera_place(Camera *camera, const CameraDef *where)
{
    camera->placed = *where;
    camera->moved = false;
}

void camera_follow_file(Camera *camera, const CameraDef *before, const CameraDef *now)
{
    bool same = before->automatic == now->automatic && before->fov == now->fov &&
                vec3_equal(before->eye, now->eye) && vec3_equal(before->target, now->target);
    if (!same) camera_place(camera, now);
}

void camera_take(Camera *camera, const View *view, Vec3 origin)
{
    if (camera->moved) return;
    CameraDef start = camera->placed;
    if (start.automatic) {
        float distance = fmaxf(view->reach, 1e-3f);
        start.automatic = false;
        start.eye = vec3_add(origin, view->eye);
        start.target = vec3_add(start.eye, vec3_scale(view->forward, distance));
    }
    camera->orbit = orbit_of_camera(&start);
    camera->moved = true;
}

CameraDef camera_now(const Camera *camera)
{
    return camera->moved ? orbit_camera(&camera->orbit) : camera->placed;
}

void camera_look_from(Camera *camera, ViewSide side)
{
    static const float quarter = 1.5707963f;
    static const struct {
        float yaw, pitch; // quarters of a turn
    } sides[] = {[VIEW_FRONT] = {-1, 0}, [VIEW_BACK] = {1, 0}, [VIEW_RIGHT] = {0, 0},
                 [VIEW_LEFT] = {2, 0},   [VIEW_TOP] = {-1, 1}, [VIEW_BOTTOM] = {-1, -1}};
    Orbit *orbit = &camera->orbit;
    orbit->yaw = sides[side].yaw * quarter;
    orbit->pitch = sides[side].pitch * quarter;
    orbit_turn(orbit, 0, 0);
}

bool camera_is_parallel(const Camera *camera)
{
    return camera->moved && camera->orbit.fov <= PARALLEL_FOV;
}

void camera_toggle_parallel(Camera *camera)
{
    Orbit *orbit = &camera->orbit;
    float height = tangent(orbit) * orbit->distance; // what half the picture shows at the target
    orbit->fov = camera_is_parallel(camera) ? fmaxf(camera->placed.fov, 10) : PARALLEL_FOV;
    orbit->distance = height / tangent(orbit);
}

void camera_text(const Camera *camera, char *out, size_t size)
{
    CameraDef now = orbit_camera(&camera->orbit);
    snprintf(out, size, "--camera %.5g,%.5g,%.5g,%.5g,%.5g,%.5g,%.4g", (double)now.eye.x, (double)now.eye.y,
             (double)now.eye.z, (double)now.target.x, (double)now.target.y, (double)now.target.z,
             (double)now.fov);
}

void camera_turn_steps(Camera *camera, int right, int up)
{
    orbit_turn(&camera->orbit, KEY_TURN * (float)right, KEY_TURN * (float)up);
}

void camera_pan_steps(Camera *camera, int right, int up)
{
    // The picture moves the other way.
    orbit_pan(&camera->orbit, -KEY_PAN * (float)right, -KEY_PAN * (float)up);
}

void camera_zoom_steps(Camera *camera, int away)
{
    orbit_zoom(&camera->orbit, away > 0 ? KEY_ZOOM : 1 / KEY_ZOOM, camera->orbit.target);
}
