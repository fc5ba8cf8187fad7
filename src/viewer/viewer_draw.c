// When the picture is drawn, and how finely. Drawing on the processor takes cores from the water: while it
// moves there, pictures are rarer and coarser, and sharpen when nothing happens.
#include "core/clock.h"
#include "core/memory.h"
#include "render/gui.h"
#include "viewer/viewer_state.h"

#include <math.h>
#include <string.h>

// While the water moves, at most this part of the time goes into its pictures.
static const double PICTURE_SHARE = 0.18;
// A picture that answers the user should take no longer, s.
static const double ANSWER_TIME = 0.06;
// A sharp picture is drawn when nobody has touched anything for so long, if it takes no longer than so much,
// s.
static const double SHARPEN_AFTER = 0.4, SHARPEN_TIME = 0.3;
static const float SCALE_MIN = 0.25f;
static const uint32_t SIDE_MIN = 16; // px of a coarse picture

static uint32_t scaled(uint32_t side, float scale)
{
    uint32_t wanted = (uint32_t)lroundf((float)side * scale);
    uint32_t least = side < SIDE_MIN ? side : SIDE_MIN;
    return wanted > least ? wanted : least;
}

// legend: in the picture; the window has the controls' own, which stays sharp.
static Result draw_shot(Viewer *viewer, uint32_t width, uint32_t height, bool legend)
{
    RenderDef def = viewer->look;
    FrameView view;
    const SurfaceMesh *mesh;
    def.width = width;
    def.height = height;
    def.legend = legend;
    def.camera = viewer_camera(viewer);
    TRY(renderer_set(viewer->renderer, &def));
    TRY(clip_apply(&viewer->cut, &viewer->clip, &viewer->shot->side[0], &view, &mesh));
    return renderer_draw(viewer->renderer, &view, mesh);
}

Result viewer_draw_full(Viewer *viewer, uint32_t width, uint32_t height)
{
    viewer->picture_stale = true; // the window's own may be coarser
    return draw_shot(viewer, width, height, viewer->look.legend);
}

// The scale that the next picture can afford, from what this one has taken.
static void adapt_scale(Viewer *viewer, double seconds)
{
    // Pixels are most of the cost, so the time goes with the square of the scale.
    double fitting = viewer->scale * sqrt(ANSWER_TIME / fmax(seconds, 1e-4));
    float wanted = (float)fmin(fmax(fitting, SCALE_MIN), 1);
    // Small changes are not worth new buffers.
    if (wanted < 0.8f * viewer->scale || (wanted > 1.3f * viewer->scale && viewer->scale < 1))
        viewer->scale = wanted > 0.9f ? 1 : wanted;
}

static void count_picture(Viewer *viewer, double seconds)
{
    History *history = &viewer->history;
    double now = clock_seconds();
    history->picture_ms = 1e3 * seconds;
    history->pictures++;
    if (now - history->counted_since < 1) return;
    history->frame_rate = history->pictures / (now - history->counted_since);
    history->counted_since = now;
    history->pictures = 0;
}

static Result draw_picture(Viewer *viewer, float scale)
{
    double started = clock_seconds();
    TRY(draw_shot(viewer, scaled(viewer->width, scale), scaled(viewer->height, scale), false));
    window_finish(viewer->window);
    double seconds = clock_seconds() - started;
    viewer->picture_at = started;
    viewer->picture_scale = scale;
    viewer->picture_stale = false;
    if (scale == viewer->scale) adapt_scale(viewer, seconds);
    count_picture(viewer, seconds);
    return result_ok();
}

// When the next picture of moving water may begin.
static double picture_due(const Viewer *viewer)
{
    return viewer->picture_at + 1e-3 * viewer->history.picture_ms / PICTURE_SHARE;
}

static bool is_moving(const Viewer *viewer)
{
    return clock_seconds() - viewer->acted_at < SHARPEN_AFTER;
}

// Is it worth drawing the same picture again, finer?
static bool can_sharpen(const Viewer *viewer)
{
    if (viewer->picture_scale >= 1 || is_moving(viewer)) return false;
    double ratio = 1 / viewer->picture_scale;
    return 1e-3 * viewer->history.picture_ms * ratio * ratio < SHARPEN_TIME;
}

// Records the shot if it is a frame that was not recorded yet.
static Result record_frame(Viewer *viewer)
{
    uint32_t width, height;
    if (recorder_kind(viewer->recorder) == RECORD_NONE || !viewer->shot->on_frame) return result_ok();
    if (viewer->shot->frame == viewer->recorded_frame && viewer->shot->fluid == viewer->recorded_fluid)
        return result_ok();
    viewer->recorded_frame = viewer->shot->frame;
    viewer->recorded_fluid = viewer->shot->fluid;
    recorder_size(viewer->recorder, &width, &height);
    TRY(viewer_draw_full(viewer, width, height));
    return recorder_add(viewer->recorder, viewer->renderer);
}

static Result renew_picture(Viewer *viewer)
{
    Result recorded = record_frame(viewer);
    if (!result_is_ok(&recorded)) {
        viewer_say_error(viewer, &recorded);
        recorder_end(viewer->recorder);
        simulation_wait_at_frames(viewer->simulation, false);
    }
    bool playing = simulation_status(viewer->simulation).playing;
    if (viewer->picture_stale) {
        bool answering = is_moving(viewer) && viewer->acted_at > viewer->picture_at;
        if (!answering && playing && clock_seconds() < picture_due(viewer)) return result_ok();
        viewer->controls_stale = true;
        return draw_picture(viewer, viewer->scale);
    }
    if (playing || !can_sharpen(viewer)) return result_ok();
    viewer->controls_stale = true;
    return draw_picture(viewer, 1);
}

static Result draw_controls(Viewer *viewer)
{
    double now = clock_seconds();
    float seconds = (float)fmin(fmax(now - viewer->presented_at, 1e-3), 0.5);
    gui_begin(viewer->width, viewer->height, seconds);
    viewer_badges(viewer);
    if (viewer->look.legend && viewer->look.style == STYLE_PARTICLES) viewer_color_bar(viewer);
    if (viewer->hud) viewer_hud(viewer);
    if (viewer->panel) viewer_panel(viewer);
    if (viewer->help) viewer_help(viewer);
    gui_draw();
    viewer->presented_at = now;
    return window_present(viewer->window);
}

Result viewer_draw(Viewer *viewer, bool *drawn)
{
    *drawn = false;
    uint32_t width, height;
    window_size(viewer->window, &width, &height);
    if (width == 0 || height == 0) return result_ok();
    if (width != viewer->width || height != viewer->height)
        viewer->picture_stale = viewer->controls_stale = true;
    viewer->width = width;
    viewer->height = height;
    TRY(renew_picture(viewer));
    // Controls settle in two pictures: the first one tells them their size.
    if (viewer->controls_stale) viewer->controls_due = 2;
    viewer->controls_stale = false;
    if (viewer->controls_due == 0) return result_ok();
    viewer->controls_due--;
    TRY(renderer_show(viewer->renderer, 0, 0, 0, width, height));
    TRY(draw_controls(viewer));
    *drawn = true;
    return result_ok();
}

double viewer_patience(const Viewer *viewer)
{
    double now = clock_seconds();
    if (viewer->controls_stale || viewer->controls_due > 0) return 0;
    if (viewer->picture_stale) return fmax(fmin(picture_due(viewer) - now, 0.1), 0);
    if (viewer->picture_scale < 1)
        return fmax(fmin(viewer->acted_at + SHARPEN_AFTER - now + 0.01, 0.1), 0.02);
    return 0.1;
}
