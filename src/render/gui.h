// Controls drawn over a picture: panels with sliders and choices, and text, bars and lines anywhere. A C
// interface to Dear ImGui, which only gui.cpp knows. Needs a current OpenGL context; lengths are px of the
// framebuffer, from its upper left corner.
#ifndef PBF_RENDER_GUI_H
#define PBF_RENDER_GUI_H

#include "render/gui_theme.h"
#include "render/window_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Gui Gui;

// Opens the controls; scale as of window_scale. NULL if the driver cannot draw them, or memory is short.
Gui *gui_open(float scale);
void gui_set_theme(Gui *gui, GuiTheme theme);     // from the next picture on; dark at first
GuiColor gui_color(const Gui *gui, GuiTint tint); // of its theme
void gui_close(Gui *gui);                         // with the same context current; NULL is allowed

// Passes an event to the controls. True if they take it (the mouse is on a panel, a number is being typed):
// then nobody else should act on it.
bool gui_take_event(Gui *gui, const WindowEvent *event);

// Controls of a picture are declared between these two calls; seconds: since the last picture. gui_draw draws
// them into framebuffer 0.
void gui_begin(Gui *gui, uint32_t width, uint32_t height, float seconds);
void gui_draw(Gui *gui);

// Do the panels drawn last fit their contents? If not, they will in the next picture.
bool gui_is_settled(const Gui *gui);

// --- panels: everything between begin and end is inside; begin returns false if it is folded ---

typedef struct GuiPanel {
    const char *title;
    float x, y, width; // px; it is as high as what it holds, and moves with x and y until the user moves it
    float height_max;  // px; scrolls beyond
    float height_min;  // px
    float anchor_x;    // 0: x is its left edge, 1: its right edge, 0.5: its middle
    float anchor_y;    // likewise for y
    bool plain;        // no title, not to be moved or folded
    bool dense;        // little room between its lines
    bool outlined;     // lies over panels that were begun before it, with a border that sets it off
    bool passive;      // the mouse goes through
    float opacity;     // of its background
} GuiPanel;

bool gui_panel_begin(Gui *gui, const GuiPanel *panel);
void gui_panel_end(Gui *gui);

// A part of a panel that can be folded. open: initially; opens: opens it now, whatever the user did.
bool gui_section(Gui *gui, const char *label, bool open, bool opens);

// Controls return true when the user has changed the value. tip is shown under the mouse; NULL for none.
// `chosen` marks the control that the keyboard acts on.
typedef struct GuiRange {
    float lo, hi, step; // of the slider, extended to a value outside; step: rounds to multiples; 0 for none
    float least, most;  // that can be typed
    bool logarithmic;
    const char *format; // as in "%.2f m/s"
} GuiRange;
bool gui_slider(Gui *gui, const char *label, float *value, const GuiRange *range, bool chosen,
                const char *tip);
typedef const char *GuiNames(uint32_t k, const void *context); // NULL past the end
bool gui_choice(Gui *gui, const char *label, uint32_t *value, GuiNames *names, const void *context,
                bool chosen, const char *tip);
// Numbers (1 to 4) or a line of text that are typed, and change with Enter.
bool gui_numbers(Gui *gui, const char *label, float *values, uint32_t count, const char *tip);
bool gui_text_field(Gui *gui, const char *label, char *text, size_t size, const char *tip);
bool gui_range(Gui *gui, const char *label, float *lo, float *hi, const char *tip); // two numbers

bool gui_clicked_right(Gui *gui); // the control before, with the right button

bool gui_check(Gui *gui, const char *label, bool *value);
bool gui_button(Gui *gui, const char *label, const char *tip);
// A picture (gui_texture.h; 0: none yet) with its name below, as a button.
bool gui_picture(Gui *gui, const char *name, uint32_t texture, float width, float height);
void gui_same_line(Gui *gui);
void gui_same_line_for(Gui *gui,
                       const char *label); // if a check box or button with this label fits there
void gui_gap(Gui *gui);

typedef enum GuiTone { TONE_PLAIN, TONE_DIM, TONE_STRONG, TONE_COUNT } GuiTone;
void gui_text(Gui *gui, GuiTone tone, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Text that is broken into lines as wide as the panel.
void gui_paragraph(Gui *gui, const char *text);
// Scales the panel's text from here on.
void gui_scale_text(Gui *gui, float scale);
float gui_digit_width(Gui *gui); // px
// A row of a table with columns at the given widths (in widths of a digit).
void gui_columns(Gui *gui, const char *const *texts, const float *widths, uint32_t count);

// Such a row as a button.
bool gui_row(Gui *gui, const char *const *texts, const float *widths, uint32_t count);
// A line of text that is typed; hint: what is there while it is empty.
void gui_input(Gui *gui, const char *name, const char *hint, char *text, size_t size);

// Bars side by side, each of `parts` values stacked; newest right. values: bar after bar. top: the value of
// the full height.
void gui_stacked_bars(Gui *gui, const float *values, uint32_t bars, uint32_t parts, const GuiColor *colors,
                      float top, float height);
// A bar of time from begin to end with marks, as wide as the panel; true if the user has moved *now.
bool gui_timeline(Gui *gui, double *now, double begin, double end, const float *marks, uint32_t mark_count,
                  float height);
// A small square of a color, before text on the same line.
void gui_swatch(Gui *gui, GuiColor color);

// An empty part of a panel, px of the window, as wide as is left if width is 0. Free drawing goes into it
// until the panel ends.
typedef struct GuiCanvas {
    float x0, y0, x1, y1;
    float mouse_x, mouse_y;
    bool hovered; // the mouse is over it
    bool held;    // and was pressed there
} GuiCanvas;
GuiCanvas gui_canvas(Gui *gui, const char *name, float width, float height);

// --- free drawing, behind all panels ---

// Draws from now on over the panels instead.
void gui_draw_over_panels(Gui *gui, bool over);

// A line of text with its upper edge at y; anchor_x as in GuiPanel.
void gui_draw_text(Gui *gui, float x, float y, float anchor_x, GuiColor color, const char *text);
// A line of text of any size, by the height of its capitals in px, that starts at x on a baseline; its width.
void gui_draw_caption(Gui *gui, float x, float baseline, float capitals, GuiColor color, const char *text);
float gui_caption_width(Gui *gui, float capitals, const char *text);
void gui_draw_box(Gui *gui, float x0, float y0, float x1, float y1, float corner, GuiColor color);
// Lines from point to point; those that are not numbers break them.
void gui_draw_lines(Gui *gui, const float (*points)[2], uint32_t count, float width, GuiColor color);
float gui_text_width(Gui *gui, const char *text);

// Px of a line of the controls' text.
float gui_line_height(Gui *gui);

#ifdef __cplusplus
}
#endif

#endif
