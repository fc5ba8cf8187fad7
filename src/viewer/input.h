// Mouse and keyboard: turns window events into actions.
#ifndef PBF_VIEWER_INPUT_H
#define PBF_VIEWER_INPUT_H

#include "viewer/viewer_state.h"

// What a held mouse button does.
typedef enum Drag { DRAG_NONE, DRAG_ORBIT, DRAG_PAN, DRAG_HAND, DRAG_WIPE, DRAG_EDIT } Drag;

typedef struct Input {
    Viewer *viewer;
    Drag drag;
    WindowButton drag_button;
    float mouse_x, mouse_y;
    double draw_time_ignored; // s spent on drawing so far, in which clicks are not seen
    double clicked_at;        // s of the clock without that time
    float clicked_x, clicked_y;
} Input;

void input_take_event(Input *input, const WindowEvent *event);

#endif
