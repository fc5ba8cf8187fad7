// Occlusion culling: which particles a view can see at all. In a body of water nearly all are hidden behind
// others; culling is exact (only what is provably covered goes) and makes software rendering several times
// faster. A graphics card draws all of them in less time than culling takes.
#ifndef PBF_RENDER_VISIBILITY_H
#define PBF_RENDER_VISIBILITY_H

#include "core/result.h"
#include "render/view.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Visibility Visibility;

// Spheres of one radius, as three streams.
typedef struct Spheres {
    const float *x, *y, *z; // m
    uint32_t count;
    float radius; // m
} Spheres;

// How to draw a sphere.
typedef enum SphereClass { SPHERE_HIDDEN, SPHERE_SPRITE, SPHERE_QUAD, SPHERE_CLASS_COUNT } SphereClass;

// covered: also finds those that are hidden behind others, not only those outside the view. Error:
// RESULT_NO_MEMORY.
Result visibility_create(bool covered, Visibility **out);
void visibility_destroy(Visibility *visibility);

// Writes a SphereClass for every sphere. height: of the picture in pixels; spheres whose sprite might be
// larger than `largest_sprite` pixels become quads. The result does not depend on the number of threads.
// Error: RESULT_NO_MEMORY.
Result visibility_classify(Visibility *visibility, const View *view, Spheres spheres, uint32_t height,
                           float largest_sprite, uint8_t *classes);

#endif
