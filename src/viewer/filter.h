// Only the particles whose field is between two values.
#ifndef PBF_VIEWER_FILTER_H
#define PBF_VIEWER_FILTER_H

#include "viewer/clip.h"

typedef struct Filter {
    bool on;
    FieldKey field;
    float lo, hi;
} Filter;

// Memory that is kept from call to call; zero-initialize, free with filter_rows_free.
typedef struct FilterRows {
    ViewRows rows;
    float *values;
    size_t capacity;
} FilterRows;

// Keeps these particles of the view, whose streams are then those of rows and stay valid until the next call;
// nothing happens where the filter is off. Errors: RESULT_NO_MEMORY.
Result filter_apply(FilterRows *rows, const Filter *filter, FrameView *view);
void filter_rows_free(FilterRows *rows);

#endif
