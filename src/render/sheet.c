#include "render/sheet.h"

#include "core/memory.h"
#include "render/gl_program.h"
#include "render/gl_stream.h"
#include "render/line_set.h"

#include <math.h>

#define SHOW_ALL_GRAIN 1e9f // m

struct Sheet {
    GlStream stream; // of SheetCorner
    GLuint texture;
};

typedef struct SheetCorner {
    Vec3 place;
    float u, v;
} SheetCorner;

Result sheet_create(Sheet **out)
{
    *out = NULL;
    Sheet *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result = gl_stream_create("sheet.vert", "sheet.frag", (const GLint[]){3, 2}, 2, 0, &self->stream);
    if (result_is_ok(&result))
        *out = self;
    else
        sheet_destroy(self);
    return result;
}

void sheet_destroy(Sheet *sheet)
{
    if (!sheet) return;
    gl_stream_destroy(&sheet->stream);
    glDeleteTextures(1, &sheet->texture);
    memory_free(sheet);
}

Result sheet_load(Sheet *sheet, const SheetDef *def)
{
    SheetCorner corners[4];
    for (int k = 0; k < 4; k++) {
        float u = (float)(k & 1), v = (float)(k >> 1);
        Vec3 edge = vec3_add(vec3_scale(def->across, u), vec3_scale(def->down, v));
        corners[k] = (SheetCorner){vec3_add(def->corner, edge), u, v};
    }
    gl_stream_load(&sheet->stream, corners, sizeof corners);
    glDeleteTextures(1, &sheet->texture);
    sheet->texture =
        texture_create(GL_RGBA8, def->width, def->height, GL_RGBA, GL_UNSIGNED_BYTE, def->rgba, GL_LINEAR);
    texture_make_mips(sheet->texture);
    return gl_check("a slice");
}

Result sheet_draw(const Sheet *sheet, const LineScene *scene)
{
    const View *view = scene->view;
    const GlProgram *program = &sheet->stream.program;
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    gl_program_use(program);
    gl_set_mat4(program, U_view, view->view);
    gl_set_mat4(program, U_view_projection, view->view_projection);
    gl_set_vec2(program, U_depth_scale, view->projection[10], view->projection[14]);
    gl_set_float(program, U_grain, fminf(scene->grain, SHOW_ALL_GRAIN));
    gl_set_int(program, U_samples, (int)scene->samples);
    gl_set_texture(program, U_picture, 0, sheet->texture);
    gl_set_texture(program, U_depth_map, 1, scene->geometry->depth);
    glBindVertexArray(sheet->stream.array);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDisable(GL_BLEND);
    return gl_check("a slice");
}
