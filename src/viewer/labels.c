#include "viewer/labels.h"

#include "core/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const float MARGIN = LAYOUT_MARGIN, ROOM_MIN = 300; // common px

enum { LINES_MAX = 8, LINE_BYTES = 320 };

typedef struct Lines {
    char text[LINES_MAX][LINE_BYTES];
    uint32_t count;
    float width; // px, of the widest
} Lines;

// Number of bytes of a text that fit into a line, and where the next line begins. Breaks between words, or
// after a slash in a word longer than a line.
static size_t line_length(Gui *gui, const char *text, float room, const char **next)
{
    char line[LINE_BYTES] = "";
    size_t length = 0, word = 0, slash = 0;
    while (text[length] && length + 1 < sizeof line) {
        line[length] = text[length];
        if (length > 0 && gui_text_width(gui, line) > room) break;
        if (text[length] == ' ') word = length;
        length++;
        if (text[length - 1] == '/') slash = length;
    }
    *next = text + length;
    if (!text[length]) return length;
    if (word > 0) length = word;
    if (word == 0 && slash > 0) length = slash;
    *next = text + length + (word > 0);
    return length;
}

static void wrap(Gui *gui, const char *text, float room, Lines *lines)
{
    *lines = (Lines){0};
    while (*text && lines->count < LINES_MAX) {
        const char *next;
        char *line = lines->text[lines->count++];
        size_t length = line_length(gui, text, room, &next);
        memcpy(line, text, length);
        lines->width = fmaxf(lines->width, gui_text_width(gui, line));
        text = next;
    }
}

static float height_of(Gui *gui, const Lines *lines, float unit)
{
    return gui_line_height(gui) * (float)lines->count + 8 * unit;
}

// Lines on a rounded box, centered at x, from y on. Returns where the next box may begin.
static float box(Gui *gui, float x, float y, float unit, GuiTint ground, const Lines *lines)
{
    float half = 0.5f * lines->width + 10 * unit, height = height_of(gui, lines, unit);
    GuiColor ink = gui_color(gui, ground == TINT_LABEL_GROUND ? TINT_LABEL_TEXT : TINT_STATE_TEXT);
    gui_draw_box(gui, x - half, y, x + half, y + height, 5 * unit, gui_color(gui, ground));
    for (uint32_t k = 0; k < lines->count; k++)
        gui_draw_text(gui, x, y + 4 * unit + gui_line_height(gui) * (float)k, 0.5f, ink, lines->text[k]);
    return y + height + 6 * unit;
}

static float label(Gui *gui, float x, float y, float unit, GuiTint ground, const char *text)
{
    Lines lines;
    wrap(gui, text, INFINITY, &lines);
    return box(gui, x, y, unit, ground, &lines);
}

// At the upper edge, in the window's middle or as near to it as numbers and panel leave room; on the panel's
// title if they leave none.
static float state_label(const Viewer *viewer, float y, float unit, GuiTint ground, const char *text)
{
    Layout layout = controls_layout(&viewer->controls);
    Gui *gui = viewer->controls.gui;
    float width = (float)viewer->screen.width, half = 0.5f * gui_text_width(gui, text) + 2 * MARGIN * unit;
    float lo = layout.lo * unit + half, hi = layout.hi * unit - half;
    float x = lo > hi ? 0.5f * (layout.hi * unit + width) : fminf(fmaxf(0.5f * width, lo), hi);
    gui_draw_over_panels(gui, lo > hi);
    y = label(gui, x, y, unit, ground, text);
    gui_draw_over_panels(gui, false);
    return y;
}

// Errors stay on the screen, between numbers and panel if there is room, else over them.
static void show_error(const Viewer *viewer, float y, float unit, const char *text)
{
    Lines lines;
    Layout layout = controls_layout(&viewer->controls);
    Gui *gui = viewer->controls.gui;
    float lo = layout.lo * unit, hi = layout.hi * unit;
    if (hi - lo < ROOM_MIN * unit) lo = 0, hi = (float)viewer->screen.width;
    wrap(gui, text, hi - lo - 4 * MARGIN * unit, &lines);
    gui_draw_over_panels(gui, true);
    box(gui, 0.5f * (lo + hi), y, unit, TINT_BAD, &lines);
    gui_draw_over_panels(gui, false);
}

// At the picture's lower edge, above the color bar if that would be covered.
static void show_message(const Viewer *viewer, float unit)
{
    Lines lines;
    Frame frame = picture_frame(&viewer->picture, 0);
    Layout layout = controls_layout(&viewer->controls);
    Gui *gui = viewer->controls.gui;
    float bar = layout.bar;
    wrap(gui, viewer->screen.message, (float)viewer->screen.width - 4 * MARGIN * unit, &lines);
    // In the middle, or left of the panel if there is room.
    float half = 0.5f * lines.width + 2 * MARGIN * unit, x = 0.5f * (float)viewer->screen.width;
    if (2 * half <= layout.hi * unit) x = fminf(x, layout.hi * unit - half);
    float bottom = frame.height - 2 * MARGIN * unit;
    // The window's own bar, or that of a recorded picture, which grows with the picture.
    bool recorded = viewer->picture.has_legend;
    float right = recorded ? 0.3f * frame.width : (bar + 4 * MARGIN) * unit;
    float high = recorded ? 0.2f * frame.height : layout_bar_height(gui_line_height(gui) / unit) * unit;
    if ((recorded || bar > 0) && x - 0.5f * lines.width < right) bottom -= high;
    gui_draw_over_panels(gui, true);
    box(gui, x, bottom - height_of(gui, &lines, unit), unit, TINT_LABEL_GROUND, &lines);
    gui_draw_over_panels(gui, false);
}

