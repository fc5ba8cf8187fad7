#include "render/gl_stream.h"

Result gl_stream_create(const char *vertex_name, const char *fragment_name, const GLint *sizes, GLuint count,
                        GLuint divisor, GlStream *out)
{
    *out = (GlStream){0};
    TRY(gl_program_create(vertex_name, fragment_name, &out->program));
    glGenBuffers(1, &out->buffer);
    glGenVertexArrays(1, &out->array);
    glBindVertexArray(out->array);
    glBindBuffer(GL_ARRAY_BUFFER, out->buffer);
    gl_float_attributes(sizes, count, divisor);
    Result result = gl_check(fragment_name);
    if (!result_is_ok(&result)) gl_stream_destroy(out);
    return result;
}

void gl_stream_destroy(GlStream *stream)
{
    gl_program_destroy(&stream->program);
    glDeleteBuffers(1, &stream->buffer);
    glDeleteVertexArrays(1, &stream->array);
    *stream = (GlStream){0};
}

void gl_stream_load(const GlStream *stream, const void *vertices, size_t bytes)
{
    glBindBuffer(GL_ARRAY_BUFFER, stream->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, vertices, GL_STREAM_DRAW);
}
