#include "obstacle/motion.h"

#include "obstacle/lead.h"

#include <math.h>

#define PI 3.14159265358979323846
#define RADIANS (PI / 180.0)

// Position and Euler angles together: six numbers that are interpolated alike.
typedef struct Placement {
    double value[6]; // m, m, m, degrees, degrees, degrees
} Placement;

static Placement placement_of(Vec3 position, Vec3 rotation)
{
    return (Placement){{position.x, position.y, position.z, rotation.x, rotation.y, rotation.z}};
}

// Rotation about x, then y, then z, as mat3_from_euler_degrees.
static RigidPose pose_of(const Placement *placement)
{
    double x = placement->value[3] * RADIANS, y = placement->value[4] * RADIANS,
           z = placement->value[5] * RADIANS;
    double cx = cos(x), sx = sin(x), cy = cos(y), sy = sin(y), cz = cos(z), sz = sin(z);
    return (RigidPose){
        .position = {placement->value[0], placement->value[1], placement->value[2]},
        .rotation = {{cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx},
                     {sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx},
                     {-sy, cy * sx, cy * cx}},
    };
}

static double clamp(double value, double lo, double hi)
{
    return value < lo ? lo : value > hi ? hi : value;
}

// Smoothstep over the first `ramp` seconds: starts and ends without a jerk in velocity.
static double ramp_factor(double elapsed, double ramp)
{
    if (elapsed >= ramp) return 1;
    double s = elapsed / ramp;
    return s * s * (3 - 2 * s);
}

static Placement oscillation_at(const ObstacleDef *body, double t)
{
    const MotionDef *motion = &body->motion;
    double elapsed = clamp(t, motion->start, motion->stop) - motion->start;
    double swing =
        ramp_factor(elapsed, motion->ramp) * sin(2 * PI * elapsed / motion->period + motion->phase * RADIANS);
    Placement placement = placement_of(body->position, body->rotation);
    Placement amplitude = placement_of(motion->amplitude, motion->rotation_amplitude);
    for (int k = 0; k < 6; k++) placement.value[k] += swing * amplitude.value[k];
    return placement;
}

static Placement keyframe_placement(const MotionDef *motion, uint32_t key)
{
    return placement_of(motion->keyframes[key].position, motion->keyframes[key].rotation);
}

// Catmull-Rom tangent for keys at uneven times: the slope from the key before to the key after.
static Placement keyframe_tangent(const MotionDef *motion, uint32_t key)
{
    Placement tangent = {{0}};
    if (key == 0 || key + 1 == motion->keyframe_count) return tangent;
    Placement before = keyframe_placement(motion, key - 1), after = keyframe_placement(motion, key + 1);
    double span = motion->keyframes[key + 1].time - motion->keyframes[key - 1].time;
    if (!(span > 0)) return tangent;
    for (int k = 0; k < 6; k++) tangent.value[k] = (after.value[k] - before.value[k]) / span;
    return tangent;
}

static Placement keyframes_at(const MotionDef *motion, double t)
{
    uint32_t last = motion->keyframe_count - 1;
    if (!(t > motion->keyframes[0].time)) return keyframe_placement(motion, 0);
    if (t >= motion->keyframes[last].time) return keyframe_placement(motion, last);
    uint32_t lo = 0, hi = last; // keyframes[lo].time < t < keyframes[hi].time
    while (hi - lo > 1) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (motion->keyframes[middle].time <= t)
            lo = middle;
        else
            hi = middle;
    }
    Placement p0 = keyframe_placement(motion, lo), p1 = keyframe_placement(motion, hi);
    Placement m0 = keyframe_tangent(motion, lo), m1 = keyframe_tangent(motion, hi);
    double span = motion->keyframes[hi].time - motion->keyframes[lo].time;
    double s = (t - motion->keyframes[lo].time) / span;
    double end = s * s * (3 - 2 * s), out = s * (1 - s) * (1 - s) * span, in = s * s * (s - 1) * span;
    Placement placement;
    for (int k = 0; k < 6; k++)
        placement.value[k] =
            p0.value[k] + end * (p1.value[k] - p0.value[k]) + out * m0.value[k] + in * m1.value[k];
    return placement;
}

