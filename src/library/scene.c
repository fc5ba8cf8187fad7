// Scenes, and the table of their keys.
#include "core/param.h"
#include "core/regular_file.h"
#include "export/block_file.h"
#include "library/handles.h"
#include "library/inside.h"
#include "scene/scene_library.h"
#include "scene/scene_schema.h"

#include <stdio.h>
#include <string.h>

#define SETTINGS_MAX 100000

Result settings_check(const pbf_setting *settings, size_t count)
{
    if (count > SETTINGS_MAX)
        return result_error(RESULT_USAGE, "%zu settings are too many (at most %d)", count, SETTINGS_MAX);
    if (count > 0 && !settings) return missing("settings");
    for (size_t k = 0; k < count; k++) {
        if (!settings[k].key || !settings[k].value)
            return result_error(RESULT_USAGE, "setting %zu: its %s is NULL", k,
                                settings[k].key ? "value" : "key");
        if (!*settings[k].key) return result_error(RESULT_USAGE, "setting %zu: its key is empty", k);
    }
    return result_ok();
}

static Result add_settings(SceneSource *source, const pbf_setting *settings, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        SceneOverride one = {settings[k].key, settings[k].value};
        TRY(scene_source_set(source, &one, 1));
    }
    return result_ok();
}

// Takes the source over.
static Result read_source(SceneSource *source, const pbf_setting *settings, size_t count, SharedScene **out)
{
    SceneDef def;
    source->may_be_dry = true; // pbf_sim_add
    Result result = add_settings(source, settings, count);
    if (result_is_ok(&result)) result = scene_read_source(source, &def);
    scene_source_free(source);
    return result_is_ok(&result) ? shared_scene_create(&def, out) : result;
}

Result scene_with(const SharedScene *shared, const pbf_setting *settings, size_t count, SharedScene **out)
{
    SceneSource source;
    TRY(settings_check(settings, count));
    TRY(scene_source_copy(&shared->def.source, &source));
    return read_source(&source, settings, count, out);
}

static Result wrap(pbf_context *context, SharedScene *shared, pbf_scene **out)
{
    pbf_scene *scene = memory_allocate_zeroed(sizeof *scene);
    if (!scene) {
        shared_scene_release(shared);
        return result_no_memory("a scene", sizeof *scene);
    }
    scene->context = context_hold(context);
    scene->shared = shared;
    *out = scene;
    return result_ok();
}

// A file that cannot be read is none: whoever reads it as a scene says why.
static bool is_checkpoint(const char *path)
{
    char head[sizeof BLOCK_FILE_MAGIC];
    FILE *file;
    Result opened = regular_file_open_stream(path, path, &file);
    if (!result_is_ok(&opened)) return false;
    size_t bytes = fread(head, 1, sizeof head, file);
    fclose(file);
    return block_file_recognize(head, bytes);
}

static Result read_stored(const char *path, SceneSource *out)
{
    StateBlocks blocks;
    TRY(block_file_read(path, &blocks));
    const StateBlock *scene = blocks_find(&blocks, "scene", BLOCK_BYTES);
    Result result = scene ? scene_source_unpack(scene->data, scene->count, out)
                          : result_error(RESULT_USAGE, "%s: has no scene", path);
    blocks_free(&blocks);
    return result;
}

static Result load(pbf_context *context, const char *path, const pbf_setting *settings, size_t count,
                   pbf_scene **out)
{
    char found[PATH_MAX];
    SceneSource source;
    SharedScene *shared;
    TRY(settings_check(settings, count));
    TRY(scene_library_find(path, found));
    TRY(is_checkpoint(found) ? read_stored(found, &source) : scene_source_read(found, &source));
    TRY(read_source(&source, settings, count, &shared));
    return wrap(context, shared, out);
}

pbf_result pbf_scene_load(pbf_context *context, const char *path, const pbf_setting *settings, size_t count,
                          pbf_scene **out)
{
    if (!out) return call_refused(context, missing("out"));
    *out = NULL;
    if (!path) return call_refused(context, missing("path"));
    RETURN_CALL(context, load(context, path, settings, count, out));
}

typedef struct SceneText {
    const char *name, *text;
    size_t bytes;
    const pbf_file *files;
    size_t file_count;
} SceneText;

static Result add_files(SceneSource *source, const SceneText *given)
{
    for (size_t k = 0; k < given->file_count; k++) {
        const pbf_file *file = &given->files[k];
        if (!file->name || (!file->data && file->bytes > 0))
            return result_error(RESULT_USAGE, "file %zu: its %s is NULL", k, file->name ? "data" : "name");
        TRY(scene_source_add_file(source, file->name, file->data, file->bytes));
    }
    return result_ok();
}

