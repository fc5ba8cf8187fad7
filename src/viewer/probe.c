#include "viewer/probe.h"

#include "render/legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const float DOT_LEAST = 2;                                         // common px
static const float MARK_LEAST = 5, MARK_LINE = 2, AWAY = 16, MARGIN = 12; // common px

enum { ROWS_MAX = 3 + FIELD_COUNT };

typedef struct Row {
    const char *name;
    char text[64];
} Row;

static uint32_t find(const FrameView *view, uint32_t id)
{
    for (uint32_t k = 0; k < view->count; k++) {
        if (view->id[k] == id) return k;
    }
    return UINT32_MAX;
}

// The frame reduced to one of its particles.
static FrameView alone(const FrameView *view, uint32_t particle)
{
    FrameView one = *view;
    for (int k = 0; k < PARTICLE_STREAM_COUNT; k++)
        one.stream[k] = (const uint32_t *)one.stream[k] + particle;
    one.count = 1;
    return one;
}

static uint32_t list_rows(const FrameView *one, Row rows[ROWS_MAX])
{
    uint32_t count = 0;
    Vec3 at = vec3_add(one->origin, vec3_make(*one->x, *one->y, *one->z));
    rows[count].name = "particle";
    legend_count(rows[count].text, sizeof rows->text, *one->id);
    rows[++count].name = "position";
    snprintf(rows[count].text, sizeof rows->text, "%.3f, %.3f, %.3f m", (double)at.x, (double)at.y,
             (double)at.z);
    rows[++count].name = "velocity";
    snprintf(rows[count].text, sizeof rows->text, "%.3f, %.3f, %.3f m/s", (double)*one->vx, (double)*one->vy,
             (double)*one->vz);
    count++;
    for (int k = 0; k < FIELD_COUNT; k++) {
        const ParticleAttribute *field = particle_attribute((FieldKey)k);
        float value;
        if (!field->probe) continue;
        frame_view_field(one, (FieldKey)k, &value);
        rows[count].name = field->label;
        snprintf(rows[count++].text, sizeof rows->text, field->probe, field->probe_scale * (double)value);
    }
    return count;
}

static void draw_rows(Gui *gui, const Row *rows, uint32_t count, float x, float y, Frame frame, float unit)
{
    float names = 0, texts = 0, line = gui_line_height(gui), pad = 8 * unit;
    for (uint32_t k = 0; k < count; k++) {
        names = fmaxf(names, gui_text_width(gui, rows[k].name));
        texts = fmaxf(texts, gui_text_width(gui, rows[k].text));
    }
    float width = names + texts + 3.5f * pad, height = line * (float)count + 2 * pad;
    float right = frame.x + frame.width - MARGIN * unit, bottom = frame.y + frame.height - MARGIN * unit;
    float x0 = x + AWAY * unit, y0 = y - 0.5f * height;
    if (x0 + width > right) x0 = x - AWAY * unit - width;
    x0 = fmaxf(fminf(x0, right - width), frame.x + MARGIN * unit);
    y0 = fmaxf(fminf(y0, bottom - height), frame.y + MARGIN * unit);
    gui_draw_over_panels(gui, true);
    gui_draw_box(gui, x0, y0, x0 + width, y0 + height, 5 * unit, gui_color(gui, TINT_LABEL_GROUND));
    for (uint32_t k = 0; k < count; k++) {
        float at = y0 + pad + line * (float)k;
        gui_draw_text(gui, x0 + pad, at, 0, gui_color(gui, TINT_LABEL_DIM), rows[k].name);
        gui_draw_text(gui, x0 + 2.5f * pad + names, at, 0, gui_color(gui, TINT_LABEL_TEXT), rows[k].text);
    }
    gui_draw_over_panels(gui, false);
}

static void draw_mark(Gui *gui, float x, float y, float half, float line)
{
    GuiColor mark = gui_color(gui, TINT_PICKED);
    gui_draw_box(gui, x - half, y - half, x + half, y - half + line, 0, mark);
    gui_draw_box(gui, x - half, y + half - line, x + half, y + half, 0, mark);
    gui_draw_box(gui, x - half, y - half, x - half + line, y + half, 0, mark);
    gui_draw_box(gui, x + half - line, y - half, x + half, y + half, 0, mark);
}

