#include "viewer/editor.h"

#include "core/memory.h"
#include "scene/scene_edit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const float REACH = 9;          // common px, of a handle
static const float ARROW = 95;         // common px
static const float TURN_FINE = 1;      // degrees
static const float TURN_COARSE = 15;   // with snapping
static const float ADDED_SHARE = 0.2f; // size of a new thing against the scene's smallest side

// --- the draft ---

static void forget_items(Editor *editor)
{
    memory_free(editor->items);
    editor->items = NULL;
    editor->count = 0;
    editor->drag.handle.kind = HANDLE_NONE;
}

void editor_free(Editor *editor)
{
    forget_items(editor);
    scene_source_free(&editor->draft);
    shared_scene_release(editor->scene);
    editor->scene = NULL;
}

static void leave(Editor *editor)
{
    editor->on = false;
    editor_free(editor);
    screen_redraw(editor->screen);
}

static void take_draft(Editor *editor, SharedScene *scene)
{
    scene_source_free(&editor->draft);
    shared_scene_release(editor->scene);
    editor->scene = scene;
    editor->ahead = false;
    Result result = scene_source_copy(&scene->def.source, &editor->draft);
    forget_items(editor);
    editor->screen->controls_stale = true;
    if (result_is_ok(&result)) result = scene_items_read(&editor->draft, &editor->items, &editor->count);
    screen_say_error(editor->screen, &result);
    if (!result_is_ok(&result)) leave(editor);
}

void editor_follow(Editor *editor)
{
    if (!editor->on) return;
    SimulationStatus status = simulation_status(editor->playback->simulation);
    if (status.playing) leave(editor);
    if (status.playing || status.loading || editor->drag.handle.kind) return;
    SharedScene *now = simulation_scene(editor->playback->simulation);
    if (now != editor->scene || editor->ahead)
        take_draft(editor, now);
    else
        shared_scene_release(now);
}

void editor_toggle(Editor *editor)
{
    Simulation *simulation = editor->playback->simulation;
    if (editor->on) {
        leave(editor);
        screen_say(editor->screen, "the scene is as edited; Ctrl+Shift+S saves it");
        return;
    }
    SimulationStatus status = simulation_status(simulation);
    if (status.comparing) simulation_compare_end(simulation);
    if (status.playing) simulation_play(simulation, false);
    if (editor->playback->snapshot->side[0].view.report.step > 0) simulation_reset(simulation);
    editor->on = true;
    editor->chosen = UINT32_MAX;
    screen_say(editor->screen, "click a thing, drag its handles (Ctrl: to the spacing); Ctrl+Z takes back");
    screen_redraw(editor->screen);
    editor_follow(editor);
}

bool editor_is_unsaved(const Editor *editor)
{
    SharedScene *scene = simulation_scene(editor->playback->simulation);
    bool edited = scene->def.source.edited;
    shared_scene_release(scene);
    return edited && editor->kept != editor->playback->facts.number;
}

// A source of that text, with the same files.
static Result source_of(const SceneSource *before, const char *text, SceneSource *out)
{
    TRY(scene_source_from_text(before->path, text, strlen(text), out));
    Result result = result_ok();
    for (uint32_t k = 0; k < before->file_count && result_is_ok(&result); k++)
        result =
            scene_source_add_file(out, before->files[k].name, before->files[k].text, before->files[k].bytes);
    out->edited = true;
    if (!result_is_ok(&result)) scene_source_free(out);
    return result;
}

// The text becomes the draft, and goes to the simulation.
static Result take_text(Editor *editor, const char *text)
{
    uint32_t count = 0;
    SceneItem *items = NULL;
    SceneSource sent = {0}, draft;
    TRY(source_of(&editor->draft, text, &draft));
    Result result = scene_items_read(&draft, &items, &count);
    if (result_is_ok(&result)) result = source_of(&draft, text, &sent);
    if (!result_is_ok(&result)) {
        memory_free(items);
        scene_source_free(&draft);
        return result;
    }
    forget_items(editor);
    scene_source_free(&editor->draft);
    editor->draft = draft;
    editor->items = items;
    editor->count = count;
    editor->ahead = true;
    simulation_edit(editor->playback->simulation, &sent);
    return result_ok();
}

static void finish(Editor *editor, Result result, char *text)
{
    if (result_is_ok(&result)) result = take_text(editor, text);
    memory_free(text);
    screen_say_error(editor->screen, &result);
    editor->screen->controls_stale = true;
}

