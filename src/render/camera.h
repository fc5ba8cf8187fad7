// Where a picture is taken from: plain data, no maths library, so that any module can carry one.
#ifndef PBF_RENDER_CAMERA_H
#define PBF_RENDER_CAMERA_H

#include "core/vec3.h"

#include <stdbool.h>

typedef struct CameraDef {
    bool automatic; // frame the whole scene from a pleasant angle; the fields below are then ignored, but fov
    Vec3 eye, target; // m, scene coordinates
    float fov;        // degrees, vertical, 1..170
} CameraDef;

#endif
