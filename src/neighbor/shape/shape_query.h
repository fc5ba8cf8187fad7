// Shapes that a neighbor query can have: ball, cone (spherical sector) and ellipsoid of revolution, each with
// a pivot and an axis. In two dimensions they are disk, sector and ellipse: z of points, pivot and axis is 0.
// Kim and Lee 2025, "Scalable and rapid nearest neighbor particle search using adaptive disk sector",
// PLoS ONE 20(3) e0311163, has the sector; the cone is its future work.
//
// shape_inside is the one definition of which points belong to a shape; every search gives exactly these.
#ifndef PBF_NEIGHBOR_SHAPE_QUERY_H
#define PBF_NEIGHBOR_SHAPE_QUERY_H

#include "core/vec3.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum ShapeQueryKind {
    SHAPE_BALL,
    SHAPE_CONE,
    SHAPE_ELLIPSOID,
} ShapeQueryKind;

// Made by the functions below; read-only for others. Lengths in m, 1e-15 to 1e15.
typedef struct ShapeQuery {
    ShapeQueryKind kind;
    Vec3 at, axis;       // pivot; unit vector
    float reach;         // of the farthest point of the shape from the pivot: radius, length, semi-major axis
    float across;        // ellipsoid: semi-minor axis
    float cosine, sine;  // cone: of half the opening angle
    float reach_squared; // m^2
    float steep;         // cone: 1 / c of the cosine c, below 0 from 180 degrees on; else 1
    float across_inverse_squared, stretch; // ellipsoid: 1 / b^2 and 1 / a^2 - 1 / b^2, 1/m^2
} ShapeQuery;

ShapeQuery shape_ball(Vec3 at, float radius);

// Points within `length` of the pivot whose direction is within degrees / 2 (0 to 180) of the axis. From 360
// degrees on, and for an axis without direction, it is the ball.
ShapeQuery shape_cone(Vec3 at, Vec3 axis, float length, float degrees);

// Semi-axes `along` the axis and `across` it, along >= across. Without direction the axis is x.
ShapeQuery shape_ellipsoid(Vec3 at, Vec3 axis, float along, float across);

// The same shape at another place and along another axis, a unit vector: for many queries of one shape.
ShapeQuery shape_moved(const ShapeQuery *shape, Vec3 at, Vec3 axis);

// Is the point inside, borders included? The pivot is. Products are rounded before they are added, in this
// order, as the vector versions do: the same bits everywhere. A cone takes the distance d and its part along
// the axis over the cosine c of half the angle, a = t / c, where that is not negative: inside are points with
// a^2 >= d^2, and of a wide cone, whose c is negative so that a looks back, those with a^2 <= d^2. Any
// opening angle and dimension without division or root. (The paper's Eq. 2 solves p - c = alpha v1 + beta v2,
// which is singular at 180 degrees and takes the complement above.)
static inline bool shape_inside(const ShapeQuery *query, float x, float y, float z)
{
    float dx = x - query->at.x, dy = y - query->at.y, dz = z - query->at.z;
    float xx = dx * dx, yy = dy * dy, zz = dz * dz, squared = xx + yy + zz;
    float ux = query->axis.x * query->steep, uy = query->axis.y * query->steep,
          uz = query->axis.z * query->steep;
    float tx = dx * ux, ty = dy * uy, tz = dz * uz, t = tx + ty + tz;
    if (query->kind == SHAPE_ELLIPSOID) {
        float along = t * t, stretched = along * query->stretch,
              round = squared * query->across_inverse_squared;
        return stretched + round <= 1.0f;
    }
    if (query->kind == SHAPE_CONE) {
        float ahead = t > 0.0f ? t : 0.0f, border = ahead * ahead;
        if (query->steep < 0.0f ? border > squared : border < squared) return false;
    }
    return squared <= query->reach_squared;
}

// The adaptive disk sector: fast particles look far and narrowly ahead, slow ones near and all around.
typedef struct AdaptiveSector {
    float seconds;                // delta of Eq. 4, s
    float length_min, length_max; // m
    float speed_min, speed_max;   // m/s, speed_min < speed_max
    float angle_min, angle_max;   // degrees
} AdaptiveSector;

// What the paper leaves open, for points with the influence radius h and speeds of which 1 % are below
// speed_min and 1 % above speed_max: 360 down to 60 degrees, lengths from h to 2 h, delta = h / speed_max.
AdaptiveSector adaptive_sector(float radius, float speed_min, float speed_max);

// Length of the sector, m, Eq. 4: speed times delta. Kept from length_min on, because a particle at rest
// would otherwise see nothing, and up to length_max.
float adaptive_sector_length(const AdaptiveSector *sector, float speed);

// w, Eq. 7: where a speed lies between the two speeds, 0 to 1. The paper clamps a length by speeds and does
// not subtract the lower one, so that its w never vanishes and may exceed 1.
float adaptive_sector_weight(const AdaptiveSector *sector, float speed);

// w*, Eq. 6 with gamma = 3: 1 + log3(w) / 3, and 0 up to w = 1/27, where that becomes negative. (The paper's
// condition for 0, "0 <= h", always holds.)
float adaptive_sector_refined(float weight);

// Opening angle, degrees, Eq. 5.
float adaptive_sector_angle(const AdaptiveSector *sector, float speed);

// The sector, or cone, of a particle at this place and velocity (m/s).
ShapeQuery adaptive_sector_query(const AdaptiveSector *sector, Vec3 at, Vec3 velocity);

#endif
