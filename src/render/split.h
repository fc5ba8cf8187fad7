// A sheet that shows two pictures side by side, with a caption under each and the comparison's result between
// the captions.
#ifndef PBF_RENDER_SPLIT_H
#define PBF_RENDER_SPLIT_H

#include "core/result.h"
#include "render/overlay.h"
#include "render/render.h"

#include <stdbool.h>
#include <stdint.h>

#define SPLIT_ROWS_MAX 10
#define SPLIT_NOTES_MAX 4

// Groups of rows: the bars of a group share a scale and a color; each row of quality has a scale of its own.
typedef enum SplitGroup { SPLIT_TIME, SPLIT_COUNT, SPLIT_MEMORY, SPLIT_QUALITY, SPLIT_GROUPS } SplitGroup;

typedef enum SplitMood { SPLIT_BAD, SPLIT_GOOD, SPLIT_PLAIN } SplitMood; // red, green, the text's

typedef struct SplitRow {
    const char *name;
    char value[2][32]; // of the left and the right side
    double amount[2];  // lengths of their bars, in any unit
    SplitGroup group;
} SplitRow;

// ASCII texts; text too long for its place is written smaller. Empty ones take no space.
typedef struct SplitText {
    const char *title[2];
    SplitRow rows[SPLIT_ROWS_MAX];
    uint32_t row_count;
    char headline[40], subjects[3][56]; // between the captions
    char verdict[48];                   // under them, in the color of the mood
    SplitMood mood;
    char notes[SPLIT_NOTES_MAX][56]; // under that
} SplitText;

// How two pictures share a sheet.
typedef enum SplitView {
    SPLIT_BESIDE,     // beside each other
    SPLIT_WIPE,       // in one place: the left one up to a line, the right one from there on
    SPLIT_DIFFERENCE, // the left one alone, in the colors of how far the sides are apart
    SPLIT_VIEW_COUNT
} SplitView;
const char *split_view_name(SplitView view);

// Is a sheet of width x height pixels large enough for captions that can be read?
bool split_has_captions(uint32_t width, uint32_t height);

// The size of each of the two pictures on a sheet of width x height pixels: half its width, or all of it
// where they are in one place, above the captions if there are any.
void split_picture_size(SplitView view, uint32_t width, uint32_t height, uint32_t *picture_width,
                        uint32_t *picture_height);

typedef struct Split Split;

// Errors: RESULT_USAGE (a sheet of less than 2 x 2 pixels), RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the
// same context current.
Result split_create(uint32_t width, uint32_t height, Split **out);
void split_destroy(Split *split); // NULL is allowed

// What captions are drawn with, in px from the sheet's lower left corner.
typedef struct CaptionPen {
    float (*width)(float capitals, const char *text, void *context); // px of text with capitals that high
    // ASCII text that starts at x on the baseline y; "^3" raises a digit.
    Result (*write)(float x, float y, float capitals, const char *text, Ink ink, void *context);
    Result (*fill)(float x0, float y0, float x1, float y1, float corner, Ink ink, void *context);
    void *context;
} CaptionPen;

// Draws the captions of a sheet of width x height pixels that has some. Errors: the pen's.
Result split_captions(const SplitText *text, uint32_t width, uint32_t height, const CaptionPen *pen);

// Puts the last drawn pictures of both renderers, which have the size of split_picture_size, on the sheet,
// and the captions; NULL: room for them. line: where a wipe's is, as a share of the width.
Result split_draw(Split *split, SplitView view, float line, Renderer *left, Renderer *right,
                  const SplitText *text);

// Shows the sheet in the framebuffer `target` (0: the window), over width x height pixels from (x, y) at its
// lower left on.
Result split_show(Split *split, unsigned target, uint32_t x, uint32_t y, uint32_t width, uint32_t height);

// Copies the sheet to rgb: width * height * 3 bytes, sRGB, top row first.
Result split_read(Split *split, uint8_t *rgb);

#endif
