#include "viewer/input.h"

#include "core/clock.h"
#include "viewer/actions.h"
#include "viewer/first_run.h"

#include <math.h>

static const double DOUBLE_CLICK = 0.35; // s
static const float CLICK_REACH = 6;      // px of a common screen, between press and release or two clicks
static const float TURN = 4.5f;          // radians for a drag over the window's height
static const float WHEEL_ZOOM = 0.88f;   // factor a notch

// The water under the mouse, else the point of the ray at the target's distance; scene coordinates.
static Vec3 place_under(const Viewer *viewer, float px, float py, bool *hit)
{
    float x, y;
    uint32_t k;
    int side;
    *hit = picture_pick(&viewer->picture, px, py, &side, &k);
    const FrameView *frame = &viewer->playback.snapshot->side[side].view;
    if (*hit) return vec3_add(frame->origin, vec3_make(frame->x[k], frame->y[k], frame->z[k]));
    const View *view = picture_view(&viewer->picture, side);
    picture_place(&viewer->picture, px, py, &x, &y);
    Vec3 ray = vec3_scale(view_ray(view, x, y), viewer->camera.orbit.distance);
    return vec3_add(frame->origin, vec3_add(view->eye, ray));
}

static void focus(Viewer *viewer, float px, float py)
{
    bool hit;
    picture_take_camera(&viewer->picture);
    Vec3 point = place_under(viewer, px, py, &hit);
    if (!hit) return;
    viewer->camera.orbit.target = point;
    screen_say(&viewer->screen, "looking at %.2f, %.2f, %.2f m", (double)point.x, (double)point.y,
               (double)point.z);
    screen_redraw(&viewer->screen);
}

// Is the mouse where the left button went down?
static bool is_near_click(const Input *input, const WindowEvent *event)
{
    float dx = event->x - input->clicked_x, dy = event->y - input->clicked_y;
    float reach = CLICK_REACH * screen_unit(&input->viewer->screen);
    return dx * dx + dy * dy < reach * reach;
}

static bool is_double_click(Input *input, const WindowEvent *event)
{
    // Clicks during the drawing of a slow picture are seen after it.
    double now = clock_seconds() - input->draw_time_ignored;
    bool twice = now - input->clicked_at < DOUBLE_CLICK && is_near_click(input, event);
    input->clicked_at = twice ? 0 : now;
    input->clicked_x = event->x;
    input->clicked_y = event->y;
    return twice;
}

static void end_drag(Input *input)
{
    if (input->drag == DRAG_HAND) hand_release(&input->viewer->hand);
    if (input->drag == DRAG_EDIT) editor_release(&input->viewer->editor);
    input->drag = DRAG_NONE;
}

// Is the mouse on the line between two sides?
static bool is_on_wipe(const Viewer *viewer, float px)
{
    float line;
    return picture_wipe(&viewer->picture, &line) &&
           fabsf(px - line) < CLICK_REACH * screen_unit(&viewer->screen);
}

static void press(Input *input, const WindowEvent *event)
{
    Viewer *viewer = input->viewer;
    end_drag(input); // of another button
    if (event->button == BUTTON_LEFT && is_on_wipe(viewer, event->x)) {
        input->drag = DRAG_WIPE;
        input->drag_button = event->button;
        return;
    }
    if (event->button == BUTTON_LEFT && editor_grab(&viewer->editor, event->x, event->y)) {
        input->drag = DRAG_EDIT;
        input->drag_button = event->button;
        return;
    }
    bool hand = viewer->hand.on && event->button == BUTTON_LEFT;
    if (event->button == BUTTON_LEFT && is_double_click(input, event)) {
        if (hand)
            hand_drop(&viewer->hand, event->x, event->y);
        else
            focus(viewer, event->x, event->y);
        return;
    }
    input->drag_button = event->button;
    if (hand) {
        if (hand_grab(&viewer->hand, event->x, event->y, event->mods & MOD_SHIFT, event->mods & MOD_CONTROL))
            input->drag = DRAG_HAND;
        return;
    }
    picture_take_camera(&viewer->picture);
    bool pans = event->button == BUTTON_MIDDLE || (event->mods & MOD_SHIFT);
    input->drag = pans ? DRAG_PAN : DRAG_ORBIT;
}