// Writes settings into the draft.
static Result write_settings(const Editor *editor, const SceneItem *before, const SceneItem *now,
                             const SceneOverride *set, char **text)
{
    uint32_t changed = 0;
    SceneSource source;
    *text = NULL;
    TRY(scene_source_copy(&editor->draft, &source));
    Result result = set ? scene_source_set(&source, set, 1) : scene_item_set(before, now, &source, &changed);
    if (result_is_ok(&result)) result = scene_edited_text(&source, text);
    scene_source_free(&source);
    return result;
}

// --- the chosen thing ---

const SceneItem *editor_item(const Editor *editor)
{
    return editor->chosen < editor->count ? &editor->items[editor->chosen] : NULL;
}

void editor_choose_next(Editor *editor)
{
    char name[100] = "nothing";
    editor->chosen = editor->chosen + 1 < editor->count ? editor->chosen + 1 : 0;
    if (editor_item(editor)) scene_item_name(editor_item(editor), name, sizeof name);
    screen_say(editor->screen, "%s", name);
}

void editor_set(Editor *editor, const SceneItem *changed)
{
    char *text;
    const SceneItem *before = editor_item(editor);
    if (!before) return;
    Result result = write_settings(editor, before, changed, NULL, &text);
    finish(editor, result, text);
}

void editor_nudge(Editor *editor, int right, int away, int up)
{
    const SceneItem *item = editor_item(editor);
    if (!item || !item->placed || !picture_is_there(editor->picture)) return;
    SceneItem moved = *item;
    const View *view = picture_view(editor->picture, 0);
    // The level axis that is nearest to what the camera has on its right.
    bool x = fabsf(view->right.x) >= fabsf(view->right.y);
    float side = (x ? view->right.x : view->right.y) < 0 ? -1 : 1,
          step = editor->playback->facts.fluid.spacing;
    Vec3 sideways = x ? vec3_make(side, 0, 0) : vec3_make(0, side, 0);
    Vec3 ahead = x ? vec3_make(0, side, 0) : vec3_make(-side, 0, 0);
    Vec3 way = vec3_add(vec3_scale(sideways, (float)right), vec3_scale(ahead, (float)away));
    scene_item_move(&moved, vec3_scale(vec3_add(way, vec3_make(0, 0, (float)up)), step));
    editor_set(editor, &moved);
}

void editor_place_camera(Editor *editor)
{
    char *text;
    SceneItem *eye = editor->count > 1 ? &editor->items[editor->count - 2] : NULL;
    if (!eye || !editor->camera->moved) {
        screen_say(editor->screen, "move the camera first");
        return;
    }
    SceneItem now = *eye;
    CameraDef seen = camera_now(editor->camera);
    now.def.camera.eye = seen.eye;
    now.def.camera.target = seen.target;
    now.def.camera.fov = seen.fov;
    Result result = write_settings(editor, eye, &now, NULL, &text);
    finish(editor, result, text);
}

static void whole_item(Editor *editor, bool repeat)
{
    char *text = NULL, name[100];
    const SceneItem *item = editor_item(editor);
    if (!item || strcmp(item->list, "camera") == 0) {
        screen_say(editor->screen, "nothing is chosen that can be %s", repeat ? "repeated" : "taken away");
        return;
    }
    scene_item_name(item, name, sizeof name);
    Result result = scene_item_text(&editor->draft, item->list, item->index, repeat, &text);
    bool done = result_is_ok(&result);
    finish(editor, result, text);
    if (!done) return;
    editor->chosen = repeat ? editor->chosen + 1 : UINT32_MAX;
    screen_say(editor->screen, repeat ? "%s, once more in the same place" : "%s is taken away", name);
}

void editor_repeat(Editor *editor)
{
    whole_item(editor, true);
}

void editor_remove(Editor *editor)
{
    whole_item(editor, false);
}

// --- new things ---

// What is written for a new thing at a place C of a size S (both m).
typedef struct NewThing {
    const char *name, *list;
    const char *text; // $x $y $z: its center; $l $m $n and $u $v $w: corners; $s, $r: whole and half size
} NewThing;

