// The camera of the window: the scene's until the user moves it.
#include "viewer/viewer_state.h"

#include <math.h>

static const float KEY_TURN = 0.1f, KEY_PAN = 0.05f, KEY_ZOOM = 1.15f; // radians, heights, factor

void viewer_begin_camera(Viewer *viewer)
{
    if (viewer->camera_moved) return;
    CameraDef camera = viewer->look.camera;
    if (camera.automatic) {
        const View *view = renderer_view(viewer->renderer[0]);
        Vec3 origin = viewer->shot->side[0].view.origin;
        float distance = fmaxf(view->reach, 1e-3f);
        camera.automatic = false;
        camera.eye = vec3_add(origin, view->eye);
        camera.target = vec3_add(camera.eye, vec3_scale(view->forward, distance));
    }
    viewer->orbit = orbit_of_camera(&camera);
    viewer->camera_moved = true;
}

CameraDef viewer_camera(const Viewer *viewer)
{
    return viewer->camera_moved ? orbit_camera(&viewer->orbit) : viewer->look.camera;
}

static void home(Viewer *viewer)
{
    viewer->camera_moved = false;
    viewer->look.camera = viewer->facts.render.camera;
}

static void frame_all(Viewer *viewer)
{
    // Without a tank that is where the water is now.
    for (uint32_t side = 0; side < viewer->shot->sides; side++) {
        RendererMemory memory = renderer_memory(viewer->renderer[side]);
        memory.staged = false;
        renderer_remember(viewer->renderer[side], &memory);
    }
    viewer->camera_moved = false;
    viewer->look.camera = (CameraDef){.automatic = true, .fov = viewer->facts.render.camera.fov};
}

static void move_orbit(Viewer *viewer, Action action)
{
    viewer_begin_camera(viewer);
    Orbit *orbit = &viewer->orbit;
    if (action == ACTION_ORBIT_LEFT) orbit_turn(orbit, -KEY_TURN, 0);
    if (action == ACTION_ORBIT_RIGHT) orbit_turn(orbit, KEY_TURN, 0);
    if (action == ACTION_ORBIT_UP) orbit_turn(orbit, 0, KEY_TURN);
    if (action == ACTION_ORBIT_DOWN) orbit_turn(orbit, 0, -KEY_TURN);
    if (action == ACTION_PAN_LEFT) orbit_pan(orbit, KEY_PAN, 0);
    if (action == ACTION_PAN_RIGHT) orbit_pan(orbit, -KEY_PAN, 0);
    if (action == ACTION_PAN_UP) orbit_pan(orbit, 0, -KEY_PAN);
    if (action == ACTION_PAN_DOWN) orbit_pan(orbit, 0, KEY_PAN);
    if (action == ACTION_ZOOM_IN) orbit_zoom(orbit, 1 / KEY_ZOOM, orbit->target);
    if (action == ACTION_ZOOM_OUT) orbit_zoom(orbit, KEY_ZOOM, orbit->target);
}

void viewer_move_camera(Viewer *viewer, Action action)
{
    if (action == ACTION_HOME)
        home(viewer);
    else if (action == ACTION_FRAME_ALL)
        frame_all(viewer);
    else if (viewer_has_picture(viewer))
        move_orbit(viewer, action);
    viewer_redraw(viewer);
}
