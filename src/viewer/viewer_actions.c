// What keys and buttons ask for.
#include "neighbor/neighbor.h"
#include "viewer/parameters.h"
#include "viewer/viewer_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SPEED_MIN = 1.0 / 16, SPEED_MAX = 16; // beyond: as fast as it goes

// --- time ---

static void speed_text(double speed, char *out, size_t size)
{
    if (!isfinite(speed))
        snprintf(out, size, "as fast as it goes");
    else if (speed < 1)
        snprintf(out, size, "1/%.0f of real time", 1 / speed);
    else
        snprintf(out, size, speed > 1 ? "%.0f x real time" : "real time", speed);
}

static void change_speed(Viewer *viewer, bool faster)
{
    char text[40];
    double speed = simulation_status(viewer->simulation).speed;
    if (faster)
        speed = speed >= SPEED_MAX ? INFINITY : speed * 2;
    else
        speed = isfinite(speed) ? fmax(speed / 2, SPEED_MIN) : SPEED_MAX;
    simulation_set_speed(viewer->simulation, speed);
    speed_text(speed, text, sizeof text);
    viewer_say(viewer, "speed: %s", text);
}

static void play_or_pause(Viewer *viewer)
{
    bool playing = simulation_status(viewer->simulation).playing;
    simulation_play(viewer->simulation, !playing);
    viewer_say(viewer, playing ? "paused" : "playing");
}

// --- look ---

static void toggle(Viewer *viewer, bool *what, const char *name, bool says_on)
{
    *what = !*what;
    viewer_say(viewer, "%s %s", name, *what == says_on ? "on" : "off");
    viewer_redraw(viewer);
}

// --- settings ---

// The method of the panel is that of the left side, or what a later comparison begins with.
static void follow_method(Viewer *viewer)
{
    if (simulation_status(viewer->simulation).comparing)
        viewer->sides[0] = parameter_method(viewer->facts.fluid.neighbor);
    else
        viewer_choose_sides(viewer);
}

void viewer_set_parameter(Viewer *viewer, uint32_t parameter, float value)
{
    char text[100];
    parameter_text(parameter, value, text, sizeof text);
    if (parameter == parameter_of_spacing()) {
        viewer->spacing = value;
        viewer_say(viewer, "%s: Enter restarts with it", text);
        return;
    }
    parameter_set(&viewer->facts.fluid, parameter, value);
    simulation_set(viewer->simulation, parameter, value);
    if (parameter == parameter_of_methods()) follow_method(viewer);
    viewer_say(viewer, parameter == viewer->facts.compared ? "left side: %s" : "%s", text);
}

static float present_value(const Viewer *viewer, uint32_t parameter)
{
    if (parameter == parameter_of_spacing()) return viewer->spacing;
    return parameter_get(&viewer->facts.fluid, parameter);
}

static void choose_parameter(Viewer *viewer, bool next)
{
    char text[100];
    uint32_t count = 0;
    while (parameter_at(count)) count++;
    viewer->chosen = (viewer->chosen + (next ? 1 : count - 1)) % count;
    parameter_text(viewer->chosen, present_value(viewer, viewer->chosen), text, sizeof text);
    viewer_say(viewer, "setting: %s", text);
}

static void step_parameter(Viewer *viewer, int direction)
{
    uint32_t k = viewer->chosen;
    viewer_set_parameter(viewer, k, parameter_next(k, present_value(viewer, k), direction));
}

void viewer_restart_with_spacing(Viewer *viewer)
{
    viewer_say(viewer, "restarting with a spacing of %.4g m", (double)viewer->spacing);
    viewer->forced_spacing = viewer->spacing;
    simulation_load(viewer->simulation, viewer->facts.path, viewer->spacing, LOAD_RESPACED);
}

// --- comparison ---

void viewer_choose_sides(Viewer *viewer)
{
    // States over clusters and over lists differ by rounding; a user expects to see them identical.
    const char *now = viewer->facts.fluid.neighbor;
    const char *left = neighbor_method_is_clustered(now) ? "uniform_grid" : now;
    const char *right = strcmp(left, "uniform_grid") == 0 ? "aabb_grid" : "uniform_grid";
    viewer->sides[0] = parameter_method(left);
    viewer->sides[1] = parameter_method(right);
}

