#include "viewer/actions.h"

#include "neighbor/neighbor.h"
#include "viewer/parameters.h"

#include <stdio.h>

// --- time ---

static void play(Viewer *viewer, int argument)
{
    (void)argument;
    playback_toggle(&viewer->playback);
}

static void play_state(const Viewer *viewer, char *out, size_t size)
{
    bool playing = simulation_status(viewer->playback.simulation).playing;
    snprintf(out, size, "%s", playing ? "playing" : "paused");
}

static void step(Viewer *viewer, int argument)
{
    (void)argument;
    simulation_step(viewer->playback.simulation);
}

static void step_state(const Viewer *viewer, char *out, size_t size)
{
    uint64_t steps = simulation_status(viewer->playback.simulation).steps;
    snprintf(out, size, "step %llu", (unsigned long long)steps);
}

static void frame(Viewer *viewer, int argument)
{
    (void)argument;
    simulation_frame(viewer->playback.simulation);
}

static void frame_state(const Viewer *viewer, char *out, size_t size)
{
    snprintf(out, size, "frame %u", viewer->playback.shot->frame);
}

static void reset(Viewer *viewer, int argument)
{
    (void)argument;
    playback_reset(&viewer->playback);
}

static void speed(Viewer *viewer, int faster)
{
    playback_change_speed(&viewer->playback, faster > 0);
}

static void speed_state(const Viewer *viewer, char *out, size_t size)
{
    playback_speed_text(simulation_status(viewer->playback.simulation).speed, out, size);
}

// --- water ---

static void style(Viewer *viewer, int argument)
{
    (void)argument;
    look_set_style(&viewer->look, (RenderStyle)((viewer->look.def.style + 1) % STYLE_COUNT));
}

static void style_state(const Viewer *viewer, char *out, size_t size)
{
    snprintf(out, size, "%s", render_style_name(viewer->look.def.style));
}

static void field(Viewer *viewer, int direction)
{
    int next = (int)viewer->look.def.color_by + direction + FIELD_COUNT;
    look_set_field(&viewer->look, (FieldKey)(next % FIELD_COUNT));
}

static void field_state(const Viewer *viewer, char *out, size_t size)
{
    snprintf(out, size, "%s", field_name(viewer->look.def.color_by));
}

static void range(Viewer *viewer, int argument)
{
    float lo, hi;
    (void)argument;
    picture_range(&viewer->picture, &lo, &hi);
    look_toggle_range(&viewer->look, lo, hi);
}

static bool range_follows(const Viewer *viewer)
{
    return viewer->look.def.auto_range;
}

static void color_bar(Viewer *viewer, int argument)
{
    (void)argument;
    look_toggle(&viewer->look, &viewer->look.def.legend, "colour bar", true);
}

static bool has_color_bar(const Viewer *viewer)
{
    return viewer->look.def.legend;
}

static void clip(Viewer *viewer, int turns)
{
    (turns ? look_turn_clip : look_toggle_clip)(&viewer->look);
}

static bool is_cut(const Viewer *viewer)
{
    return viewer->look.clip.on;
}

static void clip_axis(const Viewer *viewer, char *out, size_t size)
{
    if (is_cut(viewer)) snprintf(out, size, "along %c", 'x' + viewer->look.clip.axis);
}

static void move_clip(Viewer *viewer, int steps)
{
    look_move_clip(&viewer->look, steps);
}

static void clip_place(const Viewer *viewer, char *out, size_t size)
{
    if (is_cut(viewer)) snprintf(out, size, "%.2f m", look_clip_place(&viewer->look));
}

static void probe(Viewer *viewer, int argument)
{
    (void)argument;
    probe_ahead(&viewer->probe);
}

static bool is_probing(const Viewer *viewer)
{
    return viewer->probe.on;
}

static void tank(Viewer *viewer, int argument)
{
    (void)argument;
    look_toggle(&viewer->look, &viewer->look.def.hide_tank, "tank", false);
}

