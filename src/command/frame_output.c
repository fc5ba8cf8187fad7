#include "command/frame_output.h"

#include "core/memory.h"
#include "export/export.h"
#include "export/file_writer.h"
#include "export/video.h"
#include "render/gl_context.h"
#include "render/render.h"
#include "surface/surface.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_NAME_MAX 40

struct FrameOutput {
    const Options *options;
    uint32_t width, height;
    RenderStyle style;
    GlContext *context;
    Renderer *renderer;
    Video *video;
    uint8_t *pixels;
    double *times;  // s, of the frames so far
    uint32_t count; // frames so far
};

static Result make_one_folder(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0) return result_ok();
    int reason = errno;
    if (stat(path, &status) != 0)
        return result_error(RESULT_FAILED, "%s: cannot make the folder: %s", path, strerror(reason));
    if (S_ISDIR(status.st_mode)) return result_ok();
    return result_error(RESULT_FAILED, "%s: is not a folder (--out names one)", path);
}

// Makes the folder and those above it.
static Result make_folder(const char *path)
{
    char part[PATH_MAX];
    if (strlen(path) >= sizeof part - FILE_NAME_MAX)
        return result_error(RESULT_USAGE, "--out: the path is too long (at most %d bytes)",
                            PATH_MAX - FILE_NAME_MAX - 1);
    strcpy(part, path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        TRY(make_one_folder(part));
        *slash = '/';
    }
    return make_one_folder(part);
}

static void join(const char *folder, const char *name, char path[PATH_MAX])
{
    size_t length = strlen(folder);
    snprintf(path, PATH_MAX, "%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", name);
}

static Result prove_writable(const char *folder)
{
    char path[PATH_MAX];
    join(folder, "frame_0000.png", path);
    return file_target_probe(path);
}

static Result open_renderer(FrameOutput *output, const RenderDef *def)
{
    TRY(gl_context_open_headless(&output->context));
    TRY(renderer_create(def, &output->renderer));
    size_t bytes = (size_t)def->width * def->height * 3;
    output->pixels = memory_allocate(bytes);
    return output->pixels ? result_ok() : result_no_memory("a picture", bytes);
}

static Result open_all(FrameOutput *output, const SceneDef *scene, uint32_t frames)
{
    const Options *options = output->options;
    output->times = memory_allocate(frames * sizeof *output->times);
    if (!output->times) return result_no_memory("the frames' times", frames * sizeof *output->times);
    TRY(open_renderer(output, &scene->output.render));
    if (options->out) {
        TRY(make_folder(options->out));
        TRY(prove_writable(options->out));
    }
    if (options->video)
        TRY(video_open(options->video, output->width, output->height, scene->output.fps, &output->video));
    return result_ok();
}

static void release(FrameOutput *output)
{
    video_abandon(output->video);
    renderer_destroy(output->renderer);
    gl_context_close(output->context);
    memory_free(output->pixels);
    memory_free(output->times);
    memory_free(output);
}

Result frame_output_open(const Options *options, const SceneDef *scene, uint32_t frames, FrameOutput **out)
{
    FrameOutput *output = memory_allocate_zeroed(sizeof *output);
    if (!output) return result_no_memory("the output", sizeof *output);
    output->options = options;
    output->width = scene->output.render.width;
    output->height = scene->output.render.height;
    output->style = scene->output.render.style;
    Result result = open_all(output, scene, frames);
    if (result_is_ok(&result))
        *out = output;
    else
        release(output);
    return result;
}

static void particle_file_name(uint32_t frame, const ParticleFormat *format, char name[FILE_NAME_MAX])
{
    snprintf(name, FILE_NAME_MAX, "particles_%04u.%s", frame, format->name);
}

static Result write_files(FrameOutput *output, uint32_t frame, const FrameView *view)
{
    const Options *options = output->options;
    char name[FILE_NAME_MAX], path[PATH_MAX];
    snprintf(name, sizeof name, "frame_%04u.png", frame);
    join(options->out, name, path);
    TRY(export_png(path, output->pixels, output->width, output->height));
    for (uint32_t k = 0; k < options->format_count; k++) {
        const ParticleFormat *format = particle_format(options->formats[k]);
        particle_file_name(frame, format, name);
        join(options->out, name, path);
        TRY(format->write(path, view));
    }
    return result_ok();
}

static Result draw(FrameOutput *output, const FrameView *view)
{
    if (!render_style_needs_mesh(output->style)) return renderer_draw(output->renderer, view, NULL);
    SurfaceDef def = surface_def_default(view->spacing);
    SurfacePoints points = {.x = view->x, .y = view->y, .z = view->z, .count = view->count};
    SurfaceMesh mesh;
    TRY(surface_reconstruct(&def, points, &mesh));
    Result result = renderer_draw(output->renderer, view, &mesh);
    surface_mesh_free(&mesh);
    return result;
}

Result frame_output_add(FrameOutput *output, uint32_t frame, const FrameView *view)
{
    CHECK(frame == output->count);
    TRY(draw(output, view));
    TRY(renderer_read(output->renderer, output->pixels));
    if (output->options->out) TRY(write_files(output, frame, view));
    if (output->video) TRY(video_add(output->video, output->pixels));
    output->times[output->count++] = view->time;
    return result_ok();
}

static Result write_series(const FrameOutput *output, const ParticleFormat *format)
{
    size_t bytes = output->count * (FILE_NAME_MAX + sizeof(char *));
    const char **files = memory_allocate(bytes);
    if (!files) return result_no_memory("the list of files", bytes);
    char(*names)[FILE_NAME_MAX] = (void *)(files + output->count);
    for (uint32_t k = 0; k < output->count; k++) {
        particle_file_name(k, format, names[k]);
        files[k] = names[k];
    }
    char path[PATH_MAX];
    join(output->options->out, format->series, path);
    Result result = format->write_series(path, (FileSeries){files, output->times, output->count});
    memory_free(files);
    return result;
}

static Result complete_series(const FrameOutput *output)
{
    const Options *options = output->options;
    Result first = result_ok();
    for (uint32_t k = 0; k < options->format_count && output->count > 0; k++) {
        const ParticleFormat *format = particle_format(options->formats[k]);
        Result result = format->series ? write_series(output, format) : result_ok();
        if (result_is_ok(&first)) first = result;
    }
    return first;
}

Result frame_output_close(FrameOutput *output)
{
    if (!output) return result_ok();
    Result result = complete_series(output);
    if (output->video && output->count > 0) {
        Result film = video_close(output->video);
        output->video = NULL;
        if (result_is_ok(&result)) result = film;
    }
    release(output);
    return result;
}
