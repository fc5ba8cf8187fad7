#include "viewer/actions.h"

#include "neighbor/neighbor.h"
#include "viewer/parameters.h"

#include <stdio.h>

// Most actions are one call of a part's function, and most states one line of text.
// clang-format off
#define DOES(name, ...) static void name(Viewer *viewer, int argument) { (void)argument; __VA_ARGS__; }
#define STATE(name, ...) static void name(const Viewer *viewer, char *out, size_t size) { __VA_ARGS__; }
#define SAYS(name, ...) STATE(name, snprintf(out, size, __VA_ARGS__))

static SimulationStatus status_of(const Viewer *viewer)
{
    return simulation_status(viewer->playback.simulation);
}

// --- time ---

DOES(play, playback_toggle(&viewer->playback))
DOES(step, simulation_step(viewer->playback.simulation))
DOES(frame, simulation_frame(viewer->playback.simulation))
DOES(reset, playback_reset(&viewer->playback))
DOES(speed, playback_change_speed(&viewer->playback, argument > 0))
SAYS(play_state, "%s", status_of(viewer).playing ? "playing" : "paused")
SAYS(step_state, "step %llu", (unsigned long long)status_of(viewer).steps)
SAYS(frame_state, "frame %u", viewer->playback.snapshot->frame)
STATE(speed_state, playback_speed_text(status_of(viewer).speed, out, size))

// --- water ---

DOES(style, look_set_style(&viewer->look, (RenderStyle)((viewer->look.def.style + 1) % STYLE_LIVE_COUNT)))
DOES(photo, look_set_style(&viewer->look,
                           viewer->look.def.style == STYLE_PHOTO ? STYLE_SURFACE : STYLE_PHOTO))
DOES(field, look_set_field(&viewer->look,
                           (FieldKey)(((int)viewer->look.def.color_by + argument + FIELD_COUNT) % FIELD_COUNT)))
DOES(clip, (argument ? look_turn_clip : look_toggle_clip)(&viewer->look))
DOES(move_clip, look_move_clip(&viewer->look, argument))
DOES(probe, probe_ahead(&viewer->probe))
SAYS(style_state, "%s", render_style_name(viewer->look.def.style))
SAYS(field_state, "%s", field_name(viewer->look.def.color_by))
STATE(clip_axis, if (viewer->look.clip.on) snprintf(out, size, "along %c", 'x' + viewer->look.clip.axis))
STATE(clip_place, if (viewer->look.clip.on) snprintf(out, size, "%.2f m", look_clip_place(&viewer->look)))

static void range(Viewer *viewer, int argument)
{
    float lo, hi;
    (void)argument;
    picture_range(&viewer->picture, &lo, &hi);
    look_toggle_range(&viewer->look, lo, hi);
}

// --- settings ---

DOES(choose, settings_choose(&viewer->settings, argument))
DOES(change, settings_step(&viewer->settings, argument))
DOES(restart, scene_files_restart(&viewer->files, viewer->settings.spacing))
SAYS(chosen, "%s", parameter_at(viewer->settings.chosen)->label)
SAYS(spacing, "%.4g m", (double)viewer->settings.spacing)

