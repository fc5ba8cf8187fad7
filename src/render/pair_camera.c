#include "render/pair_camera.h"

#include <math.h>

#define RADIANS 0.017453292519943295
#define ROOM 1.07 // shown width over the tank's

// The tangent of half the horizontal field of view that shows the whole tank; 0 without a tank, and if some
// of it is behind the camera.
static double tangent_for_tank(const CameraDef *camera, const Box3 *tank)
{
    Vec3 forward = vec3_normalize_or(vec3_sub(camera->target, camera->eye), vec3_make(0, 1, 0));
    Vec3 right = vec3_normalize_or(vec3_cross(forward, vec3_make(0, 0, 1)), vec3_make(1, 0, 0));
    double tangent = 0;
    for (int corner = 0; corner < 8 && tank; corner++) {
        Vec3 toward = vec3_sub(box3_corner(*tank, corner), camera->eye);
        double depth = vec3_dot(toward, forward);
        if (depth <= 0) return 0;
        tangent = fmax(tangent, fabs((double)vec3_dot(toward, right)) / depth);
    }
    return ROOM * tangent;
}

float pair_camera_fov(const RenderDef *whole, uint32_t width, uint32_t height, const Box3 *tank)
{
    const CameraDef *camera = &whole->camera;
    double aspect = (double)whole->width / whole->height, narrower = (double)width / height;
    if (camera->automatic || narrower >= aspect) return camera->fov;
    double upright = tan(0.5 * (double)camera->fov * RADIANS), wide = tangent_for_tank(camera, tank);
    double all = upright * aspect / narrower; // shows as much as the whole
    double needed = wide > 0 ? fmin(fmax(wide / narrower, upright), all) : all;
    return (float)fmin(2 * atan(needed) / RADIANS, 170);
}
