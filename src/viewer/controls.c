#include "viewer/controls.h"

Layout controls_layout(const Controls *controls)
{
    enum { ROWS = 10 }; // that there may be, so that numbers which come and go do not change the form
    const Picture *picture = controls->picture;
    const Screen *screen = picture->screen;
    float unit = screen_unit(screen);
    Frame frame = picture_frame(picture, 0);
    bool two = playback_is_split(picture->playback);
    LayoutWish wish = {.width = (float)screen->width / unit,
                       .height = (float)screen->height / unit,
                       .bar_width = frame.width / unit,
                       .bar_bottom = frame.height / unit,
                       .text = gui_line_height(controls->gui) / unit,
                       .rows = ROWS + picture->playback->snapshot->side[0].has_mesh,
                       .phases = PHASE_COUNT,
                       .panel = controls->panel,
                       .hud = controls->hud && (!two || split_has_captions(screen->width, screen->height)),
                       .brief = two, // the captions have the rest
                       .bar = look_has_color_bar(picture->look)};
    return layout_make(&wish);
}

void controls_put_panel_away(Controls *controls)
{
    controls->panel_covered |= controls->panel;
    controls->panel = false;
}

void controls_bring_panel_back(Controls *controls)
{
    controls->panel |= controls->panel_covered;
    controls->panel_covered = false;
}
