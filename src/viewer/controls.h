// Which of the controls are shown over the picture, and where: numbers on the left, settings on the right,
// the color bar below. What would cover something else gets smaller, then goes.
#ifndef PBF_VIEWER_CONTROLS_H
#define PBF_VIEWER_CONTROLS_H

#include "render/gui.h"
#include "viewer/picture.h"

// --- layout: lengths in common px ---

// Level of detail of the numbers (the head-up display).
typedef enum HudForm {
    HUD_NONE,
    HUD_SHORT, // name, particles, time, pace
    HUD_ROWS,  // all but the times of the phases
    HUD_BARS,  // without the phases' numbers
    HUD_ALL,
} HudForm;

typedef struct LayoutWish {
    float width, height;         // of the window
    float bar_width, bar_bottom; // of the part that the color bar is in, and its lower edge
    float text;                  // height of the controls' text
    uint32_t rows, phases;       // lines of the numbers, and of their second part
    bool panel, hud, bar, time;  // is it to be shown at all?
    bool plots;
    bool brief; // the short form of the numbers will do
} LayoutWish;

typedef struct Layout {
    float panel; // width, 0 for none
    HudForm hud;
    float hud_width;
    float bar;    // width of the colors, 0 for none
    float lo, hi; // left and right end of what neither numbers nor settings cover
    bool docked;  // the settings take the right edge of the window for themselves,
    float left;   // and the numbers this width of the left one; 0 if they lie over the picture
    float bottom; // height of the bar of time at the window's lower edge, 0 for none
    float plots;  // height of the plots between it and the picture, 0 for none
} Layout;

enum { LAYOUT_MARGIN = 12 };      // from the window's edges, and between things
enum { LAYOUT_BARS_HEIGHT = 46 }; // of the bars in the numbers

Layout layout_make(const LayoutWish *wish);

// Height of the color bar with its frame; text as above.
float layout_bar_height(float text);

// --- the controls of the window ---

typedef struct Controls {
    const Picture *picture; // below them
    Gui *gui;
    bool panel, hud, help, scenes, timeline, plots;
    char searched[40];   // in the help
    bool panel_covered;  // hidden by a comparison
    double presented_at; // s of the clock
    GuiTheme theme;
    float scale;           // of the screen that gui is made for
    uint32_t shown_chosen; // setting that the keyboard changed when the panel was last drawn
} Controls;

// Makes the controls, or makes them anew where the window has moved to a screen of another scale. False if
// the driver cannot draw them.
bool controls_open(Controls *controls);

// The layout in a window of the present size.
Layout controls_layout(const Controls *controls);

// What docked controls leave to the picture.
ScreenArea controls_free_area(const Controls *controls);

// The panel would cover the right half of a comparison: it is hidden when one begins and shown again after
// it.
void controls_put_panel_away(Controls *controls);
void controls_bring_panel_back(Controls *controls);

#endif
