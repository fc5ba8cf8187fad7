#include "render/whitewater.h"

#include "core/memory.h"
#include "render/gl_stream.h"
#include "render/whitewater_light.h"

// Spacings: cells in which whitewater shadows itself.
#define LIGHT_CELL 1.5f

typedef struct Vertex {
    float x, y, z, radius, vx, vy, vz, kind, light;
} Vertex;

struct Whitewater {
    GlStream stream; // of Vertex, one per instance
    GlProgram show_program;
    Framebuffer sums; // of the picture's size: light and optical depth; where it is
    WhitewaterLight light;
    Vertex *vertices;
    size_t capacity;
};

static Result create_programs(Whitewater *self)
{
    TRY(gl_stream_create("whitewater.vert", "whitewater.frag", (const GLint[]){4, 4, 1}, 3, 1,
                         &self->stream));
    return gl_program_create("fullscreen.vert", "whitewater_show.frag", &self->show_program);
}

Result whitewater_create(Whitewater **out)
{
    *out = NULL;
    Whitewater *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result = create_programs(self);
    if (result_is_ok(&result))
        *out = self;
    else
        whitewater_destroy(self);
    return result;
}

void whitewater_destroy(Whitewater *whitewater)
{
    if (!whitewater) return;
    gl_stream_destroy(&whitewater->stream);
    gl_program_destroy(&whitewater->show_program);
    framebuffer_destroy(&whitewater->sums);
    whitewater_light_free(&whitewater->light);
    memory_free(whitewater->vertices);
    memory_free(whitewater);
}

static Result fit_sums(Whitewater *self, const Framebuffer *picture)
{
    const Framebuffer *now = &self->sums;
    if (now->name && now->width == picture->width && now->height == picture->height) return result_ok();
    framebuffer_destroy(&self->sums);
    self->sums = (Framebuffer){0};
    return framebuffer_create(&self->sums, picture->width, picture->height, GL_RGBA16F, GL_RG32F, false);
}

static Result load(Whitewater *self, const WhitewaterScene *scene)
{
    const DiffuseParticles *p = scene->particles;
    TRY(MEMORY_RESERVE(self->vertices, self->capacity, 0, p->count, "the whitewater"));
    TRY(whitewater_light_find(&self->light, p, studio_sun(scene->studio), LIGHT_CELL * scene->spacing));
    for (uint32_t k = 0; k < p->count; k++)
        self->vertices[k] = (Vertex){p->x[k],  p->y[k],  p->z[k],           p->size[k],          p->vx[k],
                                     p->vy[k], p->vz[k], (float)p->kind[k], self->light.share[k]};
    gl_stream_load(&self->stream, self->vertices, p->count * sizeof(Vertex));
    return gl_check("the whitewater");
}

static void add_splats(const Whitewater *self, const WhitewaterScene *scene)
{
    const GlProgram *program = &self->stream.program;
    framebuffer_bind(&self->sums);
    glClear(GL_COLOR_BUFFER_BIT);
    studio_use(scene->studio, program);
    gl_set_texture(program, U_solid_depth, 0, scene->solid_depth);
    gl_set_texture(program, U_front_depth, 1, scene->front_depth);
    gl_set_texture(program, U_back_depth, 2, scene->back_depth);
    gl_set_float(program, U_shutter, scene->shutter);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glBindVertexArray(self->stream.array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)scene->particles->count);
    glDisable(GL_BLEND);
}

Result whitewater_draw(Whitewater *whitewater, const WhitewaterScene *scene, const Framebuffer *picture)
{
    const GlProgram *program = &whitewater->show_program;
    if (scene->particles->count == 0) return result_ok();
    TRY(fit_sums(whitewater, picture));
    TRY(load(whitewater, scene));
    add_splats(whitewater, scene);
    framebuffer_bind(picture);
    studio_use(scene->studio, program);
    gl_set_texture(program, U_picture, 0, whitewater->sums.color[0]);
    gl_set_texture(program, U_front_depth, 1, whitewater->sums.color[1]);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    studio_fill(scene->studio);
    glDisable(GL_BLEND);
    return gl_check("the whitewater");
}
