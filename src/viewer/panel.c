#include "viewer/panel.h"

#include "core/path.h"
#include "fluid/fluid_params.h"
#include "render/render_params.h"
#include "viewer/actions.h"
#include "viewer/editor_panel.h"
#include "viewer/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const float QUESTION_WIDTH = 420; // common px

static const char *scene_names(uint32_t k, const void *context)
{
    const SceneFiles *files = context;
    return k < files->count ? files->name[k] : NULL;
}

// Check boxes and buttons do what a key does.
static void check(Viewer *viewer, const char *label, int key, unsigned mods)
{
    int argument;
    const Action *action = action_of_key(key, mods, &argument);
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
    button(viewer, " > ", "faster", '>', 0);
}

static void scene_choice(Viewer *viewer)
{
    const char *file = path_name(viewer->playback.facts.scene);
    const SceneFiles *scenes = &viewer->files;
    uint32_t now = scenes->count;
    for (uint32_t k = 0; k < scenes->count; k++) {
        if (strcmp(scenes->name[k], file) == 0) now = k;
    }
    if (gui_choice(viewer->controls.gui, "scene", &now, scene_names, scenes, false,
                   "1 to 9 and 0, or drop a file"))
        scene_files_open_listed(&viewer->files, now + 1);
}

// A control for values of a setting; true if the user has changed *value.
static bool parameter_control(Gui *gui, uint32_t k, const char *label, float *value, bool chosen,
                              const char *tip)
{
    char format[40];
    const ParamRow *row = parameter_at(k);
    if (row->names) {
        uint32_t choice = (uint32_t)lroundf(*value);
        bool changed = gui_choice(gui, label, &choice, row->names, NULL, chosen, tip);
        *value = (float)choice;
        return changed;
    }
    const ParamSlider *slider = row->slider;
    parameter_format(row, format, sizeof format);
    GuiRange range = {slider->lo,     slider->hi,          slider->step, parameter_least(row),
                      (float)row->hi, slider->logarithmic, format};
    return gui_slider(gui, label, value, &range, chosen, tip);
}

static void setting(Viewer *viewer, uint32_t k)
{
    Settings *settings = &viewer->settings;
    const ParamRow *row = parameter_at(k);
    float value = settings_value(settings, k);
    char tip[400], meaning[200], label[100];
    param_tip(row, meaning, sizeof meaning);
    bool changed = settings_is_changed(settings, k);
    snprintf(tip, sizeof tip, "%s: %s%s", row->key, meaning,
             changed ? " * is not as in the scene; the right button puts it back." : "");
    snprintf(label, sizeof label, "%s%s###%s", row->label, changed ? " *" : "", row->key);
    bool set = parameter_control(viewer->controls.gui, k, label, &value, settings->chosen == k, tip);
    if (changed && gui_clicked_right(viewer->controls.gui)) settings_put_back(settings, k);
    if (!set) return;
    settings->chosen = k;
    settings_set(settings, k, value);
}

