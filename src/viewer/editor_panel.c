#include "viewer/editor_panel.h"

#include <stdio.h>
#include <string.h>

// The things by name; the one past the last stands for none.
static const char *thing_names(uint32_t k, const void *context)
{
    static char name[100]; // until the next call
    const Editor *editor = context;
    if (k >= editor->count) return NULL;
    size_t room = sizeof name - 8;
    scene_item_name(&editor->items[k], name, room);
    snprintf(name + strlen(name), 8, "##%u", k % 1000);
    return name;
}

static const char *kind_names(uint32_t k, const void *context)
{
    (void)context;
    return k == 0 ? "add ..." : editor_kind(k - 1);
}

// What a key means and allows: "radius: m, above 0 to 1e+05".
static void tip_of(const ParamRow *row, char *tip, size_t size)
{
    char meaning[300], allowed[120];
    param_tip(row, meaning, sizeof meaning);
    param_allowed(row, "", allowed, sizeof allowed);
    snprintf(tip, size, "%s%s%s (%s)%s%s", row->key, *meaning ? ": " : "", meaning, allowed,
             row->default_text ? "; not given: " : "", row->default_text ? row->default_text : "");
}

// Numbers of a row; true if the user has changed some.
static bool numbers(Gui *gui, const char *label, const ParamRow *row, void *member, const char *tip)
{
    float values[4];
    uint32_t count = row->length > 0 ? row->length : 1;
    for (uint32_t k = 0; k < count; k++) values[k] = (float)param_get(row, member, k);
    if (!gui_numbers(gui, label, values, count, tip)) return false;
    for (uint32_t k = 0; k < count; k++) {
        // What was not typed keeps all its digits.
        if (values[k] != (float)param_get(row, member, k)) param_set(row, member, k, (double)values[k]);
    }
    return true;
}

// A control of a row of a copy of the chosen thing.
static bool field(Gui *gui, const ParamRow *row, void *member)
{
    char tip[600], label[120];
    const char *dot = strrchr(row->key, '.');
    tip_of(row, tip, sizeof tip);
    snprintf(label, sizeof label, "%.40s##%.70s", dot ? dot + 1 : row->key, row->key);
    uint32_t choice;
    bool changed;
    switch (row->kind) {
    case PARAM_FLAG:
        return gui_check(gui, label, member);
    case PARAM_CHOICE:
        choice = *(unsigned *)member;
        changed = gui_choice(gui, label, &choice, row->names, NULL, false, tip);
        *(unsigned *)member = choice;
        return changed;
    case PARAM_TEXT:
        return gui_text_field(gui, label, member, row->size, tip);
    default:
        return row->length <= 4 && numbers(gui, label, row, member, tip);
    }
}

static void fields(Editor *editor, Gui *gui)
{
    SceneItem now = *editor_item(editor);
    bool changed = false;
    for (uint32_t k = 0; scene_item_row_at(&now, k); k++) {
        const ParamRow *row = scene_item_row_at(&now, k);
        changed |= field(gui, row, scene_item_member(&now, row));
    }
    if (!now.placed && strcmp(now.list, "camera") != 0)
        gui_text(gui, TONE_DIM, "keyframes in the file place it");
    if (changed) editor_set(editor, &now);
}

void editor_panel(Editor *editor, Gui *gui)
{
    uint32_t chosen = editor->chosen, kind = 0;
    if (gui_choice(gui, "thing", &chosen, thing_names, editor, false, "a click in the picture, I: the next"))
        editor->chosen = chosen;
    gui_text_field(gui, "mesh file", editor->mesh, sizeof editor->mesh,
                   "a path from the scene's folder, for the meshes that are added; Enter takes it");
    if (gui_choice(gui, "add", &kind, kind_names, NULL, false, "a new thing in the middle") && kind > 0)
        editor_add(editor, kind - 1);
    if (gui_button(gui, "repeat", "a copy in the same place")) editor_repeat(editor);
    gui_same_line_for(gui, "take away");
    if (gui_button(gui, "take away", "Delete")) editor_remove(editor);
    gui_same_line_for(gui, "camera from here");
    if (gui_button(gui, "camera from here", "the scene's camera becomes the window's"))
        editor_place_camera(editor);
    if (editor_item(editor)) fields(editor, gui);
}
