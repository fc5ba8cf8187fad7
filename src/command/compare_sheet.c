#include "command/compare.h"

#include "command/number.h"
#include "core/memory.h"
#include "export/export.h"
#include "export/frame_folder.h"
#include "export/video.h"
#include "render/cells.h"
#include "render/gl_context.h"
#include "render/shared_range.h"
#include "render/split.h"
#include "render/spray.h"
#include "scene/lockstep_text.h"
#include "surface/frame_surface.h"

#include <math.h>
#include <string.h>

struct CompareSheet {
    const Options *options;
    const SceneDef *scenes; // of the two sides
    const SideName *names;
    uint32_t width, height; // of a sheet
    GlContext *context;
    RenderDef half; // of either picture
    SharedRange range;
    Renderer *renderer[2];
    Cells cells[2];
    Split *split;
    QuantityWork *quality;
    Video *video;
    uint8_t *pixels;
    uint32_t count; // frames so far
};

#define RADIANS 0.017453292519943295
#define ROOM 1.07 // shown width over the tank's

// The tangent of half the horizontal field of view that shows the whole tank; 0 without a tank, and if some
// of it is behind the camera.
static double tangent_for_tank(const SceneDef *scene)
{
    const CameraDef *camera = &scene->output.render.camera;
    Vec3 forward = vec3_normalize_or(vec3_sub(camera->target, camera->eye), vec3_make(0, 1, 0));
    Vec3 right = vec3_normalize_or(vec3_cross(forward, vec3_make(0, 0, 1)), vec3_make(1, 0, 0));
    double tangent = 0;
    for (int corner = 0; corner < 8 && scene->tank.present; corner++) {
        Vec3 size = scene->tank.size;
        Vec3 at = vec3_make(corner & 1 ? size.x : 0, corner & 2 ? size.y : 0, corner & 4 ? size.z : 0);
        Vec3 toward = vec3_sub(vec3_add(scene->tank_corner, at), camera->eye);
        double depth = vec3_dot(toward, forward);
        if (depth <= 0) return 0;
        tangent = fmax(tangent, fabs((double)vec3_dot(toward, right)) / depth);
    }
    return ROOM * tangent;
}

// A camera's field of view is vertical: on the narrower half it grows so far that the tank fits, but never
// shows more from left to right than the whole would.
static RenderDef half_def(const SceneDef *scene)
{
    const RenderDef *whole = &scene->output.render;
    RenderDef half = *whole;
    split_picture_size(SPLIT_BESIDE, whole->width, whole->height, &half.width, &half.height);
    double aspect = (double)whole->width / whole->height, narrower = (double)half.width / half.height;
    if (half.camera.automatic || narrower >= aspect) return half;
    double upright = tan(0.5 * (double)half.camera.fov * RADIANS), tank = tangent_for_tank(scene);
    double all = upright * aspect / narrower; // shows as much as the whole
    double needed = tank > 0 ? fmin(fmax(tank / narrower, upright), all) : all;
    half.camera.fov = (float)fmin(2 * atan(needed) / RADIANS, 170);
    return half;
}

static Result open_all(CompareSheet *sheet)
{
    TRY(gl_context_open_headless(&sheet->context));
    TRY(quantities_create(&sheet->quality));
    TRY(split_create(sheet->width, sheet->height, &sheet->split));
    sheet->half = half_def(&sheet->scenes[0]);
    for (int side = 0; side < 2; side++) TRY(renderer_create(&sheet->half, &sheet->renderer[side]));
    size_t bytes = (size_t)sheet->width * sheet->height * 3;
    sheet->pixels = memory_allocate(bytes);
    if (!sheet->pixels) return result_no_memory("a picture", bytes);
    const char *video = sheet->options->video;
    return video ? video_open(video, sheet->width, sheet->height, sheet->scenes[0].output.fps, &sheet->video)
                 : result_ok();
}

static void release(CompareSheet *sheet)
{
    video_abandon(sheet->video);
    split_destroy(sheet->split);
    quantities_free(sheet->quality);
    for (int side = 0; side < 2; side++) {
        cells_close(&sheet->cells[side]);
        renderer_destroy(sheet->renderer[side]);
    }
    gl_context_close(sheet->context);
    shared_range_free(&sheet->range);
    memory_free(sheet->pixels);
    memory_free(sheet);
}

