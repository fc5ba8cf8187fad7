#include "neighbor/shape/shape_query.h"

#include "core/result.h"

#define LENGTH_MIN 1e-15f
#define LENGTH_MAX 1e15f
#define COSINE_MIN 1e-7 // of half an opening angle; 180 degrees, with less, is the narrowest wide cone
#define GAMMA 3.0f      // of Eq. 6

static ShapeQuery make(ShapeQueryKind kind, Vec3 at, Vec3 axis, float reach)
{
    CHECK(reach >= LENGTH_MIN && reach <= LENGTH_MAX);
    return (ShapeQuery){.kind = kind,
                        .at = at,
                        .axis = vec3_normalize_or(axis, vec3_make(1.0f, 0.0f, 0.0f)),
                        .reach = reach,
                        .across = reach,
                        .reach_squared = reach * reach,
                        .steep = 1.0f};
}

ShapeQuery shape_ball(Vec3 at, float radius)
{
    return make(SHAPE_BALL, at, vec3_make(0.0f, 0.0f, 0.0f), radius);
}

ShapeQuery shape_cone(Vec3 at, Vec3 axis, float length, float degrees)
{
    bool round = !(degrees < 360.0f) || vec3_equal(axis, vec3_make(0.0f, 0.0f, 0.0f));
    ShapeQuery query = make(round ? SHAPE_BALL : SHAPE_CONE, at, axis, length);
    if (round) return query;
    double half = (degrees > 0.0f ? (double)degrees : 0.0) * M_PI / 360.0, cosine = cos(half);
    query.cosine = (float)cosine;
    query.sine = (float)sin(half);
    query.steep = (float)(1.0 / (fabs(cosine) < COSINE_MIN ? -COSINE_MIN : cosine));
    return query;
}

ShapeQuery shape_ellipsoid(Vec3 at, Vec3 axis, float along, float across)
{
    CHECK(across >= LENGTH_MIN && along >= across);
    ShapeQuery query = make(SHAPE_ELLIPSOID, at, axis, along);
    double a = along, b = across;
    query.across = across;
    query.across_inverse_squared = (float)(1.0 / (b * b));
    query.stretch = (float)(1.0 / (a * a) - 1.0 / (b * b));
    return query;
}

ShapeQuery shape_moved(const ShapeQuery *shape, Vec3 at, Vec3 axis)
{
    ShapeQuery query = *shape;
    query.at = at;
    query.axis = axis;
    return query;
}

AdaptiveSector adaptive_sector(float radius, float speed_min, float speed_max)
{
    return (AdaptiveSector){.seconds = radius / speed_max,
                            .length_min = radius,
                            .length_max = 2.0f * radius,
                            .speed_min = speed_min,
                            .speed_max = speed_max,
                            .angle_min = 60.0f,
                            .angle_max = 360.0f};
}

static float clamp(float value, float lo, float hi)
{
    return fminf(fmaxf(value, lo), hi);
}

float adaptive_sector_length(const AdaptiveSector *sector, float speed)
{
    return clamp(speed * sector->seconds, sector->length_min, sector->length_max);
}

float adaptive_sector_weight(const AdaptiveSector *sector, float speed)
{
    float range = sector->speed_max - sector->speed_min;
    return (clamp(speed, sector->speed_min, sector->speed_max) - sector->speed_min) / range;
}

float adaptive_sector_refined(float weight)
{
    float zero = 1.0f / (GAMMA * GAMMA * GAMMA);
    return weight <= zero ? 0.0f : 1.0f + logf(weight) / (GAMMA * logf(GAMMA));
}

float adaptive_sector_angle(const AdaptiveSector *sector, float speed)
{
    float refined = adaptive_sector_refined(adaptive_sector_weight(sector, speed));
    return (1.0f - refined) * sector->angle_max + refined * sector->angle_min;
}

ShapeQuery adaptive_sector_query(const AdaptiveSector *sector, Vec3 at, Vec3 velocity)
{
    float speed = vec3_length(velocity);
    return shape_cone(at, velocity, adaptive_sector_length(sector, speed),
                      adaptive_sector_angle(sector, speed));
}
