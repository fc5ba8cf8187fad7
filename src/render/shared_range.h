// One color range for two frames side by side, which contains the range of each.
#ifndef PBF_RENDER_SHARED_RANGE_H
#define PBF_RENDER_SHARED_RANGE_H

#include "core/result.h"
#include "render/range.h"

#include <stddef.h>

// Zero-initialize; free with shared_range_free.
typedef struct SharedRange {
    FieldRange side[2];
    FieldKey field;
    float *values;
    size_t capacity;
} SharedRange;

// Updates with a frame of each side, as field_range_follow does, and returns the range that contains both.
// Another field than before starts over. Error: RESULT_NO_MEMORY.
Result shared_range_follow(SharedRange *range, const FrameView *left, const FrameView *right, FieldKey field,
                           float *lo, float *hi);

void shared_range_free(SharedRange *range);

#endif
