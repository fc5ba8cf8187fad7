#include "scene/scene_edit.h"

#include "core/memory.h"
#include "scene/scene_edit_text.h"
#include "scene/scene_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Result replace_scalar(Edit *edit, const YamlNode *node, const char *value)
{
    char *at = edit_place(edit, node->line, node->column);
    // The mark of a scalar in quotes is behind the first of them.
    if (node->quoted && at > edit->text && (at[-1] == '"' || at[-1] == '\'')) at--;
    char *end = edit_scalar_end(edit, node, at);
    return end ? edit_splice(edit, at, end, value) : edit_cannot(edit);
}

// A list in brackets, from its first bracket to the last.
static Result replace_list(Edit *edit, const YamlNode *node, const char *value)
{
    char *at = edit_place(edit, node->line, node->column), *end = at;
    int depth = 0;
    if (*at != '[') return edit_cannot(edit);
    do {
        if (*end == '\0' || *end == '#' || *end == '"' || *end == '\'') return edit_cannot(edit);
        depth += *end == '[' ? 1 : *end == ']' ? -1 : 0;
    } while (end++, depth > 0);
    return edit_splice(edit, at, end, value);
}

static bool is_number(const char *part)
{
    return *part >= '0' && *part <= '9'; // no key begins with a digit
}

// Writes "a.b: value" as "a: {b: value}", or with line breaks where it has `indent`; a number is an item of a
// new list.
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
    bool item = is_number(keys);
    if (item && flow) return edit_cannot(edit);
    if (used < size)
        used += (size_t)snprintf(out + used, size - used, "%*s%s%s%s%.*s%s", flow ? 0 : indent + 2 * depth,
                                 "", item ? "-" : keys, item ? " " : ": ", value, flow ? depth : 0,
                                 "}}}}}}}}", flow ? "" : "\n");
    return used < size && depth < 8 ? result_ok() : edit_cannot(edit);
}

// Puts whole lines where a line begins, or at the end of a text whose last line does not end.
static Result add_lines(Edit *edit, const char *at, const char *lines)
{
    if (!at) return edit_cannot(edit);
    if (at > edit->text && at[-1] != '\n')
        TRY(edit_splice(edit, at, at, "\n"));
    else
        return edit_splice(edit, at, at, lines);
    char *end = edit->text + strlen(edit->text);
    return edit_splice(edit, end, end, lines);
}

// Adds a key to a mapping in brackets: in front, or behind all that an item of a list begins with.
static Result add_to_flow(Edit *edit, const YamlNode *mapping, const char *keys, const char *value)
{
    char entry[400] = ", ";
    TRY(write_entry(edit, keys, value, 0, true, entry + 2, sizeof entry - 4));
    bool item = mapping->first && mapping->parent && mapping->parent->kind == YAML_LIST;
    char *end = item ? edit_flow_end(edit, mapping->last) : NULL;
    if (end) return edit_splice(edit, end, end, entry);
    if (mapping->first) strcat(entry, ", ");
    char *at = edit_place(edit, mapping->line, mapping->column) + 1;
    return edit_splice(edit, at, at, entry + 2);
}

// Adds a key that a mapping does not have. keys: from there on.
static Result add_entry(Edit *edit, const YamlNode *mapping, const char *keys, const char *value)
{
    char entry[400];
    const YamlNode *first = mapping->first;
    if (edit_is_flow(edit, mapping)) return add_to_flow(edit, mapping, keys, value);
    if (mapping != edit->root && mapping->parent->kind == YAML_LIST) {
        TRY(write_entry(edit, keys, value, first->key_column - 1, false, entry, sizeof entry));
        return add_lines(edit, edit_item_end(edit, mapping), entry);
    }
    if (mapping != edit->root) {
        TRY(write_entry(edit, keys, value, first->key_column - 1, false, entry, sizeof entry));
        char *line = edit_place(edit, first->key_line, 1);
        return edit_splice(edit, line, line, entry);
    }
    TRY(write_entry(edit, keys, value, 0, false, entry, sizeof entry));
    return add_lines(edit, edit->text + strlen(edit->text), entry);
}

// Adds an item at the end of a list.
static Result add_item(Edit *edit, const YamlNode *list, const char *value)
{
    char entry[400];
    char *dash = list->last ? edit_dash(edit, list->last) : NULL;
    if (edit_is_flow(edit, list)) {
        char *first = edit_place(edit, list->line, list->column) + 1;
        char *end = list->last ? edit_flow_end(edit, list->last) : first + strspn(first, " ");
        if (!end || *end != ']') return edit_cannot(edit);
        int length = snprintf(entry, sizeof entry, "%s%s", list->last ? ", " : "", value);
        if (length >= (int)sizeof entry) return edit_cannot(edit);
        return edit_splice(edit, end, end, entry);
    }
    if (!dash) return edit_cannot(edit);
    int indent = (int)(dash - edit_place(edit, list->last->line, 1));
    int length = snprintf(entry, sizeof entry, "%*s- %s\n", indent, "", value);
    if (length >= (int)sizeof entry) return edit_cannot(edit);
    return add_lines(edit, edit_item_end(edit, list->last), entry);
}

static Result change_node(Edit *edit, const YamlNode *node, const char *value)
{
    if (node->kind == YAML_LIST) return replace_list(edit, node, value);
    return node->kind == YAML_SCALAR && value[0] != '{' ? replace_scalar(edit, node, value)
                                                        : edit_cannot(edit);
}

