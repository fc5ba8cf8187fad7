#include "scene/scene_source.h"

#include "core/memory.h"
#include "core/path.h"
#include "obstacle/mesh.h"
#include "scene/scene_file.h"
#include "scene/scene_yaml.h"

#include <stdio.h>
#include <string.h>

// More files than anybody names, few enough for a list.
#define FILES_MAX 4096u

static Result begin(const char *path, char label[SCENE_LABEL_BYTES], SceneSource *out)
{
    *out = (SceneSource){0};
    scene_label(path, label);
    if (strlen(path) >= sizeof out->path)
        return result_error(RESULT_USAGE, "%s: the path is too long", label);
    strcpy(out->path, path);
    return result_ok();
}

Result scene_source_read(const char *path, SceneSource *out)
{
    char label[SCENE_LABEL_BYTES];
    TRY(begin(path, label, out));
    return scene_file_read(path, label, &out->text, &out->bytes);
}

Result scene_source_from_text(const char *path, const void *text, size_t bytes, SceneSource *out)
{
    char label[SCENE_LABEL_BYTES];
    TRY(begin(path, label, out));
    TRY(scene_text_copy(label, text, bytes, &out->text));
    out->bytes = bytes;
    return result_ok();
}

void scene_source_free(SceneSource *source)
{
    for (uint32_t k = 0; k < source->override_count; k++)
        memory_free((void *)(uintptr_t)source->overrides[k].key); // one block with the value
    for (uint32_t k = 0; k < source->file_count; k++) {
        memory_free(source->files[k].name);
        memory_free(source->files[k].text);
    }
    memory_free(source->overrides);
    memory_free(source->files);
    memory_free(source->text);
    *source = (SceneSource){0};
}

static Result add_override(SceneSource *source, const char *key, const char *value)
{
    size_t key_bytes = strlen(key) + 1, value_bytes = strlen(value) + 1;
    TRY(MEMORY_RESERVE(source->overrides, source->override_capacity, source->override_count,
                       (size_t)source->override_count + 1, "settings"));
    char *copy = memory_allocate(key_bytes + value_bytes);
    if (!copy) return result_no_memory("settings", key_bytes + value_bytes);
    memcpy(copy, key, key_bytes);
    memcpy(copy + key_bytes, value, value_bytes);
    source->overrides[source->override_count++] = (SceneOverride){copy, copy + key_bytes};
    return result_ok();
}

Result scene_source_set(SceneSource *source, const SceneOverride *overrides, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) TRY(add_override(source, overrides[k].key, overrides[k].value));
    return result_ok();
}

// --- files ---

// Takes text over on success.
static Result add_file(SceneSource *source, const char *name, char *text, size_t bytes)
{
    if (source->file_count == FILES_MAX)
        return result_error(RESULT_USAGE, "%.100s: too many files are named (at most %u)", name, FILES_MAX);
    TRY(MEMORY_RESERVE(source->files, source->file_capacity, source->file_count,
                       (size_t)source->file_count + 1, "the list of files"));
    char *copy = memory_allocate(strlen(name) + 1);
    if (!copy) return result_no_memory("the list of files", strlen(name));
    strcpy(copy, name);
    source->files[source->file_count++] = (SceneFile){copy, text, bytes};
    return result_ok();
}

void scene_source_path(const SceneSource *source, const char *name, char path[SCENE_PATH_BYTES])
{
    int folder = name[0] == '/' ? 0 : (int)(path_name(source->path) - source->path);
    snprintf(path, SCENE_PATH_BYTES, "%.*s%.4095s", folder, source->path, name);
}

Result scene_source_file(SceneSource *source, const char *name, const SceneFile **out)
{
    char path[SCENE_PATH_BYTES], *text;
    size_t bytes;
    for (uint32_t k = 0; k < source->file_count; k++) {
        *out = &source->files[k];
        if (strcmp((*out)->name, name) == 0) return result_ok();
    }
    scene_source_path(source, name, path);
    TRY(mesh_file_load(path, &text, &bytes));
    Result result = add_file(source, name, text, bytes);
    if (result_is_ok(&result))
        *out = &source->files[source->file_count - 1];
    else
        memory_free(text);
    return result;
}

// --- as bytes: records of a kind (1 byte), two lengths (8 bytes each, little-endian) and two texts ---

#define RECORD_HEAD 17

static void put_record(char **at, char kind, const char *name, size_t name_bytes, const char *text,
                       size_t text_bytes)
{
    uint8_t head[RECORD_HEAD] = {(uint8_t)kind};
    for (int k = 0; k < 8; k++) {
        head[1 + k] = (uint8_t)((uint64_t)name_bytes >> 8 * k);
        head[9 + k] = (uint8_t)((uint64_t)text_bytes >> 8 * k);
    }
    memcpy(*at, head, sizeof head);
    if (name_bytes > 0) memcpy(*at + RECORD_HEAD, name, name_bytes);
    if (text_bytes > 0) memcpy(*at + RECORD_HEAD + name_bytes, text, text_bytes);
    *at += RECORD_HEAD + name_bytes + text_bytes;
}

