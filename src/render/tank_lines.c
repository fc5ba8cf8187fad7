#include "render/tank_lines.h"

#include "core/memory.h"
#include "render/gl_program.h"

#include <math.h>
#include <stddef.h>

enum { EDGES = 12 };

typedef struct Line {
    Vec3 from, to;
    float opacity;
} Line;

struct TankLines {
    GLuint program, array, buffer;
};

Result tank_lines_create(TankLines **out)
{
    *out = NULL;
    TankLines *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result = gl_program_create("line.vert", "line.frag", &self->program);
    if (!result_is_ok(&result)) {
        tank_lines_destroy(self);
        return result;
    }
    glGenBuffers(1, &self->buffer);
    glGenVertexArrays(1, &self->array);
    glBindVertexArray(self->array);
    glBindBuffer(GL_ARRAY_BUFFER, self->buffer);
    static const size_t offsets[3] = {offsetof(Line, from), offsetof(Line, to), offsetof(Line, opacity)};
    for (GLuint k = 0; k < 3; k++) {
        glEnableVertexAttribArray(k);
        glVertexAttribPointer(k, k < 2 ? 3 : 1, GL_FLOAT, GL_FALSE, sizeof(Line), (const void *)offsets[k]);
        glVertexAttribDivisor(k, 1);
    }
    *out = self;
    return gl_check("the tank's lines");
}

void tank_lines_destroy(TankLines *lines)
{
    if (!lines) return;
    glDeleteProgram(lines->program);
    glDeleteBuffers(1, &lines->buffer);
    glDeleteVertexArrays(1, &lines->array);
    memory_free(lines);
}

// Is the outer side of the tank's wall on `side` of the axis turned to the eye?
static bool faces_eye(float eye, float size, int side)
{
    return side ? eye > size : eye < 0;
}

// The edges along `axis`; the corner bits a and b say on which sides of the next two axes an edge lies.
static Line edge(const float size[3], const float eye[3], int axis, int a, int b)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    float from[3], to[3];
    from[axis] = 0;
    to[axis] = size[axis];
    from[u] = to[u] = a ? size[u] : 0;
    from[v] = to[v] = b ? size[v] : 0;
    int facing = faces_eye(eye[u], size[u], a) + faces_eye(eye[v], size[v], b);
    static const float opacity[3] = {0.42f, 0.55f, 0.30f}; // behind, outline, in front
    return (Line){vec3_make(from[0], from[1], from[2]), vec3_make(to[0], to[1], to[2]), opacity[facing]};
}

Result tank_lines_draw(TankLines *lines, const TankDef *tank, const View *view, float grain,
                       const Framebuffer *geometry, uint32_t samples)
{
    const float size[3] = {tank->size.x, tank->size.y, tank->size.z},
                eye[3] = {view->eye.x, view->eye.y, view->eye.z};
    Line all[EDGES];
    for (int k = 0; k < EDGES; k++) all[k] = edge(size, eye, k / 4, k & 1, k >> 1 & 1);
    glBindBuffer(GL_ARRAY_BUFFER, lines->buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof all, all, GL_STREAM_DRAW);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    float width = (float)geometry->width / (float)samples, height = (float)geometry->height / (float)samples;
    glUseProgram(lines->program);
    gl_set_mat4(lines->program, "view", view->view);
    gl_set_vec2(lines->program, "tangent", view->tan_x, view->tan_y);
    gl_set_vec2(lines->program, "viewport", width, height);
    gl_set_float(lines->program, "near", view->near);
    gl_set_vec2(lines->program, "depth_scale", view->projection[10], view->projection[14]);
    gl_set_float(lines->program, "half_width", fmaxf(0.55f, 0.62f * height / 720));
    gl_set_float(lines->program, "grain", grain);
    gl_set_int(lines->program, "samples", (int)samples);
    gl_set_texture(lines->program, "depth_map", 0, geometry->depth);
    glBindVertexArray(lines->array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, EDGES);
    glDisable(GL_BLEND);
    return gl_check("the tank's lines");
}
