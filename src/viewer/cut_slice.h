// A slice through the water in the window's cut: a field in colors, its isolines and the water's border.
#ifndef PBF_VIEWER_CUT_SLICE_H
#define PBF_VIEWER_CUT_SLICE_H

#include "render/render.h"
#include "surface/slice.h"
#include "viewer/clip.h"

// Of one side of the window; keeps its memory. Zero-initialize, free with cut_slice_free.
typedef struct CutSlice {
    uint8_t *rgba;
    size_t capacity;
    uint64_t shown;    // of what: a number, 0: nothing
    float least, most; // of the field
    double tick;       // between isolines; 0: none
} CutSlice;

// Fields by number; the first is none.
const char *cut_slice_name(uint32_t k, const void *context);

// What is asked for.
typedef struct CutSliceWish {
    uint32_t choice;        // number of a field
    const ClipPlane *plane; // where the water is cut
    ColorMap colors;
    float lo, hi;    // their range; none if lo is not below hi: that of the slice
    uint64_t number; // which frame it is
} CutSliceWish;

// The same field as that of the particles has their range.
bool cut_slice_is_field(uint32_t choice, FieldKey field);

// Gives the renderer the slice of a frame where the plane cuts it, unless it has that already. Errors:
// RESULT_NO_MEMORY, RESULT_FAILED.
Result cut_slice_show(CutSlice *slice, const CutSliceWish *wish, const FrameView *view, Renderer *renderer);

void cut_slice_free(CutSlice *slice);

#endif
