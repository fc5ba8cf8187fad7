// Automatic range of the color map: percentiles of the field, robust against outliers, smoothed over
// simulated time so that colors do not flicker.
#ifndef PBF_RENDER_RANGE_H
#define PBF_RENDER_RANGE_H

#include "core/result.h"
#include "fluid/frame_view.h"

#include <stdbool.h>

typedef struct FieldRange {
    bool started;
    double time; // s, of the last frame taken in
    float lo, hi;
} FieldRange;

// Updates the range from a frame's values (view->count of them). Repeating a frame changes nothing; an
// earlier frame starts over. Error: RESULT_NO_MEMORY.
Result field_range_follow(FieldRange *range, const FrameView *view, FieldKey field, const float *values);

#endif
