// Plots below the picture: what is measured of the run, over its time.
#ifndef PBF_VIEWER_PLOTS_H
#define PBF_VIEWER_PLOTS_H

#include "viewer/controls.h"

enum { PLOTS_MAX = 3 }; // beside each other, as many as there is room for

typedef struct Plots {
    Screen *screen;
    Playback *playback;
    const Controls *controls;
    uint32_t quantity[PLOTS_MAX]; // quantity_at
} Plots;

// Chooses what is shown first.
void plots_start(Plots *plots);

// Draws them where the layout has room. A click on one goes to the remembered state nearest to that time.
void plots_draw(Plots *plots);

#endif
