#include "viewer/panel.h"

#include "fluid/fluid_params.h"
#include "render/render_params.h"
#include "viewer/actions.h"
#include "viewer/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *scene_names(uint32_t k, const void *context)
{
    const SceneFiles *files = context;
    return k < files->count ? files->name[k] : NULL;
}

// Check boxes and buttons do what a key does.
static void check(Viewer *viewer, const char *label, int key)
{
    int argument;
    const Action *action = action_of_key(key, 0, &argument);
    CHECK(action);
    bool value = action_is_on(action, viewer);
    if (gui_check(viewer->controls.gui, label, &value)) action_run(action, viewer, argument);
}

static void button(Viewer *viewer, const char *label, const char *tip, int key, unsigned mods)
{
    if (gui_button(viewer->controls.gui, label, tip)) action_press(viewer, key, mods);
}

static void time_buttons(Viewer *viewer)
{
    Gui *gui = viewer->controls.gui;
    bool playing = simulation_status(viewer->playback.simulation).playing;
    button(viewer, playing ? "pause" : "play ", "Space", ' ', 0);
    gui_same_line_for(gui, "step");
    button(viewer, "step", "N", 'N', 0);
    gui_same_line_for(gui, "start over");
    button(viewer, "start over", "R", 'R', 0);
    gui_same_line_for(gui, " < ");
    button(viewer, " < ", "slower", '<', 0);
    gui_same_line_for(gui, " > ");
    button(viewer, " > ", "faster", '<', MOD_SHIFT);
}

static void scene_choice(Viewer *viewer)
{
    const char *scene = viewer->playback.facts.scene, *slash = strrchr(scene, '/');
    const char *file = slash ? slash + 1 : scene;
    const SceneFiles *scenes = &viewer->files;
    uint32_t now = scenes->count;
    for (uint32_t k = 0; k < scenes->count; k++) {
        if (strcmp(scenes->name[k], file) == 0) now = k;
    }
    if (gui_choice(viewer->controls.gui, "scene", &now, scene_names, scenes, false,
                   "1 to 9 and 0, or drop a file"))
        scene_files_open_listed(&viewer->files, now + 1);
}

static void parameter_control(Viewer *viewer, uint32_t k)
{
    Gui *gui = viewer->controls.gui;
    Settings *settings = &viewer->settings;
    const ParamRow *row = parameter_at(k);
    bool chosen = settings->chosen == k, changed;
    float value = settings_value(settings, k);
    char tip[300], meaning[200], format[40];
    param_tip(row, meaning, sizeof meaning);
    snprintf(tip, sizeof tip, "%s: %s", row->key, meaning);
    if (row->names) {
        uint32_t choice = (uint32_t)lroundf(value);
        changed = gui_choice(gui, row->label, &choice, row->names, NULL, chosen, tip);
        value = (float)choice;
    } else {
        const ParamSlider *slider = row->slider;
        parameter_format(row, format, sizeof format);
        GuiRange range = {slider->lo,     slider->hi,          slider->step, parameter_least(row),
                          (float)row->hi, slider->logarithmic, format};
        changed = gui_slider(gui, row->label, &value, &range, chosen, tip);
    }
    if (!changed) return;
    settings->chosen = k;
    settings_set(settings, k, value);
}

// The parameters that are always shown, or the further ones.
static void parameters(Viewer *viewer, bool further)
{
    for (uint32_t k = 0; parameter_at(k); k++) {
        if (parameter_at(k)->slider->further == further) parameter_control(viewer, k);
    }
}

static void spacing_restart(Viewer *viewer)
{
    Gui *gui = viewer->controls.gui;
    float now = viewer->playback.facts.fluid.spacing, chosen = viewer->settings.spacing, ratio = now / chosen;
    if (chosen == now) return;
    button(viewer, "restart with this spacing", "Enter", KEY_ENTER, 0);
    gui_same_line(gui);
    gui_text(gui, TONE_DIM, "about %.0f k particles",
             (double)(ratio * ratio * ratio * 1e-3f) * viewer->playback.snapshot->side[0].view.count);
}

