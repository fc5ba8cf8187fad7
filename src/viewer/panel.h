// The panel of settings.
#ifndef PBF_VIEWER_PANEL_H
#define PBF_VIEWER_PANEL_H

#include "viewer/viewer_state.h"

void panel_draw(Viewer *viewer);

#endif
