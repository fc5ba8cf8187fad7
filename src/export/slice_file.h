// Slices through water as drawings (SVG) and as geometry for ParaView (VTP).
#ifndef PBF_EXPORT_SLICE_FILE_H
#define PBF_EXPORT_SLICE_FILE_H

#include "surface/isoline.h"
#include "surface/slice.h"

// Lines along which the field has a value.
typedef struct SliceContour {
    Isolines lines;
    float level;
    uint8_t rgb[3]; // sRGB
} SliceContour;

typedef struct SliceDrawing {
    const Slice *slice; // not empty
    Isolines border;    // of the water
    SliceContour *contours;
    uint32_t contour_count;
    const char *title; // one line, ASCII
} SliceDrawing;

// The border, filled, and the contours in their colors, with a legend and a bar of a round number of meters.
// Errors (both): RESULT_FAILED naming the path, RESULT_NO_MEMORY.
Result export_slice_svg(const char *path, const SliceDrawing *drawing);

// Border and contours as lines and the grid, where there is water, as squares, all where they are in space.
// Points carry "fraction" and "value", cells "kind": 0 grid, 1 border, 2 contour.
Result export_slice_vtp(const char *path, const SliceDrawing *drawing);

#endif