static const NewThing new_things[] = {
    {"water: box", "water", "{box: {min: [$l, $m, $n], max: [$u, $v, $w]}}"},
    {"water: sphere", "water", "{sphere: {center: [$x, $y, $z], radius: $r}}"},
    {"water: mesh", "water", "{mesh: {file: \"$f\", position: [$x, $y, $z]}}"},
    {"obstacle: box", "obstacles", "{box: {size: [$s, $s, $s]}, position: [$x, $y, $z]}"},
    {"obstacle: sphere", "obstacles", "{sphere: {radius: $r}, position: [$x, $y, $z]}"},
    {"obstacle: cylinder", "obstacles", "{cylinder: {radius: $r, height: $s}, position: [$x, $y, $z]}"},
    {"obstacle: mesh", "obstacles", "{mesh: {file: \"$f\"}, position: [$x, $y, $z]}"},
    {"emitter: disc", "emitters",
     "{disc: {radius: $r}, position: [$x, $y, $z], rotation: [180, 0, 0], speed: 2}"},
    {"emitter: rectangle", "emitters",
     "{rectangle: {width: $s, height: $s}, position: [$x, $y, $z], rotation: [180, 0, 0], speed: 2}"},
    {"drain: box", "drains", "{box: {size: [$s, $s, $s]}, position: [$x, $y, $z]}"},
};

const char *editor_kind(uint32_t k)
{
    return k < sizeof new_things / sizeof *new_things ? new_things[k].name : NULL;
}

// The number that a letter stands for.
static float number_for(char letter, Vec3 center, float size)
{
    const float c[3] = {center.x, center.y, center.z};
    const char *letters = "xyzlmnuvw", *at = strchr(letters, letter);
    if (letter == 's') return size;
    if (letter == 'r') return 0.5f * size;
    size_t k = (size_t)(at - letters);
    return c[k % 3] + (k < 3 ? 0 : k < 6 ? -0.5f : 0.5f) * size;
}

static void fill_in(const char *text, Vec3 center, float size, const char *file, char *out, size_t bytes)
{
    size_t used = 0;
    for (; *text && used + 1 < bytes; text++) {
        if (*text != '$') {
            out[used++] = *text;
            continue;
        }
        text++;
        if (*text == 'f')
            used += (size_t)snprintf(out + used, bytes - used, "%s", file);
        else
            used +=
                (size_t)snprintf(out + used, bytes - used, "%.5g", (double)number_for(*text, center, size));
    }
    out[used < bytes ? used : bytes - 1] = '\0';
}

void editor_add(Editor *editor, uint32_t k)
{
    char key[40], value[360], *text = NULL;
    const NewThing *thing = &new_things[k];
    bool mesh = strchr(thing->text, 'f') && strstr(thing->text, "$f");
    if (mesh && (!editor->mesh[0] || strlen(editor->mesh) > 200 || strpbrk(editor->mesh, "\"\\"))) {
        screen_say(editor->screen, editor->mesh[0]
                                       ? "a path of at most 200 characters without quotes is needed"
                                       : "which file? (its path, beside the kinds of things)");
        return;
    }
    uint32_t index = 0;
    for (uint32_t item = 0; item < editor->count; item++)
        index += strcmp(editor->items[item].list, thing->list) == 0;
    float step = editor->playback->facts.fluid.spacing;
    Box3 bounds = editor->playback->bounds;
    Vec3 size = vec3_sub(bounds.hi, bounds.lo), middle = vec3_scale(vec3_add(bounds.lo, bounds.hi), 0.5f);
    middle = vec3_add(middle, editor->playback->snapshot->side[0].view.origin);
    middle = vec3_make(snapped(middle.x, step), snapped(middle.y, step), snapped(middle.z, step));
    float length = fmaxf(snapped(ADDED_SHARE * fminf(size.x, fminf(size.y, size.z)), 2 * step), 2 * step);
    snprintf(key, sizeof key, "%s.%u", thing->list, index);
    fill_in(thing->text, middle, length, editor->mesh, value, sizeof value);
    Result result = write_settings(editor, NULL, NULL, &(SceneOverride){key, value}, &text);
    finish(editor, result, text);
    for (uint32_t item = 0; item < editor->count; item++) {
        if (strcmp(editor->items[item].list, thing->list) == 0 && editor->items[item].index == index)
            editor->chosen = item;
    }
}

// --- the mouse ---

View editor_view(const Editor *editor)
{
    View view = *picture_view(editor->picture, 0);
    view.eye = vec3_add(view.eye, editor->playback->snapshot->side[0].view.origin);
    return view;
}

static Ray ray_at(const Editor *editor, const View *view, float px, float py)
{
    float x, y;
    picture_place(editor->picture, px, py, &x, &y);
    return ray_through(view, x, y);
}

const SceneItem *editor_shown(const Editor *editor)
{
    return editor->drag.handle.kind ? &editor->dragged : editor_item(editor);
}

