// The legend: a color bar with range, field and unit, and a time stamp.
#ifndef PBF_RENDER_LEGEND_H
#define PBF_RENDER_LEGEND_H

#include "fluid/frame_view.h"
#include "render/overlay.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct LegendInfo {
    bool has_field; // without colors to explain, only time and particle count are shown
    FieldKey field;
    float lo, hi;
    double time; // s
    uint32_t particles;
} LegendInfo;

// Smaller pictures have no legend: it could not be read.
#define LEGEND_LEAST_WIDTH 216
#define LEGEND_LEAST_HEIGHT 324

// Adds the legend to the lower left corner of a picture, sized to it; nothing where the picture is smaller.
Result legend_add(Overlay *overlay, const LegendInfo *info, uint32_t width, uint32_t height);

// Formats a number with as few digits as tell it from its neighbors on a scale of length `span`.
void legend_number(char *text, size_t size, float value, float span);

// The unit that a field's colors are explained in: its own, or "%" of pure numbers that are read so. *scale
// (may be NULL): what values are multiplied by.
const char *legend_unit(FieldKey field, float *scale);

// Formats a count with thousands separators: "1,277,760".
void legend_count(char *text, size_t size, uint64_t count);

#endif
