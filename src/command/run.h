// The frame loop of all commands that show a scene frame by frame.
#ifndef PBF_COMMAND_RUN_H
#define PBF_COMMAND_RUN_H

#include "command/options.h"
#include "library/pbf.h"

typedef struct RunDef {
    uint32_t frames;                  // frames 0 .. frames - 1; frame 0 is the state at the start
    uint32_t first;                   // earlier ones are done
    double fps;                       // frame k shows the state at k / fps seconds
    const Options *options;           // of which --quiet: no progress line
    Result (*on_step)(void *context); // after every step; NULL: nothing
    Result (*on_frame)(uint32_t frame, const pbf_sim *sim, void *context);
    void *context;
} RunDef;

typedef struct RunOutcome {
    uint32_t frames_done; // frames that are done, `first` included, also after an error
    bool interrupted;     // by a signal, between two steps or in a frame: the simulation is whole
    double time;          // s, of its state
} RunOutcome;

// Steps the simulation from frame to frame and hands each one to on_frame. Errors: those of steps, of on_step
// and of on_frame; RESULT_FAILED when interrupted.
Result run_frames(pbf_sim *sim, const RunDef *def, RunOutcome *outcome);

// Checks whether a signal asked the program to stop. Error: RESULT_FAILED naming it.
Result run_interrupted(void);

// Sets the threads of loops and of Mesa's software renderer; 0: one for each core. Call it before OpenGL is
// opened.
void run_set_threads(uint32_t threads);

#endif
