// A current OpenGL 3.3 core context and nothing else. gl_egl.c makes one without a window or display.
#ifndef PBF_RENDER_GL_CONTEXT_H
#define PBF_RENDER_GL_CONTEXT_H

#include "core/result.h"

typedef struct GlContext GlContext;

// Makes a context without a display (EGL: surfaceless Mesa, then device platforms, then the default display),
// loads the functions and makes it current in this thread. Error: RESULT_FAILED, naming what was tried; *out
// is then NULL.
Result gl_context_open_headless(GlContext **out);
// Makes it current in this thread, or none, so that another thread can take it. Error: RESULT_FAILED.
Result gl_context_take(GlContext *context);
void gl_context_leave(GlContext *context);

void gl_context_close(GlContext *context); // NULL is allowed

#endif
