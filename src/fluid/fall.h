// What solver constants are measured in where a scene has no scale of its own: water a spacing high on Earth.
#ifndef PBF_FLUID_FALL_H
#define PBF_FLUID_FALL_H

#include <math.h>

#define STANDARD_GRAVITY 9.81 // m/s^2

// s: sqrt(spacing / g). From rest water falls by half a spacing (m) in it.
static inline double fall_time(double spacing)
{
    return sqrt(spacing / STANDARD_GRAVITY);
}

#endif
