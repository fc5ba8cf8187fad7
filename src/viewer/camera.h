// The camera of the window: the scene's until the user moves it.
#ifndef PBF_VIEWER_CAMERA_H
#define PBF_VIEWER_CAMERA_H

#include "render/view.h"
#include "viewer/orbit.h"

#include <stdbool.h>

typedef struct Camera {
    CameraDef placed; // by the scene, until the user moves it
    Orbit orbit;      // from then on
    bool moved;
} Camera;

// The camera stands where a definition says.
void camera_place(Camera *camera, const CameraDef *where);

// Has the scene's file got another camera than before? Then that is shown.
void camera_follow_file(Camera *camera, const CameraDef *before, const CameraDef *now);

// From now on the user moves it, from where the last picture was seen. view: of that; origin: of the domain,
// m.
void camera_take(Camera *camera, const View *view, Vec3 origin);

// For pictures.
CameraDef camera_now(const Camera *camera);

// What a key does once the user has taken it: so many steps to the right and up, or away.
void camera_turn_steps(Camera *camera, int right, int up);
void camera_pan_steps(Camera *camera, int right, int up);
void camera_zoom_steps(Camera *camera, int away);

#endif
