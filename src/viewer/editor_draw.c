#include "viewer/editor_draw.h"

#include <math.h>
#include <stdio.h>

static const GuiTint AXES[] = {TINT_AXIS_X, TINT_AXIS_Y, TINT_AXIS_Z, TINT_AXIS_SIGHT};
static const float LINE = 1.5f, KNOB = 5, TIP = 9, CROSS = 8; // common px

enum { ROUND = 32 }; // corners of a circle

// Where lines are drawn.
typedef struct Sheet {
    Gui *gui;
    View view;
    Frame frame;
    float unit;
} Sheet;

static bool place_of(const Sheet *sheet, Vec3 point, float out[2])
{
    float x, y, depth;
    out[0] = out[1] = NAN;
    if (!view_project(&sheet->view, point, &x, &y, &depth)) return false;
    out[0] = frame_px(sheet->frame, x);
    out[1] = frame_py(sheet->frame, y);
    return true;
}

static void lines(const Sheet *sheet, const Vec3 *points, uint32_t count, float width, GuiColor color)
{
    float places[HANDLE_POINTS_MAX][2];
    for (uint32_t k = 0; k < count; k++) place_of(sheet, points[k], places[k]);
    gui_draw_lines(sheet->gui, (const float(*)[2])places, count, width * sheet->unit, color);
}

// A point of a thing, by its half lengths.
static Vec3 corner(const ItemPlace *place, float x, float y, float z)
{
    Vec3 own = vec3_mul(place->half, vec3_make(x, y, z));
    return vec3_add(place->center, mat3_apply(place->rotation, own));
}

static void draw_box(const Sheet *sheet, const ItemPlace *place, GuiColor color)
{
    for (int axis = 0; axis < 3; axis++) {
        for (int edge = 0; edge < 4; edge++) {
            Vec3 ends[2];
            for (int end = 0; end < 2; end++) {
                float at[3];
                at[axis] = end ? 1 : -1;
                at[(axis + 1) % 3] = edge & 1 ? 1 : -1;
                at[(axis + 2) % 3] = edge & 2 ? 1 : -1;
                ends[end] = corner(place, at[0], at[1], at[2]);
            }
            lines(sheet, ends, 2, LINE, color);
        }
    }
}

// A circle about the thing's own axis, at a height along it (of half lengths).
static void draw_circle(const Sheet *sheet, const ItemPlace *place, int axis, float height, GuiColor color)
{
    Vec3 points[ROUND + 1];
    for (int k = 0; k <= ROUND; k++) {
        float angle = 6.2831853f * (float)k / ROUND, at[3];
        at[axis] = height;
        at[(axis + 1) % 3] = cosf(angle);
        at[(axis + 2) % 3] = sinf(angle);
        points[k] = corner(place, at[0], at[1], at[2]);
    }
    lines(sheet, points, ROUND + 1, LINE, color);
}

static void draw_cylinder(const Sheet *sheet, const ItemPlace *place, GuiColor color)
{
    draw_circle(sheet, place, 2, -1, color);
    draw_circle(sheet, place, 2, 1, color);
    for (int k = 0; k < 4; k++) {
        float x = k % 2 ? 0 : (float)(1 - k), y = k % 2 ? (float)(2 - k) : 0;
        lines(sheet, (const Vec3[2]){corner(place, x, y, -1), corner(place, x, y, 1)}, 2, LINE, color);
    }
}

static void draw_cross(const Sheet *sheet, Vec3 point, GuiColor color)
{
    float at[2], half = CROSS * sheet->unit;
    if (!place_of(sheet, point, at)) return;
    const float across[4][2] = {
        {at[0] - half, at[1]}, {at[0] + half, at[1]}, {at[0], at[1] - half}, {at[0], at[1] + half}};
    gui_draw_lines(sheet->gui, across, 2, LINE * sheet->unit, color);
    gui_draw_lines(sheet->gui, across + 2, 2, LINE * sheet->unit, color);
}

static void draw_item(const Sheet *sheet, const SceneItem *item, GuiColor color)
{
    if (!item->placed) return;
    ItemPlace place = scene_item_place(item);
    switch (place.shape) {
    case ITEM_POINT:
        draw_cross(sheet, place.center, color);
        break;
    case ITEM_BOX:
        draw_box(sheet, &place, color);
        break;
    case ITEM_BALL:
        for (int axis = 0; axis < 3; axis++) draw_circle(sheet, &place, axis, 0, color);
        break;
    case ITEM_CYLINDER:
        draw_cylinder(sheet, &place, color);
        break;
    }
}

// --- handles ---

