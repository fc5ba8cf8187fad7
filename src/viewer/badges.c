// Labels and messages over the picture, in as many lines as they need.
#include "core/clock.h"
#include "render/gui.h"
#include "viewer/viewer_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const GuiColor WHITE = {1, 1, 1, 1}, DARK = {0.05f, 0.08f, 0.11f, 0.85f};
static const GuiColor AMBER = {0.72f, 0.46f, 0.06f, 0.92f}, RED = {0.72f, 0.13f, 0.13f, 0.94f};
static const float MARGIN = 12, ROOM_MIN = 300; // common px

enum { LINES_MAX = 8, LINE_BYTES = 320 };

typedef struct Lines {
    char text[LINES_MAX][LINE_BYTES];
    uint32_t count;
    float width; // px, of the widest
} Lines;

// How much of a text goes into a line, and where the next one begins. Lines end between words; a word that is
// longer than a line ends after a slash if it has one there.
static size_t line_length(const char *text, float room, const char **next)
{
    char line[LINE_BYTES] = "";
    size_t length = 0, word = 0, slash = 0;
    while (text[length] && length + 1 < sizeof line) {
        line[length] = text[length];
        if (length > 0 && gui_text_width(line) > room) break;
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

static void wrap(const char *text, float room, Lines *lines)
{
    *lines = (Lines){0};
    while (*text && lines->count < LINES_MAX) {
        const char *next;
        char *line = lines->text[lines->count++];
        size_t length = line_length(text, room, &next);
        memcpy(line, text, length);
        lines->width = fmaxf(lines->width, gui_text_width(line));
        text = next;
    }
}

static float height_of(const Lines *lines, float unit)
{
    return gui_line_height() * (float)lines->count + 8 * unit;
}

// Lines on a rounded box, centred at x, from y on. Returns where the next box may begin.
static float box(float x, float y, float unit, GuiColor ground, const Lines *lines)
{
    float half = 0.5f * lines->width + 10 * unit, height = height_of(lines, unit);
    gui_draw_box(x - half, y, x + half, y + height, 5 * unit, ground);
    for (uint32_t k = 0; k < lines->count; k++)
        gui_draw_text(x, y + 4 * unit + gui_line_height() * (float)k, 0.5f, WHITE, lines->text[k]);
    return y + height + 6 * unit;
}

static float label(float x, float y, float unit, GuiColor ground, const char *text)
{
    Lines lines;
    wrap(text, INFINITY, &lines);
    return box(x, y, unit, ground, &lines);
}

// An error stays, between numbers and panel where there is room; else over them.
static void show_error(const Viewer *viewer, float y, float unit, const char *text)
{
    Lines lines;
    float width = (float)viewer->width, lo = 0, hi = width;
    if (viewer->hud && viewer->shot->sides == 1) lo = (HUD_WIDTH + MARGIN) * unit;
    if (viewer->panel) hi = width - (PANEL_WIDTH + MARGIN) * unit;
    if (hi - lo < ROOM_MIN * unit) lo = 0, hi = width;
    wrap(text, hi - lo - 4 * MARGIN * unit, &lines);
    gui_draw_over_panels(true);
    box(0.5f * (lo + hi), y, unit, RED, &lines);
    gui_draw_over_panels(false);
}

// At the picture's lower edge, above the colour bar if that would be covered.
static void show_toast(const Viewer *viewer, float unit)
{
    Lines lines;
    Frame frame = viewer_frame(viewer, 0);
    float x = 0.5f * (float)viewer->width;
    wrap(viewer->toast.text, (float)viewer->width - 4 * MARGIN * unit, &lines);
    float bottom = frame.height - 2 * MARGIN * unit;
    // The window's own one, or that of a recorded picture, which grows with it.
    bool recorded = viewer->picture_has_legend;
    float right = recorded ? 0.3f * frame.width : 290 * unit;
    float high = recorded ? 0.2f * frame.height : 2 * gui_line_height() + 44 * unit;
    if ((recorded || viewer_has_color_bar(viewer)) && x - 0.5f * lines.width < right) bottom -= high;
    gui_draw_over_panels(true);
    box(x, bottom - height_of(&lines, unit), unit, DARK, &lines);
    gui_draw_over_panels(false);
}

void viewer_label(Viewer *viewer, float y, const char *text)
{
    label(0.5f * (float)viewer->width, y * (float)viewer->height, window_scale(viewer->window), DARK, text);
}

void viewer_badges(Viewer *viewer)
{
    SimulationStatus status = simulation_status(viewer->simulation);
    float unit = window_scale(viewer->window), x = 0.5f * (float)viewer->width, y = MARGIN * unit;
    char text[32];
    if (!status.playing && !status.loading) y = label(x, y, unit, AMBER, "PAUSED");
    if (status.loading) y = label(x, y, unit, DARK, "LOADING");
    if (recorder_kind(viewer->recorder) != RECORD_NONE) {
        snprintf(text, sizeof text, "REC  %u", recorder_frames(viewer->recorder));
        y = label(x, y, unit, RED, text);
    }
    if (!result_is_ok(&status.error)) show_error(viewer, y, unit, status.error.text);
    if (clock_seconds() < viewer->toast.until) show_toast(viewer, unit);
}
