// Frames of a run: pictures, a film, and files that share one surface.
#include "export/frame_files.h"
#include "export/video.h"
#include "library/files.h"
#include "library/pictures.h"
#include "surface/frame_surface.h"

#include <stdio.h>
#include <string.h>

struct pbf_frames {
    pbf_context *context;
    SharedScene *shared;
    FrameFiles files; // its folder is NULL without one
    char *folder;
    bool draws_mesh, exports_mesh;
    pbf_picture *picture; // NULL: none
    Video *video;
    double *times; // s, of the frames so far
    size_t capacity;
    uint32_t count; // frames so far
    int lock;       // of the folder, -1 without one
    bool finished;
};

static const SceneDef *scene_of(const pbf_frames *frames)
{
    return &frames->shared->def;
}

// --- what is asked for ---

static Result find_format(const char *name, uint32_t *out)
{
    if (!name) return missing("a format");
    *out = file_format_named(name);
    if (file_format(*out)) return result_ok();
    return result_error(RESULT_USAGE, "formats: \"%.40s\" is not a format of files (ply, mesh_obj, abc, ...)",
                        name);
}

static Result list_formats(const pbf_frames_def *def, FrameFiles *out)
{
    if (def->format_count > 0 && !def->formats) return missing("formats");
    if (def->format_count > FRAME_FORMATS_MAX)
        return result_error(RESULT_USAGE, "formats: %u are too many (at most %d)", def->format_count,
                            FRAME_FORMATS_MAX);
    for (uint32_t k = 0; k < def->format_count; k++) {
        uint32_t format = 0;
        bool known = false;
        TRY(find_format(def->formats[k], &format));
        for (uint32_t j = 0; j < out->count; j++) known |= out->format[j] == format;
        if (!known) out->format[out->count++] = format;
    }
    return files_find_axis(def->up, &out->up);
}

static Result check_formats(const FrameFiles *files, const SceneDef *scene)
{
    if (files->count > 0 && !files->folder)
        return result_error(RESULT_USAGE, "formats: without a folder that files go to");
    if (scene->strand_count == 0 && frame_files_need(files, GEOMETRY_STRANDS))
        return result_error(RESULT_USAGE, "formats: %s has no strands (a list `strands` in the scene)",
                            scene->name);
    if (scene->whitewater.enabled || !frame_files_need(files, GEOMETRY_DIFFUSE)) return result_ok();
    return result_error(
        RESULT_USAGE,
        "formats: %s has no whitewater (whitewater: {} in the scene, or whitewater.enabled=true)",
        scene->name);
}

static bool is_name(const char *path)
{
    return !path || (*path && strcmp(path, "-") != 0);
}

static Result check_def(const pbf_frames_def *def)
{
    if (!def) return missing("def");
    TRY(check_def_size(def->size, sizeof *def, "pbf_frames_def"));
    if (!is_name(def->folder) || !is_name(def->film))
        return result_error(RESULT_USAGE, "%s: is not the name of one",
                            is_name(def->folder) ? "film" : "folder");
    if (def->first >= SCENE_FRAMES_MAX)
        return result_error(RESULT_USAGE, "first: %u is out of range (below %d)", def->first,
                            SCENE_FRAMES_MAX);
    if (def->film && def->no_pictures) return result_error(RESULT_USAGE, "film: needs pictures");
    if (def->film && def->first > 0 && !def->folder)
        return result_error(RESULT_USAGE, "film: begins with pictures of a folder, which is missing");
    return result_ok();
}

// Reads what both pbf_frames_create and _missing are given. The folder is the caller's.
static Result read_def(const pbf_frames_def *def, const SceneDef *scene, FrameFiles *out)
{
    TRY(check_def(def));
    *out = (FrameFiles){.folder = def->folder};
    TRY(list_formats(def, out));
    return check_formats(out, scene);
}

// --- life ---

// The film of a run that goes on begins with the frames that are there.
static Result replay(pbf_frames *frames, uint32_t first)
{
    const RenderDef *def = &scene_of(frames)->output.render;
    for (uint32_t frame = 0; frame < first && frames->video; frame++) {
        char path[PATH_MAX];
        frame_folder_picture(frames->files.folder, frame, path);
        TRY(export_png_read(path, def->width, def->height, frames->picture->rgb));
        TRY(video_add(frames->video, frames->picture->rgb));
    }
    return result_ok();
}

