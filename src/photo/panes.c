#include "photo/panes.h"

#include "photo/color.h"
#include "photo/dielectric.h"

#define GLASS_INDEX 1.5f

// Three numbers, and one that does not count.
typedef float Real4 __attribute__((vector_size(16)));
typedef int32_t Whole4 __attribute__((vector_size(16)));

static inline Real4 four(Vec3 a)
{
    return (Real4){a.x, a.y, a.z, 1};
}

static inline Real4 chosen(Whole4 first, Real4 a, Real4 b)
{
    return (Real4)(((Whole4)a & first) | ((Whole4)b & ~first));
}

// Where a ray enters and leaves a box, and through which pair of faces; empty if enter > leave.
typedef struct Crossing {
    float enter, leave; // m
    int enter_axis, leave_axis;
} Crossing;

// over: 1 / direction, infinite along the faces.
static inline Crossing cross_box(const Box3 *box, Real4 origin, Real4 over)
{
    Real4 a = (four(box->lo) - origin) * over, b = (four(box->hi) - origin) * over;
    Whole4 rises = a < b;
    Real4 enter = chosen(rises, a, b), leave = chosen(rises, b, a);
    Crossing crossing = {-INFINITY, INFINITY, 0, 0};
    for (int axis = 0; axis < 3; axis++) {
        if (enter[axis] > crossing.enter) crossing.enter = enter[axis], crossing.enter_axis = axis;
        if (leave[axis] < crossing.leave) crossing.leave = leave[axis], crossing.leave_axis = axis;
    }
    return crossing;
}

// The nearest boundary so far.
typedef struct Boundary {
    float distance; // m
    int axis;
    bool leaving, inner;
} Boundary;

static inline void take(const Ray *ray, float distance, int axis, bool leaving, bool inner, Boundary *nearest)
{
    if (distance > ray->near && distance < nearest->distance)
        *nearest = (Boundary){distance, axis, leaving, inner};
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
    if (!panes->present) return false;
    Real4 origin = four(ray->origin), over = 1 / four(ray->direction);
    Crossing outer = cross_box(&panes->outer, origin, over);
    if (!(outer.enter < outer.leave) || outer.leave <= ray->near || outer.enter >= ray->far) return false;
    Crossing inner = cross_box(&panes->inner, origin, over);
    Boundary nearest = {ray->far, -1, false, false};
    bool hollow = inner.enter < inner.leave && inner.leave > outer.enter && inner.enter < outer.leave;
    bool before = !hollow || outer.enter < inner.enter, after = !hollow || inner.leave < outer.leave;
    if (before) take(ray, outer.enter, outer.enter_axis, false, false, &nearest);
    if (before && hollow) take(ray, inner.enter, inner.enter_axis, true, true, &nearest);
    if (after && hollow) take(ray, inner.leave, inner.leave_axis, false, true, &nearest);
    if (after) take(ray, outer.leave, outer.leave_axis, true, false, &nearest);
    if (nearest.axis < 0) return false;
    Vec3 normal = against(ray, nearest.axis); // glass begins behind it, or ends
    if (nearest.leaving) normal = vec3_scale(normal, -1);
    *out = (PaneHit){nearest.distance, normal, nearest.leaving, nearest.inner, nearest.axis};
    return true;
}

Vec3 panes_passed(const Panes *panes, const Ray *ray)
{
    Vec3 share = color_gray(1);
    Ray rest = *ray;
    PaneHit hit;
    for (int k = 0; k < 8 && panes_hit(panes, &rest, &hit); k++) {
        rest.near = hit.distance * (1 + 1e-6f) + 1e-6f;
        if (hit.leaving) continue;
        float far, cosine = -vec3_dot(hit.outward, ray->direction);
        float once = 1 - dielectric_reflectance(cosine, 1 / GLASS_INDEX, &far);
        // With all reflections between the two faces: (1 - F) / (1 + F).
        share = vec3_scale(vec3_mul(share, panes->tint), once / (2 - once));
    }
    return share;
}
