#include "viewer/hand.h"

#include "viewer/pick.h"

#include <math.h>

static const float PULL = 60;           // m/s^2
static const float DRAG_GAIN = 25;      // 1/s^2: acceleration per meter that the mouse has moved
static const float FORCE_SHARE = 0.12f; // radius of a force against the scene's diagonal
static const float BALL_SHARE = 0.06f;  // likewise of a ball of water
static const float RADIUS_MIN = 4;      // spacings
static const float SHIFT_SPEED = 0.5f;  // diagonals a second
static const float SHIFT_STEP = 0.02f;  // diagonals, of a key
static const double PULSE = 0.2;        // s of simulated time, of a key

static float diagonal(const Hand *hand)
{
    Box3 bounds = hand->playback->bounds;
    return vec3_length(vec3_sub(bounds.hi, bounds.lo));
}

static Vec3 middle_of(const Hand *hand)
{
    Box3 bounds = hand->playback->bounds;
    return vec3_scale(vec3_add(bounds.lo, bounds.hi), 0.5f);
}

static float radius_of(const Hand *hand, float share)
{
    return fmaxf(share * diagonal(hand), RADIUS_MIN * hand->playback->snapshot->side[0].view.spacing);
}

// The water under a place of the window, else the point of the ray that is as far away as the scene's middle.
static Vec3 water_at(const Hand *hand, float px, float py)
{
    uint32_t k;
    float x, y;
    int side;
    bool hit = picture_pick(hand->picture, px, py, &side, &k);
    const FrameView *frame = &hand->playback->snapshot->side[side].view;
    if (hit) return vec3_make(frame->x[k], frame->y[k], frame->z[k]);
    const View *view = picture_view(hand->picture, side);
    picture_place(hand->picture, px, py, &x, &y);
    float depth = fmaxf(vec3_dot(vec3_sub(middle_of(hand), view->eye), view->forward), 2 * view->near);
    return vec3_add(view->eye, vec3_scale(view_ray(view, x, y), depth));
}

// A point of the window at the depth of what was grabbed, domain coordinates.
static Vec3 point_at(const Hand *hand, float px, float py)
{
    float x, y;
    int side = picture_place(hand->picture, px, py, &x, &y);
    const View *view = picture_view(hand->picture, side);
    return vec3_add(view->eye, vec3_scale(view_ray(view, x, y), hand->depth));
}

static void apply_force(Hand *hand, Vec3 center, Vec3 along)
{
    FluidForce force = {.center = center,
                        .radius = radius_of(hand, FORCE_SHARE),
                        .toward = hand->pushes ? -PULL : PULL,
                        .along = along};
    simulation_force(hand->playback->simulation, &force, INFINITY);
}

static bool grab_obstacle(Hand *hand, float px, float py, Vec3 *point)
{
    float x, y;
    int side = picture_place(hand->picture, px, py, &x, &y);
    const Obstacles *obstacles = hand->playback->snapshot->side[side].view.obstacles;
    int body = obstacles ? pick_obstacle(obstacles, picture_view(hand->picture, side), x, y, point) : -1;
    if (body < 0) return false;
    hand->body = (uint32_t)body;
    screen_say(hand->screen, "moving %.60s", obstacles_body(obstacles, hand->body)->name);
    return true;
}

bool hand_grab(Hand *hand, float px, float py, bool obstacle, bool pushes)
{
    float x, y;
    Vec3 point;
    if (obstacle && !grab_obstacle(hand, px, py, &point)) return false;
    if (!obstacle) point = water_at(hand, px, py);
    const View *view = picture_view(hand->picture, picture_place(hand->picture, px, py, &x, &y));
    hand->depth = vec3_dot(vec3_sub(point, view->eye), view->forward);
    hand->obstacle = obstacle;
    hand->pushes = pushes;
    if (obstacle) return true;
    apply_force(hand, point, vec3_make(0, 0, 0));
    screen_say(hand->screen, pushes ? "pushing water" : "pulling water");
    return true;
}

void hand_move(Hand *hand, float px, float py, float dx, float dy)
{
    Vec3 now = point_at(hand, px, py), way = vec3_sub(now, point_at(hand, px - dx, py - dy));
    if (!hand->obstacle)
        apply_force(hand, now, vec3_scale(way, DRAG_GAIN));
    else
        simulation_shift_obstacle(hand->playback->simulation, hand->body, way, SHIFT_SPEED * diagonal(hand));
}

void hand_release(Hand *hand)
{
    if (!hand->obstacle) simulation_force(hand->playback->simulation, NULL, 0);
}

static void drop_over(Hand *hand, Vec3 point)
{
    float radius = radius_of(hand, BALL_SHARE);
    point.z += 2.5f * radius;
    simulation_drop_ball(hand->playback->simulation, point, radius);
    screen_say(hand->screen, "a ball of water, %.2f m", 2 * (double)radius);
}

void hand_drop(Hand *hand, float px, float py)
{
    drop_over(hand, water_at(hand, px, py));
}

// --- by keys ---

static Vec3 ahead(const Hand *hand)
{
    const Camera *camera = hand->picture->camera;
    if (!camera->moved) return middle_of(hand);
    return vec3_sub(camera->orbit.target, hand->playback->snapshot->side[0].view.origin);
}

void hand_drop_ahead(Hand *hand)
{
    drop_over(hand, ahead(hand));
}

void hand_push_ahead(Hand *hand, bool pulls)
{
    FluidForce force = {
        .center = ahead(hand), .radius = radius_of(hand, 2 * FORCE_SHARE), .toward = pulls ? PULL : -PULL};
    simulation_force(hand->playback->simulation, &force, PULSE);
    screen_say(hand->screen, pulls ? "pulling water" : "pushing water");
}

void hand_next_obstacle(Hand *hand)
{
    uint32_t count = playback_body_count(hand->playback);
    if (count > 0) hand->body = (hand->body + 1) % count;
    screen_say(hand->screen, count > 0 ? "obstacle %.60s" : "no obstacles",
               count > 0 ? playback_body(hand->playback, hand->body)->name : "");
}

void hand_move_obstacle(Hand *hand, int right, int away, int up)
{
    const ObstacleDef *body = playback_body(hand->playback, hand->body);
    if (!body || !picture_is_there(hand->picture)) return;
    Simulation *simulation = hand->playback->simulation;
    const View *view = picture_view(hand->picture, 0);
    Vec3 level = vec3_normalize_or(vec3_make(view->forward.x, view->forward.y, 0), vec3_make(0, 1, 0));
    Vec3 way = vec3_add(vec3_scale(view->right, (float)right), vec3_scale(level, (float)away));
    way.z += (float)up;
    simulation_shift_obstacle(simulation, hand->body, vec3_scale(way, SHIFT_STEP * diagonal(hand)),
                              SHIFT_SPEED * diagonal(hand));
    if (!simulation_status(simulation).playing)
        screen_say(hand->screen, "%.60s moves as soon as time goes on", body->name);
}
