#include "viewer/color_bar.h"

#include "render/colormap.h"
#include "render/legend.h"

#include <stdio.h>

void color_bar_draw(const Controls *controls)
{
    static const GuiColor ground = {1, 1, 1, 0.78f}, ink = {0.12f, 0.16f, 0.21f, 1};
    enum { STRIPS = 96 };
    Gui *gui = controls->gui;
    const Picture *picture = controls->picture;
    float unit = screen_unit(picture->screen), lo, hi, rgb[3];
    float x0 = 2 * LAYOUT_MARGIN * unit, width = controls_layout(controls).bar * unit,
          line = gui_line_height(gui);
    float bottom = picture_frame(picture, 0).height - LAYOUT_MARGIN * unit;
    float top = bottom - layout_bar_height(line / unit) * unit + 8 * unit;
    if (width == 0) return;
    char text[64];
    FieldKey field = picture->look->def.color_by;
    const char *units = field_unit(field);
    picture_range(picture, &lo, &hi);
    gui_draw_box(gui, x0 - 12 * unit, top - 8 * unit, x0 + width + 12 * unit, bottom, 6 * unit, ground);
    snprintf(text, sizeof text, units[0] ? "%s (%s)" : "%s", field_name(field), units);
    gui_draw_text(gui, x0, top, 0, ink, text);
    float bar = top + line + 5 * unit, step = width / STRIPS;
    for (int k = 0; k < STRIPS; k++) {
        colormap_srgb(((float)k + 0.5f) / STRIPS, rgb);
        gui_draw_box(gui, x0 + step * (float)k, bar, x0 + step * (float)(k + 1), bar + 10 * unit, 0,
                     (GuiColor){rgb[0], rgb[1], rgb[2], 1});
    }
    for (int k = 0; k < 3; k++) {
        float at = 0.5f * (float)k;
        legend_number(text, sizeof text, lo + at * (hi - lo), hi - lo);
        gui_draw_text(gui, x0 + at * width, bar + 13 * unit, at, ink, text);
    }
}
