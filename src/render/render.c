// The order in which a picture is drawn.
#include "render/render.h"

#include "core/memory.h"
#include "render/colormap.h"
#include "render/environment.h"
#include "render/framebuffer.h"
#include "render/gl_program.h"
#include "render/legend.h"
#include "render/obstacles_draw.h"
#include "render/overlay.h"
#include "render/particles.h"
#include "render/range.h"
#include "render/tank_lines.h"
#include "render/view.h"

#include <math.h>
#include <string.h>

// Pictures are drawn at twice their size on each axis and averaged: sphere edges come from discarded pixels,
// which multisampling does not smooth. Above this many samples the picture is drawn at its own size.
static const uint64_t MAX_SAMPLES = 48u << 20;

struct Renderer {
    RenderDef def;
    uint32_t samples; // per pixel along each axis
    Framebuffer geometry, picture;
    GLuint colormap;
    ParticleDrawer *particles;
    ObstacleDrawer *obstacles;
    TankLines *tank_lines;
    Environment *environment;
    Overlay *overlay;
    FieldRange range;
    bool staged; // stage is set
    Box3 stage;  // what an automatic camera frames: the tank, else what the first frame with anything in it
                 // holds
};

static const char *const STYLE_NAMES[STYLE_COUNT] = {"particles"};

const char *render_style_name(RenderStyle style)
{
    return STYLE_NAMES[style];
}

RenderDef render_def_default(void)
{
    return (RenderDef){
        .width = 1280,
        .height = 720,
        .style = STYLE_PARTICLES,
        .color_by = FIELD_SPEED,
        .auto_range = true,
        .legend = true,
        .camera = {.automatic = true, .fov = 30},
    };
}

// The largest side of a picture that the driver can draw, px.
static uint32_t driver_limit(void)
{
    GLint texture = 0, viewport[2] = {0, 0};
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &texture);
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    GLint limit = viewport[0] < viewport[1] ? viewport[0] : viewport[1];
    return (uint32_t)(texture < limit ? texture : limit);
}

static Result create_parts(Renderer *self)
{
    uint32_t width = self->def.width, height = self->def.height;
    uint8_t table[COLORMAP_SIZE * 3];
    colormap_table(table);
    self->colormap = texture_create(GL_RGB8, COLORMAP_SIZE, 1, GL_RGB, GL_UNSIGNED_BYTE, table, GL_LINEAR);
    TRY(framebuffer_create(&self->picture, width, height, GL_RGBA8, 0, false));
    TRY(framebuffer_create(&self->geometry, width * self->samples, height * self->samples, GL_RGBA8,
                           GL_RGB10_A2, true));
    TRY(environment_create(width, height, &self->environment));
    TRY(particle_drawer_create(&self->particles));
    TRY(obstacle_drawer_create(&self->obstacles));
    TRY(tank_lines_create(&self->tank_lines));
    return overlay_create(&self->overlay);
}

Result renderer_create(const RenderDef *def, Renderer **out)
{
    *out = NULL;
    uint32_t limit = driver_limit();
    if (def->width < 1 || def->height < 1 || def->width > limit || def->height > limit) {
        return result_error(RESULT_USAGE, "picture size %ux%u: this OpenGL driver draws 1x1 to %ux%u",
                            def->width, def->height, limit, limit);
    }
    Renderer *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    self->def = *def;
    uint64_t pixels = (uint64_t)def->width * def->height;
    bool fits = 2 * def->width <= limit && 2 * def->height <= limit && 4 * pixels <= MAX_SAMPLES;
    self->samples = fits ? 2 : 1;
    Result result = create_parts(self);
    if (!result_is_ok(&result)) {
        renderer_destroy(self);
        return result;
    }
    *out = self;
    return result_ok();
}

void renderer_destroy(Renderer *renderer)
{
    if (!renderer) return;
    overlay_destroy(renderer->overlay);
    tank_lines_destroy(renderer->tank_lines);
    obstacle_drawer_destroy(renderer->obstacles);
    particle_drawer_destroy(renderer->particles);
    environment_destroy(renderer->environment);
    framebuffer_destroy(&renderer->geometry);
    framebuffer_destroy(&renderer->picture);
    glDeleteTextures(1, &renderer->colormap);
    memory_free(renderer);
}

static Box3 box_join(Box3 a, Box3 b)
{
    return (Box3){vec3_min(a.lo, b.lo), vec3_max(a.hi, b.hi)};
}

