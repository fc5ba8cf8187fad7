#include "render/overlay.h"

#include "core/memory.h"
#include "render/font.h"
#include "render/gl_program.h"
#include "render/gl_stream.h"

typedef enum ShapeForm { FORM_STROKE, FORM_BOX, FORM_COLOR_BAR } ShapeForm;

// One shape, as overlay.vert reads it.
typedef struct OverlayShape {
    float x0, y0, x1, y1; // ends of a stroke, corners of a box, px
    float radius, form;   // half a stroke's width, or a box's corner radius, px
    Ink ink;
} OverlayShape;

struct Overlay {
    GlStream stream; // of OverlayShape
    OverlayShape *shapes;
    size_t count, capacity;
};

Result overlay_create(Overlay **out)
{
    *out = NULL;
    Overlay *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result =
        gl_stream_create("overlay.vert", "overlay.frag", (const GLint[]){4, 2, 4}, 3, 1, &self->stream);
    if (result_is_ok(&result))
        *out = self;
    else
        overlay_destroy(self);
    return result;
}

void overlay_destroy(Overlay *overlay)
{
    if (!overlay) return;
    gl_stream_destroy(&overlay->stream);
    memory_free(overlay->shapes);
    memory_free(overlay);
}

static Result add(Overlay *overlay, OverlayShape shape)
{
    TRY(MEMORY_RESERVE(overlay->shapes, overlay->capacity, overlay->count, overlay->count + 1, "the legend"));
    overlay->shapes[overlay->count++] = shape;
    return result_ok();
}

Result overlay_add_box(Overlay *overlay, float x0, float y0, float x1, float y1, float corner, Ink ink)
{
    return add(overlay, (OverlayShape){x0, y0, x1, y1, corner, FORM_BOX, ink});
}

Result overlay_add_stroke(Overlay *overlay, float x0, float y0, float x1, float y1, float width, Ink ink)
{
    return add(overlay, (OverlayShape){x0, y0, x1, y1, 0.5f * width, FORM_STROKE, ink});
}

Result overlay_add_color_bar(Overlay *overlay, float x0, float y0, float x1, float y1, float corner)
{
    return add(overlay, (OverlayShape){x0, y0, x1, y1, corner, FORM_COLOR_BAR, {0, 0, 0, 1}});
}

typedef struct TextTarget {
    Overlay *overlay;
    float x, y, unit;
    Ink ink;
    Result result;
} TextTarget;

static void add_stroke(float x0, float y0, float x1, float y1, void *context)
{
    TextTarget *target = context;
    float unit = target->unit;
    if (!result_is_ok(&target->result)) return;
    target->result = add(target->overlay,
                         (OverlayShape){target->x + x0 * unit, target->y + y0 * unit, target->x + x1 * unit,
                                        target->y + y1 * unit, 0.62f * unit, FORM_STROKE, target->ink});
}

Result overlay_add_text(Overlay *overlay, float x, float y, float unit, const char *text, Ink ink)
{
    TextTarget target = {overlay, x, y, unit, ink, result_ok()};
    font_write(text, add_stroke, &target);
    return target.result;
}

Result overlay_draw(Overlay *overlay, uint32_t width, uint32_t height, unsigned colormap)
{
    const GlProgram *program = &overlay->stream.program;
    gl_stream_load(&overlay->stream, overlay->shapes, overlay->count * sizeof(OverlayShape));
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    gl_program_use(program);
    gl_set_vec2(program, U_viewport, (float)width, (float)height);
    gl_set_texture(program, U_colormap, 0, colormap);
    glBindVertexArray(overlay->stream.array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)overlay->count);
    glDisable(GL_BLEND);
    overlay->count = 0;
    return gl_check("the overlay");
}
