#include "command/library_call.h"

#include "core/c_locale.h"
#include "core/memory.h"
#include "core/param.h"
#include "core/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool begins_with_key(const char *text, const char *key)
{
    size_t length = strlen(key);
    return length > 0 && strncmp(text, key, length) == 0 && text[length] == ':';
}

Result library_result(const Options *options, pbf_result outcome)
{
    static const ResultCode codes[] = {[PBF_OK] = RESULT_OK,
                                       [PBF_USAGE] = RESULT_USAGE,
                                       [PBF_FAILED] = RESULT_FAILED,
                                       [PBF_NO_MEMORY] = RESULT_NO_MEMORY,
                                       [PBF_STOPPED] = RESULT_STOPPED};
    static const struct {
        const char *argument, *option;
    } arguments[] = {{"folder", "--out"}, {"path", "--out"}, {"film", "--video"}, {"formats", "--export"}};
    const char *option = "";
    if (outcome.code == PBF_OK) return result_ok();
    for (size_t k = 0; k < sizeof arguments / sizeof *arguments; k++) {
        if (begins_with_key(outcome.text, arguments[k].argument))
            return result_error(codes[outcome.code], "%s%s", arguments[k].option,
                                outcome.text + strlen(arguments[k].argument));
    }
    if (options->spacing && begins_with_key(outcome.text, "spacing")) option = "--";
    for (uint32_t k = 0; k < options->setting_count; k++) {
        if (!*option && begins_with_key(outcome.text, options->settings[k].key)) option = "--set ";
    }
    return result_error(codes[outcome.code], "%s%s", option, outcome.text);
}

uint32_t library_settings(const Options *options, pbf_setting out[OPTIONS_OVERRIDES_MAX])
{
    for (uint32_t k = 0; k < options->setting_count; k++)
        out[k] = (pbf_setting){options->settings[k].key, options->settings[k].value};
    return options->setting_count;
}

const char *library_axis(const Options *options)
{
    static const char *const axes[] = {[UP_DEFAULT] = NULL, [UP_Y] = "y", [UP_Z] = "z"};
    return axes[options->up];
}

Result library_find_sequence(const Options *options, pbf_sequence **out, pbf_sequence_data *files)
{
    TRY(library_result(
        options, pbf_sequence_find(NULL, (const char *const *)options->inputs, options->input_count, out)));
    return library_result(options, pbf_sequence_get(*out, files));
}

Result library_load_cloud(const Options *options, const char *path, pbf_cloud **out, pbf_cloud_data *data)
{
    TRY(library_result(options, pbf_cloud_load(NULL, path, out)));
    return library_result(options, pbf_cloud_get(*out, data));
}

double library_file_time(const Options *options, const pbf_sequence_file *input, const pbf_cloud_data *file)
{
    if (isfinite(input->time)) return input->time;
    return isfinite(file->time) ? file->time : (double)input->number / options_sequence_fps(options);
}

Result library_read_scene(const Options *options, const char *checkpoint, pbf_scene **out)
{
    pbf_setting settings[OPTIONS_OVERRIDES_MAX + 2];
    uint32_t count = library_settings(options, settings);
    char fps[40];
    if (!options->scene && !checkpoint) return options_no_scene();
    snprintf(fps, sizeof fps, "%.17g", options->fps);
    if (options->spacing) settings[count++] = (pbf_setting){"spacing", options->spacing};
    if (options->fps > 0) settings[count++] = (pbf_setting){"output.fps", fps};
    const char *path = checkpoint ? checkpoint : options->scene;
    return library_result(options, pbf_scene_load(NULL, path, settings, count, out));
}

// Everything that a scene's source has. *out is a new block: first the settings, with room for `more`.
static Result list_source(const SceneSource *source, uint32_t more, pbf_setting **settings, pbf_file **files)
{
    size_t count = source->override_count + more;
    size_t bytes = count * sizeof **settings + source->file_count * sizeof **files;
    *settings = memory_allocate_zeroed(bytes);
    if (!*settings) return result_no_memory("the scene", bytes);
    *files = (pbf_file *)(*settings + count);
    for (uint32_t k = 0; k < source->override_count; k++)
        (*settings)[k] = (pbf_setting){source->overrides[k].key, source->overrides[k].value};
    for (uint32_t k = 0; k < source->file_count; k++)
        (*files)[k] = (pbf_file){source->files[k].name, source->files[k].text, source->files[k].bytes};
    return result_ok();
}

