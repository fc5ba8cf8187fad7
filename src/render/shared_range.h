// One range of colors for two frames that are looked at side by side: the same colors mean the same on
// both, and neither side's numbers lie outside.
#ifndef PBF_RENDER_SHARED_RANGE_H
#define PBF_RENDER_SHARED_RANGE_H

#include "core/result.h"
#include "render/range.h"

#include <stddef.h>

// Zero-initialise; free with shared_range_free.
typedef struct SharedRange {
    FieldRange side[2];
    FieldKey field;
    float *values;
    size_t capacity;
} SharedRange;

// Takes in a frame of each side, as field_range_follow does, and tells the range that holds both sides'.
// Another field than the last time starts over. Error: RESULT_NO_MEMORY.
Result shared_range_follow(SharedRange *range, const FrameView *left, const FrameView *right, FieldKey field,
                           float *lo, float *hi);

void shared_range_free(SharedRange *range);

#endif
