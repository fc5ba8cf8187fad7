// What somebody sees who opens the window for the first time: five keys, until one is pressed or some seconds
// are over.
#ifndef PBF_VIEWER_FIRST_RUN_H
#define PBF_VIEWER_FIRST_RUN_H

#include "viewer/viewer_state.h"

// Begins with the first picture of a first run, and ends it when its time is over.
void first_run_watch(Viewer *viewer);

// A key has been pressed: whoever knows one needs no hint.
void first_run_end(Viewer *viewer);

// The hint, where the window has room for it.
void first_run_draw(const Viewer *viewer);

#endif
