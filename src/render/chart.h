// A line chart of a number over the steps of a run, with its mean.
#ifndef PBF_RENDER_CHART_H
#define PBF_RENDER_CHART_H

#include "core/result.h"

#include <stdint.h>

typedef struct ChartDef {
    uint32_t width, height;                           // pixels
    const char *title, *subtitle, *x_title, *y_title; // ASCII
    const char *unit;                                 // after the mean, as in "%"
    double mean;                                      // the straight line
    const double *values;                             // at 1, 2, ... count
    uint32_t count;                                   // >= 1
} ChartDef;

// Draws every value as a thin line, their running median as a thick one and the mean as a straight one with
// its number. The vertical axis holds zero and all but the few wildest values; those are clipped at its ends.
// rgb: width * height * 3 bytes, sRGB, top row first. Needs a current OpenGL context. Errors: RESULT_FAILED,
// RESULT_NO_MEMORY.
Result chart_draw(const ChartDef *def, uint8_t *rgb);

#endif