static bool has_tank(const Viewer *viewer)
{
    return !viewer->look.def.hide_tank;
}

static void obstacles(Viewer *viewer, int argument)
{
    (void)argument;
    look_toggle(&viewer->look, &viewer->look.def.hide_obstacles, "obstacles", false);
}

static bool has_obstacles(const Viewer *viewer)
{
    return !viewer->look.def.hide_obstacles;
}

static void cells(Viewer *viewer, int argument)
{
    (void)argument;
    look_toggle(&viewer->look, &viewer->look.cells, "cells of the search", true);
}

static bool has_cells(const Viewer *viewer)
{
    return viewer->look.cells;
}

// --- settings ---

static void panel(Viewer *viewer, int argument)
{
    (void)argument;
    viewer->controls.panel = !viewer->controls.panel;
}

static bool has_panel(const Viewer *viewer)
{
    return viewer->controls.panel;
}

static void choose(Viewer *viewer, int direction)
{
    settings_choose(&viewer->settings, direction);
}

static void chosen(const Viewer *viewer, char *out, size_t size)
{
    snprintf(out, size, "%s", parameter_at(viewer->settings.chosen)->label);
}

static void change(Viewer *viewer, int direction)
{
    settings_step(&viewer->settings, direction);
}

static void chosen_value(const Viewer *viewer, char *out, size_t size)
{
    uint32_t k = viewer->settings.chosen;
    parameter_text(k, settings_value(&viewer->settings, k), out, size);
}

static void restart(Viewer *viewer, int argument)
{
    (void)argument;
    scene_files_restart(&viewer->files, viewer->settings.spacing);
}

static void spacing(const Viewer *viewer, char *out, size_t size)
{
    snprintf(out, size, "%.4g m", (double)viewer->settings.spacing);
}

static void numbers(Viewer *viewer, int argument)
{
    Controls *controls = &viewer->controls;
    (void)argument;
    controls->hud = !controls->hud;
    if (controls->hud && controls_layout(controls).hud == HUD_NONE)
        screen_say(&viewer->screen, "the window has no room for the numbers%s",
                   controls->panel ? " beside the panel (Tab)" : "");
}

static bool has_numbers(const Viewer *viewer)
{
    return viewer->controls.hud;
}

// --- hand ---

static void hand(Viewer *viewer, int argument)
{
    (void)argument;
    look_toggle(&viewer->look, &viewer->hand.on, "hand in the water", true);
}

static bool has_hand(const Viewer *viewer)
{
    return viewer->hand.on;
}

static void drop(Viewer *viewer, int argument)
{
    (void)argument;
    hand_drop_ahead(&viewer->hand);
}

static void push(Viewer *viewer, int pulls)
{
    hand_push_ahead(&viewer->hand, pulls);
}

static void next_obstacle(Viewer *viewer, int argument)
{
    (void)argument;
    hand_next_obstacle(&viewer->hand);
}

static void obstacle_name(const Viewer *viewer, char *out, size_t size)
{
    const ObstacleDef *body = playback_body(&viewer->playback, viewer->hand.body);
    if (body) snprintf(out, size, "%.40s", body->name);
}

// What arrows and page keys ask for, as the argument of their actions.
enum { WAY_LEFT, WAY_RIGHT, WAY_UP, WAY_DOWN, WAY_PAGE_UP, WAY_PAGE_DOWN, WAY_COUNT };

static void move_obstacle(Viewer *viewer, int way)
{
    static const int steps[WAY_COUNT][3] = {
        [WAY_LEFT] = {-1, 0, 0}, [WAY_RIGHT] = {1, 0, 0},   [WAY_UP] = {0, 1, 0},
        [WAY_DOWN] = {0, -1, 0}, [WAY_PAGE_UP] = {0, 0, 1}, [WAY_PAGE_DOWN] = {0, 0, -1},
    };
    hand_move_obstacle(&viewer->hand, steps[way][0], steps[way][1], steps[way][2]);
}

// --- comparison ---