Result scene_source_pack(const SceneSource *source, char **bytes, size_t *size)
{
    size_t path_bytes = strlen(source->path);
    *size = RECORD_HEAD + path_bytes + source->bytes;
    for (uint32_t k = 0; k < source->override_count; k++)
        *size += RECORD_HEAD + strlen(source->overrides[k].key) + strlen(source->overrides[k].value);
    for (uint32_t k = 0; k < source->file_count; k++)
        *size += RECORD_HEAD + strlen(source->files[k].name) + source->files[k].bytes;
    char *at = *bytes = memory_allocate(*size);
    if (!at) return result_no_memory("the scene's text", *size);
    put_record(&at, 't', source->path, path_bytes, source->text, source->bytes);
    for (uint32_t k = 0; k < source->override_count; k++) {
        const SceneOverride *set = &source->overrides[k];
        put_record(&at, 's', set->key, strlen(set->key), set->value, strlen(set->value));
    }
    for (uint32_t k = 0; k < source->file_count; k++) {
        const SceneFile *file = &source->files[k];
        put_record(&at, 'f', file->name, strlen(file->name), file->text, file->bytes);
    }
    CHECK(at == *bytes + *size);
    return result_ok();
}

// A copy with a NUL behind it.
static char *copy_text(const char *text, size_t bytes)
{
    char *copy = memory_allocate(bytes + 1);
    if (!copy) return NULL;
    if (bytes > 0) memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    return copy;
}

Result scene_source_add_file(SceneSource *source, const char *name, const void *bytes, size_t size)
{
    for (uint32_t k = 0; k < source->file_count; k++) {
        if (strcmp(source->files[k].name, name) == 0)
            return result_error(RESULT_USAGE, "%.100s: the scene has this file already", name);
    }
    char *text = copy_text(bytes, size);
    if (!text) return result_no_memory("a scene's file", size);
    Result result = add_file(source, name, text, size);
    if (!result_is_ok(&result)) memory_free(text);
    return result;
}

static Result no_source(void)
{
    return result_error(RESULT_USAGE, "scene: malformed");
}

// name and text have a NUL behind them; text is taken over if *taken turns true.
static Result take_record(SceneSource *source, char kind, const char *name, char *text, size_t text_bytes,
                          bool *taken)
{
    if (kind == 's') return add_override(source, name, text);
    if (kind == 'f') {
        Result result = add_file(source, name, text, text_bytes);
        *taken = result_is_ok(&result);
        return result;
    }
    if (kind != 't' || source->text || strlen(name) >= sizeof source->path || text_bytes > YAML_MAX_BYTES ||
        scene_text_check(text, text_bytes) < text_bytes)
        return no_source();
    strcpy(source->path, name);
    source->text = text;
    source->bytes = text_bytes;
    *taken = true;
    return result_ok();
}

static Result read_record(SceneSource *source, const char *at, size_t left, size_t *used)
{
    uint64_t length[2] = {0, 0};
    if (left < RECORD_HEAD) return no_source();
    for (int k = 7; k >= 0; k--) {
        length[0] = length[0] << 8 | (uint8_t)at[1 + k];
        length[1] = length[1] << 8 | (uint8_t)at[9 + k];
    }
    left -= RECORD_HEAD;
    if (length[0] > left || length[1] > left - length[0]) return no_source();
    *used = RECORD_HEAD + length[0] + length[1];
    char *name = copy_text(at + RECORD_HEAD, length[0]);
    char *text = copy_text(at + RECORD_HEAD + length[0], length[1]);
    bool taken = false;
    Result result = name && text ? take_record(source, at[0], name, text, length[1], &taken)
                                 : result_no_memory("the scene's text", length[0] + length[1]);
    memory_free(name);
    if (!taken) memory_free(text);
    return result;
}

Result scene_source_unpack(const void *bytes, size_t size, SceneSource *out)
{
    *out = (SceneSource){0};
    Result result = result_ok();
    for (size_t at = 0, used = 0; at < size && result_is_ok(&result); at += used)
        result = read_record(out, (const char *)bytes + at, size - at, &used);
    if (result_is_ok(&result) && !out->text) result = no_source();
    if (!result_is_ok(&result)) scene_source_free(out);
    return result;
}

Result scene_source_copy(const SceneSource *source, SceneSource *out)
{
    char *bytes;
    size_t size;
    *out = (SceneSource){0};
    TRY(scene_source_pack(source, &bytes, &size));
    Result result = scene_source_unpack(bytes, size, out);
    memory_free(bytes);
    return result;
}