void viewer_compare(Viewer *viewer, bool on)
{
    const char *left = neighbor_method_name(viewer->sides[0]),
               *right = neighbor_method_name(viewer->sides[1]);
    if (on && !simulation_status(viewer->simulation).comparing) {
        viewer->panel_covered |= viewer->panel;
        viewer->panel = false; // it would hide the right half
    }
    if (!on) {
        viewer->panel |= viewer->panel_covered;
        viewer->panel_covered = false;
        simulation_compare_end(viewer->simulation);
        viewer_say(viewer, "one fluid again");
    } else if (viewer->def.compare) {
        simulation_compare_sides(viewer->simulation);
        viewer_say(viewer, "comparing the sides of the command line");
    } else {
        simulation_compare_methods(viewer->simulation, left, right);
        viewer_say(viewer, "comparing %s with %s", left, right);
    }
}

void viewer_choose_side(Viewer *viewer, int side, uint32_t method)
{
    viewer->sides[side] = method;
    if (simulation_status(viewer->simulation).comparing) viewer_compare(viewer, true);
}

static void next_against(Viewer *viewer)
{
    if (viewer->def.compare) {
        viewer_say(viewer, "the command line says what is compared");
        return;
    }
    do {
        viewer->sides[1] = (uint32_t)parameter_next(parameter_of_methods(), (float)viewer->sides[1], 1);
    } while (viewer->sides[1] == viewer->sides[0]);
    viewer_compare(viewer, true);
}

// --- files ---

void viewer_load(Viewer *viewer, const char *path, bool renewed)
{
    viewer_say(viewer, renewed ? "reading %s again" : "opening %s", path);
    if (!renewed) viewer->forced_spacing = 0;
    simulation_load(viewer->simulation, path, viewer->forced_spacing, renewed ? LOAD_AGAIN : LOAD_OTHER);
}

static void open_scene(Viewer *viewer, uint32_t digit)
{
    char path[4200];
    if (digit < 1 || digit > viewer->scenes.count) {
        viewer_say(viewer, "%s holds %u scene%s", viewer->scenes.folder, viewer->scenes.count,
                   viewer->scenes.count == 1 ? "" : "s");
        return;
    }
    scene_list_path(&viewer->scenes, digit - 1, path, sizeof path);
    viewer_load(viewer, path, false);
}

void viewer_take_picture(Viewer *viewer)
{
    viewer->picture_wanted = false;
    if (viewer->width < 2 || viewer->height < 2) return;
    const uint8_t *rgb;
    Result result = viewer_draw_full(viewer, viewer->width, viewer->height, &rgb);
    if (result_is_ok(&result))
        result = recorder_picture(viewer->recorder, rgb, viewer->width, viewer->height, viewer->facts.name);
    viewer_say_error(viewer, &result);
    if (result_is_ok(&result)) viewer_say(viewer, "picture: %s", recorder_picture_path(viewer->recorder));
}

static void record(Viewer *viewer, RecordKind kind)
{
    Recorder *recorder = viewer->recorder;
    Result result;
    if (recorder_kind(recorder) != RECORD_NONE) {
        result = recorder_end(recorder);
        simulation_wait_at_frames(viewer->simulation, false);
        uint32_t frames = recorder_frames(recorder);
        if (result_is_ok(&result) && frames == 0)
            viewer_say(viewer, "nothing was recorded");
        else if (result_is_ok(&result))
            viewer_say(viewer, "recorded %u frame%s: %s", frames, frames == 1 ? "" : "s",
                       recorder_path(recorder));
    } else {
        if (viewer->width < 2 || viewer->height < 2) return;
        result = recorder_start(recorder, kind, viewer->facts.name, viewer->width, viewer->height,
                                viewer->facts.fps);
        if (result_is_ok(&result)) {
            simulation_wait_at_frames(viewer->simulation, true);
            viewer->recorded_fluid = 0; // whatever an earlier recording has
            viewer_say(viewer, "recording every frame: %s", recorder_path(recorder));
        }
    }
    viewer_say_error(viewer, &result);
}

// --- all ---

static void close_something(Viewer *viewer)
{
    if (viewer->help)
        viewer->help = false;
    else
        viewer->quit = true;
    viewer->controls_stale = true;
}

