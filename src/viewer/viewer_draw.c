#include "viewer/viewer_draw.h"

#include "core/clock.h"
#include "viewer/color_bar.h"
#include "viewer/help.h"
#include "viewer/hud.h"
#include "viewer/labels.h"
#include "viewer/panel.h"

#include <math.h>
#include <stdio.h>

// Is there a reason to draw the picture? *scale is how finely.
static bool picture_is_due(Viewer *viewer, float *scale)
{
    SimulationStatus status = simulation_status(viewer->playback.simulation);
    const Picture *picture = &viewer->picture;
    FramePacing *pacing = &viewer->picture.pacing;
    bool there = picture_is_there(picture);
    double now = clock_seconds();
    pacing->idle = status.rate.idle;
    *scale = pacing->scale;
    if (viewer->screen.picture_stale) {
        // Rather the old picture for a moment than one without water.
        if (there && picture_lacks_mesh(picture)) return false;
        return frame_pacing_is_asked(pacing) || !there || !status.playing || now >= frame_pacing_due(pacing);
    }
    *scale = 1;
    return !status.playing && viewer->screen.controls_due == 0 && frame_pacing_can_sharpen(pacing, now);
}

static Result draw_controls(Viewer *viewer)
{
    const Controls *controls = &viewer->controls;
    const Screen *screen = &viewer->screen;
    Picture *picture = &viewer->picture;
    double now = clock_seconds();
    float seconds = (float)fmin(fmax(now - controls->presented_at, 1e-3), 0.5);
    gui_begin(controls->gui, screen->width, screen->height, seconds);
    labels_draw(viewer);
    probe_draw(&viewer->probe, controls->gui);
    if (look_has_color_bar(&viewer->look) && !picture->has_legend) color_bar_draw(controls);
    if (controls->hud) hud_draw(viewer);
    if (controls->panel) panel_draw(viewer);
    if (controls->help) help_draw(viewer);
    gui_draw(controls->gui);
    if (!gui_is_settled(controls->gui) && screen->controls_due == 0) viewer->screen.controls_due = 1;
    viewer->controls.presented_at = now;
    Result result = window_present(screen->window);
    picture->pacing.controls = clock_seconds() - now;
    return result;
}

static void fill_background(const Viewer *viewer)
{
    if (viewer->look.def.style == STYLE_PARTICLES)
        window_fill(viewer->screen.window, 0.89f, 0.90f, 0.91f);
    else
        window_fill(viewer->screen.window, 0.22f, 0.26f, 0.31f);
}

Result viewer_greet(Viewer *viewer, const char *scene)
{
    char text[100];
    Gui *gui = viewer->controls.gui;
    Screen *screen = &viewer->screen;
    if (!screen_measure(screen)) return result_ok();
    fill_background(viewer);
    TRY(window_present(screen->window)); // text is drawn by a shader, too
    fill_background(viewer);
    snprintf(text, sizeof text, "opening %.80s", scene);
    gui_begin(gui, screen->width, screen->height, 0);
    labels_draw_one(viewer, 0.5f, text);
    gui_draw(gui);
    return window_present(screen->window);
}

Result viewer_draw(Viewer *viewer, bool *drawn)
{
    float scale;
    Screen *screen = &viewer->screen;
    *drawn = false;
    if (!screen_measure(screen)) return result_ok();
    recording_write(&viewer->recording);
    if (picture_is_due(viewer, &scale)) TRY(picture_draw(&viewer->picture, scale));
    // Controls settle in two pictures: the first one tells them their size.
    if (screen->controls_stale) screen->controls_due = 2;
    screen->controls_stale = false;
    if (screen->controls_due == 0) return result_ok();
    screen->controls_due--;
    TRY(picture_show(&viewer->picture));
    TRY(draw_controls(viewer));
    *drawn = true;
    return result_ok();
}

double viewer_patience(const Viewer *viewer)
{
    uint32_t width, height;
    const Screen *screen = &viewer->screen;
    window_size(screen->window, &width, &height);
    if (width == 0 || height == 0) return 0.1; // minimised: nothing is drawn, however late it is
    if (screen->controls_stale || screen->controls_due > 0) return 0;
    return frame_pacing_patience(&viewer->picture.pacing, screen->picture_stale, clock_seconds());
}
