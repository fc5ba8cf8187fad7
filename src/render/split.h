// A sheet that shows two pictures side by side, with a caption under each and the comparison's result between
// the captions.
#ifndef PBF_RENDER_SPLIT_H
#define PBF_RENDER_SPLIT_H

#include "core/result.h"
#include "render/render.h"

#include <stdbool.h>
#include <stdint.h>

#define SPLIT_ROWS_MAX 8
#define SPLIT_NOTES_MAX 4

// Groups of rows: the bars of a group share a scale and a color.
typedef enum SplitGroup { SPLIT_TIME, SPLIT_COUNT, SPLIT_MEMORY, SPLIT_GROUPS } SplitGroup;

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
    char headline[40], subject[40], subject2[40]; // between the captions
    char verdict[48];                             // under them, in the color of the mood
    SplitMood mood;
    char notes[SPLIT_NOTES_MAX][56]; // under that
} SplitText;

// Is a sheet of width x height pixels large enough for captions that can be read?
bool split_has_captions(uint32_t width, uint32_t height);

// The size of each of the two pictures on a sheet of width x height pixels: half its width, above the
// captions if there are any.
void split_picture_size(uint32_t width, uint32_t height, uint32_t *picture_width, uint32_t *picture_height);

typedef struct Split Split;

// Errors: RESULT_USAGE (a sheet of less than 2 x 2 pixels), RESULT_FAILED, RESULT_NO_MEMORY. Destroy with the
// same context current.
Result split_create(uint32_t width, uint32_t height, Split **out);
void split_destroy(Split *split); // NULL is allowed

// Puts the last drawn pictures of both renderers, which have the size of split_picture_size, on the sheet.
Result split_draw(Split *split, Renderer *left, Renderer *right, const SplitText *text);

// Shows the sheet in the framebuffer `target` (0: the window), over its lower left width x height pixels.
Result split_show(Split *split, unsigned target, uint32_t width, uint32_t height);

// Copies the sheet to rgb: width * height * 3 bytes, sRGB, top row first.
Result split_read(Split *split, uint8_t *rgb);

#endif