void labels_draw_one(const Viewer *viewer, float y, const char *text)
{
    Gui *gui = viewer->controls.gui;
    label(gui, 0.5f * (float)viewer->screen.width, y * (float)viewer->screen.height,
          screen_unit(&viewer->screen), TINT_LABEL_GROUND, text);
}

// Where a side's name is in the middle: its half of the window, also where both sides take all of it.
static Frame side_frame(const Picture *picture, int side)
{
    Frame frame = picture_frame(picture, side);
    if (picture_frame(picture, 0).x != picture_frame(picture, 1).x) return frame;
    frame.width *= 0.5f;
    frame.x += (float)side * frame.width;
    return frame;
}

// The texts that the captions of a larger window have.
static void name_sides(const Viewer *viewer, float unit)
{
    static const GuiTint moods[] = {
        [SPLIT_BAD] = TINT_BAD, [SPLIT_GOOD] = TINT_GOOD, [SPLIT_PLAIN] = TINT_LABEL_GROUND};
    Gui *gui = viewer->controls.gui;
    const SplitText *text = &viewer->playback.snapshot->text;
    float below = 0;
    for (int side = 0; side < 2; side++) {
        Frame frame = side_frame(&viewer->picture, side);
        Lines lines;
        wrap(gui, text->title[side], frame.width - 2 * MARGIN * unit, &lines);
        float x = frame.x + 0.5f * frame.width;
        below = fmaxf(below, box(gui, x, 3 * MARGIN * unit, unit, TINT_LABEL_GROUND, &lines));
    }
    Lines lines;
    float width = (float)viewer->screen.width;
    wrap(gui, text->verdict, width - 2 * MARGIN * unit, &lines);
    box(gui, 0.5f * width, below + MARGIN * unit, unit, moods[text->mood], &lines);
}

// What a picture is that is not as fine as it gets, in its lower right corner.
static void show_quality(const Viewer *viewer, float unit, const char *text)
{
    Gui *gui = viewer->controls.gui;
    bool light = viewer->look.def.style == STYLE_PARTICLES || look_shows_difference(&viewer->look);
    GuiTint ink = light ? TINT_QUALITY : TINT_QUALITY_ON_DARK;
    Frame frame = picture_frame(&viewer->picture, 1);
    gui_draw_text(gui, frame.x + frame.width - MARGIN * unit,
                  frame.y + frame.height - 0.5f * MARGIN * unit - gui_line_height(gui), 1,
                  gui_color(gui, ink), text);
}

static void tell_quality(const Viewer *viewer, float unit)
{
    char text[48];
    uint32_t samples = picture_samples(&viewer->picture), of = viewer->look.def.photo.samples;
    if (samples > 0 && !viewer->picture.photo[0].done) {
        snprintf(text, sizeof text, "photograph, %u of %u samples", samples, of);
        show_quality(viewer, unit, text);
    } else if (samples == 0 && viewer->picture.pacing.shown_scale < 1) {
        show_quality(viewer, unit, "preview");
    }
}

void labels_draw(const Viewer *viewer)
{
    const Screen *screen = &viewer->screen;
    const Playback *playback = &viewer->playback;
    const Recorder *recorder = viewer->recording.recorder;
    SimulationStatus status = simulation_status(playback->simulation);
    float unit = screen_unit(screen), y = MARGIN * unit;
    char text[32];
    if (playback_is_split(playback) && !split_has_captions(screen->width, screen->height))
        name_sides(viewer, unit);
    if (!status.playing && !playback->shows_loading) y = state_label(viewer, y, unit, TINT_PAUSED, "PAUSED");
    if (playback->shows_loading) y = state_label(viewer, y, unit, TINT_LABEL_GROUND, "LOADING");
    if (recorder->kind != RECORD_NONE) {
        snprintf(text, sizeof text, "REC  %u", recorder->frames);
        y = state_label(viewer, y, unit, TINT_BAD, text);
    }
    if (viewer->hand.on) y = state_label(viewer, y, unit, TINT_LABEL_GROUND, "HAND");
    if (viewer->editor.on) y = state_label(viewer, y, unit, TINT_LABEL_GROUND, "SCENE BY HAND");
    bool failed = !result_is_ok(&status.error), said = clock_seconds() < screen->message_until;
    if (failed) show_error(viewer, y, unit, status.error.text);
    if (said && !(failed && strcmp(screen->message, status.error.text) == 0)) show_message(viewer, unit);
    tell_quality(viewer, unit);
}
