// The passes of a picture, in order.
#include "render/render.h"

#include "core/hash.h"
#include "core/memory.h"
#include "render/box_lines.h"
#include "render/colormap.h"
#include "render/content.h"
#include "render/drop_draw.h"
#include "render/environment.h"
#include "render/framebuffer.h"
#include "render/gl_functions.h"
#include "render/gl_program.h"
#include "render/legend.h"
#include "render/mesh_draw.h"
#include "render/obstacles_draw.h"
#include "render/overlay.h"
#include "render/particles.h"
#include "render/photo_picture.h"
#include "render/picture_buffers.h"
#include "render/range.h"
#include "render/render_params.h"
#include "render/show.h"
#include "render/tank_lines.h"
#include "render/view.h"
#include "render/water_picture.h"

#include <math.h>
#include <string.h>

struct Renderer {
    RenderDef def;
    PictureBuffers buffers;
    GLuint colormap;
    ColorMap loaded; // in it
    ParticleDrawer *particles;
    DropDrawer *drops;
    MeshDrawer *mesh;
    ObstacleDrawer *obstacles;
    LineSet *tank_lines;
    BoxLines *boxes;
    LineSet *arrows;
    Sheet *sheet;
    Environment *environment;
    Overlay *overlay;
    WaterPicture *water; // NULL until a style needs it
    PhotoPicture *photo; // likewise
    Show show;
    FieldRange range;
    bool staged;  // stage is set
    Box3 stage;   // what an automatic camera frames: the tank, else what the first frame with anything in it
                  // holds
    View camera;  // of the last picture
    float lo, hi; // likewise
    float below, above; // shares of the values beyond them
};

static Result create_parts(Renderer *self)
{
    uint32_t width = self->def.width, height = self->def.height;
    TRY(picture_buffers_create(&self->buffers, width, height));
    TRY(environment_create(width, height, &self->environment));
    TRY(particle_drawer_create(gl_draws_on_processor(), &self->particles));
    TRY(drop_drawer_create(&self->drops));
    TRY(mesh_drawer_create(&self->mesh));
    TRY(obstacle_drawer_create(&self->obstacles));
    TRY(line_set_create(&self->tank_lines));
    return overlay_create(&self->overlay);
}

// A style that cannot be drawn is told before anything is simulated for it.
static Result check_def(const RenderDef *def)
{
    TRY(param_check(RENDER_ROWS, def));
    return def->style == STYLE_PHOTO ? photo_check(&def->look) : result_ok();
}

Result renderer_create(const RenderDef *def, Renderer **out)
{
    *out = NULL;
    TRY(check_def(def));
    Renderer *self = memory_allocate_zeroed(sizeof *self);
    if (!self) return result_no_memory("the renderer", sizeof *self);
    self->def = *def;
    gl_begin();
    Result result = create_parts(self);
    gl_end();
    if (!result_is_ok(&result)) {
        renderer_destroy(self);
        return result;
    }
    *out = self;
    return result_ok();
}

static Result resize(Renderer *self, uint32_t width, uint32_t height)
{
    PictureBuffers buffers;
    TRY(picture_buffers_create(&buffers, width, height));
    Result result = environment_resize(self->environment, width, height);
    if (!result_is_ok(&result)) {
        picture_buffers_destroy(&buffers);
        return result;
    }
    picture_buffers_destroy(&self->buffers);
    self->buffers = buffers;
    return result_ok();
}

Result renderer_set(Renderer *renderer, const RenderDef *def)
{
    TRY(check_def(def));
    if (def->width != renderer->def.width || def->height != renderer->def.height) {
        gl_begin();
        Result result = resize(renderer, def->width, def->height);
        gl_end();
        TRY(result);
    }
    if (def->color_by != renderer->def.color_by) renderer->range = (FieldRange){0};
    renderer->def = *def;
    return result_ok();
}

void renderer_destroy(Renderer *renderer)
{
    if (!renderer) return;
    overlay_destroy(renderer->overlay);
    water_picture_destroy(renderer->water);
    photo_picture_destroy(renderer->photo);
    line_set_destroy(renderer->tank_lines);
    box_lines_destroy(renderer->boxes);
    line_set_destroy(renderer->arrows);
    sheet_destroy(renderer->sheet);
    obstacle_drawer_destroy(renderer->obstacles);
    particle_drawer_destroy(renderer->particles);
    drop_drawer_destroy(renderer->drops);
    mesh_drawer_destroy(renderer->mesh);
    environment_destroy(renderer->environment);
    picture_buffers_destroy(&renderer->buffers);
    show_destroy(&renderer->show);
    glDeleteTextures(1, &renderer->colormap);
    memory_free(renderer);
}

