// Triangulated surfaces of the bodies' shapes, for pictures and files.
#ifndef PBF_OBSTACLE_SOLID_H
#define PBF_OBSTACLE_SOLID_H

#include "core/result.h"
#include "obstacle/obstacle.h"

typedef struct SolidVertex {
    Vec3 position, normal;
} SolidVertex;

// A closed surface; triangles are counter-clockwise from outside. At an edge, vertices that differ in their
// normals stand at the same point.
typedef struct Solid {
    SolidVertex *vertices;
    uint32_t *points; // for each vertex, the number of the point that it stands at
    uint32_t (*triangles)[3];
    uint32_t vertex_count, point_count, triangle_count;
} Solid;

// Fills a solid with a shape's surface in the shape's own frame. Boxes, spheres and cylinders come out of
// unit size (half extents, radius and half height 1), to be scaled when they are used: see solid_scale. All
// vertices of round shapes lie on the true surface. quarter: into how many pieces a quarter circle is cut, >
// 0. Error: RESULT_NO_MEMORY. Free with solid_free.
Result solid_of_shape(const Shape *shape, int quarter, Solid *out);
void solid_free(Solid *solid);

// Number of triangles that solid_of_shape makes.
uint32_t solid_triangles(const Shape *shape, int quarter);

// Factors to scale the solid by, along its own axes.
Vec3 solid_scale(const Shape *shape);

// Is the solid the same for all shapes of this kind (of unit size)?
bool solid_is_unit(const Shape *shape);

// A `quarter` for this many bodies together: finer where there are few, as those tend to be large.
int solid_quarter(uint32_t bodies);

#endif
