#include "command/frame_files.h"

#include "core/memory.h"
#include "export/file_writer.h"
#include "export/stage_frame.h"
#include "export/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_BYTES 40

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

Result frame_files_make_folder(const char *path)
{
    char part[PATH_MAX];
    if (strlen(path) >= sizeof part - NAME_BYTES)
        return result_error(RESULT_USAGE, "--out: the path is too long (at most %d bytes)",
                            PATH_MAX - NAME_BYTES - 1);
    strcpy(part, path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        TRY(make_one_folder(part));
        *slash = '/';
    }
    TRY(make_one_folder(part));
    frame_files_picture(path, 0, part);
    return file_target_probe(part);
}

Result frame_files_lock(const char *folder, int *lock)
{
    *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // A file system without locks is not an error.
    if (*lock < 0 || flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return result_ok();
    frame_files_unlock(*lock);
    *lock = -1;
    return result_error(RESULT_FAILED, "%.200s: another run writes into it (wait for it, or another folder)",
                        folder);
}

void frame_files_unlock(int lock)
{
    if (lock >= 0) close(lock);
}

void frame_files_path(const char *folder, const char *name, char path[PATH_MAX])
{
    size_t length = strlen(folder);
    snprintf(path, PATH_MAX, "%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", name);
}

void frame_files_picture(const char *folder, uint32_t frame, char path[PATH_MAX])
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "frame_%04u.png", frame);
    frame_files_path(folder, name, path);
}

bool frame_files_need(const Options *options, GeometryKind kind)
{
    for (uint32_t k = 0; k < options->format_count; k++) {
        if (file_format(options->formats[k])->kind == kind) return true;
    }
    return false;
}

static void name_file(uint32_t frame, const FileFormat *format, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%s_%04u.%s", format->stem, frame, format->suffix);
}

// Writes every chosen format of that kind. same: a frame that shows the same, or this one.
static Result write_files(const Options *options, GeometryKind kind, uint32_t frame, const Geometry *geometry,
                          uint32_t same)
{
    char name[NAME_BYTES], path[PATH_MAX], from[PATH_MAX];
    for (uint32_t k = 0; k < options->format_count; k++) {
        const FileFormat *format = file_format(options->formats[k]);
        if (format->kind != kind) continue;
        name_file(same, format, name);
        frame_files_path(options->out, name, from);
        name_file(frame, format, name);
        frame_files_path(options->out, name, path);
        if (same == frame || !file_target_link(from, path)) TRY(format->write(path, geometry));
    }
    return result_ok();
}

// What lies in memory as it is written.
static Result write_view(const Options *options, GeometryKind kind, uint32_t frame, Geometry geometry)
{
    geometry.up = options->up;
    return write_files(options, kind, frame, &geometry, frame);
}

static Result add_obstacles(const Options *options, uint32_t frame, const FrameView *view,
                            ObstacleFiles *last)
{
    ObstacleMesh mesh;
    TRY(obstacle_mesh_make(view, &mesh));
    uint64_t hash = obstacle_mesh_hash(&mesh);
    bool same = last->written && last->hash == hash;
    Geometry geometry = geometry_of_obstacles(&mesh);
    geometry.up = options->up;
    Result result = write_files(options, GEOMETRY_OBSTACLES, frame, &geometry, same ? last->frame : frame);
    obstacle_mesh_free(&mesh);
    if (result_is_ok(&result)) last->written = true, last->hash = hash, last->frame = frame;
    return result;
}

// The frame of all files that play; one is enough for them. Bodies' meshes are in the first one of the
// folder.
static Result add_stage(const Options *options, uint32_t frame, const FrameView *view,
                        const SurfaceMesh *mesh)
{
    char name[NAME_BYTES], path[PATH_MAX];
    uint32_t k = 0;
    while (file_format(options->formats[k])->kind != GEOMETRY_STAGE) k++;
    const FileFormat *format = file_format(options->formats[k]);
    if (frame > 0) name_file(frame - 1, format, name), frame_files_path(options->out, name, path);
    bool first = frame == 0 || access(path, F_OK) != 0;
    name_file(frame, format, name);
    frame_files_path(options->out, name, path);
    return stage_frame_write(path, view, mesh, first);
}

