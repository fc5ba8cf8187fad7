// The list of all keys.
#ifndef PBF_VIEWER_HELP_H
#define PBF_VIEWER_HELP_H

#include "viewer/viewer_state.h"

void help_draw(const Viewer *viewer);

#endif
