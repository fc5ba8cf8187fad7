#include "viewer/controls.h"

#include <math.h>

static const float MARGIN = LAYOUT_MARGIN;
static const float PANEL = 330, PANEL_MIN = 280; // widths
static const float HUD = 300, HUD_SHORT_WIDTH = 176;
static const float BAR = 240, BAR_MIN = 110, BAR_FRAME = 24;
static const float PADDING = 16, GAP = 11, LEADING = 4; // of a panel, upright
static const uint32_t SHORT_ROWS = 4;
// Settings and numbers are docked where they leave this width to the picture. The bar of time: the least
// window that has it, and what is around its text.
static const float PICTURE_ROOM = 560, TIME_WIDTH = 360, TIME_HEIGHT = 200, TIME_FRAME = 22;
// The plots: their height, and the least window that has them.
static const float PLOTS_HEIGHT = 158, PLOTS_WINDOW = 420;
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
        float numbers = wish->hud && !wish->brief ? HUD + 2 * MARGIN : 0;
        layout.docked = wish->width - numbers - layout.panel - MARGIN >= PICTURE_ROOM;
        layout.hi -= layout.panel + MARGIN;
        room -= layout.panel + MARGIN;
    }
    if (wish->time && wish->width >= TIME_WIDTH && wish->height >= TIME_HEIGHT)
        layout.bottom = wish->text + TIME_FRAME;
    if (wish->plots && wish->width >= TIME_WIDTH && wish->height >= PLOTS_WINDOW) layout.plots = PLOTS_HEIGHT;
    layout.bar = bar_width(wish, layout.panel);
    if (wish->hud) {
        bool dock = !wish->brief && room - HUD - MARGIN >= PICTURE_ROOM;
        if (dock) layout.left = HUD + 2 * MARGIN;
        float below = layout.bar > 0 ? layout_bar_height(wish->text) + MARGIN : 0;
        layout.hud = hud_form(wish, room, wish->height - 2 * MARGIN - below - layout.bottom);
        layout.hud_width = layout.hud == HUD_NONE ? 0 : layout.hud == HUD_SHORT ? HUD_SHORT_WIDTH : HUD;
        if (layout.hud == HUD_NONE) layout.left = 0;
        if (layout.left > 0) layout.hud_width = layout.left - MARGIN;
    }
    if (layout.hud != HUD_NONE) layout.lo = layout.hud_width + MARGIN;
    return layout;
}

// --- the controls of the window ---

bool controls_open(Controls *controls)
{
    float scale = screen_unit(controls->picture->screen);
    if (!controls->gui || controls->scale != scale) {
        gui_close(controls->gui);
        controls->gui = gui_open(scale);
        controls->scale = scale;
    }
    if (controls->gui) gui_set_theme(controls->gui, controls->theme);
    return controls->gui != NULL;
}

Layout controls_layout(const Controls *controls)
{
    enum { ROWS = 11 }; // the most there can be, so that numbers which come and go do not change the layout
    const Picture *picture = controls->picture;
    const Screen *screen = picture->screen;
    float unit = screen_unit(screen);
    Frame frame = picture_frame(picture, 0);
    bool two = playback_is_split(picture->playback);
    const Timeline *timeline = &picture->playback->snapshot->timeline;
    LayoutWish wish = {.width = (float)screen->width / unit,
                       .height = (float)screen->height / unit,
                       .bar_width = frame.width / unit,
                       .bar_bottom = (frame.y + frame.height) / unit,
                       .text = gui_line_height(controls->gui) / unit,
                       .rows = ROWS + picture->playback->snapshot->side[0].has_mesh,
                       .phases = PHASE_COUNT,
                       .panel = controls->panel,
                       .hud = controls->hud && (!two || split_has_captions(screen->width, screen->height)),
                       .brief = two, // the captions have the rest
                       .bar = look_has_color_bar(picture->look),
                       .time = controls->timeline && timeline->count > 1,
                       .plots = controls->plots};
    return layout_make(&wish);
}

ScreenArea controls_free_area(const Controls *controls)
{
    const Screen *screen = controls->picture->screen;
    Layout layout = controls_layout(controls);
    float unit = screen_unit(screen);
    float left = layout.left * unit, right = layout.docked ? (layout.panel + MARGIN) * unit : 0,
          bottom = (layout.bottom + layout.plots) * unit;
    return (ScreenArea){(uint32_t)left, 0, screen->width - (uint32_t)left - (uint32_t)right,
                        screen->height - (uint32_t)bottom};
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
