// Horizontal bar chart: panels side by side with a row for each label and a bar for each series.
#ifndef PBF_RENDER_BAR_CHART_H
#define PBF_RENDER_BAR_CHART_H

#include "core/result.h"

#include <stdbool.h>
#include <stdint.h>

#define BAR_SERIES_MAX 2

typedef struct BarSeries {
    const char *name;     // ASCII
    const double *values; // >= 0, one for each label
} BarSeries;

typedef struct BarPanel {
    const char *title; // ASCII
    BarSeries series[BAR_SERIES_MAX];
    uint32_t series_count;
    bool stacked; // bars of a row are stacked; where values differ widely, only their sums are drawn
} BarPanel;

typedef struct BarChartDef {
    uint32_t width, height; // pixels
    const char *title;      // ASCII
    const char *const *labels;
    uint32_t label_count; // >= 1
    const BarPanel *panels;
    uint32_t panel_count; // >= 1
} BarChartDef;

// Draws the chart; a panel whose largest value is more than twenty times its smallest has a logarithmic axis.
// rgb: width * height * 3 bytes, sRGB, top row first. Needs a current OpenGL context. Errors: RESULT_FAILED,
// RESULT_NO_MEMORY.
Result bar_chart_draw(const BarChartDef *def, uint8_t *rgb);

#endif