static void next_field(Viewer *viewer, int direction)
{
    viewer_set_field(viewer,
                     (FieldKey)(((int)viewer->look.color_by + direction + FIELD_COUNT) % FIELD_COUNT));
}

void viewer_act(Viewer *viewer, Action action, uint32_t digit)
{
    viewer->controls_stale = true;
    switch (action) {
    case ACTION_PLAY:
        play_or_pause(viewer);
        break;
    case ACTION_STEP:
        simulation_step(viewer->simulation);
        break;
    case ACTION_FRAME:
        simulation_frame(viewer->simulation);
        break;
    case ACTION_RESET:
        simulation_reset(viewer->simulation);
        viewer_say(viewer, "started over");
        break;
    case ACTION_SLOWER:
    case ACTION_FASTER:
        change_speed(viewer, action == ACTION_FASTER);
        break;
    case ACTION_STYLE:
        viewer_set_style(viewer, (RenderStyle)((viewer->look.style + 1) % STYLE_COUNT));
        break;
    case ACTION_COLOR:
    case ACTION_COLOR_BACK:
        next_field(viewer, action == ACTION_COLOR ? 1 : -1);
        break;
    case ACTION_AUTO_RANGE:
        viewer_toggle_range(viewer);
        break;
    case ACTION_COLOR_BAR:
        toggle(viewer, &viewer->look.legend, "colour bar", true);
        break;
    case ACTION_CLIP:
    case ACTION_CLIP_AXIS:
    case ACTION_CLIP_BACK:
    case ACTION_CLIP_ON:
        viewer_act_on_clip(viewer, action);
        break;
    case ACTION_TANK:
        toggle(viewer, &viewer->look.hide_tank, "tank", false);
        break;
    case ACTION_OBSTACLES:
        toggle(viewer, &viewer->look.hide_obstacles, "obstacles", false);
        break;
    case ACTION_CELLS:
        toggle(viewer, &viewer->show_cells, "cells of the search", true);
        break;
    case ACTION_PANEL:
        viewer->panel = !viewer->panel;
        break;
    case ACTION_HUD:
        viewer->hud = !viewer->hud;
        if (viewer->hud && viewer_layout(viewer).hud == HUD_NONE)
            viewer_say(viewer, "the window has no room for the numbers%s",
                       viewer->panel ? " beside the panel (Tab)" : "");
        break;
    case ACTION_PROBE:
        probe_ahead(viewer);
        break;
    case ACTION_HELP:
        viewer->help = !viewer->help;
        break;
    case ACTION_CHOOSE_PREVIOUS:
    case ACTION_CHOOSE_NEXT:
        choose_parameter(viewer, action == ACTION_CHOOSE_NEXT);
        break;
    case ACTION_LESS:
    case ACTION_MORE:
        step_parameter(viewer, action == ACTION_MORE ? 1 : -1);
        break;
    case ACTION_APPLY:
        viewer_restart_with_spacing(viewer);
        break;
    case ACTION_ORBIT_LEFT:
    case ACTION_ORBIT_RIGHT:
    case ACTION_ORBIT_UP:
    case ACTION_ORBIT_DOWN:
    case ACTION_PAN_LEFT:
    case ACTION_PAN_RIGHT:
    case ACTION_PAN_UP:
    case ACTION_PAN_DOWN:
    case ACTION_ZOOM_IN:
    case ACTION_ZOOM_OUT:
    case ACTION_HOME:
    case ACTION_FRAME_ALL:
        viewer_move_camera(viewer, action);
        break;
    case ACTION_SCENE:
        open_scene(viewer, digit);
        break;
    case ACTION_HAND:
        toggle(viewer, &viewer->hand, "hand in the water", true);
        break;
    case ACTION_BALL:
    case ACTION_PUSH:
    case ACTION_PULL:
    case ACTION_NEXT_OBSTACLE:
    case ACTION_MOVE_LEFT:
    case ACTION_MOVE_RIGHT:
    case ACTION_MOVE_AWAY:
    case ACTION_MOVE_NEAR:
    case ACTION_MOVE_UP:
    case ACTION_MOVE_DOWN:
        hand_act(viewer, action);
        break;
    case ACTION_COMPARE:
        viewer_compare(viewer, !simulation_status(viewer->simulation).comparing);
        break;
    case ACTION_AGAINST:
        next_against(viewer);
        break;
    case ACTION_SCREENSHOT:
        viewer->picture_wanted = true; // with water: its surface may still be in the making
        break;
    case ACTION_RECORD:
    case ACTION_FILM:
        record(viewer, action == ACTION_FILM ? RECORD_FILM : RECORD_PNG);
        break;
    case ACTION_FULLSCREEN:
        window_toggle_fullscreen(viewer->window);
        break;
    case ACTION_QUIT:
        close_something(viewer);
        break;
    case ACTION_COUNT:
        break;
    }
}

