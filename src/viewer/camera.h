// The camera of the window: the scene's until the user moves it.
#ifndef PBF_VIEWER_CAMERA_H
#define PBF_VIEWER_CAMERA_H

#include "core/vec3.h"
#include "render/camera.h"
#include "render/view.h"

#include <stdbool.h>
#include <stddef.h>

// --- orbit camera: turns about a point; scene coordinates, z up ---

typedef struct Orbit {
    Vec3 target;      // m
    float distance;   // m, of the eye from it
    float yaw, pitch; // radians: direction from the target to the eye; pitch 0 is level, pi/2 above
    float fov;        // degrees, vertical
} Orbit;

// The orbit of a placed camera (not an automatic one).
Orbit orbit_of_camera(const CameraDef *camera);
CameraDef orbit_camera(const Orbit *orbit);

void orbit_turn(Orbit *orbit, float yaw, float pitch); // radians; stops short of straight up and down

// Moves eye and target alike so that what is at the target's distance follows the mouse: dx, dy in heights of
// the picture, right and up.
void orbit_pan(Orbit *orbit, float dx, float dy);

// Moves the eye to `factor` times its distance, keeping what is at `at` (scene coordinates) where it is in
// the picture.
void orbit_zoom(Orbit *orbit, float factor, Vec3 at);

// --- the camera of the window ---

typedef struct Camera {
    CameraDef placed; // by the scene, until the user moves it
    Orbit orbit;      // from then on
    bool moved;
} Camera;

// Places the camera as a definition says.
void camera_place(Camera *camera, const CameraDef *where);

// Takes the camera of the scene's file if it has changed there.
void camera_follow_file(Camera *camera, const CameraDef *before, const CameraDef *now);

// From now on the user moves it, starting at the last picture's view. origin: of the domain, m.
void camera_take(Camera *camera, const View *view, Vec3 origin);

// For pictures.
CameraDef camera_now(const Camera *camera);

// The sides of the world that a camera looks from, level or straight down or up.
typedef enum ViewSide { VIEW_FRONT, VIEW_BACK, VIEW_RIGHT, VIEW_LEFT, VIEW_TOP, VIEW_BOTTOM } ViewSide;

// Looks at the same place from there, once the user has taken the camera.
void camera_look_from(Camera *camera, ViewSide side);

// Switches between perspective and lines that stay all but parallel: a narrow field of view from far away.
void camera_toggle_parallel(Camera *camera);
bool camera_is_parallel(const Camera *camera);

// The camera as an option of commands: "--camera 1,2,3,4,5,6,50". It must be the user's.
void camera_text(const Camera *camera, char *out, size_t size);

// Moves by the keyboard, once the user has taken the camera: this many steps right and up, or away.
void camera_turn_steps(Camera *camera, int right, int up);
void camera_pan_steps(Camera *camera, int right, int up);
void camera_zoom_steps(Camera *camera, int away);

#endif
