#include "render/bar_chart.h"

#include "render/chart_page.h"
#include "render/font.h"

#include <math.h>
#include <stdio.h>

// A panel whose largest value is this many times its smallest has a logarithmic axis.
#define LINEAR_RANGE 20.0

// Sizes in pixels of a page 560 high; everything scales with it.
static const float MARGIN = 24, TOP = 118, BOTTOM = 44, BAR_SHARE = 0.68f, NUMBER_ROOM = 70;

static const Ink BARS[BAR_SERIES_MAX] = {{0.23f, 0.43f, 0.65f, 1}, {0.88f, 0.69f, 0.24f, 1}};

typedef struct Page {
    const BarChartDef *def;
    Overlay *overlay;
    float scale, row, labels; // of sizes; px of a row, of the column of labels
} Page;

// A panel's field between its axes, px, and what its ends stand for.
typedef struct Field {
    float x0, x1, y0, y1;
    double lo, hi;
    bool logarithmic, stacked;
    uint32_t series; // that are drawn
} Field;

static double stack_of(const BarPanel *panel, uint32_t label)
{
    double sum = 0;
    for (uint32_t s = 0; s < panel->series_count; s++) sum += panel->series[s].values[label];
    return sum;
}

static double bar_of(const BarPanel *panel, const Field *field, uint32_t series, uint32_t label)
{
    return panel->stacked && !field->stacked ? stack_of(panel, label) : panel->series[series].values[label];
}

static void choose_axis(const BarChartDef *def, const BarPanel *panel, Field *field)
{
    double least = INFINITY, most = 0;
    for (uint32_t k = 0; k < def->label_count; k++) {
        for (uint32_t s = 0; s < panel->series_count; s++) {
            double value = panel->stacked ? stack_of(panel, k) : panel->series[s].values[k];
            least = fmin(least, value);
            most = fmax(most, value);
        }
    }
    field->logarithmic = least > 0 && most > LINEAR_RANGE * least;
    field->stacked = panel->stacked && !field->logarithmic;
    field->series = panel->stacked && field->logarithmic ? 1 : panel->series_count;
    field->lo = field->logarithmic ? pow(10, floor(log10(least) - 1e-9)) : 0;
    field->hi = most > 0 ? most : 1;
}

static float x_of(const Field *field, double value)
{
    double share = field->logarithmic ? log(fmax(value, field->lo) / field->lo) / log(field->hi / field->lo)
                                      : value / field->hi;
    return field->x0 + (field->x1 - field->x0) * (float)fmin(fmax(share, 0), 1);
}

static Result add_tick(const Page *page, const Field *field, double value, double tick)
{
    char text[32];
    float x = x_of(field, value);
    TRY(overlay_add_stroke(page->overlay, x, field->y0, x, field->y1, fmaxf(1, page->scale), CHART_GRID));
    chart_number(text, sizeof text, value, tick);
    return chart_write(page->overlay, x, field->y0 - 20 * page->scale, 0.9f * page->scale, 0.5f, text,
                       CHART_FAINT);
}

static Result add_axis(const Page *page, const Field *field)
{
    if (field->logarithmic) {
        for (double value = field->lo; value <= field->hi; value *= 10)
            TRY(add_tick(page, field, value, fmin(value, 1)));
    } else {
        double tick = chart_tick(field->hi, 5);
        for (double value = 0; value <= field->hi * (1 + 1e-9); value += tick)
            TRY(add_tick(page, field, value, tick));
    }
    return overlay_add_stroke(page->overlay, field->x0, field->y0, field->x0, field->y1,
                              fmaxf(1, 1.5f * page->scale), CHART_ZERO);
}

