// The signed distance function (SDF) of one solid in its own frame: distance (negative inside), nearest
// surface, thickness, and a point swept against it. Exact for box, sphere, cylinder and capsule; a mesh is as
// exact as its distance grid.
#ifndef PBF_OBSTACLE_SHAPE_H
#define PBF_OBSTACLE_SHAPE_H

#include "obstacle/obstacle.h"

#include <stdbool.h>

// Signed distance, m. *normal is the unit gradient: it leads from the nearest surface point outwards, and is
// some outward direction where there are several (the center of a sphere). normal may be NULL.
float shape_distance(const Shape *shape, Vec3 point, Vec3 *normal);

// Length of the solid behind a surface point along -normal, m; INFINITY where a mesh is too thick to tell.
float shape_thickness(const Shape *shape, Vec3 surface, Vec3 normal);

// The sides that face a point; see obstacle_sides.
uint32_t shape_sides(const Shape *shape, Vec3 point, SolidSide out[SOLID_SIDES_MAX]);

// What the solid encloses, m^3; a mesh as mesh_volume.
double shape_volume(const Shape *shape);

// Tight box around the solid.
Box3 shape_bounds(const Shape *shape);

// Follows the straight path from `from` to `to` until it comes within `clearance` of the surface; see
// obstacle_sweep. *stop and *normal are written on a hit only.
bool shape_sweep(const Shape *shape, Vec3 from, Vec3 to, float clearance, Vec3 *stop, Vec3 *normal);

#endif
