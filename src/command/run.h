// The frame loop that all commands share which show a scene frame by frame.
#ifndef PBF_COMMAND_RUN_H
#define PBF_COMMAND_RUN_H

#include "core/result.h"
#include "fluid/fluid.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct RunDef {
    uint32_t frames; // frames 0 .. frames - 1; frame 0 is the state at the start
    double fps;      // frame k shows the state at k / fps seconds
    bool quiet;      // no progress line
    Result (*on_frame)(uint32_t frame, const FrameView *view, void *context);
    void *context;
} RunDef;

// Steps the fluid from frame to frame and hands each one to on_frame. *frames_done counts those that on_frame
// has taken, also after an error. Errors: those of the fluid and of on_frame; RESULT_FAILED when interrupted.
Result run_frames(Fluid *fluid, const RunDef *def, uint32_t *frames_done);

// RESULT_FAILED naming the signal if one asked the program to stop.
Result run_interrupted(void);

// Threads of loops and of Mesa's software renderer; 0: one for each core. Before OpenGL is opened.
void run_set_threads(uint32_t threads);

#endif
