// Numbers over the picture.
#include "core/clock.h"
#include "core/memory.h"
#include "render/colormap.h"
#include "render/gui.h"
#include "render/legend.h"
#include "viewer/viewer_state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const float BAR_TOP = 2.2f; // means of the steps shown

static const GuiColor phase_colors[PHASE_COUNT] = {
    [PHASE_REORDER] = {0.55f, 0.60f, 0.68f, 1}, [PHASE_CONSTRUCTION] = {0.96f, 0.70f, 0.35f, 1},
    [PHASE_SEARCH] = {0.93f, 0.47f, 0.36f, 1},  [PHASE_CONTACTS] = {0.72f, 0.55f, 0.86f, 1},
    [PHASE_DENSITY] = {0.26f, 0.56f, 0.86f, 1}, [PHASE_CORRECTION] = {0.36f, 0.77f, 0.87f, 1},
    [PHASE_FORCES] = {0.45f, 0.80f, 0.52f, 1},  [PHASE_OTHER] = {0.75f, 0.77f, 0.80f, 1},
};

static const char *counted(uint64_t count, char out[32])
{
    legend_count(out, 32, count);
    return out;
}

static void row(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void row(const char *name, const char *format, ...)
{
    static const float widths[] = {12, 30};
    char text[120];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *texts[] = {name, text};
    gui_columns(texts, widths, 2);
}

// ms of a step in a phase, of the last steps.
static float mean_ms(const History *history, int phase, uint32_t steps)
{
    float sum = 0;
    for (uint32_t k = HISTORY - steps; k < HISTORY; k++) sum += history->phase_ms[k][phase];
    return sum / (float)steps;
}

static float largest_ms(const History *history)
{
    float largest = 0;
    for (uint32_t k = HISTORY - history->count; k < HISTORY; k++) {
        float total = 0;
        for (int phase = 0; phase < PHASE_COUNT; phase++) total += history->phase_ms[k][phase];
        largest = fmaxf(largest, total);
    }
    return largest;
}

static void phases(const Viewer *viewer, bool with_numbers)
{
    const History *history = &viewer->history;
    if (history->count == 0) return;
    float all = 0, mean = 0, mean_of[PHASE_COUNT];
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        mean_of[phase] = mean_ms(history, phase, history->alike > 0 ? history->alike : history->count);
        mean += mean_of[phase];
        all += mean_ms(history, phase, history->count);
    }
    gui_gap();
    gui_text(TONE_DIM, "%.1f ms a step, by phase", (double)mean);
    // One slow step is cut off rather than making all others small.
    float top = fmaxf(fminf(1.05f * largest_ms(history), BAR_TOP * all), 1e-3f);
    gui_stacked_bars(history->phase_ms[0], HISTORY, PHASE_COUNT, phase_colors, top,
                     LAYOUT_BARS_HEIGHT * window_scale(viewer->window));
    for (int phase = 0; phase < PHASE_COUNT && with_numbers; phase++) {
        static const float widths[] = {12, 9};
        char number[24];
        snprintf(number, sizeof number, "%.2f", (double)mean_of[phase]);
        const char *texts[] = {step_phase_name((StepPhase)phase), number};
        gui_swatch(phase_colors[phase]);
        gui_columns(texts, widths, 2);
    }
}

// How fast it goes now: that of a moment ago says nothing while the water is paused.
static void pace_rows(const SimulationStatus *status, double pictures)
{
    char limit[40] = "", drawn[40] = "";
    if (!status->playing || status->step_rate == 0) {
        row("pace", status->playing ? "being measured" : "paused");
        return;
    }
    if (pictures > 0) snprintf(drawn, sizeof drawn, ", %.*f pictures/s", pictures < 9.95, pictures);
    row("pace", "%.1f steps/s%s", status->step_rate, drawn);
    if (!isfinite(status->speed))
        snprintf(limit, sizeof limit, ", no limit");
    else if (status->speed < 1)
        snprintf(limit, sizeof limit, ", limit 1/%.0f", 1 / status->speed);
    else if (status->speed > 1)
        snprintf(limit, sizeof limit, ", limit %.0f", status->speed);
    row("speed", "%.*f x real time%s", status->time_rate < 0.0995 ? 3 : 2, status->time_rate, limit);
}

// What the last step has found out.
static void step_rows(const FrameView *view)
{
    const StepReport *report = &view->report;
    if (report->neighbor.candidates > 0) // a stored state does not know
        row("neighbors", "%.1f of %.1f tested", (double)report->neighbor.neighbors / view->count,
            (double)report->neighbor.candidates / view->count);
    row("density", "%.2f %% off, at most %.1f %%", 100 * report->density_error_mean,
        100 * report->density_error_max);
    row("fastest", "%.2f m/s", report->speed_max);
}

