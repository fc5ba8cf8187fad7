#include "render/show.h"

#include <math.h>

static Result prepare(Show *self)
{
    if (self->program.name) return result_ok();
    TRY(gl_program_create("fullscreen.vert", "show.frag", &self->program));
    glGenVertexArrays(1, &self->empty_array);
    return result_ok();
}

Result show_draw(Show *show, const Framebuffer *picture, float from, GLuint target, uint32_t x, uint32_t y,
                 uint32_t width, uint32_t height)
{
    uint32_t skipped = (uint32_t)(fminf(fmaxf(from, 0), 1) * (float)picture->width);
    uint32_t shift = (uint32_t)((uint64_t)skipped * width / picture->width);
    if (shift == width) return result_ok();
    gl_begin();
    Result result = prepare(show);
    if (result_is_ok(&result)) {
        glBindFramebuffer(GL_FRAMEBUFFER, target);
        glViewport((GLint)(x + shift), (GLint)y, (GLsizei)(width - shift), (GLsizei)height);
        glDisable(GL_DEPTH_TEST);
        gl_program_use(&show->program);
        gl_set_texture(&show->program, U_picture, 0, picture->color[0]);
        gl_set_vec4(&show->program, U_region, (float)x, (float)y, (float)width, (float)height);
        glBindVertexArray(show->empty_array);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        result = gl_check("showing the picture");
    }
    gl_end();
    return result;
}

void show_destroy(Show *show)
{
    gl_program_destroy(&show->program);
    glDeleteVertexArrays(1, &show->empty_array);
    *show = (Show){0};
}