static Result add_row(const Page *page, const BarPanel *panel, const Field *field, uint32_t label)
{
    float top = field->y1 - page->row * ((float)label + 0.5f * (1 - BAR_SHARE)), from = field->x0;
    float height = page->row * BAR_SHARE / (field->stacked ? 1 : (float)field->series);
    double sum = 0;
    for (uint32_t s = 0; s < field->series; s++) {
        char text[32];
        double value = bar_of(panel, field, s, label);
        sum = field->stacked ? sum + value : value;
        float y = field->stacked ? top : top - height * (float)s, to = x_of(field, sum);
        if (to > from) TRY(overlay_add_box(page->overlay, from, y - height, to, y, 0, BARS[s]));
        if (field->stacked) from = to;
        if (field->stacked && s + 1 < field->series) continue;
        chart_number(text, sizeof text, sum, sum < 10 ? 0.01 : sum < 100 ? 0.1 : 1);
        float unit = 0.8f * page->scale;
        TRY(chart_write(page->overlay, to + 6 * page->scale, y - 0.5f * (height + FONT_CAP_HEIGHT * unit),
                        unit, 0, text, CHART_FAINT));
    }
    return result_ok();
}

// The names of the series over their panel, each behind a box of its color.
static Result add_key(const Page *page, const BarPanel *panel, const Field *field)
{
    float scale = page->scale, x = field->x0, y = field->y1 + 12 * scale;
    if (field->series < 2) return result_ok();
    for (uint32_t s = 0; s < field->series; s++) {
        const char *name = panel->series[s].name;
        TRY(overlay_add_box(page->overlay, x, y, x + 10 * scale, y + 10 * scale, 0, BARS[s]));
        TRY(chart_write(page->overlay, x + 16 * scale, y, 0.9f * scale, 0, name, CHART_FAINT));
        x += (34 + 0.9f * font_write(name, NULL, NULL)) * scale;
    }
    return result_ok();
}

static Result add_panel(const Page *page, uint32_t number)
{
    const BarChartDef *def = page->def;
    const BarPanel *panel = &def->panels[number];
    float scale = page->scale, left = MARGIN * scale + page->labels;
    float width = ((float)def->width - left) / (float)def->panel_count;
    Field field = {.x0 = left + width * (float)number,
                   .x1 = left + width * (float)(number + 1) - NUMBER_ROOM * scale,
                   .y0 = BOTTOM * scale,
                   .y1 = (float)def->height - TOP * scale};
    choose_axis(def, panel, &field);
    TRY(chart_write(page->overlay, field.x0, field.y1 + 36 * scale, scale, 0, panel->title, CHART_TEXT));
    TRY(add_key(page, panel, &field));
    TRY(add_axis(page, &field));
    for (uint32_t k = 0; k < def->label_count; k++) TRY(add_row(page, panel, &field, k));
    return result_ok();
}

static Result add_all(Overlay *overlay, const void *chart)
{
    Page page = *(const Page *)chart;
    const BarChartDef *def = page.def;
    float scale = page.scale, unit = 0.95f * scale, top = (float)def->height - TOP * scale;
    page.overlay = overlay;
    for (uint32_t k = 0; k < def->label_count; k++)
        page.labels = fmaxf(page.labels, font_write(def->labels[k], NULL, NULL) * unit + 12 * scale);
    page.row = (top - BOTTOM * scale) / (float)def->label_count;
    TRY(chart_write(overlay, MARGIN * scale, (float)def->height - 44 * scale, 1.5f * scale, 0, def->title,
                    CHART_TEXT));
    for (uint32_t k = 0; k < def->label_count; k++) {
        float y = top - page.row * ((float)k + 0.5f) - 0.5f * FONT_CAP_HEIGHT * unit;
        TRY(chart_write(overlay, MARGIN * scale + page.labels - 12 * scale, y, unit, 1, def->labels[k],
                        CHART_TEXT));
    }
    for (uint32_t k = 0; k < def->panel_count; k++) TRY(add_panel(&page, k));
    return result_ok();
}

Result bar_chart_draw(const BarChartDef *def, uint8_t *rgb)
{
    CHECK(def->label_count >= 1 && def->panel_count >= 1);
    Page page = {.def = def, .scale = (float)def->height / 560};
    return chart_page_draw(def->width, def->height, add_all, &page, rgb);
}
