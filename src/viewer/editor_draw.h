// Outlines and handles of the things of a scene that is edited.
#ifndef PBF_VIEWER_EDITOR_DRAW_H
#define PBF_VIEWER_EDITOR_DRAW_H

#include "render/gui.h"
#include "viewer/editor.h"

// All things over the picture, and the handles of the chosen one.
void editor_draw(const Editor *editor, Gui *gui);

#endif