static Result reserve_times(pbf_frames *frames, uint32_t count)
{
    return MEMORY_RESERVE(frames->times, frames->capacity, frames->count, count, "the frames' times");
}

// Frames are at whole multiples of a frame's time, to the bit.
static void skip_to(pbf_frames *frames, uint32_t frame)
{
    for (; frames->count < frame; frames->count++)
        frames->times[frames->count] = frames->count / scene_of(frames)->output.fps;
}

static Result open_picture(pbf_frames *frames, const pbf_frames_def *def)
{
    TRY(pictures_create(frames->context, scene_of(frames), &frames->picture));
    frames->picture->borrowed = true;
    frames->picture->on_samples = def->on_samples;
    frames->picture->user = def->user;
    return pictures_show_cells(frames->picture, def->cells != 0);
}

static Result open_folder(pbf_frames *frames, const char *path)
{
    frames->folder = memory_allocate(strlen(path) + 1);
    if (!frames->folder) return result_no_memory("the frames", strlen(path) + 1);
    frames->files.folder = strcpy(frames->folder, path);
    TRY(frame_folder_make(path));
    return frame_folder_lock(path, &frames->lock);
}

static Result open_all(pbf_frames *frames, const pbf_frames_def *def)
{
    const OutputDef *output = &scene_of(frames)->output;
    const RenderDef *render = &output->render;
    frames->draws_mesh = !def->no_pictures && render_style_needs_mesh(render->style);
    frames->exports_mesh = frame_files_need(&frames->files, GEOMETRY_SURFACE) ||
                           frame_files_need(&frames->files, GEOMETRY_STAGE);
    if (!def->no_pictures) TRY(open_picture(frames, def));
    if (def->folder) TRY(open_folder(frames, def->folder));
    if (def->film) TRY(video_open(def->film, render->width, render->height, output->fps, &frames->video));
    TRY(reserve_times(frames, def->first));
    skip_to(frames, def->first);
    return replay(frames, def->first);
}

static void frames_free(pbf_frames *frames)
{
    pbf_context *context = frames->context;
    Host *before = call_begin(context);
    video_abandon(frames->video);
    pictures_destroy(frames->picture);
    shared_scene_release(frames->shared);
    frame_folder_unlock(frames->lock);
    memory_free(frames->folder);
    memory_free(frames->times);
    memory_free(frames);
    call_close(context, before);
}

static Result create(const pbf_scene *scene, const pbf_frames_def *def, pbf_frames **out)
{
    FrameFiles files;
    TRY(read_def(def, &scene->shared->def, &files));
    pbf_frames *frames = memory_allocate_zeroed(sizeof *frames);
    if (!frames) return result_no_memory("the frames", sizeof *frames);
    *frames = (pbf_frames){.context = context_hold(scene->context),
                           .shared = shared_scene_hold(scene->shared),
                           .files = files,
                           .lock = -1};
    Result result = open_all(frames, def);
    if (result_is_ok(&result))
        *out = frames;
    else
        frames_free(frames);
    return result;
}

pbf_result pbf_frames_create(const pbf_scene *scene, const pbf_frames_def *def, pbf_frames **out)
{
    if (!out) return call_refused(scene ? scene->context : NULL, missing("out"));
    *out = NULL;
    if (!scene) return call_refused(NULL, missing("scene"));
    RETURN_CALL(scene->context, create(scene, def, out));
}

void pbf_frames_destroy(pbf_frames *frames)
{
    if (frames) frames_free(frames);
}

pbf_picture *pbf_frames_picture(const pbf_frames *frames)
{
    return frames ? frames->picture : NULL;
}

// --- frames ---

static Result draw(pbf_frames *frames, uint32_t frame, const FrameView *view, const SurfaceMesh *mesh)
{
    pbf_picture *picture = frames->picture;
    char path[PATH_MAX];
    TRY(pictures_draw(picture, view, mesh));
    if (!frames->files.folder) return result_ok();
    frame_folder_picture(frames->files.folder, frame, path);
    return export_png(path, picture->rgb, picture->def.width, picture->def.height);
}

