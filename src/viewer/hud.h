// Text over the picture: numbers of the water, the color bar, the list of all keys.
#ifndef PBF_VIEWER_HUD_H
#define PBF_VIEWER_HUD_H

#include "viewer/viewer_state.h"

void hud_draw(const Viewer *viewer);

// What the colors of the last picture mean, as sharp as the other controls.
void hud_draw_color_bar(const Controls *controls);

// The actions, with their keys and states.
void hud_draw_help(Viewer *viewer);

#endif
