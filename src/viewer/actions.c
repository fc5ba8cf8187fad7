#include "viewer/actions.h"

#include "core/clock.h"
#include "viewer/parameters.h"

#include <stdio.h>

// Work of more minutes than this is not left without a question.
static const double LEAVE_MINUTES = 1;

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
DOES(back, simulation_back(viewer->playback.simulation))
DOES(undo, playback_undo(&viewer->playback, argument))
DOES(loop, simulation_loop(viewer->playback.simulation, !status_of(viewer).looping))
SAYS(loop_state, "%s", status_of(viewer).looping ? "on" : "off")
DOES(speed, playback_change_speed(&viewer->playback, argument > 0))
SAYS(play_state, "%s", status_of(viewer).playing ? "playing" : "paused")
STATE(undo_state, const Timeline *timeline = &viewer->playback.snapshot->timeline;
      snprintf(out, size, "%s%s", timeline->undo ? "back" : "", timeline->redo ? " and forth" : ""))
SAYS(step_state, "step %llu", (unsigned long long)status_of(viewer).steps)
SAYS(frame_state, "frame %u", viewer->playback.snapshot->frame)
STATE(speed_state, playback_speed_text(status_of(viewer).speed, out, size))

// --- water ---

DOES(style, look_set_style(&viewer->look, (RenderStyle)((viewer->look.def.style + 1) % STYLE_LIVE_COUNT)))
DOES(photo, look_set_style(&viewer->look,
                           viewer->look.def.style == STYLE_PHOTO ? STYLE_SURFACE : STYLE_PHOTO))
DOES(field, look_set_field(&viewer->look,
                           (FieldKey)(((int)viewer->look.def.color_by + argument + FIELD_COUNT) % FIELD_COUNT)))
DOES(color_map, look_set_color_map(&viewer->look, (ColorMap)((viewer->look.def.color_map + 1) % COLORMAP_COUNT)))
SAYS(color_map_state, "%s", colormap_name(viewer->look.def.color_map))
DOES(clip, (argument ? look_turn_clip : look_toggle_clip)(&viewer->look))
DOES(move_clip, look_move_clip(&viewer->look, argument))
DOES(slice, look_next_slice(&viewer->look))
DOES(probe, probe_ahead(&viewer->probe))
DOES(around, probe_toggle_around(&viewer->probe))
SAYS(style_state, "%s", render_style_name(viewer->look.def.style))
SAYS(field_state, "%s", field_name(viewer->look.def.color_by))
SAYS(slice_field, "%s", cut_slice_name(viewer->look.slice, NULL))
STATE(clip_axis, if (viewer->look.clip.on) snprintf(out, size, "along %c", 'x' + viewer->look.clip.axis))
STATE(clip_place, if (viewer->look.clip.on) snprintf(out, size, "%.2f m", look_clip_place(&viewer->look)))

static void toggle_range(Viewer *viewer, void (*toggle)(Look *look, float lo, float hi))
{
    float lo, hi;
    picture_range(&viewer->picture, &lo, &hi);
    toggle(&viewer->look, lo, hi);
}

DOES(range, toggle_range(viewer, look_toggle_range))
DOES(filter, toggle_range(viewer, look_toggle_filter))

STATE(arrows_state, float top = viewer->picture.arrows[0].top;
      snprintf(out, size, viewer->look.arrows ? "%.3g m/s the longest" : "off", (double)top))
STATE(filter_state, const Filter *filter = &viewer->look.filter;
      if (filter->on) snprintf(out, size, "%.3g to %.3g", (double)filter->lo, (double)filter->hi))

// --- settings ---

DOES(choose, settings_choose(&viewer->settings, argument))
DOES(change, settings_step(&viewer->settings, argument))
DOES(put_back, if (viewer->editor.on && editor_item(&viewer->editor)) editor_remove(&viewer->editor);
     else if (argument) settings_put_all_back(&viewer->settings);
     else settings_put_back(&viewer->settings, viewer->settings.chosen))
