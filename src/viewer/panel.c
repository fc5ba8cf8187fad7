// The panel of settings, and the help.
#include "render/gui.h"
#include "scene/scene_names.h"
#include "viewer/parameters.h"
#include "viewer/viewer_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *scene_names(uint32_t k, const void *context)
{
    const SceneList *scenes = context;
    return k < scenes->count ? scenes->name[k] : NULL;
}

// A check box whose change is an action, so that mouse and keyboard do the same.
static void check_action(Viewer *viewer, const char *label, bool value, Action action)
{
    if (gui_check(label, &value)) viewer_act(viewer, action, 0);
}

static void time_buttons(Viewer *viewer)
{
    bool playing = simulation_status(viewer->simulation).playing;
    if (gui_button(playing ? "pause" : "play ", "Space")) viewer_act(viewer, ACTION_PLAY, 0);
    gui_same_line_for("step");
    if (gui_button("step", "N")) viewer_act(viewer, ACTION_STEP, 0);
    gui_same_line_for("start over");
    if (gui_button("start over", "R")) viewer_act(viewer, ACTION_RESET, 0);
    gui_same_line_for(" < ");
    if (gui_button(" < ", "slower")) viewer_act(viewer, ACTION_SLOWER, 0);
    gui_same_line_for(" > ");
    if (gui_button(" > ", "faster")) viewer_act(viewer, ACTION_FASTER, 0);
}

static void scene_choice(Viewer *viewer)
{
    const char *slash = strrchr(viewer->facts.scene, '/');
    const char *file = slash ? slash + 1 : viewer->facts.scene;
    uint32_t now = viewer->scenes.count;
    char path[4200];
    for (uint32_t k = 0; k < viewer->scenes.count; k++) {
        if (strcmp(viewer->scenes.name[k], file) == 0) now = k;
    }
    if (!gui_choice("scene", &now, scene_names, &viewer->scenes, false, "1 to 9 and 0, or drop a file"))
        return;
    scene_list_path(&viewer->scenes, now, path, sizeof path);
    viewer_load(viewer, path, false);
}

static void parameter_control(Viewer *viewer, uint32_t k)
{
    const Parameter *parameter = parameter_at(k);
    bool chosen = viewer->chosen == k, changed;
    float value = k == parameter_of_spacing() ? viewer->spacing : parameter_get(&viewer->facts.fluid, k);
    char tip[300];
    snprintf(tip, sizeof tip, "%s: %s", parameter->key, parameter->tip);
    if (parameter->kind == PARAMETER_CHOICE) {
        uint32_t choice = (uint32_t)lroundf(value);
        changed = gui_choice(parameter->label, &choice, parameter->names, NULL, chosen, tip);
        value = (float)choice;
    } else {
        GuiRange range = {parameter->lo,   parameter->hi,          parameter->step,  parameter->least,
                          parameter->most, parameter->logarithmic, parameter->format};
        changed = gui_slider(parameter->label, &value, &range, chosen, tip);
    }
    if (!changed) return;
    viewer->chosen = k;
    viewer_set_parameter(viewer, k, value);
}

// Those that are shown at first, or the others.
static void settings(Viewer *viewer, bool further)
{
    for (uint32_t k = 0; parameter_at(k); k++) {
        if (parameter_at(k)->further == further) parameter_control(viewer, k);
    }
}

static void spacing_restart(Viewer *viewer)
{
    if (viewer->spacing == viewer->facts.fluid.spacing) return;
    float ratio = viewer->facts.fluid.spacing / viewer->spacing;
    if (gui_button("restart with this spacing", "Enter")) viewer_restart_with_spacing(viewer);
    gui_same_line();
    gui_text(TONE_DIM, "about %.0f k particles",
             (double)(ratio * ratio * ratio * 1e-3f) * viewer->shot->side[0].view.count);
}

static void look(Viewer *viewer)
{
    uint32_t style = viewer->look.style, field = viewer->look.color_by;
    if (gui_choice("style", &style, scene_style_names, NULL, false, "V"))
        viewer_set_style(viewer, (RenderStyle)style);
    if (gui_choice("colour by", &field, scene_field_names, NULL, false, "C"))
        viewer_set_field(viewer, (FieldKey)field);
    float lo = viewer->look.range_lo, hi = viewer->look.range_hi;
    if (viewer->look.auto_range) renderer_range(viewer->renderer[0], &lo, &hi);
    if (gui_range("range", &lo, &hi, "numbers that the colours begin and end with; Enter sets them"))
        viewer_set_range(viewer, lo, hi);
    check_action(viewer, "range of the frame", viewer->look.auto_range, ACTION_AUTO_RANGE);
    gui_same_line_for("colour bar");
    check_action(viewer, "colour bar", viewer->look.legend, ACTION_COLOR_BAR);
    check_action(viewer, "tank", !viewer->look.hide_tank, ACTION_TANK);
    gui_same_line_for("obstacles");
    check_action(viewer, "obstacles", !viewer->look.hide_obstacles, ACTION_OBSTACLES);
    gui_same_line_for("cut open");
    check_action(viewer, "cut open", viewer->clip.on, ACTION_CLIP);
    check_action(viewer, "cells of the search", viewer->show_cells, ACTION_CELLS);
    gui_same_line_for("hand in the water");
    check_action(viewer, "hand in the water", viewer->hand, ACTION_HAND);
}

