// From the command line to the scene that is simulated.
#include "command/options.h"

#include "fluid/emitter.h"
#include "scene/scene_library.h"
#include "scene/water.h"

#include <math.h>
#include <string.h>

// Box that a named camera shows: the tank or, without one, everything that is there at the start.
static Box3 scene_box(const SceneDef *scene)
{
    if (scene->tank.present)
        return (Box3){scene->tank_corner, vec3_add(scene->tank_corner, scene->tank.size)};
    Box3 box = {vec3_make(INFINITY, INFINITY, INFINITY), vec3_make(-INFINITY, -INFINITY, -INFINITY)};
    for (uint32_t k = 0; k < scene->water_count; k++) box = box3_join(box, water_bounds(&scene->water[k]));
    for (uint32_t k = 0; k < scene->emitter_count; k++)
        box = box3_join(box, emitter_bounds(&scene->emitters[k]));
    for (uint32_t k = 0; k < scene->obstacle_count; k++)
        box = box3_join(box, obstacle_def_bounds(&scene->obstacles[k]));
    return box;
}

// Looks along an axis at the middle of the box, far enough away to show all of it with a little room.
static void place_camera(CameraView view, Box3 box, float aspect, CameraDef *camera)
{
    // From above and below, a hair off the vertical, so that "up" in the picture is +y.
    static const Vec3 from[] = {
        [CAMERA_FRONT] = {0, -1, 0},        [CAMERA_BACK] = {0, 1, 0}, [CAMERA_LEFT] = {-1, 0, 0},
        [CAMERA_RIGHT] = {1, 0, 0},         [CAMERA_SIDE] = {1, 0, 0}, [CAMERA_TOP] = {0, -0.001f, 1},
        [CAMERA_BOTTOM] = {0, -0.001f, -1},
    };
    Vec3 half = vec3_scale(vec3_sub(box.hi, box.lo), 0.5f), toward = from[view];
    bool along_x = toward.x != 0, along_z = toward.z != 0;
    float across = along_x ? half.y : half.x, up = along_z ? half.y : half.z;
    float depth = along_x ? half.x : along_z ? half.z : half.y;
    float tangent = tanf(camera->fov * 0.5f * 0.017453293f);
    float distance = 1.15f * fmaxf(up, across / aspect) / tangent + depth;
    camera->automatic = false;
    camera->target = vec3_add(box.lo, half);
    camera->eye = vec3_add(camera->target, vec3_scale(toward, distance));
}

static void apply_camera(const Options *options, SceneDef *scene)
{
    RenderDef *render = &scene->output.render;
    CameraDef *camera = &render->camera;
    switch (options->camera) {
    case CAMERA_SCENE:
        break;
    case CAMERA_AUTO:
        camera->automatic = true;
        break;
    case CAMERA_PLACED:
        camera->automatic = false;
        camera->eye = options->eye;
        camera->target = options->target;
        if (options->fov > 0) camera->fov = options->fov;
        break;
    default:
        place_camera(options->camera, scene_box(scene), (float)render->width / (float)render->height, camera);
    }
}

// A scene reports an override as --set KEY; the user wrote `option`.
static Result name_option(Result error, const char *option, const char *key)
{
    char set[100];
    snprintf(set, sizeof set, "--set %.80s", key);
    size_t length = strlen(set);
    if (strncmp(error.text, set, length) != 0 || error.text[length] != ':') return error;
    return result_error(error.code, "%s%s", option, error.text + length);
}

// A stored scene with further overrides.
static Result read_stored(const SceneSource *stored, const SceneOverride *overrides, uint32_t count,
                          SceneDef *out)
{
    SceneSource source;
    *out = (SceneDef){0};
    TRY(scene_source_copy(stored, &source));
    Result result = scene_source_set(&source, overrides, count);
    if (result_is_ok(&result)) return scene_read_source(&source, out);
    scene_source_free(&source);
    return result;
}

static bool sets_range(const SceneOverride *overrides, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (strcmp(overrides[k].key, "output.range") == 0) return true;
    }
    return false;
}

