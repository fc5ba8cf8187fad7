#include "scene/scene_schema.h"

#include "core/c_locale.h"
#include "core/memory.h"
#include "core/vec3.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PATH_BYTES 160
#define TEXT_BYTES 280

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

static Result place_error(const SceneReading *reading, const YamlNode *node, int line, int column,
                          const char *text)
{
    char path[PATH_BYTES];
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
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return place_error(reading, node, node->line, node->column, text);
}

Result schema_error_at_key(const SceneReading *reading, const YamlNode *node, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return place_error(reading, node, node->key_line, node->key_column, text);
}

// Adds a name to a list in brackets; one that does not fit becomes "...".
static void list_name(char *text, size_t size, const char *name)
{
    size_t used = strlen(text);
    if (used + strlen(name) + 8 < size)
        snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    else if (used + 5 < size && (used < 3 || strcmp(text + used - 3, "...") != 0))
        snprintf(text + used, size - used, ", ...");
}

// Where else in the schema a key is known: "fluid." and so on; "" if nowhere. Variants come last, their keys
// are common words.
static bool known_elsewhere(const SchemaTable *table, const char *key, uint32_t depth, char *path,
                            size_t size)
{
    for (const SchemaField *field = table->fields; field->key; field++) {
        if (strcmp(field->key, key) == 0) return true;
    }
    for (const SchemaField *field = table->fields; field->key && depth < 3; field++) {
        size_t used = strlen(path);
        if (!field->table || field->kind == SCHEMA_LIST) continue;
        snprintf(path + used, size - used, "%s.", field->key);
        if (known_elsewhere(field->table, key, depth + 1, path, size)) return true;
        path[used] = 0;
    }
    return false;
}

static const char *table_key(uint32_t k, const void *context)
{
    return ((const SchemaTable *)context)->fields[k].key;
}

static Result unknown_key(const SceneReading *reading, const YamlNode *node, const SchemaTable *table)
{
    char known[150] = "", path[60] = "";
    for (const SchemaField *field = table->fields; field->key; field++)
        list_name(known, sizeof known, field->key);
    const char *nearest = nearest_name(node->key, table_key, table);
    if (nearest) return schema_error_at_key(reading, node, "unknown key (did you mean %s?)", nearest);
    if (known_elsewhere(&SCENE_SCHEMA, node->key, 0, path, sizeof path))
        return schema_error_at_key(reading, node, "unknown key here (did you mean %s%s?)", path, node->key);
    return schema_error_at_key(reading, node, "unknown key (known: %s)", known);
}

static const char *kind_of(const YamlNode *node)
{
    if (node->kind == YAML_LIST) return "a list";
    if (node->kind == YAML_MAPPING) return "a mapping";
    return node->quoted ? "text in quotes" : !node->text[0] ? "nothing" : NULL;
}

// "must be WHAT, found ..."
Result schema_wrong_kind(const SceneReading *reading, const YamlNode *node, const char *what)
{
    const char *kind = kind_of(node);
    if (kind) return schema_error(reading, node, "must be %s, found %s", what, kind);
    return schema_error(reading, node, "must be %s, found \"%.40s\"", what, node->text);
}

// The number that a whole text is: digits, point, exponent, as YAML 1.2 has them; no hexadecimal, no
// infinity.
static bool parse_number(const char *text, double *out)
{
    const char *at = text + (*text == '-' || *text == '+');
    size_t digits = strspn(at, "0123456789");
    at += digits;
    if (*at == '.') {
        size_t more = strspn(at + 1, "0123456789");
        digits += more;
        at += 1 + more;
    }
    if (digits == 0) return false;
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '-' || at[1] == '+');
        size_t exponent = strspn(at, "0123456789");
        if (exponent == 0) return false;
        at += exponent;
    }
    if (*at) return false;
    *out = c_strtod(text, NULL);
    return true;
}

// What YAML and C call infinity and not-a-number.
static bool names_no_number(const char *text)
{
    static const char *const names[] = {".inf", ".nan", "inf", "nan", "infinity"};
    const char *word = text + (*text == '-' || *text == '+');
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (strcasecmp(word, names[k]) == 0) return true;
    }
    return false;
}

