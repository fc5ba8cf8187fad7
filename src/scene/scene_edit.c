#include "scene/scene_edit.h"

#include "core/memory.h"
#include "scene/scene_file.h"
#include "scene/scene_yaml.h"

#include <stdio.h>
#include <string.h>

typedef struct Edit {
    const char *key; // for messages
    char *text;      // with a NUL
    YamlDocument document;
    YamlNode *root;
} Edit;

static Result cannot(const Edit *edit)
{
    return result_error(RESULT_USAGE, "%.80s: cannot be written into the scene's text; change it there",
                        edit->key);
}

// --- places in the text ---

static char *place_of(const Edit *edit, int line, int column)
{
    char *at = edit->text;
    for (int k = 1; k < line && at; k++) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    // Columns count characters of UTF-8.
    for (int k = 1; k < column && at && *at; k++) {
        do at++;
        while ((*at & 0xC0) == 0x80);
    }
    return at ? at : edit->text + strlen(edit->text);
}

static bool is_flow(const Edit *edit, const YamlNode *node)
{
    char first = *place_of(edit, node->line, node->column);
    return node->kind != YAML_SCALAR && (first == '{' || first == '[');
}

static bool in_flow(const Edit *edit, const YamlNode *node)
{
    for (; node; node = node->parent) {
        if (is_flow(edit, node)) return true;
    }
    return false;
}

// The end of a scalar; NULL if it is not a plain or quoted one of a line.
static char *end_of_scalar(const Edit *edit, const YamlNode *node, char *at)
{
    bool flow = in_flow(edit, node->parent);
    if (*at == '"' || *at == '\'') {
        char *end = at + 1;
        while (*end && *end != *at && *end != '\n') end += *at == '"' && *end == '\\' && end[1] ? 2 : 1;
        return *end == *at ? end + 1 : NULL;
    }
    if (*at == '|' || *at == '>' || *at == '&' || *at == '*' || *at == '!') return NULL;
    char *end = at;
    while (*end && *end != '\n' && !(flow && strchr(",]}", *end)) && !(end[0] == ' ' && end[1] == '#')) end++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\r')) end--;
    return end;
}

// --- changes ---

// Puts other text between two places.
static Result splice(Edit *edit, const char *from, const char *to, const char *text)
{
    size_t head = (size_t)(from - edit->text), added = strlen(text), tail = strlen(to);
    char *changed = memory_allocate(head + added + tail + 1);
    if (!changed) return result_no_memory("the scene's text", head + added + tail + 1);
    memcpy(changed, edit->text, head);
    memcpy(changed + head, text, added);
    memcpy(changed + head + added, to, tail + 1);
    memory_free(edit->text);
    edit->text = changed;
    return result_ok();
}

static Result replace_scalar(Edit *edit, const YamlNode *node, const char *value)
{
    char *at = place_of(edit, node->line, node->column);
    // The mark of a scalar in quotes is behind the first of them.
    if (node->quoted && at > edit->text && (at[-1] == '"' || at[-1] == '\'')) at--;
    char *end = end_of_scalar(edit, node, at);
    return end ? splice(edit, at, end, value) : cannot(edit);
}

// A list in brackets, from its first bracket to the last.
static Result replace_list(Edit *edit, const YamlNode *node, const char *value)
{
    char *at = place_of(edit, node->line, node->column), *end = at;
    int depth = 0;
    if (*at != '[') return cannot(edit);
    do {
        if (*end == '\0' || *end == '#' || *end == '"' || *end == '\'') return cannot(edit);
        depth += *end == '[' ? 1 : *end == ']' ? -1 : 0;
    } while (end++, depth > 0);
    return splice(edit, at, end, value);
}

// Writes "a.b: value" as "a: {b: value}", or with line breaks where it has `indent`.
static Result write_entry(const Edit *edit, const char *keys, const char *value, int indent, bool flow,
                          char *out, size_t size)
{
    size_t used = 0;
    int depth = 0;
    for (const char *dot; (dot = strchr(keys, '.')) && used < size; keys = dot + 1, depth++) {
        used += (size_t)(flow ? snprintf(out + used, size - used, "%.*s: {", (int)(dot - keys), keys)
                              : snprintf(out + used, size - used, "%*s%.*s:\n", indent + 2 * depth, "",
                                         (int)(dot - keys), keys));
    }
    if (used < size)
        used += (size_t)snprintf(out + used, size - used, "%*s%s: %s%.*s%s", flow ? 0 : indent + 2 * depth,
                                 "", keys, value, flow ? depth : 0, "}}}}}}}}", flow ? "" : "\n");
    return used < size && depth < 8 ? result_ok() : cannot(edit);
}

