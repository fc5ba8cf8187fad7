#include "render/drop_draw.h"

#include "core/memory.h"
#include "render/drops.h"
#include "render/gl_program.h"
#include "render/gl_stream.h"

#include <math.h>

// A particle flies alone if it has at most this share of the neighbors that one in still water has.
static const float ALONE = 0.08f;

typedef struct Vertex {
    float x, y, z, radius;
} Vertex;

struct DropDrawer {
    GlStream stream; // of Vertex, one per instance
    GlProgram sun_program;
    float spacing;
    uint32_t count;      // of drops
    uint32_t bodies;     // particles that are not drops
    uint64_t content_id; // of the view that both were made from, 0 if unknown
    float *x, *y, *z;
    size_t x_capacity, y_capacity, z_capacity;
    Vertex *vertices;
    size_t vertices_capacity;
};

static Result create_programs(DropDrawer *self)
{
    TRY(gl_stream_create("drop.vert", "drop.frag", (const GLint[]){4}, 1, 1, &self->stream));
    return gl_program_create("drop_sun.vert", "drop_sun.frag", &self->sun_program);
}

Result drop_drawer_create(DropDrawer **out)
{
    *out = NULL;
    DropDrawer *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result = create_programs(self);
    if (!result_is_ok(&result)) {
        drop_drawer_destroy(self);
        return result;
    }
    *out = self;
    return result_ok();
}

void drop_drawer_destroy(DropDrawer *drawer)
{
    if (!drawer) return;
    gl_stream_destroy(&drawer->stream);
    gl_program_destroy(&drawer->sun_program);
    memory_free(drawer->x);
    memory_free(drawer->y);
    memory_free(drawer->z);
    memory_free(drawer->vertices);
    memory_free(drawer);
}

// The largest count of neighbors that a particle on its own has.
static uint32_t most_alone(const FrameView *view)
{
    float spacings = view->radius / view->spacing;
    return (uint32_t)(ALONE * 4.18879020f * spacings * spacings * spacings);
}

// A particle that is younger than a step has no neighbor count yet.
static bool is_alone(const FrameView *view, uint32_t k, uint32_t most)
{
    return view->neighbors[k] <= most && (view->neighbors[k] > 0 || (double)view->birth[k] < view->time);
}

static Result make_room(DropDrawer *self, uint32_t body, uint32_t lone)
{
    TRY(MEMORY_RESERVE(self->x, self->x_capacity, 0, body, "the water"));
    TRY(MEMORY_RESERVE(self->y, self->y_capacity, 0, body, "the water"));
    TRY(MEMORY_RESERVE(self->z, self->z_capacity, 0, body, "the water"));
    return MEMORY_RESERVE(self->vertices, self->vertices_capacity, 0, (size_t)DROPS * lone, "the drops");
}

static void add_drops(DropDrawer *self, const FrameView *view, uint32_t k)
{
    static const double ball = 4.18879020478639;
    Drop drops[DROPS];
    drops_make(view, k, vec3_make(view->x[k], view->y[k], view->z[k]), pow((double)view->spacing, 3),
               (const double[DROPS]){ball, ball, ball, ball}, drops);
    for (int n = 0; n < DROPS; n++) {
        Vec3 at = drops[n].middle;
        self->vertices[self->count++] = (Vertex){at.x, at.y, at.z, drops[n].radius};
    }
}

// Separates drops from bodies of water.
static Result part(DropDrawer *self, const FrameView *view)
{
    uint32_t most = most_alone(view), lone = 0;
    self->count = self->bodies = 0;
    for (uint32_t k = 0; k < view->count && view->neighbors; k++) lone += is_alone(view, k, most);
    if (lone == 0) return result_ok();
    TRY(make_room(self, view->count - lone, lone));
    for (uint32_t k = 0; k < view->count; k++) {
        if (is_alone(view, k, most)) {
            add_drops(self, view, k);
            continue;
        }
        uint32_t n = self->bodies++;
        self->x[n] = view->x[k];
        self->y[n] = view->y[k];
        self->z[n] = view->z[k];
    }
    gl_stream_load(&self->stream, self->vertices, self->count * sizeof(Vertex));
    return gl_check("the drops");
}

Result drop_drawer_load(DropDrawer *drawer, const FrameView *view, FrameView *body)
{
    *body = *view;
    if (view->content_id == 0 || view->content_id != drawer->content_id) {
        drawer->content_id = 0;
        drawer->spacing = view->spacing;
        TRY(part(drawer, view));
        drawer->content_id = view->content_id;
    }
    if (drawer->count == 0) return result_ok();
    body->count = drawer->bodies;
    body->x = drawer->x;
    body->y = drawer->y;
    body->z = drawer->z;
    if (view->content_id != 0) body->content_id = ~view->content_id; // a part of it
    return result_ok();
}

static void draw_quads(const DropDrawer *self)
{
    glBindVertexArray(self->stream.array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)self->count);
}

Result drop_drawer_draw(const DropDrawer *drawer, const View *camera, const Framebuffer *target)
{
    framebuffer_bind(target);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    if (drawer->count > 0) {
        const GlProgram *program = &drawer->stream.program;
        gl_program_use(program);
        gl_set_mat4(program, U_view, camera->view);
        gl_set_vec2(program, U_tangent, camera->tan_x, camera->tan_y);
        gl_set_vec2(program, U_viewport, (float)target->width, (float)target->height);
        gl_set_vec2(program, U_depth_scale, camera->projection[10], camera->projection[14]);
        gl_set_float(program, U_near, camera->near);
        gl_set_float(program, U_largest, DROP_RADII * drawer->spacing);
        draw_quads(drawer);
    }
    glDisable(GL_DEPTH_TEST);
    return gl_check("the drops");
}

Result drop_drawer_draw_sun(const DropDrawer *drawer, const View *sun, const Framebuffer *front,
                            const Framebuffer *thickness)
{
    if (drawer->count == 0) return result_ok();
    const GlProgram *program = &drawer->sun_program;
    gl_program_use(program);
    gl_set_mat4(program, U_view_projection, sun->view_projection);
    gl_set_vec2(program, U_extent, sun->tan_x, sun->tan_y);
    framebuffer_bind(front);
    glEnable(GL_DEPTH_TEST);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    draw_quads(drawer);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDisable(GL_DEPTH_TEST);
    framebuffer_bind(thickness);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    draw_quads(drawer);
    glDisable(GL_BLEND);
    return gl_check("the drops' shadow");
}