static void chosen_value(const Viewer *viewer, char *out, size_t size)
{
    uint32_t k = viewer->settings.chosen;
    parameter_text(k, settings_value(&viewer->settings, k), out, size);
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

// --- hand ---

DOES(drop, hand_drop_ahead(&viewer->hand))
DOES(push, hand_push_ahead(&viewer->hand, argument))
DOES(next_obstacle, hand_next_obstacle(&viewer->hand))

static void obstacle_name(const Viewer *viewer, char *out, size_t size)
{
    const ObstacleDef *body = playback_body(&viewer->playback, viewer->hand.body);
    if (body) snprintf(out, size, "%.40s", body->name);
}

// Directions of the arrow and page keys, as the argument of their actions.
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

static void next_side(Viewer *viewer, int argument)
{
    (void)argument;
    if (settings_next_side(&viewer->settings)) begin_comparison(viewer);
}

SAYS(comparing, "%s", settings_comparing(&viewer->settings) ? "on" : "off")
SAYS(right_side, "%s",
     viewer->settings.sides_are_given ? "" : neighbor_method_name(viewer->settings.sides[1]))

// --- camera ---

static void move_camera(Viewer *viewer, int way, void (*move)(Camera *camera, int right, int up))
{
    static const int steps[][2] = {
        [WAY_LEFT] = {-1, 0}, [WAY_RIGHT] = {1, 0}, [WAY_UP] = {0, 1}, [WAY_DOWN] = {0, -1}};
    if (picture_take_camera(&viewer->picture)) move(&viewer->camera, steps[way][0], steps[way][1]);
    screen_redraw(&viewer->screen);
}

DOES(orbit, move_camera(viewer, argument, camera_turn_steps))
DOES(pan, move_camera(viewer, argument, camera_pan_steps))

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

static void recorded(const Viewer *viewer, RecordKind kind, char *out, size_t size)
{
    const Recorder *recorder = viewer->recording.recorder;
    if (recorder->kind == kind) snprintf(out, size, "%u frames", recorder->frames);
}

DOES(scene, scene_files_open_listed(&viewer->files, (uint32_t)argument))
DOES(picture, viewer->recording.picture_wanted = true)
DOES(record, recording_toggle(&viewer->recording, (RecordKind)argument))
SAYS(scene_name, "%s", viewer->playback.facts.name)
STATE(recorded_png, recorded(viewer, RECORD_PNG, out, size))
STATE(recorded_film, recorded(viewer, RECORD_FILM, out, size))

// --- window ---

DOES(help, viewer->controls.help = !viewer->controls.help)
DOES(fullscreen, window_toggle_fullscreen(viewer->screen.window))

static void leave(Viewer *viewer, int argument)
{
    (void)argument;
    if (viewer->controls.help)
        viewer->controls.help = false;
    else
        viewer->quit = true;
}

// --- all ---

#define SWITCH(member, name) .flag = offsetof(Viewer, member), .said = name
#define SHOWS(member) SWITCH(member, NULL)
#define ARROWS(mods) \
    {KEY_LEFT, mods, WAY_LEFT}, {KEY_RIGHT, mods, WAY_RIGHT}, {KEY_UP, mods, WAY_UP}, {KEY_DOWN, mods, WAY_DOWN}

static const Action actions[] = {
    {"time", "Space", "play, pause", {{' ', 0, 0}}, .run = play, .state = play_state},
    {NULL, "N or .", "one step", {{'N', 0, 0}, {'.', 0, 0}},
     .run = step, .state = step_state, .repeats = true},
    {NULL, "Shift+N", "on to the next frame", {{'N', MOD_SHIFT, 0}}, .run = frame, .state = frame_state},
    {NULL, "R", "start over", {{'R', 0, 0}}, .run = reset},
    {NULL, "<  >", "slower, faster",
     {{',', MOD_SHIFT, -1}, {'<', 0, -1}, {'.', MOD_SHIFT, 1}, {'<', MOD_SHIFT, 1}},
     .run = speed, .state = speed_state},

    {"water", "V", "style", {{'V', 0, 0}}, .run = style, .state = style_state},
    {NULL, "Y", "photograph, finer while paused", {{'Y', 0, 0}}, .run = photo},
    {NULL, "C, Shift+C", "color by the next, previous field", {{'C', 0, 1}, {'C', MOD_SHIFT, -1}},
     .run = field, .state = field_state},
    {NULL, "M", "color range follows the frame", {{'M', 0, 0}}, .run = range, SHOWS(look.def.auto_range)},
    {NULL, "B", "color bar", {{'B', 0, 0}}, SWITCH(look.def.legend, "color bar")},
    {NULL, "X, Shift+X", "cut open, turn the cut", {{'X', 0, 0}, {'X', MOD_SHIFT, 1}},
     .run = clip, .state = clip_axis, SHOWS(look.clip.on)},
    {NULL, "[  ]", "move the cut", {{'[', 0, -1}, {']', 0, 1}},
     .run = move_clip, .state = clip_place, .repeats = true},
    {NULL, "click, Q", "numbers of that particle, of the one ahead", {{'Q', 0, 0}},
     .run = probe, SHOWS(probe.on)},
    {NULL, "T", "tank", {{'T', 0, 0}}, SWITCH(look.def.hide_tank, "tank"), .hides = true},
    {NULL, "K", "obstacles", {{'K', 0, 0}}, SWITCH(look.def.hide_obstacles, "obstacles"), .hides = true},
    {NULL, "L", "cells of the neighbor search", {{'L', 0, 0}}, SWITCH(look.cells, "cells of the search")},

    {"settings", "Tab", "panel", {{KEY_TAB, 0, 0}}, SHOWS(controls.panel)},
    {NULL, ";  '", "previous, next setting", {{';', 0, -1}, {'\'', 0, 1}}, .run = choose, .state = chosen},
    {NULL, "-  =", "less, more of it",
     {{'-', 0, -1}, {'=', 0, 1}, {'+', 0, 1}, {'+', MOD_SHIFT, 1}, {'=', MOD_SHIFT, 1}},
     .run = change, .state = chosen_value, .repeats = true},
    {.keys = "Ctrl+click", .text = "type a slider's number"},
    {NULL, "Enter", "restart with the chosen spacing", {{KEY_ENTER, 0, 0}}, .run = restart, .state = spacing},
    {NULL, "U", "numbers", {{'U', 0, 0}}, .run = numbers, SHOWS(controls.hud)},

    {"hand", "E", "the left button acts on the water", {{'E', 0, 0}}, SWITCH(hand.on, "hand in the water")},
    {.keys = "drag, Ctrl+drag", .text = "pull, push water (with E)"},
    {.keys = "Shift+drag, double click", .text = "move an obstacle, drop a ball (with E)"},
    {NULL, "G, J, Shift+J", "drop a ball, push, pull ahead", {{'G', 0, 0}}, .run = drop},
    {.bound = {{'J', 0, 0}, {'J', MOD_SHIFT, 1}}, .run = push},
    {NULL, "I", "next obstacle", {{'I', 0, 0}}, .run = next_obstacle, .state = obstacle_name},
    {NULL, "Ctrl+arrows, Page Up, Down", "move it",
     {ARROWS(MOD_CONTROL),
     {KEY_PAGE_UP, MOD_CONTROL, WAY_PAGE_UP}, {KEY_PAGE_DOWN, MOD_CONTROL, WAY_PAGE_DOWN}},
     .run = move_obstacle, .repeats = true},

    {"compare", "S", "two neighbor searches side by side", {{'S', 0, 0}}, .run = compare, .state = comparing},
    {NULL, "Shift+S", "the next search on the right", {{'S', MOD_SHIFT, 0}},
     .run = next_side, .state = right_side},

    {"camera", "drag (right with E), arrows", "orbit", {ARROWS(0)}, .run = orbit, .repeats = true},
    {NULL, "middle or Shift+drag, Shift+arrows", "pan", {ARROWS(MOD_SHIFT)}, .run = pan, .repeats = true},
    {NULL, "wheel, Page Up, Page Down", "zoom", {{KEY_PAGE_UP, 0, -1}, {KEY_PAGE_DOWN, 0, 1}},
     .run = zoom, .repeats = true},
    {.keys = "double click", .text = "look at that place"},
    {NULL, "F, Home", "frame everything, the scene's camera", {{'F', 0, 0}}, .run = frame_all},
    {.bound = {{KEY_HOME, 0, 0}}, .run = home},

    {"files", "1 to 9, 0", "scenes of the folder",
     {{'1', 0, 1}, {'2', 0, 2}, {'3', 0, 3}, {'4', 0, 4}, {'5', 0, 5}, {'6', 0, 6}, {'7', 0, 7}, {'8', 0, 8},
      {'9', 0, 9}, {'0', 0, 10}}, .run = scene, .state = scene_name},
    {.keys = "drop a file", .text = "open that scene"},
    {NULL, "P", "picture as PNG", {{'P', 0, 0}}, .run = picture},
    {NULL, "O", "record every frame as PNG", {{'O', 0, RECORD_PNG}}, .run = record, .state = recorded_png},
    {NULL, "Shift+O", "record a film", {{'O', MOD_SHIFT, RECORD_FILM}},
     .run = record, .state = recorded_film},

    {"window", "F1, H or ?", "this help",
     {{KEY_F1, 0, 0}, {'H', 0, 0}, {'/', MOD_SHIFT, 0}, {'?', MOD_SHIFT, 0}}, .run = help},
    {NULL, "F11, Esc", "full screen; close the help, leave", {{KEY_F11, 0, 0}}, .run = fullscreen},
    {.bound = {{KEY_ESCAPE, 0, 0}}, .run = leave},
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

static bool *flag_of(const Action *action, Viewer *viewer)
{
    return (bool *)((char *)viewer + action->flag);
}

bool action_is_on(const Action *action, const Viewer *viewer)
{
    CHECK(action->flag);
    return *flag_of(action, (Viewer *)viewer) != action->hides;
}

void action_run(const Action *action, Viewer *viewer, int argument)
{
    viewer->screen.controls_stale = true;
    if (action->run) {
        action->run(viewer, argument);
        return;
    }
    *flag_of(action, viewer) ^= true;
    if (!action->said) return;
    screen_say(&viewer->screen, "%s %s", action->said, action_is_on(action, viewer) ? "on" : "off");
    screen_redraw(&viewer->screen);
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
    if (action->flag) snprintf(out, size, "%s", action_is_on(action, viewer) ? "on" : "off");
    if (action->state) action->state(viewer, out, size);
}
