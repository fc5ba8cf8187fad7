#include "render/screen_water.h"

#include "core/memory.h"
#include "render/gl_program.h"

// The filter's reach in particle radii, and its limit in pixels; repeated, it smooths more than a longer one
// would.
static const float REACH = 4.5f;
enum { LONGEST = 40, ROUNDS = 2 };

struct ScreenWater {
    GLuint depth_program, range_program, smooth_program, surface_program, empty_array;
    Framebuffer spheres;     // depth
    Framebuffer distance[2]; // m
    Framebuffer thickness;   // m
};

static Result create_programs(ScreenWater *self)
{
    glGenVertexArrays(1, &self->empty_array);
    TRY(gl_program_create("fullscreen.vert", "screen_depth.frag", &self->depth_program));
    TRY(gl_program_create("fullscreen.vert", "narrow_range.frag", &self->range_program));
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

static void drop_buffers(ScreenWater *self)
{
    framebuffer_destroy(&self->spheres);
    framebuffer_destroy(&self->distance[0]);
    framebuffer_destroy(&self->distance[1]);
    framebuffer_destroy(&self->thickness);
}

void screen_water_destroy(ScreenWater *water)
{
    if (!water) return;
    drop_buffers(water);
    glDeleteProgram(water->depth_program);
    glDeleteProgram(water->range_program);
    glDeleteProgram(water->smooth_program);
    glDeleteProgram(water->surface_program);
    glDeleteVertexArrays(1, &water->empty_array);
    memory_free(water);
}

static Result make_buffers(ScreenWater *self, uint32_t width, uint32_t height)
{
    TRY(framebuffer_create(&self->spheres, width, height, 0, 0, true));
    TRY(framebuffer_create(&self->distance[0], width, height, GL_R32F, 0, false));
    TRY(framebuffer_create(&self->distance[1], width, height, GL_R32F, 0, false));
    return framebuffer_create(&self->thickness, width, height, GL_R32F, 0, false);
}

static Result fit_buffers(ScreenWater *self, const Framebuffer *front)
{
    if (self->spheres.width == front->width && self->spheres.height == front->height && self->thickness.name)
        return result_ok();
    drop_buffers(self);
    Result result = make_buffers(self, front->width, front->height);
    if (!result_is_ok(&result)) drop_buffers(self);
    return result;
}

static void fill(const ScreenWater *self)
{
    glBindVertexArray(self->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void set_scale(GLuint program, const View *camera, float radius, const Framebuffer *target)
{
    gl_set_float(program, "radius", radius);
    gl_set_float(program, "px_per_tan", 0.5f * (float)target->height / camera->tan_y);
}

static void set_camera(GLuint program, const View *camera)
{
    gl_set_vec3(program, "right", camera->right);
    gl_set_vec3(program, "up", camera->up);
    gl_set_vec3(program, "forward", camera->forward);
    gl_set_vec2(program, "tangent", camera->tan_x, camera->tan_y);
    gl_set_vec2(program, "depth_scale", camera->projection[10], camera->projection[14]);
}

// One direction of a filter from one map to the other.
static void set_direction(GLuint program, int k)
{
    glUniform2i(glGetUniformLocation(program, "direction"), k == 0, k == 1);
}

// Whether a surface is where rays enter the water, or leave it.
typedef enum Side { SIDE_FRONT, SIDE_BACK } Side;

static void find_distance(ScreenWater *self, const View *camera, float radius, Box3 room, Side side)
{
    GLuint program = self->depth_program;
    framebuffer_bind(&self->distance[0]);
    glUseProgram(program);
    set_camera(program, camera);
    gl_set_texture(program, "sphere_depth", 0, self->spheres.depth);
    gl_set_vec3(program, "eye", camera->eye);
    gl_set_vec3(program, "lo", room.lo);
    gl_set_vec3(program, "hi", room.hi);
    gl_set_float(program, "radius", radius);
    gl_set_float(program, "back", side == SIDE_BACK);
    fill(self);
}

static void smooth_distance(ScreenWater *self, const View *camera, float radius)
{
    GLuint program = self->range_program;
    glUseProgram(program);
    set_scale(program, camera, radius, &self->spheres);
    gl_set_float(program, "reach", REACH);
    gl_set_int(program, "longest", LONGEST);
    for (int k = 0; k < 2 * ROUNDS; k++) {
        framebuffer_bind(&self->distance[1 - k % 2]);
        gl_set_texture(program, "distances", 0, self->distance[k % 2].color[0]);
        set_direction(program, k % 2);
        fill(self);
    }
}

static void smooth_thickness(ScreenWater *self, const WaterLayers *layers, const View *camera, float radius)
{
    GLuint program = self->smooth_program;
    const Framebuffer *maps[3] = {&layers->thickness, &self->thickness, &layers->thickness};
    glUseProgram(program);
    set_scale(program, camera, radius, &self->spheres);
    gl_set_texture(program, "distances", 1, self->distance[0].color[0]);
    for (int k = 0; k < 2; k++) {
        framebuffer_bind(maps[k + 1]);
        gl_set_texture(program, "thicknesses", 0, maps[k]->color[0]);
        set_direction(program, k);
        fill(self);
    }
}

static void find_surface(ScreenWater *self, const Framebuffer *target, const View *camera, Side side)
{
    GLuint program = self->surface_program;
    framebuffer_bind(target);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glUseProgram(program);
    gl_set_texture(program, "distances", 0, self->distance[0].color[0]);
    set_camera(program, camera);
    gl_set_float(program, "back", side == SIDE_BACK);
    fill(self);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
}

Result screen_water_draw(ScreenWater *water, const WaterLayers *layers, ParticleDrawer *particles,
                         const View *camera, Box3 room, GLuint solids)
{
    TRY(fit_buffers(water, &layers->front));
    const Framebuffer *spheres = &water->spheres;
    float radius = particle_drawer_radius(particles);
    framebuffer_bind(spheres);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_DEPTH_BUFFER_BIT);
    TRY(particle_drawer_draw(particles, camera, spheres->width, spheres->height, 0, 0, 1));
    glDisable(GL_DEPTH_TEST);

    find_distance(water, camera, radius, room, SIDE_FRONT);
    smooth_distance(water, camera, radius);
    find_surface(water, &layers->front, camera, SIDE_FRONT);

    framebuffer_bind(&layers->thickness);
    glClear(GL_COLOR_BUFFER_BIT);
    TRY(particle_drawer_draw_thickness(particles, camera, spheres->width, spheres->height, solids));
    smooth_thickness(water, layers, camera, radius);
    return gl_check("the water's surface");
}

Result screen_water_draw_back(ScreenWater *water, const WaterLayers *layers, ParticleDrawer *particles,
                              const View *camera, Box3 room)
{
    TRY(fit_buffers(water, &layers->back));
    const Framebuffer *spheres = &water->spheres;
    float radius = particle_drawer_radius(particles);
    framebuffer_bind(spheres);
    glEnable(GL_DEPTH_TEST);
    glClearDepth(0);
    glClear(GL_DEPTH_BUFFER_BIT);
    glClearDepth(1);
    glDepthFunc(GL_GREATER);
    Result result = particle_drawer_draw_back(particles, camera, spheres->width, spheres->height);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
    TRY(result);
    find_distance(water, camera, radius, room, SIDE_BACK);
    smooth_distance(water, camera, radius);
    find_surface(water, &layers->back, camera, SIDE_BACK);
    return gl_check("the water's back");
}

Result screen_water_draw_sun(const WaterLayers *layers, ParticleDrawer *particles, const DropDrawer *drops,
                             const View *sun)
{
    framebuffer_bind(&layers->front);
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.5f, 0.5f, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glClearColor(0, 0, 0, 0);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    Result result = particle_drawer_draw_depth(particles, sun, layers->front.width, layers->front.height);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDisable(GL_DEPTH_TEST);
    TRY(result);
    framebuffer_bind(&layers->thickness);
    glClear(GL_COLOR_BUFFER_BIT);
    TRY(particle_drawer_draw_thickness(particles, sun, layers->thickness.width, layers->thickness.height, 0));
    return drop_drawer_draw_sun(drops, sun, &layers->front, &layers->thickness);
}