// The deepest node on the way to a key; *rest: what is missing of it, "" if nothing.
static YamlNode *find(const Edit *edit, const char *key, const char **rest)
{
    YamlNode *node = edit->root;
    for (*rest = key; **rest;) {
        char part[80];
        size_t length = strcspn(*rest, ".");
        snprintf(part, sizeof part, "%.*s", (int)length, *rest);
        bool item = node->kind == YAML_LIST && is_number(part);
        YamlNode *child = item ? yaml_item(node, (uint32_t)strtoul(part, NULL, 10)) : yaml_child(node, part);
        if (!child) break;
        node = child;
        *rest += length + ((*rest)[length] == '.');
    }
    return node;
}

static Result apply(Edit *edit, const SceneOverride *set)
{
    const char *rest;
    edit->key = set->key;
    TRY(edit_parse(edit));
    const YamlNode *node = find(edit, set->key, &rest);
    if (!*rest) return change_node(edit, node, set->value);
    if (node->kind == YAML_LIST && !strchr(rest, '.')) return add_item(edit, node, set->value);
    return node->kind == YAML_MAPPING ? add_entry(edit, node, rest, set->value) : edit_cannot(edit);
}

// --- all ---

static Result differs(const char *key, const char *a, const char *b, void *context)
{
    (void)a, (void)b;
    Edit edit = {.key = key};
    (void)context;
    return edit_cannot(&edit);
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
    char label[SCENE_LABEL_BYTES];
    Edit edit = {.label = label};
    scene_label(source->path, label);
    TRY(scene_text_copy(label, source->text, source->bytes, &edit.text));
    Result result = result_ok();
    for (uint32_t k = 0; k < source->override_count && result_is_ok(&result); k++)
        result = apply(&edit, &source->overrides[k]);
    yaml_free(&edit.document);
    if (result_is_ok(&result)) result = check(source, edit.text);
    if (!result_is_ok(&result)) memory_free(edit.text);
    *text = result_is_ok(&result) ? edit.text : NULL;
    return result;
}

// --- whole items ---

// An item with all its lines, or in brackets with what separates it from the next one or the one before.
static Result item_text(const Edit *edit, const YamlNode *item, char **from, char **to)
{
    *from = *to = NULL;
    if (edit_is_flow(edit, item->parent)) {
        *from = edit_place(edit, item->line, item->column);
        *to = edit_flow_end(edit, item);
    } else if (edit_dash(edit, item)) {
        *from = edit_place(edit, item->line, 1);
        *to = edit_item_end(edit, item);
    }
    return *from && *to ? result_ok() : edit_cannot(edit);
}

static Result remove_item(Edit *edit, const YamlNode *item)
{
    char *from, *to;
    const YamlNode *list = item->parent;
    bool flow = edit_is_flow(edit, list), alone = list->first == list->last;
    TRY(item_text(edit, item, &from, &to));
    if (flow && *to == ',') to += 1 + strspn(to + 1, " ");
    for (; flow && !alone && *to == ']' && from[-1] != '['; from--) {
        if (from[-1] != ',') continue;
        from--;
        break;
    }
    TRY(edit_splice(edit, from, to, ""));
    if (flow || !alone) return result_ok();
    // A key of which nothing is left has to say so.
    char *colon = edit_place(edit, list->key_line, list->key_column);
    colon += strlen(list->key);
    return *colon == ':' ? edit_splice(edit, colon + 1, colon + 1, " []") : edit_cannot(edit);
}

static Result repeat_item(Edit *edit, const YamlNode *item)
{
    char *from, *to;
    TRY(item_text(edit, item, &from, &to));
    bool flow = edit_is_flow(edit, item->parent), broken = !flow && to[-1] != '\n';
    size_t bytes = (size_t)(to - from);
    char *text = memory_allocate(bytes + 4);
    if (!text) return result_no_memory("the scene's text", bytes);
    snprintf(text, bytes + 4, "%s%.*s", flow ? ", " : broken ? "\n" : "", (int)bytes, from);
    Result result = edit_splice(edit, to, to, text);
    memory_free(text);
    return result;
}

// The longer of two texts without the item has to be the shorter one.
static Result check_item(Edit *edit, const SceneSource *before, const char *list, uint32_t index, bool repeat)
{
    Edit old = {.key = edit->key, .label = edit->label, .text = before->text};
    YamlNode *longer = NULL;
    TRY(edit_parse(edit));
    Result result = edit_parse(&old);
    if (result_is_ok(&result)) longer = yaml_item(yaml_child(repeat ? edit->root : old.root, list), index);
    if (result_is_ok(&result) && !longer) result = edit_cannot(edit);
    if (longer) yaml_remove(longer->parent, longer);
    if (result_is_ok(&result)) result = scene_trees_compare(old.root, edit->root, differs, NULL);
    yaml_free(&old.document);
    return result;
}

static Result edit_item(Edit *edit, const SceneSource *source, const char *list, uint32_t index, bool repeat)
{
    TRY(edit_parse(edit));
    const YamlNode *item = yaml_item(yaml_child(edit->root, list), index);
    if (!item) return edit_cannot(edit);
    TRY((repeat ? repeat_item : remove_item)(edit, item));
    return check_item(edit, source, list, index + repeat, repeat);
}

Result scene_item_text(const SceneSource *source, const char *list, uint32_t index, bool repeat, char **text)
{
    char label[SCENE_LABEL_BYTES];
    SceneSource written;
    Edit edit = {.key = list, .label = label};
    scene_label(source->path, label);
    TRY(scene_edited_text(source, &edit.text));
    Result result = scene_source_from_text(source->path, edit.text, strlen(edit.text), &written);
    if (result_is_ok(&result)) result = edit_item(&edit, &written, list, index, repeat);
    scene_source_free(&written);
    yaml_free(&edit.document);
    if (!result_is_ok(&result)) memory_free(edit.text);
    *text = result_is_ok(&result) ? edit.text : NULL;
    return result;
}
