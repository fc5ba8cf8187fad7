// Definition of a camera: plain data without a math library, so that any module can carry one.
#ifndef PBF_RENDER_CAMERA_H
#define PBF_RENDER_CAMERA_H

#include "core/vec3.h"

#include <stdbool.h>

typedef struct CameraDef {
    bool automatic;   // frame the whole scene from a default angle; of the fields below only fov then counts
    Vec3 eye, target; // m, scene coordinates
    float fov;        // degrees, vertical, 1..170
    // of the style `photo` alone
    float aperture; // m, diameter of the lens; 0: all is sharp
    float focus;    // m, distance of what is sharp; 0: that of the target
    float shutter;  // s that it is open
} CameraDef;

#endif
