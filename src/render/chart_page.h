// Shared by all charts: a white page, aligned text, round numbers for axes.
#ifndef PBF_RENDER_CHART_PAGE_H
#define PBF_RENDER_CHART_PAGE_H

#include "core/result.h"
#include "render/overlay.h"

#include <stddef.h>
#include <stdint.h>

static const Ink CHART_TEXT = {0.12f, 0.16f, 0.21f, 1}, CHART_FAINT = {0.36f, 0.42f, 0.48f, 1},
                 CHART_GRID = {0.88f, 0.90f, 0.92f, 1}, CHART_ZERO = {0.55f, 0.60f, 0.65f, 1};

typedef Result ChartInk(Overlay *overlay, const void *chart);

// Calls `ink` to draw on a white page and reads the page back. rgb: width * height * 3 bytes, sRGB, top row
// first. Needs a current OpenGL context. Errors: RESULT_FAILED, RESULT_NO_MEMORY, those of `ink`.
Result chart_page_draw(uint32_t width, uint32_t height, ChartInk *ink, const void *chart, uint8_t *rgb);

// align: 0 starts at x, 0.5 is centered there, 1 ends there. unit: pixels per font unit.
Result chart_write(Overlay *overlay, float x, float y, float unit, float align, const char *text, Ink ink);

// Tick distance: 1, 2 or 5 times a power of ten that divides `span` (> 0) into about `parts`.
double chart_tick(double span, double parts);

// Formats a number on an axis with as many decimals as this tick distance needs.
void chart_number(char *text, size_t size, double value, double tick);

#endif
