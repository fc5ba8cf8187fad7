// The panel of settings.
#ifndef PBF_VIEWER_PANEL_H
#define PBF_VIEWER_PANEL_H

#include "viewer/viewer_state.h"

void panel_draw(Viewer *viewer);

// The folder's scenes, to be opened.
void panel_list_scenes(Viewer *viewer);

// The open question, in the window's middle.
void panel_ask(Viewer *viewer);

#endif
