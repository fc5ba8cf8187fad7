#include "render/gl_program.h"

#include "core/memory.h"
#include "render/shader_source.h"

#include <stdio.h>
#include <string.h>

// Location of a uniform that no shader of the program declares.
enum { LOCATION_UNDECLARED = -2 }; // -1 is OpenGL's: declared, and dropped by the compiler

static const char *const uniform_names[] = {
#define GL_UNIFORM_NAME(name) #name,
    GL_UNIFORMS(GL_UNIFORM_NAME)
#undef GL_UNIFORM_NAME
};

enum {
    MAX_PIECES = 16,
    GL_UNITS = 16, // texture units, as many as every driver has
};

// A shader cut at its include lines, as pieces for glShaderSource.
typedef struct Pieces {
    const char *text[MAX_PIECES];
    GLint length[MAX_PIECES];
    int count;
} Pieces;

static void add_piece(Pieces *pieces, const char *text, size_t length)
{
    CHECK(pieces->count < MAX_PIECES);
    pieces->text[pieces->count] = text;
    pieces->length[pieces->count++] = (GLint)length;
}

static void cut_at_includes(Pieces *pieces, const char *source)
{
    static const char directive[] = "#include \"";
    const char *found;
    while ((found = strstr(source, directive))) {
        add_piece(pieces, source, (size_t)(found - source));
        const char *name = found + sizeof directive - 1;
        size_t length = strcspn(name, "\"");
        char file[64];
        snprintf(file, sizeof file, "%.*s", (int)length, name);
        const char *included = shader_source(file);
        CHECK(included);
        add_piece(pieces, included, strlen(included));
        source = name + length + 1;
    }
    add_piece(pieces, source, strlen(source));
}

// The driver's log may have many lines; the first one matters.
static Result log_error(const char *what, char *log)
{
    log[strcspn(log, "\n")] = 0;
    return result_error(RESULT_FAILED, "OpenGL: %s: %s", what, log[0] ? log : "rejected by the driver");
}

static Pieces pieces_of(const char *name)
{
    const char *source = shader_source(name);
    CHECK(source);
    Pieces pieces = {.count = 0};
    cut_at_includes(&pieces, source);
    return pieces;
}

static Result compile(GLenum stage, const char *name, GLuint *out)
{
    Pieces pieces = pieces_of(name);
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, pieces.count, pieces.text, pieces.length);
    glCompileShader(shader);
    GLint compiled = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (!compiled) {
        char log[512] = "";
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        glDeleteShader(shader);
        return log_error(name, log);
    }
    *out = shader;
    return result_ok();
}

// Our own mistake: shaders and the code that sets their uniforms disagree.
_Noreturn static void fail(const char *what, const char *uniform, const char *file)
{
    char text[160];
    snprintf(text, sizeof text, "%s uniform %s of %s", what, uniform, file);
    check_failed(text, __FILE__, __LINE__);
}

static void locate(GlProgram *program, const char *name)
{
    for (int k = 0; k < GL_UNIFORM_COUNT; k++) {
        if (strcmp(name, uniform_names[k]) != 0) continue;
        program->location[k] = glGetUniformLocation(program->name, name);
        return;
    }
    fail("gl_uniforms.h lists", name, program->file);
}

// Finds the lines `uniform TYPE NAME;` of a shader; members of uniform blocks have no location.
static void locate_declared(GlProgram *program, const char *shader_name)
{
    Pieces pieces = pieces_of(shader_name);
    for (int k = 0; k < pieces.count; k++) {
        const char *end = pieces.text[k] + pieces.length[k];
        for (const char *line = pieces.text[k]; line < end; line += strcspn(line, "\n") + 1) {
            char name[64];
            if (strncmp(line, "uniform ", 8) == 0 && sscanf(line, "uniform %*s %63[a-z_0-9]", name) == 1)
                locate(program, name);
        }
    }
}

Result gl_program_create(const char *vertex_name, const char *fragment_name, GlProgram *out)
{
    *out = (GlProgram){0};
    GLuint vertex = 0, fragment = 0;
    TRY(compile(GL_VERTEX_SHADER, vertex_name, &vertex));
    Result result = compile(GL_FRAGMENT_SHADER, fragment_name, &fragment);
    if (!result_is_ok(&result)) {
        glDeleteShader(vertex);
        return result;
    }
    GLuint program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    GLint linked = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked) {
        char log[512] = "";
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        glDeleteProgram(program);
        return log_error(fragment_name, log);
    }
    *out = (GlProgram){.name = program, .file = fragment_name};
    for (int k = 0; k < GL_UNIFORM_COUNT; k++) out->location[k] = LOCATION_UNDECLARED;
    locate_declared(out, vertex_name);
    locate_declared(out, fragment_name);
    return result_ok();
}

