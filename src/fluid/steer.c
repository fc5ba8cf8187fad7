#include "core/memory.h"
#include "fluid/fluid_state.h"
#include "fluid/steer_run.h"
#include "obstacle/motion.h"

#include <math.h>
#include <string.h>

#define RADIAL_SCALE 3.4938562f // 1 / the largest s (1 - s^2)^2, which is at s = sqrt(1 / 5)

#define ROOM_TO_WALLS 0.5f     // spacings, as scenes are filled
#define ROOM_TO_PARTICLES 0.9f // spacings: water at rest is a little closer than its lattice in places

// --- forces ---

// The acceleration (m/s^2) at a point.
static Vec3 force_at(const FluidForce *force, Vec3 point)
{
    Vec3 toward = vec3_sub(force->center, point);
    float s2 = vec3_dot(toward, toward) / (force->radius * force->radius);
    if (!(s2 < 1.0f)) return vec3_make(0.0f, 0.0f, 0.0f);
    float share = (1.0f - s2) * (1.0f - s2);
    // toward / radius is the direction times s
    float radial = force->toward * RADIAL_SCALE * share / force->radius;
    return vec3_add(vec3_scale(force->along, share), vec3_scale(toward, radial));
}

void fluid_set_forces(Fluid *fluid, const FluidForce *forces, uint32_t count)
{
    CHECK(count <= FLUID_FORCES_MAX);
    for (uint32_t k = 0; k < count; k++) {
        CHECK(forces[k].radius > 0.0f);
        fluid->forces[k] = forces[k];
    }
    fluid->force_count = count;
}

double steer_acceleration(const Fluid *fluid)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < fluid->force_count; k++)
        sum += fabs((double)fluid->forces[k].toward) + (double)vec3_length(fluid->forces[k].along);
    return sum;
}

Vec3 steer_push(const Fluid *fluid, double dt, Vec3 position, Vec3 velocity)
{
    for (uint32_t k = 0; k < fluid->force_count; k++)
        velocity = vec3_add(velocity, vec3_scale(force_at(&fluid->forces[k], position), (float)dt));
    return velocity;
}

// --- a ball of water ---

// Places of a lattice around a center: place (i, j, k) is (i + 1/2 - half) spacings from it.
typedef struct Ball {
    Vec3 center;
    float radius, spacing;
    uint32_t half, side; // places along half an axis, and along all of it
    uint8_t *taken;      // one for each place
} Ball;

static Vec3 ball_place(const Ball *ball, uint32_t i, uint32_t j, uint32_t k)
{
    float middle = (float)ball->half - 0.5f;
    Vec3 offset = vec3_make((float)i - middle, (float)j - middle, (float)k - middle);
    return vec3_add(ball->center, vec3_scale(offset, ball->spacing));
}

// Marks the places that a particle is too near to.
static void ball_take(Ball *ball, Vec3 particle)
{
    float room = ROOM_TO_PARTICLES * ball->spacing, reach = ball->radius + room;
    Vec3 from = vec3_sub(particle, ball->center);
    if (fabsf(from.x) > reach || fabsf(from.y) > reach || fabsf(from.z) > reach) return;
    const float at[3] = {from.x, from.y, from.z};
    uint32_t lo[3], hi[3]; // places lo .. hi - 1 may be near
    for (int axis = 0; axis < 3; axis++) {
        double place = (double)at[axis] / (double)ball->spacing + ball->half - 0.5;
        double first = ceil(place - 1.0), end = floor(place + 1.0) + 1.0;
        lo[axis] = first > 0.0 ? (uint32_t)first : 0;
        hi[axis] = end < ball->side ? (uint32_t)end : ball->side; // within reach, place > -2 and end >= 0
    }
    for (uint32_t k = lo[2]; k < hi[2]; k++) {
        for (uint32_t j = lo[1]; j < hi[1]; j++) {
            for (uint32_t i = lo[0]; i < hi[0]; i++) {
                Vec3 apart = vec3_sub(ball_place(ball, i, j, k), particle);
                if (vec3_dot(apart, apart) < room * room)
                    ball->taken[((size_t)k * ball->side + j) * ball->side + i] = 1;
            }
        }
    }
}

// Writes the free places inside the ball, at most `limit`; returns their number.
static uint32_t ball_places(const Ball *ball, const Obstacles *obstacles, uint32_t limit, Vec3 *out)
{
    uint32_t count = 0;
    const uint8_t *taken = ball->taken;
    for (uint32_t k = 0; k < ball->side; k++) {
        for (uint32_t j = 0; j < ball->side; j++) {
            for (uint32_t i = 0; i < ball->side && count < limit; i++, taken++) {
                Vec3 place = ball_place(ball, i, j, k), from = vec3_sub(place, ball->center);
                if (*taken || vec3_dot(from, from) > ball->radius * ball->radius) continue;
                if (obstacles_distance(obstacles, place) < ROOM_TO_WALLS * ball->spacing) continue;
                out[count++] = place;
            }
        }
    }
    return count;
}

