// A camera ready for drawing: axes, projection and matrices, in domain coordinates. Also a light's view, with
// parallel projection.
#ifndef PBF_RENDER_VIEW_H
#define PBF_RENDER_VIEW_H

#include "core/vec3.h"
#include "render/camera.h"

#include <stdbool.h>

typedef struct View {
    Vec3 eye;                // m
    Vec3 right, up, forward; // unit
    bool parallel;           // a light's view
    float tan_x, tan_y;      // tangents of half the fields of view; parallel: half the width and height, m
    float near, far;         // m
    float reach;             // m, depth of what the view frames
    float view[16];          // domain to eye coordinates (looking along -z), column major
    float projection[16];    // eye to clip coordinates
    float view_projection[16];
} View;

// The ray through a point of the picture, x and y from -1 to 1, right and up; scaled so that its component
// along the line of sight is 1.
Vec3 view_ray(const View *view, float x, float y);

// Where a point is in the picture: x and y as above (beyond -1 to 1 it is outside), *depth (m) along the line
// of sight. False, with nothing set, if it is not beyond `near`.
bool view_project(const View *view, Vec3 point, float *x, float *y, float *depth);

// The camera of a definition. origin: scene position of the domain's corner. bounds: what an automatic camera
// frames, domain coordinates. aspect: width / height of the picture.
View view_of_camera(const CameraDef *camera, Vec3 origin, Box3 bounds, float aspect);

// The view of the sun over everything in bounds; `toward_light` is a unit vector. Depths run linearly from
// `near` to `far`.
View view_of_light(Vec3 toward_light, Box3 bounds);

#endif
