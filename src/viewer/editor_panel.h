// The panel's part for a scene that is edited: its things, what can be done with them, and all keys of the
// chosen one.
#ifndef PBF_VIEWER_EDITOR_PANEL_H
#define PBF_VIEWER_EDITOR_PANEL_H

#include "render/gui.h"
#include "viewer/editor.h"

// Inside a panel.
void editor_panel(Editor *editor, Gui *gui);

#endif
