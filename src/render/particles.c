#include "render/particles.h"

#include "core/memory.h"
#include "render/gl_program.h"
#include "render/visibility.h"

#include <math.h>
#include <string.h>

typedef struct Vertex {
    float x, y, z, value;
} Vertex;

struct ParticleDrawer {
    GlProgram sprite_program, quad_program, depth_program;
    GlProgram sprite_thickness, quad_thickness, sun_thickness;
    GlProgram sprite_back, quad_back; // zeroed until they are needed
    GLuint sprite_array, quad_array, buffer;
    float largest_sprite; // px
    bool selective;
    bool holds_all; // the buffer holds all spheres in their order
    Visibility *visibility;
    Spheres spheres;
    uint64_t content_id; // of the spheres and values, 0 if unknown
    FieldKey field;      // of the values
    float share;         // of the spheres' volumes that is water
    float *values;
    size_t values_capacity;
    uint8_t *classes;
    size_t classes_capacity;
    Vertex *vertices; // sprites, then quads
    size_t vertices_capacity;
};

static Result create_programs(ParticleDrawer *self)
{
    TRY(gl_program_create("sphere_sprite.vert", "sphere.frag", &self->sprite_program));
    TRY(gl_program_create("sphere_quad.vert", "sphere.frag", &self->quad_program));
    TRY(gl_program_create("sphere_depth.vert", "sphere_depth.frag", &self->depth_program));
    TRY(gl_program_create("sphere_sprite.vert", "sphere_thickness.frag", &self->sprite_thickness));
    TRY(gl_program_create("sphere_quad.vert", "sphere_thickness.frag", &self->quad_thickness));
    TRY(gl_program_create("sphere_depth.vert", "sphere_thickness_sun.frag", &self->sun_thickness));
    return visibility_create(self->selective, &self->visibility);
}

Result particle_drawer_create(bool selective, ParticleDrawer **out)
{
    *out = NULL;
    ParticleDrawer *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    self->selective = selective;
    Result result = create_programs(self);
    if (!result_is_ok(&result)) {
        particle_drawer_destroy(self);
        return result;
    }
    GLfloat range[2] = {1, 1};
    glGetFloatv(GL_POINT_SIZE_RANGE, range);
    self->largest_sprite = range[1];
    glGenBuffers(1, &self->buffer);
    glGenVertexArrays(1, &self->sprite_array);
    glGenVertexArrays(1, &self->quad_array);
    *out = self;
    return result_ok();
}

void particle_drawer_destroy(ParticleDrawer *drawer)
{
    if (!drawer) return;
    gl_program_destroy(&drawer->sprite_program);
    gl_program_destroy(&drawer->quad_program);
    gl_program_destroy(&drawer->depth_program);
    gl_program_destroy(&drawer->sprite_thickness);
    gl_program_destroy(&drawer->quad_thickness);
    gl_program_destroy(&drawer->sun_thickness);
    gl_program_destroy(&drawer->sprite_back);
    gl_program_destroy(&drawer->quad_back);
    glDeleteBuffers(1, &drawer->buffer);
    glDeleteVertexArrays(1, &drawer->sprite_array);
    glDeleteVertexArrays(1, &drawer->quad_array);
    visibility_destroy(drawer->visibility);
    memory_free(drawer->values);
    memory_free(drawer->classes);
    memory_free(drawer->vertices);
    memory_free(drawer);
}

Result particle_drawer_load(ParticleDrawer *drawer, const FrameView *view, FieldKey field, float radius,
                            const float **values)
{
    bool same = view->content_id != 0 && view->content_id == drawer->content_id && field == drawer->field &&
                view->count == drawer->spheres.count;
    *values = drawer->values;
    drawer->spheres = (Spheres){view->x, view->y, view->z, same ? view->count : 0, radius * view->spacing};
    drawer->share = 1 / (4.18879020f * radius * radius * radius);
    if (same) return result_ok();
    drawer->holds_all = false;
    drawer->content_id = 0;
    TRY(MEMORY_RESERVE(drawer->values, drawer->values_capacity, 0, view->count, "the particles' colors"));
    TRY(MEMORY_RESERVE(drawer->classes, drawer->classes_capacity, 0, view->count,
                       "the particles' visibility"));
    drawer->spheres.count = view->count;
    if (view->count > 0) frame_view_field(view, field, drawer->values);
    *values = drawer->values;
    drawer->content_id = view->content_id;
    drawer->field = field;
    return result_ok();
}

float particle_drawer_radius(const ParticleDrawer *drawer)
{
    return drawer->spheres.radius;
}

static Result upload(ParticleDrawer *self, size_t total)
{
    glBindBuffer(GL_ARRAY_BUFFER, self->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(total * sizeof(Vertex)), self->vertices, GL_STREAM_DRAW);
    return gl_check("the particles");
}

