#include "obstacle/lead.h"

#include <math.h>

// The turn that leads from one rotation to the other: to * transposed(from).
static void turn_between(const Lead *lead, double turn[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            turn[i][j] = 0;
            for (int k = 0; k < 3; k++) turn[i][j] += lead->to.rotation[i][k] * lead->from.rotation[j][k];
        }
    }
}

static double angle_of(double turn[3][3])
{
    double sine[3] = {turn[2][1] - turn[1][2], turn[0][2] - turn[2][0], turn[1][0] - turn[0][1]};
    double twice = sqrt(sine[0] * sine[0] + sine[1] * sine[1] + sine[2] * sine[2]);
    return atan2(twice, turn[0][0] + turn[1][1] + turn[2][2] - 1);
}

double lead_angle(const Lead *lead)
{
    double turn[3][3];
    turn_between(lead, turn);
    return angle_of(turn);
}

// The unit axis of a turn by `angle` > 0. Near a half turn the antisymmetric part vanishes; the largest
// column of turn + 1 is along the axis there.
static void axis_of(double turn[3][3], double angle, double axis[3])
{
    int best = 0;
    for (int k = 1; k < 3; k++) {
        if (turn[k][k] > turn[best][best]) best = k;
    }
    double sine[3] = {turn[2][1] - turn[1][2], turn[0][2] - turn[2][0], turn[1][0] - turn[0][1]};
    for (int k = 0; k < 3; k++) {
        double symmetric = 0.5 * (turn[k][best] + turn[best][k]) - (k == best ? cos(angle) : 0);
        axis[k] = angle < 3 ? sine[k] : symmetric;
    }
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double along = axis[0] * sine[0] + axis[1] * sine[1] + axis[2] * sine[2];
    for (int k = 0; k < 3; k++) axis[k] *= (along < 0 ? -1 : 1) / length;
}

// Rodrigues' formula for the turn about `axis` by `angle`, applied to a column vector.
static void turn_vector(const double axis[3], double angle, double v[3])
{
    double c = cos(angle), s = sin(angle), along = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
    double across[3] = {axis[1] * v[2] - axis[2] * v[1], axis[2] * v[0] - axis[0] * v[2],
                        axis[0] * v[1] - axis[1] * v[0]};
    for (int k = 0; k < 3; k++) v[k] = c * v[k] + s * across[k] + (1 - c) * along * axis[k];
}

RigidPose lead_pose(const Lead *lead, double t)
{
    if (!(t > lead->begin)) return lead->from;
    if (t >= lead->end) return lead->to;
    double s = (t - lead->begin) / (lead->end - lead->begin), turn[3][3], axis[3];
    RigidPose pose = lead->from;
    for (int k = 0; k < 3; k++) pose.position[k] += s * (lead->to.position[k] - lead->from.position[k]);
    turn_between(lead, turn);
    double angle = angle_of(turn);
    if (!(angle > 0)) return pose;
    axis_of(turn, angle, axis);
    for (int column = 0; column < 3; column++) {
        double v[3] = {pose.rotation[0][column], pose.rotation[1][column], pose.rotation[2][column]};
        turn_vector(axis, s * angle, v);
        for (int row = 0; row < 3; row++) pose.rotation[row][column] = v[row];
    }
    return pose;
}

double lead_speed(const Lead *lead, double reach, double t)
{
    if (t >= lead->end) return 0;
    double way = 0;
    for (int k = 0; k < 3; k++) {
        double d = lead->to.position[k] - lead->from.position[k];
        way += d * d;
    }
    return (sqrt(way) + reach * lead_angle(lead)) / (lead->end - lead->begin);
}
