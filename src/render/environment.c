#include "render/environment.h"

#include "core/memory.h"
#include "render/gl_program.h"

#include <math.h>
#include <string.h>

enum {
    SHADOW_SIDE = 1024,
    GROUND_SIDE = 256,  // of the ground's sun light map
    CONTACT_SIDE = 128, // of the ground's sky light map
    CONTACT_BLUR = 6,   // texels
};

// From the left, the front and high above. Not quite of unit length: see toward_sun.
static const Vec3 SUN = {-0.50f, -0.32f, 0.82f};

// The maps that are as large as the picture.
typedef struct PictureMaps {
    Framebuffer nearest, light, smooth_light;
} PictureMaps;

struct Environment {
    Framebuffer shadow, ground;
    PictureMaps maps;
    GlProgram ground_program, nearest_program, light_program, smooth_program, sky_program, composite_program;
    GLuint empty_array, contact;
    View sun;
    uint64_t lit; // LitScene.light of what shadow and ground hold, 0 if unknown
    float heights[CONTACT_SIDE * CONTACT_SIDE];
    float blurred[CONTACT_SIDE * CONTACT_SIDE];
    uint8_t contact_texels[CONTACT_SIDE * CONTACT_SIDE];
};

static Vec3 toward_sun(void)
{
    return vec3_normalize_or(SUN, vec3_make(0, 0, 1));
}

static float diagonal(Box3 box)
{
    return vec3_length(vec3_sub(box.hi, box.lo));
}

static void picture_maps_destroy(PictureMaps *maps)
{
    framebuffer_destroy(&maps->nearest);
    framebuffer_destroy(&maps->light);
    framebuffer_destroy(&maps->smooth_light);
}

static Result picture_maps_fill(PictureMaps *maps, uint32_t width, uint32_t height)
{
    TRY(framebuffer_create(&maps->nearest, width, height, 0, 0, true));
    TRY(framebuffer_create(&maps->light, width, height, GL_RGBA16F, 0, false));
    TRY(framebuffer_create(&maps->smooth_light, width, height, GL_RG8, 0, false));
    framebuffer_share_depth(&maps->light, &maps->nearest);
    framebuffer_share_depth(&maps->smooth_light, &maps->nearest);
    return gl_check("the light maps");
}

Result environment_resize(Environment *environment, uint32_t width, uint32_t height)
{
    PictureMaps maps = {0};
    Result result = picture_maps_fill(&maps, width, height);
    if (!result_is_ok(&result)) {
        picture_maps_destroy(&maps);
        return result;
    }
    picture_maps_destroy(&environment->maps);
    environment->maps = maps;
    return result_ok();
}

static Result create_parts(Environment *self, uint32_t width, uint32_t height)
{
    TRY(gl_program_create("fullscreen.vert", "ground.frag", &self->ground_program));
    TRY(gl_program_create("fullscreen.vert", "light.frag", &self->light_program));
    TRY(gl_program_create("fullscreen.vert", "light_smooth.frag", &self->smooth_program));
    TRY(gl_program_create("fullscreen.vert", "nearest.frag", &self->nearest_program));
    TRY(gl_program_create("fullscreen.vert", "sky.frag", &self->sky_program));
    TRY(gl_program_create("fullscreen.vert", "composite.frag", &self->composite_program));
    TRY(framebuffer_create(&self->shadow, SHADOW_SIDE, SHADOW_SIDE, 0, 0, true));
    TRY(framebuffer_create(&self->ground, GROUND_SIDE, GROUND_SIDE, GL_R8, 0, false));
    TRY(environment_resize(self, width, height));
    self->contact =
        texture_create(GL_R8, CONTACT_SIDE, CONTACT_SIDE, GL_RED, GL_UNSIGNED_BYTE, NULL, GL_LINEAR);
    glGenVertexArrays(1, &self->empty_array);
    return gl_check("the light maps");
}

Result environment_create(uint32_t width, uint32_t height, Environment **out)
{
    *out = NULL;
    Environment *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    Result result = create_parts(self, width, height);
    if (!result_is_ok(&result)) {
        environment_destroy(self);
        return result;
    }
    *out = self;
    return result_ok();
}