// mesh: domain coordinates; it is moved. The film comes last: of all else a frame can be made again.
static Result draw_and_write(pbf_frames *frames, uint32_t frame, const FrameView *view, SurfaceMesh *mesh)
{
    if (frames->picture) TRY(draw(frames, frame, view, mesh));
    surface_mesh_move(mesh, view->origin);
    if (frames->files.folder) TRY(frame_files_write(&frames->files, frame, view, mesh));
    return frames->video ? video_add(frames->video, frames->picture->rgb) : result_ok();
}

static Result check_frame(const pbf_frames *frames, uint32_t frame)
{
    if (frames->finished) return result_error(RESULT_USAGE, "frame %u: the frames are finished", frame);
    if (frame >= SCENE_FRAMES_MAX)
        return result_error(RESULT_USAGE, "frame %u: is out of range (below %d)", frame, SCENE_FRAMES_MAX);
    if (frame >= frames->count) return result_ok();
    return result_error(RESULT_USAGE, "frame %u: comes after frame %u (they come in order)", frame,
                        frames->count - 1);
}

static Result add(pbf_frames *frames, uint32_t frame, const pbf_sim *sim)
{
    SurfaceMesh mesh = {0};
    FrameView view = fluid_view(sim->fluid);
    const SceneDef *scene = scene_of(frames);
    TRY(check_frame(frames, frame));
    TRY(reserve_times(frames, frame + 1));
    if (frames->draws_mesh || frames->exports_mesh)
        TRY(frame_surface_make(&scene->surface, &view,
                               frames->exports_mesh || render_needs_velocities(&scene->output.render),
                               &mesh));
    Result result = draw_and_write(frames, frame, &view, &mesh);
    surface_mesh_free(&mesh);
    TRY(result);
    skip_to(frames, frame);
    frames->times[frames->count++] = view.time;
    return result_ok();
}

pbf_result pbf_frames_add(pbf_frames *frames, uint32_t frame, const pbf_sim *sim)
{
    if (!frames) return call_refused(NULL, missing("frames"));
    if (!sim) return call_refused(frames->context, missing("sim"));
    RETURN_CALL(frames->context, add(frames, frame, sim));
}

static Result finish(pbf_frames *frames)
{
    Result result = result_ok();
    if (frames->finished) return result_error(RESULT_USAGE, "the frames are finished already");
    frames->finished = true;
    if (frames->files.folder) result = frame_files_write_series(&frames->files, frames->times, frames->count);
    if (frames->video && frames->count > 0) {
        Result film = video_close(frames->video);
        frames->video = NULL;
        if (result_is_ok(&result)) result = film;
    }
    return result;
}

pbf_result pbf_frames_finish(pbf_frames *frames)
{
    if (!frames) return call_refused(NULL, missing("frames"));
    RETURN_CALL(frames->context, finish(frames));
}

// --- what is there already ---

static Result find_missing(const pbf_scene *scene, const pbf_frames_def *def, uint32_t begin, uint32_t end,
                           uint32_t *frame, char path[PATH_MAX])
{
    FrameFiles files;
    bool found;
    const RenderDef *render = &scene->shared->def.output.render;
    TRY(read_def(def, &scene->shared->def, &files));
    if (!files.folder) return missing("folder");
    if (strlen(files.folder) >= PATH_MAX - FRAME_NAME_BYTES)
        return result_error(RESULT_USAGE, "folder: the path is too long");
    FramePictures pictures = {.wanted = !def->no_pictures};
    if (def->film) pictures.width = render->width, pictures.height = render->height;
    TRY(frame_files_find_missing(&files, pictures, begin, end, &found, frame, path));
    if (!found) *frame = end, *path = '\0';
    return result_ok();
}

pbf_result pbf_frames_missing(const pbf_scene *scene, const pbf_frames_def *def, uint32_t begin, uint32_t end,
                              uint32_t *frame, char *path, size_t bytes)
{
    char first[PATH_MAX] = "";
    if (frame) *frame = end;
    if (path && bytes > 0) *path = '\0';
    if (!scene) return call_refused(NULL, missing("scene"));
    if (!frame) return call_refused(scene->context, missing("frame"));
    if (!path || bytes == 0) return call_refused(scene->context, missing("path"));
    Host *before = call_begin(scene->context);
    Result result = find_missing(scene, def, begin, end, frame, first);
    if (result_is_ok(&result)) snprintf(path, bytes, "%s", first);
    return call_end(scene->context, before, result);
}
