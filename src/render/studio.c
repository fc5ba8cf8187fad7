#include "render/studio.h"

#include "core/memory.h"
#include "render/gl_program.h"

#include <math.h>
#include <string.h>

enum {
    SKY_SIDE = 512,
    // Texels of the floor's light map and of the sun's view, for large pictures and for small ones.
    LARGE_SIDE = 1024,
    SMALL_SIDE = 768,
    LARGE_PICTURE = 900, // px, height
    BLOCK = 0,           // where shaders find the uniform block
    SKY_UNIT = 8,
    FLOOR_UNIT = 9,
};

// From high behind on the left: light comes through the water toward the viewer.
static const Vec3 SUN = {-0.50f, 0.42f, 0.80f};

// Of water, per meter, in a scene whose diagonal is REFERENCE_SIZE: red is absorbed first. Small scenes are
// tinted as strongly as large ones.
static const float ABSORPTION[3] = {0.55f, 0.145f, 0.075f}, SCATTERING = 0.20f, REFERENCE_SIZE = 15.4f;

// shaders/studio.glsl, same order.
typedef struct Block {
    float view_projection[16], sun_view_projection[16];
    float eye[4], right[4], up[4], forward[4];
    float toward_sun[4];
    float tank_lo[4], tank_hi[4], tank[4], region[4];
    float sun_eye[4], sun_right[4], sun_up[4], sun_forward[4];
    float depths[4], buffer_size[4];
    float absorption[4];
    float tile[4];
} Block;

struct Studio {
    uint32_t side; // of the maps
    Block block;
    View sun;
    uint64_t lit; // LitScene.light of what the sun's layers and the floor hold, 0 if unknown
    GLuint uniforms, empty_array;
    GlProgram scene_program, caustics_program, smooth_program;
    Framebuffer sky, beams, floor_half, floor, solids;
    WaterLayers sun_layers;
};

static Vec3 toward_sun(void)
{
    return vec3_normalize_or(SUN, vec3_make(0, 0, 1));
}

static void set4(float out[4], Vec3 v, float w)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    out[3] = w;
}

