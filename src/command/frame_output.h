// What `render` makes of a frame: a PNG, a picture of the film, files of particles and meshes.
#ifndef PBF_COMMAND_FRAME_OUTPUT_H
#define PBF_COMMAND_FRAME_OUTPUT_H

#include "command/options.h"
#include "fluid/frame_view.h"

typedef struct FrameOutput FrameOutput;

// Opens OpenGL, makes the folder and proves that it can be written, starts ffmpeg: all that can fail before
// an hour of simulation. End with frame_output_close. Errors: RESULT_USAGE, RESULT_FAILED, RESULT_NO_MEMORY.
Result frame_output_open(const Options *options, const SceneDef *scene, uint32_t frames, FrameOutput **out);

// Draws and writes frame number `frame`; frames come in order.
Result frame_output_add(FrameOutput *output, uint32_t frame, const FrameView *view);

// Completes film and time series with the frames so far, and frees everything. NULL is allowed.
Result frame_output_close(FrameOutput *output);

#endif