void environment_destroy(Environment *environment)
{
    if (!environment) return;
    framebuffer_destroy(&environment->shadow);
    framebuffer_destroy(&environment->ground);
    picture_maps_destroy(&environment->maps);
    gl_program_destroy(&environment->ground_program);
    gl_program_destroy(&environment->nearest_program);
    gl_program_destroy(&environment->sky_program);
    gl_program_destroy(&environment->light_program);
    gl_program_destroy(&environment->smooth_program);
    gl_program_destroy(&environment->composite_program);
    glDeleteTextures(1, &environment->contact);
    glDeleteVertexArrays(1, &environment->empty_array);
    memory_free(environment);
}

View environment_begin_shadow(Environment *environment, const LitScene *scene, const Framebuffer **map)
{
    environment->sun = view_of_light(toward_sun(), scene->bounds);
    *map = NULL;
    if (scene->light != 0 && scene->light == environment->lit) return environment->sun;
    environment->lit = 0;
    framebuffer_bind(&environment->shadow);
    glClear(GL_DEPTH_BUFFER_BIT);
    *map = &environment->shadow;
    return environment->sun;
}

// The part of the ground on which shadows can fall: x0, y0, width, depth.
static void ground_region(const LitScene *scene, float region[4])
{
    Vec3 sun = toward_sun();
    float height = fmaxf(scene->bounds.hi.z, 0), margin = 0.15f * diagonal(scene->bounds);
    float shift_x = -sun.x / sun.z * height, shift_y = -sun.y / sun.z * height;
    float x0 = fminf(scene->bounds.lo.x, scene->bounds.lo.x + shift_x) - margin;
    float x1 = fmaxf(scene->bounds.hi.x, scene->bounds.hi.x + shift_x) + margin;
    float y0 = fminf(scene->bounds.lo.y, scene->bounds.lo.y + shift_y) - margin;
    float y1 = fmaxf(scene->bounds.hi.y, scene->bounds.hi.y + shift_y) + margin;
    region[0] = x0;
    region[1] = y0;
    region[2] = x1 - x0;
    region[3] = y1 - y0;
}

static int contact_cell(float at, float start, float extent)
{
    float cell = (at - start) / extent * CONTACT_SIDE;
    return cell < 0 ? -1 : cell >= CONTACT_SIDE ? -1 : (int)cell;
}

// Height of the lowest particle or solid above each texel of the ground.
static void find_heights(Environment *self, const LitScene *scene, const float region[4])
{
    for (int k = 0; k < CONTACT_SIDE * CONTACT_SIDE; k++) self->heights[k] = INFINITY;
    const FrameView *frame = scene->frame;
    for (uint32_t k = 0; k < frame->count; k++) {
        int i = contact_cell(frame->x[k], region[0], region[2]),
            j = contact_cell(frame->y[k], region[1], region[3]);
        if (i < 0 || j < 0 || !(frame->z[k] >= 0)) continue;
        float *height = &self->heights[j * CONTACT_SIDE + i];
        if (frame->z[k] < *height) *height = frame->z[k]; // fminf would be a call for each particle
    }
    uint32_t bodies = frame->obstacles ? obstacles_count(frame->obstacles) : 0;
    for (uint32_t k = 0; k < bodies; k++) {
        Box3 box = obstacles_bounds(frame->obstacles, k);
        box.lo = vec3_max(box.lo, scene->bounds.lo);
        box.hi = vec3_min(box.hi, scene->bounds.hi);
        for (int j = 0; j < CONTACT_SIDE; j++) {
            float y = region[1] + ((float)j + 0.5f) * region[3] / CONTACT_SIDE;
            for (int i = 0; i < CONTACT_SIDE && y >= box.lo.y && y <= box.hi.y; i++) {
                float x = region[0] + ((float)i + 0.5f) * region[2] / CONTACT_SIDE;
                float *height = &self->heights[j * CONTACT_SIDE + i];
                if (x >= box.lo.x && x <= box.hi.x) *height = fminf(*height, fmaxf(box.lo.z, 0));
            }
        }
    }
}

