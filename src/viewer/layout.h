// What of the controls has room in the window, and where: numbers on the left, settings on the right, the
// color bar below. What would cover something else gets smaller, then goes. Lengths in common px.
#ifndef PBF_VIEWER_LAYOUT_H
#define PBF_VIEWER_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

// How much of the numbers is shown.
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
    bool panel, hud, bar;        // is it to be shown at all?
    bool brief;                  // the short form of the numbers will do
} LayoutWish;

typedef struct Layout {
    float panel; // width, 0 for none
    HudForm hud;
    float hud_width;
    float bar;    // width of the colors, 0 for none
    float lo, hi; // from left to right, what is free of numbers and settings
} Layout;

enum { LAYOUT_MARGIN = 12 };      // from the window's edges, and between things
enum { LAYOUT_BARS_HEIGHT = 46 }; // of the bars in the numbers

Layout layout_make(const LayoutWish *wish);

// Height of the color bar with its frame; text as above.
float layout_bar_height(float text);

#endif
