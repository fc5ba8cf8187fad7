#include "command/help_keys.h"

#include "command/help_text.h"
#include "core/memory.h"
#include "scene/scene.h"
#include "scene/scene_schema.h"

#include <string.h>

#define KEY_BYTES 120
#define INDENT 4

// Description of a key: its type, the range or names, the default.
typedef struct KeyText {
    char type[60], allowed[400], standard[80];
} KeyText;

// key: "solver.cfl", "water.N.box.min". member: of the defaults.
typedef void KeyVisit(const char *key, const ParamRow *row, const void *member, void *context);

static KeyText key_text(const ParamRow *row, const void *member, const char *quote)
{
    KeyText text;
    param_type(row, text.type, sizeof text.type);
    param_allowed(row, quote, text.allowed, sizeof text.allowed);
    if (row->required)
        strcpy(text.standard, "required");
    else if (row->default_text)
        snprintf(text.standard, sizeof text.standard, "%s", row->default_text);
    else
        param_value(row, member, text.standard, sizeof text.standard);
    return text;
}

// Visits the rows of a struct's table; those of a list's items follow its row.
static void each_key(const ParamRow *rows, const char *prefix, const void *def, KeyVisit *visit,
                     void *context)
{
    for (ParamCursor at = param_first(rows); at.row; param_next(&at)) {
        char key[KEY_BYTES];
        snprintf(key, sizeof key, "%s%s", prefix, at.row->key);
        visit(key, at.row, (const char *)def + at.offset, context);
        if (at.row->kind != PARAM_LIST) continue;
        strcat(key, ".N.");
        each_key(at.row->rows, key, at.row->item, visit, context);
    }
}

static Result each_scene_key(KeyVisit *visit, void *context)
{
    SceneDef *defaults = memory_allocate(sizeof *defaults);
    if (!defaults) return result_no_memory("the keys", sizeof *defaults);
    *defaults = scene_def_default();
    each_key(SCENE_ROWS, "", defaults, visit, context);
    memory_free(defaults);
    return result_ok();
}

// Does the key begin with the name, up to a dot? Keys have N for the numbers of items.
static bool begins_with(const char *key, const char *name)
{
    size_t length = strlen(name);
    return strncmp(key, name, length) == 0 && (key[length] == 0 || key[length] == '.');
}

// --- terminals ---

typedef struct KeyList {
    FILE *to;
    const char *name; // NULL: all
    bool found;
} KeyList;

static void print_key(const char *key, const ParamRow *row, const void *member, void *context)
{
    KeyList *list = context;
    if (list->name && !begins_with(key, list->name)) return;
    const KeyText text = key_text(row, member, "");
    list->found = true;
    char line[KEY_BYTES + sizeof text + 20], standard[sizeof text.standard + 4] = "";
    if (row->required)
        strcpy(standard, "; required");
    else if (text.standard[0])
        snprintf(standard, sizeof standard, " (%s)", text.standard);
    snprintf(line, sizeof line, "%s: %s%s%s%s", key, text.type, text.allowed[0] ? ", " : "", text.allowed,
             standard);
    help_print_text(list->to, line, 0, 2 * INDENT);
    if (!row->help) return;
    fprintf(list->to, "%*s", INDENT, "");
    help_print_text(list->to, row->help, INDENT, INDENT);
}

static const char *key_names(uint32_t k, const void *context)
{
    (void)context;
    ParamCursor at = param_first(SCENE_ROWS);
    while (at.row && k-- > 0) param_next(&at);
    return at.row ? at.row->key : NULL;
}

Result help_print_keys(FILE *to, const char *name)
{
    KeyList list = {.to = to, .name = name};
    TRY(each_scene_key(print_key, &list));
    if (list.found) return result_ok();
    const char *nearest = nearest_name(name, key_names, NULL);
    return result_error(RESULT_USAGE, "\"%.60s\" is not a key of scenes%s%s%s (pbf help keys lists them)",
                        name, nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

// --- completion ---

typedef struct KeyNames {
    FILE *to;
    const OptionUse *use;
} KeyNames;

static bool is_mapping(const ParamRow *row)
{
    return row->kind == PARAM_SECTION || row->kind == PARAM_LIST;
}

// The first item stands for all of a list.
static void print_name(const char *key, const ParamRow *row, const void *member, void *context)
{
    const KeyNames *names = context;
    (void)member;
    if (is_mapping(row) || !option_takes(names->use, key)) return;
    for (const char *c = key; *c; c++) fputc(*c == 'N' ? '0' : *c, names->to);
    fputc(' ', names->to);
}

Result help_print_key_names(FILE *to, const OptionUse *use)
{
    return each_scene_key(print_name, &(KeyNames){to, use});
}

// --- Markdown ---

typedef struct KeyTable {
    FILE *to;
    const char *section; // "" for the keys of the top level
} KeyTable;

static void print_row(const char *key, const ParamRow *row, const void *member, void *context)
{
    const KeyTable *table = context;
    const KeyText text = key_text(row, member, "`");
    if (!table->section[0]) {
        if (strchr(key, '.')) return;
        if (is_mapping(row)) {
            fprintf(table->to, "| `%s` | %s | | | see [below](#%s) |\n", key, text.type, key);
            return;
        }
    } else {
        if (!begins_with(key, table->section) || !key[strlen(table->section)]) return;
        key += strlen(table->section) + 1;
        if (strncmp(key, "N.", 2) == 0) key += 2;
    }
    fprintf(table->to, "| `%s` | %s | %s | %s | %s |\n", key, text.type, text.standard, text.allowed,
            row->help ? row->help : "");
}

static Result print_table(FILE *to, const char *section)
{
    KeyTable table = {to, section};
    fputs("| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n", to);
    return each_scene_key(print_row, &table);
}

// "At most 1024 items. Each has exactly one of `box`, `sphere`."
static void print_items(FILE *to, const ParamRow *list)
{
    const char *separator = " Each has exactly one of ";
    fprintf(to, " At most %u items.", (unsigned)list->hi);
    for (const ParamRow *row = list->rows; row->key; row++) {
        if (!row->variant || strchr(row->key, '.')) continue;
        fprintf(to, "%s`%s`", separator, row->key);
        separator = ", ";
    }
    if (separator[0] == ',') fputc('.', to);
}

Result help_print_keys_markdown(FILE *to)
{
    fputs("## Top level\n\n", to);
    TRY(print_table(to, ""));
    for (ParamCursor at = param_first(SCENE_ROWS); at.row; param_next(&at)) {
        if (!is_mapping(at.row) || strchr(at.row->key, '.')) continue;
        fprintf(to, "\n## `%s`\n\n%s", at.row->key, at.row->help);
        if (at.row->kind == PARAM_LIST) print_items(to, at.row);
        fputs("\n\n", to);
        TRY(print_table(to, at.row->key));
    }
    return result_ok();
}