static void comparison(Viewer *viewer)
{
    bool on = simulation_status(viewer->simulation).comparing;
    check_action(viewer, "two side by side", on, ACTION_COMPARE);
    if (viewer->def.compare) return;
    static const char *const labels[] = {"left", "right"}, *const tips[] = {
                                                               "search of the left side",
                                                               "search of the right side: Shift+S"};
    for (int side = 0; side < 2; side++) {
        uint32_t method = viewer->sides[side];
        if (gui_choice(labels[side], &method, scene_method_names, NULL, false, tips[side]))
            viewer_choose_side(viewer, side, method);
    }
}

static void files(Viewer *viewer)
{
    bool recording = recorder_kind(viewer->recorder) != RECORD_NONE;
    if (gui_button("picture", "P")) viewer_act(viewer, ACTION_SCREENSHOT, 0);
    gui_same_line_for("stop recording");
    if (gui_button(recording ? "stop recording" : "record PNG", "O")) viewer_act(viewer, ACTION_RECORD, 0);
    if (recording) return;
    gui_same_line_for("record film");
    if (gui_button("record film", "Shift+O")) viewer_act(viewer, ACTION_FILM, 0);
}

void viewer_panel(Viewer *viewer)
{
    float unit = window_scale(viewer->window), margin = LAYOUT_MARGIN * unit;
    GuiPanel panel = {.title = "settings",
                      .x = (float)viewer->width - margin,
                      .y = margin,
                      .width = viewer_layout(viewer).panel * unit,
                      .height_max = fmaxf((float)viewer->height - 2 * margin, 40),
                      .anchor_x = 1,
                      .opacity = 0.92f};
    if (gui_panel_begin(&panel)) {
        time_buttons(viewer);
        gui_gap();
        scene_choice(viewer);
        if (gui_section("fluid", true, false)) {
            settings(viewer, false);
            spacing_restart(viewer);
        }
        // The keyboard gets to all settings.
        bool reached = viewer->chosen != viewer->shown_chosen && parameter_at(viewer->chosen)->further;
        viewer->shown_chosen = viewer->chosen;
        if (gui_section("solver", false, reached)) settings(viewer, true);
        if (gui_section("look", true, false)) look(viewer);
        if (gui_section("compare", true, false)) comparison(viewer);
        if (gui_section("files", true, false)) files(viewer);
        gui_gap();
        gui_text(TONE_DIM, "F1 lists all keys, Tab hides this panel");
    }
    gui_panel_end();
}

// The lines of the help in a window of this width, px: smaller text first, then fewer columns.
static void help_lines(Viewer *viewer, float room)
{
    enum { GROUP, KEYS, TEXT, STATE, COLUMNS };
    static const float widths[COLUMNS] = {9, 34, 38, 18}, SMALL = 0.8f, SMALLEST = 0.6f;
    uint32_t first = GROUP, end = COLUMNS;
    gui_scale_text(1); // it keeps what the last picture has set
    float digits = widths[KEYS] + widths[TEXT], digit = gui_digit_width();
    if (room < SMALL * digit * (digits + widths[GROUP] + widths[STATE])) end = STATE;
    if (room < SMALL * digit * (digits + widths[GROUP])) first = KEYS;
    digits += (first == GROUP ? widths[GROUP] : 0) + (end == COLUMNS ? widths[STATE] : 0);
    gui_scale_text(fmaxf(fminf(room / (digits * digit), 1), SMALLEST));
    char state[120];
    for (uint32_t k = 0; control_line(k); k++) {
        const Control *line = control_line(k);
        viewer_action_state(viewer, line->action, state, sizeof state);
        const char *texts[COLUMNS] = {line->group ? line->group : "", line->keys, line->text, state};
        gui_columns(texts + first, widths + first, end - first);
    }
}

void viewer_help(Viewer *viewer)
{
    GuiPanel panel = {.title = "help",
                      .x = 0.5f * (float)viewer->width,
                      .y = 0.5f * (float)viewer->height,
                      .height_max = (float)viewer->height,
                      .anchor_x = 0.5f,
                      .anchor_y = 0.5f,
                      .plain = true,
                      .dense = true,
                      .opacity = 0.95f};
    if (gui_panel_begin(&panel))
        help_lines(viewer, (float)viewer->width - 3 * LAYOUT_MARGIN * window_scale(viewer->window));
    gui_panel_end();
}