Result frame_files_write(const Options *options, uint32_t frame, const FrameView *view,
                         const SurfaceMesh *mesh, ObstacleFiles *last)
{
    TRY(write_view(options, GEOMETRY_PARTICLES, frame, geometry_of_particles(view)));
    TRY(write_view(options, GEOMETRY_DIFFUSE, frame, geometry_of_diffuse(view)));
    TRY(write_view(options, GEOMETRY_STRANDS, frame, geometry_of_strands(view)));
    if (mesh) {
        Geometry surface = geometry_of_surface(mesh);
        surface.timed = true, surface.time = view->time, surface.spacing = (double)view->spacing;
        TRY(write_view(options, GEOMETRY_SURFACE, frame, surface));
    }
    if (mesh && frame_files_need(options, GEOMETRY_STAGE)) TRY(add_stage(options, frame, view, mesh));
    return frame_files_need(options, GEOMETRY_OBSTACLES) ? add_obstacles(options, frame, view, last)
                                                         : result_ok();
}

// The first file of a frame that is not there or not complete. pixels: room for a picture that is read to the
// end, NULL if it need not be.
static bool frame_lacks(const Options *options, const OutputDef *output, uint32_t frame, uint8_t *pixels,
                        char path[PATH_MAX])
{
    frame_files_picture(options->out, frame, path);
    if (!options->no_pictures && !whole_file(path)) return true;
    if (pixels) {
        Result read = export_png_read(path, output->render.width, output->render.height, pixels);
        if (!result_is_ok(&read)) return true;
    }
    for (uint32_t k = 0; k < options->format_count; k++) {
        char name[NAME_BYTES];
        name_file(frame, file_format(options->formats[k]), name);
        frame_files_path(options->out, name, path);
        if (!whole_file(path)) return true;
    }
    return false;
}

Result frame_files_find_missing(const Options *options, const OutputDef *output, uint32_t first, uint32_t end,
                                bool *found, uint32_t *frame, char path[PATH_MAX])
{
    size_t bytes = (size_t)output->render.width * output->render.height * 3;
    uint8_t *pixels = options->video ? memory_allocate(bytes) : NULL;
    if (options->video && !pixels) return result_no_memory("a picture", bytes);
    *found = false;
    for (*frame = first; *frame < end; ++*frame) {
        *found = frame_lacks(options, output, *frame, pixels, path);
        if (*found) break;
    }
    memory_free(pixels);
    return result_ok();
}

static Result write_series(const Options *options, const FileFormat *format, const double *times,
                           uint32_t count)
{
    size_t bytes = count * (NAME_BYTES + sizeof(char *) + sizeof(double));
    const char **files = memory_allocate(bytes);
    if (!files) return result_no_memory("the list of files", bytes);
    double *shown = (void *)(files + count);
    char(*names)[NAME_BYTES] = (void *)(shown + count);
    char path[PATH_MAX];
    uint32_t there = 0;
    for (uint32_t k = 0; k < count; k++) {
        name_file(k, format, names[there]);
        frame_files_path(options->out, names[there], path);
        if (access(path, F_OK) != 0) continue; // a run that went on somewhere else lacks the first ones
        files[there] = names[there];
        shown[there++] = times[k];
    }
    frame_files_path(options->out, format->series, path);
    Result result = format->write_series(path, (FileSeries){files, shown, there, options->up});
    memory_free(files);
    return result;
}

Result frame_files_write_series(const Options *options, const double *times, uint32_t count)
{
    Result first = result_ok();
    for (uint32_t k = 0; k < options->format_count && count > 0; k++) {
        const FileFormat *format = file_format(options->formats[k]);
        Result result = format->series ? write_series(options, format, times, count) : result_ok();
        if (result_is_ok(&first)) first = result;
    }
    return first;
}
