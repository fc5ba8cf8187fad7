#include "command/library_call.h"

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

Result library_number(const Options *options, const pbf_scene *scene, const char *key, double *out)
{
    char text[80];
    TRY(library_result(options, pbf_scene_get(scene, key, text, sizeof text)));
    CHECK(param_number(text, out));
    return result_ok();
}
