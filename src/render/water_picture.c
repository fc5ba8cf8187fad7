#include "render/water_picture.h"

#include "core/memory.h"
#include "render/eye_in_water.h"
#include "render/gl_program.h"
#include "render/glass.h"
#include "render/screen_water.h"
#include "render/studio.h"
#include "render/water_layers.h"
#include "render/whitewater.h"

// Above this many samples a picture is drawn with one sample a pixel instead of four.
static const uint64_t MAX_SAMPLES = 16u << 20;

// Buffers of the picture's size times its samples.
typedef struct Buffers {
    uint32_t width, height; // of the picture
    uint32_t samples;       // per pixel along each axis
    bool from_mesh;
    bool with_back;       // of a mesh, or for an eye in water
    Framebuffer geometry; // solids: color, normal, depth
    WaterLayers layers;
    // One sample a pixel: linear colors and distances of all but the water; the second water along each ray
    // (the bodies, where the first are drops); and the scene with that.
    Framebuffer scene, second, behind;
    Framebuffer stairs; // the picture before its edges are smoothed; only where a pixel has one sample
    // Water from particles: depth that `behind` and `stairs` are tested against, so that only pixels with
    // water are shaded as such. Software renderers execute all branches of a shader.
    Framebuffer wet;
} Buffers;

struct WaterPicture {
    Buffers buffers;
    Studio *studio;
    Glass *glass;
    ScreenWater *screen_water;
    Whitewater *whitewater; // NULL until there is some
    WaterPrograms layer_programs;
    GlProgram water_program, behind_program, body_program, edges_program;
    GlProgram copy_program, display_program;
    GlProgram inside_program; // zeroed until an eye is in water
};

static void buffers_destroy(Buffers *buffers)
{
    framebuffer_destroy(&buffers->geometry);
    framebuffer_destroy(&buffers->scene);
    framebuffer_destroy(&buffers->second);
    framebuffer_destroy(&buffers->behind);
    framebuffer_destroy(&buffers->stairs);
    framebuffer_destroy(&buffers->wet);
    water_layers_destroy(&buffers->layers);
}

static Result buffers_fill(Buffers *buffers)
{
    uint32_t width = buffers->width * buffers->samples, height = buffers->height * buffers->samples;
    TRY(framebuffer_create(&buffers->scene, buffers->width, buffers->height, GL_RGBA16F, GL_R32F, false));
    TRY(framebuffer_create(&buffers->second, buffers->width, buffers->height, GL_RGBA16, 0, true));
    TRY(framebuffer_create(&buffers->behind, buffers->width, buffers->height, GL_RGBA16F, GL_R32F, false));
    if (buffers->samples == 1)
        TRY(framebuffer_create(&buffers->stairs, buffers->width, buffers->height, GL_RGBA8, 0, false));
    TRY(framebuffer_create(&buffers->geometry, width, height, GL_RGBA8, GL_RGB10_A2, true));
    WaterLayers *layers = &buffers->layers;
    TRY(water_layers_create(layers, width, height,
                            (buffers->from_mesh ? WATER_THICKNESS : 0) |
                                (buffers->with_back ? WATER_BACK : 0)));
    if (buffers->from_mesh) return result_ok();
    TRY(framebuffer_create(&buffers->wet, width, height, 0, 0, true));
    framebuffer_share_depth(&buffers->behind, &buffers->wet);
    framebuffer_share_depth(&buffers->stairs, &buffers->wet);
    // The particles' sum is smoothed anyway.
    return framebuffer_create(&layers->thickness, (width + 1) / 2, (height + 1) / 2, GL_R32F, 0, false);
}

// Water from particles is smoothed over many pixels, so one sample each is enough.
static Result fit_buffers(WaterPicture *self, uint32_t width, uint32_t height, bool from_mesh,
                          bool eye_in_water)
{
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    uint32_t longest = width > height ? width : height;
    bool fits = 4 * (uint64_t)width * height <= MAX_SAMPLES && 2 * longest <= (uint32_t)limit;
    Buffers *now = &self->buffers;
    Buffers wanted = {.width = width,
                      .height = height,
                      .samples = from_mesh && fits ? 2 : 1,
                      .from_mesh = from_mesh,
                      .with_back = from_mesh || eye_in_water};
    if (now->width == width && now->height == height && now->from_mesh == from_mesh &&
        now->with_back == wanted.with_back)
        return result_ok();
    buffers_destroy(now);
    *now = (Buffers){0};
    Result result = buffers_fill(&wanted);
    if (result_is_ok(&result))
        *now = wanted;
    else
        buffers_destroy(&wanted);
    return result;
}