static void look(Viewer *viewer)
{
    Gui *gui = viewer->controls.gui;
    Look *look = &viewer->look;
    uint32_t style = look->def.style, field = look->def.color_by;
    if (gui_choice(gui, "style", &style, render_style_names, NULL, false, "V"))
        look_set_style(look, (RenderStyle)style);
    if (gui_choice(gui, "color by", &field, render_field_names, NULL, false, "C"))
        look_set_field(look, (FieldKey)field);
    float lo = look->def.range_lo, hi = look->def.range_hi;
    if (look->def.auto_range) picture_range(&viewer->picture, &lo, &hi);
    if (gui_range(gui, "range", &lo, &hi, "values at the ends of the color range; Enter sets them"))
        look_set_range(look, lo, hi);
    check(viewer, "range of the frame", 'M');
    gui_same_line_for(gui, "color bar");
    check(viewer, "color bar", 'B');
    check(viewer, "tank", 'T');
    gui_same_line_for(gui, "obstacles");
    check(viewer, "obstacles", 'K');
    gui_same_line_for(gui, "cut open");
    check(viewer, "cut open", 'X');
    check(viewer, "cells of the search", 'L');
    gui_same_line_for(gui, "hand in the water");
    check(viewer, "hand in the water", 'E');
}

static void comparison(Viewer *viewer)
{
    static const char *const labels[] = {"left", "right"};
    static const char *const tips[] = {"search of the left side", "search of the right side: Shift+S"};
    Settings *settings = &viewer->settings;
    Gui *gui = viewer->controls.gui;
    bool on = settings_comparing(settings);
    if (gui_check(gui, "two side by side", &on)) action_press(viewer, 'S', 0);
    for (int side = 0; side < 2 && !settings->sides_are_given; side++) {
        uint32_t method = settings->sides[side];
        if (gui_choice(gui, labels[side], &method, fluid_method_names, NULL, false, tips[side]))
            settings_choose_side(settings, side, method);
    }
}

static void files(Viewer *viewer)
{
    Gui *gui = viewer->controls.gui;
    bool recording = viewer->recording.recorder->kind != RECORD_NONE;
    button(viewer, "picture", "P", 'P', 0);
    gui_same_line_for(gui, "stop recording");
    button(viewer, recording ? "stop recording" : "record PNG", "O", 'O', 0);
    if (recording) return;
    gui_same_line_for(gui, "record film");
    button(viewer, "record film", "Shift+O", 'O', MOD_SHIFT);
}

// Has the keyboard moved to another setting, one that may be folded away?
static bool reaches_further(Viewer *viewer)
{
    uint32_t chosen = viewer->settings.chosen;
    bool reached = chosen != viewer->controls.shown_chosen && parameter_at(chosen)->slider->further;
    viewer->controls.shown_chosen = chosen;
    return reached;
}

void panel_draw(Viewer *viewer)
{
    Gui *gui = viewer->controls.gui;
    float unit = screen_unit(&viewer->screen), margin = LAYOUT_MARGIN * unit;
    GuiPanel panel = {.title = "settings",
                      .x = (float)viewer->screen.width - margin,
                      .y = margin,
                      .width = controls_layout(&viewer->controls).panel * unit,
                      .height_max = fmaxf((float)viewer->screen.height - 2 * margin, 40),
                      .anchor_x = 1,
                      .opacity = 0.92f};
    if (gui_panel_begin(gui, &panel)) {
        time_buttons(viewer);
        gui_gap(gui);
        scene_choice(viewer);
        if (gui_section(gui, "fluid", true, false)) {
            parameters(viewer, false);
            spacing_restart(viewer);
        }
        // The keyboard reaches all settings.
        if (gui_section(gui, "solver", false, reaches_further(viewer))) parameters(viewer, true);
        if (gui_section(gui, "look", true, false)) look(viewer);
        if (gui_section(gui, "compare", true, false)) comparison(viewer);
        if (gui_section(gui, "files", true, false)) files(viewer);
        gui_gap(gui);
        gui_text(gui, TONE_DIM, "F1 lists all keys, Tab hides this panel");
    }
    gui_panel_end(gui);
}