// One direction of a Gaussian blur; steps of 1 go along rows, steps of CONTACT_SIDE along columns.
static void blur_contact(const float *from, float *to, int step)
{
    float weight[CONTACT_BLUR * 2 + 1], sum = 0;
    for (int k = -CONTACT_BLUR * 2; k <= CONTACT_BLUR * 2; k += 2) {
        float w = expf(-2.0f * (float)(k * k) / (4 * CONTACT_BLUR * CONTACT_BLUR));
        weight[(k + CONTACT_BLUR * 2) / 2] = w;
        sum += w;
    }
    for (int at = 0; at < CONTACT_SIDE * CONTACT_SIDE; at++) {
        int place = step == 1 ? at % CONTACT_SIDE : at / CONTACT_SIDE;
        float total = 0;
        for (int k = -CONTACT_BLUR; k <= CONTACT_BLUR; k++) {
            int other = place + k;
            if (other >= 0 && other < CONTACT_SIDE) total += weight[k + CONTACT_BLUR] * from[at + k * step];
        }
        to[at] = total / sum;
    }
}

// Share of the sky hidden from each texel of the ground. What hangs high covers little of it.
static void update_contact(Environment *self, const LitScene *scene, const float region[4])
{
    find_heights(self, scene, region);
    float reach = 0.10f * diagonal(scene->bounds);
    for (int k = 0; k < CONTACT_SIDE * CONTACT_SIDE; k++) self->heights[k] = expf(-self->heights[k] / reach);
    blur_contact(self->heights, self->blurred, 1);
    blur_contact(self->blurred, self->heights, CONTACT_SIDE);
    for (int k = 0; k < CONTACT_SIDE * CONTACT_SIDE; k++) {
        self->contact_texels[k] = (uint8_t)(255 * fminf(self->heights[k], 1) + 0.5f);
    }
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, self->contact);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, CONTACT_SIDE, CONTACT_SIDE, GL_RED, GL_UNSIGNED_BYTE,
                    self->contact_texels);
}

static void set_sun(const Environment *self, const GlProgram *program, int unit)
{
    const View *sun = &self->sun;
    gl_set_texture(program, U_shadow_map, unit, self->shadow.depth);
    gl_set_vec3(program, U_sun_eye, sun->eye);
    gl_set_vec3(program, U_sun_right, sun->right);
    gl_set_vec3(program, U_sun_up, sun->up);
    gl_set_vec3(program, U_sun_forward, sun->forward);
    gl_set_vec4(program, U_sun_box, sun->tan_x, sun->tan_y, sun->near, sun->far);
}

static void set_rays(const GlProgram *program, const View *camera)
{
    gl_set_vec3(program, U_eye, camera->eye);
    gl_set_vec3(program, U_right, camera->right);
    gl_set_vec3(program, U_up, camera->up);
    gl_set_vec3(program, U_forward, camera->forward);
    gl_set_vec2(program, U_tangent, camera->tan_x, camera->tan_y);
}

static void set_depths(const GlProgram *program, const View *camera, uint32_t samples)
{
    gl_set_vec2(program, U_depth_scale, camera->projection[10], camera->projection[14]);
    gl_set_int(program, U_samples, (int)samples);
}