// The framed box is kept from the first frame, so that a sequence has a steady camera.
static Box3 stage_bounds(Renderer *renderer, const TankDef *tank, const FrameView *view, Box3 content)
{
    if (view->emitter_count > 0) content = box3_join(content, view->emitters); // water will be there
    if (tank->present) return (Box3){vec3_make(0, 0, 0), tank->size};
    if (renderer->staged) return renderer->stage;
    if (content.lo.x > content.hi.x) return (Box3){vec3_make(-1, -1, -1), vec3_make(1, 1, 1)};
    renderer->staged = true;
    return renderer->stage = content;
}

static void load_colors(Renderer *renderer)
{
    uint8_t table[COLORMAP_SIZE * 3];
    ColorMap map = render_color_map(&renderer->def);
    if (renderer->loaded == map) return;
    glDeleteTextures(1, &renderer->colormap);
    colormap_table(map, table);
    renderer->colormap =
        texture_create(GL_RGB8, COLORMAP_SIZE, 1, GL_RGB, GL_UNSIGNED_BYTE, table, GL_LINEAR);
    renderer->loaded = map;
}

// What share of the values, evenly spaced ones of many, the colors do not cover.
static void count_beyond(Renderer *renderer, const float *values, uint32_t count, float lo, float hi)
{
    enum { SAMPLES = 20000 };
    uint32_t taken = count < SAMPLES ? count : SAMPLES, below = 0, above = 0;
    for (uint32_t k = 0; k < taken; k++) {
        float value = values[(uint64_t)k * count / taken];
        below += value < lo;
        above += value > hi;
    }
    renderer->below = taken > 0 ? (float)below / (float)taken : 0;
    renderer->above = taken > 0 ? (float)above / (float)taken : 0;
}

// Loads what the style draws; lo and hi become the range of its colors.
static Result load_water(Renderer *renderer, const FrameView *view, const SurfaceMesh *mesh, float *lo,
                         float *hi)
{
    const RenderDef *def = &renderer->def;
    const float *values;
    *lo = def->range_lo;
    *hi = def->range_hi;
    if (render_style_needs_mesh(def->style)) return mesh_drawer_load(renderer->mesh, mesh, view->content_id);
    if (def->style == STYLE_SCREEN_SPACE) {
        FrameView body;
        TRY(drop_drawer_load(renderer->drops, view, &body));
        return particle_drawer_load(renderer->particles, &body, def->color_by, PARTICLE_SCREEN_RADIUS,
                                    &values);
    }
    TRY(particle_drawer_load(renderer->particles, view, def->color_by, PARTICLE_DRAWN_RADIUS, &values));
    if (def->auto_range) {
        TRY(field_range_follow(&renderer->range, view, def->color_by, values));
        *lo = renderer->range.lo;
        *hi = renderer->range.hi;
    }
    count_beyond(renderer, values, view->count, *lo, *hi);
    return result_ok();
}

static LineScene line_scene(const Renderer *renderer, const View *camera, float grain)
{
    return (LineScene){.view = camera,
                       .geometry = &renderer->buffers.geometry,
                       .width = renderer->def.width,
                       .height = renderer->def.height,
                       .samples = renderer->buffers.samples,
                       .grain = grain};
}

// Unlike the colors of speed and of cells.
static const float ARROWS[3] = {0.85f, 0.07f, 0.38f};

// Particles hide what is behind them; water is transparent.
static Result draw_lines(Renderer *renderer, const View *camera, float grain)
{
    if (!renderer->boxes && !renderer->sheet && !renderer->arrows) return result_ok();
    LineScene lines = line_scene(renderer, camera, renderer->def.style == STYLE_PARTICLES ? grain : INFINITY);
    framebuffer_bind(&renderer->buffers.picture);
    glDisable(GL_DEPTH_TEST);
    if (renderer->sheet) TRY(sheet_draw(renderer->sheet, &lines));
    if (renderer->boxes) TRY(box_lines_draw(renderer->boxes, &lines));
    lines.grain *= 2; // arrows begin in the middle of their cubes
    return renderer->arrows ? line_set_draw(renderer->arrows, &lines, ARROWS) : result_ok();
}