STATE(put_back_state, uint32_t count = settings_changed_count(&viewer->settings);
      if (count > 0) snprintf(out, size, "%u changed", count))
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
DOES(edit, editor_toggle(&viewer->editor))
DOES(next_obstacle, if (viewer->editor.on) editor_choose_next(&viewer->editor);
     else hand_next_obstacle(&viewer->hand))

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
    if (viewer->editor.on)
        editor_nudge(&viewer->editor, steps[way][0], steps[way][1], steps[way][2]);
    else
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

DOES(split_view, look_set_split(&viewer->look, (SplitView)((viewer->look.split + 1) % SPLIT_VIEW_COUNT)))
SAYS(split_state, "%s", split_view_name(viewer->look.split))
SAYS(comparing, "%s", settings_comparing(&viewer->settings) ? "on" : "off")

static void right_side(const Viewer *viewer, char *out, size_t size)
{
    const Settings *settings = &viewer->settings;
    if (!settings->sides_are_given) parameter_text(settings->compared, settings->right, out, size);
}

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

DOES(zoom, if (picture_take_camera(&viewer->picture)) camera_zoom_steps(&viewer->camera, argument);
     screen_redraw(&viewer->screen))
DOES(look_from, if (picture_take_camera(&viewer->picture)) camera_look_from(&viewer->camera, (ViewSide)argument);
     screen_redraw(&viewer->screen))
DOES(parallel, if (picture_take_camera(&viewer->picture)) camera_toggle_parallel(&viewer->camera);
     screen_redraw(&viewer->screen))
SAYS(parallel_state, "%s", camera_is_parallel(&viewer->camera) ? "parallel" : "perspective")

static void frame_all(Viewer *viewer, int argument)
{
    (void)argument;
    picture_frame_all(&viewer->picture);
    camera_place(&viewer->camera,
                 &(CameraDef){.automatic = true, .fov = viewer->playback.facts.render.camera.fov});
    screen_redraw(&viewer->screen);
}

DOES(home, camera_place(&viewer->camera, &viewer->playback.facts.render.camera);
     screen_redraw(&viewer->screen))

// --- files ---

static void copy_camera(Viewer *viewer, int argument)
{
    char text[200];
    (void)argument;
    if (!picture_take_camera(&viewer->picture)) return;
    camera_text(&viewer->camera, text, sizeof text);
    window_set_clipboard(viewer->screen.window, text);
    screen_say(&viewer->screen, "copied: %s", text);
}

static void recorded(const Viewer *viewer, RecordKind kind, char *out, size_t size)
{
    const Recorder *recorder = viewer->recording.recorder;
    if (recorder->kind == kind) snprintf(out, size, "%u frames", recorder->frames);
}

DOES(scene, scene_files_open_listed(&viewer->files, (uint32_t)argument))
DOES(picture, recording_take_picture(&viewer->recording, argument))
DOES(save, simulation_save(viewer->playback.simulation))
DOES(export, keeping_export(&viewer->keeping))
DOES(measurements, keeping_measurements(&viewer->keeping))
DOES(save_scene, keeping_scene(&viewer->keeping);
     viewer->editor.kept = viewer->playback.facts.number)
DOES(kept_camera, (argument ? keeping_keep_camera : keeping_next_camera)(&viewer->keeping))
SAYS(export_format, "%s", keeping_format_names(viewer->keeping.format, NULL))
STATE(cameras, if (viewer->keeping.camera_count > 0) snprintf(out, size, "%u kept", viewer->keeping.camera_count))
DOES(record, recording_toggle(&viewer->recording, (RecordKind)argument))
SAYS(scene_name, "%s", viewer->playback.facts.name)
STATE(recorded_png, recorded(viewer, RECORD_PNG, out, size))
STATE(recorded_film, recorded(viewer, RECORD_FILM, out, size))

// --- window ---

DOES(enlarge, preferences_enlarge(&viewer->preferences, argument))
DOES(theme, preferences_next_theme(&viewer->preferences))
SAYS(theme_name, "%s", gui_theme_names(viewer->controls.theme, NULL))
DOES(help, viewer->controls.help = !viewer->controls.help)
DOES(fullscreen, window_toggle_fullscreen(viewer->screen.window))