Result fluid_add_ball(Fluid *fluid, Vec3 center, float radius, Vec3 velocity, uint32_t limit, uint32_t *added)
{
    const Particles *p = &fluid->particles;
    float spacing = fluid->def.spacing;
    // A ball of n particles at rest density holds n spacing^3.
    float largest = spacing * cbrtf(0.238732415f * (float)limit);
    Ball ball = {.center = center, .radius = fminf(radius, largest), .spacing = spacing};
    if (added) *added = 0;
    if (!(ball.radius > 0.0f)) return result_ok();
    ball.half = (uint32_t)ceilf(ball.radius / spacing);
    ball.side = 2 * ball.half;
    size_t places = (size_t)ball.side * ball.side * ball.side;
    ball.taken = memory_allocate_zeroed(places);
    Vec3 *positions = memory_allocate((places < limit ? places : limit) * sizeof *positions);
    Result result = result_no_memory("a ball of water", places + limit * sizeof *positions);
    if (ball.taken && positions) {
        for (uint32_t i = 0; i < p->count; i++) ball_take(&ball, vec3_make(p->x[i], p->y[i], p->z[i]));
        uint32_t count = ball_places(&ball, fluid->obstacles, limit, positions);
        result = fluid_add(fluid, positions, count, velocity);
        if (added && result_is_ok(&result)) *added = count;
    }
    memory_free(ball.taken);
    memory_free(positions);
    return result;
}

// --- bodies ---

Result steer_reserve(Fluid *fluid)
{
    size_t bytes = obstacles_count(fluid->obstacles) * sizeof *fluid->shifts;
    if (!fluid->shifts) fluid->shifts = memory_allocate_zeroed(bytes);
    return fluid->shifts ? result_ok() : result_no_memory("moving obstacles", bytes);
}

Result fluid_shift_obstacle(Fluid *fluid, uint32_t body, Vec3 offset, float speed)
{
    CHECK(body < obstacles_count(fluid->obstacles) && speed > 0.0f);
    TRY(steer_reserve(fluid));
    BodyShift *shift = &fluid->shifts[body];
    shift->left = vec3_add(shift->left, offset);
    shift->speed = speed;
    return result_ok();
}

bool fluid_obstacle_shifting(const Fluid *fluid, uint32_t body)
{
    CHECK(body < obstacles_count(fluid->obstacles));
    return fluid->shifts && vec3_length(fluid->shifts[body].left) > 0.0f;
}

RigidPose fluid_obstacle_pose(const Fluid *fluid, uint32_t body)
{
    return motion_pose(obstacles_body(fluid->obstacles, body), fluid->time);
}

Result fluid_lead_obstacle(Fluid *fluid, uint32_t body, const RigidPose *to, double arrival)
{
    CHECK(body < obstacles_count(fluid->obstacles));
    if (!(arrival > fluid->time && isfinite(arrival)))
        return result_error(RESULT_USAGE, "a body cannot arrive at %g s (later than now, %g s)", arrival,
                            fluid->time);
    Lead lead = {.begin = fluid->time, .end = arrival, .from = fluid_obstacle_pose(fluid, body), .to = *to};
    obstacles_lead(fluid->obstacles, body, &lead);
    return result_ok();
}

bool fluid_obstacle_lead(const Fluid *fluid, uint32_t body, Lead *out)
{
    const MotionDef *motion = &obstacles_body(fluid->obstacles, body)->motion;
    *out = motion->lead;
    return motion->kind == MOTION_LEAD;
}

Result fluid_restore_lead(Fluid *fluid, uint32_t body, const Lead *lead)
{
    if (body >= obstacles_count(fluid->obstacles) || !(lead->end > lead->begin) || !isfinite(lead->end))
        return result_error(RESULT_USAGE, "leads: of no body of the fluid");
    const double *numbers = lead->from.position; // those of both poses follow each other
    for (int k = 0; k < 24; k++) {
        if (!isfinite(numbers[k])) return result_error(RESULT_USAGE, "leads: not finite");
    }
    obstacles_lead(fluid->obstacles, body, lead);
    return obstacles_move(fluid->obstacles, fluid->step_begin, fluid->time);
}

double steer_speed(const Fluid *fluid)
{
    double speed = obstacles_lead_speed(fluid->obstacles, fluid->time);
    uint32_t count = fluid->shifts ? obstacles_count(fluid->obstacles) : 0;
    for (uint32_t k = 0; k < count; k++) {
        if (fluid_obstacle_shifting(fluid, k)) speed = fmax(speed, (double)fluid->shifts[k].speed);
    }
    return speed;
}

// What is due of a way in dt.
static Vec3 stretch_of(const BodyShift *shift, double dt)
{
    float way = vec3_length(shift->left), stretch = shift->speed * (float)dt;
    return way > stretch ? vec3_scale(shift->left, stretch / way) : shift->left;
}

void steer_shift(Fluid *fluid, double dt)
{
    for (uint32_t k = 0; fluid->shifts && k < obstacles_count(fluid->obstacles); k++) {
        if (fluid_obstacle_shifting(fluid, k))
            obstacles_shift(fluid->obstacles, k, stretch_of(&fluid->shifts[k], dt));
    }
}

void steer_done(Fluid *fluid, double dt)
{
    fluid->force_count = 0;
    for (uint32_t k = 0; fluid->shifts && k < obstacles_count(fluid->obstacles); k++) {
        BodyShift *shift = &fluid->shifts[k];
        if (fluid_obstacle_shifting(fluid, k)) shift->left = vec3_sub(shift->left, stretch_of(shift, dt));
        obstacles_shifts(fluid->obstacles, k, shift->gone);
    }
}