// --- the scene of the command line ---

// What options other than --set and --spacing change, as settings of the scene.
typedef struct OptionTexts {
    char fps[40], size[40], camera[400];
} OptionTexts;

static void print_camera(const CameraDef *camera, char *text, size_t size)
{
    char place[200] = "";
    const Vec3 *eye = &camera->eye, *target = &camera->target;
    if (!camera->automatic)
        c_snprintf(place, sizeof place, "eye: [%.9g, %.9g, %.9g], target: [%.9g, %.9g, %.9g], ",
                   (double)eye->x, (double)eye->y, (double)eye->z, (double)target->x, (double)target->y,
                   (double)target->z);
    c_snprintf(text, size, "{%sfov: %.9g, aperture: %.9g, focus: %.9g, shutter: %.9g}", place,
               (double)camera->fov, (double)camera->aperture, (double)camera->focus, (double)camera->shutter);
}

#define OPTION_KEYS_MAX 12

static uint32_t list_options(const Options *options, const SceneDef *def, OptionTexts *texts,
                             pbf_setting out[OPTION_KEYS_MAX])
{
    static const char *const keys[][2] = {{"--style", "output.style"},
                                          {"--samples", "output.samples"},
                                          {"--time-limit", "output.time_limit"},
                                          {"--color-by", "output.color_by"}};
    const RenderDef *render = &def->output.render;
    uint32_t count = 0;
    out[count++] = (pbf_setting){"solver.neighbor", def->fluid.neighbor};
    if (def->surface.clip) out[count++] = (pbf_setting){"surface.clip", "true"};
    c_snprintf(texts->fps, sizeof texts->fps, "%.17g", def->output.fps);
    c_snprintf(texts->size, sizeof texts->size, "[%u, %u]", render->width, render->height);
    print_camera(&render->camera, texts->camera, sizeof texts->camera);
    out[count++] = (pbf_setting){"output.fps", texts->fps};
    out[count++] = (pbf_setting){"output.size", texts->size};
    out[count++] = (pbf_setting){"camera", texts->camera};
    if (render->auto_range) out[count++] = (pbf_setting){"output.range", "auto"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const char *value = options_value(options, keys[k][0]);
        if (value) out[count++] = (pbf_setting){keys[k][1], value};
    }
    return count;
}

static void show_note(pbf_log_level level, const char *text, void *user)
{
    const Options *options = user;
    Progress progress = progress_begin(options->quiet);
    if (level == PBF_LOG_NOTE) progress_note(&progress, "%s", text);
}

Result library_make_scene(const Options *options, const SceneDef *def, pbf_scene **out)
{
    const SceneSource *source = &def->source;
    pbf_context_def shown = {.size = sizeof shown, .log = show_note, .user = (void *)options};
    pbf_context *context;
    OptionTexts texts;
    pbf_setting *settings;
    pbf_file *files = NULL;
    *out = NULL;
    TRY(library_result(options, pbf_context_create(&shown, &context)));
    Result listed = list_source(source, OPTION_KEYS_MAX, &settings, &files);
    if (result_is_ok(&listed)) {
        uint32_t count = source->override_count;
        count += list_options(options, def, &texts, settings + count);
        pbf_result result = pbf_scene_parse(context, source->path, source->text, source->bytes, files,
                                            source->file_count, settings, count, out);
        memory_free(settings);
        listed = library_result(options, result);
    }
    pbf_context_destroy(context);
    return listed;
}

static ShareSim *share_sim;

void library_share_sims(ShareSim *share)
{
    share_sim = share;
}

Result library_make_sim(const Options *options, const SceneDef *def, const char *checkpoint, pbf_sim **out)
{
    pbf_scene *scene;
    *out = NULL;
    TRY(library_make_scene(options, def, &scene));
    pbf_result result = checkpoint ? pbf_sim_resume(scene, checkpoint, out) : pbf_sim_create(scene, out);
    pbf_scene_destroy(scene);
    TRY(library_result(options, result));
    Result shared = share_sim ? share_sim(*out, options) : result_ok();
    if (result_is_ok(&shared)) return shared;
    pbf_sim_destroy(*out);
    *out = NULL;
    return shared;
}

Result library_number(const Options *options, const pbf_scene *scene, const char *key, double *out)
{
    char text[80];
    TRY(library_result(options, pbf_scene_get(scene, key, text, sizeof text)));
    CHECK(param_number(text, out));
    return result_ok();
}
