#include "render/screen_water.h"

#include "core/memory.h"
#include "render/gl_program.h"

// The filter's reach in particle radii, its limit in pixels, and the pixels from sample to sample. Two passes
// smooth more than one longer pass would; the second takes every pixel, because the first does not mix even
// and odd ones.
enum { ROUNDS = 2 };
static const struct {
    float reach;
    int longest, stride;
} rounds[ROUNDS] = {{5.2f, 46, 2}, {2.2f, 20, 1}};

// Buffers for smoothing, of a view's size.
typedef struct Maps {
    Framebuffer spheres;     // depth; of the camera alone, as are thicknesses
    Framebuffer distance[2]; // m
    Framebuffer thickness;   // m
} Maps;

struct ScreenWater {
    GlProgram depth_program, range_program, square_program, smooth_program, surface_program;
    GLuint empty_array;
    Maps camera, sun;
};

static Result create_programs(ScreenWater *self)
{
    glGenVertexArrays(1, &self->empty_array);
    TRY(gl_program_create("fullscreen.vert", "screen_depth.frag", &self->depth_program));
    TRY(gl_program_create("fullscreen.vert", "narrow_range.frag", &self->range_program));
    TRY(gl_program_create("fullscreen.vert", "narrow_range_square.frag", &self->square_program));
    TRY(gl_program_create("fullscreen.vert", "thickness_smooth.frag", &self->smooth_program));
    return gl_program_create("fullscreen.vert", "screen_surface.frag", &self->surface_program);
}

Result screen_water_create(ScreenWater **out)
{
    *out = NULL;
    ScreenWater *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result = create_programs(self);
    if (!result_is_ok(&result)) {
        screen_water_destroy(self);
        return result;
    }
    *out = self;
    return result_ok();
}

static void maps_destroy(Maps *maps)
{
    framebuffer_destroy(&maps->spheres);
    framebuffer_destroy(&maps->distance[0]);
    framebuffer_destroy(&maps->distance[1]);
    framebuffer_destroy(&maps->thickness);
}

void screen_water_destroy(ScreenWater *water)
{
    if (!water) return;
    maps_destroy(&water->camera);
    maps_destroy(&water->sun);
    gl_program_destroy(&water->depth_program);
    gl_program_destroy(&water->range_program);
    gl_program_destroy(&water->square_program);
    gl_program_destroy(&water->smooth_program);
    gl_program_destroy(&water->surface_program);
    glDeleteVertexArrays(1, &water->empty_array);
    memory_free(water);
}

static Result maps_create(Maps *out, uint32_t width, uint32_t height, const Framebuffer *thickness)
{
    TRY(framebuffer_create(&out->distance[0], width, height, GL_R32F, 0, false));
    TRY(framebuffer_create(&out->distance[1], width, height, GL_R32F, 0, false));
    if (!thickness) return result_ok();
    TRY(framebuffer_create(&out->spheres, width, height, 0, 0, true));
    return framebuffer_create(&out->thickness, thickness->width, thickness->height, GL_R32F, 0, false);
}

// thickness: of the camera; NULL for the sun.
static Result fit_maps(Maps *maps, const Framebuffer *target, const Framebuffer *thickness)
{
    const Framebuffer *now = &maps->distance[0];
    bool fits = now->name && now->width == target->width && now->height == target->height;
    if (thickness && maps->thickness.width != thickness->width) fits = false;
    if (fits) return result_ok();
    maps_destroy(maps);
    *maps = (Maps){0};
    Result result = maps_create(maps, target->width, target->height, thickness);
    if (result_is_ok(&result)) return result;
    maps_destroy(maps);
    *maps = (Maps){0};
    return result;
}