bool editor_handles(const Editor *editor, const View *view, Handles *handles)
{
    const SceneItem *item = editor_shown(editor);
    if (!item || !item->placed || !picture_is_there(editor->picture)) return false;
    ItemPlace place = scene_item_place(item);
    Frame frame = picture_frame(editor->picture, 0);
    float depth = vec3_dot(vec3_sub(place.pivot, view->eye), view->forward);
    *handles = (Handles){.center = place.pivot, .rotation = place.rotation, .half = place.half};
    handles->turns = place.turns && place.shape != ITEM_BALL;
    for (int axis = 0; axis < 3; axis++) handles->scales[axis] = place.scales[axis];
    handles->size = 2 * ARROW * screen_unit(editor->screen) / fmaxf(frame.height, 1) * depth * view->tan_y;
    return depth > view->near;
}

static Handle handle_at(const Editor *editor, const View *view, float px, float py)
{
    Handles handles;
    Frame frame = picture_frame(editor->picture, 0);
    if (!editor_handles(editor, view, &handles)) return (Handle){0};
    return handles_pick(&handles, view, frame, px, py, REACH * screen_unit(editor->screen));
}

bool editor_grab(Editor *editor, float px, float py)
{
    Handles handles;
    if (!editor->on || !picture_is_there(editor->picture)) return false;
    View view = editor_view(editor);
    Handle handle = handle_at(editor, &view, px, py);
    if (!handle.kind || !editor_handles(editor, &view, &handles)) return false;
    Ray ray = ray_at(editor, &view, px, py);
    editor->dragged = *editor_item(editor);
    return handle_drag_begin(&editor->drag, &handles, handle, &view, &ray);
}

void editor_drag(Editor *editor, float px, float py, bool snap)
{
    HandleMove move;
    View view = editor_view(editor);
    Ray ray = ray_at(editor, &view, px, py);
    const Handle *handle = &editor->drag.handle;
    const SceneItem *item = editor_item(editor);
    // Without the grid, numbers stay short ones.
    float fine = powf(10, floorf(log10f(editor->drag.at.size)) - 2);
    float step = snap ? editor->playback->facts.fluid.spacing : fine;
    if (!item || !handle_drag_to(&editor->drag, &view, &ray, step, snap ? TURN_COARSE : TURN_FINE, &move))
        return;
    editor->dragged = *item;
    if (handle->kind == HANDLE_MOVE) scene_item_move(&editor->dragged, move.offset);
    if (handle->kind == HANDLE_SCALE)
        scene_item_scale(&editor->dragged, handle->axis, handle->side, move.half, step);
    if (handle->kind == HANDLE_TURN) {
        Vec3 axis = vec3_make(handle->axis == 0, handle->axis == 1, handle->axis == 2);
        scene_item_turn(&editor->dragged, rotation_turned(scene_item_place(item).degrees, axis, move.angle));
    }
}

void editor_release(Editor *editor)
{
    if (!editor->drag.handle.kind) return;
    SceneItem dragged = editor->dragged;
    editor->drag.handle.kind = HANDLE_NONE;
    editor_set(editor, &dragged);
}

void editor_hover(Editor *editor, float px, float py)
{
    if (!editor->on || !picture_is_there(editor->picture)) return;
    View view = editor_view(editor);
    editor->hovered = handle_at(editor, &view, px, py);
}

void editor_choose_at(Editor *editor, float px, float py)
{
    char name[100] = "nothing is chosen";
    View view = editor_view(editor);
    Ray ray = ray_at(editor, &view, px, py);
    float nearest = INFINITY, least = 2 * REACH * screen_unit(editor->screen) * view.tan_y /
                                      fmaxf(picture_frame(editor->picture, 0).height, 1);
    editor->chosen = UINT32_MAX;
    for (uint32_t k = 0; k < editor->count; k++) {
        float t;
        ItemPlace place = scene_item_place(&editor->items[k]);
        if (!editor->items[k].placed) continue;
        // Flat and small things are as thick as the mouse is exact.
        float depth = vec3_dot(vec3_sub(place.center, view.eye), view.forward);
        float thick = fmaxf(least * depth, 1e-4f);
        Vec3 half = vec3_max(place.half, vec3_make(thick, thick, thick));
        bool ball = place.shape == ITEM_BALL;
        bool met = (ball ? ray_meets_ball : ray_meets_box)(&ray, place.center, place.rotation, half, &t);
        // What the eye is in (a box that drains all outside of it) is not meant.
        if (!met || t == 0 || t >= nearest) continue;
        nearest = t;
        editor->chosen = k;
    }
    if (editor_item(editor)) scene_item_name(editor_item(editor), name, sizeof name);
    screen_say(editor->screen, "%s", name);
}
