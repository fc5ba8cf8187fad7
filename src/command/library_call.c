#include "command/library_call.h"

#include "core/memory.h"
#include "core/param.h"

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
    const char *option = "";
    if (outcome.code == PBF_OK) return result_ok();
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

static Result make_scene(const Options *options, const SceneDef *def, pbf_scene **out)
{
    const SceneSource *source = &def->source;
    uint32_t count = source->override_count;
    pbf_setting *settings;
    pbf_file *files = NULL;
    *out = NULL;
    TRY(list_source(source, 2, &settings, &files));
    // What options other than --set and --spacing change of the water.
    settings[count++] = (pbf_setting){"solver.neighbor", def->fluid.neighbor};
    if (def->surface.clip) settings[count++] = (pbf_setting){"surface.clip", "true"};
    pbf_result result = pbf_scene_parse(NULL, source->path, source->text, source->bytes, files,
                                        source->file_count, settings, count, out);
    memory_free(settings);
    return library_result(options, result);
}

Result library_make_sim(const Options *options, const SceneDef *def, const char *checkpoint, pbf_sim **out)
{
    pbf_scene *scene;
    *out = NULL;
    TRY(make_scene(options, def, &scene));
    pbf_result result = checkpoint ? pbf_sim_resume(scene, checkpoint, out) : pbf_sim_create(scene, out);
    pbf_scene_destroy(scene);
    return library_result(options, result);
}

Result library_number(const Options *options, const pbf_scene *scene, const char *key, double *out)
{
    char text[80];
    TRY(library_result(options, pbf_scene_get(scene, key, text, sizeof text)));
    CHECK(param_number(text, out));
    return result_ok();
}
