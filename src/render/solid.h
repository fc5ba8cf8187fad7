// Triangles of the obstacles' shapes, with normals, ready for drawing.
#ifndef PBF_RENDER_SOLID_H
#define PBF_RENDER_SOLID_H

#include "core/result.h"
#include "obstacle/obstacle.h"

#include <stddef.h>

typedef struct SolidVertex {
    Vec3 position, normal;
} SolidVertex;

typedef struct Solid {
    SolidVertex *vertices; // three per triangle
    size_t count, capacity;
} Solid;

// Fills a solid with a shape's surface in the shape's own frame. Boxes, spheres and cylinders come out of
// unit size (half extents, radius and half height 1), to be scaled when drawn: see solid_scale. quarter: into
// how many pieces a quarter circle is cut, > 0. Error: RESULT_NO_MEMORY.
Result solid_of_shape(const Shape *shape, int quarter, Solid *out);
void solid_free(Solid *solid);

// What to scale the solid by, along its own axes.
Vec3 solid_scale(const Shape *shape);

#endif