void gl_program_destroy(GlProgram *program)
{
    glDeleteProgram(program->name);
    *program = (GlProgram){0};
}

void gl_program_use(const GlProgram *program)
{
    glUseProgram(program->name);
}

bool gl_program_declares(const GlProgram *program, GlUniform uniform)
{
    return program->location[uniform] != LOCATION_UNDECLARED;
}

static GLint location_of(const GlProgram *program, GlUniform uniform)
{
    GLint location = program->location[uniform];
    if (location == LOCATION_UNDECLARED) fail("the shaders declare", uniform_names[uniform], program->file);
    return location;
}

void gl_set_int(const GlProgram *program, GlUniform uniform, int value)
{
    glUniform1i(location_of(program, uniform), value);
}

void gl_set_ivec2(const GlProgram *program, GlUniform uniform, int x, int y)
{
    glUniform2i(location_of(program, uniform), x, y);
}

void gl_set_float(const GlProgram *program, GlUniform uniform, float value)
{
    glUniform1f(location_of(program, uniform), value);
}

void gl_set_vec2(const GlProgram *program, GlUniform uniform, float x, float y)
{
    glUniform2f(location_of(program, uniform), x, y);
}

void gl_set_vec3(const GlProgram *program, GlUniform uniform, Vec3 value)
{
    glUniform3f(location_of(program, uniform), value.x, value.y, value.z);
}

void gl_set_vec4(const GlProgram *program, GlUniform uniform, float x, float y, float z, float w)
{
    glUniform4f(location_of(program, uniform), x, y, z, w);
}

void gl_set_mat4(const GlProgram *program, GlUniform uniform, const float *column_major)
{
    glUniformMatrix4fv(location_of(program, uniform), 1, GL_FALSE, column_major);
}

void gl_set_texture(const GlProgram *program, GlUniform uniform, int unit, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(GL_TEXTURE_2D, texture);
    gl_set_int(program, uniform, unit);
}

void gl_float_attributes(const GLint *sizes, GLuint count, GLuint divisor)
{
    GLsizei stride = 0;
    for (GLuint k = 0; k < count; k++) stride += sizes[k] * (GLsizei)sizeof(float);
    size_t offset = 0;
    for (GLuint k = 0; k < count; k++) {
        glEnableVertexAttribArray(k);
        glVertexAttribPointer(k, sizes[k], GL_FLOAT, GL_FALSE, stride, (const void *)offset);
        glVertexAttribDivisor(k, divisor);
        offset += (size_t)sizes[k] * sizeof(float);
    }
}

void gl_begin(void)
{
    static const GLenum off[] = {GL_BLEND,        GL_CULL_FACE,           GL_SCISSOR_TEST,
                                 GL_STENCIL_TEST, GL_POLYGON_OFFSET_FILL, GL_FRAMEBUFFER_SRGB,
                                 GL_DEPTH_CLAMP,  GL_PRIMITIVE_RESTART,   GL_RASTERIZER_DISCARD,
                                 GL_MULTISAMPLE,  GL_COLOR_LOGIC_OP};
    for (size_t k = 0; k < sizeof off / sizeof *off; k++) glDisable(off[k]);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glDepthFunc(GL_LESS);
    glDepthMask(GL_TRUE);
    glDepthRange(0, 1);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glFrontFace(GL_CCW);
    glBlendEquation(GL_FUNC_ADD);
    glClearColor(0, 0, 0, 0);
    glClearDepth(1);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    static const GLenum whole[] = {GL_PACK_ROW_LENGTH,   GL_PACK_SKIP_PIXELS,   GL_PACK_SKIP_ROWS,
                                   GL_UNPACK_ROW_LENGTH, GL_UNPACK_SKIP_PIXELS, GL_UNPACK_SKIP_ROWS};
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) glPixelStorei(whole[k], 0);
    for (GLuint unit = 0; unit < GL_UNITS; unit++) glBindSampler(unit, 0);
}

void gl_end(void)
{
    glUseProgram(0);
    glBindVertexArray(0);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    for (GLuint unit = GL_UNITS; unit-- > 0;) {
        glActiveTexture(GL_TEXTURE0 + unit);
        glBindTexture(GL_TEXTURE_2D, 0);
    }
}

Result gl_check(const char *what)
{
    GLenum error = glGetError();
    if (error == GL_NO_ERROR) return result_ok();
    while (glGetError() != GL_NO_ERROR) {
    }
    if (error == GL_OUT_OF_MEMORY)
        return result_error(RESULT_NO_MEMORY, "OpenGL: out of memory for %s", what);
    return result_error(RESULT_FAILED, "OpenGL: error 0x%04x in %s", error, what);
}
