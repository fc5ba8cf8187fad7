#include "scene/scene_edit_text.h"

#include "core/memory.h"
#include "scene/scene_file.h"

#include <string.h>

Result edit_cannot(const Edit *edit)
{
    return result_error(RESULT_USAGE, "%.80s: cannot be written into the scene's text; change it there",
                        edit->key);
}

Result edit_parse(Edit *edit)
{
    yaml_free(&edit->document);
    TRY(yaml_parse(&edit->document, edit->label, NULL, edit->text, strlen(edit->text), &edit->root));
    return edit->root && edit->root->kind == YAML_MAPPING ? result_ok() : edit_cannot(edit);
}

char *edit_place(const Edit *edit, int line, int column)
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

bool edit_is_flow(const Edit *edit, const YamlNode *node)
{
    char first = *edit_place(edit, node->line, node->column);
    return node->kind != YAML_SCALAR && (first == '{' || first == '[');
}

static bool in_flow(const Edit *edit, const YamlNode *node)
{
    for (; node; node = node->parent) {
        if (edit_is_flow(edit, node)) return true;
    }
    return false;
}

// Behind the last quote of a text in quotes; NULL if there is none.
static char *quoted_end(char *at)
{
    for (char *end = at + 1; *end; end++) {
        bool escape = *at == '"' ? *end == '\\' : end[0] == '\'' && end[1] == '\'';
        if (escape && end[1])
            end++;
        else if (*end == *at)
            return end + 1;
    }
    return NULL;
}

char *edit_scalar_end(const Edit *edit, const YamlNode *node, char *at)
{
    bool flow = in_flow(edit, node->parent);
    if (*at == '"' || *at == '\'') return quoted_end(at);
    if (*at == '|' || *at == '>' || *at == '&' || *at == '*' || *at == '!') return NULL;
    char *end = at;
    while (*end && *end != '\n' && !(flow && strchr(",]}", *end)) && !(end[0] == ' ' && end[1] == '#')) end++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\r')) end--;
    return end;
}

Result edit_splice(Edit *edit, const char *from, const char *to, const char *text)
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

// --- items of a list ---

char *edit_flow_end(const Edit *edit, const YamlNode *node)
{
    int depth = 0;
    for (char *at = edit_place(edit, node->line, node->column); *at; at++) {
        if (*at == '#') at += strcspn(at, "\n");
        if (*at == '"' || *at == '\'') {
            char *end = quoted_end(at);
            if (!end) return NULL;
            at = end - 1;
        }
        bool closes = *at == ']' || *at == '}';
        if (depth == 0 && (closes || *at == ',')) return at;
        depth += *at == '[' || *at == '{' ? 1 : closes ? -1 : 0;
    }
    return NULL;
}

char *edit_dash(const Edit *edit, const YamlNode *item)
{
    char *at = edit_place(edit, item->line, item->column), *line = edit_place(edit, item->line, 1);
    if (item->quoted) at--;
    while (at > line && at[-1] == ' ') at--;
    if (at == line || at[-1] != '-') return NULL;
    char *dash = at - 1;
    return strspn(line, " ") == (size_t)(dash - line) ? dash : NULL;
}

static char *next_line(char *line)
{
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

char *edit_item_end(const Edit *edit, const YamlNode *item)
{
    char *dash = edit_dash(edit, item);
    if (!dash) return NULL;
    size_t indent = (size_t)(dash - edit_place(edit, item->line, 1));
    char *end = next_line(dash);
    for (char *line = end; *line; line = next_line(line)) {
        size_t blanks = strspn(line, " \r");
        bool empty = line[blanks] == '\n' || line[blanks] == '\0', note = line[blanks] == '#';
        if (empty || (note && blanks <= indent)) continue;
        if (blanks <= indent) break;
        end = next_line(line);
    }
    return end;
}
