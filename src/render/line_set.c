#include "render/line_set.h"

#include "core/memory.h"
#include "render/gl_program.h"

#include <math.h>

#define SHOW_ALL_GRAIN 1e9f // m

struct LineSet {
    GLuint program, array, buffer;
    uint32_t count;
};

Result line_set_create(LineSet **out)
{
    *out = NULL;
    LineSet *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result = gl_program_create("line.vert", "line.frag", &self->program);
    if (!result_is_ok(&result)) {
        line_set_destroy(self);
        return result;
    }
    glGenBuffers(1, &self->buffer);
    glGenVertexArrays(1, &self->array);
    glBindVertexArray(self->array);
    glBindBuffer(GL_ARRAY_BUFFER, self->buffer);
    gl_float_attributes((const GLint[]){3, 3, 1}, 3, 1); // of Line
    *out = self;
    return gl_check("lines");
}

void line_set_destroy(LineSet *set)
{
    if (!set) return;
    glDeleteProgram(set->program);
    glDeleteBuffers(1, &set->buffer);
    glDeleteVertexArrays(1, &set->array);
    memory_free(set);
}

Result line_set_load(LineSet *set, const Line *lines, uint32_t count)
{
    glBindBuffer(GL_ARRAY_BUFFER, set->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *lines), lines, GL_STREAM_DRAW);
    set->count = count;
    return gl_check("lines");
}

Result line_set_draw(const LineSet *set, const LineScene *scene, const float srgb[3])
{
    const View *view = scene->view;
    float width = (float)scene->width, height = (float)scene->height;
    if (set->count == 0) return result_ok();
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glUseProgram(set->program);
    gl_set_mat4(set->program, "view", view->view);
    gl_set_vec2(set->program, "tangent", view->tan_x, view->tan_y);
    gl_set_vec2(set->program, "viewport", width, height);
    gl_set_float(set->program, "near", view->near);
    gl_set_vec2(set->program, "depth_scale", view->projection[10], view->projection[14]);
    gl_set_float(set->program, "half_width", fmaxf(0.55f, 0.62f * height / 720));
    gl_set_float(set->program, "grain", fminf(scene->grain, SHOW_ALL_GRAIN));
    gl_set_int(set->program, "samples", (int)scene->samples);
    gl_set_vec3(set->program, "ink", vec3_make(srgb[0], srgb[1], srgb[2]));
    gl_set_texture(set->program, "depth_map", 0, scene->geometry->depth);
    glBindVertexArray(set->array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)set->count);
    glDisable(GL_BLEND);
    return gl_check("lines");
}