// Adds a key that a mapping does not have. keys: from there on.
static Result add_entry(Edit *edit, const YamlNode *mapping, const char *keys, const char *value)
{
    char entry[400];
    const YamlNode *first = mapping->first;
    if (is_flow(edit, mapping)) {
        TRY(write_entry(edit, keys, value, 0, true, entry, sizeof entry - 2));
        if (first) strcat(entry, ", ");
        char *at = place_of(edit, mapping->line, mapping->column) + 1;
        return splice(edit, at, at, entry);
    }
    if (mapping != edit->root) {
        TRY(write_entry(edit, keys, value, first->key_column - 1, false, entry, sizeof entry));
        char *line = place_of(edit, first->key_line, 1);
        return splice(edit, line, line, entry);
    }
    char *end = edit->text + strlen(edit->text);
    bool broken = end > edit->text && end[-1] != '\n';
    if (broken) entry[0] = '\n';
    TRY(write_entry(edit, keys, value, 0, false, entry + broken, sizeof entry - 1));
    return splice(edit, end, end, entry);
}

static Result change_node(Edit *edit, const YamlNode *node, const char *value)
{
    if (node->kind == YAML_SCALAR && value[0] != '[' && value[0] != '{')
        return replace_scalar(edit, node, value);
    if (node->kind == YAML_LIST && value[0] == '[') return replace_list(edit, node, value);
    // A word in the place of a list, or the other way round.
    if (node->kind == YAML_SCALAR && value[0] == '[') return replace_scalar(edit, node, value);
    if (node->kind == YAML_LIST) return replace_list(edit, node, value);
    return cannot(edit);
}

// The deepest node on the way to a key; *rest: what is missing of it, "" if nothing.
static YamlNode *find(const Edit *edit, const char *key, const char **rest)
{
    YamlNode *node = edit->root;
    for (*rest = key; **rest;) {
        char part[80];
        size_t length = strcspn(*rest, ".");
        snprintf(part, sizeof part, "%.*s", (int)length, *rest);
        YamlNode *child = yaml_child(node, part);
        if (!child) break;
        node = child;
        *rest += length + ((*rest)[length] == '.');
    }
    return node;
}

static Result apply(Edit *edit, const char *label, const SceneOverride *set)
{
    const char *rest;
    edit->key = set->key;
    yaml_free(&edit->document);
    TRY(yaml_parse(&edit->document, label, NULL, edit->text, strlen(edit->text), &edit->root));
    if (!edit->root || edit->root->kind != YAML_MAPPING) return cannot(edit);
    const YamlNode *node = find(edit, set->key, &rest);
    if (!*rest) return change_node(edit, node, set->value);
    return node->kind == YAML_MAPPING ? add_entry(edit, node, rest, set->value) : cannot(edit);
}

// --- all ---

static Result differs(const char *key, const char *a, const char *b, void *context)
{
    (void)a, (void)b;
    Edit edit = {.key = key};
    (void)context;
    return cannot(&edit);
}

// The new text has to mean what the old one with its overrides means.
static Result check(const SceneSource *source, const char *text)
{
    SceneSource edited;
    TRY(scene_source_from_text(source->path, text, strlen(text), &edited));
    Result result = scene_source_compare(source, &edited, differs, NULL);
    scene_source_free(&edited);
    return result;
}

Result scene_edited_text(const SceneSource *source, char **text)
{
    Edit edit = {0};
    char label[SCENE_LABEL_BYTES];
    scene_label(source->path, label);
    TRY(scene_text_copy(label, source->text, source->bytes, &edit.text));
    Result result = result_ok();
    for (uint32_t k = 0; k < source->override_count && result_is_ok(&result); k++)
        result = apply(&edit, label, &source->overrides[k]);
    yaml_free(&edit.document);
    if (result_is_ok(&result)) result = check(source, edit.text);
    if (!result_is_ok(&result)) memory_free(edit.text);
    *text = result_is_ok(&result) ? edit.text : NULL;
    return result;
}