void schema_range(const SchemaField *field, char *text, size_t size)
{
    const char *space = field->unit && field->unit[0] ? " " : "";
    const char *unit = field->unit ? field->unit : "";
    if (field->above_lo)
        snprintf(text, size, "above %.10g, up to %.10g%s%s", field->lo, field->hi, space, unit);
    else
        snprintf(text, size, "%.10g to %.10g%s%s", field->lo, field->hi, space, unit);
}

Result schema_number(const SceneReading *reading, const YamlNode *node, const SchemaField *field, double *out)
{
    char range[80];
    schema_range(field, range, sizeof range);
    const char *what = field->kind == SCHEMA_COUNT ? "a whole number" : "a number";
    double value = 0;
    if (node->kind != YAML_SCALAR || node->quoted) return schema_wrong_kind(reading, node, what);
    if (names_no_number(node->text) || (parse_number(node->text, &value) && !isfinite(value)))
        return schema_error(reading, node, "%.40s is not a finite number (%s)", node->text, range);
    if (!parse_number(node->text, &value)) return schema_wrong_kind(reading, node, what);
    if (field->kind == SCHEMA_COUNT && floor(value) != value) return schema_wrong_kind(reading, node, what);
    // Nothing that is positive may become zero as a float.
    bool low = field->above_lo ? value <= field->lo || (float)value <= (float)field->lo : value < field->lo;
    if (low || value > field->hi)
        return schema_error(reading, node, "%.40s is out of range (%s)", node->text, range);
    *out = value;
    return result_ok();
}

Result schema_numbers(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                      uint32_t count, double *out)
{
    char what[40];
    snprintf(what, sizeof what, "a list of %u numbers", count);
    if (node->kind != YAML_LIST) return schema_wrong_kind(reading, node, what);
    uint32_t items = yaml_count(node);
    if (items != count) return schema_error(reading, node, "must be %s, found %u", what, items);
    uint32_t k = 0;
    for (const YamlNode *item = node->first; item; item = item->next)
        TRY(schema_number(reading, item, field, &out[k++]));
    return result_ok();
}

Result schema_choice(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                     uint32_t *out)
{
    char known[150] = "";
    if (node->kind != YAML_SCALAR || !node->text[0]) return schema_wrong_kind(reading, node, "a name");
    for (uint32_t k = 0; field->choice(k, NULL); k++) {
        if (strcmp(node->text, field->choice(k, NULL)) == 0) {
            *out = k;
            return result_ok();
        }
        list_name(known, sizeof known, field->choice(k, NULL));
    }
    const char *nearest = nearest_name(node->text, field->choice, NULL);
    if (nearest)
        return schema_error(reading, node, "\"%.40s\" is not known (did you mean %s? known: %s)", node->text,
                            nearest, known);
    return schema_error(reading, node, "\"%.40s\" is not known (known: %s)", node->text, known);
}

static Result read_text(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                        char *out)
{
    if (field->choice) {
        uint32_t k;
        TRY(schema_choice(reading, node, field, &k));
    }
    if (node->kind != YAML_SCALAR || (!node->text[0] && !node->quoted))
        return schema_wrong_kind(reading, node, "text");
    size_t length = strlen(node->text);
    while (length > 0 && node->text[length - 1] == '\n') length--; // text blocks end in one
    if (length == 0) return schema_error(reading, node, "is empty");
    if (length >= field->size)
        return schema_error(reading, node, "is too long: %zu bytes (at most %zu)", length, field->size - 1);
    for (size_t i = 0; i < length; i++)
        out[i] = node->text[i] == '\n' || node->text[i] == '\t' ? ' ' : node->text[i];
    out[length] = 0;
    return result_ok();
}

static Result read_flag(const SceneReading *reading, const YamlNode *node, bool *out)
{
    bool yes = node->kind == YAML_SCALAR && !node->quoted && strcmp(node->text, "true") == 0;
    bool no = node->kind == YAML_SCALAR && !node->quoted && strcmp(node->text, "false") == 0;
    if (!yes && !no) return schema_wrong_kind(reading, node, "true or false");
    *out = yes;
    return result_ok();
}