static Result draw_particles(Renderer *renderer, const LitScene *scene, const View *camera, float lo,
                             float hi)
{
    const Framebuffer *map, *geometry = &renderer->buffers.geometry;
    const Obstacles *obstacles = scene->frame->obstacles;
    View sun = environment_begin_shadow(renderer->environment, scene, &map);
    if (map) {
        TRY(particle_drawer_draw_depth(renderer->particles, &sun, map->width, map->height));
        TRY(obstacle_drawer_draw(renderer->obstacles, scene->frame, &sun, true));
    }
    framebuffer_bind(geometry);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    TRY(obstacle_drawer_draw(renderer->obstacles, scene->frame, camera, false));
    TRY(particle_drawer_draw(renderer->particles, camera, geometry->width, geometry->height,
                             renderer->colormap, lo, hi));
    TRY(environment_shade(renderer->environment, scene, camera, geometry, renderer->buffers.samples,
                          &renderer->buffers.picture));
    TankDef tank = obstacles ? obstacles_tank(obstacles) : (TankDef){.present = false};
    if (!tank.present || scene->hide_tank) return result_ok();
    LineScene lines = line_scene(renderer, camera, scene->grain);
    return tank_lines_draw(renderer->tank_lines, &tank, &lines);
}

static Result draw_water(Renderer *renderer, const LitScene *scene, const View *camera)
{
    if (!renderer->water) TRY(water_picture_create(&renderer->water));
    bool from_mesh = render_style_needs_mesh(renderer->def.style);
    WaterScene water = {.lit = scene,
                        .mesh = from_mesh ? renderer->mesh : NULL,
                        .particles = from_mesh ? NULL : renderer->particles,
                        .drops = renderer->drops,
                        .obstacles = renderer->obstacles,
                        .shutter = renderer->def.camera.shutter};
    return water_picture_draw(renderer->water, &water, camera, &renderer->buffers.picture);
}

static Result draw_legend(Renderer *renderer, const FrameView *view, float lo, float hi)
{
    const RenderDef *def = &renderer->def;
    LegendInfo info = {.has_field = def->style == STYLE_PARTICLES,
                       .field = def->color_by,
                       .lo = lo,
                       .hi = hi,
                       .time = view->time,
                       .particles = view->count};
    TRY(legend_add(renderer->overlay, &info, def->width, def->height));
    return overlay_draw(renderer->overlay, def->width, def->height, renderer->colormap);
}

// Hash of all that the light of a picture depends on.
static uint64_t light_of(const RenderDef *def, const LitScene *scene, bool has_mesh)
{
    const FrameView *view = scene->frame;
    if (view->content_id == 0) return 0;
    const Box3 boxes[2] = {scene->bounds, scene->stage};
    const uint64_t words[4] = {view->content_id, (uint64_t)def->style,
                               (uint64_t)def->hide_tank << 1 | (uint64_t)def->hide_obstacles, has_mesh};
    uint64_t hash = hash_bytes(hash_bytes(HASH_START, words, sizeof words), boxes, sizeof boxes);
    return hash | 1;
}

static Result need_photo(Renderer *renderer)
{
    return renderer->photo ? result_ok() : photo_picture_create(&renderer->photo);
}

// What lies over pictures of all styles.
static Result finish_picture(Renderer *renderer, const FrameView *view, float lo, float hi)
{
    TRY(draw_lines(renderer, &renderer->camera, 0.5f * view->spacing));
    if (renderer->def.legend) TRY(draw_legend(renderer, view, lo, hi));
    return gl_check("the picture");
}

// Sets up what a definition shows of a frame.
static LitScene set_scene(Renderer *renderer, const RenderDef *def, const FrameView *view, View *camera)
{
    TankDef tank = view->obstacles ? obstacles_tank(view->obstacles) : (TankDef){.present = false};
    Box3 content = content_bounds(view, &tank);
    Box3 stage = stage_bounds(renderer, &tank, view, content);
    *camera = view_of_camera(&def->camera, view->origin, stage, (float)def->width / (float)def->height);
    return (LitScene){.frame = view,
                      .stage = stage,
                      .bounds = content.lo.x <= content.hi.x ? content : stage,
                      .hide_tank = def->hide_tank,
                      .ground = tank.present && !tank.open[TANK_Z_LO],
                      .grain = 0.5f * view->spacing};
}

static Result draw_picture(Renderer *renderer, const FrameView *view, const SurfaceMesh *mesh)
{
    View camera;
    const RenderDef *def = &renderer->def;
    LitScene scene = set_scene(renderer, def, view, &camera);
    scene.light = light_of(def, &scene, mesh != NULL);
    float lo = def->range_lo, hi = def->range_hi;
    renderer->camera = camera;
    load_colors(renderer);
    if (def->style == STYLE_PHOTO) {
        TRY(need_photo(renderer));
        TRY(photo_picture_draw(renderer->photo, def, &(PhotoScene){view, mesh, &camera, scene.stage},
                               &renderer->buffers.picture));
        return finish_picture(renderer, view, lo, hi);
    }
    obstacle_drawer_hide(renderer->obstacles, def->hide_obstacles);
    TRY(load_water(renderer, view, mesh, &lo, &hi));
    if (def->style == STYLE_PARTICLES) {
        renderer->lo = lo;
        renderer->hi = hi;
    }
    TRY(def->style == STYLE_PARTICLES ? draw_particles(renderer, &scene, &camera, lo, hi)
                                      : draw_water(renderer, &scene, &camera));
    return finish_picture(renderer, view, lo, hi);
}