static void all_rows(const Viewer *viewer, const SimulationStatus *status)
{
    char text[32];
    const FrameView *view = &viewer->shot->side[0].view;
    const StepReport *report = &view->report;
    row("particles", "%s", counted(view->count, text));
    row("time", "%.3f s, frame %u", view->time, viewer->shot->frame);
    if (report->step > 0) row("step", "%s of %.2f ms", counted(report->step, text), 1e3 * report->dt);
    pace_rows(status, viewer->pace.rate);
    if (report->step > 0) step_rows(view);
    if (viewer->shot->side[0].has_mesh)
        row("surface", "%s triangles, %.0f ms", counted(viewer->shot->side[0].mesh.triangle_count, text),
            viewer->shot->side[0].mesh_ms);
    row("memory", "%.0f MB", 1e-6 * (double)memory_bytes_in_use());
}

static void short_rows(const Viewer *viewer, const SimulationStatus *status)
{
    char text[32];
    const FrameView *view = &viewer->shot->side[0].view;
    gui_text(TONE_PLAIN, "%s particles", counted(view->count, text));
    gui_text(TONE_PLAIN, "%.3f s, frame %u", view->time, viewer->shot->frame);
    if (status->playing && status->step_rate > 0)
        gui_text(TONE_PLAIN, "%.1f steps/s", status->step_rate);
    else
        gui_text(TONE_PLAIN, status->playing ? "being measured" : "paused");
}

Layout viewer_layout(const Viewer *viewer)
{
    enum { ROWS = 10 }; // that there may be, so that numbers which come and go do not change the form
    float unit = window_scale(viewer->window);
    Frame frame = viewer_frame(viewer, 0);
    bool two = viewer->shot->sides == 2;
    LayoutWish wish = {.width = (float)viewer->width / unit,
                       .height = (float)viewer->height / unit,
                       .bar_width = frame.width / unit,
                       .bar_bottom = frame.height / unit,
                       .text = gui_line_height() / unit,
                       .rows = ROWS + viewer->shot->side[0].has_mesh,
                       .phases = PHASE_COUNT,
                       .panel = viewer->panel,
                       .hud = viewer->hud && (!two || split_has_captions(viewer->width, viewer->height)),
                       .brief = two, // the captions have the rest
                       .bar = viewer_has_color_bar(viewer)};
    return layout_make(&wish);
}

void viewer_hud(Viewer *viewer)
{
    Layout layout = viewer_layout(viewer);
    if (layout.hud == HUD_NONE) return;
    float unit = window_scale(viewer->window);
    SimulationStatus status = simulation_status(viewer->simulation);
    GuiPanel panel = {.title = "numbers",
                      .x = LAYOUT_MARGIN * unit,
                      .y = LAYOUT_MARGIN * unit,
                      .width = layout.hud_width * unit,
                      .plain = true,
                      .passive = true,
                      .opacity = 0.82f};
    if (gui_panel_begin(&panel)) {
        gui_text(TONE_STRONG, "%s", viewer->facts.name);
        (layout.hud == HUD_SHORT ? short_rows : all_rows)(viewer, &status);
        if (layout.hud >= HUD_BARS) phases(viewer, layout.hud == HUD_ALL);
    }
    gui_panel_end();
}

bool viewer_has_color_bar(const Viewer *viewer)
{
    return viewer->look.legend && viewer->look.style == STYLE_PARTICLES;
}

void viewer_color_bar(Viewer *viewer)
{
    static const GuiColor ground = {1, 1, 1, 0.78f}, ink = {0.12f, 0.16f, 0.21f, 1};
    enum { STRIPS = 96 };
    float unit = window_scale(viewer->window), lo, hi, rgb[3];
    float x0 = 2 * LAYOUT_MARGIN * unit, width = viewer_layout(viewer).bar * unit, line = gui_line_height();
    float bottom = viewer_frame(viewer, 0).height - LAYOUT_MARGIN * unit;
    float top = bottom - layout_bar_height(line / unit) * unit + 8 * unit;
    if (width == 0) return;
    char text[64];
    FieldKey field = viewer->look.color_by;
    const char *units = field_unit(field);
    renderer_range(viewer->renderer[0], &lo, &hi);
    gui_draw_box(x0 - 12 * unit, top - 8 * unit, x0 + width + 12 * unit, bottom, 6 * unit, ground);
    snprintf(text, sizeof text, units[0] ? "%s (%s)" : "%s", field_name(field), units);
    gui_draw_text(x0, top, 0, ink, text);
    float bar = top + line + 5 * unit, step = width / STRIPS;
    for (int k = 0; k < STRIPS; k++) {
        colormap_srgb(((float)k + 0.5f) / STRIPS, rgb);
        gui_draw_box(x0 + step * (float)k, bar, x0 + step * (float)(k + 1), bar + 10 * unit, 0,
                     (GuiColor){rgb[0], rgb[1], rgb[2], 1});
    }
    for (int k = 0; k < 3; k++) {
        float at = 0.5f * (float)k;
        legend_number(text, sizeof text, lo + at * (hi - lo), hi - lo);
        gui_draw_text(x0 + at * width, bar + 13 * unit, at, ink, text);
    }
}