static Result read_list(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                        void *out, uint32_t *out_count)
{
    if (node->kind != YAML_LIST) return schema_wrong_kind(reading, node, "a list");
    uint32_t count = yaml_count(node);
    if (count > field->most)
        return schema_error(reading, node, "has %u items (at most %u)", count, field->most);
    if (count == 0) return result_ok();
    unsigned char *items = memory_allocate_zeroed(count * field->size);
    if (!items) return result_no_memory(field->key, (unsigned long long)count * field->size);
    memcpy(out, &items,
           sizeof items); // zeroed items can be freed, so the owner may free the list at any time
    *out_count = count;
    for (const YamlNode *item = node->first; item; item = item->next, items += field->size)
        TRY(field->read(reading, item, field, items));
    return result_ok();
}

static Result read_vector(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                          Vec3 *out)
{
    double numbers[3];
    TRY(schema_numbers(reading, node, field, 3, numbers));
    *out = vec3_make((float)numbers[0], (float)numbers[1], (float)numbers[2]);
    return result_ok();
}

static Result read_field(const SceneReading *reading, const YamlNode *node, const SchemaField *field,
                         void *target)
{
    unsigned char *base = target;
    void *at = base + field->offset;
    double number;
    uint32_t choice;
    switch (field->kind) {
    case SCHEMA_FLOAT:
        TRY(schema_number(reading, node, field, &number));
        *(float *)at = (float)number;
        return result_ok();
    case SCHEMA_DOUBLE:
        return schema_number(reading, node, field, at);
    case SCHEMA_COUNT:
        TRY(schema_number(reading, node, field, &number));
        *(uint32_t *)at = (uint32_t)number;
        return result_ok();
    case SCHEMA_FLAG:
        return read_flag(reading, node, at);
    case SCHEMA_VECTOR:
        return read_vector(reading, node, field, at);
    case SCHEMA_TEXT:
        return read_text(reading, node, field, at);
    case SCHEMA_CHOICE:
        TRY(schema_choice(reading, node, field, &choice));
        *(int *)at = (int)choice;
        return result_ok();
    case SCHEMA_MAPPING:
        return schema_read(reading, node, field->table, at);
    case SCHEMA_LIST:
        return read_list(reading, node, field, at, (uint32_t *)(void *)(base + field->count_offset));
    case SCHEMA_OTHER:
        return field->read(reading, node, field, at);
    }
    return result_ok();
}

const char *schema_variant(const YamlNode *node, const SchemaTable *table)
{
    for (const SchemaField *field = table->fields; field->key; field++) {
        if (field->variant && yaml_child(node, field->key)) return field->key;
    }
    return NULL;
}

// What is missing once all keys are known.
static Result check_presence(const SceneReading *reading, const YamlNode *node, const SchemaTable *table)
{
    char variants[100] = "";
    for (const SchemaField *field = table->fields; field->key; field++) {
        if (field->required && !yaml_child(node, field->key))
            return schema_error(reading, node, "needs the key %s", field->key);
        if (field->variant) list_name(variants, sizeof variants, field->key);
    }
    if (variants[0] && !schema_variant(node, table))
        return schema_error(reading, node, "needs one of the keys %s", variants);
    return result_ok();
}

static const SchemaField *find_field(const SchemaTable *table, const char *key)
{
    for (const SchemaField *field = table->fields; field->key; field++) {
        if (strcmp(field->key, key) == 0) return field;
    }
    return NULL;
}

// Are all keys known, single and allowed together?
static Result check_keys(const SceneReading *reading, const YamlNode *node, const SchemaTable *table)
{
    uint64_t seen = 0; // no table has 64 keys
    const YamlNode *variant = NULL;
    for (const YamlNode *child = node->first; child; child = child->next) {
        const SchemaField *field = find_field(table, child->key);
        if (!field) return unknown_key(reading, child, table);
        uint64_t bit = UINT64_C(1) << (field - table->fields);
        if (seen & bit) return schema_error_at_key(reading, child, "is there twice");
        seen |= bit;
        if (!field->variant) continue;
        if (variant)
            return schema_error_at_key(reading, child, "cannot be together with %s (one of them)",
                                       variant->key);
        variant = child;
    }
    return result_ok();
}

Result schema_read(const SceneReading *reading, const YamlNode *node, const SchemaTable *table, void *target)
{
    if (node->kind != YAML_MAPPING) return schema_wrong_kind(reading, node, "a mapping of keys and values");
    TRY(check_keys(reading, node, table));
    TRY(check_presence(reading, node, table));
    for (const YamlNode *child = node->first; child; child = child->next)
        TRY(read_field(reading, child, find_field(table, child->key), target));
    return result_ok();
}
