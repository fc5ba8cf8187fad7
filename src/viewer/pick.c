#include "viewer/pick.h"

// Sphere tracing: the most steps toward a surface, and how close counts as a hit (share of the distance to
// the eye).
enum { MARCH_MAX = 200 };
static const float MARCH_CLOSE = 1e-4f;

bool pick_particle(const FrameView *frame, const View *view, const ClipPlane *cut, float x, float y,
                   uint32_t *particle)
{
    Vec3 ray = view_ray(view, x, y);
    float length = vec3_length(ray), radius = 0.6f * frame->spacing, nearest = INFINITY;
    Vec3 unit = vec3_scale(ray, 1 / length);
    for (uint32_t k = 0; k < frame->count; k++) {
        Vec3 p = vec3_make(frame->x[k], frame->y[k], frame->z[k]);
        Vec3 away = vec3_sub(p, view->eye);
        float along = vec3_dot(away, unit);
        if (along < view->near || along >= nearest) continue;
        Vec3 beside = vec3_sub(away, vec3_scale(unit, along));
        if (vec3_dot(beside, beside) > radius * radius || clip_hides(cut, p)) continue;
        nearest = along;
        *particle = k;
    }
    return nearest < INFINITY;
}

int pick_obstacle(const Obstacles *obstacles, const View *view, float x, float y, Vec3 *point)
{
    Vec3 unit = vec3_normalize_or(view_ray(view, x, y), view->forward);
    int found = -1;
    float nearest = view->far;
    for (uint32_t body = 0; body < obstacles_count(obstacles); body++) {
        float along = view->near;
        for (int step = 0; step < MARCH_MAX && along < nearest; step++) {
            Vec3 p = vec3_add(view->eye, vec3_scale(unit, along));
            float distance = obstacle_distance(obstacles, body, p);
            if (distance < MARCH_CLOSE * along + 1e-6f) {
                found = (int)body;
                nearest = along;
                *point = p;
                break;
            }
            along += distance;
        }
    }
    return found;
}
