// Flat shapes on top of a picture, in pixels from its lower left corner: strokes, rounded boxes, text, a
// color bar.
#ifndef PBF_RENDER_OVERLAY_H
#define PBF_RENDER_OVERLAY_H

#include "core/result.h"

#include <stdint.h>

typedef struct Overlay Overlay;

// An sRGB color and its opacity.
typedef struct Ink {
    float r, g, b, alpha;
} Ink;

// Errors: RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the same context current.
Result overlay_create(Overlay **out);
void overlay_destroy(Overlay *overlay); // NULL is allowed

// Collect shapes, drawn in this order. Errors: RESULT_NO_MEMORY.
Result overlay_add_box(Overlay *overlay, float x0, float y0, float x1, float y1, float corner, Ink ink);
// A line with round ends.
Result overlay_add_stroke(Overlay *overlay, float x0, float y0, float x1, float y1, float width, Ink ink);
// A box filled with the color map, lowest value left.
Result overlay_add_color_bar(Overlay *overlay, float x0, float y0, float x1, float y1, float corner);
// unit: pixels per font unit. Text starts at x on the baseline y.
Result overlay_add_text(Overlay *overlay, float x, float y, float unit, const char *text, Ink ink);

// Draws the collected shapes into the bound picture and clears them.
Result overlay_draw(Overlay *overlay, uint32_t width, uint32_t height, unsigned colormap);

#endif
