// Numbers over the picture.
#ifndef PBF_VIEWER_HUD_H
#define PBF_VIEWER_HUD_H

#include "viewer/viewer_state.h"

void hud_draw(const Viewer *viewer);

#endif
