#include "scene/scene_schema.h"

#include "core/memory.h"
#include "scene/scene_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PATH_BYTES 160
#define TEXT_BYTES 280
#define KEY_BYTES 120

// The dotted key that leads to a node, list items by number.
static void node_path(const YamlNode *node, char path[PATH_BYTES])
{
    if (!node->parent) {
        path[0] = 0;
        return;
    }
    node_path(node->parent, path);
    size_t used = strlen(path);
    const char *dot = used > 0 ? "." : "";
    if (node->key) {
        snprintf(path + used, PATH_BYTES - used, "%s%.60s", dot, node->key);
        return;
    }
    uint32_t index = 0;
    for (const YamlNode *item = node->parent->first; item != node; item = item->next) index++;
    snprintf(path + used, PATH_BYTES - used, "%s%u", dot, index);
}

__attribute__((format(printf, 5, 0))) static Result place_error(const SceneReading *reading,
                                                                const YamlNode *node, int line, int column,
                                                                const char *format, va_list arguments)
{
    char path[PATH_BYTES], text[TEXT_BYTES];
    vsnprintf(text, sizeof text, format, arguments);
    node_path(node, path);
    bool same = node->set_key && strcmp(path, node->set_key) == 0; // the place names the key already
    const char *colon = path[0] && !same ? ": " : "";
    const char *key = same ? "" : path;
    if (node->set_key)
        return result_error(RESULT_USAGE, "--set %.80s: %s%s%s", node->set_key, key, colon, text);
    return result_error(RESULT_USAGE, "%s:%d:%d: %s%s%s", reading->label, line, column, key, colon, text);
}

Result schema_error(const SceneReading *reading, const YamlNode *node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Result result = place_error(reading, node, node->line, node->column, format, arguments);
    va_end(arguments);
    return result;
}

Result schema_error_at_key(const SceneReading *reading, const YamlNode *node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Result result = place_error(reading, node, node->key_line, node->key_column, format, arguments);
    va_end(arguments);
    return result;
}

// --- keys ---

// The rest of a row's key if it is directly in the mapping of a prefix ("solver.", ""), else NULL.
static const char *key_within(const ParamRow *row, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(row->key, prefix, length) != 0 || strchr(row->key + length, '.')) return NULL;
    return row->key + length;
}

typedef struct Mapping {
    const ParamRow *rows;
    const char *prefix;
} Mapping;

static const char *mapping_key(uint32_t k, const void *context)
{
    const Mapping *mapping = context;
    for (ParamCursor at = param_first(mapping->rows); at.row; param_next(&at)) {
        const char *key = key_within(at.row, mapping->prefix);
        if (key && k-- == 0) return key;
    }
    return NULL;
}

// Where else in the scene a key is known, as in "fluid.viscosity"; NULL if nowhere.
static const char *known_elsewhere(const char *key)
{
    for (ParamCursor at = param_first(SCENE_ROWS); at.row; param_next(&at)) {
        const char *dot = strrchr(at.row->key, '.');
        if (strcmp(dot ? dot + 1 : at.row->key, key) == 0) return at.row->key;
    }
    return NULL;
}

// Keys of older scenes, and what they are called today.
static const char *const moved_keys[][2] = {{"fluid.vorticity", "solver.vorticity_confinement"}};

static Result moved_key(const SceneReading *reading, const YamlNode *node)
{
    char path[PATH_BYTES];
    node_path(node, path);
    for (size_t k = 0; k < sizeof moved_keys / sizeof moved_keys[0]; k++) {
        if (strcmp(path, moved_keys[k][0]) == 0)
            return schema_error_at_key(reading, node, "is called %s now", moved_keys[k][1]);
    }
    return result_ok();
}

static Result unknown_key(const SceneReading *reading, const YamlNode *node, const Mapping *mapping)
{
    char known[PARAM_KNOWN_BYTES];
    TRY(moved_key(reading, node));
    const char *nearest = nearest_name(node->key, mapping_key, mapping);
    if (nearest) return schema_error_at_key(reading, node, "unknown key (did you mean %s?)", nearest);
    const char *elsewhere = known_elsewhere(node->key);
    if (elsewhere)
        return schema_error_at_key(reading, node, "unknown key here (did you mean %s?)", elsewhere);
    param_list(mapping_key, mapping, "", known, sizeof known);
    return schema_error_at_key(reading, node, "unknown key (known: %s)", known);
}