static Result parse(pbf_context *context, const SceneText *given, const pbf_setting *settings, size_t count,
                    pbf_scene **out)
{
    SceneSource source;
    SharedScene *shared;
    if (!given->name) return missing("name");
    if (!given->text) return missing("text");
    if (given->file_count > 0 && !given->files) return missing("files");
    TRY(settings_check(settings, count));
    TRY(scene_source_from_text(given->name, given->text, given->bytes, &source));
    Result result = add_files(&source, given);
    if (!result_is_ok(&result)) {
        scene_source_free(&source);
        return result;
    }
    TRY(read_source(&source, settings, count, &shared));
    return wrap(context, shared, out);
}

pbf_result pbf_scene_parse(pbf_context *context, const char *name, const char *text, size_t bytes,
                           const pbf_file *files, size_t file_count, const pbf_setting *settings,
                           size_t count, pbf_scene **out)
{
    if (!out) return call_refused(context, missing("out"));
    *out = NULL;
    Host *before = call_begin(context);
    const SceneText given = {name, text, bytes, files, file_count};
    return call_end(context, before, parse(context, &given, settings, count, out));
}

pbf_result pbf_scene_set(pbf_scene *scene, const pbf_setting *settings, size_t count)
{
    if (!scene) return call_refused(NULL, missing("scene"));
    Host *before = call_begin(scene->context);
    SharedScene *changed = NULL;
    Result result = scene_with(scene->shared, settings, count, &changed);
    if (result_is_ok(&result)) {
        shared_scene_release(scene->shared);
        scene->shared = changed;
    }
    return call_end(scene->context, before, result);
}

void pbf_scene_destroy(pbf_scene *scene)
{
    if (!scene) return;
    pbf_context *context = scene->context;
    Host *before = call_begin(context);
    shared_scene_release(scene->shared);
    memory_free(scene);
    call_close(context, before);
}

static Result count_all(const SceneDef *def, pbf_count *out)
{
    SceneCount count;
    TRY(scene_count(def, &count));
    const FluidDef *fluid = &def->fluid;
    Vec3 tank = def->tank.present ? def->tank.size : vec3_make(0, 0, 0);
    *out = (pbf_count){.particles = count.initial,
                       .emitted = count.emitted,
                       .memory = scene_memory_estimate(def, fluid, &count),
                       .bodies = def->obstacle_count,
                       .radius = (double)fluid->spacing * (double)fluid->radius_factor,
                       .tank = {(double)tank.x, (double)tank.y, (double)tank.z}};
    return result_ok();
}

pbf_result pbf_scene_count(const pbf_scene *scene, pbf_count *out)
{
    if (!out) return call_refused(scene ? scene->context : NULL, missing("out"));
    *out = (pbf_count){0};
    if (!scene) return call_refused(NULL, missing("scene"));
    RETURN_CALL(scene->context, count_all(&scene->shared->def, out));
}

const SceneDef *scene_inside(const pbf_scene *scene)
{
    return &scene->shared->def;
}

// --- keys ---

static bool has_one_value(const ParamRow *row)
{
    return row->kind <= PARAM_CHOICE || row->kind == PARAM_TEXT;
}

static Result get(const SceneDef *def, const char *key, char *text, size_t bytes)
{
    ParamCursor at = param_find(SCENE_ROWS, key);
    if (!at.row || !has_one_value(at.row))
        return result_error(RESULT_USAGE, "%.80s: is not a key that has one value", key);
    param_value(at.row, (const char *)def + at.offset, text, bytes);
    return result_ok();
}

pbf_result pbf_scene_get(const pbf_scene *scene, const char *key, char *text, size_t bytes)
{
    if (!scene) return call_refused(NULL, missing("scene"));
    if (!key) return call_refused(scene->context, missing("key"));
    if (!text || bytes == 0) return call_refused(scene->context, missing("text"));
    RETURN_CALL(scene->context, get(&scene->shared->def, key, text, bytes));
}

static void describe(ParamCursor at, pbf_key_info *out)
{
    const SceneDef standard = scene_def_default();
    const ParamRow *row = at.row;
    *out = (pbf_key_info){
        .key = row->key, .unit = row->unit ? row->unit : "", .help = row->help ? row->help : ""};
    param_type(row, out->type, sizeof out->type);
    param_allowed(row, "", out->allowed, sizeof out->allowed);
    if (row->default_text)
        snprintf(out->standard, sizeof out->standard, "%s", row->default_text);
    else if (!row->required)
        param_value(row, (const char *)&standard + at.offset, out->standard, sizeof out->standard);
}

int pbf_key(uint32_t k, pbf_key_info *out)
{
    if (!out) return 0;
    for (ParamCursor at = param_first(SCENE_ROWS); at.row; param_next(&at)) {
        if (!has_one_value(at.row) || k-- > 0) continue;
        describe(at, out);
        return 1;
    }
    *out = (pbf_key_info){.key = "", .unit = "", .help = ""};
    return 0;
}