// The parameters that are always shown, or the further ones.
static void parameters(Viewer *viewer, bool further)
{
    for (uint32_t k = 0; parameter_at(k); k++) {
        if (parameter_at(k)->slider->further == further) setting(viewer, k);
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

// The field of the slice in the cut, and what its colors and isolines stand for.
static void slice_choice(Viewer *viewer)
{
    Gui *gui = viewer->controls.gui;
    uint32_t slice = viewer->look.slice;
    const CutSlice *shown = &viewer->picture.slice[0];
    if (!viewer->look.clip.on) return;
    if (gui_choice(gui, "slice", &slice, cut_slice_name, NULL, false, "Ctrl+X: a field in the cut"))
        look_set_slice(&viewer->look, slice);
    if (slice == 0 || shown->shown == 0) return;
    const char *unit = slice_field_unit((SliceField)(slice - 1));
    gui_text(gui, TONE_DIM, "%.3g to %.3g%s%s, isolines every %.3g", (double)shown->least,
             (double)shown->most, *unit ? " " : "", unit, shown->tick);
}

// Where the processor draws: what pictures may take from the water.
static void pictures_share(Viewer *viewer)
{
    FramePacing *pacing = &viewer->picture.pacing;
    float percent = 100 * pacing->share;
    GuiRange range = {5, 80, 1, 1, 95, true, "%.0f %%"};
    if (!pacing->on_processor) return;
    if (gui_slider(viewer->controls.gui, "pictures", &percent, &range, false,
                   "part of the time that goes into pictures while the water moves; steps get the rest"))
        pacing->share = 0.01f * percent;
}

// How fast the longest arrow is.
static void arrows_scale(Viewer *viewer)
{
    if (!viewer->look.arrows) return;
    gui_same_line(viewer->controls.gui);
    gui_text(viewer->controls.gui, TONE_DIM, "to %.3g m/s", (double)viewer->picture.arrows[0].top);
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
    uint32_t map = look->def.color_map;
    if (gui_choice(gui, "colors", &map, render_color_map_names, NULL, false, "Ctrl+M: the next map"))
        look_set_color_map(look, (ColorMap)map);
    float lo = look->def.range_lo, hi = look->def.range_hi;
    if (look->def.auto_range) picture_range(&viewer->picture, &lo, &hi);
    if (gui_range(gui, "range", &lo, &hi, "values at the ends of the color range; Enter sets them"))
        look_set_range(look, lo, hi);
    bool only = look->filter.on;
    float least = only ? look->filter.lo : lo, most = only ? look->filter.hi : hi;
    if (gui_range(gui, "show", &least, &most, "Shift+M: only particles within this range; Enter sets it"))
        look_set_filter(look, least, most);
    check(viewer, "range of the frame", 'M', 0);
    gui_same_line_for(gui, "color bar");
    check(viewer, "color bar", 'B', 0);
    check(viewer, "tank", 'T', 0);
    gui_same_line_for(gui, "obstacles");
    check(viewer, "obstacles", 'K', 0);
    gui_same_line_for(gui, "cut open");
    check(viewer, "cut open", 'X', 0);
    slice_choice(viewer);
    pictures_share(viewer);
    check(viewer, "cells of the search", 'L', 0);
    gui_same_line_for(gui, "velocities");
    check(viewer, "velocities", 'V', MOD_SHIFT);
    arrows_scale(viewer);
    gui_same_line_for(gui, "hand in the water");
    check(viewer, "hand in the water", 'E', 0);
    check(viewer, "scene by hand", 'E', MOD_SHIFT);
}

static const char *setting_names(uint32_t k, const void *context)
{
    (void)context;
    return parameter_at(k) ? parameter_at(k)->label : NULL;
}

static const char *split_view_names(uint32_t k, const void *context)
{
    (void)context;
    return k < SPLIT_VIEW_COUNT ? split_view_name((SplitView)k) : NULL;
}

static void comparison(Viewer *viewer)
{
    Settings *settings = &viewer->settings;
    Gui *gui = viewer->controls.gui;
    bool on = settings_comparing(settings);
    uint32_t compared = settings->compared;
    float left = settings_value(settings, compared), right = settings->right;
    if (gui_check(gui, "two side by side, from here", &on)) action_press(viewer, 'S', 0);
    uint32_t view = viewer->look.split;
    if (gui_choice(gui, "view", &view, split_view_names, NULL, false, "Ctrl+D"))
        look_set_split(&viewer->look, (SplitView)view);
    if (gui_choice(gui, "setting", &compared, setting_names, NULL, false, "the setting in which they differ"))
        settings_choose_compared(settings, compared);
    else if (parameter_control(gui, compared, "left", &left, false, "the left side goes on afterwards"))
        settings_set(settings, compared, left);
    else if (parameter_control(gui, compared, "right", &right, false, "Shift+S: the next one"))
        settings_choose_right(settings, right);
}

static void files(Viewer *viewer)
{
    Gui *gui = viewer->controls.gui;
    bool recording = viewer->recording.recorder->kind != RECORD_NONE;
    gui_choice(gui, "format", &viewer->keeping.format, keeping_format_names, NULL, false,
               "of particles, surface or obstacles that are saved");
    button(viewer, "save them", "Ctrl+E", 'E', MOD_CONTROL);
    gui_same_line_for(gui, "state");
    button(viewer, "state", "Ctrl+S", 'S', MOD_CONTROL);
    gui_same_line_for(gui, "scene");
    button(viewer, "scene", "Ctrl+Shift+S: YAML with all that was changed", 'S', MOD_CONTROL | MOD_SHIFT);
    gui_same_line_for(gui, "CSV");
    button(viewer, "CSV", "Shift+D: what is measured", 'D', MOD_SHIFT);
    float width = (float)viewer->recording.picture_size[0], height = (float)viewer->recording.picture_size[1];
    if (gui_range(gui, "picture size", &width, &height, "pixels, 0: as the window; Enter sets it"))
        recording_set_size(&viewer->recording, width, height);
    button(viewer, "picture", "P", 'P', 0);
    gui_same_line_for(gui, "cut out");
    button(viewer, "cut out", "Ctrl+P: without its background", 'P', MOD_CONTROL);
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

void panel_list_scenes(Viewer *viewer)
{
    Gui *gui = viewer->controls.gui;
    const Screen *screen = &viewer->screen;
    const SceneFiles *files = &viewer->files;
    float unit = screen_unit(screen), gap = LAYOUT_MARGIN * unit;
    float width = SCENE_PICTURE_WIDTH * unit, height = SCENE_PICTURE_HEIGHT * unit;
    float room = fminf((float)screen->width, 4 * width + 6 * gap);
    uint32_t columns = (uint32_t)fmaxf(floorf((room - 2 * gap) / (width + gap)), 1);
    GuiPanel panel = {.title = "scenes",
                      .outlined = true,
                      .x = 0.5f * (float)screen->width,
                      .y = 0.5f * (float)screen->height,
                      .width = room,
                      .height_max = (float)screen->height,
                      .anchor_x = 0.5f,
                      .anchor_y = 0.5f,
                      .plain = true,
                      .opacity = 1};
    scene_pictures_load(&viewer->pictures, files);
    if (gui_panel_begin(gui, &panel)) {
        gui_text(gui, TONE_DIM, "scenes of %.200s", files->folder);
        for (uint32_t k = 0; k < files->count; k++) {
            if (k % columns > 0) gui_same_line(gui);
            if (!gui_picture(gui, files->name[k], viewer->pictures.texture[k], width, height)) continue;
            viewer->controls.scenes = false;
            scene_files_open_listed(&viewer->files, k + 1);
        }
        gui_gap(gui);
        gui_text(gui, TONE_DIM, "Esc closes the list; Ctrl+Z returns to the water there is");
    }
    gui_panel_end(gui);
}

void panel_ask(Viewer *viewer)
{
    Gui *gui = viewer->controls.gui;
    const Screen *screen = &viewer->screen;
    float unit = screen_unit(screen), room = (float)screen->width - 2 * LAYOUT_MARGIN * unit;
    GuiPanel panel = {.title = "question",
                      .outlined = true,
                      .x = 0.5f * (float)screen->width,
                      .y = 0.5f * (float)screen->height,
                      .width = fminf(QUESTION_WIDTH * unit, room),
                      .height_max = (float)screen->height,
                      .anchor_x = 0.5f,
                      .anchor_y = 0.5f,
                      .plain = true,
                      .opacity = 1};
    if (gui_panel_begin(gui, &panel)) {
        gui_paragraph(gui, viewer->question.text);
        gui_gap(gui);
        bool yes = gui_button(gui, "yes", "Enter");
        gui_same_line(gui);
        if (gui_button(gui, "no", "Esc") || yes) question_answer(&viewer->question, yes);
    }
    gui_panel_end(gui);
}

static void theme_choice(Viewer *viewer)
{
    uint32_t theme = viewer->controls.theme;
    if (gui_choice(viewer->controls.gui, "theme", &theme, gui_theme_names, NULL, false,
                   "Ctrl+T; Ctrl+- and Ctrl+= change the size"))
        preferences_next_theme(&viewer->preferences);
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
    Layout layout = controls_layout(&viewer->controls);
    if (layout.docked) {
        panel.x += margin;
        panel.y = 0;
        panel.width = (layout.panel + LAYOUT_MARGIN) * unit;
        panel.height_min = panel.height_max = (float)viewer->screen.height - layout.bottom * unit;
        panel.opacity = 1;
        panel.plain = true;
    }
    if (gui_panel_begin(gui, &panel)) {
        time_buttons(viewer);
        gui_gap(gui);
        scene_choice(viewer);
        if (viewer->editor.on && gui_section(gui, "scene by hand", true, false))
            editor_panel(&viewer->editor, gui);
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
        theme_choice(viewer);
        gui_text(gui, TONE_DIM, "F1 lists all keys, Tab hides this panel");
    }
    gui_panel_end(gui);
}