static ParamCursor find_row(const Mapping *mapping, const char *key)
{
    char path[KEY_BYTES];
    snprintf(path, sizeof path, "%s%s", mapping->prefix, key);
    return strchr(key, '.') ? (ParamCursor){0} : param_find(mapping->rows, path);
}

// Are all keys known, single and allowed together?
static Result check_keys(const SceneReading *reading, const YamlNode *node, const Mapping *mapping)
{
    const YamlNode *variant = NULL;
    for (const YamlNode *child = node->first; child; child = child->next) {
        const ParamRow *row = find_row(mapping, child->key).row;
        if (!row) return unknown_key(reading, child, mapping);
        if (yaml_child(node, child->key) != child)
            return schema_error_at_key(reading, child, "is given twice");
        if (!row->variant) continue;
        if (variant)
            return schema_error_at_key(reading, child, "cannot be together with %s (one of them)",
                                       variant->key);
        variant = child;
    }
    return result_ok();
}

static const char *variant_key(uint32_t k, const void *context)
{
    const Mapping *mapping = context;
    for (ParamCursor at = param_first(mapping->rows); at.row; param_next(&at)) {
        const char *key = at.row->variant ? key_within(at.row, mapping->prefix) : NULL;
        if (key && k-- == 0) return key;
    }
    return NULL;
}

static const char *present_variant(const YamlNode *node, const Mapping *mapping)
{
    for (uint32_t k = 0; variant_key(k, mapping); k++) {
        if (yaml_child(node, variant_key(k, mapping))) return variant_key(k, mapping);
    }
    return NULL;
}

const char *schema_variant(const YamlNode *node, const ParamRow *rows)
{
    return present_variant(node, &(const Mapping){rows, ""});
}

// Checks that required keys and one of the variants are there.
static Result check_presence(const SceneReading *reading, const YamlNode *node, const Mapping *mapping)
{
    char variants[PARAM_KNOWN_BYTES];
    for (ParamCursor at = param_first(mapping->rows); at.row; param_next(&at)) {
        const char *key = at.row->required ? key_within(at.row, mapping->prefix) : NULL;
        if (key && !yaml_child(node, key)) return schema_error(reading, node, "needs the key %s", key);
    }
    param_list(variant_key, mapping, "", variants, sizeof variants);
    if (variants[0] && !present_variant(node, mapping))
        return schema_error(reading, node, "needs one of the keys %s", variants);
    return result_ok();
}

// --- values ---

// "must be WHAT, found ..."
static Result wrong_kind(const SceneReading *reading, const YamlNode *node, const ParamRow *row, bool vector)
{
    char wanted[PARAM_EXPECTED_BYTES];
    const char *found = node->kind == YAML_LIST      ? "a list"
                        : node->kind == YAML_MAPPING ? "a mapping"
                        : node->quoted               ? "text in quotes"
                        : !node->text[0]             ? "nothing"
                                                     : NULL;
    param_expected(row, vector, wanted);
    if (found) return schema_error(reading, node, "must be %s, found %s", wanted, found);
    return schema_error(reading, node, "must be %s, found \"%.40s\"", wanted, node->text);
}

static bool is_plain(const YamlNode *node)
{
    return node->kind == YAML_SCALAR && !node->quoted && node->text[0];
}

static Result place_result(const SceneReading *reading, const YamlNode *node, Result result)
{
    return result_is_ok(&result) ? result : schema_error(reading, node, "%s", result.text);
}

static Result read_vector(const SceneReading *reading, const YamlNode *node, const ParamRow *row,
                          void *member)
{
    double value = 0;
    uint32_t k = 0;
    if (node->kind != YAML_LIST) return wrong_kind(reading, node, row, true);
    if (yaml_count(node) != row->length)
        return schema_error(reading, node, "must be a list of %u numbers, found %u", row->length,
                            yaml_count(node));
    for (const YamlNode *item = node->first; item; item = item->next) {
        if (!is_plain(item)) return wrong_kind(reading, item, row, false);
        TRY(place_result(reading, item, param_parse_number(row, item->text, &value)));
        param_set(row, member, k++, value);
    }
    return place_result(reading, node, param_check_order(row, member));
}