// Around everything in the frame, empty if there is nothing.
static Box3 content_bounds(const FrameView *view, const TankDef *tank)
{
    Box3 box = {vec3_make(INFINITY, INFINITY, INFINITY), vec3_make(-INFINITY, -INFINITY, -INFINITY)};
    uint32_t bodies = view->obstacles ? obstacles_count(view->obstacles) : 0;
    for (uint32_t k = 0; k < bodies; k++) box = box_join(box, obstacles_bounds(view->obstacles, k));
    if (tank->present) {
        // Whatever sticks out of a tank is small beside it, or cut off.
        Box3 inside = {vec3_make(0, 0, 0), tank->size};
        return bodies ? box_join(inside, (Box3){vec3_max(box.lo, vec3_scale(tank->size, -0.1f)),
                                                vec3_min(box.hi, vec3_scale(tank->size, 1.1f))})
                      : inside;
    }
    Vec3 margin = vec3_make(view->spacing, view->spacing, view->spacing);
    for (uint32_t k = 0; k < view->count; k++) {
        Vec3 p = vec3_make(view->x[k], view->y[k], view->z[k]);
        box = box_join(box, (Box3){vec3_sub(p, margin), vec3_add(p, margin)});
    }
    return box;
}

// What the camera is about stays what it was, so that pictures of a sequence fit together.
static Box3 stage_bounds(Renderer *renderer, const TankDef *tank, Box3 content)
{
    if (tank->present) return (Box3){vec3_make(0, 0, 0), tank->size};
    if (renderer->staged) return renderer->stage;
    if (content.lo.x > content.hi.x) return (Box3){vec3_make(-1, -1, -1), vec3_make(1, 1, 1)};
    renderer->staged = true;
    return renderer->stage = content;
}

static void choose_range(Renderer *renderer, const FrameView *view, const float *values, float *lo, float *hi)
{
    *lo = renderer->def.range_lo;
    *hi = renderer->def.range_hi;
    if (!renderer->def.auto_range) return;
    field_range_follow(&renderer->range, view, renderer->def.color_by, values);
    *lo = renderer->range.lo;
    *hi = renderer->range.hi;
}

static Result draw_shadow(Renderer *renderer, const LitScene *scene)
{
    const Framebuffer *map;
    View sun = environment_begin_shadow(renderer->environment, scene, &map);
    TRY(particle_drawer_draw_depth(renderer->particles, &sun, map->width, map->height));
    return obstacle_drawer_draw(renderer->obstacles, scene->frame->obstacles, &sun, true);
}

Result renderer_draw(Renderer *renderer, const FrameView *view)
{
    const RenderDef *def = &renderer->def;
    const Framebuffer *geometry = &renderer->geometry;
    TankDef tank = view->obstacles ? obstacles_tank(view->obstacles) : (TankDef){.present = false};
    Box3 content = content_bounds(view, &tank);
    Box3 stage = stage_bounds(renderer, &tank, content);
    LitScene scene = {.frame = view,
                      .stage = stage,
                      .bounds = content.lo.x <= content.hi.x ? content : stage,
                      .ground = tank.present && !tank.open[TANK_Z_LO],
                      .grain = 0.5f * view->spacing};
    View camera = view_of_camera(&def->camera, view->origin, stage, (float)def->width / (float)def->height);
    const float *values;
    float lo, hi;
    TRY(particle_drawer_load(renderer->particles, view, def->color_by, &values));
    choose_range(renderer, view, values, &lo, &hi);

    glEnable(GL_DEPTH_TEST);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glClearColor(0, 0, 0, 0);
    TRY(draw_shadow(renderer, &scene));
    framebuffer_bind(geometry);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    TRY(obstacle_drawer_draw(renderer->obstacles, view->obstacles, &camera, false));
    TRY(particle_drawer_draw(renderer->particles, &camera, geometry->width, geometry->height,
                             renderer->colormap, lo, hi));

    TRY(environment_shade(renderer->environment, &scene, &camera, geometry, renderer->samples,
                          &renderer->picture));
    if (tank.present)
        TRY(tank_lines_draw(renderer->tank_lines, &tank, &camera, scene.grain, geometry, renderer->samples));
    if (def->legend) {
        LegendInfo info = {def->color_by, lo, hi, view->time, view->count};
        TRY(legend_add(renderer->overlay, &info, def->width, def->height));
        TRY(overlay_draw(renderer->overlay, def->width, def->height, renderer->colormap));
    }
    return gl_check("the picture");
}

Result renderer_read(Renderer *renderer, uint8_t *rgb)
{
    size_t row = (size_t)renderer->picture.width * 3;
    uint32_t height = renderer->picture.height;
    uint8_t *swap = memory_allocate(row);
    if (!swap) return result_no_memory("reading the picture", row);
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->picture.name);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, (GLsizei)renderer->picture.width, (GLsizei)height, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    // OpenGL's first row is the lowest.
    for (uint32_t k = 0; k < height / 2; k++) {
        uint8_t *upper = rgb + k * row, *lower = rgb + (height - 1 - k) * row;
        memcpy(swap, upper, row);
        memcpy(upper, lower, row);
        memcpy(lower, swap, row);
    }
    memory_free(swap);
    return gl_check("reading the picture");
}
