// What mouse and keyboard do.
#include "core/clock.h"
#include "render/gui.h"
#include "viewer/pick.h"
#include "viewer/viewer_state.h"

#include <math.h>

static const double DOUBLE_CLICK = 0.35; // s
static const float CLICK_REACH = 6;      // px of a common screen, between the clicks, and of one
static const float TURN = 4.5f;          // radians for a drag over the window's height
static const float WHEEL_ZOOM = 0.88f;   // factor a notch

// Px to -1..1, right and up, in the picture of the side that is returned.
int viewer_picture_place(const Viewer *viewer, float px, float py, float *x, float *y)
{
    Frame frame = viewer_frame(viewer, 1);
    int side = viewer->shot->sides == 2 && px >= frame.x;
    if (side == 0) frame = viewer_frame(viewer, 0);
    *x = 2 * (px - frame.x) / fmaxf(frame.width, 1) - 1;
    *y = 1 - 2 * (py - frame.y) / fmaxf(frame.height, 1);
    return side;
}

// The water under the mouse, else the point of the ray at the target's distance; scene coordinates.
static Vec3 place_under(const Viewer *viewer, float px, float py, bool *hit)
{
    float x, y;
    uint32_t k;
    int side = viewer_picture_place(viewer, px, py, &x, &y);
    const FrameView *frame = &viewer->shot->side[side].view;
    const View *view = renderer_view(viewer->renderer[side]);
    *hit = pick_particle(frame, view, &viewer->clip, x, y, &k);
    Vec3 point = *hit ? vec3_make(frame->x[k], frame->y[k], frame->z[k])
                      : vec3_add(view->eye, vec3_scale(view_ray(view, x, y), viewer->orbit.distance));
    return vec3_add(frame->origin, point);
}

static void focus(Viewer *viewer, float px, float py)
{
    bool hit;
    viewer_begin_camera(viewer);
    Vec3 point = place_under(viewer, px, py, &hit);
    if (!hit) return;
    viewer->orbit.target = point;
    viewer_say(viewer, "looking at %.2f, %.2f, %.2f m", (double)point.x, (double)point.y, (double)point.z);
    viewer_redraw(viewer);
}

// Is the mouse still, or again, where the left button went down?
static bool is_near_click(const Viewer *viewer, const WindowEvent *event)
{
    float dx = event->x - viewer->clicked_x, dy = event->y - viewer->clicked_y;
    float reach = CLICK_REACH * window_scale(viewer->window);
    return dx * dx + dy * dy < reach * reach;
}

static bool is_double_click(Viewer *viewer, const WindowEvent *event)
{
    // Two clicks that come in while a slow picture is drawn are seen after it.
    double now = clock_seconds() - viewer->blind;
    bool twice = now - viewer->clicked_at < DOUBLE_CLICK && is_near_click(viewer, event);
    viewer->clicked_at = twice ? 0 : now;
    viewer->clicked_x = event->x;
    viewer->clicked_y = event->y;
    return twice;
}

static void end_drag(Viewer *viewer)
{
    if (viewer->drag == DRAG_WATER) hand_release(viewer);
    viewer->drag = DRAG_NONE;
}

static void press(Viewer *viewer, const WindowEvent *event)
{
    end_drag(viewer); // of another button
    bool hand = viewer->hand && event->button == BUTTON_LEFT;
    if (event->button == BUTTON_LEFT && is_double_click(viewer, event)) {
        if (hand)
            hand_drop(viewer, event->x, event->y);
        else
            focus(viewer, event->x, event->y);
        return;
    }
    viewer->drag_button = event->button;
    if (hand) {
        bool obstacle = event->mods & MOD_SHIFT;
        if (hand_grab(viewer, event->x, event->y, obstacle, event->mods & MOD_CONTROL))
            viewer->drag = obstacle ? DRAG_OBSTACLE : DRAG_WATER;
        return;
    }
    viewer_begin_camera(viewer);
    bool pans = event->button == BUTTON_MIDDLE || (event->mods & MOD_SHIFT);
    viewer->drag = pans ? DRAG_PAN : DRAG_ORBIT;
}

static void drag(Viewer *viewer, float dx, float dy)
{
    float height = fmaxf((float)viewer->height, 1);
    if (viewer->drag == DRAG_ORBIT) orbit_turn(&viewer->orbit, -dx / height * TURN, dy / height * TURN);
    if (viewer->drag == DRAG_PAN) orbit_pan(&viewer->orbit, dx / height, -dy / height);
    if (viewer->drag == DRAG_WATER || viewer->drag == DRAG_OBSTACLE)
        hand_move(viewer, viewer->mouse_x, viewer->mouse_y, dx, dy);
    else
        viewer_redraw(viewer);
}

static void zoom(Viewer *viewer, const WindowEvent *event)
{
    bool hit;
    viewer_begin_camera(viewer);
    Vec3 at = place_under(viewer, event->x, event->y, &hit);
    orbit_zoom(&viewer->orbit, powf(WHEEL_ZOOM, event->scroll_y), at);
    viewer_redraw(viewer);
}

static void take_mouse(Viewer *viewer, const WindowEvent *event, bool taken)
{
    float dx = event->x - viewer->mouse_x, dy = event->y - viewer->mouse_y;
    viewer->mouse_x = event->x;
    viewer->mouse_y = event->y;
    bool up = event->kind == WINDOW_BUTTON && !event->down;
    bool clicked =
        up && event->button == BUTTON_LEFT && viewer->drag == DRAG_ORBIT && is_near_click(viewer, event);
    if (up && event->button == viewer->drag_button) end_drag(viewer);
    if (!viewer_has_picture(viewer)) return;
    if (clicked) probe_at(viewer, event->x, event->y);
    if (event->kind == WINDOW_MOVE && viewer->drag != DRAG_NONE) drag(viewer, dx, dy);
    if (taken) return;
    if (event->kind == WINDOW_BUTTON && event->down) press(viewer, event);
    if (event->kind == WINDOW_SCROLL && event->scroll_y != 0) zoom(viewer, event);
}

static void take_key(Viewer *viewer, const WindowEvent *event)
{
    Action action;
    uint32_t digit;
    if (!event->down || !control_of_key(event->key, event->mods, &action, &digit)) return;
    // A held key repeats what moves by steps, not what switches.
    bool repeats = (action >= ACTION_ORBIT_LEFT && action <= ACTION_ZOOM_OUT) ||
                   (action >= ACTION_MOVE_LEFT && action <= ACTION_MOVE_DOWN) || action == ACTION_STEP ||
                   action == ACTION_LESS || action == ACTION_MORE || action == ACTION_CLIP_BACK ||
                   action == ACTION_CLIP_ON;
    if (!event->repeat || repeats) viewer_act(viewer, action, digit);
}

void viewer_take_event(Viewer *viewer, const WindowEvent *event)
{
    bool taken = gui_take_event(event);
    viewer->pace.acted = clock_seconds();
    viewer->controls_stale = true;
    switch (event->kind) {
    case WINDOW_KEY:
        if (!taken) take_key(viewer, event);
        break;
    case WINDOW_BUTTON:
    case WINDOW_MOVE:
    case WINDOW_SCROLL:
        take_mouse(viewer, event, taken);
        break;
    case WINDOW_DROP:
        viewer_load(viewer, event->path, false);
        break;
    case WINDOW_REDRAW:
    case WINDOW_TEXT:
        break;
    }
}