Result compare_sheet_open(const Options *options, const SceneDef scenes[2], const SideName names[2],
                          CompareSheet **out)
{
    CompareSheet *sheet = memory_allocate_zeroed(sizeof *sheet);
    if (!sheet) return result_no_memory("the sheets", sizeof *sheet);
    *sheet = (CompareSheet){.options = options,
                            .scenes = scenes,
                            .names = names,
                            .width = scenes[0].output.render.width,
                            .height = scenes[0].output.render.height};
    Result result = open_all(sheet);
    for (int side = 0; side < 2 && options->show_cells && result_is_ok(&result); side++) {
        const FluidDef *fluid = &scenes[side].fluid;
        result = cells_open(fluid->neighbor, fluid->radius_factor * fluid->spacing, &sheet->cells[side]);
    }
    if (result_is_ok(&result))
        *out = sheet;
    else
        release(sheet);
    return result;
}

// --- frames ---

static Result draw_half(CompareSheet *sheet, int side, const FrameView *view)
{
    Renderer *renderer = sheet->renderer[side];
    if (!render_style_needs_mesh(sheet->scenes[0].output.render.style))
        return renderer_draw(renderer, view, NULL);
    const SceneDef *scene = &sheet->scenes[0];
    SurfaceMesh mesh;
    TRY(frame_surface_make(&scene->surface, view, render_needs_velocities(&scene->output.render), &mesh));
    Result result = spray_replace(&mesh, view);
    if (result_is_ok(&result)) result = renderer_draw(renderer, view, &mesh);
    surface_mesh_free(&mesh);
    return result;
}

// Gives colors the same meaning on both halves.
static Result share_colors(CompareSheet *sheet, const FrameView view[2])
{
    RenderDef def = sheet->half;
    if (!def.auto_range || def.style != STYLE_PARTICLES) return result_ok();
    TRY(shared_range_follow(&sheet->range, &view[0], &view[1], def.color_by, &def.range_lo, &def.range_hi));
    def.auto_range = false;
    for (int side = 0; side < 2; side++) TRY(renderer_set(sheet->renderer[side], &def));
    return result_ok();
}

static Result write_frame(CompareSheet *sheet, uint32_t frame)
{
    char path[PATH_MAX];
    if (sheet->options->out) {
        frame_folder_picture(sheet->options->out, frame, path);
        TRY(export_png(path, sheet->pixels, sheet->width, sheet->height));
    }
    return sheet->video ? video_add(sheet->video, sheet->pixels) : result_ok();
}

Result compare_sheet_add(CompareSheet *sheet, uint32_t frame, Lockstep *lockstep)
{
    SplitText text = {.title = {sheet->names[0].text, sheet->names[1].text}};
    const FrameView view[2] = {fluid_view(lockstep_fluid(lockstep, 0)),
                               fluid_view(lockstep_fluid(lockstep, 1))};
    TRY(share_colors(sheet, view));
    for (int side = 0; side < 2; side++) {
        TRY(cells_show(&sheet->cells[side], &view[side], sheet->renderer[side]));
        TRY(draw_half(sheet, side, &view[side]));
    }
    FluidTotals totals[2];
    for (int side = 0; side < 2; side++)
        TRY(quantities_measure(sheet->quality, &view[side], sheet->scenes[side].fluid.gravity,
                               &totals[side]));
    lockstep_text(lockstep, &sheet->scenes[0].fluid, &sheet->scenes[1].fluid,
                  (const FluidTotals *[2]){&totals[0], &totals[1]}, &text);
    TRY(split_draw(sheet->split, SPLIT_BESIDE, 0, sheet->renderer[0], sheet->renderer[1], &text));
    TRY(split_read(sheet->split, sheet->pixels));
    TRY(write_frame(sheet, frame));
    sheet->count++;
    return result_ok();
}

Result compare_sheet_close(CompareSheet *sheet)
{
    if (!sheet) return result_ok();
    Result result = result_ok();
    if (sheet->video && sheet->count > 0) {
        result = video_close(sheet->video);
        sheet->video = NULL;
    }
    release(sheet);
    return result;
}