// Do all spheres lie in front of the eye, far enough that the driver can draw them as sprites?
static bool fit_sprites(const ParticleDrawer *self, const View *view, uint32_t height)
{
    const Spheres *s = &self->spheres;
    float pixels = 0.5f * (float)height / view->tan_y, room = self->largest_sprite - 4;
    if (view->parallel) return 2 * s->radius * pixels <= room;
    float nearest = INFINITY;
    for (uint32_t k = 0; k < s->count; k++) {
        Vec3 to = vec3_sub(vec3_make(s->x[k], s->y[k], s->z[k]), view->eye);
        float ahead = vec3_dot(to, view->forward);
        nearest = ahead < nearest ? ahead : nearest;
    }
    if (!(nearest > view->near + s->radius)) return false;
    // The silhouette of one at the picture's edge, whose middle may lie outside by its own size.
    float size = s->radius / (nearest - s->radius), x = view->tan_x + size, y = view->tan_y + size;
    return 4 * size * (1 + x * x + y * y) * pixels <= room;
}

// Fills the vertex buffer with all spheres, once for all views.
static Result select_all_sprites(ParticleDrawer *self, uint32_t *sprites, uint32_t *quads)
{
    const Spheres *s = &self->spheres;
    *sprites = s->count;
    *quads = 0;
    if (self->holds_all) return result_ok();
    TRY(MEMORY_RESERVE(self->vertices, self->vertices_capacity, 0, s->count, "the particles"));
    for (uint32_t k = 0; k < s->count; k++)
        self->vertices[k] = (Vertex){s->x[k], s->y[k], s->z[k], self->values[k]};
    TRY(upload(self, s->count));
    self->holds_all = true;
    return result_ok();
}

// Fills the vertex buffer with the particles that the view can see, in their order.
static Result select_visible(ParticleDrawer *self, const View *view, uint32_t height, uint32_t *sprites,
                             uint32_t *quads)
{
    const Spheres *s = &self->spheres;
    if (!self->selective && fit_sprites(self, view, height)) return select_all_sprites(self, sprites, quads);
    self->holds_all = false;
    TRY(visibility_classify(self->visibility, view, *s, height, self->largest_sprite, self->classes));
    uint32_t tally[SPHERE_CLASS_COUNT] = {0};
    for (uint32_t k = 0; k < s->count; k++) tally[self->classes[k]]++;
    *sprites = tally[SPHERE_SPRITE];
    *quads = tally[SPHERE_QUAD];
    size_t total = (size_t)*sprites + *quads;
    TRY(MEMORY_RESERVE(self->vertices, self->vertices_capacity, 0, total, "visible particles"));
    uint32_t next[SPHERE_CLASS_COUNT] = {[SPHERE_QUAD] = *sprites};
    for (uint32_t k = 0; k < s->count; k++) {
        if (self->classes[k] == SPHERE_HIDDEN) continue;
        self->vertices[next[self->classes[k]]++] = (Vertex){s->x[k], s->y[k], s->z[k], self->values[k]};
    }
    return upload(self, total);
}

// One vertex a particle (divisor 0) or one instance a particle (divisor 1), from the first-th on.
static void bind_vertices(const ParticleDrawer *self, GLuint array, GLuint divisor, size_t first)
{
    glBindVertexArray(array);
    glBindBuffer(GL_ARRAY_BUFFER, self->buffer);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(Vertex), (const void *)(first * sizeof(Vertex)));
    glVertexAttribDivisor(0, divisor);
}

static void draw_sprites(const ParticleDrawer *self, uint32_t count)
{
    bind_vertices(self, self->sprite_array, 0, 0);
    glDrawArrays(GL_POINTS, 0, (GLsizei)count);
}

static void draw_quads(const ParticleDrawer *self, uint32_t first, uint32_t count)
{
    bind_vertices(self, self->quad_array, 1, first);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)count);
}

static void set_uniforms(const ParticleDrawer *self, const GlProgram *program, const View *view,
                         uint32_t width, uint32_t height)
{
    gl_program_use(program);
    gl_set_mat4(program, U_view, view->view);
    gl_set_vec2(program, U_tangent, view->tan_x, view->tan_y);
    gl_set_vec2(program, U_viewport, (float)width, (float)height);
    gl_set_vec2(program, U_depth_scale, view->projection[10], view->projection[14]);
    gl_set_float(program, U_radius, self->spheres.radius);
}

Result particle_drawer_draw(ParticleDrawer *drawer, const View *view, uint32_t width, uint32_t height,
                            unsigned colormap, float lo, float hi)
{
    if (drawer->spheres.count == 0) return result_ok();
    uint32_t sprites = 0, quads = 0;
    TRY(select_visible(drawer, view, height, &sprites, &quads));
    const GlProgram *const programs[2] = {&drawer->sprite_program, &drawer->quad_program};
    for (int k = 0; k < 2; k++) {
        if ((k == 0 ? sprites : quads) == 0) continue;
        set_uniforms(drawer, programs[k], view, width, height);
        gl_set_vec2(programs[k], U_range, lo, hi > lo ? 1 / (hi - lo) : 0);
        gl_set_texture(programs[k], U_colormap, 0, colormap);
        if (k == 0)
            draw_sprites(drawer, sprites);
        else
            draw_quads(drawer, sprites, quads);
    }
    return gl_check("drawing particles");
}

