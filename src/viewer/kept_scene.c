#include "viewer/kept_scene.h"

#include "core/memory.h"
#include "export/file_writer.h"
#include "scene/scene_edit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kept_scene_set(KeptScene *kept, const char *key, const char *format, ...)
{
    va_list arguments;
    CHECK(kept->count < KEPT_SETTINGS_MAX);
    va_start(arguments, format);
    snprintf(kept->set[kept->count].key, sizeof kept->set->key, "%s", key);
    vsnprintf(kept->set[kept->count].value, sizeof kept->set->value, format, arguments);
    va_end(arguments);
    kept->count++;
}

static Result edited(const KeptScene *kept, SceneSource *source, char **text)
{
    for (uint32_t k = 0; k < kept->count; k++)
        TRY(scene_source_set(source, &(SceneOverride){kept->set[k].key, kept->set[k].value}, 1));
    return scene_edited_text(source, text);
}

Result kept_scene_write(const KeptScene *kept, const Sides *sides)
{
    SceneDef scene;
    FileWriter file;
    char *text = NULL;
    TRY(sides_scene_now(sides, &scene));
    Result result = edited(kept, &scene.source, &text);
    scene_source_free(&scene.source);
    if (result_is_ok(&result)) result = file_writer_open(kept->path, &file);
    if (result_is_ok(&result)) {
        file_writer_write(&file, text, strlen(text));
        result = file_writer_commit(&file);
    }
    memory_free(text);
    return result;
}
