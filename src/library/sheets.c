// Sheets that show both sides of a comparison.
#include "library/drawing.h"
#include "library/pairs.h"
#include "library/surfaces.h"
#include "render/cells.h"
#include "render/pair_camera.h"
#include "render/shared_range.h"
#include "render/split.h"
#include "render/spray.h"
#include "scene/lockstep_text.h"
#include "surface/frame_surface.h"

#include <stdio.h>
#include <string.h>

struct pbf_sheet {
    pbf_context *context;
    SharedScene *shared[2]; // of the sides; camera, style and size of the first hold for both
    char title[2][80];
    GlContext *gl;
    RenderDef half; // of either picture
    SharedRange range;
    Renderer *renderer[2];
    Cells cells[2];
    Split *split;
    QuantityWork *quality;
    uint8_t *rgb;
};

static const SceneDef *scene_of(const pbf_sheet *sheet, int side)
{
    return &sheet->shared[side]->def;
}

// --- life ---

static Result close_all(void *drawing, const void *order)
{
    pbf_sheet *sheet = drawing;
    (void)order;
    split_destroy(sheet->split);
    for (int side = 0; side < 2; side++) renderer_destroy(sheet->renderer[side]);
    gl_context_close(sheet->gl);
    sheet->split = NULL;
    sheet->gl = NULL;
    sheet->renderer[0] = sheet->renderer[1] = NULL;
    return result_ok();
}

static Result open_renderers(pbf_sheet *sheet)
{
    const RenderDef *whole = &scene_of(sheet, 0)->output.render;
    TRY(split_create(whole->width, whole->height, &sheet->split));
    for (int side = 0; side < 2; side++) TRY(renderer_create(&sheet->half, &sheet->renderer[side]));
    return result_ok();
}

static Result open_all(void *drawing, const void *order)
{
    (void)order;
    Result result = open_renderers(drawing);
    if (!result_is_ok(&result)) close_all(drawing, NULL);
    return result;
}

static void sheet_free(pbf_sheet *sheet)
{
    pbf_context *context = sheet->context;
    Host *before = call_begin(context);
    if (sheet->gl) drawing_run(context, &sheet->gl, close_all, sheet, NULL);
    for (int side = 0; side < 2; side++) {
        cells_close(&sheet->cells[side]);
        shared_scene_release(sheet->shared[side]);
    }
    quantities_free(sheet->quality);
    shared_range_free(&sheet->range);
    memory_free(sheet->rgb);
    memory_free(sheet);
    call_close(context, before);
}

// A camera's field of view is vertical: on the narrower half it grows so far that the tank fits, but never
// shows more from left to right than the whole would.
static RenderDef half_def(const SceneDef *scene)
{
    const RenderDef *whole = &scene->output.render;
    const Box3 tank = {scene->tank_corner, vec3_add(scene->tank_corner, scene->tank.size)};
    RenderDef half = *whole;
    split_picture_size(SPLIT_BESIDE, whole->width, whole->height, &half.width, &half.height);
    half.camera.fov = pair_camera_fov(whole, half.width, half.height, scene->tank.present ? &tank : NULL);
    return half;
}

static Result prepare(pbf_sheet *sheet, bool cells)
{
    const RenderDef *whole = &scene_of(sheet, 0)->output.render;
    size_t bytes = (size_t)whole->width * whole->height * 3;
    sheet->rgb = memory_allocate(bytes);
    if (!sheet->rgb) return result_no_memory("a sheet", bytes);
    sheet->half = half_def(scene_of(sheet, 0));
    sheet->half.photo.stop = library_stop();
    TRY(quantities_create(&sheet->quality));
    TRY(drawing_run(sheet->context, &sheet->gl, open_all, sheet, NULL));
    for (int side = 0; side < 2 && cells; side++) {
        const FluidDef *fluid = &scene_of(sheet, side)->fluid;
        TRY(cells_open(fluid->neighbor, fluid->radius_factor * fluid->spacing, &sheet->cells[side]));
    }
    return result_ok();
}

static Result create(const pbf_scene *const scenes[2], const char *const titles[2], bool cells,
                     pbf_sheet **out)
{
    pbf_sheet *sheet = memory_allocate_zeroed(sizeof *sheet);
    if (!sheet) return result_no_memory("a sheet", sizeof *sheet);
    sheet->context = context_hold(scenes[0]->context);
    for (int side = 0; side < 2; side++) {
        sheet->shared[side] = shared_scene_hold(scenes[side]->shared);
        snprintf(sheet->title[side], sizeof sheet->title[side], "%s", titles[side]);
    }
    Result result = prepare(sheet, cells);
    if (result_is_ok(&result))
        *out = sheet;
    else
        sheet_free(sheet);
    return result;
}