static Result read_numbers(const SceneReading *reading, const YamlNode *node, const ParamRow *row,
                           void *member)
{
    double value = 0;
    bool word = row->word && node->kind == YAML_SCALAR && strcmp(node->text, row->word) == 0;
    if (!word && row->length > 0 && !(row->single && node->kind != YAML_LIST))
        return read_vector(reading, node, row, member);
    if (!word && !is_plain(node)) return wrong_kind(reading, node, row, false);
    if (!word) TRY(place_result(reading, node, param_parse_number(row, node->text, &value)));
    for (uint32_t k = 0; k == 0 || k < row->length; k++) param_set(row, member, k, value);
    return result_ok();
}

static Result read_names(const SceneReading *reading, const YamlNode *node, const ParamRow *row, bool *member)
{
    uint32_t name = 0;
    if (node->kind != YAML_LIST) return wrong_kind(reading, node, row, false);
    for (const YamlNode *item = node->first; item; item = item->next) {
        if (item->kind != YAML_SCALAR) return schema_error(reading, item, "must be a name");
        TRY(place_result(reading, item, param_parse_name(row, item->text, &name)));
        member[name] = true;
    }
    return result_ok();
}

static Result read_list(const SceneReading *reading, const YamlNode *node, const ParamRow *row, void *member,
                        uint32_t *out_count)
{
    if (node->kind != YAML_LIST) return wrong_kind(reading, node, row, false);
    uint32_t count = yaml_count(node);
    if (count > row->hi) return schema_error(reading, node, "has %u items (at most %.0f)", count, row->hi);
    if (count == 0) return result_ok();
    unsigned char *items = memory_allocate_zeroed(count * row->size);
    if (!items) return result_no_memory(row->key, (unsigned long long)count * row->size);
    // Zeroed items can be freed, so the owner may free the list at any time.
    memcpy(member, &items, sizeof items);
    *out_count = count;
    for (const YamlNode *item = node->first; item; item = item->next, items += row->size)
        TRY(parts_read_item(reading, item, row, items));
    return result_ok();
}

static Result read_mapping(const SceneReading *reading, const YamlNode *node, const Mapping *mapping,
                           void *target);

static Result read_row(const SceneReading *reading, const YamlNode *node, const Mapping *mapping,
                       const ParamCursor *at, unsigned char *target)
{
    const ParamRow *row = at->row;
    void *member = target + at->offset;
    char prefix[KEY_BYTES];
    switch (row->kind) {
    case PARAM_SECTION:
        snprintf(prefix, sizeof prefix, "%s.", row->key);
        return read_mapping(reading, node, &(const Mapping){mapping->rows, prefix}, target);
    case PARAM_LIST:
        return read_list(reading, node, row, member, (uint32_t *)(void *)(target + row->count_offset));
    case PARAM_FLOAT:
    case PARAM_DOUBLE:
    case PARAM_COUNT:
        return read_numbers(reading, node, row, member);
    case PARAM_NAMES:
        return read_names(reading, node, row, member);
    default:
        if (!(row->kind == PARAM_FLAG ? is_plain(node)
                                      : node->kind == YAML_SCALAR && (node->quoted || node->text[0])))
            return wrong_kind(reading, node, row, false);
        return place_result(reading, node, param_parse(row, node->text, member));
    }
}

static Result read_mapping(const SceneReading *reading, const YamlNode *node, const Mapping *mapping,
                           void *target)
{
    static const ParamRow mapping_row = {.kind = PARAM_SECTION};
    if (node->kind != YAML_MAPPING) return wrong_kind(reading, node, &mapping_row, false);
    TRY(check_keys(reading, node, mapping));
    TRY(check_presence(reading, node, mapping));
    for (const YamlNode *child = node->first; child; child = child->next) {
        const ParamCursor at = find_row(mapping, child->key);
        TRY(read_row(reading, child, mapping, &at, target));
    }
    return result_ok();
}

Result schema_read(const SceneReading *reading, const YamlNode *node, const ParamRow *rows, void *target)
{
    return read_mapping(reading, node, &(const Mapping){rows, ""}, target);
}
