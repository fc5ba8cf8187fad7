// The range of numbers that colors cover when it follows the frame: robust against single wild particles,
// and smoothed over simulated time so that colors do not flicker.
#ifndef PBF_RENDER_RANGE_H
#define PBF_RENDER_RANGE_H

#include "fluid/frame_view.h"

#include <stdbool.h>

typedef struct FieldRange {
    bool started;
    double time; // s, of the last frame taken in
    float lo, hi;
} FieldRange;

// Takes in a frame's values (view->count of them). The same frame twice changes nothing; a frame from before
// the last starts over.
void field_range_follow(FieldRange *range, const FrameView *view, FieldKey field, const float *values);

#endif
