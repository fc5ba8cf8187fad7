// Calls of OpenGL. They happen on a thread that lives for one call, so that contexts of the host's threads
// stay as they are, and one call at a time: the functions of OpenGL are loaded once for the process.
#ifndef PBF_LIBRARY_DRAWING_H
#define PBF_LIBRARY_DRAWING_H

#include "library/handles.h"
#include "render/gl_context.h"

typedef Result DrawingErrand(void *drawing, const void *order);

// Runs an errand in a GL context, which is made if there is none, and in the library's context. An errand may
// close it. Errors: those of gl_context_open_headless and of the errand; RESULT_FAILED without a thread.
Result drawing_run(const pbf_context *context, GlContext **gl, DrawingErrand *run, void *drawing,
                   const void *order);

// Checks that rows of four bytes a pixel, `row_bytes` apart, fit into `bytes`; 0 is made "without gaps".
// Error: RESULT_USAGE.
Result drawing_check_room(uint32_t width, uint32_t height, size_t bytes, size_t *row_bytes);

// Copies pixels of three bytes to such rows.
void drawing_copy_out(const uint8_t *rgb, uint32_t width, uint32_t height, uint8_t *rgba, size_t row_bytes);

#endif
