// What stands under two pictures beside each other, in the font of the controls.
#ifndef PBF_VIEWER_CAPTIONS_H
#define PBF_VIEWER_CAPTIONS_H

#include "viewer/viewer_state.h"

// Nothing where the picture has them already, or no room for them.
void captions_draw(const Viewer *viewer);

#endif
