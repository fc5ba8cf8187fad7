// The window in which water moves and the user steers it.
#ifndef PBF_VIEWER_VIEWER_H
#define PBF_VIEWER_VIEWER_H

#include "core/result.h"
#include "viewer/simulation.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ViewerDef {
    SceneReader *read;
    SidesReader *read_sides;
    StateReader *read_state;
    StateWriter *write_state;
    const void *context;         // of all
    const char *states;          // folder of states that are shown first; NULL for none
    bool show_cells;             // of the search structure, at the start
    bool compare;                // start by comparing the sides of read_sides
    const char *scene_dir;       // folder of the scenes on the number keys; NULL: that of the scene
    const char *preferences;     // file of what the window remembers; NULL: none
    const char *out;             // folder of pictures and recordings
    uint32_t frames;             // close after this many frames; 0: stay open
    bool paused;                 // at the start
    bool list;                   // begin with the list of scenes
    bool quiet;                  // print nothing on standard error
    Result (*interrupted)(void); // an error when the program has been asked to stop
} ViewerDef;

// Shows the scene until the user leaves. Takes ownership of the scene, after errors too. Errors:
// RESULT_FAILED (no display, no OpenGL, interrupted), RESULT_NO_MEMORY, those of scene_build.
Result viewer_run(const ViewerDef *def, SceneDef *scene);

#endif
