// The user in the water: forces, drops, obstacles.
#include "viewer/pick.h"
#include "viewer/viewer_state.h"

#include <math.h>

static const float PULL = 60;           // m/s^2
static const float DRAG_GAIN = 25;      // 1/s^2: acceleration for a metre that the mouse has moved
static const float FORCE_SHARE = 0.12f; // radius of a force against the scene's diagonal
static const float BALL_SHARE = 0.06f;  // likewise of a ball of water
static const float RADIUS_MIN = 4;      // spacings
static const float SHIFT_SPEED = 0.5f;  // diagonals a second
static const float SHIFT_STEP = 0.02f;  // diagonals, of a key
static const double PULSE = 0.2;        // s of simulated time, of a key

static float diagonal(const Viewer *viewer)
{
    return vec3_length(vec3_sub(viewer->bounds.hi, viewer->bounds.lo));
}

static float radius_of(const Viewer *viewer, float share)
{
    return fmaxf(share * diagonal(viewer), RADIUS_MIN * viewer->shot->side[0].view.spacing);
}

// The water under a point of a picture, else the point of the ray that is as far away as the scene's middle.
static Vec3 water_at(const Viewer *viewer, const FrameView *frame, const View *view, float x, float y)
{
    uint32_t k;
    Vec3 middle = vec3_scale(vec3_add(viewer->bounds.lo, viewer->bounds.hi), 0.5f);
    if (pick_particle(frame, view, &viewer->clip, x, y, &k))
        return vec3_make(frame->x[k], frame->y[k], frame->z[k]);
    float depth = fmaxf(vec3_dot(vec3_sub(middle, view->eye), view->forward), 2 * view->near);
    return vec3_add(view->eye, vec3_scale(view_ray(view, x, y), depth));
}

// A point of the window at the depth of what was grabbed, domain coordinates.
static Vec3 point_at(const Viewer *viewer, float px, float py)
{
    float x, y;
    int side = viewer_picture_place(viewer, px, py, &x, &y);
    const View *view = renderer_view(viewer->renderer[side]);
    return vec3_add(view->eye, vec3_scale(view_ray(view, x, y), viewer->hand_depth));
}

static void apply_force(Viewer *viewer, Vec3 center, Vec3 along)
{
    FluidForce force = {.center = center,
                        .radius = radius_of(viewer, FORCE_SHARE),
                        .toward = viewer->hand_pushes ? -PULL : PULL,
                        .along = along};
    simulation_force(viewer->simulation, &force, INFINITY);
}

bool hand_grab(Viewer *viewer, float px, float py, bool obstacle, bool pushes)
{
    float x, y;
    Vec3 point;
    int side = viewer_picture_place(viewer, px, py, &x, &y);
    const FrameView *frame = &viewer->shot->side[side].view;
    const View *view = renderer_view(viewer->renderer[side]);
    if (obstacle) {
        int body = frame->obstacles ? pick_obstacle(frame->obstacles, view, x, y, &point) : -1;
        if (body < 0) return false;
        viewer->body = (uint32_t)body;
        viewer_say(viewer, "moving %.60s", obstacles_body(frame->obstacles, viewer->body)->name);
    } else {
        point = water_at(viewer, frame, view, x, y);
    }
    viewer->hand_depth = vec3_dot(vec3_sub(point, view->eye), view->forward);
    viewer->hand_pushes = pushes;
    if (!obstacle) apply_force(viewer, point, vec3_make(0, 0, 0));
    if (!obstacle) viewer_say(viewer, pushes ? "pushing water" : "pulling water");
    return true;
}

void hand_move(Viewer *viewer, float px, float py, float dx, float dy)
{
    Vec3 now = point_at(viewer, px, py), way = vec3_sub(now, point_at(viewer, px - dx, py - dy));
    if (viewer->drag == DRAG_WATER)
        apply_force(viewer, now, vec3_scale(way, DRAG_GAIN));
    else
        simulation_shift_obstacle(viewer->simulation, viewer->body, way, SHIFT_SPEED * diagonal(viewer));
}

void hand_release(Viewer *viewer)
{
    simulation_force(viewer->simulation, NULL, 0);
}

static void drop_over(Viewer *viewer, Vec3 point)
{
    float radius = radius_of(viewer, BALL_SHARE);
    point.z += 2.5f * radius;
    simulation_drop_ball(viewer->simulation, point, radius);
    viewer_say(viewer, "a ball of water, %.2f m", 2 * (double)radius);
}

void hand_drop(Viewer *viewer, float px, float py)
{
    float x, y;
    int side = viewer_picture_place(viewer, px, py, &x, &y);
    const FrameView *frame = &viewer->shot->side[side].view;
    drop_over(viewer, water_at(viewer, frame, renderer_view(viewer->renderer[side]), x, y));
}

static void next_obstacle(Viewer *viewer)
{
    const Obstacles *obstacles = viewer->shot->side[0].obstacles;
    uint32_t count = obstacles ? obstacles_count(obstacles) : 0;
    if (count > 0) viewer->body = (viewer->body + 1) % count;
    viewer_say(viewer, count > 0 ? "obstacle %.60s" : "no obstacles",
               count > 0 ? obstacles_body(obstacles, viewer->body)->name : "");
}

static void move_obstacle(Viewer *viewer, Action action)
{
    const Obstacles *obstacles = viewer->shot->side[0].obstacles;
    if (!obstacles || viewer->body >= obstacles_count(obstacles) || !viewer_has_picture(viewer)) return;
    const View *view = renderer_view(viewer->renderer[0]);
    Vec3 level = vec3_normalize_or(vec3_make(view->forward.x, view->forward.y, 0), vec3_make(0, 1, 0));
    Vec3 way = level;
    if (action == ACTION_MOVE_NEAR) way = vec3_scale(level, -1);
    if (action == ACTION_MOVE_RIGHT) way = view->right;
    if (action == ACTION_MOVE_LEFT) way = vec3_scale(view->right, -1);
    if (action == ACTION_MOVE_UP) way = vec3_make(0, 0, 1);
    if (action == ACTION_MOVE_DOWN) way = vec3_make(0, 0, -1);
    simulation_shift_obstacle(viewer->simulation, viewer->body,
                              vec3_scale(way, SHIFT_STEP * diagonal(viewer)), SHIFT_SPEED * diagonal(viewer));
    if (!simulation_status(viewer->simulation).playing)
        viewer_say(viewer, "%.60s moves as soon as time goes on",
                   obstacles_body(obstacles, viewer->body)->name);
}

void hand_act(Viewer *viewer, Action action)
{
    Vec3 target = vec3_scale(vec3_add(viewer->bounds.lo, viewer->bounds.hi), 0.5f);
    if (viewer->camera_moved) target = vec3_sub(viewer->orbit.target, viewer->shot->side[0].view.origin);
    FluidForce force = {.center = target,
                        .radius = radius_of(viewer, 2 * FORCE_SHARE),
                        .toward = action == ACTION_PULL ? PULL : -PULL};
    switch (action) {
    case ACTION_BALL:
        drop_over(viewer, target);
        break;
    case ACTION_PUSH:
    case ACTION_PULL:
        simulation_force(viewer->simulation, &force, PULSE);
        viewer_say(viewer, action == ACTION_PULL ? "pulling water" : "pushing water");
        break;
    case ACTION_NEXT_OBSTACLE:
        next_obstacle(viewer);
        break;
    default:
        move_obstacle(viewer, action);
    }
}