Result renderer_ask_photo(Renderer *renderer, const RenderDef *def, const FrameView *view,
                          const SurfaceMesh *mesh, void (*wake)(void), PhotoReport *report)
{
    View camera;
    *report = (PhotoReport){0};
    LitScene scene = set_scene(renderer, def, view, &camera);
    TRY(need_photo(renderer));
    return photo_picture_ask(renderer->photo, def, &(PhotoScene){view, mesh, &camera, scene.stage}, wake,
                             report);
}

void renderer_rest_photo(Renderer *renderer)
{
    if (renderer->photo) photo_picture_rest(renderer->photo);
}

bool renderer_has_news(const Renderer *renderer)
{
    return renderer->photo && photo_picture_has_news(renderer->photo);
}

Result renderer_draw(Renderer *renderer, const FrameView *view, const SurfaceMesh *mesh)
{
    gl_begin();
    Result result = draw_picture(renderer, view, mesh);
    gl_end();
    return result;
}

Result renderer_set_boxes(Renderer *renderer, const NeighborBox *boxes, uint32_t count)
{
    gl_begin();
    Result result = result_ok();
    if (!renderer->boxes && count > 0) result = box_lines_create(&renderer->boxes);
    if (result_is_ok(&result) && renderer->boxes) result = box_lines_load(renderer->boxes, boxes, count);
    gl_end();
    return result;
}

Result renderer_set_arrows(Renderer *renderer, const Line *lines, uint32_t count)
{
    gl_begin();
    Result result = result_ok();
    if (!renderer->arrows && count > 0) result = line_set_create(&renderer->arrows);
    if (result_is_ok(&result) && renderer->arrows) result = line_set_load(renderer->arrows, lines, count);
    gl_end();
    return result;
}

Result renderer_set_sheet(Renderer *renderer, const SheetDef *sheet)
{
    Result result = result_ok();
    gl_begin();
    if (!sheet) {
        sheet_destroy(renderer->sheet);
        renderer->sheet = NULL;
    } else {
        if (!renderer->sheet) result = sheet_create(&renderer->sheet);
        if (result_is_ok(&result)) result = sheet_load(renderer->sheet, sheet);
    }
    gl_end();
    return result;
}

const View *renderer_view(const Renderer *renderer)
{
    return &renderer->camera;
}

void renderer_range(const Renderer *renderer, float *lo, float *hi)
{
    *lo = renderer->lo;
    *hi = renderer->hi;
}

void renderer_beyond(const Renderer *renderer, float *below, float *above)
{
    *below = renderer->below;
    *above = renderer->above;
}

Result renderer_show(Renderer *renderer, unsigned target, uint32_t x, uint32_t y, uint32_t width,
                     uint32_t height)
{
    return renderer_show_from(renderer, 0, target, x, y, width, height);
}

Result renderer_show_from(Renderer *renderer, float from, unsigned target, uint32_t x, uint32_t y,
                          uint32_t width, uint32_t height)
{
    return show_draw(&renderer->show, &renderer->buffers.picture, from, target, x, y, width, height);
}

Result renderer_read(Renderer *renderer, uint8_t *rgb)
{
    return framebuffer_read(&renderer->buffers.picture, rgb);
}

Result renderer_read_cover(Renderer *renderer, uint8_t *cover)
{
    if (renderer->def.style != STYLE_PARTICLES)
        return result_error(RESULT_USAGE, "only pictures of particles have no background");
    return picture_buffers_read_cover(&renderer->buffers, cover);
}

RendererMemory renderer_memory(const Renderer *renderer)
{
    const FieldRange *range = &renderer->range;
    return (RendererMemory){.range_started = range->started,
                            .staged = renderer->staged,
                            .range_time = range->time,
                            .range_lo = range->lo,
                            .range_hi = range->hi,
                            .stage = renderer->stage};
}

void renderer_remember(Renderer *renderer, const RendererMemory *memory)
{
    renderer->range =
        (FieldRange){memory->range_started, memory->range_time, memory->range_lo, memory->range_hi};
    renderer->staged = memory->staged;
    renderer->stage = memory->stage;
}
