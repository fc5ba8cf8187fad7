// Pictures of simulations.
#include "library/pictures.h"

#include "library/drawing.h"
#include "library/inside.h"
#include "library/surfaces.h"
#include "render/legend.h"
#include "render/spray.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- life ---

static Result close_renderer(void *drawing, const void *order)
{
    pbf_picture *picture = drawing;
    (void)order;
    renderer_destroy(picture->renderer);
    gl_context_close(picture->gl);
    picture->renderer = NULL;
    picture->gl = NULL;
    return result_ok();
}

static Result open_renderer(void *drawing, const void *order)
{
    pbf_picture *picture = drawing;
    (void)order;
    Result result = renderer_create(&picture->def, &picture->renderer);
    if (!result_is_ok(&result)) close_renderer(picture, NULL);
    return result;
}

static void picture_free(pbf_picture *picture)
{
    pbf_context *context = picture->context;
    cells_close(&picture->cells);
    memory_free(picture->rgb);
    memory_free(picture);
    context_release(context);
}

static void tell_legend(const pbf_context *context, const RenderDef *def)
{
    char text[120];
    if (!def->legend || (def->width >= LEGEND_LEAST_WIDTH && def->height >= LEGEND_LEAST_HEIGHT)) return;
    snprintf(text, sizeof text, "no legend: pictures of %ux%u are too small for it (at least %dx%d)",
             def->width, def->height, LEGEND_LEAST_WIDTH, LEGEND_LEAST_HEIGHT);
    context_note(context, text);
}

static Result tell_samples(uint32_t samples, uint32_t of, float noise, void *context)
{
    const pbf_picture *picture = context;
    Host *inside = host_enter(NULL); // the callback is the caller's code
    bool stop = picture->on_samples && picture->on_samples(samples, of, (double)noise, picture->user) != 0;
    host_enter(inside);
    return stop ? result_error(RESULT_STOPPED, "stopped after %u samples by the caller", samples)
                : result_ok();
}

Result pictures_create(pbf_context *context, const SceneDef *scene, pbf_picture **out)
{
    RenderDef def = scene->output.render;
    pbf_picture *picture = memory_allocate_zeroed(sizeof *picture);
    size_t bytes = (size_t)def.width * def.height * 3;
    if (picture) picture->rgb = memory_allocate(bytes);
    if (!picture || !picture->rgb) {
        memory_free(picture);
        return result_no_memory("a picture", bytes);
    }
    def.photo.tell = tell_samples;
    def.photo.context = picture;
    def.photo.stop = library_stop();
    picture->context = context_hold(context);
    picture->def = def;
    picture->radius = scene->fluid.radius_factor * scene->fluid.spacing;
    snprintf(picture->method, sizeof picture->method, "%s", scene->fluid.neighbor);
    Result result = drawing_run(picture->context, &picture->gl, open_renderer, picture, NULL);
    if (!result_is_ok(&result)) {
        picture_free(picture);
        return result;
    }
    tell_legend(context, &def);
    *out = picture;
    return result;
}

static Result create(const pbf_scene *scene, const pbf_setting *settings, size_t count, pbf_picture **out)
{
    SharedScene *shared;
    TRY(scene_with(scene->shared, settings, count, &shared));
    Result result = pictures_create(scene->context, &shared->def, out);
    shared_scene_release(shared);
    return result;
}

pbf_result pbf_picture_create(const pbf_scene *scene, const pbf_setting *settings, size_t count,
                              pbf_picture **out)
{
    if (!out) return call_refused(scene ? scene->context : NULL, missing("out"));
    *out = NULL;
    if (!scene) return call_refused(NULL, missing("scene"));
    RETURN_CALL(scene->context, create(scene, settings, count, out));
}

void pictures_destroy(pbf_picture *picture)
{
    if (!picture) return;
    Host *before = call_begin(picture->context);
    drawing_run(picture->context, &picture->gl, close_renderer, picture, NULL);
    host_enter(NULL);
    picture_free(picture);
    host_enter(before);
}

void pbf_picture_destroy(pbf_picture *picture)
{
    if (picture && !picture->borrowed) pictures_destroy(picture);
}

pbf_result pbf_picture_size(const pbf_picture *picture, uint32_t *width, uint32_t *height)
{
    if (!picture) return call_refused(NULL, missing("picture"));
    if (!width || !height) return call_refused(picture->context, missing(width ? "height" : "width"));
    *width = picture->def.width;
    *height = picture->def.height;
    return call_refused(picture->context, result_ok());
}

// --- what pictures show besides, and carry on ---

Result pictures_show_cells(pbf_picture *picture, bool shown)
{
    if (!shown) {
        cells_close(&picture->cells);
        return result_ok();
    }
    return picture->cells.search ? result_ok()
                                 : cells_open(picture->method, picture->radius, &picture->cells);
}

pbf_result pbf_picture_cells(pbf_picture *picture, int shown)
{
    if (!picture) return call_refused(NULL, missing("picture"));
    RETURN_CALL(picture->context, pictures_show_cells(picture, shown != 0));
}

