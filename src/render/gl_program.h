// Compiles shaders; also the OpenGL helpers that all drawing files share. Needs a current context.
#ifndef PBF_RENDER_GL_PROGRAM_H
#define PBF_RENDER_GL_PROGRAM_H

#include "core/result.h"
#include "core/vec3.h"
#include "render/gl_uniforms.h"

#include <GL/glew.h>

#include <stdbool.h>

// A program and the locations of its uniforms, looked up once when it is linked. Zeroed: none.
typedef struct GlProgram {
    GLuint name;
    const char *file; // of its fragment shader
    GLint location[GL_UNIFORM_COUNT];
} GlProgram;

// Makes a program from two files of shaders/. Lines `#include "name"` in shaders are replaced by the file of
// that name. *out is zeroed on failure. Error: RESULT_FAILED with the driver's first complaint.
Result gl_program_create(const char *vertex_name, const char *fragment_name, GlProgram *out);
void gl_program_destroy(GlProgram *program); // a zeroed one is allowed

void gl_program_use(const GlProgram *program);

// Does one of the program's shaders declare the uniform?
bool gl_program_declares(const GlProgram *program, GlUniform uniform);

// Set uniforms of the program in use, which must declare them; those the compiler has removed are ignored.
void gl_set_int(const GlProgram *program, GlUniform uniform, int value);
void gl_set_ivec2(const GlProgram *program, GlUniform uniform, int x, int y);
void gl_set_float(const GlProgram *program, GlUniform uniform, float value);
void gl_set_vec2(const GlProgram *program, GlUniform uniform, float x, float y);
void gl_set_vec3(const GlProgram *program, GlUniform uniform, Vec3 value);
void gl_set_vec4(const GlProgram *program, GlUniform uniform, float x, float y, float z, float w);
void gl_set_mat4(const GlProgram *program, GlUniform uniform, const float *column_major); // 16

// Binds a texture to a unit and points the sampler at it.
void gl_set_texture(const GlProgram *program, GlUniform uniform, int unit, GLuint texture);

// Attributes 0, 1, .. of the bound array, read from the bound buffer: floats, sizes[k] of them each, one
// attribute after the other in every vertex. divisor: 0 for one set a vertex, 1 for one an instance.
void gl_float_attributes(const GLint *sizes, GLuint count, GLuint divisor);

// Sets the state that every drawing function here starts from, whatever another user of the context left:
// no blending, culling, scissors or stencil, depth tested and written, bytes packed without gaps.
void gl_begin(void);
// Unbinds everything.
void gl_end(void);

// RESULT_FAILED naming `what` if OpenGL has recorded an error since the last call.
Result gl_check(const char *what);

#endif
