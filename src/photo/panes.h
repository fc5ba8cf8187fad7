// The glass of a tank: two boxes, of which the space between them is glass.
#ifndef PBF_PHOTO_PANES_H
#define PBF_PHOTO_PANES_H

#include "core/vec3.h"
#include "photo/ray_scene.h"

typedef struct Panes {
    bool present;
    Box3 outer, inner; // m; where an inner face lies beyond the outer one glass ends
    Vec3 tint;         // of light that has passed a pane straight
} Panes;

typedef struct PaneHit {
    float distance; // m
    Vec3 outward;   // unit normal, out of the glass
    bool leaving;   // the ray is in the glass before
    bool inner;     // a face of the inner box
    int axis;       // across the face: 0, 1, 2
} PaneHit;

// The nearest face of glass between ray->near and ray->far; false if there is none.
bool panes_hit(const Panes *panes, const Ray *ray, PaneHit *out);

// Share of light that comes straight through all panes on the ray, with reflections at both faces and the
// tint; the path inside is not bent.
Vec3 panes_passed(const Panes *panes, const Ray *ray);

#endif