static void begin_comparison(Viewer *viewer)
{
    if (!settings_comparing(&viewer->settings)) controls_put_panel_away(&viewer->controls);
    settings_compare(&viewer->settings);
}

static void compare(Viewer *viewer, int argument)
{
    (void)argument;
    if (!settings_comparing(&viewer->settings)) {
        begin_comparison(viewer);
        return;
    }
    controls_bring_panel_back(&viewer->controls);
    settings_compare_end(&viewer->settings);
}

static bool is_comparing(const Viewer *viewer)
{
    return settings_comparing(&viewer->settings);
}

static void next_side(Viewer *viewer, int argument)
{
    (void)argument;
    if (settings_next_side(&viewer->settings)) begin_comparison(viewer);
}

static void right_side(const Viewer *viewer, char *out, size_t size)
{
    const Settings *settings = &viewer->settings;
    snprintf(out, size, "%s", settings->sides_are_given ? "" : neighbor_method_name(settings->sides[1]));
}

// --- camera ---

static void move_camera(Viewer *viewer, int way, void (*move)(Camera *camera, int right, int up))
{
    static const int steps[][2] = {
        [WAY_LEFT] = {-1, 0}, [WAY_RIGHT] = {1, 0}, [WAY_UP] = {0, 1}, [WAY_DOWN] = {0, -1}};
    if (picture_take_camera(&viewer->picture)) move(&viewer->camera, steps[way][0], steps[way][1]);
    screen_redraw(&viewer->screen);
}

static void orbit(Viewer *viewer, int way)
{
    move_camera(viewer, way, camera_turn_steps);
}

static void pan(Viewer *viewer, int way)
{
    move_camera(viewer, way, camera_pan_steps);
}

static void zoom(Viewer *viewer, int away)
{
    if (picture_take_camera(&viewer->picture)) camera_zoom_steps(&viewer->camera, away);
    screen_redraw(&viewer->screen);
}

static void frame_all(Viewer *viewer, int argument)
{
    (void)argument;
    picture_frame_all(&viewer->picture);
    camera_place(&viewer->camera,
                 &(CameraDef){.automatic = true, .fov = viewer->playback.facts.render.camera.fov});
    screen_redraw(&viewer->screen);
}

static void home(Viewer *viewer, int argument)
{
    (void)argument;
    camera_place(&viewer->camera, &viewer->playback.facts.render.camera);
    screen_redraw(&viewer->screen);
}

// --- files ---

static void scene(Viewer *viewer, int number)
{
    scene_files_open_listed(&viewer->files, (uint32_t)number);
}

static void scene_name(const Viewer *viewer, char *out, size_t size)
{
    snprintf(out, size, "%s", viewer->playback.facts.name);
}

static void picture(Viewer *viewer, int argument)
{
    (void)argument;
    viewer->recording.picture_wanted = true;
}

static void record(Viewer *viewer, int kind)
{
    recording_toggle(&viewer->recording, (RecordKind)kind);
}

static void recorded(const Viewer *viewer, RecordKind kind, char *out, size_t size)
{
    const Recorder *recorder = viewer->recording.recorder;
    if (recorder_kind(recorder) == kind) snprintf(out, size, "%u frames", recorder_frames(recorder));
}

static void recorded_png(const Viewer *viewer, char *out, size_t size)
{
    recorded(viewer, RECORD_PNG, out, size);
}

static void recorded_film(const Viewer *viewer, char *out, size_t size)
{
    recorded(viewer, RECORD_FILM, out, size);
}

// --- window ---

static void help(Viewer *viewer, int argument)
{
    (void)argument;
    viewer->controls.help = !viewer->controls.help;
}

static void fullscreen(Viewer *viewer, int argument)
{
    (void)argument;
    window_toggle_fullscreen(viewer->screen.window);
}

static void leave(Viewer *viewer, int argument)
{
    (void)argument;
    if (viewer->controls.help)
        viewer->controls.help = false;
    else
        viewer->quit = true;
}