pbf_result pbf_sheet_create(const pbf_scene *first, const pbf_scene *second, const char *first_title,
                            const char *second_title, int cells, pbf_sheet **out)
{
    const pbf_context *context = first ? first->context : NULL;
    if (!out) return call_refused(context, missing("out"));
    *out = NULL;
    if (!first || !second) return call_refused(context, missing(first ? "second" : "first"));
    if (!first_title || !second_title)
        return call_refused(context, missing(first_title ? "second_title" : "first_title"));
    RETURN_CALL(context, create((const pbf_scene *[2]){first, second},
                                (const char *[2]){first_title, second_title}, cells != 0, out));
}

void pbf_sheet_destroy(pbf_sheet *sheet)
{
    if (sheet) sheet_free(sheet);
}

pbf_result pbf_sheet_size(const pbf_sheet *sheet, uint32_t *width, uint32_t *height)
{
    if (!sheet) return call_refused(NULL, missing("sheet"));
    if (!width || !height) return call_refused(sheet->context, missing(width ? "height" : "width"));
    *width = scene_of(sheet, 0)->output.render.width;
    *height = scene_of(sheet, 0)->output.render.height;
    return call_refused(sheet->context, result_ok());
}

// --- drawing ---

// What a sheet shows: of both sides.
typedef struct Shown {
    FrameView view[2];
    SurfaceMesh mesh[2]; // empty where the style needs none
    SplitText text;
} Shown;

// Gives colors the same meaning on both halves.
static Result share_colors(pbf_sheet *sheet, const FrameView view[2])
{
    RenderDef def = sheet->half;
    if (!def.auto_range || def.style != STYLE_PARTICLES) return result_ok();
    TRY(shared_range_follow(&sheet->range, &view[0], &view[1], def.color_by, &def.range_lo, &def.range_hi));
    def.auto_range = false;
    for (int side = 0; side < 2; side++) TRY(renderer_set(sheet->renderer[side], &def));
    return result_ok();
}

static Result draw(void *drawing, const void *order)
{
    pbf_sheet *sheet = drawing;
    const Shown *shown = order;
    bool meshed = render_style_needs_mesh(sheet->half.style);
    TRY(share_colors(sheet, shown->view));
    for (int side = 0; side < 2; side++) {
        TRY(cells_show(&sheet->cells[side], &shown->view[side], sheet->renderer[side]));
        TRY(renderer_draw(sheet->renderer[side], &shown->view[side], meshed ? &shown->mesh[side] : NULL));
    }
    TRY(split_draw(sheet->split, SPLIT_BESIDE, 0, sheet->renderer[0], sheet->renderer[1], &shown->text));
    return split_read(sheet->split, sheet->rgb);
}

// The water's surface with its drops.
static Result make_mesh(const SceneDef *scene, const FrameView *view, SurfaceMesh *mesh)
{
    TRY(frame_surface_make(&scene->surface, view, render_needs_velocities(&scene->output.render), mesh));
    return spray_replace(mesh, view);
}

static Result make_shown(pbf_sheet *sheet, const pbf_pair *pair, Shown *shown)
{
    FluidTotals totals[2];
    for (int side = 0; side < 2; side++) {
        shown->view[side] = fluid_view(pair->side[side]->fluid);
        shown->text.title[side] = sheet->title[side];
        if (render_style_needs_mesh(sheet->half.style))
            TRY(make_mesh(scene_of(sheet, 0), &shown->view[side], &shown->mesh[side]));
        TRY(quantities_measure(sheet->quality, &shown->view[side], scene_of(sheet, side)->fluid.gravity,
                               &totals[side]));
    }
    lockstep_text(pair->lockstep, &scene_of(sheet, 0)->fluid, &scene_of(sheet, 1)->fluid,
                  (const FluidTotals *[2]){&totals[0], &totals[1]}, &shown->text);
    return result_ok();
}

static Result draw_to(pbf_sheet *sheet, const pbf_pair *pair, uint8_t *rgba, size_t bytes, size_t row_bytes)
{
    const RenderDef *whole = &scene_of(sheet, 0)->output.render;
    Shown shown = {.text = {.row_count = 0}};
    TRY(drawing_check_room(whole->width, whole->height, bytes, &row_bytes));
    Result result = make_shown(sheet, pair, &shown);
    if (result_is_ok(&result)) result = drawing_run(sheet->context, &sheet->gl, draw, sheet, &shown);
    for (int side = 0; side < 2; side++) surface_mesh_free(&shown.mesh[side]);
    TRY(result);
    drawing_copy_out(sheet->rgb, whole->width, whole->height, rgba, row_bytes);
    return result_ok();
}

pbf_result pbf_sheet_draw(pbf_sheet *sheet, const pbf_pair *pair, void *rgba, size_t bytes, size_t row_bytes)
{
    if (!sheet) return call_refused(NULL, missing("sheet"));
    if (!pair || !rgba) return call_refused(sheet->context, missing(pair ? "rgba" : "pair"));
    RETURN_CALL(sheet->context, draw_to(sheet, pair, rgba, bytes, row_bytes));
}
