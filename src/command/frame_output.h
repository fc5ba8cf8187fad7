// Outputs of a frame in `render` and `frames`: a PNG, a picture of the film, files of particles and meshes.
#ifndef PBF_COMMAND_FRAME_OUTPUT_H
#define PBF_COMMAND_FRAME_OUTPUT_H

#include "command/options.h"
#include "library/pbf.h"

#include <limits.h>

typedef struct FrameOutput FrameOutput;

// Opens OpenGL unless the options want no pictures, creates the folder and proves that it can be written,
// starts ffmpeg: all that can fail before an hour of simulation. End with frame_output_close. Errors:
// RESULT_USAGE, RESULT_FAILED, RESULT_NO_MEMORY. first: earlier frames are there already; a film begins with
// their pictures. memory: of the pictures so far, NULL for none.
Result frame_output_open(const Options *options, const SceneDef *scene, uint32_t first,
                         const double memory[PBF_PICTURE_NUMBERS], FrameOutput **out);

// Gets what pictures carry on so far for the next one, or puts something else in its place.
Result frame_output_memory(const FrameOutput *output, double memory[PBF_PICTURE_NUMBERS]);
Result frame_output_remember(FrameOutput *output, const double memory[PBF_PICTURE_NUMBERS]);

// Draws and writes frame number `frame`; frames come in order, some may be left out.
Result frame_output_add(FrameOutput *output, uint32_t frame, const pbf_sim *sim);

// Completes film and time series with the frames so far, and frees everything. NULL is allowed.
Result frame_output_close(FrameOutput *output);

// Looks for a file of the frames `begin` to `end` - 1 that is missing or not complete; pictures that a film
// begins with are read to the end. *frame: which is the first, or `end`.
Result frame_output_find_missing(const Options *options, const SceneDef *scene, uint32_t begin, uint32_t end,
                                 uint32_t *frame, char path[PATH_MAX]);

#endif
