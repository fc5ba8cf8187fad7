#include "render/chart.h"

#include "core/median.h"
#include "core/memory.h"
#include "render/chart_page.h"
#include "render/font.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Sizes at 1280 x 720, in pixels; everything scales with the picture.
static const float LEFT = 96, RIGHT = 110, BOTTOM = 84, TOP = 110;
static const Ink CURVE = {0.64f, 0.78f, 0.90f, 1}, MEDIAN = {0.10f, 0.40f, 0.68f, 1},
                 MEAN = {0.80f, 0.30f, 0.12f, 1};

typedef struct Chart {
    const ChartDef *def;
    Overlay *overlay;
    float scale;              // of sizes
    float x0, y0, x1, y1;     // the field between the axes, px
    double lo, hi;            // of the vertical axis
    double *sorted, *medians; // one for each value
} Chart;

static double value_of_pair(const ChartDef *def, uint32_t k)
{
    return 0.5 * (def->values[k] + def->values[k + 1 < def->count ? k + 1 : k]);
}

// The median of about a fiftieth of the values around each one, of neighbors in pairs: who goes first in a
// comparison alternates, and so do the values a little.
static void take_medians(Chart *chart)
{
    const ChartDef *def = chart->def;
    uint32_t reach = def->count / 100 + 4;
    for (uint32_t k = 0; k < def->count; k++) {
        uint32_t end = k + reach < def->count ? k + reach : def->count - 1;
        uint32_t begin = k > reach ? k - reach : 0, n = end - begin + 1;
        for (uint32_t i = 0; i < n; i++) chart->sorted[i] = value_of_pair(def, begin + i);
        chart->medians[k] = median(chart->sorted, n);
    }
}

// Holds zero, the mean and the medians, and values up to one and a half times the quartiles' distance beyond
// them (Tukey's outliers are cut off): a step that the machine interrupted must not flatten all others.
static void choose_range(Chart *chart)
{
    const ChartDef *def = chart->def;
    uint32_t count = def->count;
    memcpy(chart->sorted, def->values, count * sizeof *chart->sorted);
    sort_numbers(chart->sorted, count);
    double low = chart->sorted[count / 4], high = chart->sorted[count - 1 - count / 4];
    double fence = 1.5 * (high - low);
    double lo = fmin(fmin(0, def->mean), fmax(chart->sorted[0], low - fence));
    double hi = fmax(fmax(0, def->mean), fmin(chart->sorted[count - 1], high + fence));
    for (uint32_t k = 0; k < count; k++) {
        lo = fmin(lo, chart->medians[k]);
        hi = fmax(hi, chart->medians[k]);
    }
    if (!(hi - lo > 1e-9)) hi = lo + 1;
    double tick = chart_tick(hi - lo, 6);
    chart->lo = floor(lo / tick - 0.05) * tick;
    chart->hi = ceil(hi / tick + 0.05) * tick;
}

static float x_of(const Chart *chart, double step)
{
    double last = chart->def->count > 1 ? chart->def->count : 2;
    return chart->x0 + (chart->x1 - chart->x0) * (float)((step - 1) / (last - 1));
}

static float y_of(const Chart *chart, double value)
{
    double share = (value - chart->lo) / (chart->hi - chart->lo);
    return chart->y0 + (chart->y1 - chart->y0) * (float)fmin(fmax(share, 0), 1);
}

static Result write_text(const Chart *chart, float x, float y, float unit, float align, const char *text,
                         Ink ink)
{
    return chart_write(chart->overlay, x, y, unit * chart->scale, align, text, ink);
}

