#include "render/glass.h"

#include "core/memory.h"
#include "obstacle/solid.h"
#include "render/gl_program.h"
#include "render/gl_stream.h"

#include <cglm/cglm.h>

enum { EDGES = 12, BAR_VERTICES = 36 };

// Share of the tank's diagonal.
static const float RIM_WIDTH = 0.0030f;
static const float RIM_LEAST = 2; // px, in the middle of the picture

struct Glass {
    GlStream stream; // of SolidVertex
};

Result glass_create(Glass **out)
{
    *out = NULL;
    Glass *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result = gl_stream_create("solid.vert", "solid.frag", (const GLint[]){3, 3}, 2, 0, &self->stream);
    if (result_is_ok(&result))
        *out = self;
    else
        glass_destroy(self);
    return result;
}

void glass_destroy(Glass *glass)
{
    if (!glass) return;
    gl_stream_destroy(&glass->stream);
    memory_free(glass);
}

static Vec3 along(int axis, float a, float b, float c)
{
    return axis == 0 ? vec3_make(a, b, c) : axis == 1 ? vec3_make(c, a, b) : vec3_make(b, c, a);
}

// The bar of an edge along `axis`, outside of the tank; bits of `side` choose among the four.
static Box3 edge_bar(const TankDef *tank, int axis, int side, float width)
{
    float u = vec3_component(tank->size, (axis + 1) % 3), v = vec3_component(tank->size, (axis + 2) % 3);
    float u0 = side & 1 ? u : -width, v0 = side & 2 ? v : -width;
    return (Box3){along(axis, -width, u0, v0),
                  along(axis, vec3_component(tank->size, axis) + width, u0 + width, v0 + width)};
}

// An edge with both faces open has no rim.
static bool has_rim(const TankDef *tank, int axis, int side)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return !tank->open[2 * u + (side & 1)] || !tank->open[2 * v + (side >> 1)];
}

static void fill_bar(Box3 box, const Solid *unit, SolidVertex *out)
{
    Vec3 center = vec3_scale(vec3_add(box.lo, box.hi), 0.5f),
         half = vec3_scale(vec3_sub(box.hi, box.lo), 0.5f);
    for (int k = 0; k < BAR_VERTICES; k++) {
        Vec3 p = unit->vertices[unit->triangles[k / 3][k % 3]].position;
        p = vec3_make(p.x * half.x, p.y * half.y, p.z * half.z);
        out[k] = (SolidVertex){vec3_add(center, p), vec3_make(0, 0, 1)}; // thin: all sides alike
    }
}

Result glass_draw_rims(Glass *glass, const TankDef *tank, const View *view, uint32_t height)
{
    const Shape box = {.kind = SHAPE_BOX};
    SolidVertex vertices[EDGES * BAR_VERTICES];
    Solid unit;
    TRY(solid_of_shape(&box, 1, &unit));
    CHECK(3 * unit.triangle_count == BAR_VERTICES);
    float pixel = 2 * view->tan_y * view->reach / (float)height;
    float width = fmaxf(RIM_WIDTH * vec3_length(tank->size), RIM_LEAST * pixel);
    int bars = 0;
    for (int k = 0; k < EDGES; k++) {
        if (!has_rim(tank, k / 4, k % 4)) continue;
        fill_bar(edge_bar(tank, k / 4, k % 4, width), &unit, vertices + (ptrdiff_t)bars++ * BAR_VERTICES);
    }
    solid_free(&unit);
    gl_stream_load(&glass->stream, vertices, (size_t)bars * BAR_VERTICES * sizeof *vertices);
    const GlProgram *program = &glass->stream.program;
    gl_program_use(program);
    gl_set_mat4(program, U_view_projection, view->view_projection);
    gl_set_mat4(program, U_model, (float *)GLM_MAT4_IDENTITY);
    gl_set_vec3(program, U_scale, vec3_make(1, 1, 1));
    gl_set_vec3(program, U_linear_color, vec3_make(0.17f, 0.22f, 0.235f));
    glBindVertexArray(glass->stream.array);
    glDrawArrays(GL_TRIANGLES, 0, bars * BAR_VERTICES);
    return gl_check("the tank's rims");
}
