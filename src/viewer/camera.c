#include "viewer/camera.h"

#include <math.h>

static const float KEY_TURN = 0.1f, KEY_PAN = 0.05f, KEY_ZOOM = 1.15f; // radians, heights, factor

void camera_place(Camera *camera, const CameraDef *where)
{
    camera->placed = *where;
    camera->moved = false;
}

static bool vec3_equal(Vec3 a, Vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
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

void camera_turn_steps(Camera *camera, int right, int up)
{
    orbit_turn(&camera->orbit, KEY_TURN * (float)right, KEY_TURN * (float)up);
}

void camera_pan_steps(Camera *camera, int right, int up)
{
    // The picture goes the other way.
    orbit_pan(&camera->orbit, -KEY_PAN * (float)right, -KEY_PAN * (float)up);
}

void camera_zoom_steps(Camera *camera, int away)
{
    orbit_zoom(&camera->orbit, away > 0 ? KEY_ZOOM : 1 / KEY_ZOOM, camera->orbit.target);
}
