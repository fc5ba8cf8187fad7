#include "viewer/help.h"

#include "viewer/actions.h"

#include <math.h>

// The lines of the help in a window of this width, px: smaller text first, then fewer columns.
static void help_lines(const Viewer *viewer, Gui *gui, float room)
{
    enum { GROUP, KEYS, TEXT, STATE, COLUMNS };
    static const float widths[COLUMNS] = {9, 34, 38, 18}, SMALL = 0.8f, SMALLEST = 0.6f;
    uint32_t first = GROUP, end = COLUMNS;
    gui_scale_text(gui, 1); // it keeps what the last picture has set
    float digits = widths[KEYS] + widths[TEXT], digit = gui_digit_width(gui);
    if (room < SMALL * digit * (digits + widths[GROUP] + widths[STATE])) end = STATE;
    if (room < SMALL * digit * (digits + widths[GROUP])) first = KEYS;
    digits += (first == GROUP ? widths[GROUP] : 0) + (end == COLUMNS ? widths[STATE] : 0);
    gui_scale_text(gui, fmaxf(fminf(room / (digits * digit), 1), SMALLEST));
    char state[120];
    for (uint32_t k = 0; action_at(k); k++) {
        const Action *line = action_at(k);
        if (!line->text) continue;
        action_state(line, viewer, state, sizeof state);
        const char *texts[COLUMNS] = {line->group ? line->group : "", line->keys, line->text, state};
        gui_columns(gui, texts + first, widths + first, end - first);
    }
}

void help_draw(const Viewer *viewer)
{
    Gui *gui = viewer->controls.gui;
    const Screen *screen = &viewer->screen;
    GuiPanel panel = {.title = "help",
                      .x = 0.5f * (float)screen->width,
                      .y = 0.5f * (float)screen->height,
                      .height_max = (float)screen->height,
                      .anchor_x = 0.5f,
                      .anchor_y = 0.5f,
                      .plain = true,
                      .dense = true,
                      .opacity = 0.95f};
    if (gui_panel_begin(gui, &panel))
        help_lines(viewer, gui, (float)screen->width - 3 * LAYOUT_MARGIN * screen_unit(screen));
    gui_panel_end(gui);
}
