// A stroke font: every glyph is a few lines and arcs, drawn as round-ended strokes, so text is crisp at any
// size.
#ifndef PBF_RENDER_FONT_H
#define PBF_RENDER_FONT_H

// Font units: capitals are 10 high, small letters 7; descenders reach 3 below the baseline.
static const float FONT_CAP_HEIGHT = 10;

typedef void FontStroke(float x0, float y0, float x1, float y1, void *context);

// Walks through the strokes of a line of ASCII text that starts at (0, 0) on the baseline, y up; "^2" raises
// a character. Unknown characters show as a box. Returns the width. stroke may be NULL: only measure.
float font_write(const char *text, FontStroke *stroke, void *context);

#endif
