// What the colors of the last picture mean, over the picture and as sharp as the other controls.
#ifndef PBF_VIEWER_COLOR_BAR_H
#define PBF_VIEWER_COLOR_BAR_H

#include "viewer/controls.h"

void color_bar_draw(const Controls *controls);

#endif
