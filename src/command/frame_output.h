// Outputs of a frame in `render` and `frames`: a PNG, a picture of the film, files of particles and meshes.
#ifndef PBF_COMMAND_FRAME_OUTPUT_H
#define PBF_COMMAND_FRAME_OUTPUT_H

#include "command/options.h"
#include "fluid/frame_view.h"
#include "render/render.h"

typedef struct FrameOutput FrameOutput;

// Opens OpenGL unless the options want no pictures, creates the folder and proves that it can be written,
// starts ffmpeg: all that can fail before an hour of simulation. End with frame_output_close. Errors:
// RESULT_USAGE, RESULT_FAILED, RESULT_NO_MEMORY. first: earlier frames are there already; a film begins with
// their pictures. frames: how many there will be in all. memory: of the pictures so far, NULL for none.
Result frame_output_open(const Options *options, const SceneDef *scene, uint32_t first, uint32_t frames,
                         const RendererMemory *memory, FrameOutput **out);

// Gets what the renderer keeps from the pictures so far for the next one, or puts something else in its
// place.
RendererMemory frame_output_memory(const FrameOutput *output);
void frame_output_remember(FrameOutput *output, const RendererMemory *memory);

// Draws and writes frame number `frame`; frames come in order, some may be left out.
Result frame_output_add(FrameOutput *output, uint32_t frame, const FrameView *view);

// Completes film and time series with the frames so far, and frees everything. NULL is allowed.
Result frame_output_close(FrameOutput *output);

#endif
