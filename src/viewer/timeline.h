// The bar of time: what is remembered of the water, to go back to and to play again.
#ifndef PBF_VIEWER_TIMELINE_H
#define PBF_VIEWER_TIMELINE_H

#include "viewer/viewer_state.h"

// Draws it where the layout has it, and goes where the user drags it.
void timeline_draw(Viewer *viewer);

#endif
