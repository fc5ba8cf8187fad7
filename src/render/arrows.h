// Arrows of the water's motion: the mean velocity of the particles in each cube of a few spacings, as lines
// in space.
#ifndef PBF_RENDER_ARROWS_H
#define PBF_RENDER_ARROWS_H

#include "core/sort.h"
#include "fluid/frame_view.h"
#include "render/line_set.h"
#include "render/render.h"

enum { ARROW_LINES = 5 }; // the shaft, from tail to tip, then four barbs from the tip

// Zeroed: shows nothing.
typedef struct Arrows {
    SortBuffers sort;
    Line *lines;
    size_t capacity;
    uint32_t count;      // of arrows
    float top;           // m/s, of the longest one
    bool shown;          // the renderer has them
    uint64_t content_id; // of the view whose arrows these are, 0 if unknown
} Arrows;

void arrows_free(Arrows *arrows);

// Makes the lines of a frame: an arrow begins at its particles' mean place, the fastest one is as long as a
// cube's edge, others are in proportion; none where the water all but rests. Error: RESULT_NO_MEMORY.
Result arrows_make(Arrows *arrows, const FrameView *view);

// Edge of the cubes, m.
float arrows_cube(const FrameView *view);

// Gives the frame's arrows to the renderer (the same one in every call) for its next frames, or takes them
// away. Errors: that of arrows_make, those of renderer_set_arrows.
Result arrows_show(Arrows *arrows, bool shown, const FrameView *view, Renderer *renderer);

#endif