static void drag(Input *input, float dx, float dy)
{
    Viewer *viewer = input->viewer;
    Orbit *orbit = &viewer->camera.orbit;
    float height = fmaxf((float)viewer->screen.height, 1);
    if (input->drag == DRAG_HAND) {
        hand_move(&viewer->hand, input->mouse_x, input->mouse_y, dx, dy);
        return;
    }
    if (input->drag == DRAG_WIPE) {
        Frame frame = picture_frame(&viewer->picture, 0);
        look_set_wipe(&viewer->look, (input->mouse_x - frame.x) / fmaxf(frame.width, 1));
        return;
    }
    if (input->drag == DRAG_ORBIT) orbit_turn(orbit, -dx / height * TURN, dy / height * TURN);
    if (input->drag == DRAG_PAN) orbit_pan(orbit, dx / height, -dy / height);
    screen_redraw(&viewer->screen);
}

static void zoom(Viewer *viewer, const WindowEvent *event)
{
    bool hit;
    picture_take_camera(&viewer->picture);
    Vec3 at = place_under(viewer, event->x, event->y, &hit);
    orbit_zoom(&viewer->camera.orbit, powf(WHEEL_ZOOM, event->scroll_y), at);
    screen_redraw(&viewer->screen);
}

static void take_mouse(Input *input, const WindowEvent *event, bool taken)
{
    Viewer *viewer = input->viewer;
    float dx = event->x - input->mouse_x, dy = event->y - input->mouse_y;
    input->mouse_x = event->x;
    input->mouse_y = event->y;
    bool up = event->kind == WINDOW_BUTTON && !event->down;
    bool clicked =
        up && event->button == BUTTON_LEFT && input->drag == DRAG_ORBIT && is_near_click(input, event);
    if (up && event->button == input->drag_button) end_drag(input);
    if (!picture_is_there(&viewer->picture)) return;
    if (clicked && viewer->editor.on)
        editor_choose_at(&viewer->editor, event->x, event->y);
    else if (clicked)
        probe_at(&viewer->probe, event->x, event->y);
    if (event->kind == WINDOW_MOVE && input->drag == DRAG_EDIT)
        editor_drag(&viewer->editor, event->x, event->y, event->mods & MOD_CONTROL);
    else if (event->kind == WINDOW_MOVE && input->drag != DRAG_NONE)
        drag(input, dx, dy);
    else if (event->kind == WINDOW_MOVE) {
        editor_hover(&viewer->editor, event->x, event->y);
        hand_hover(&viewer->hand, event->x, event->y);
    }
    if (taken) return;
    if (event->kind == WINDOW_BUTTON && event->down) press(input, event);
    if (event->kind == WINDOW_SCROLL && event->scroll_y != 0) zoom(viewer, event);
}

static void take_key(Viewer *viewer, const WindowEvent *event)
{
    int argument;
    bool answers = viewer->question.open && (event->key == KEY_ENTER || event->key == KEY_ESCAPE);
    if (answers) {
        if (event->down) question_answer(&viewer->question, event->key == KEY_ENTER);
        return;
    }
    const Action *action = event->down ? action_of_key(event->key, event->mods, &argument) : NULL;
    if (action) first_run_end(viewer);
    if (action && (!event->repeat || action->repeats)) action_run(action, viewer, argument);
}

// Digits and punctuation.
static void take_text(Viewer *viewer, const WindowEvent *event)
{
    WindowEvent typed = {.key = event->key, .down = true, .repeat = event->repeat};
    bool letter = (event->key >= 'A' && event->key <= 'Z') || event->key == ' ';
    if (!letter) take_key(viewer, &typed);
}

void input_take_event(Input *input, const WindowEvent *event)
{
    Viewer *viewer = input->viewer;
    bool taken = gui_take_event(viewer->controls.gui, event);
    viewer->picture.pacing.acted = clock_seconds();
    viewer->screen.controls_stale = true;
    switch (event->kind) {
    case WINDOW_KEY:
        if (!taken) take_key(viewer, event);
        break;
    case WINDOW_BUTTON:
    case WINDOW_MOVE:
    case WINDOW_SCROLL:
        take_mouse(input, event, taken);
        break;
    case WINDOW_DROP:
        scene_files_open(&viewer->files, event->path);
        break;
    case WINDOW_TEXT:
        if (!taken) take_text(viewer, event);
        break;
    case WINDOW_REDRAW:
        break;
    }
}
