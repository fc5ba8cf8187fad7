#include "render/line_set.h"

#include "core/memory.h"
#include "render/gl_program.h"
#include "render/gl_stream.h"

#include <math.h>

#define SHOW_ALL_GRAIN 1e9f // m

struct LineSet {
    GlStream stream; // of Line
    uint32_t count;
};

Result line_set_create(LineSet **out)
{
    *out = NULL;
    LineSet *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result = gl_stream_create("line.vert", "line.frag", (const GLint[]){3, 3, 1}, 3, 1, &self->stream);
    if (result_is_ok(&result))
        *out = self;
    else
        line_set_destroy(self);
    return result;
}

void line_set_destroy(LineSet *set)
{
    if (!set) return;
    gl_stream_destroy(&set->stream);
    memory_free(set);
}

Result line_set_load(LineSet *set, const Line *lines, uint32_t count)
{
    gl_stream_load(&set->stream, lines, count * sizeof *lines);
    set->count = count;
    return gl_check("lines");
}

Result line_set_draw(const LineSet *set, const LineScene *scene, const float srgb[3])
{
    const View *view = scene->view;
    float width = (float)scene->width, height = (float)scene->height;
    const GlProgram *program = &set->stream.program;
    if (set->count == 0) return result_ok();
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    gl_program_use(program);
    gl_set_mat4(program, U_view, view->view);
    gl_set_vec2(program, U_tangent, view->tan_x, view->tan_y);
    gl_set_vec2(program, U_viewport, width, height);
    gl_set_float(program, U_near, view->near);
    gl_set_vec2(program, U_depth_scale, view->projection[10], view->projection[14]);
    gl_set_float(program, U_half_width, fmaxf(0.55f, 0.62f * height / 720));
    gl_set_float(program, U_grain, fminf(scene->grain, SHOW_ALL_GRAIN));
    gl_set_int(program, U_samples, (int)scene->samples);
    gl_set_vec3(program, U_ink, vec3_make(srgb[0], srgb[1], srgb[2]));
    gl_set_texture(program, U_depth_map, 0, scene->geometry->depth);
    glBindVertexArray(set->stream.array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)set->count);
    glDisable(GL_BLEND);
    return gl_check("lines");
}
