// When the window's picture and the controls over it are drawn.
#ifndef PBF_VIEWER_VIEWER_DRAW_H
#define PBF_VIEWER_VIEWER_DRAW_H

#include "viewer/viewer_state.h"

// What there is to see before the first picture: its background, and the scene's name. Drivers take their
// time over shaders.
Result viewer_greet(Viewer *viewer, const char *scene);

// Draws the picture if it has to be drawn again and it is time, then the controls. *drawn tells whether the
// window shows something new. Errors: those of the renderer and of window_present.
Result viewer_draw(Viewer *viewer, bool *drawn);

// How long the loop may sleep, s.
double viewer_patience(const Viewer *viewer);

#endif
