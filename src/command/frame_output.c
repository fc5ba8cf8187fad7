#include "command/frame_output.h"

#include "command/frame_files.h"
#include "command/run.h"
#include "core/memory.h"
#include "core/progress.h"
#include "export/video.h"
#include "render/cells.h"
#include "render/gl_context.h"
#include "render/legend.h"
#include "render/render.h"
#include "render/spray.h"
#include "surface/frame_surface.h"

struct FrameOutput {
    const Options *options;
    const SceneDef *scene;
    bool draws_mesh, exports_mesh;
    GlContext *context;
    Renderer *renderer; // NULL: no pictures
    Cells cells;
    Video *video;
    uint8_t *pixels;
    double *times;     // s, of the frames so far
    uint32_t count;    // frames so far
    Progress progress; // of a picture
    ObstacleFiles obstacles;
    int lock; // of the folder, -1 without one
};

// Pictures that take seconds say how far they are, and can be interrupted.
static Result tell_samples(uint32_t samples, uint32_t of, float noise, void *context)
{
    FrameOutput *output = context;
    TRY(run_interrupted());
    if (samples < of)
        progress_show(&output->progress, (double)samples / of, "%u of %u samples, noise %.1f %%", samples, of,
                      100 * (double)noise);
    return result_ok();
}

static void tell_legend(FrameOutput *output, const RenderDef *def)
{
    if (!def->legend || (def->width >= LEGEND_LEAST_WIDTH && def->height >= LEGEND_LEAST_HEIGHT)) return;
    progress_note(&output->progress, "no legend: pictures of %ux%u are too small for it (at least %dx%d)",
                  def->width, def->height, LEGEND_LEAST_WIDTH, LEGEND_LEAST_HEIGHT);
}

static Result open_renderer(FrameOutput *output, const RenderDef *def)
{
    RenderDef told = *def;
    told.photo.tell = tell_samples;
    told.photo.context = output;
    output->progress = progress_begin(output->options->quiet);
    tell_legend(output, def);
    TRY(gl_context_open_headless(&output->context));
    TRY(renderer_create(&told, &output->renderer));
    size_t bytes = (size_t)def->width * def->height * 3;
    output->pixels = memory_allocate(bytes);
    return output->pixels ? result_ok() : result_no_memory("a picture", bytes);
}

// The film of a run that goes on begins with the frames that are there.
static Result replay(FrameOutput *output, uint32_t first)
{
    const RenderDef *def = &output->scene->output.render;
    for (uint32_t frame = 0; frame < first && output->video; frame++) {
        char path[PATH_MAX];
        frame_files_picture(output->options->out, frame, path);
        TRY(export_png_read(path, def->width, def->height, output->pixels));
        TRY(video_add(output->video, output->pixels));
    }
    return result_ok();
}

// Frames are at whole multiples of a frame's time, to the bit.
static void skip_to(FrameOutput *output, uint32_t frame)
{
    for (; output->count < frame; output->count++)
        output->times[output->count] = output->count / output->scene->output.fps;
}

static Result open_all(FrameOutput *output, uint32_t first, uint32_t frames)
{
    const Options *options = output->options;
    const OutputDef *def = &output->scene->output;
    output->times = memory_allocate(frames * sizeof *output->times);
    if (!output->times) return result_no_memory("the frames' times", frames * sizeof *output->times);
    if (!options->no_pictures) TRY(open_renderer(output, &def->render));
    const FluidDef *fluid = &output->scene->fluid;
    if (options->show_cells && output->renderer)
        TRY(cells_open(fluid->neighbor, fluid->radius_factor * fluid->spacing, &output->cells));
    if (options->out) {
        TRY(frame_files_make_folder(options->out));
        TRY(frame_files_lock(options->out, &output->lock));
    }
    if (options->video)
        TRY(video_open(options->video, def->render.width, def->render.height, def->fps, &output->video));
    skip_to(output, first);
    return options->out ? replay(output, first) : result_ok();
}

static Result check_formats(const Options *options, const SceneDef *scene)
{
    if (scene->strand_count == 0 && frame_files_need(options, GEOMETRY_STRANDS))
        return result_error(RESULT_USAGE, "--export: %s has no strands (a list `strands` in the scene)",
                            scene->name);
    if (scene->whitewater.enabled || !frame_files_need(options, GEOMETRY_DIFFUSE)) return result_ok();
    return result_error(RESULT_USAGE,
                        "--export: %s has no whitewater (--set whitewater.enabled=true, or "
                        "whitewater: {} in the scene)",
                        scene->name);
}

