// The selected particle: a mark on it, and its numbers beside it.
#ifndef PBF_VIEWER_PROBE_H
#define PBF_VIEWER_PROBE_H

#include "render/gui.h"
#include "viewer/picture.h"

typedef struct Probe {
    Screen *screen;
    const Playback *playback;
    const Picture *picture;
    Look *look; // knows what is picked
    bool on;
    uint32_t id; // of the particle
} Probe;

void probe_at(Probe *probe, float px, float py); // the one at a place of the window (px), or none
void probe_ahead(Probe *probe); // the one in the middle of the picture; hides the numbers if some are shown
// Shows its neighbors, and the cells that its search looks into, or leaves them away.
void probe_toggle_around(Probe *probe);
void probe_draw(const Probe *probe, Gui *gui);

#endif