RigidPose motion_pose(const ObstacleDef *body, double t)
{
    if (body->motion.kind == MOTION_LEAD) return lead_pose(&body->motion.lead, t);
    Placement placement = placement_of(body->position, body->rotation);
    if (body->motion.kind == MOTION_OSCILLATION) placement = oscillation_at(body, t);
    if (body->motion.kind == MOTION_KEYFRAMES && body->motion.keyframe_count > 0)
        placement = keyframes_at(&body->motion, t);
    return pose_of(&placement);
}

// |d/dt| and |d^2/dt^2| of ramp * sin are bounded by those of the factors: smoothstep's slope is at most 1.5,
// its curvature at most 6.
static void oscillation_limits(const MotionDef *motion, Placement *rate, Placement *change)
{
    double omega = 2 * PI / motion->period, ramp = motion->ramp;
    double slope = ramp > 0 ? 1.5 / ramp : 0, curvature = ramp > 0 ? 6 / (ramp * ramp) : 0;
    Placement amplitude = placement_of(motion->amplitude, motion->rotation_amplitude);
    for (int k = 0; k < 6; k++) {
        rate->value[k] = fabs(amplitude.value[k]) * (omega + slope);
        change->value[k] = fabs(amplitude.value[k]) * (omega * omega + 2 * omega * slope + curvature);
    }
}

// A cubic's second derivative is linear, so it is largest at an end of a segment.
static void keyframe_limits(const MotionDef *motion, double begin, double end, Placement *rate,
                            Placement *change)
{
    for (uint32_t key = 0; key + 1 < motion->keyframe_count; key++) {
        double span = motion->keyframes[key + 1].time - motion->keyframes[key].time;
        if (motion->keyframes[key].time > end || motion->keyframes[key + 1].time < begin || !(span > 0))
            continue;
        Placement p0 = keyframe_placement(motion, key), p1 = keyframe_placement(motion, key + 1);
        Placement m0 = keyframe_tangent(motion, key), m1 = keyframe_tangent(motion, key + 1);
        for (int k = 0; k < 6; k++) {
            double chord = (p1.value[k] - p0.value[k]) / span;
            double at_start = (6 * chord - 4 * m0.value[k] - 2 * m1.value[k]) / span;
            double at_end = (-6 * chord + 2 * m0.value[k] + 4 * m1.value[k]) / span;
            rate->value[k] = fmax(rate->value[k], 1.5 * fabs(chord) + fabs(m0.value[k]) + fabs(m1.value[k]));
            change->value[k] = fmax(change->value[k], fmax(fabs(at_start), fabs(at_end)));
        }
    }
}

MotionLimits motion_limits(const ObstacleDef *body, double t0, double t1)
{
    const MotionDef *motion = &body->motion;
    MotionLimits limits = {.begin = t0, .end = t0};
    Placement rate = {{0}}, change = {{0}};
    if (motion->kind == MOTION_OSCILLATION) {
        limits.begin = clamp(t0, motion->start, motion->stop);
        limits.end = clamp(t1, motion->start, motion->stop);
        oscillation_limits(motion, &rate, &change);
    } else if (motion->kind == MOTION_KEYFRAMES && motion->keyframe_count > 0) {
        double first = motion->keyframes[0].time, last = motion->keyframes[motion->keyframe_count - 1].time;
        limits.begin = clamp(t0, first, last);
        limits.end = clamp(t1, first, last);
        keyframe_limits(motion, limits.begin, limits.end, &rate, &change);
    } else if (motion->kind == MOTION_LEAD) {
        limits.begin = clamp(t0, motion->lead.begin, motion->lead.end);
        limits.end = clamp(t1, motion->lead.begin, motion->lead.end);
        limits.spin = lead_angle(&motion->lead) / (motion->lead.end - motion->lead.begin);
    }
    for (int k = 0; k < 3; k++) {
        limits.acceleration[k] = change.value[k];
        limits.spin += rate.value[3 + k] * RADIANS;
        limits.spin_change += change.value[3 + k] * RADIANS;
    }
    return limits;
}
