#include "photo/panes.h"

#include "photo/box_ray.h"
#include "photo/color.h"
#include "photo/dielectric.h"

#define GLASS_INDEX 1.5f

static inline int axis_at(Real4 distances, float distance)
{
    return distances[0] == distance ? 0 : distances[1] == distance ? 1 : 2;
}

// A ray's way through both boxes: into glass, out of it inward, into it from within, out of it.
typedef struct Ways {
    BoxCrossing outer, inner;
    bool before, after; // is there glass before, and after, what is hollow?
    bool hollow;        // does it meet the inner box at all?
} Ways;

// False: the ray meets nothing between its ends.
static inline bool find_ways(const Panes *panes, const Ray *ray, Ways *ways)
{
    Real4 origin = box_ray_four(ray->origin), over = 1 / box_ray_four(ray->direction);
    ways->outer = box_ray_cross(&panes->outer, origin, over);
    float enter = ways->outer.enter, leave = ways->outer.leave;
    if (!(enter < leave) || leave <= ray->near || enter >= ray->far) return false;
    ways->inner = box_ray_cross(&panes->inner, origin, over);
    float in = ways->inner.enter, out = ways->inner.leave;
    ways->hollow = in < out && out > enter && in < leave;
    ways->before = !ways->hollow || enter < in;
    ways->after = !ways->hollow || out < leave;
    return true;
}

// The normal of a face across an axis that looks against the ray.
static Vec3 against(const Ray *ray, int axis)
{
    Vec3 d = ray->direction;
    return axis == 0   ? vec3_make(d.x > 0 ? -1.0f : 1.0f, 0, 0)
           : axis == 1 ? vec3_make(0, d.y > 0 ? -1.0f : 1.0f, 0)
                       : vec3_make(0, 0, d.z > 0 ? -1.0f : 1.0f);
}

bool panes_hit(const Panes *panes, const Ray *ray, PaneHit *out)
{
    Ways ways;
    if (!panes->present || !find_ways(panes, ray, &ways)) return false;
    const BoxCrossing *outer = &ways.outer, *inner = &ways.inner;
    // One behind the other: the first that lies ahead is the nearest.
    const Real4 *by;
    if (ways.before && outer->enter > ray->near)
        out->distance = outer->enter, by = &outer->enters, out->leaving = out->inner = false;
    else if (ways.before && ways.hollow && inner->enter > ray->near)
        out->distance = inner->enter, by = &inner->enters, out->leaving = out->inner = true;
    else if (ways.after && ways.hollow && inner->leave > ray->near)
        out->distance = inner->leave, by = &inner->leaves, out->leaving = false, out->inner = true;
    else if (ways.after)
        out->distance = outer->leave, by = &outer->leaves, out->leaving = true, out->inner = false;
    else
        return false;
    if (out->distance >= ray->far) return false;
    out->axis = axis_at(*by, out->distance);
    Vec3 normal = against(ray, out->axis); // glass begins behind it, or ends
    out->outward = out->leaving ? vec3_scale(normal, -1) : normal;
    return true;
}

// Share of light that passes a pane, both faces and all reflections between them: (1 - F) / (1 + F).
static float pane_passed(float cosine)
{
    float far, once = 1 - dielectric_reflectance(cosine, 1 / GLASS_INDEX, &far);
    return once / (2 - once);
}

Vec3 panes_passed(const Panes *panes, const Ray *ray)
{
    Vec3 share = color_gray(1);
    Ways ways;
    if (!panes->present || !find_ways(panes, ray, &ways)) return share;
    const float d[3] = {fabsf(ray->direction.x), fabsf(ray->direction.y), fabsf(ray->direction.z)};
    float enter = ways.outer.enter, out = ways.inner.leave;
    if (ways.before && enter > ray->near && enter < ray->far)
        share = vec3_scale(panes->tint, pane_passed(d[axis_at(ways.outer.enters, enter)]));
    if (ways.after && ways.hollow && out > ray->near && out < ray->far)
        share = vec3_scale(vec3_mul(share, panes->tint), pane_passed(d[axis_at(ways.inner.leaves, out)]));
    return share;
}
