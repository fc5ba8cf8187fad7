#include "export/frame_files.h"

#include "core/memory.h"
#include "export/file_writer.h"
#include "export/stage_frame.h"
#include "export/whole_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool frame_files_need(const FrameFiles *files, GeometryKind kind)
{
    for (uint32_t k = 0; k < files->count; k++) {
        if (file_format(files->format[k])->kind == kind) return true;
    }
    return false;
}

static void name_file(uint32_t frame, const FileFormat *format, char name[FRAME_NAME_BYTES])
{
    snprintf(name, FRAME_NAME_BYTES, "%s_%04u.%s", format->stem, frame, format->suffix);
}

// Writes every chosen format of that kind. same: a frame that shows the same, or this one.
static Result write_files(const FrameFiles *files, GeometryKind kind, uint32_t frame,
                          const Geometry *geometry, uint32_t same)
{
    char name[FRAME_NAME_BYTES], path[PATH_MAX], from[PATH_MAX];
    for (uint32_t k = 0; k < files->count; k++) {
        const FileFormat *format = file_format(files->format[k]);
        if (format->kind != kind) continue;
        name_file(same, format, name);
        frame_folder_path(files->folder, name, from);
        name_file(frame, format, name);
        frame_folder_path(files->folder, name, path);
        if (same == frame || !file_target_link(from, path)) TRY(format->write(path, geometry));
    }
    return result_ok();
}

// What lies in memory as it is written.
static Result write_view(const FrameFiles *files, GeometryKind kind, uint32_t frame, Geometry geometry)
{
    geometry.up = files->up;
    return write_files(files, kind, frame, &geometry, frame);
}

static Result add_obstacles(FrameFiles *files, uint32_t frame, const FrameView *view)
{
    ObstacleMesh mesh;
    TRY(obstacle_mesh_make(view, &mesh));
    uint64_t hash = obstacle_mesh_hash(&mesh);
    bool same = files->written && files->hash == hash;
    Geometry geometry = geometry_of_obstacles(&mesh);
    geometry.up = files->up;
    Result result = write_files(files, GEOMETRY_OBSTACLES, frame, &geometry, same ? files->frame : frame);
    obstacle_mesh_free(&mesh);
    if (result_is_ok(&result)) files->written = true, files->hash = hash, files->frame = frame;
    return result;
}

// The frame of all files that play; one is enough for them. Bodies' meshes are in the first one of the
// folder.
static Result add_stage(const FrameFiles *files, uint32_t frame, const FrameView *view,
                        const SurfaceMesh *mesh)
{
    char name[FRAME_NAME_BYTES], path[PATH_MAX];
    uint32_t k = 0;
    while (file_format(files->format[k])->kind != GEOMETRY_STAGE) k++;
    const FileFormat *format = file_format(files->format[k]);
    if (frame > 0) name_file(frame - 1, format, name), frame_folder_path(files->folder, name, path);
    bool first = frame == 0 || access(path, F_OK) != 0;
    name_file(frame, format, name);
    frame_folder_path(files->folder, name, path);
    return stage_frame_write(path, view, mesh, first);
}

Result frame_files_write(FrameFiles *files, uint32_t frame, const FrameView *view, const SurfaceMesh *mesh)
{
    TRY(write_view(files, GEOMETRY_PARTICLES, frame, geometry_of_particles(view)));
    TRY(write_view(files, GEOMETRY_DIFFUSE, frame, geometry_of_diffuse(view)));
    TRY(write_view(files, GEOMETRY_STRANDS, frame, geometry_of_strands(view)));
    if (mesh) {
        Geometry surface = geometry_of_surface(mesh);
        surface.timed = true, surface.time = view->time, surface.spacing = (double)view->spacing;
        TRY(write_view(files, GEOMETRY_SURFACE, frame, surface));
    }
    if (mesh && frame_files_need(files, GEOMETRY_STAGE)) TRY(add_stage(files, frame, view, mesh));
    return frame_files_need(files, GEOMETRY_OBSTACLES) ? add_obstacles(files, frame, view) : result_ok();
}

// The first file of a frame that is not there or not complete. pixels: room for a picture that is read to the
// end, NULL if it need not be.
static bool frame_lacks(const FrameFiles *files, FramePictures pictures, uint32_t frame, uint8_t *pixels,
                        char path[PATH_MAX])
{
    frame_folder_picture(files->folder, frame, path);
    if (pictures.wanted && !whole_file(path)) return true;
    if (pixels) {
        Result read = export_png_read(path, pictures.width, pictures.height, pixels);
        if (!result_is_ok(&read)) return true;
    }
    for (uint32_t k = 0; k < files->count; k++) {
        char name[FRAME_NAME_BYTES];
        name_file(frame, file_format(files->format[k]), name);
        frame_folder_path(files->folder, name, path);
        if (!whole_file(path)) return true;
    }
    return false;
}

Result frame_files_find_missing(const FrameFiles *files, FramePictures pictures, uint32_t first, uint32_t end,
                                bool *found, uint32_t *frame, char path[PATH_MAX])
{
    size_t bytes = (size_t)pictures.width * pictures.height * 3;
    uint8_t *pixels = bytes > 0 ? memory_allocate(bytes) : NULL;
    if (bytes > 0 && !pixels) return result_no_memory("a picture", bytes);
    *found = false;
    for (*frame = first; *frame < end; ++*frame) {
        *found = frame_lacks(files, pictures, *frame, pixels, path);
        if (*found) break;
    }
    memory_free(pixels);
    return result_ok();
}

static Result write_series(const FrameFiles *these, const FileFormat *format, const double *times,
                           uint32_t count)
{
    size_t bytes = count * (FRAME_NAME_BYTES + sizeof(char *) + sizeof(double));
    const char **files = memory_allocate(bytes);
    if (!files) return result_no_memory("the list of files", bytes);
    double *shown = (void *)(files + count);
    char(*names)[FRAME_NAME_BYTES] = (void *)(shown + count);
    char path[PATH_MAX];
    uint32_t there = 0;
    for (uint32_t k = 0; k < count; k++) {
        name_file(k, format, names[there]);
        frame_folder_path(these->folder, names[there], path);
        if (access(path, F_OK) != 0) continue; // a run that went on somewhere else lacks the first ones
        files[there] = names[there];
        shown[there++] = times[k];
    }
    frame_folder_path(these->folder, format->series, path);
    Result result = format->write_series(path, (FileSeries){files, shown, there, these->up});
    memory_free(files);
    return result;
}

Result frame_files_write_series(const FrameFiles *files, const double *times, uint32_t count)
{
    Result first = result_ok();
    for (uint32_t k = 0; k < files->count && count > 0; k++) {
        const FileFormat *format = file_format(files->format[k]);
        Result result = format->series ? write_series(files, format, times, count) : result_ok();
        if (result_is_ok(&first)) first = result;
    }
    return first;
}