static void draw_everywhere(const Environment *self)
{
    glBindVertexArray(self->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void light_ground(Environment *self, const LitScene *scene, const float region[4])
{
    update_contact(self, scene, region);
    framebuffer_bind(&self->ground);
    gl_program_use(&self->ground_program);
    set_sun(self, &self->ground_program, 0);
    gl_set_vec4(&self->ground_program, U_region, region[0], region[1], region[2], region[3]);
    gl_set_float(&self->ground_program, U_side, GROUND_SIDE);
    gl_set_float(&self->ground_program, U_grain, scene->grain);
    gl_set_float(&self->ground_program, U_size, diagonal(scene->stage));
    draw_everywhere(self);
}

// Draws on pixels that show a surface only: the triangle lies at the far end of the depth range.
static void draw_on_surfaces(const Environment *self)
{
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_GREATER);
    glDepthMask(GL_FALSE);
    draw_everywhere(self);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
}

static void find_nearest(Environment *self, const View *camera, const Framebuffer *geometry, uint32_t samples)
{
    framebuffer_bind(&self->maps.nearest);
    gl_program_use(&self->nearest_program);
    set_depths(&self->nearest_program, camera, samples);
    gl_set_texture(&self->nearest_program, U_depth_map, 0, geometry->depth);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    draw_everywhere(self);
    glDepthFunc(GL_LESS);
    glDisable(GL_DEPTH_TEST);
}

static void light_surfaces(Environment *self, const LitScene *scene, const View *camera,
                           const Framebuffer *geometry, uint32_t samples)
{
    find_nearest(self, camera, geometry, samples);
    const GlProgram *program = &self->light_program;
    framebuffer_bind(&self->maps.light);
    glClear(GL_COLOR_BUFFER_BIT);
    gl_program_use(program);
    set_sun(self, program, 0);
    set_rays(program, camera);
    set_depths(program, camera, samples);
    gl_set_vec2(program, U_buffer_size, (float)geometry->width, (float)geometry->height);
    gl_set_texture(program, U_depth_map, 1, geometry->depth);
    gl_set_texture(program, U_normal_map, 2, geometry->color[1]);
    gl_set_float(program, U_grain, scene->grain);
    gl_set_float(program, U_size, diagonal(scene->stage));
    draw_on_surfaces(self);
    program = &self->smooth_program;
    framebuffer_bind(&self->maps.smooth_light);
    gl_program_use(program);
    gl_set_texture(program, U_light_map, 0, self->maps.light.color[0]);
    gl_set_float(program, U_grain, scene->grain);
    draw_on_surfaces(self);
}

static void set_surroundings(const Environment *self, const GlProgram *program, const LitScene *scene,
                             const View *camera, const Framebuffer *picture, const float region[4])
{
    gl_set_texture(program, U_ground_map, 4, self->ground.color[0]);
    gl_set_texture(program, U_contact_map, 5, self->contact);
    gl_set_vec2(program, U_picture_size, (float)picture->width, (float)picture->height);
    gl_set_vec4(program, U_region, region[0], region[1], region[2], region[3]);
    gl_set_vec3(program, U_toward_sun, toward_sun());
    gl_set_vec3(program, U_middle, vec3_scale(vec3_add(scene->stage.lo, scene->stage.hi), 0.5f));
    gl_set_float(program, U_size, diagonal(scene->stage));
    gl_set_int(program, U_has_ground, scene->ground && camera->eye.z > 0);
}

Result environment_shade(Environment *environment, const LitScene *scene, const View *camera,
                         const Framebuffer *geometry, uint32_t samples, const Framebuffer *picture)
{
    float region[4];
    ground_region(scene, region);
    glDisable(GL_DEPTH_TEST);
    if (scene->ground && environment->lit == 0) light_ground(environment, scene, region);
    environment->lit = scene->light;
    light_surfaces(environment, scene, camera, geometry, samples);

    const GlProgram *program = &environment->sky_program;
    framebuffer_bind(picture);
    gl_program_use(program);
    set_rays(program, camera);
    set_surroundings(environment, program, scene, camera, picture, region);
    draw_everywhere(environment);

    program = &environment->composite_program;
    framebuffer_share_depth(picture, &environment->maps.nearest);
    gl_program_use(program);
    set_rays(program, camera);
    set_depths(program, camera, samples);
    set_surroundings(environment, program, scene, camera, picture, region);
    gl_set_texture(program, U_albedo_map, 0, geometry->color[0]);
    gl_set_texture(program, U_normal_map, 1, geometry->color[1]);
    gl_set_texture(program, U_depth_map, 2, geometry->depth);
    gl_set_texture(program, U_light_map, 3, environment->maps.smooth_light.color[0]);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_ONE, GL_SRC_ALPHA, GL_ZERO, GL_ONE);
    draw_on_surfaces(environment);
    glDisable(GL_BLEND);
    return gl_check("lighting the picture");
}
