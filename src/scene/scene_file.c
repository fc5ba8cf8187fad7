#include "scene/scene_file.h"

#include "core/memory.h"
#include "core/regular_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void scene_label(const char *path, char label[SCENE_LABEL_BYTES])
{
    size_t length = strlen(path);
    if (length < SCENE_LABEL_BYTES)
        memcpy(label, path, length + 1);
    else
        snprintf(label, SCENE_LABEL_BYTES, "...%s", path + length - (SCENE_LABEL_BYTES - 4));
}

// Length of the UTF-8 sequence at text, 0 if there is none: RFC 3629, no overlong forms, no surrogates.
static size_t utf8_length(const unsigned char *text, size_t bytes)
{
    unsigned char c = text[0];
    size_t length = c < 0x80                ? 1
                    : c >= 0xc2 && c < 0xe0 ? 2
                    : (c & 0xf0) == 0xe0    ? 3
                    : c >= 0xf0 && c < 0xf5 ? 4
                                            : 0;
    if (length == 0 || length > bytes) return 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
    }
    if (c == 0xc2 && text[1] < 0xa0) return 0; // C1 control characters: terminals obey them
    if (c == 0xe0 && text[1] < 0xa0) return 0;
    if (c == 0xed && text[1] > 0x9f) return 0;
    if (c == 0xf0 && text[1] < 0x90) return 0;
    if (c == 0xf4 && text[1] > 0x8f) return 0;
    return length;
}

size_t scene_text_check(const char *text, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    for (size_t i = 0; i < bytes;) {
        if ((at[i] < 0x20 && at[i] != '\n' && at[i] != '\r' && at[i] != '\t') || at[i] == 0x7f) return i;
        size_t length = utf8_length(at + i, bytes - i);
        if (length == 0) return i;
        i += length;
    }
    return bytes;
}

static Result not_text(const char *label, const char *text, size_t at)
{
    int line = 1, column = 1;
    for (size_t i = 0; i < at; i++) {
        column++;
        if (text[i] == '\n') line++, column = 1;
    }
    return result_error(RESULT_USAGE, "%s:%d:%d: byte 0x%02x is not text (a scene is UTF-8 text)", label,
                        line, column, (unsigned char)text[at]);
}

// Reads up to one byte more than allowed: a file may have grown since its size was checked.
static Result read_bytes(int file, const char *label, char *text, size_t *bytes)
{
    *bytes = 0;
    while (*bytes <= YAML_MAX_BYTES) {
        ssize_t got = read(file, text + *bytes, YAML_MAX_BYTES + 1 - *bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return result_error(RESULT_USAGE, "%s: cannot be read: %s", label, strerror(errno));
        if (got == 0) return result_ok();
        *bytes += (size_t)got;
    }
    return result_error(RESULT_USAGE, "%s: is too large for a scene (at most %d bytes)", label,
                        YAML_MAX_BYTES);
}

static Result read_open_file(int file, const char *label, char **text, size_t *bytes)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return result_error(RESULT_USAGE, "%s: cannot be read: %s", label, strerror(errno));
    if (info.st_size > YAML_MAX_BYTES)
        return result_error(RESULT_USAGE, "%s: is too large for a scene: %.1f MB (at most %d bytes)", label,
                            (double)info.st_size / 1e6, YAML_MAX_BYTES);
    *text = memory_allocate(YAML_MAX_BYTES + 2);
    if (!*text) return result_no_memory("the scene's text", YAML_MAX_BYTES);
    TRY(read_bytes(file, label, *text, bytes));
    (*text)[*bytes] = 0;
    size_t good = scene_text_check(*text, *bytes);
    if (good < *bytes) return not_text(label, *text, good);
    return result_ok();
}

