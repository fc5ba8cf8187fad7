// A part of a frame's particles, as a frame of its own.
#ifndef PBF_VIEWER_VIEW_ROWS_H
#define PBF_VIEWER_VIEW_ROWS_H

#include "core/result.h"
#include "fluid/frame_view.h"

#include <stddef.h>
#include <stdint.h>

// Memory that is kept from call to call; zero-initialise, free with view_rows_free.
typedef struct ViewRows {
    void *streams;
    size_t capacity; // particles
    uint8_t *keep;
    size_t keep_capacity;
} ViewRows;

// A mark for each of count particles, to be filled by the caller. Errors: RESULT_NO_MEMORY.
Result view_rows_marks(ViewRows *rows, uint32_t count, uint8_t **keep);

// Leaves in the view the particles whose marks are 1, in their order. Its streams are then those of rows and
// stay valid until the next call. Errors: RESULT_NO_MEMORY.
Result view_rows_take(ViewRows *rows, FrameView *view);

// Leaves about one particle in `of` (>= 1): the same ones in every frame of a fluid. They are drawn larger
// for it: the spacing of the view grows so that they fill the same volume. Errors: RESULT_NO_MEMORY.
Result view_rows_thin(ViewRows *rows, double of, FrameView *view);

void view_rows_free(ViewRows *rows);

#endif
