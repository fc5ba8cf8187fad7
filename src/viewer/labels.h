// Labels and messages over the picture, wrapped to its width.
#ifndef PBF_VIEWER_LABELS_H
#define PBF_VIEWER_LABELS_H

#include "viewer/viewer_state.h"

void labels_draw(const Viewer *viewer);

// A label in the window's middle, at a share of its height.
void labels_draw_one(const Viewer *viewer, float y, const char *text);

#endif
