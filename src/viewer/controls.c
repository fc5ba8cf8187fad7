#include "viewer/controls.h"

#include <math.h>

static const float MARGIN = LAYOUT_MARGIN;
static const float PANEL = 330, PANEL_MIN = 280; // widths
static const float HUD = 300, HUD_SHORT_WIDTH = 176;
static const float BAR = 240, BAR_MIN = 110, BAR_FRAME = 24;
static const float PADDING = 16, GAP = 11, LEADING = 4; // of a panel, upright
static const uint32_t SHORT_ROWS = 4;
// The color bar takes at most this share of its part of the window, in width and height.
static const float BAR_SHARE = 0.5f;

float layout_bar_height(float text)
{
    return 2 * text + 40;
}

static float hud_height(const LayoutWish *wish, HudForm form)
{
    float line = wish->text + LEADING;
    switch (form) {
    case HUD_NONE:
        return 0;
    case HUD_SHORT:
        return SHORT_ROWS * line + PADDING;
    case HUD_ROWS:
        return (float)wish->rows * line + PADDING;
    case HUD_BARS:
        return (float)(wish->rows + 1) * line + LAYOUT_BARS_HEIGHT + GAP + PADDING;
    case HUD_ALL:
        break;
    }
    return hud_height(wish, HUD_BARS) + (float)wish->phases * line;
}

// The numbers, as many as there is room for.
static HudForm hud_form(const LayoutWish *wish, float room_x, float room_y)
{
    HudForm form = room_x >= HUD && !wish->brief ? HUD_ALL : room_x >= HUD_SHORT_WIDTH ? HUD_SHORT : HUD_NONE;
    while (form != HUD_NONE && hud_height(wish, form) > room_y) form--;
    return form;
}

static float bar_width(const LayoutWish *wish, float panel)
{
    float room = wish->width - 2 * MARGIN - (panel > 0 ? panel + MARGIN : 0) - BAR_FRAME;
    float width = fminf(fminf(BAR, BAR_SHARE * wish->bar_width), room);
    bool low = layout_bar_height(wish->text) + MARGIN > BAR_SHARE * wish->bar_bottom;
    return wish->bar && width >= BAR_MIN && !low ? floorf(width) : 0;
}

Layout layout_make(const LayoutWish *wish)
{
    Layout layout = {.hi = wish->width};
    float room = wish->width - 2 * MARGIN;
    if (wish->panel) {
        // Narrow enough to leave room for all numbers if possible, but never wider than the window.
        float beside = wish->hud ? fmaxf(room - HUD - MARGIN, PANEL_MIN) : PANEL;
        layout.panel = fmaxf(fminf(fminf(PANEL, beside), room), 1);
        layout.hi -= layout.panel + MARGIN;
        room -= layout.panel + MARGIN;
    }
    layout.bar = bar_width(wish, layout.panel);
    if (wish->hud) {
        float below = layout.bar > 0 ? layout_bar_height(wish->text) + MARGIN : 0;
        layout.hud = hud_form(wish, room, wish->height - 2 * MARGIN - below);
        layout.hud_width = layout.hud == HUD_NONE ? 0 : layout.hud == HUD_SHORT ? HUD_SHORT_WIDTH : HUD;
    }
    if (layout.hud != HUD_NONE) layout.lo = layout.hud_width + MARGIN;
    return layout;
}

// --- the controls of the window ---

Layout controls_layout(const Controls *controls)
{
    enum { ROWS = 10 }; // the most there can be, so that numbers which come and go do not change the layout
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