// Dots on all particles within the radius, those at its edge fainter.
static void draw_neighbors(Gui *gui, const FrameView *frame, const FrameView *one, const View *view,
                           Frame place, float unit)
{
    for (uint32_t k = 0; k < frame->count; k++) {
        float x, y, depth, dx = frame->x[k] - *one->x, dy = frame->y[k] - *one->y, dz = frame->z[k] - *one->z;
        float share = sqrtf(dx * dx + dy * dy + dz * dz) / frame->radius;
        if (share >= 1 || share == 0) continue;
        if (!view_project(view, vec3_make(frame->x[k], frame->y[k], frame->z[k]), &x, &y, &depth)) continue;
        if (fabsf(x) >= 1 || fabsf(y) >= 1) continue;
        float px = frame_px(place, x), py = frame_py(place, y);
        float half =
            fmaxf(0.2f * frame->spacing / (depth * view->tan_y) * 0.5f * place.height, DOT_LEAST * unit);
        GuiColor color = gui_color(gui, TINT_NEIGHBOR);
        color.a = 1 - 0.6f * share;
        gui_draw_box(gui, px - half, py - half, px + half, py + half, half, color);
    }
}

static void draw_side(const Probe *probe, Gui *gui, int side)
{
    Row rows[ROWS_MAX];
    const FrameView *frame = &probe->playback->snapshot->side[side].view;
    const View *view = picture_view(probe->picture, side);
    float unit = screen_unit(probe->screen), x, y, depth;
    Frame place = picture_frame(probe->picture, side);
    uint32_t particle = find(frame, probe->id);
    if (particle == UINT32_MAX) {
        rows[0].name = "particle";
        legend_count(rows[0].text, sizeof rows->text, probe->id);
        strcat(rows[0].text, " has left");
        draw_rows(gui, rows, 1, place.x + 0.5f * place.width, place.y + 0.5f * place.height, place, unit);
        return;
    }
    FrameView one = alone(frame, particle);
    bool ahead = view_project(view, vec3_make(*one.x, *one.y, *one.z), &x, &y, &depth);
    bool cut = clip_hides(&probe->look->clip, vec3_make(*one.x, *one.y, *one.z));
    bool seen = ahead && !cut && fabsf(x) < 1 && fabsf(y) < 1;
    if (!ahead) x = 0, y = -1;
    float px = frame_px(place, x), py = frame_py(place, y);
    float half = 0.5f * frame->spacing / (depth * view->tan_y) * 0.5f * place.height;
    if (probe->look->around) draw_neighbors(gui, frame, &one, view, place, unit);
    if (seen) draw_mark(gui, px, py, fmaxf(1.3f * half, MARK_LEAST * unit), MARK_LINE * unit);
    draw_rows(gui, rows, list_rows(&one, rows), px, py, place, unit);
}

void probe_draw(const Probe *probe, Gui *gui)
{
    if (!probe->on || !picture_is_there(probe->picture)) return;
    for (int side = 0; side < picture_count(probe->picture); side++) draw_side(probe, gui, side);
}

// Cells belong to the picture.
static void tell_look(const Probe *probe)
{
    Look *look = probe->look;
    if (look->around && (look->picked != probe->on || look->picked_id != probe->id))
        screen_redraw(probe->screen);
    look->picked = probe->on;
    look->picked_id = probe->id;
}

void probe_toggle_around(Probe *probe)
{
    probe->look->around = !probe->look->around;
    screen_say(probe->screen, probe->look->around ? probe->on ? "neighbors and the cells that are searched"
                                                              : "neighbors: click on a particle"
                                                  : "neighbors off");
    screen_redraw(probe->screen);
}

void probe_at(Probe *probe, float px, float py)
{
    int side;
    uint32_t particle;
    probe->on = picture_pick(probe->picture, px, py, &side, &particle);
    if (probe->on) probe->id = probe->playback->snapshot->side[side].view.id[particle];
    tell_look(probe);
}

void probe_ahead(Probe *probe)
{
    Frame frame = picture_frame(probe->picture, 0);
    if (probe->on || !picture_is_there(probe->picture)) {
        probe->on = false;
        tell_look(probe);
        screen_say(probe->screen, "particle numbers off");
        return;
    }
    probe_at(probe, frame.x + 0.5f * frame.width, frame.y + 0.5f * frame.height);
    if (probe->on)
        screen_say(probe->screen, "particle %u", probe->id);
    else
        screen_say(probe->screen, "no particle in the middle of the picture");
}
