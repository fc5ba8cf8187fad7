#include "viewer/hand.h"

#include "core/clock.h"
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
static const double SHOWN = 1;          // s on the clock, of its ring

static const float RING_LINE = 2; // common px
enum { RING_CORNERS = 48 };

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

// The point under a place of the window that is as far away as the scene's middle.
static Vec3 middle_at(const Hand *hand, float px, float py)
{
    float x, y;
    int side = picture_place(hand->picture, px, py, &x, &y);
    const View *view = picture_view(hand->picture, side);
    float depth = fmaxf(vec3_dot(vec3_sub(middle_of(hand), view->eye), view->forward), 2 * view->near);
    return vec3_add(view->eye, vec3_scale(view_ray(view, x, y), depth));
}

// The water under a place of the window, else a point as far away as the scene's middle.
static Vec3 water_at(const Hand *hand, float px, float py)
{
    uint32_t k;
    int side;
    bool hit = picture_pick(hand->picture, px, py, &side, &k);
    const FrameView *frame = &hand->playback->snapshot->side[side].view;
    return hit ? vec3_make(frame->x[k], frame->y[k], frame->z[k]) : middle_at(hand, px, py);
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
    hand->force = (FluidForce){.center = center,
                               .radius = radius_of(hand, FORCE_SHARE),
                               .toward = hand->pushes ? -PULL : PULL,
                               .along = along};
    hand->acts = true;
    simulation_force(hand->playback->simulation, &hand->force, INFINITY);
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
    if (obstacle) hand->force.radius = 0; // no ring
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
    hand->acts = false;
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

// Is the force of a key still shown?
static bool shows_push(const Hand *hand)
{
    return clock_seconds() < hand->until;
}

void hand_hover(Hand *hand, float px, float py)
{
    if (hand->acts || !hand->on || shows_push(hand)) return;
    hand->force = (FluidForce){.center = middle_at(hand, px, py), .radius = radius_of(hand, FORCE_SHARE)};
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
    hand->force = (FluidForce){
        .center = ahead(hand), .radius = radius_of(hand, 2 * FORCE_SHARE), .toward = pulls ? PULL : -PULL};
    hand->until = clock_seconds() + SHOWN;
    simulation_force(hand->playback->simulation, &hand->force, PULSE);
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

// --- shown ---

// Arrows go between the ring and half of it, from tail to tip.
static void draw_arrow(Gui *gui, float x, float y, float across_x, float across_y, bool inward, float line)
{
    float tail = inward ? 1 : 0.5f, tip = inward ? 0.5f : 1, barb = inward ? 0.65f : 0.85f, aside = 0.1f;
    const float points[][2] = {
        {x + tail * across_x, y + tail * across_y},
        {x + tip * across_x, y + tip * across_y},
        {x + barb * across_x - aside * across_y, y + barb * across_y + aside * across_x},
        {x + tip * across_x, y + tip * across_y},
        {x + barb * across_x + aside * across_y, y + barb * across_y - aside * across_x},
    };
    gui_draw_lines(gui, points, 5, line, gui_color(gui, TINT_HAND));
}

static void draw_side(const Hand *hand, Gui *gui, int side, bool strong)
{
    const FluidForce *force = &hand->force;
    const View *view = picture_view(hand->picture, side);
    Frame frame = picture_frame(hand->picture, side);
    float x, y, edge_x, edge_y, depth, points[RING_CORNERS + 1][2];
    Vec3 edge = vec3_add(force->center, vec3_scale(view->right, force->radius));
    if (!view_project(view, force->center, &x, &y, &depth)) return;
    if (!view_project(view, edge, &edge_x, &edge_y, &depth)) return;
    float px = frame_px(frame, x), py = frame_py(frame, y);
    float radius = 0.5f * (edge_x - x) * frame.width, line = RING_LINE * screen_unit(hand->screen);
    for (int k = 0; k <= RING_CORNERS; k++) {
        float angle = 6.2831853f * (float)k / RING_CORNERS, c = radius * cosf(angle),
              s = radius * sinf(angle);
        points[k][0] = px + c;
        points[k][1] = py + s;
        if (strong && k % (RING_CORNERS / 4) == RING_CORNERS / 8)
            draw_arrow(gui, px, py, c, s, force->toward > 0, line);
    }
    gui_draw_lines(gui, (const float(*)[2])points, RING_CORNERS + 1, line,
                   gui_color(gui, strong ? TINT_HAND : TINT_HAND_FAINT));
}

void hand_draw(const Hand *hand, Gui *gui)
{
    bool strong = hand->acts || shows_push(hand);
    if ((!strong && !hand->on) || hand->force.radius <= 0 || !picture_is_there(hand->picture)) return;
    for (int side = 0; side < picture_count(hand->picture); side++) draw_side(hand, gui, side, strong);
}