static Result create_parts(WaterPicture *self)
{
    TRY(studio_create(&self->studio));
    TRY(glass_create(&self->glass));
    TRY(screen_water_create(&self->screen_water));
    TRY(water_programs_create(&self->layer_programs));
    TRY(gl_program_create("fullscreen.vert", "water_behind.frag", &self->behind_program));
    TRY(gl_program_create("fullscreen.vert", "screen_body.frag", &self->body_program));
    TRY(gl_program_create("fullscreen.vert", "scene_copy.frag", &self->copy_program));
    TRY(gl_program_create("fullscreen.vert", "scene_display.frag", &self->display_program));
    TRY(gl_program_create("fullscreen.vert", "edges_smooth.frag", &self->edges_program));
    return gl_program_create("fullscreen.vert", "water.frag", &self->water_program);
}

Result water_picture_create(WaterPicture **out)
{
    *out = NULL;
    WaterPicture *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result = create_parts(self);
    if (!result_is_ok(&result)) {
        water_picture_destroy(self);
        return result;
    }
    *out = self;
    return result_ok();
}

void water_picture_destroy(WaterPicture *water)
{
    if (!water) return;
    buffers_destroy(&water->buffers);
    studio_destroy(water->studio);
    glass_destroy(water->glass);
    screen_water_destroy(water->screen_water);
    whitewater_destroy(water->whitewater);
    water_programs_destroy(&water->layer_programs);
    gl_program_destroy(&water->water_program);
    gl_program_destroy(&water->behind_program);
    gl_program_destroy(&water->body_program);
    gl_program_destroy(&water->copy_program);
    gl_program_destroy(&water->display_program);
    gl_program_destroy(&water->edges_program);
    gl_program_destroy(&water->inside_program);
    memory_free(water);
}

static Result draw_solids(WaterPicture *self, const WaterScene *scene, const TankDef *tank,
                          const View *camera)
{
    framebuffer_bind(&self->buffers.geometry);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    TRY(obstacle_drawer_draw(scene->obstacles, scene->lit->frame, camera, false));
    if (tank->present) TRY(glass_draw_rims(self->glass, tank, camera, self->buffers.height));
    glDisable(GL_DEPTH_TEST);
    return result_ok();
}

// Sets what shaders/water.glsl reads, with the layers.
static void set_water_maps(const Buffers *buffers, const GlProgram *program, const Framebuffer *behind)
{
    gl_set_texture(program, U_scene_color, 0, buffers->scene.color[0]);
    gl_set_texture(program, U_scene_distance, 1, buffers->scene.color[1]);
    gl_set_texture(program, U_behind_color, 2, behind->color[0]);
    gl_set_texture(program, U_behind_distance, 3, behind->color[1]);
    gl_set_texture(program, U_back_normal, 4, buffers->layers.back.color[0]);
    gl_set_texture(program, U_solid_depth, 7, buffers->geometry.depth);
}

static void set_water_depths(const Buffers *buffers, const GlProgram *program)
{
    gl_set_texture(program, U_back_depth, 5, buffers->layers.back.depth);
    gl_set_texture(program, U_front_depth, 6, buffers->layers.front.depth);
}

// Units 8 and 9 are the studio's.
static void set_thickness(const Buffers *buffers, const GlProgram *program)
{
    gl_set_texture(program, U_thickness_map, 10, buffers->layers.thickness.color[0]);
}