// --- all ---

#define ARROWS(mods)                                                                                         \
    {KEY_LEFT, mods, WAY_LEFT}, {KEY_RIGHT, mods, WAY_RIGHT}, {KEY_UP, mods, WAY_UP},                        \
    {                                                                                                        \
        KEY_DOWN, mods, WAY_DOWN                                                                             \
    }

// clang-format off
static const Action actions[] = {
    {"time", "Space", "play, pause", play, NULL, play_state, false, {{' ', 0, 0}}},
    {NULL, "N or .", "one step", step, NULL, step_state, true, {{'N', 0, 0}, {'.', 0, 0}}},
    {NULL, "Shift+N", "on to the next frame", frame, NULL, frame_state, false, {{'N', MOD_SHIFT, 0}}},
    {NULL, "R", "start over", reset, NULL, NULL, false, {{'R', 0, 0}}},
    {NULL, "<  >", "slower, faster", speed, NULL, speed_state, false,
     {{',', MOD_SHIFT, -1}, {'<', 0, -1}, {'.', MOD_SHIFT, 1}, {'<', MOD_SHIFT, 1}}},

    {"water", "V", "style", style, NULL, style_state, false, {{'V', 0, 0}}},
    {NULL, "C, Shift+C", "colour by the next, previous field", field, NULL, field_state, false,
     {{'C', 0, 1}, {'C', MOD_SHIFT, -1}}},
    {NULL, "M", "colour range follows the frame", range, range_follows, NULL, false, {{'M', 0, 0}}},
    {NULL, "B", "colour bar", color_bar, has_color_bar, NULL, false, {{'B', 0, 0}}},
    {NULL, "X, Shift+X", "cut open, turn the cut", clip, is_cut, clip_axis, false, {{'X', 0, 0}, {'X', MOD_SHIFT, 1}}},
    {NULL, "[  ]", "move the cut", move_clip, NULL, clip_place, true, {{'[', 0, -1}, {']', 0, 1}}},
    {NULL, "click, Q", "numbers of that particle, of the one ahead", probe, is_probing, NULL, false, {{'Q', 0, 0}}},
    {NULL, "T", "tank", tank, has_tank, NULL, false, {{'T', 0, 0}}},
    {NULL, "K", "obstacles", obstacles, has_obstacles, NULL, false, {{'K', 0, 0}}},
    {NULL, "L", "cells of the neighbor search", cells, has_cells, NULL, false, {{'L', 0, 0}}},

    {"settings", "Tab", "panel", panel, has_panel, NULL, false, {{KEY_TAB, 0, 0}}},
    {NULL, ";  '", "previous, next setting", choose, NULL, chosen, false, {{';', 0, -1}, {'\'', 0, 1}}},
    {NULL, "-  =", "less, more of it", change, NULL, chosen_value, true,
     {{'-', 0, -1}, {'=', 0, 1}, {'+', 0, 1}, {'+', MOD_SHIFT, 1}, {'=', MOD_SHIFT, 1}}},
    {.keys = "Ctrl+click", .text = "type a slider's number"},
    {NULL, "Enter", "restart with the chosen spacing", restart, NULL, spacing, false, {{KEY_ENTER, 0, 0}}},
    {NULL, "U", "numbers", numbers, has_numbers, NULL, false, {{'U', 0, 0}}},

    {"hand", "E", "the left button acts on the water", hand, has_hand, NULL, false, {{'E', 0, 0}}},
    {.keys = "drag, Ctrl+drag", .text = "pull, push water (with E)"},
    {.keys = "Shift+drag, double click", .text = "move an obstacle, drop a ball (with E)"},
    {NULL, "G, J, Shift+J", "drop a ball, push, pull ahead", drop, NULL, NULL, false, {{'G', 0, 0}}},
    {.run = push, .bound = {{'J', 0, 0}, {'J', MOD_SHIFT, 1}}},
    {NULL, "I", "next obstacle", next_obstacle, NULL, obstacle_name, false, {{'I', 0, 0}}},
    {NULL, "Ctrl+arrows, Page Up, Down", "move it", move_obstacle, NULL, NULL, true,
     {ARROWS(MOD_CONTROL), {KEY_PAGE_UP, MOD_CONTROL, WAY_PAGE_UP}, {KEY_PAGE_DOWN, MOD_CONTROL, WAY_PAGE_DOWN}}},

    {"compare", "S", "two neighbor searches side by side", compare, is_comparing, NULL, false, {{'S', 0, 0}}},
    {NULL, "Shift+S", "the next search on the right", next_side, NULL, right_side, false, {{'S', MOD_SHIFT, 0}}},

    {"camera", "drag (right with E), arrows", "orbit", orbit, NULL, NULL, true, {ARROWS(0)}},
    {NULL, "middle or Shift+drag, Shift+arrows", "pan", pan, NULL, NULL, true, {ARROWS(MOD_SHIFT)}},
    {NULL, "wheel, Page Up, Page Down", "zoom", zoom, NULL, NULL, true,
     {{KEY_PAGE_UP, 0, -1}, {KEY_PAGE_DOWN, 0, 1}}},
    {.keys = "double click", .text = "look at that place"},
    {NULL, "F, Home", "frame everything, the scene's camera", frame_all, NULL, NULL, false, {{'F', 0, 0}}},
    {.run = home, .bound = {{KEY_HOME, 0, 0}}},

    {"files", "1 to 9, 0", "scenes of the folder", scene, NULL, scene_name, false,
     {{'1', 0, 1}, {'2', 0, 2}, {'3', 0, 3}, {'4', 0, 4}, {'5', 0, 5}, {'6', 0, 6}, {'7', 0, 7}, {'8', 0, 8},
      {'9', 0, 9}, {'0', 0, 10}}},
    {.keys = "drop a file", .text = "open that scene"},
    {NULL, "P", "picture as PNG", picture, NULL, NULL, false, {{'P', 0, 0}}},
    {NULL, "O", "record every frame as PNG", record, NULL, recorded_png, false, {{'O', 0, RECORD_PNG}}},
    {NULL, "Shift+O", "record a film", record, NULL, recorded_film, false, {{'O', MOD_SHIFT, RECORD_FILM}}},

    {"window", "F1, H or ?", "this help", help, NULL, NULL, false,
     {{KEY_F1, 0, 0}, {'H', 0, 0}, {'/', MOD_SHIFT, 0}, {'?', MOD_SHIFT, 0}}},
    {NULL, "F11, Esc", "full screen; close the help, leave", fullscreen, NULL, NULL, false, {{KEY_F11, 0, 0}}},
    {.run = leave, .bound = {{KEY_ESCAPE, 0, 0}}},
};
// clang-format on

const Action *action_at(uint32_t k)
{
    return k < sizeof actions / sizeof *actions ? &actions[k] : NULL;
}

const Action *action_of_key(int key, unsigned mods, int *argument)
{
    for (uint32_t k = 0; action_at(k); k++) {
        for (const ActionKey *bound = actions[k].bound; bound < actions[k].bound + ACTION_KEYS_MAX; bound++) {
            if (!bound->key || bound->key != key || bound->mods != mods) continue;
            *argument = bound->argument;
            return &actions[k];
        }
    }
    return NULL;
}

void action_run(const Action *action, Viewer *viewer, int argument)
{
    viewer->screen.controls_stale = true;
    action->run(viewer, argument);
}

void action_press(Viewer *viewer, int key, unsigned mods)
{
    int argument;
    const Action *action = action_of_key(key, mods, &argument);
    CHECK(action);
    action_run(action, viewer, argument);
}

void action_state(const Action *action, const Viewer *viewer, char *out, size_t size)
{
    out[0] = '\0';
    if (action->is_on) snprintf(out, size, "%s", action->is_on(viewer) ? "on" : "off");
    if (action->state) action->state(viewer, out, size);
}
