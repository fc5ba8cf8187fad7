#include "viewer/timeline.h"

#include "viewer/actions.h"

// Buttons do what a key does.
static void button(Viewer *viewer, const char *label, const char *tip, int key, unsigned mods)
{
    if (gui_button(viewer->controls.gui, label, tip)) action_press(viewer, key, mods);
    gui_same_line(viewer->controls.gui);
}

static void bar(Viewer *viewer)
{
    Gui *gui = viewer->controls.gui;
    const Timeline *timeline = &viewer->playback.snapshot->timeline;
    SimulationStatus status = simulation_status(viewer->playback.simulation);
    const char *what = status.looping ? "loop" : status.replaying ? "again" : "new";
    button(viewer, status.playing ? "pause" : "play ", "Space", ' ', 0);
    button(viewer, " < ", "one remembered state back: Backspace", KEY_BACKSPACE, 0);
    button(viewer, " > ", "one step: N", 'N', 0);
    button(viewer, "loop", "remembered time again and again: A", 'A', 0);
    double shown = viewer->playback.snapshot->side[0].view.time, now = shown;
    gui_text(gui, TONE_PLAIN, "%7.2f of %.2f s, %s", shown, timeline->end > shown ? timeline->end : shown,
             what);
    gui_same_line(gui);
    double end = timeline->end > now ? timeline->end : now;
    if (gui_timeline(gui, &now, timeline->begin, end, timeline->marks, timeline->mark_count,
                     gui_line_height(gui)))
        playback_scrub(&viewer->playback, now);
}

void timeline_draw(Viewer *viewer)
{
    const Screen *screen = &viewer->screen;
    float unit = screen_unit(screen), height = controls_layout(&viewer->controls).bottom * unit;
    GuiPanel panel = {.title = "time",
                      .y = (float)screen->height - height,
                      .width = (float)screen->width,
                      .height_min = height,
                      .height_max = height,
                      .plain = true,
                      .opacity = 1};
    if (height == 0) return;
    if (gui_panel_begin(viewer->controls.gui, &panel)) bar(viewer);
    gui_panel_end(viewer->controls.gui);
}
