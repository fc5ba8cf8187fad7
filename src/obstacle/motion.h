// Prescribed motion of a body: its pose at a time, and how far it can leave a straight line between two
// times.
#ifndef PBF_OBSTACLE_MOTION_H
#define PBF_OBSTACLE_MOTION_H

#include "obstacle/obstacle.h"

// The pose that a body's definition prescribes at time t (s).
RigidPose motion_pose(const ObstacleDef *body, double t);

// Limits of a path within [begin, end], the part of a time span in which the body moves at all.
typedef struct MotionLimits {
    double begin, end;      // s; equal when the body rests
    double acceleration[3]; // m/s^2, largest of each component
    double spin;            // rad/s, largest rate of rotation
    double spin_change;     // rad/s^2
} MotionLimits;

// The limits between t0 and t1 >= t0 (s): bounds, not the largest values themselves.
MotionLimits motion_limits(const ObstacleDef *body, double t0, double t1);

#endif
