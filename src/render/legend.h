// What a picture's numbers mean: the color bar with its range, field and unit, and a time stamp.
#ifndef PBF_RENDER_LEGEND_H
#define PBF_RENDER_LEGEND_H

#include "fluid/frame_view.h"
#include "render/overlay.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct LegendInfo {
    bool has_field; // else there are no colors to explain, only time and particles
    FieldKey field;
    float lo, hi;
    double time; // s
    uint32_t particles;
} LegendInfo;

// Adds the legend to the lower left corner of a picture, sized to it; nothing where the picture is too small
// to read.
Result legend_add(Overlay *overlay, const LegendInfo *info, uint32_t width, uint32_t height);

// A number as short as its neighbours on the scale allow: `span` is the scale's length.
void legend_number(char *text, size_t size, float value, float span);

// A count with its thousands apart: "1,277,760".
void legend_count(char *text, size_t size, uint64_t count);

#endif