// Tells whether the scene's range of colors suits the field that --color-by names: both were asked for
// together, or the range is one of that field.
static bool range_fits(const Options *options, const RenderDef *render)
{
    const SceneSource *stored = options->source;
    FieldKey field = render->color_by;
    SceneOverride now[OPTIONS_OVERRIDES_MAX];
    if (sets_range(now, options_overrides(options, now))) return true;
    if (stored && options->stored_color_by_given && sets_range(stored->overrides, stored->override_count))
        field = options->stored_color_by;
    return options->color_by == field;
}

Result options_no_scene(void)
{
    return result_error(RESULT_USAGE,
                        "a scene is missing (a file, or a name that pbf scenes lists, as dam_break)");
}

// side: of a comparison, 0 or 1; elsewhere 0.
static Result read_side(const Options *options, int side, SceneDef *out)
{
    const OptionComparison *compare = &options->compare;
    SceneOverride overrides[OPTIONS_OVERRIDES_MAX + 2];
    uint32_t count = options_overrides(options, overrides);
    char path[PATH_MAX] = "";
    if (!options->scene && !options->source) return options_no_scene();
    if (options->scene) TRY(scene_library_find(options->scene, path));
    if (options->spacing) overrides[count++] = (SceneOverride){"spacing", options->spacing};
    if (*compare->key)
        overrides[count++] = (SceneOverride){compare->key, side ? compare->second : compare->first};
    Result result = options->scene ? scene_read(path, overrides, count, out)
                                   : read_stored(options->source, overrides, count, out);
    if (!result_is_ok(&result) && options->spacing) result = name_option(result, "--spacing", "spacing");
    if (!result_is_ok(&result) && *compare->key) result = name_option(result, "--compare", compare->key);
    if (!result_is_ok(&result)) return result;

    RenderDef *render = &out->output.render;
    if (options->fps > 0) out->output.fps = options->fps;
    if (options->method_count > 0)
        strcpy(out->fluid.neighbor, options->methods[options->method_count > 1 ? side : 0]);
    if (options->width > 0) render->width = options->width, render->height = options->height;
    if (options_given(options, "--style")) render->style = options->style;
    if (options->clip) out->surface.clip = true;
    if (options->samples > 0) render->photo.samples = options->samples;
    if (options->time_limit > 0) render->photo.time_limit = options->time_limit;
    if (options_given(options, "--color-by")) {
        render->auto_range |= !range_fits(options, render);
        render->color_by = options->color_by;
    }
    apply_camera(options, out);
    return result_ok();
}

Result options_read_scene(const Options *options, SceneDef *out)
{
    return read_side(options, 0, out);
}

static void name_side(const Options *options, int side, SideName *name)
{
    bool methods = options->method_count > 1;
    int used = snprintf(name->text, sizeof name->text, "%s", methods ? options->methods[side] : "");
    if (*options->compare.key)
        snprintf(name->text + used, sizeof name->text - (size_t)used, "%s%.30s = %.16s", methods ? ", " : "",
                 options->compare.key, side ? options->compare.second : options->compare.first);
}

Result options_read_sides(const Options *options, SceneDef out[2], SideName names[2])
{
    if ((options->scene || options->source) && options->method_count < 2 && !*options->compare.key)
        return result_error(RESULT_USAGE, "--neighbor: a comparison needs two methods (--neighbor A,B, or "
                                          "--compare KEY=A,B for another setting)");
    TRY(read_side(options, 0, &out[0]));
    Result result = read_side(options, 1, &out[1]);
    if (!result_is_ok(&result)) scene_free(&out[0]);
    for (int side = 0; side < 2; side++) name_side(options, side, &names[side]);
    return result;
}

Result options_frame_count(const Options *options, const SceneDef *scene, uint32_t *out)
{
    double frames =
        options->frames > 0 ? options->frames : round(scene->output.duration * scene->output.fps) + 1;
    if (!(frames <= OPTIONS_FRAMES_MAX))
        return result_error(RESULT_USAGE, "%s: %g s at %g frames a second are too many frames (at most %d)",
                            options->fps > 0 ? "--fps" : "output.duration", scene->output.duration,
                            scene->output.fps, OPTIONS_FRAMES_MAX);
    *out = (uint32_t)frames;
    return result_ok();
}