static const char *on_off(bool on)
{
    return on ? "on" : "off";
}

void viewer_action_state(Viewer *viewer, Action action, char *out, size_t size)
{
    SimulationStatus status = simulation_status(viewer->simulation);
    RecordKind recording = recorder_kind(viewer->recorder);
    out[0] = '\0';
    switch (action) {
    case ACTION_PLAY:
        snprintf(out, size, "%s", status.playing ? "playing" : "paused");
        break;
    case ACTION_STEP:
        snprintf(out, size, "step %llu", (unsigned long long)status.steps);
        break;
    case ACTION_FRAME:
        snprintf(out, size, "frame %u", viewer->shot->frame);
        break;
    case ACTION_SLOWER:
        speed_text(status.speed, out, size);
        break;
    case ACTION_STYLE:
        snprintf(out, size, "%s", render_style_name(viewer->look.style));
        break;
    case ACTION_COLOR:
        snprintf(out, size, "%s", field_name(viewer->look.color_by));
        break;
    case ACTION_AUTO_RANGE:
        snprintf(out, size, "%s", on_off(viewer->look.auto_range));
        break;
    case ACTION_COLOR_BAR:
        snprintf(out, size, "%s", on_off(viewer->look.legend));
        break;
    case ACTION_CLIP:
        snprintf(out, size, viewer->clip.on ? "along %c" : "off", 'x' + viewer->clip.axis);
        break;
    case ACTION_CLIP_ON:
        if (viewer->clip.on) snprintf(out, size, "%.2f m", viewer_clip_place(viewer));
        break;
    case ACTION_TANK:
        snprintf(out, size, "%s", on_off(!viewer->look.hide_tank));
        break;
    case ACTION_OBSTACLES:
        snprintf(out, size, "%s", on_off(!viewer->look.hide_obstacles));
        break;
    case ACTION_CELLS:
        snprintf(out, size, "%s", on_off(viewer->show_cells));
        break;
    case ACTION_PANEL:
        snprintf(out, size, "%s", on_off(viewer->panel));
        break;
    case ACTION_HUD:
        snprintf(out, size, "%s", on_off(viewer->hud));
        break;
    case ACTION_PROBE:
        snprintf(out, size, "%s", on_off(viewer->probing));
        break;
    case ACTION_CHOOSE_NEXT:
        snprintf(out, size, "%s", parameter_at(viewer->chosen)->label);
        break;
    case ACTION_MORE:
        parameter_text(viewer->chosen, present_value(viewer, viewer->chosen), out, size);
        break;
    case ACTION_APPLY:
        snprintf(out, size, "%.4g m", (double)viewer->spacing);
        break;
    case ACTION_HAND:
        snprintf(out, size, "%s", on_off(viewer->hand));
        break;
    case ACTION_NEXT_OBSTACLE:
        if (viewer->shot->side[0].obstacles &&
            viewer->body < obstacles_count(viewer->shot->side[0].obstacles))
            snprintf(out, size, "%.40s", obstacles_body(viewer->shot->side[0].obstacles, viewer->body)->name);
        break;
    case ACTION_COMPARE:
        snprintf(out, size, "%s", on_off(status.comparing));
        break;
    case ACTION_AGAINST:
        snprintf(out, size, "%s", viewer->def.compare ? "" : neighbor_method_name(viewer->sides[1]));
        break;
    case ACTION_SCENE:
        snprintf(out, size, "%s", viewer->facts.name);
        break;
    case ACTION_RECORD:
        if (recording == RECORD_PNG) snprintf(out, size, "%u frames", recorder_frames(viewer->recorder));
        break;
    case ACTION_FILM:
        if (recording == RECORD_FILM) snprintf(out, size, "%u frames", recorder_frames(viewer->recorder));
        break;
    default:
        break;
    }
}
