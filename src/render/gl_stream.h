// A vertex buffer that is refilled for every picture, and the program that draws it. Needs a current context.
#ifndef PBF_RENDER_GL_STREAM_H
#define PBF_RENDER_GL_STREAM_H

#include "render/gl_program.h"

#include <stddef.h>

// Zeroed: none.
typedef struct GlStream {
    GlProgram program;
    GLuint array, buffer;
} GlStream;

// The files as for gl_program_create, the attributes as for gl_float_attributes. Errors: RESULT_FAILED,
// RESULT_NO_MEMORY; *out is then zeroed.
Result gl_stream_create(const char *vertex_name, const char *fragment_name, const GLint *sizes, GLuint count,
                        GLuint divisor, GlStream *out);
void gl_stream_destroy(GlStream *stream); // a zeroed one is allowed

// Replaces the vertices with `bytes` bytes of new ones.
void gl_stream_load(const GlStream *stream, const void *vertices, size_t bytes);

#endif