static void fill(const ScreenWater *self)
{
    glBindVertexArray(self->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void set_scale(const GlProgram *program, const View *view, float radius, const Framebuffer *target)
{
    gl_set_float(program, U_radius, radius);
    gl_set_float(program, U_px_per_tan, 0.5f * (float)target->height / view->tan_y);
}

static void set_view(const GlProgram *program, const View *view)
{
    const float *p = view->projection;
    gl_set_vec3(program, U_right, view->right);
    gl_set_vec3(program, U_up, view->up);
    gl_set_vec3(program, U_forward, view->forward);
    gl_set_vec2(program, U_tangent, view->tan_x, view->tan_y);
    gl_set_vec2(program, U_depth_scale, view->parallel ? view->near : p[10],
                view->parallel ? view->far : p[14]);
    gl_set_float(program, U_parallel, view->parallel);
}

// One direction of a filter from one map to the other.
static void set_direction(const GlProgram *program, int k)
{
    gl_set_ivec2(program, U_direction, k == 0, k == 1);
}

// Side of a surface: where rays enter the water, or leave it.
typedef enum Side { SIDE_FRONT, SIDE_BACK } Side;

// Distances from the depths of spheres.
static void find_distance(ScreenWater *self, const Maps *maps, GLuint depth, const View *view, float radius,
                          Box3 room, Side side)
{
    const GlProgram *program = &self->depth_program;
    framebuffer_bind(&maps->distance[0]);
    gl_program_use(program);
    set_view(program, view);
    gl_set_texture(program, U_sphere_depth, 0, depth);
    gl_set_vec3(program, U_eye, view->eye);
    gl_set_vec3(program, U_lo, room.lo);
    gl_set_vec3(program, U_hi, room.hi);
    gl_set_float(program, U_radius, radius);
    gl_set_float(program, U_back, side == SIDE_BACK);
    fill(self);
}

static void smooth_distance(ScreenWater *self, const Maps *maps, const View *view, float radius)
{
    const GlProgram *program = &self->range_program;
    gl_program_use(program);
    set_scale(program, view, radius, &maps->distance[0]);
    gl_set_float(program, U_parallel, view->parallel);
    // Light on the floor is smoothed once more.
    int passes = 2 * (view->parallel ? 1 : ROUNDS);
    for (int k = 0; k < passes; k++) {
        gl_set_float(program, U_reach, rounds[k / 2].reach);
        gl_set_int(program, U_longest, rounds[k / 2].longest);
        gl_set_int(program, U_stride, rounds[k / 2].stride);
        framebuffer_bind(&maps->distance[1 - k % 2]);
        gl_set_texture(program, U_distances, 0, maps->distance[k % 2].color[0]);
        set_direction(program, k % 2);
        fill(self);
    }
    program = &self->square_program;
    gl_program_use(program);
    gl_set_float(program, U_radius, radius);
    framebuffer_bind(&maps->distance[1]);
    gl_set_texture(program, U_distances, 0, maps->distance[0].color[0]);
    fill(self);
}

// Normals and depths of the distances; where there are none the target stays as it is.
static void find_surface(ScreenWater *self, const Maps *maps, const View *view, Side side,
                         const Framebuffer *target)
{
    const GlProgram *program = &self->surface_program;
    framebuffer_bind(target);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    gl_program_use(program);
    gl_set_texture(program, U_distances, 0, maps->distance[1].color[0]);
    set_view(program, view);
    gl_set_float(program, U_back, side == SIDE_BACK);
    fill(self);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
}

static void smooth_thickness(ScreenWater *self, const WaterLayers *layers, const View *camera, float radius)
{
    const GlProgram *program = &self->smooth_program;
    const Framebuffer *maps[3] = {&layers->thickness, &self->camera.thickness, &layers->thickness};
    gl_program_use(program);
    set_scale(program, camera, radius, &layers->thickness);
    gl_set_texture(program, U_distances, 1, self->camera.distance[1].color[0]);
    for (int k = 0; k < 2; k++) {
        framebuffer_bind(maps[k + 1]);
        gl_set_texture(program, U_thicknesses, 0, maps[k]->color[0]);
        set_direction(program, k);
        fill(self);
    }
}

// From the depths of spheres to a target's normals and depths.
static void make_surface(ScreenWater *self, const Maps *maps, GLuint depth, const View *view, float radius,
                         Box3 room, Side side, const Framebuffer *target)
{
    find_distance(self, maps, depth, view, radius, room, side);
    smooth_distance(self, maps, view, radius);
    framebuffer_bind(target);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    find_surface(self, maps, view, side, target);
}

Result screen_water_draw(ScreenWater *water, const WaterLayers *layers, ParticleDrawer *particles,
                         const View *camera, Box3 room, GLuint solids)
{
    const Maps *maps = &water->camera;
    TRY(fit_maps(&water->camera, &layers->front, &layers->thickness));
    const Framebuffer *spheres = &maps->spheres;
    float radius = particle_drawer_radius(particles);
    framebuffer_bind(spheres);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_DEPTH_BUFFER_BIT);
    TRY(particle_drawer_draw(particles, camera, spheres->width, spheres->height, 0, 0, 1));
    glDisable(GL_DEPTH_TEST);
    make_surface(water, maps, spheres->depth, camera, radius, room, SIDE_FRONT, &layers->front);

    framebuffer_bind(&layers->thickness);
    glClear(GL_COLOR_BUFFER_BIT);
    TRY(particle_drawer_draw_thickness(particles, camera, layers->thickness.width, layers->thickness.height,
                                       solids));
    smooth_thickness(water, layers, camera, radius);
    return gl_check("the water's surface");
}

Result screen_water_draw_back(ScreenWater *water, const WaterLayers *layers, ParticleDrawer *particles,
                              const View *camera, Box3 room)
{
    const Maps *maps = &water->camera;
    TRY(fit_maps(&water->camera, &layers->back, &layers->thickness));
    framebuffer_bind(&maps->spheres);
    glEnable(GL_DEPTH_TEST);
    glClearDepth(0);
    glClear(GL_DEPTH_BUFFER_BIT);
    glClearDepth(1);
    glDepthFunc(GL_GREATER);
    Result result = particle_drawer_draw_back(particles, camera, maps->spheres.width, maps->spheres.height);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
    TRY(result);
    make_surface(water, maps, maps->spheres.depth, camera, particle_drawer_radius(particles), room, SIDE_BACK,
                 &layers->back);
    return gl_check("the water's back");
}

Result screen_water_draw_sun(ScreenWater *water, const WaterLayers *layers, ParticleDrawer *particles,
                             const DropDrawer *drops, const View *sun, Box3 room)
{
    const Framebuffer *front = &layers->front, *thickness = &layers->thickness;
    TRY(fit_maps(&water->sun, front, NULL));
    framebuffer_bind(front);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_DEPTH_BUFFER_BIT);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    Result result = particle_drawer_draw_depth(particles, sun, front->width, front->height);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDisable(GL_DEPTH_TEST);
    TRY(result);
    // Drops do not bend light: their normals point up.
    glClearColor(0.5f, 0.5f, 1, 1);
    make_surface(water, &water->sun, front->depth, sun, particle_drawer_radius(particles), room, SIDE_FRONT,
                 front);
    glClearColor(0, 0, 0, 0);
    framebuffer_bind(thickness);
    glClear(GL_COLOR_BUFFER_BIT);
    TRY(particle_drawer_draw_thickness(particles, sun, thickness->width, thickness->height, 0));
    return drop_drawer_draw_sun(drops, sun, front, thickness);
}