Result particle_drawer_draw_depth(ParticleDrawer *drawer, const View *light, uint32_t width, uint32_t height)
{
    if (drawer->spheres.count == 0) return result_ok();
    uint32_t sprites = 0, quads = 0;
    TRY(select_visible(drawer, light, height, &sprites, &quads));
    const GlProgram *program = &drawer->depth_program;
    gl_program_use(program);
    gl_set_mat4(program, U_view_projection, light->view_projection);
    // The driver limits a sprite's size; particles that large in a shadow map are very few.
    float size = drawer->spheres.radius * (float)height / light->tan_y;
    gl_set_float(program, U_size, fminf(fmaxf(size, 1), drawer->largest_sprite));
    (void)width;
    bind_vertices(drawer, drawer->sprite_array, 0, 0);
    glDrawArrays(GL_POINTS, 0, (GLsizei)(sprites + quads));
    return gl_check("drawing the particles' shadow");
}

// Fills the vertex buffer with all particles: first those whose sprites the driver can draw, then those for
// quads.
static Result select_all(ParticleDrawer *self, const View *view, uint32_t height, uint32_t *sprites,
                         uint32_t *quads)
{
    const Spheres *s = &self->spheres;
    if (fit_sprites(self, view, height)) return select_all_sprites(self, sprites, quads);
    self->holds_all = false;
    TRY(MEMORY_RESERVE(self->vertices, self->vertices_capacity, 0, s->count, "the particles"));
    // Twice the size in the picture's middle is more than any silhouette's within 120 degrees of view.
    float far = 2 * s->radius * (float)height / view->tan_y / self->largest_sprite;
    *sprites = *quads = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        Vec3 p = vec3_make(s->x[k], s->y[k], s->z[k]);
        float ahead = vec3_dot(vec3_sub(p, view->eye), view->forward);
        if (!view->parallel && !(ahead > view->near + s->radius)) continue;
        Vertex vertex = {p.x, p.y, p.z, 0};
        if (view->parallel || ahead > far)
            self->vertices[(*sprites)++] = vertex;
        else
            self->vertices[s->count - ++*quads] = vertex;
    }
    memmove(self->vertices + *sprites, self->vertices + (s->count - *quads), *quads * sizeof(Vertex));
    return upload(self, (size_t)*sprites + *quads);
}

static void draw_thickness_sprites(const ParticleDrawer *self, const View *light, uint32_t height,
                                   uint32_t sprites)
{
    const GlProgram *program = &self->sun_thickness;
    gl_program_use(program);
    gl_set_mat4(program, U_view_projection, light->view_projection);
    gl_set_float(program, U_radius, self->spheres.radius);
    gl_set_float(program, U_share, self->share);
    float size = self->spheres.radius * (float)height / light->tan_y;
    gl_set_float(program, U_size, fminf(fmaxf(size, 1), self->largest_sprite));
    bind_vertices(self, self->sprite_array, 0, 0);
    glDrawArrays(GL_POINTS, 0, (GLsizei)sprites);
}

static void set_thickness(const ParticleDrawer *self, const GlProgram *program, const View *view,
                          uint32_t width, uint32_t height, unsigned solids)
{
    set_uniforms(self, program, view, width, height);
    gl_set_vec2(program, U_range, 0, 1);
    gl_set_float(program, U_share, self->share);
    gl_set_texture(program, U_solid_depth, 0, solids);
}

Result particle_drawer_draw_thickness(ParticleDrawer *drawer, const View *view, uint32_t width,
                                      uint32_t height, unsigned solids)
{
    uint32_t sprites = 0, quads = 0;
    if (drawer->spheres.count == 0) return result_ok();
    TRY(select_all(drawer, view, height, &sprites, &quads));
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    if (view->parallel) {
        draw_thickness_sprites(drawer, view, height, sprites);
    } else {
        set_thickness(drawer, &drawer->sprite_thickness, view, width, height, solids);
        draw_sprites(drawer, sprites);
        set_thickness(drawer, &drawer->quad_thickness, view, width, height, solids);
        draw_quads(drawer, sprites, quads);
    }
    glDisable(GL_BLEND);
    return gl_check("the water's thickness");
}

Result particle_drawer_draw_back(ParticleDrawer *drawer, const View *view, uint32_t width, uint32_t height)
{
    uint32_t sprites = 0, quads = 0;
    if (!drawer->sprite_back.name)
        TRY(gl_program_create("sphere_sprite.vert", "sphere_back.frag", &drawer->sprite_back));
    if (!drawer->quad_back.name)
        TRY(gl_program_create("sphere_quad.vert", "sphere_back.frag", &drawer->quad_back));
    if (drawer->spheres.count == 0) return result_ok();
    TRY(select_all(drawer, view, height, &sprites, &quads));
    set_uniforms(drawer, &drawer->sprite_back, view, width, height);
    draw_sprites(drawer, sprites);
    set_uniforms(drawer, &drawer->quad_back, view, width, height);
    draw_quads(drawer, sprites, quads);
    return gl_check("the water's back");
}
