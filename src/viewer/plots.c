#include "viewer/plots.h"

#include "render/legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS_MAX = 600, TICKS_MAX = 12 };
static const float PLOT_WIDTH = 300;                       // common px, the least of one
static const float BELOW = 5, BESIDE = 6, TICK_DIGITS = 7; // px; px; digits left of the axis
static const float TICK_ROOM = 64, TICK_ROOM_UP = 26;      // common px between numbers of the axes

void plots_start(Plots *plots)
{
    static const char *const first[PLOTS_MAX] = {"energy", "density_error_mean", "speed_max"};
    for (uint32_t plot = 0; plot < PLOTS_MAX; plot++) {
        for (uint32_t k = 0; quantity_at(k); k++) {
            if (strcmp(quantity_at(k)->name, first[plot]) == 0) plots->quantity[plot] = k;
        }
    }
}

// --- axes ---

typedef struct Axis {
    double lo, hi;  // values at its ends,
    float from, to; // and their places, px
    double step;    // between numbers
} Axis;

static float place(const Axis *axis, double value)
{
    return axis->from + (axis->to - axis->from) * (float)((value - axis->lo) / (axis->hi - axis->lo));
}

// 1, 2 or 5 times a power of ten, at least `least`.
static double round_step(double least)
{
    static const double rounds[] = {1, 2, 5, 10};
    double ten = pow(10, floor(log10(least)));
    int k = 0;
    while (k < 3 && rounds[k] * ten < least) k++;
    return rounds[k] * ten;
}

static Axis make_axis(double lo, double hi, float from, float to, float room)
{
    double least = fmax(fmax(fabs(lo), fabs(hi)) * 1e-6, 1e-12); // floats tell no more apart
    if (!(hi - lo > least)) {
        lo -= 0.5 * least;
        hi = lo + least;
    }
    double steps = fmin(fmax(fabs((double)(to - from)) / (double)room, 1), TICKS_MAX);
    return (Axis){lo, hi, from, to, round_step((hi - lo) / steps)};
}

// --- one plot ---

typedef struct Curve {
    float times[POINTS_MAX], values[POINTS_MAX];
    uint32_t count;
} Curve;

// The value at a time.
static float value_at(const Curve *line, double time)
{
    uint32_t k = 0;
    while (k + 1 < line->count && (double)line->times[k + 1] <= time) k++;
    return line->values[k];
}

static void number(double value, double step, char text[32])
{
    if (fabs(value) < 1e-9 * step) value = 0;
    if (fabs(value) >= 1e5 || step < 1e-4)
        snprintf(text, 32, "%.3g", value);
    else
        legend_number(text, 32, (float)value, (float)(10 * step));
}

static void draw_axes(Gui *gui, const Axis *x, const Axis *y, float unit)
{
    char text[32];
    float line = gui_line_height(gui);
    for (double at = ceil(x->lo / x->step) * x->step; at <= x->hi; at += x->step) {
        float px = place(x, at), anchor = px + 12 * unit > x->to ? 1 : 0.5f;
        gui_draw_box(gui, px, y->to, px + 1, y->from, 0, gui_color(gui, TINT_GRID));
        number(at, x->step, text);
        gui_draw_text(gui, px, y->from + 2 * unit, anchor, gui_color(gui, TINT_DIM), text);
    }
    for (double at = ceil(y->lo / y->step) * y->step; at <= y->hi; at += y->step) {
        float px = place(y, at);
        gui_draw_box(gui, x->from, px, x->to, px + 1, 0, gui_color(gui, TINT_GRID));
        number(at, y->step, text);
        gui_draw_text(gui, x->from - BESIDE * unit, px - 0.5f * line, 1, gui_color(gui, TINT_DIM), text);
    }
}

static void draw_line(Gui *gui, const Curve *line, const Axis *x, const Axis *y, float unit)
{
    float points[POINTS_MAX][2];
    for (uint32_t k = 0; k < line->count; k++) {
        points[k][0] = place(x, (double)line->times[k]);
        points[k][1] = place(y, (double)line->values[k]);
    }
    gui_draw_lines(gui, (const float(*)[2])points, line->count, 1.5f * unit, gui_color(gui, TINT_CURVE));
}

