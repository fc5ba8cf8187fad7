// A slice through water as a picture: the field in colors, its contours, the water's border and a scale.
// Drawn by the processor: needs no OpenGL.
#ifndef PBF_RENDER_SLICE_PICTURE_H
#define PBF_RENDER_SLICE_PICTURE_H

#include "core/result.h"
#include "render/colormap.h"
#include "surface/slice.h"

typedef struct SlicePictureDef {
    const Slice *slice; // not empty
    double tick;        // between contours, in units of the field; 0: no contours
    const char *title;  // one line, ASCII
    ColorMap colors;    // of a sheet
} SlicePictureDef;

// Pixels of the picture: whole ones a cell, so that it is about 1400 wide, and room for the scale.
void slice_picture_size(const Slice *slice, uint32_t *width, uint32_t *height);

// rgb: width * height * 3 bytes, sRGB, top row first.
void slice_picture_draw(const SlicePictureDef *def, uint8_t *rgb);

// The same without title, scale and margins, for a sheet in space: rgba: ((columns - 1) * pixels) * ((rows -
// 1)
// * pixels) * 4 bytes, sRGB, top row first, transparent outside of the water.
void slice_sheet_draw(const SlicePictureDef *def, uint32_t pixels, uint8_t *rgba);

#endif
