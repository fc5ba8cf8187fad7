// Where a ray enters and leaves a box (slabs; Kay and Kajiya 1986).
#ifndef PBF_PHOTO_BOX_RAY_H
#define PBF_PHOTO_BOX_RAY_H

#include "core/vec3.h"
#include "photo/number.h"

// By each pair of faces, and all in all, m; empty if enter > leave.
typedef struct BoxCrossing {
    Real4 enters, leaves;
    float enter, leave;
} BoxCrossing;

// Three numbers, and one that does not count.
static inline Real4 box_ray_four(Vec3 a)
{
    return (Real4){a.x, a.y, a.z, 1};
}

// over: 1 / direction, infinite along faces. What is not a number then, of rays in a face's plane, loses
// every comparison.
static inline BoxCrossing box_ray_cross(const Box3 *box, Real4 origin, Real4 over)
{
    Real4 a = (box_ray_four(box->lo) - origin) * over, b = (box_ray_four(box->hi) - origin) * over;
    Whole4 rises = a < b;
    BoxCrossing crossing = {number_chosen4(rises, a, b), number_chosen4(rises, b, a), -INFINITY, INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        crossing.enter = number_max(crossing.enters[axis], crossing.enter);
        crossing.leave = number_min(crossing.leaves[axis], crossing.leave);
    }
    return crossing;
}

#endif