static void range_of(const Curve *line, double *lo, double *hi)
{
    *lo = INFINITY, *hi = -INFINITY;
    for (uint32_t k = 0; k < line->count; k++) {
        if (!isfinite(line->values[k])) continue;
        *lo = fmin(*lo, (double)line->values[k]);
        *hi = fmax(*hi, (double)line->values[k]);
    }
    if (*lo > *hi) *lo = *hi = 0;
    double span = *hi - *lo;
    // Quantities that cannot be negative are read against 0.
    *lo = *lo >= 0 && *lo < 0.7 * *hi ? 0 : *lo - 0.05 * span;
    *hi += 0.05 * span;
}

// Goes where the user clicks.
static void follow_mouse(Plots *plots, const GuiCanvas *canvas, const Axis *x)
{
    if (!canvas->held) return;
    double share = (double)((canvas->mouse_x - x->from) / (x->to - x->from));
    playback_scrub(plots->playback, x->lo + fmin(fmax(share, 0), 1) * (x->hi - x->lo));
}

static void draw_plot(Plots *plots, const Curve *line, float height)
{
    double lo, hi, now = plots->playback->snapshot->side[0].view.time;
    Gui *gui = plots->controls->gui;
    float unit = screen_unit(plots->screen), text = gui_line_height(gui);
    GuiCanvas canvas = gui_canvas(gui, "plot", 0, height);
    float left = canvas.x0 + TICK_DIGITS * gui_digit_width(gui), bottom = canvas.y1 - text - BELOW * unit;
    float first = line->times[0], last = line->times[line->count - 1];
    range_of(line, &lo, &hi);
    Axis x = make_axis((double)first, fmax((double)last, now), left, canvas.x1, TICK_ROOM * unit);
    Axis y = make_axis(lo, hi, bottom, canvas.y0 + 2 * unit, TICK_ROOM_UP * unit);
    gui_draw_box(gui, left, y.to, canvas.x1, bottom, 0, gui_color(gui, TINT_CHART_GROUND));
    draw_axes(gui, &x, &y, unit);
    draw_line(gui, line, &x, &y, unit);
    float at = place(&x, fmin(fmax(now, x.lo), x.hi));
    gui_draw_box(gui, at - 0.5f * unit, y.to, at + 0.5f * unit, bottom, 0, gui_color(gui, TINT_NOW));
    follow_mouse(plots, &canvas, &x);
}

static const char *quantity_names(uint32_t k, const void *context)
{
    (void)context;
    return quantity_at(k) ? quantity_at(k)->name : NULL;
}

static void fill_panel(Plots *plots, uint32_t plot, float height)
{
    Curve line;
    char name[32];
    Gui *gui = plots->controls->gui;
    Measurements *measurements = simulation_measurements(plots->playback->simulation);
    float unit = screen_unit(plots->screen);
    snprintf(name, sizeof name, "##quantity %u", plot);
    gui_choice(gui, name, &plots->quantity[plot], quantity_names, NULL, false,
               quantity_at(plots->quantity[plot])->help);
    line.count = measurements_line(measurements, plots->quantity[plot], POINTS_MAX, line.times, line.values);
    if (line.count == 0) {
        gui_text(gui, TONE_DIM, "from the next frame on");
        return;
    }
    gui_same_line(gui);
    double now = plots->playback->snapshot->side[0].view.time;
    gui_text(gui, TONE_PLAIN, "%.5g %s", (double)value_at(&line, now),
             quantity_at(plots->quantity[plot])->unit);
    draw_plot(plots, &line, height - 2.4f * gui_line_height(gui) - 12 * unit);
}

void plots_draw(Plots *plots)
{
    Layout layout = controls_layout(plots->controls);
    simulation_measurements(plots->playback->simulation)->wanted = layout.plots > 0;
    if (layout.plots == 0) return;
    const Screen *screen = plots->screen;
    float unit = screen_unit(screen), width = (float)screen->free.width, height = layout.plots * unit;
    uint32_t count = (uint32_t)fminf(fmaxf(width / (PLOT_WIDTH * unit), 1), PLOTS_MAX);
    for (uint32_t k = 0; k < count; k++) {
        char title[16];
        snprintf(title, sizeof title, "plot %u", k);
        GuiPanel panel = {.title = title,
                          .x = (float)screen->free.x + width * (float)k / (float)count,
                          .y = (float)screen->height - layout.bottom * unit - height,
                          .width = width / (float)count,
                          .height_min = height,
                          .height_max = height,
                          .plain = true,
                          .opacity = 1};
        if (gui_panel_begin(plots->controls->gui, &panel)) fill_panel(plots, k, height);
        gui_panel_end(plots->controls->gui);
    }
}