static void square(const Sheet *sheet, const float at[2], float half, GuiColor color)
{
    half *= sheet->unit;
    gui_draw_box(sheet->gui, at[0] - half, at[1] - half, at[0] + half, at[1] + half, 2 * sheet->unit, color);
}

// The two barbs of an arrow.
static void draw_tip(const Sheet *sheet, const Vec3 line[2], float width, GuiColor color)
{
    float from[2], to[2];
    if (!place_of(sheet, line[0], from) || !place_of(sheet, line[1], to)) return;
    float x = to[0] - from[0], y = to[1] - from[1], length = hypotf(x, y), tip = TIP * sheet->unit;
    if (length < tip) return;
    x *= tip / length, y *= tip / length;
    const float barbs[3][2] = {{to[0] - x - 0.6f * y, to[1] - y + 0.6f * x},
                               {to[0], to[1]},
                               {to[0] - x + 0.6f * y, to[1] - y - 0.6f * x}};
    gui_draw_lines(sheet->gui, barbs, 3, width * sheet->unit, color);
}

static void draw_handle(const Sheet *sheet, const Handles *handles, Handle handle, bool lit)
{
    Vec3 points[HANDLE_POINTS_MAX];
    float at[2], width = lit ? 2.5f * LINE : 1.5f * LINE;
    uint32_t count = handles_line(handles, handle, points);
    GuiColor color =
        gui_color(sheet->gui, handle.kind == HANDLE_SCALE ? TINT_THING_CHOSEN : AXES[handle.axis]);
    if (count > 1) {
        lines(sheet, points, count, width, color);
        if (handle.kind == HANDLE_MOVE) draw_tip(sheet, points, width, color);
    } else if (place_of(sheet, points[0], at)) {
        square(sheet, at, lit ? 1.5f * KNOB : KNOB + 1.5f, gui_color(sheet->gui, TINT_LABEL_GROUND));
        square(sheet, at, lit ? 1.3f * KNOB : KNOB, color);
    }
}

static bool same(Handle a, Handle b)
{
    return a.kind == b.kind && a.axis == b.axis && a.side == b.side;
}

// The numbers of what is dragged, beside it.
static void draw_numbers(const Sheet *sheet, const Editor *editor, const ItemPlace *place)
{
    char text[100];
    float at[2];
    Vec3 p = place->pivot, size = vec3_scale(place->half, 2), turned = place->degrees;
    if (!place_of(sheet, p, at)) return;
    if (editor->drag.handle.kind == HANDLE_MOVE)
        snprintf(text, sizeof text, "%.4g, %.4g, %.4g m", (double)p.x, (double)p.y, (double)p.z);
    else if (editor->drag.handle.kind == HANDLE_SCALE)
        snprintf(text, sizeof text, "%.4g x %.4g x %.4g m", (double)size.x, (double)size.y, (double)size.z);
    else
        snprintf(text, sizeof text, "%.4g, %.4g, %.4g degrees", (double)turned.x, (double)turned.y,
                 (double)turned.z);
    float width = gui_text_width(sheet->gui, text), line = gui_line_height(sheet->gui);
    float x = at[0] + 3 * TIP * sheet->unit, y = at[1] + 3 * TIP * sheet->unit, pad = 5 * sheet->unit;
    gui_draw_box(sheet->gui, x - pad, y - pad, x + width + pad, y + line + pad, pad,
                 gui_color(sheet->gui, TINT_LABEL_GROUND));
    gui_draw_text(sheet->gui, x, y, 0, gui_color(sheet->gui, TINT_LABEL_TEXT), text);
}

void editor_draw(const Editor *editor, Gui *gui)
{
    Handles handles;
    if (!editor->on || !picture_is_there(editor->picture)) return;
    Sheet sheet = {gui, editor_view(editor), picture_frame(editor->picture, 0), screen_unit(editor->screen)};
    const SceneItem *chosen = editor_shown(editor);
    for (uint32_t k = 0; k < editor->count; k++) {
        if (k != editor->chosen) draw_item(&sheet, &editor->items[k], gui_color(gui, TINT_THING));
    }
    if (!chosen) return;
    draw_item(&sheet, chosen, gui_color(gui, TINT_THING_CHOSEN));
    bool dragging = editor->drag.handle.kind != HANDLE_NONE;
    Handle lit = dragging ? editor->drag.handle : editor->hovered;
    if (!editor_handles(editor, &sheet.view, &handles)) return;
    for (uint32_t k = 0; handles_at(&handles, k).kind; k++)
        draw_handle(&sheet, &handles, handles_at(&handles, k), same(handles_at(&handles, k), lit));
    ItemPlace place = scene_item_place(chosen);
    if (dragging) draw_numbers(&sheet, editor, &place);
}