static void quit(void *context, uint32_t number, float value)
{
    Viewer *viewer = context;
    (void)number, (void)value;
    viewer->quit = true;
}

// Water that has taken long is not given up by a stray key.
static void ask_to_leave(Viewer *viewer, int argument)
{
    (void)argument;
    double minutes = (clock_seconds() - viewer->playback.begun) / 60;
    if (viewer->playback.snapshot->side[0].view.report.step > 0 && minutes > LEAVE_MINUTES)
        question_ask(&viewer->question, quit, viewer, 0, 0,
                     "Leave? The water of the last %.0f minutes is kept in no file.", minutes);
    else if (editor_is_unsaved(&viewer->editor))
        question_ask(&viewer->question, quit, viewer, 0, 0,
                     "Leave? What was edited by hand is kept in no file (Ctrl+Shift+S saves the scene).");
    else
        viewer->quit = true;
}

static void leave(Viewer *viewer, int argument)
{
    (void)argument;
    Controls *controls = &viewer->controls;
    if (controls->help || controls->scenes)
        controls->help = controls->scenes = false;
    else if (viewer->editor.on)
        editor_toggle(&viewer->editor);
    else
        ask_to_leave(viewer, 0);
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
    {NULL, "Ctrl+Z, Ctrl+Y", "take back what changed the water, do it again",
     {{'Z', MOD_CONTROL, -1}, {'Z', MOD_CONTROL | MOD_SHIFT, 1}, {'Y', MOD_CONTROL, 1}},
     .run = undo, .state = undo_state},
    {NULL, "Backspace", "one remembered state back", {{KEY_BACKSPACE, 0, 0}}, .run = back, .repeats = true},
    {NULL, "A", "remembered time as a loop", {{'A', 0, 0}}, .run = loop, .state = loop_state},
    {NULL, "W", "bar of the remembered time", {{'W', 0, 0}}, SHOWS(controls.timeline)},
    {NULL, "D", "plots of what is measured", {{'D', 0, 0}}, SHOWS(controls.plots)},
    {NULL, "Shift+D", "save it as CSV", {{'D', MOD_SHIFT, 0}}, .run = measurements},
    {NULL, "<  >", "slower, faster",
     {{'<', 0, -1}, {'>', 0, 1}},
     .run = speed, .state = speed_state},

    {"water", "V", "style", {{'V', 0, 0}}, .run = style, .state = style_state},
    {NULL, "Y", "photograph, finer while paused", {{'Y', 0, 0}}, .run = photo},
    {NULL, "C, Shift+C", "color by the next, previous field", {{'C', 0, 1}, {'C', MOD_SHIFT, -1}},
     .run = field, .state = field_state},
    {NULL, "M", "color range follows the frame", {{'M', 0, 0}}, .run = range, SHOWS(look.def.auto_range)},
    {NULL, "Ctrl+M", "the next colors", {{'M', MOD_CONTROL, 0}}, .run = color_map, .state = color_map_state},
    {NULL, "Shift+M", "only particles within a range", {{'M', MOD_SHIFT, 0}}, .run = filter,
     .state = filter_state, SHOWS(look.filter.on)},
    {NULL, "B", "color bar", {{'B', 0, 0}}, SWITCH(look.def.legend, "color bar")},
    {NULL, "X, Shift+X", "cut open, turn the cut", {{'X', 0, 0}, {'X', MOD_SHIFT, 1}},
     .run = clip, .state = clip_axis, SHOWS(look.clip.on)},
    {NULL, "Ctrl+X", "slice in the cut, its next field", {{'X', MOD_CONTROL, 0}},
     .run = slice, .state = slice_field},
    {NULL, "[  ]", "move the cut", {{'[', 0, -1}, {']', 0, 1}},
     .run = move_clip, .state = clip_place, .repeats = true},
    {NULL, "click, Q", "numbers of that particle, of the one ahead", {{'Q', 0, 0}},
     .run = probe, SHOWS(probe.on)},
    {NULL, "Shift+Q", "its neighbors, cells searched for them", {{'Q', MOD_SHIFT, 0}},
     .run = around, SHOWS(look.around)},
    {NULL, "T", "tank", {{'T', 0, 0}}, SWITCH(look.def.hide_tank, "tank"), .hides = true},
    {NULL, "K", "obstacles", {{'K', 0, 0}}, SWITCH(look.def.hide_obstacles, "obstacles"), .hides = true},
    {NULL, "L", "cells of the neighbor search", {{'L', 0, 0}}, SWITCH(look.cells, "cells of the search")},

    {NULL, "Shift+V", "arrows of the velocities", {{'V', MOD_SHIFT, 0}}, .state = arrows_state,
     SWITCH(look.arrows, "arrows of the velocities")},

    {"settings", "Tab", "panel", {{KEY_TAB, 0, 0}}, SHOWS(controls.panel)},
    {NULL, ";  '", "previous, next setting", {{';', 0, -1}, {'\'', 0, 1}}, .run = choose, .state = chosen},
    {NULL, "-  =", "less, more of it",
     {{'-', 0, -1}, {'=', 0, 1}, {'+', 0, 1}},
     .run = change, .state = chosen_value, .repeats = true},
    {.keys = "Ctrl+click", .text = "type a slider's number"},
    {NULL, "Delete, Shift+Delete", "the setting, all settings as in the scene",
     {{KEY_DELETE, 0, 0}, {KEY_DELETE, MOD_SHIFT, 1}}, .run = put_back, .state = put_back_state},
    {NULL, "Enter", "restart with the chosen spacing", {{KEY_ENTER, 0, 0}}, .run = restart, .state = spacing},
    {NULL, "U", "numbers", {{'U', 0, 0}}, .run = numbers, SHOWS(controls.hud)},

    {"hand", "E", "the left button acts on the water", {{'E', 0, 0}}, SWITCH(hand.on, "hand in the water")},
    {.keys = "drag, Ctrl+drag", .text = "pull, push water (with E)"},
    {.keys = "Shift+drag, double click", .text = "move an obstacle, drop a ball (with E)"},
    {NULL, "Shift+E", "edit the scene by hand: click, drag handles", {{'E', MOD_SHIFT, 0}},
     .run = edit, SHOWS(editor.on)},
    {NULL, "G, J, Shift+J", "drop a ball, push, pull ahead", {{'G', 0, 0}}, .run = drop},
    {.bound = {{'J', 0, 0}, {'J', MOD_SHIFT, 1}}, .run = push},
    {NULL, "I", "next obstacle, or thing by hand", {{'I', 0, 0}}, .run = next_obstacle, .state = obstacle_name},
    {NULL, "Ctrl+arrows, Page Up, Down", "move it",
     {ARROWS(MOD_CONTROL),
     {KEY_PAGE_UP, MOD_CONTROL, WAY_PAGE_UP}, {KEY_PAGE_DOWN, MOD_CONTROL, WAY_PAGE_DOWN}},
     .run = move_obstacle, .repeats = true},

    {"compare", "S", "compare from here, side by side", {{'S', 0, 0}}, .run = compare, .state = comparing},
    {NULL, "Shift+S", "the next search or value on the right", {{'S', MOD_SHIFT, 0}},
     .run = next_side, .state = right_side},
    {NULL, "Ctrl+D", "beside, wipe (drag its line), difference", {{'D', MOD_CONTROL, 0}},
     .run = split_view, .state = split_state},

    {"camera", "drag (right with E), arrows", "orbit", {ARROWS(0)}, .run = orbit, .repeats = true},
    {NULL, "middle or Shift+drag, Shift+arrows", "pan", {ARROWS(MOD_SHIFT)}, .run = pan, .repeats = true},
    {NULL, "wheel, Page Up, Page Down", "zoom", {{KEY_PAGE_UP, 0, -1}, {KEY_PAGE_DOWN, 0, 1}},
     .run = zoom, .repeats = true},
    {NULL, "keypad 1 3 7, with Ctrl", "from the front, right, top; back, left, below",
     {{KEY_PAD_0 + 1, 0, VIEW_FRONT}, {KEY_PAD_0 + 1, MOD_CONTROL, VIEW_BACK}, {KEY_PAD_0 + 3, 0, VIEW_RIGHT},
      {KEY_PAD_0 + 3, MOD_CONTROL, VIEW_LEFT}, {KEY_PAD_0 + 7, 0, VIEW_TOP},
      {KEY_PAD_0 + 7, MOD_CONTROL, VIEW_BOTTOM}}, .run = look_from},
    {.bound = {{KEY_PAD_0 + 4, 0, WAY_LEFT}, {KEY_PAD_0 + 6, 0, WAY_RIGHT}, {KEY_PAD_0 + 8, 0, WAY_UP},
     {KEY_PAD_0 + 2, 0, WAY_DOWN}}, .run = orbit, .repeats = true},
    {NULL, "keypad 5", "perspective, parallel", {{KEY_PAD_0 + 5, 0, 0}}, .run = parallel, .state = parallel_state},
    {.keys = "double click", .text = "look at that place"},
    {NULL, "Z, Shift+Z", "the next kept camera, keep or drop this one",
     {{'Z', 0, 0}, {'Z', MOD_SHIFT, 1}}, .run = kept_camera, .state = cameras},
    {NULL, "F, Home", "frame everything, the scene's camera", {{'F', 0, 0}}, .run = frame_all},
    {.bound = {{KEY_HOME, 0, 0}, {KEY_PAD_0, 0, 0}}, .run = home},

    {"files", "1 to 9, 0", "scenes of the folder",
     {{'1', 0, 1}, {'2', 0, 2}, {'3', 0, 3}, {'4', 0, 4}, {'5', 0, 5}, {'6', 0, 6}, {'7', 0, 7}, {'8', 0, 8},
      {'9', 0, 9}, {'0', 0, 10}}, .run = scene, .state = scene_name},
    {NULL, "Ctrl+O", "list of them", {{'O', MOD_CONTROL, 0}}, SHOWS(controls.scenes)},
    {.keys = "drop a file", .text = "open that scene"},
    {NULL, "Ctrl+S", "save the state, with the scene and its settings", {{'S', MOD_CONTROL, 0}}, .run = save},
    {NULL, "Ctrl+Shift+S", "save the scene as YAML, with all that was changed",
     {{'S', MOD_CONTROL | MOD_SHIFT, 0}}, .run = save_scene},
    {NULL, "Ctrl+E", "save particles, surface or obstacles", {{'E', MOD_CONTROL, 0}}, .run = export,
     .state = export_format},
    {NULL, "Ctrl+C", "the camera as the text of --camera", {{'C', MOD_CONTROL, 0}}, .run = copy_camera},
    {NULL, "P, Ctrl+P", "picture as PNG, without its background", {{'P', 0, 0}, {'P', MOD_CONTROL, 1}},
     .run = picture},
    {NULL, "O", "record every frame as PNG", {{'O', 0, RECORD_PNG}}, .run = record, .state = recorded_png},
    {NULL, "Shift+O", "record a film", {{'O', MOD_SHIFT, RECORD_FILM}},
     .run = record, .state = recorded_film},

    {"window", "F1, H or ?", "this help",
     {{KEY_F1, 0, 0}, {'H', 0, 0}, {'?', 0, 0}}, .run = help},
    {NULL, "Ctrl+-  Ctrl+=", "smaller, larger controls",
     {{'-', MOD_CONTROL, -1}, {'=', MOD_CONTROL, 1}, {'+', MOD_CONTROL, 1}, {'+', MOD_CONTROL | MOD_SHIFT, 1},
      {'=', MOD_CONTROL | MOD_SHIFT, 1}}, .run = enlarge},
    {NULL, "Ctrl+T", "dark or light controls", {{'T', MOD_CONTROL, 0}}, .run = theme, .state = theme_name},
    {NULL, "F11, Esc", "full screen; close the help, leave", {{KEY_F11, 0, 0}}, .run = fullscreen},
    {.bound = {{KEY_ESCAPE, 0, 0}}, .run = leave},
    {NULL, "Ctrl+Q", "leave", {{'Q', MOD_CONTROL, 0}, {'W', MOD_CONTROL, 0}}, .run = ask_to_leave},
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
