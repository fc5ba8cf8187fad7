// Shows a picture in a window, or in a part of another picture: by drawing, as a window that the driver has
// made multisampled takes no copies. Needs a current context.
#ifndef PBF_RENDER_SHOW_H
#define PBF_RENDER_SHOW_H

#include "render/framebuffer.h"
#include "render/gl_program.h"

// Zeroed before the first use.
typedef struct Show {
    GlProgram program;
    GLuint empty_array;
} Show;

// Draws the picture's first color over width x height pixels of a framebuffer (0: the window's), whose lower
// left corner is x, y, but for its part left of `from` (0..1). Pixels of the same size are copied as they
// are. Errors: RESULT_FAILED.
Result show_draw(Show *show, const Framebuffer *picture, float from, GLuint target, uint32_t x, uint32_t y,
                 uint32_t width, uint32_t height);
void show_destroy(Show *show); // a zeroed one is allowed

#endif