// Shades the target's pixels that a layer of water covers, with the program in use.
static void fill_wet(const WaterPicture *self, const Framebuffer *layer, const Framebuffer *target)
{
    const Framebuffer *wet = &self->buffers.wet;
    GLint width = (GLint)wet->width, height = (GLint)wet->height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, layer->name);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, wet->name);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_DEPTH_BUFFER_BIT, GL_NEAREST);
    framebuffer_bind(target);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_GREATER); // the triangle is at the far end
    glDepthMask(GL_FALSE);
    studio_fill(self->studio);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
}

static void copy_scene(WaterPicture *self)
{
    const Buffers *buffers = &self->buffers;
    framebuffer_bind(&buffers->behind);
    gl_program_use(&self->copy_program);
    gl_set_texture(&self->copy_program, U_scene_color, 0, buffers->scene.color[0]);
    gl_set_texture(&self->copy_program, U_scene_distance, 1, buffers->scene.color[1]);
    studio_fill(self->studio);
}

static void draw_behind(WaterPicture *self, bool eye_in_water)
{
    const Buffers *buffers = &self->buffers;
    const GlProgram *program = buffers->from_mesh ? &self->behind_program : &self->body_program;
    framebuffer_bind(&buffers->behind);
    studio_use(self->studio, program);
    set_water_maps(buffers, program, &buffers->scene);
    set_thickness(buffers, program);
    gl_set_texture(program, U_second_normal, 11, buffers->second.color[0]);
    gl_set_texture(program, U_second_depth, 12, buffers->second.depth);
    if (!buffers->from_mesh) {
        fill_wet(self, &buffers->second, &buffers->behind);
        return;
    }
    set_water_depths(buffers, program);
    gl_set_float(program, U_eye_in_water, eye_in_water);
    studio_fill(self->studio);
}

static void draw_water(WaterPicture *self, const Framebuffer *picture)
{
    const Buffers *buffers = &self->buffers;
    const Framebuffer *behind = &buffers->behind;
    // Only the mean of several samples is rough and reads blurred levels.
    if (buffers->from_mesh) texture_make_mips(behind->color[0]);
    framebuffer_bind(picture);
    if (!buffers->from_mesh) {
        studio_use(self->studio, &self->display_program);
        gl_set_texture(&self->display_program, U_behind_color, 0, behind->color[0]);
        studio_fill(self->studio);
    }
    const GlProgram *program = &self->water_program;
    studio_use(self->studio, program);
    set_water_maps(buffers, program, behind);
    set_water_depths(buffers, program);
    set_thickness(buffers, program);
    gl_set_texture(program, U_front_normal, 11, buffers->layers.front.color[0]);
    if (buffers->from_mesh)
        studio_fill(self->studio);
    else
        fill_wet(self, &buffers->layers.front, picture);
}

// Draws over the picture where rays start in water.
static Result draw_inside(WaterPicture *self, const Framebuffer *picture)
{
    if (!self->inside_program.name)
        TRY(gl_program_create("fullscreen.vert", "water_inside.frag", &self->inside_program));
    framebuffer_bind(picture);
    studio_use(self->studio, &self->inside_program);
    set_water_maps(&self->buffers, &self->inside_program, &self->buffers.behind);
    set_water_depths(&self->buffers, &self->inside_program);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    studio_fill(self->studio);
    glDisable(GL_BLEND);
    return result_ok();
}

static void smooth_edges(const WaterPicture *self, const Framebuffer *picture)
{
    framebuffer_bind(picture);
    gl_program_use(&self->edges_program);
    gl_set_texture(&self->edges_program, U_picture, 0, self->buffers.stairs.color[0]);
    studio_fill(self->studio);
}

// Over the finished picture. With drops in front, the bodies of water are the second layer.
static Result draw_whitewater(WaterPicture *self, const WaterScene *scene, const Framebuffer *picture)
{
    const Buffers *buffers = &self->buffers;
    const DiffuseParticles *particles = scene->lit->frame->diffuse;
    if (!particles || particles->count == 0) return result_ok();
    if (!self->whitewater) TRY(whitewater_create(&self->whitewater));
    const Framebuffer *front = buffers->from_mesh ? &buffers->layers.front : &buffers->second;
    WhitewaterScene whitewater = {.studio = self->studio,
                                  .particles = particles,
                                  .solid_depth = buffers->geometry.depth,
                                  .front_depth = front->depth,
                                  .back_depth =
                                      buffers->with_back ? buffers->layers.back.depth : front->depth,
                                  .spacing = scene->lit->frame->spacing,
                                  .shutter = scene->shutter};
    return whitewater_draw(self->whitewater, &whitewater, picture);
}