void studio_fill(const Studio *studio)
{
    glBindVertexArray(studio->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static Result draw_sky(Studio *self)
{
    GlProgram program;
    TRY(gl_program_create("fullscreen.vert", "studio_sky.frag", &program));
    glDisable(GL_DEPTH_TEST);
    framebuffer_bind(&self->sky);
    gl_program_use(&program);
    gl_set_vec3(&program, U_sun_direction, toward_sun());
    gl_set_float(&program, U_side, SKY_SIDE);
    studio_fill(self);
    texture_make_mips(self->sky.color[0]);
    gl_program_destroy(&program);
    return gl_check("the sky");
}

static void destroy_maps(Studio *self)
{
    framebuffer_destroy(&self->floor);
    framebuffer_destroy(&self->floor_half);
    framebuffer_destroy(&self->beams);
    framebuffer_destroy(&self->solids);
    water_layers_destroy(&self->sun_layers);
    self->side = 0;
    self->lit = 0;
}

static Result create_maps(Studio *self, uint32_t side)
{
    TRY(framebuffer_create(&self->beams, side, side, GL_RGBA16F, 0, false));
    TRY(framebuffer_create(&self->floor_half, side, side, GL_RGBA16F, 0, false));
    TRY(framebuffer_create(&self->floor, side, side, GL_RGBA16F, 0, false));
    TRY(framebuffer_create(&self->solids, side, side, 0, 0, true));
    return water_layers_create(&self->sun_layers, side, side, WATER_BACK | WATER_THICKNESS);
}

static Result fit_maps(Studio *self, uint32_t picture_height)
{
    uint32_t side = picture_height >= LARGE_PICTURE ? LARGE_SIDE : SMALL_SIDE;
    if (self->side == side) return result_ok();
    destroy_maps(self);
    Result result = create_maps(self, side);
    if (result_is_ok(&result))
        self->side = side;
    else
        destroy_maps(self);
    return result;
}

static Result create_parts(Studio *self)
{
    glGenBuffers(1, &self->uniforms);
    glGenVertexArrays(1, &self->empty_array);
    TRY(gl_program_create("fullscreen.vert", "studio_scene.frag", &self->scene_program));
    TRY(gl_program_create("caustics.vert", "caustics.frag", &self->caustics_program));
    TRY(gl_program_create("fullscreen.vert", "caustics_smooth.frag", &self->smooth_program));
    TRY(framebuffer_create(&self->sky, SKY_SIDE, SKY_SIDE, GL_RGBA16F, 0, false));
    return draw_sky(self);
}

Result studio_create(Studio **out)
{
    *out = NULL;
    Studio *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result = create_parts(self);
    if (!result_is_ok(&result)) {
        studio_destroy(self);
        return result;
    }
    *out = self;
    return result_ok();
}

void studio_destroy(Studio *studio)
{
    if (!studio) return;
    framebuffer_destroy(&studio->sky);
    destroy_maps(studio);
    gl_program_destroy(&studio->scene_program);
    gl_program_destroy(&studio->caustics_program);
    gl_program_destroy(&studio->smooth_program);
    glDeleteBuffers(1, &studio->uniforms);
    glDeleteVertexArrays(1, &studio->empty_array);
    memory_free(studio);
}

// The largest of 1, 2, 5, 10, ... that is not above.
static float round_length(float length)
{
    float power = powf(10, floorf(log10f(length))), digit = length / power;
    return power * (digit < 2 ? 1.0f : digit < 5 ? 2.0f : 5.0f);
}

// The part of the ground on which shadows and caustics can fall.
static void set_region(Block *block, Box3 bounds, float size)
{
    Vec3 sun = toward_sun();
    float height = fmaxf(bounds.hi.z, 0), margin = 0.04f * size;
    float x = -sun.x / sun.z * height, y = -sun.y / sun.z * height;
    block->region[0] = fminf(bounds.lo.x, bounds.lo.x + x) - margin;
    block->region[1] = fminf(bounds.lo.y, bounds.lo.y + y) - margin;
    block->region[2] = fmaxf(bounds.hi.x, bounds.hi.x + x) + margin - block->region[0];
    block->region[3] = fmaxf(bounds.hi.y, bounds.hi.y + y) + margin - block->region[1];
}

Box3 studio_walls(const LitScene *scene)
{
    const float far = 1e6f;
    TankDef tank = scene->frame->obstacles ? obstacles_tank(scene->frame->obstacles) : (TankDef){0};
    bool shut[TANK_FACE_COUNT];
    for (int k = 0; k < TANK_FACE_COUNT; k++) shut[k] = tank.present && !tank.open[k];
    return (Box3){
        vec3_make(shut[TANK_X_LO] ? 0 : -far, shut[TANK_Y_LO] ? 0 : -far, shut[TANK_Z_LO] ? 0 : -far),
        vec3_make(shut[TANK_X_HI] ? tank.size.x : far, shut[TANK_Y_HI] ? tank.size.y : far,
                  shut[TANK_Z_HI] ? tank.size.z : far)};
}

static void set_tank(Block *block, const LitScene *scene)
{
    TankDef tank = scene->frame->obstacles ? obstacles_tank(scene->frame->obstacles) : (TankDef){0};
    Box3 walls = studio_walls(scene);
    set4(block->tank_lo, walls.lo, 0);
    set4(block->tank_hi, walls.hi, 0);
    set4(block->tank, tank.size, tank.present && !scene->hide_tank);
}

static void set_camera(Block *block, const View *camera, float size, float spacing)
{
    memcpy(block->view_projection, camera->view_projection, sizeof block->view_projection);
    set4(block->eye, camera->eye, size);
    set4(block->right, camera->right, camera->tan_x);
    set4(block->up, camera->up, camera->tan_y);
    set4(block->forward, camera->forward, spacing);
}

static void set_sun(Block *block, const View *sun, uint32_t side)
{
    memcpy(block->sun_view_projection, sun->view_projection, sizeof block->sun_view_projection);
    set4(block->sun_eye, sun->eye, 2 * fmaxf(sun->tan_x, sun->tan_y) / (float)side);
    set4(block->sun_right, sun->right, sun->tan_x);
    set4(block->sun_up, sun->up, sun->tan_y);
    set4(block->sun_forward, sun->forward, 0);
}

Result studio_begin(Studio *studio, const LitScene *scene, const View *camera, const Framebuffer *geometry,
                    uint32_t samples, bool with_back)
{
    Block block = {0};
    TRY(fit_maps(studio, geometry->height / samples));
    float size = vec3_length(vec3_sub(scene->stage.hi, scene->stage.lo)), scale = REFERENCE_SIZE / size;
    studio->sun = view_of_light(toward_sun(), scene->bounds);
    set_camera(&block, camera, size, scene->frame->spacing);
    set_sun(&block, &studio->sun, studio->side);
    set4(block.toward_sun, toward_sun(), scene->ground && camera->eye.z > 0);
    set_tank(&block, scene);
    set_region(&block, scene->bounds, size);
    block.depths[0] = camera->projection[10];
    block.depths[1] = camera->projection[14];
    block.depths[2] = studio->sun.near;
    block.depths[3] = studio->sun.far;
    block.buffer_size[0] = (float)geometry->width;
    block.buffer_size[1] = (float)geometry->height;
    block.buffer_size[2] = (float)samples;
    for (int k = 0; k < 3; k++) block.absorption[k] = ABSORPTION[k] * scale;
    block.absorption[3] = SCATTERING * scale;
    block.tile[0] = round_length(0.06f * size);
    block.tile[1] = 0.025f * block.tile[0];
    block.tile[2] = 2 * camera->tan_y * (float)samples / (float)geometry->height;
    block.tile[3] = with_back;
    studio->block = block;
    glBindBuffer(GL_UNIFORM_BUFFER, studio->uniforms);
    glBufferData(GL_UNIFORM_BUFFER, sizeof block, &block, GL_STREAM_DRAW);
    glBindBuffer(GL_UNIFORM_BUFFER, 0);
    return gl_check("the studio");
}

bool studio_is_lit(const Studio *studio, const LitScene *scene)
{
    return scene->light != 0 && studio->lit == scene->light;
}

const View *studio_sun(const Studio *studio)
{
    return &studio->sun;
}

const WaterLayers *studio_sun_layers(const Studio *studio)
{
    return &studio->sun_layers;
}

void studio_use(const Studio *studio, const GlProgram *program)
{
    gl_program_use(program);
    glBindBufferBase(GL_UNIFORM_BUFFER, BLOCK, studio->uniforms);
    glUniformBlockBinding(program->name, glGetUniformBlockIndex(program->name, "Studio"), BLOCK);
    gl_set_texture(program, U_sky_map, SKY_UNIT, studio->sky.color[0]);
    gl_set_texture(program, U_floor_map, FLOOR_UNIT, studio->floor.color[0]);
}

static void set_sun_maps(const Studio *self, const GlProgram *program, int unit)
{
    gl_set_texture(program, U_sun_solid, unit, self->solids.depth);
    gl_set_texture(program, U_sun_water, unit + 1, self->sun_layers.front.depth);
    gl_set_texture(program, U_sun_thickness, unit + 2, self->sun_layers.thickness.color[0]);
    gl_set_texture(program, U_sun_back, unit + 3, self->sun_layers.back.depth);
}

static void cast_net(const Studio *self)
{
    const GlProgram *program = &self->caustics_program;
    const Block *block = &self->block;
    framebuffer_bind(&self->beams);
    glClear(GL_COLOR_BUFFER_BIT);
    studio_use(self, program);
    set_sun_maps(self, program, 0);
    gl_set_texture(program, U_sun_normal, 4, self->sun_layers.front.color[0]);
    gl_set_texture(program, U_sun_back_normal, 5, self->sun_layers.back.color[0]);
    uint32_t net = self->side * 5 / 8;
    gl_set_float(program, U_side, (float)net);
    // The net's unit square is the sun's whole view, projected onto the ground.
    float area = 4 * self->sun.tan_x * self->sun.tan_y / block->toward_sun[2];
    float texels = (float)self->side * (float)self->side / (block->region[2] * block->region[3]);
    gl_set_float(program, U_density, area * texels);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glBindVertexArray(self->empty_array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, (GLsizei)(2 * (net + 1)), (GLsizei)net);
    glDisable(GL_BLEND);
}

// Both directions of a blur.
static void smooth_floor(const Studio *self)
{
    const GlProgram *program = &self->smooth_program;
    const Framebuffer *maps[3] = {&self->beams, &self->floor_half, &self->floor};
    for (int k = 0; k < 2; k++) {
        framebuffer_bind(maps[k + 1]);
        studio_use(self, program);
        gl_set_texture(program, U_beams, 0, maps[k]->color[0]);
        gl_set_vec2(program, U_direction, k == 0, k == 1);
        studio_fill(self);
    }
}

Result studio_light_floor(Studio *studio, ObstacleDrawer *obstacles, const LitScene *scene)
{
    studio->lit = 0;
    framebuffer_bind(&studio->solids);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_DEPTH_BUFFER_BIT);
    TRY(obstacle_drawer_draw(obstacles, scene->frame, &studio->sun, true));
    glDisable(GL_DEPTH_TEST);
    cast_net(studio);
    smooth_floor(studio);
    texture_make_mips(studio->floor.color[0]);
    TRY(gl_check("light on the floor"));
    studio->lit = scene->light;
    return result_ok();
}

void studio_draw_scene(Studio *studio, const Framebuffer *geometry, const Framebuffer *target)
{
    const GlProgram *program = &studio->scene_program;
    framebuffer_bind(target);
    studio_use(studio, program);
    gl_set_texture(program, U_albedo_map, 0, geometry->color[0]);
    gl_set_texture(program, U_normal_map, 1, geometry->color[1]);
    gl_set_texture(program, U_depth_map, 2, geometry->depth);
    set_sun_maps(studio, program, 3);
    studio_fill(studio);
}
