// The part of the window that a side's picture covers.
#ifndef PBF_VIEWER_FRAME_H
#define PBF_VIEWER_FRAME_H

#include <math.h>

// px from the window's upper left corner.
typedef struct Frame {
    float x, y, width, height;
} Frame;

// Places of the picture, -1..1 right and up (view_project, view_ray), as px of the window, and back.
static inline float frame_px(Frame frame, float x)
{
    return frame.x + 0.5f * (1 + x) * frame.width;
}

static inline float frame_py(Frame frame, float y)
{
    return frame.y + 0.5f * (1 - y) * frame.height;
}

static inline float frame_x(Frame frame, float px)
{
    return 2 * (px - frame.x) / fmaxf(frame.width, 1) - 1;
}

static inline float frame_y(Frame frame, float py)
{
    return 1 - 2 * (py - frame.y) / fmaxf(frame.height, 1);
}

#endif