pbf_result pbf_picture_watch(pbf_picture *picture, pbf_samples_callback on_samples, void *user)
{
    if (!picture) return call_refused(NULL, missing("picture"));
    picture->on_samples = on_samples;
    picture->user = user;
    return call_refused(picture->context, result_ok());
}

pbf_result pbf_picture_memory(const pbf_picture *picture, double out[PBF_PICTURE_NUMBERS])
{
    if (!picture) return call_refused(NULL, missing("picture"));
    if (!out) return call_refused(picture->context, missing("out"));
    RendererMemory memory = renderer_memory(picture->renderer);
    const Vec3 *corner[2] = {&memory.stage.lo, &memory.stage.hi};
    out[PICTURE_RANGE_TIME] = memory.range_started ? memory.range_time : -1;
    out[1] = (double)memory.range_lo, out[2] = (double)memory.range_hi;
    out[3] = memory.staged;
    for (int k = 0; k < 2; k++) {
        Vec3 at = memory.staged ? *corner[k] : vec3_make(0, 0, 0);
        out[4 + 3 * k] = (double)at.x, out[5 + 3 * k] = (double)at.y, out[6 + 3 * k] = (double)at.z;
    }
    out[PICTURE_COLOR_BY] = picture->def.color_by;
    return call_refused(picture->context, result_ok());
}

pbf_result pbf_picture_remember(pbf_picture *picture, const double in[PBF_PICTURE_NUMBERS])
{
    if (!picture) return call_refused(NULL, missing("picture"));
    if (!in) return call_refused(picture->context, missing("memory"));
    float number[PBF_PICTURE_NUMBERS];
    for (int k = 0; k < PBF_PICTURE_NUMBERS; k++) {
        if (!(fabs(in[k]) < 1e30))
            return call_refused(
                picture->context,
                result_error(RESULT_USAGE, "memory: number %d is %g (of a picture)", k, in[k]));
        number[k] = (float)in[k];
    }
    renderer_remember(picture->renderer,
                      &(RendererMemory){.range_started = in[PICTURE_RANGE_TIME] >= 0,
                                        .range_time = in[PICTURE_RANGE_TIME],
                                        .range_lo = number[1],
                                        .range_hi = number[2],
                                        .staged = in[3] == 1,
                                        .stage = {vec3_make(number[4], number[5], number[6]),
                                                  vec3_make(number[7], number[8], number[9])}});
    return call_refused(picture->context, result_ok());
}

// --- drawing ---

// What a picture shows.
typedef struct Shown {
    const FrameView *view;
    const SurfaceMesh *mesh;
} Shown;

// Water with its surface is drawn with its drops.
static Result draw_water(pbf_picture *picture, const Shown *shown)
{
    SurfaceMesh spray = {0};
    if (!render_style_needs_mesh(picture->def.style))
        return renderer_draw(picture->renderer, shown->view, NULL);
    TRY(spray_make(shown->mesh, shown->view, &spray));
    Result result =
        renderer_draw(picture->renderer, shown->view, spray.vertex_count > 0 ? &spray : shown->mesh);
    surface_mesh_free(&spray);
    return result;
}

static Result draw(void *drawing, const void *order)
{
    pbf_picture *picture = drawing;
    const Shown *shown = order;
    if (picture->cells.search)
        TRY(cells_show(&picture->cells, shown->view, picture->renderer));
    else
        TRY(renderer_set_boxes(picture->renderer, NULL, 0));
    TRY(draw_water(picture, shown));
    return renderer_read(picture->renderer, picture->rgb);
}

Result pictures_draw(pbf_picture *picture, const FrameView *view, const SurfaceMesh *mesh)
{
    return drawing_run(picture->context, &picture->gl, draw, picture, &(Shown){view, mesh});
}

static Result draw_sim(pbf_picture *picture, const pbf_sim *sim)
{
    FrameView view = fluid_view(sim->fluid);
    SurfaceMesh mesh = {0};
    if (render_style_needs_mesh(picture->def.style)) TRY(sim_surface(sim, &mesh));
    Result result = pictures_draw(picture, &view, &mesh);
    surface_mesh_free(&mesh);
    return result;
}

static Result draw_to(pbf_picture *picture, const pbf_sim *sim, uint8_t *rgba, size_t bytes, size_t row_bytes)
{
    uint32_t width = picture->def.width, height = picture->def.height;
    TRY(drawing_check_room(width, height, bytes, &row_bytes));
    TRY(draw_sim(picture, sim));
    drawing_copy_out(picture->rgb, width, height, rgba, row_bytes);
    return result_ok();
}

pbf_result pbf_picture_draw(pbf_picture *picture, const pbf_sim *sim, void *rgba, size_t bytes,
                            size_t row_bytes)
{
    if (!picture) return call_refused(NULL, missing("picture"));
    if (!sim || !rgba) return call_refused(picture->context, missing(sim ? "rgba" : "sim"));
    RETURN_CALL(picture->context, draw_to(picture, sim, rgba, bytes, row_bytes));
}
