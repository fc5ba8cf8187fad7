// Which of the controls are shown over the picture, and where they have room.
#ifndef PBF_VIEWER_CONTROLS_H
#define PBF_VIEWER_CONTROLS_H

#include "render/gui.h"
#include "viewer/layout.h"
#include "viewer/picture.h"

typedef struct Controls {
    const Picture *picture; // that they lie over
    Gui *gui;
    bool panel, hud, help;
    bool panel_covered;    // a comparison has put it away
    double presented_at;   // s of the clock
    uint32_t shown_chosen; // setting that the keyboard changed in the last picture of the panel
} Controls;

// What of the controls is shown in a window of the present size.
Layout controls_layout(const Controls *controls);

// The panel would hide the right half of a comparison: it goes when one begins and comes back after it.
void controls_put_panel_away(Controls *controls);
void controls_bring_panel_back(Controls *controls);

#endif
