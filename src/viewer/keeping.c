#include "viewer/keeping.h"

#include "export/export.h"
#include "surface/frame_surface.h"

#include <stdio.h>
#include <string.h>

// The k-th format that holds one state; NULL past the end.
static const FileFormat *format_at(uint32_t k)
{
    const FileFormat *format;
    for (uint32_t row = 0; (format = file_format(row)); row++) {
        if (format->kind != GEOMETRY_STAGE && k-- == 0) return format;
    }
    return NULL;
}

const char *keeping_format_names(uint32_t k, const void *context)
{
    const FileFormat *format = format_at(k);
    (void)context;
    return format ? format->name : NULL;
}

// --- files of a state ---

static Result write_surface(const FileFormat *format, const SurfaceDef *def, const FrameView *view,
                            const char *path)
{
    SurfaceMesh mesh = {0};
    TRY(frame_surface_make(def, view, true, &mesh));
    surface_mesh_move(&mesh, view->origin);
    Geometry geometry = geometry_of_surface(&mesh);
    geometry.timed = true, geometry.time = view->time, geometry.spacing = (double)view->spacing;
    Result result = format->write(path, &geometry);
    surface_mesh_free(&mesh);
    return result;
}

static Result write_obstacles(const FileFormat *format, const FrameView *view, const char *path)
{
    ObstacleMesh mesh = {0};
    TRY(obstacle_mesh_make(view, &mesh));
    Geometry geometry = geometry_of_obstacles(&mesh);
    Result result = format->write(path, &geometry);
    obstacle_mesh_free(&mesh);
    return result;
}

static Result write_state(const Keeping *keeping, const FileFormat *format, const char *path)
{
    const FrameView *view = &keeping->playback->snapshot->side[0].view;
    if (format->kind == GEOMETRY_SURFACE)
        return write_surface(format, &keeping->playback->facts.surface, view, path);
    if (format->kind == GEOMETRY_OBSTACLES) return write_obstacles(format, view, path);
    Geometry geometry;
    TRY(geometry_of_format(format, view, &geometry));
    return format->write(path, &geometry);
}

static Result next_path(const Keeping *keeping, const char *what, const char *suffix, char path[PATH_MAX])
{
    char pattern[48];
    snprintf(pattern, sizeof pattern, "%s_%%04d.%s", what, suffix);
    return recorder_path(keeping->recording->recorder, keeping->playback->facts.name, pattern, path);
}

static void tell(const Keeping *keeping, const Result *result, const char *path)
{
    screen_say_error(keeping->screen, result);
    if (result_is_ok(result)) screen_say(keeping->screen, "saved %s", path);
}

void keeping_export(Keeping *keeping)
{
    char path[PATH_MAX], what[24];
    const FileFormat *format = format_at(keeping->format);
    snprintf(what, sizeof what, "_%s", format->stem);
    Result result = next_path(keeping, what, format->suffix, path);
    if (result_is_ok(&result)) result = write_state(keeping, format, path);
    tell(keeping, &result, path);
}

void keeping_measurements(Keeping *keeping)
{
    char path[PATH_MAX];
    Result result = next_path(keeping, "_log", "csv", path);
    if (result_is_ok(&result))
        result = measurements_write(simulation_measurements(keeping->playback->simulation), path);
    tell(keeping, &result, path);
}

// --- the scene ---

static void set_vector(KeptScene *kept, const char *key, Vec3 v)
{
    kept_scene_set(kept, key, "[%.5g, %.5g, %.5g]", (double)v.x, (double)v.y, (double)v.z);
}

// Settings of the window that the scene's file has other values of.
static void add_look(const Keeping *keeping, KeptScene *kept)
{
    const RenderDef *now = &keeping->look->def, *file = &keeping->look->of_file;
    CameraDef camera = camera_now(keeping->camera);
    if (keeping->camera->moved) {
        set_vector(kept, "camera.eye", camera.eye);
        set_vector(kept, "camera.target", camera.target);
        kept_scene_set(kept, "camera.fov", "%.4g", (double)camera.fov);
    }
    if (now->style != file->style) kept_scene_set(kept, "output.style", "%s", render_style_name(now->style));
    if (now->color_by != file->color_by)
        kept_scene_set(kept, "output.color_by", "%s", field_name(now->color_by));
    if (now->color_map != file->color_map)
        kept_scene_set(kept, "output.color_map", "%s", colormap_name(now->color_map));
    bool other_range = now->auto_range != file->auto_range || now->color_by != file->color_by ||
                       now->range_lo != file->range_lo || now->range_hi != file->range_hi;
    if (!other_range) return;
    if (now->auto_range)
        kept_scene_set(kept, "output.range", "auto");
    else
        kept_scene_set(kept, "output.range", "[%.6g, %.6g]", (double)now->range_lo, (double)now->range_hi);
}

void keeping_scene(Keeping *keeping)
{
    KeptScene kept = {0};
    char path[PATH_MAX];
    Result result = next_path(keeping, "", "yaml", path);
    if (result_is_ok(&result) && strlen(path) >= sizeof kept.path)
        result = result_error(RESULT_FAILED, "%.80s...: the path is too long", path);
    screen_say_error(keeping->screen, &result);
    if (!result_is_ok(&result)) return;
    memcpy(kept.path, path, strlen(path) + 1);
    add_look(keeping, &kept);
    simulation_save_scene(keeping->playback->simulation, &kept);
}

// --- cameras ---

static bool same_camera(const CameraDef *a, const CameraDef *b)
{
    return vec3_equal(a->eye, b->eye) && vec3_equal(a->target, b->target) && a->fov == b->fov;
}

static void show_camera(Keeping *keeping, uint32_t k)
{
    CameraDef now = keeping->cameras[k];
    keeping->camera_shown = k;
    now.automatic = false;
    keeping->camera->orbit = orbit_of_camera(&now);
    keeping->camera->moved = true;
    screen_say(keeping->screen, "camera %u of %u", k + 1, keeping->camera_count);
    screen_redraw(keeping->screen);
}

void keeping_next_camera(Keeping *keeping)
{
    if (keeping->camera_count == 0)
        screen_say(keeping->screen, "no camera is kept (Shift+Z keeps this one)");
    else
        show_camera(keeping, (keeping->camera_shown + 1) % keeping->camera_count);
}

void keeping_keep_camera(Keeping *keeping)
{
    if (!picture_take_camera(keeping->picture)) return;
    CameraDef now = camera_now(keeping->camera);
    for (uint32_t k = 0; k < keeping->camera_count; k++) {
        if (!same_camera(&keeping->cameras[k], &now)) continue;
        memmove(keeping->cameras + k, keeping->cameras + k + 1,
                (--keeping->camera_count - k) * sizeof *keeping->cameras);
        screen_say(keeping->screen, "camera %u is kept no longer", k + 1);
        return;
    }
    if (keeping->camera_count == CAMERAS_MAX) {
        screen_say(keeping->screen, "%d cameras are kept already (Shift+Z at one of them drops it)",
                   CAMERAS_MAX);
        return;
    }
    keeping->camera_shown = keeping->camera_count;
    keeping->cameras[keeping->camera_count++] = now;
    screen_say(keeping->screen, "camera %u is kept; Z shows it again", keeping->camera_count);
}
