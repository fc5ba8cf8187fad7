// A camera that turns about a point: what drags, wheel and keys do to it. Scene coordinates, z up.
#ifndef PBF_VIEWER_ORBIT_H
#define PBF_VIEWER_ORBIT_H

#include "core/vec3.h"
#include "render/camera.h"

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

#endif