static void release(FrameOutput *output)
{
    video_abandon(output->video);
    cells_close(&output->cells);
    renderer_destroy(output->renderer);
    gl_context_close(output->context);
    memory_free(output->pixels);
    memory_free(output->times);
    frame_files_unlock(output->lock);
    memory_free(output);
}

Result frame_output_open(const Options *options, const SceneDef *scene, uint32_t first, uint32_t frames,
                         const RendererMemory *memory, FrameOutput **out)
{
    FrameOutput *output = memory_allocate_zeroed(sizeof *output);
    if (!output) return result_no_memory("the output", sizeof *output);
    output->options = options;
    output->scene = scene;
    output->lock = -1;
    output->draws_mesh = !options->no_pictures && render_style_needs_mesh(scene->output.render.style);
    output->exports_mesh =
        frame_files_need(options, GEOMETRY_SURFACE) || frame_files_need(options, GEOMETRY_STAGE);
    Result result = check_formats(options, scene);
    if (result_is_ok(&result)) result = open_all(output, first, frames);
    if (result_is_ok(&result) && memory) frame_output_remember(output, memory);
    if (result_is_ok(&result))
        *out = output;
    else
        release(output);
    return result;
}

RendererMemory frame_output_memory(const FrameOutput *output)
{
    return output->renderer ? renderer_memory(output->renderer) : (RendererMemory){0};
}

void frame_output_remember(FrameOutput *output, const RendererMemory *memory)
{
    if (output->renderer) renderer_remember(output->renderer, memory);
}

// The water's surface in domain coordinates.
static Result make_mesh(const FrameOutput *output, const FrameView *view, SurfaceMesh *mesh)
{
    const SceneDef *scene = output->scene;
    bool velocities = output->exports_mesh || render_needs_velocities(&scene->output.render);
    return frame_surface_make(&scene->surface, view, velocities, mesh);
}

// Files get the surface as it is, pictures with its drops.
static Result draw_water(FrameOutput *output, const FrameView *view, const SurfaceMesh *mesh)
{
    SurfaceMesh spray = {0};
    if (!output->draws_mesh) return renderer_draw(output->renderer, view, NULL);
    TRY(spray_make(mesh, view, &spray));
    Result result = renderer_draw(output->renderer, view, spray.vertex_count > 0 ? &spray : mesh);
    surface_mesh_free(&spray);
    return result;
}

static Result draw(FrameOutput *output, uint32_t frame, const FrameView *view, const SurfaceMesh *mesh)
{
    const RenderDef *def = &output->scene->output.render;
    output->progress = progress_begin(output->options->quiet);
    TRY(cells_show(&output->cells, view, output->renderer));
    TRY(draw_water(output, view, mesh));
    TRY(renderer_read(output->renderer, output->pixels));
    if (output->options->out) {
        char path[PATH_MAX];
        frame_files_picture(output->options->out, frame, path);
        TRY(export_png(path, output->pixels, def->width, def->height));
    }
    return output->video ? video_add(output->video, output->pixels) : result_ok();
}

static Result draw_and_write(FrameOutput *output, uint32_t frame, const FrameView *view, SurfaceMesh *mesh)
{
    if (output->renderer) TRY(draw(output, frame, view, mesh));
    surface_mesh_move(mesh, view->origin);
    return output->options->out ? frame_files_write(output->options, frame, view, mesh, &output->obstacles)
                                : result_ok();
}

Result frame_output_add(FrameOutput *output, uint32_t frame, const FrameView *view)
{
    SurfaceMesh mesh = {0};
    CHECK(frame >= output->count);
    skip_to(output, frame);
    if (output->draws_mesh || output->exports_mesh) TRY(make_mesh(output, view, &mesh));
    Result result = draw_and_write(output, frame, view, &mesh);
    surface_mesh_free(&mesh);
    TRY(result);
    output->times[output->count++] = view->time;
    return result_ok();
}

Result frame_output_close(FrameOutput *output)
{
    if (!output) return result_ok();
    Result result = output->options->out
                        ? frame_files_write_series(output->options, output->times, output->count)
                        : result_ok();
    if (output->video && output->count > 0) {
        Result film = video_close(output->video);
        output->video = NULL;
        if (result_is_ok(&result)) result = film;
    }
    release(output);
    return result;
}
