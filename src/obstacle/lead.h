// A body's way from one pose to another, asked for while the fluid is under way: straight and at an even
// speed, turning evenly about one axis.
#ifndef PBF_OBSTACLE_LEAD_H
#define PBF_OBSTACLE_LEAD_H

#include "obstacle/obstacle.h"

// The pose at time t (s): that of the begin before it, that of the end after it.
RigidPose lead_pose(const Lead *lead, double t);

// The angle that the body turns by on the way, rad, 0..pi.
double lead_angle(const Lead *lead);

// m/s: how fast a point of the body at most is that is `reach` (m) from its origin; 0 when the body has
// arrived by time t (s).
double lead_speed(const Lead *lead, double reach, double t);

#endif