static Result add_axes(const Chart *chart)
{
    char text[32];
    float scale = chart->scale, thin = fmaxf(1, scale), middle_shift = 0.5f * FONT_CAP_HEIGHT * scale;
    double tick = chart_tick(chart->hi - chart->lo, 6);
    for (double value = chart->lo; value < chart->hi + 0.5 * tick; value += tick) {
        float y = y_of(chart, value);
        bool zero = fabs(value) < 0.5 * tick;
        TRY(overlay_add_stroke(chart->overlay, chart->x0, y, chart->x1, y, zero ? 1.5f * thin : thin,
                               zero ? CHART_ZERO : CHART_GRID));
        chart_number(text, sizeof text, value, tick);
        TRY(write_text(chart, chart->x0 - 12 * scale, y - middle_shift, 1, 1, text, CHART_FAINT));
    }
    double steps = fmax(1, chart_tick(chart->def->count, 8));
    for (double step = steps; step < chart->def->count + 0.5; step += steps) {
        float x = x_of(chart, step);
        TRY(overlay_add_stroke(chart->overlay, x, chart->y0, x, chart->y0 - 5 * scale, thin, CHART_ZERO));
        chart_number(text, sizeof text, step, steps);
        TRY(write_text(chart, x, chart->y0 - 22 * scale, 1, 0.5f, text, CHART_FAINT));
    }
    return write_text(chart, 0.5f * (chart->x0 + chart->x1), chart->y0 - 50 * scale, 1, 0.5f,
                      chart->def->x_title, CHART_FAINT);
}

static Result add_curve(const Chart *chart, const double *values, float width, Ink ink)
{
    for (uint32_t k = 0; k < chart->def->count; k++) {
        uint32_t from = k > 0 ? k - 1 : 0; // a single value is a dot
        TRY(overlay_add_stroke(chart->overlay, x_of(chart, from + 1.0), y_of(chart, values[from]),
                               x_of(chart, k + 1.0), y_of(chart, values[k]), width * chart->scale, ink));
    }
    return result_ok();
}

static Result add_mean(const Chart *chart)
{
    char text[48];
    float y = y_of(chart, chart->def->mean), scale = chart->scale;
    TRY(overlay_add_stroke(chart->overlay, chart->x0, y, chart->x1, y, fmaxf(1, 2 * scale), MEAN));
    snprintf(text, sizeof text, "%.1f %s", chart->def->mean, chart->def->unit);
    TRY(write_text(chart, chart->x1 + 12 * scale, y + 3 * scale, 1.25f, 0, text, MEAN));
    return write_text(chart, chart->x1 + 12 * scale, y - 14 * scale, 0.9f, 0, "mean", MEAN);
}

static Result add_all(Overlay *overlay, const void *context)
{
    Chart own = *(const Chart *)context, *chart = &own;
    own.overlay = overlay;
    float scale = chart->scale, top = (float)chart->def->height;
    TRY(write_text(chart, chart->x0, top - 44 * scale, 1.5f, 0, chart->def->title, CHART_TEXT));
    TRY(write_text(chart, chart->x0, top - 70 * scale, 1, 0, chart->def->subtitle, CHART_FAINT));
    TRY(write_text(chart, chart->x0, chart->y1 + 14 * scale, 1, 0, chart->def->y_title, CHART_FAINT));
    TRY(add_axes(chart));
    TRY(add_curve(chart, chart->def->values, 1.2f, CURVE));
    TRY(add_curve(chart, chart->medians, 2.6f, MEDIAN));
    return add_mean(chart);
}

Result chart_draw(const ChartDef *def, uint8_t *rgb)
{
    CHECK(def->count >= 1);
    float scale = fminf((float)def->width / 1280, (float)def->height / 720);
    Chart chart = {.def = def,
                   .scale = scale,
                   .x0 = LEFT * scale,
                   .y0 = BOTTOM * scale,
                   .x1 = (float)def->width - RIGHT * scale,
                   .y1 = (float)def->height - TOP * scale};
    size_t bytes = 2 * def->count * sizeof(double);
    chart.sorted = memory_allocate(bytes);
    if (!chart.sorted) return result_no_memory("the chart", bytes);
    chart.medians = chart.sorted + def->count;
    take_medians(&chart);
    choose_range(&chart);
    Result result = chart_page_draw(def->width, def->height, add_all, &chart, rgb);
    memory_free(chart.sorted);
    return result;
}
