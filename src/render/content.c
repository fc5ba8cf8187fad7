#include "render/content.h"

#include <math.h>

Box3 content_bounds(const FrameView *view, const TankDef *tank)
{
    Box3 box = {vec3_make(INFINITY, INFINITY, INFINITY), vec3_make(-INFINITY, -INFINITY, -INFINITY)};
    uint32_t bodies = view->obstacles ? obstacles_count(view->obstacles) : 0;
    for (uint32_t k = 0; k < bodies; k++) box = box3_join(box, obstacles_bounds(view->obstacles, k));
    if (view->strands) box = box3_join(box, strands_bounds(view->strands));
    if (tank->present) {
        // Parts outside the tank are small, or cut off.
        Box3 inside = {vec3_make(0, 0, 0), tank->size};
        return bodies ? box3_join(inside, (Box3){vec3_max(box.lo, vec3_scale(tank->size, -0.1f)),
                                                 vec3_min(box.hi, vec3_scale(tank->size, 1.1f))})
                      : inside;
    }
    Vec3 margin = vec3_make(view->spacing, view->spacing, view->spacing);
    for (uint32_t k = 0; k < view->count; k++) {
        Vec3 p = vec3_make(view->x[k], view->y[k], view->z[k]);
        box = box3_join(box, (Box3){vec3_sub(p, margin), vec3_add(p, margin)});
    }
    return box;
}
