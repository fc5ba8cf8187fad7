#include "viewer/first_run.h"

#include "core/clock.h"
#include "viewer/actions.h"

#include <stdio.h>
#include <string.h>

static const double SHOWN = 15;                            // s
static const float WIDTH = 430, HEIGHT = 240, TOP = 0.08f; // common px; share of the height
static const float KEY_DIGITS = 11, TEXT_DIGITS = 40;

void first_run_watch(Viewer *viewer)
{
    FirstRun *run = &viewer->first_run;
    if (!viewer->preferences.first || viewer->controls.scenes || !picture_is_there(&viewer->picture)) return;
    double now = clock_seconds();
    if (run->until == 0) {
        run->until = now + SHOWN;
        run->shown = true;
        viewer->screen.controls_stale = true;
    }
    if (now > run->until) first_run_end(viewer);
}

void first_run_end(Viewer *viewer)
{
    // The list of scenes comes before it.
    if (!viewer->preferences.first || viewer->controls.scenes) return;
    viewer->first_run.shown = viewer->preferences.first = false;
    viewer->screen.controls_stale = true;
    preferences_keep(&viewer->preferences); // it has been seen
}

// The first of an action's keys, as the help names it.
static void key_row(Gui *gui, int key, unsigned mods, const char *text)
{
    static const float widths[] = {KEY_DIGITS, TEXT_DIGITS};
    char keys[24];
    int argument;
    const Action *action = action_of_key(key, mods, &argument);
    CHECK(action);
    snprintf(keys, sizeof keys, "%.*s", (int)strcspn(action->keys, ","), action->keys);
    const char *texts[] = {keys, text ? text : action->text};
    gui_columns(gui, texts, widths, 2);
}

void first_run_draw(const Viewer *viewer)
{
    Gui *gui = viewer->controls.gui;
    const Screen *screen = &viewer->screen;
    Layout layout = controls_layout(&viewer->controls);
    float unit = screen_unit(screen), width = WIDTH * unit;
    float lo = layout.lo * unit, hi = layout.hi * unit;
    const SceneFacts *facts = &viewer->playback.facts;
    if (hi - lo < width) lo = 0, hi = (float)screen->width; // over the panels
    if (!viewer->first_run.shown || hi - lo < width || (float)screen->height < HEIGHT * unit) return;
    GuiPanel panel = {.title = "first keys",
                      .outlined = true,
                      .x = 0.5f * (lo + hi),
                      .y = TOP * (float)screen->height,
                      .width = width,
                      .anchor_x = 0.5f,
                      .plain = true,
                      .passive = true,
                      .opacity = 0.94f};
    if (gui_panel_begin(gui, &panel)) {
        gui_text(gui, TONE_STRONG, "Drag turns the water, the wheel zooms.");
        gui_gap(gui);
        key_row(gui, ' ', 0, NULL);
        key_row(gui, 'V', 0, "style: particles, surface, screen space");
        key_row(gui, 'E', 0, NULL);
        key_row(gui, 'S', 0, "compare two neighbor searches from here");
        key_row(gui, KEY_F1, 0, "all keys");
        if (facts->spacing_meant > 0) {
            gui_gap(gui);
            gui_text(gui, TONE_DIM, "Coarse water for a first look: Enter takes the scene's, %.4g m.",
                     (double)facts->spacing_meant);
        }
    }
    gui_panel_end(gui);
}