Result scene_text_copy(const char *label, const void *bytes, size_t size, char **text)
{
    *text = NULL;
    if (size > YAML_MAX_BYTES)
        return result_error(RESULT_USAGE, "%s: is too large for a scene: %zu bytes (at most %d)", label, size,
                            YAML_MAX_BYTES);
    size_t good = scene_text_check(bytes, size);
    if (good < size) return not_text(label, bytes, good);
    *text = memory_allocate(size + 1);
    if (!*text) return result_no_memory("the scene's text", size);
    if (size > 0) memcpy(*text, bytes, size);
    (*text)[size] = 0;
    return result_ok();
}

Result scene_file_read(const char *path, const char *label, char **text, size_t *bytes)
{
    *text = NULL;
    int file;
    TRY(regular_file_open(path, label, &file));
    Result result = read_open_file(file, label, text, bytes);
    close(file);
    if (!result_is_ok(&result)) {
        memory_free(*text);
        *text = NULL;
    }
    return result;
}

// Finds the child that one part of a dotted key names; NULL if it is not there. Items of a list have numbers;
// the number after the last stands for a new one.
static Result find_part(const char *label, const YamlNode *node, const char *part, YamlNode **out)
{
    *out = NULL;
    if (node->kind == YAML_MAPPING) {
        *out = yaml_child(node, part);
        return result_ok();
    }
    if (node->kind == YAML_SCALAR)
        return result_error(RESULT_USAGE, "%s: there is nothing below a single value", label);
    char *end;
    uint32_t count = yaml_count(node);
    unsigned long index = strtoul(part, &end, 10);
    if (part[0] < '0' || part[0] > '9' || *end || index > count) {
        if (count == 0)
            return result_error(RESULT_USAGE, "%s: no item \"%.40s\" in the empty list (0 adds one)", label,
                                part);
        return result_error(RESULT_USAGE, "%s: no item \"%.40s\" in the list (0 to %u; %u adds one)", label,
                            part, count - 1, count);
    }
    if (index < count) *out = yaml_item(node, (uint32_t)index);
    return result_ok();
}

static Result put_value(YamlDocument *document, const char *label, YamlNode *root, char *key, YamlNode *value)
{
    YamlNode *node = root;
    for (char *part = key;;) {
        char *dot = strchr(part, '.');
        if (dot) *dot = 0;
        if (!*part)
            return result_error(RESULT_USAGE, "%s: the key is incomplete (for example solver.iterations)",
                                label);
        YamlNode *child;
        TRY(find_part(label, node, part, &child));
        if (!dot) {
            value->key = node->kind == YAML_MAPPING ? part : NULL;
            if (child)
                yaml_replace(node, child, value);
            else
                yaml_append(node, value);
            return result_ok();
        }
        if (!child) {
            bool list = dot[1] >= '0' && dot[1] <= '9'; // no key begins with a digit
            child = yaml_new_node(document, list ? YAML_LIST : YAML_MAPPING);
            if (!child) return result_no_memory("the scene's text", sizeof *child);
            child->key = node->kind == YAML_MAPPING ? part : NULL;
            child->set_key = value->set_key;
            yaml_append(node, child);
        }
        node = child;
        part = dot + 1;
    }
}

Result scene_override_apply(YamlDocument *document, YamlNode *root, const SceneOverride *override)
{
    char label[SCENE_LABEL_BYTES];
    snprintf(label, sizeof label, "--set %.80s", override->key);
    size_t bytes = strlen(override->value);
    size_t key_bytes = strlen(override->key);
    if (key_bytes > 200 || bytes > YAML_MAX_BYTES)
        return result_error(RESULT_USAGE, "%s: is too long", label);
    if (scene_text_check(override->key, key_bytes) < key_bytes ||
        scene_text_check(override->value, bytes) < bytes)
        return result_error(RESULT_USAGE, "%s: is not text (UTF-8 without control characters)", label);
    YamlNode *value;
    TRY(yaml_parse(document, label, override->key, override->value, bytes, &value));
    if (!value) return result_error(RESULT_USAGE, "%s: has no value (KEY=VALUE)", label);
    char *key = yaml_new_text(document, override->key, key_bytes);
    if (!key) return result_no_memory("the scene's text", key_bytes);
    return put_value(document, label, root, key, value);
}