static Result draw_sun_layers(WaterPicture *self, const WaterScene *scene)
{
    const WaterLayers *layers = studio_sun_layers(self->studio);
    const View *sun = studio_sun(self->studio);
    if (scene->particles)
        return screen_water_draw_sun(self->screen_water, layers, scene->particles, scene->drops, sun,
                                     studio_walls(scene->lit));
    WaterLayers faces = {.front = layers->front, .back = layers->back};
    water_layers_draw_mesh(&faces, &self->layer_programs, scene->mesh, sun, 0);
    return result_ok();
}

static Result draw_bodies(WaterPicture *self, const WaterScene *scene, const View *camera)
{
    const WaterLayers *layers = &self->buffers.layers;
    WaterLayers bodies = {.front = self->buffers.second, .thickness = layers->thickness};
    TRY(screen_water_draw(self->screen_water, &bodies, scene->particles, camera, studio_walls(scene->lit),
                          self->buffers.geometry.depth));
    return drop_drawer_draw(scene->drops, camera, &layers->front);
}

// Camera under screen-space water, of which it sees no front.
static Result draw_water_around(WaterPicture *self, const WaterScene *scene, const View *camera)
{
    const Framebuffer *fronts[2] = {&self->buffers.second, &self->buffers.layers.front};
    for (int k = 0; k < 2; k++) {
        framebuffer_bind(fronts[k]);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    }
    return screen_water_draw_back(self->screen_water, &self->buffers.layers, scene->particles, camera,
                                  studio_walls(scene->lit));
}

static Result draw_layers(WaterPicture *self, const WaterScene *scene, const View *camera, bool eye_in_water)
{
    const WaterLayers *layers = &self->buffers.layers;
    GLuint solids = self->buffers.geometry.depth;
    if (scene->particles) {
        TRY(eye_in_water ? draw_water_around(self, scene, camera) : draw_bodies(self, scene, camera));
        copy_scene(self);
        draw_behind(self, false);
        return result_ok();
    }
    water_layers_draw_mesh(layers, &self->layer_programs, scene->mesh, camera, solids);
    water_layers_draw_second(layers, &self->layer_programs, scene->mesh, camera, self->buffers.samples,
                             0.3f * scene->lit->frame->spacing, &self->buffers.second);
    draw_behind(self, eye_in_water);
    return result_ok();
}

Result water_picture_draw(WaterPicture *water, const WaterScene *scene, const View *camera,
                          const Framebuffer *picture)
{
    bool from_mesh = !scene->particles;
    const LitScene *lit = scene->lit;
    Studio *studio = water->studio;
    TankDef tank =
        lit->frame->obstacles ? obstacles_tank(lit->frame->obstacles) : (TankDef){.present = false};
    if (lit->hide_tank) tank.present = false;
    bool eye_in_water =
        from_mesh ? eye_may_be_in_water(lit->frame, camera) : is_in_water(lit->frame, camera->eye);
    TRY(fit_buffers(water, picture->width, picture->height, from_mesh, eye_in_water));
    const Buffers *buffers = &water->buffers;
    TRY(studio_begin(studio, lit, camera, &buffers->geometry, buffers->samples, from_mesh));
    if (!studio_is_lit(studio, lit)) {
        TRY(draw_sun_layers(water, scene));
        TRY(studio_light_floor(studio, scene->obstacles, lit));
    }
    TRY(draw_solids(water, scene, &tank, camera));
    studio_draw_scene(studio, &buffers->geometry, &buffers->scene);
    TRY(draw_layers(water, scene, camera, eye_in_water));
    const Framebuffer *target = buffers->samples == 1 ? &buffers->stairs : picture;
    draw_water(water, target);
    if (eye_in_water) TRY(draw_inside(water, target));
    if (target != picture) smooth_edges(water, picture);
    TRY(draw_whitewater(water, scene, picture));
    return gl_check("the water");
}
