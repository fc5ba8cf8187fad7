// Compares two scenes, key by key.
#include "core/c_locale.h"
#include "scene/scene_file.h"
#include "scene/scene_source.h"
#include "scene/scene_yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES 160
#define VALUE_BYTES 80

typedef struct Comparison {
    SceneDifference *take;
    void *context;
} Comparison;

// Adds the value (NULL: none is given) to a line of YAML, as far as there is room.
static void add_value(const YamlNode *node, char *out, size_t size)
{
    size_t used = strlen(out);
    if (used + 1 >= size) return;
    if (!node || node->kind == YAML_SCALAR) {
        const char *text = node ? node->text : "not given";
        snprintf(out + used, size - used, "%.40s%s", text, strlen(text) > 40 ? "..." : "");
        return;
    }
    snprintf(out + used, size - used, node->kind == YAML_LIST ? "[" : "{");
    for (const YamlNode *child = node->first; child; child = child->next) {
        used = strlen(out);
        snprintf(out + used, size - used, "%s%.30s%s", child == node->first ? "" : ", ",
                 child->key ? child->key : "", child->key ? ": " : "");
        add_value(child, out, size);
    }
    used = strlen(out);
    snprintf(out + used, size - used, node->kind == YAML_LIST ? "]" : "}");
}

// A line that has no room left ends in dots.
static void describe(const YamlNode *node, char out[VALUE_BYTES])
{
    out[0] = 0;
    add_value(node, out, VALUE_BYTES);
    if (strlen(out) + 1 == VALUE_BYTES) strcpy(out + VALUE_BYTES - 4, "...");
}

static Result tell(const Comparison *comparison, const char *key, const YamlNode *a, const YamlNode *b)
{
    char text[2][VALUE_BYTES];
    describe(a, text[0]);
    describe(b, text[1]);
    return comparison->take(key, text[0], text[1], comparison->context);
}

static bool same_scalar(const YamlNode *a, const YamlNode *b)
{
    char *end_a, *end_b;
    if (strcmp(a->text, b->text) == 0) return a->quoted == b->quoted;
    if (a->quoted || b->quoted || !a->text[0] || !b->text[0]) return false;
    double x = c_strtod(a->text, &end_a), y = c_strtod(b->text, &end_b);
    return !*end_a && !*end_b && x == y;
}

static void extend_key(const char *key, const char *part, char out[KEY_BYTES])
{
    snprintf(out, KEY_BYTES, "%.120s%s%.30s", key, *key ? "." : "", part);
}

static Result compare_nodes(const Comparison *comparison, const char *key, const YamlNode *a,
                            const YamlNode *b);

static Result compare_mappings(const Comparison *comparison, const char *key, const YamlNode *a,
                               const YamlNode *b)
{
    char part[KEY_BYTES];
    for (const YamlNode *child = a->first; child; child = child->next) {
        extend_key(key, child->key, part);
        TRY(compare_nodes(comparison, part, child, yaml_child(b, child->key)));
    }
    for (const YamlNode *child = b->first; child; child = child->next) {
        extend_key(key, child->key, part);
        if (!yaml_child(a, child->key)) TRY(compare_nodes(comparison, part, NULL, child));
    }
    return result_ok();
}

static Result compare_nodes(const Comparison *comparison, const char *key, const YamlNode *a,
                            const YamlNode *b)
{
    // A section that only one of them has differs in each of its keys.
    static const YamlNode empty = {.kind = YAML_MAPPING};
    if (!a && b->kind == YAML_MAPPING) a = &empty;
    if (!b && a && a->kind == YAML_MAPPING) b = &empty;
    if (!a || !b || a->kind != b->kind) return tell(comparison, key, a, b);
    if (a->kind == YAML_MAPPING) return compare_mappings(comparison, key, a, b);
    if (a->kind == YAML_SCALAR) return same_scalar(a, b) ? result_ok() : tell(comparison, key, a, b);
    if (yaml_count(a) != yaml_count(b)) return tell(comparison, key, a, b);
    const YamlNode *other = b->first;
    uint32_t number = 0;
    for (const YamlNode *item = a->first; item; item = item->next, other = other->next, number++) {
        char digits[12], part[KEY_BYTES];
        snprintf(digits, sizeof digits, "%u", number);
        extend_key(key, digits, part);
        TRY(compare_nodes(comparison, part, item, other));
    }
    return result_ok();
}

Result scene_source_tree(const SceneSource *source, YamlDocument *document, YamlNode **root)
{
    char label[SCENE_LABEL_BYTES];
    scene_label(source->path, label);
    TRY(yaml_parse(document, label, NULL, source->text, source->bytes, root));
    if (!*root || (*root)->kind != YAML_MAPPING)
        return result_error(RESULT_USAGE, "%s: is not a scene (keys and values)", label);
    for (uint32_t k = 0; k < source->override_count; k++)
        TRY(scene_override_apply(document, *root, &source->overrides[k]));
    return result_ok();
}

// Compares files of the same name; one that only one scene names shows as a differing key.
static Result compare_files(const Comparison *comparison, const SceneSource *a, const SceneSource *b)
{
    for (uint32_t i = 0; i < a->file_count; i++) {
        for (uint32_t j = 0; j < b->file_count; j++) {
            const SceneFile *x = &a->files[i], *y = &b->files[j];
            if (strcmp(x->name, y->name) != 0) continue;
            if (x->bytes == y->bytes && memcmp(x->text, y->text, x->bytes) == 0) continue;
            char sizes[2][VALUE_BYTES];
            snprintf(sizes[0], VALUE_BYTES, "%zu bytes", x->bytes);
            snprintf(sizes[1], VALUE_BYTES, "%zu %sbytes", y->bytes, x->bytes == y->bytes ? "other " : "");
            TRY(comparison->take(x->name, sizes[0], sizes[1], comparison->context));
        }
    }
    return result_ok();
}

Result scene_trees_compare(const YamlNode *a, const YamlNode *b, SceneDifference *take, void *context)
{
    return compare_nodes(&(const Comparison){take, context}, "", a, b);
}

Result scene_source_compare(const SceneSource *a, const SceneSource *b, SceneDifference *take, void *context)
{
    const Comparison comparison = {take, context};
    YamlDocument documents[2] = {{0}, {0}};
    YamlNode *roots[2];
    Result result = scene_source_tree(a, &documents[0], &roots[0]);
    if (result_is_ok(&result)) result = scene_source_tree(b, &documents[1], &roots[1]);
    if (result_is_ok(&result)) result = compare_nodes(&comparison, "", roots[0], roots[1]);
    if (result_is_ok(&result)) result = compare_files(&comparison, a, b);
    yaml_free(&documents[0]);
    yaml_free(&documents[1]);
    return result;
}
