#include "photo/panes.h"

#include "photo/color.h"
#include "photo/dielectric.h"

#define GLASS_INDEX 1.5f

// Where a ray enters and leaves a box, and through which faces; empty if enter > leave.
typedef struct Crossing {
    float enter, leave;              // m
    Vec3 enter_normal, leave_normal; // out of the box
} Crossing;

static void cross_slab(float origin, float direction, float lo, float hi, Vec3 axis, Crossing *crossing)
{
    if (fabsf(direction) < 1e-12f) {
        if (origin < lo || origin > hi) crossing->enter = INFINITY;
        return;
    }
    float a = (lo - origin) / direction, b = (hi - origin) / direction;
    float side = direction > 0 ? 1.0f : -1.0f;
    if (fminf(a, b) > crossing->enter) {
        crossing->enter = fminf(a, b);
        crossing->enter_normal = vec3_scale(axis, -side);
    }
    if (fmaxf(a, b) < crossing->leave) {
        crossing->leave = fmaxf(a, b);
        crossing->leave_normal = vec3_scale(axis, side);
    }
}

static Crossing cross_box(const Box3 *box, const Ray *ray)
{
    Crossing crossing = {-INFINITY, INFINITY, {0, 0, 0}, {0, 0, 0}};
    Vec3 o = ray->origin, d = ray->direction;
    cross_slab(o.x, d.x, box->lo.x, box->hi.x, vec3_make(1, 0, 0), &crossing);
    cross_slab(o.y, d.y, box->lo.y, box->hi.y, vec3_make(0, 1, 0), &crossing);
    cross_slab(o.z, d.z, box->lo.z, box->hi.z, vec3_make(0, 0, 1), &crossing);
    return crossing;
}

// Takes a boundary if it is the nearest so far.
static bool take(const Ray *ray, float distance, Vec3 outward, bool leaving, PaneHit *nearest)
{
    if (!(distance > ray->near && distance < nearest->distance)) return false;
    *nearest = (PaneHit){distance, outward, leaving};
    return true;
}

bool panes_hit(const Panes *panes, const Ray *ray, PaneHit *out)
{
    if (!panes->present) return false;
    Crossing outer = cross_box(&panes->outer, ray);
    if (!(outer.enter < outer.leave) || outer.leave <= ray->near) return false;
    Crossing inner = cross_box(&panes->inner, ray);
    float enter = outer.enter, leave = outer.leave; // of all the glass
    bool hollow = inner.enter < inner.leave && inner.leave > enter && inner.enter < leave;
    bool found = false;
    out->distance = ray->far;
    if (!hollow || enter < inner.enter) found |= take(ray, enter, outer.enter_normal, false, out);
    if (hollow && enter < inner.enter)
        found |= take(ray, inner.enter, vec3_scale(inner.enter_normal, -1), true, out);
    if (hollow && inner.leave < leave)
        found |= take(ray, inner.leave, vec3_scale(inner.leave_normal, -1), false, out);
    if (!hollow || inner.leave < leave) found |= take(ray, leave, outer.leave_normal, true, out);
    return found;
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
