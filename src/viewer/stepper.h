// The simulation's thread: steps the water, carries out requests between steps, and copies finished steps for
// the window.
#ifndef PBF_VIEWER_STEPPER_H
#define PBF_VIEWER_STEPPER_H

#include "viewer/stepper_state.h"

typedef struct SimulationDef {
    SceneReader *read;
    SidesReader *read_sides;
    StateReader *read_state;  // NULL: folders are not looked into
    StateWriter *write_state; // NULL: nothing can be saved
    const void *context;      // of all
    const char *states;       // folder to be looked into at the start; NULL for none
    uint32_t frames;          // stop after this many frames; 0: run on
    size_t budget;            // bytes, of remembered states; 0: by the memory that is free
    bool playing;             // at the start
    double speed;             // simulated seconds a second at most; INFINITY: as fast as it goes
    void (*wake)(void);       // called by the thread when there is something to look at
} SimulationDef;

// Builds the scene's fluid and fills the window's snapshot with it. The stepper is zero before. Errors: those
// of sides_start, RESULT_NO_MEMORY.
Result stepper_start(Stepper *stepper, const SimulationDef *def, SharedScene *scene, Exchange *exchange);

// Steps until the exchange is asked to quit.
void stepper_run(Stepper *stepper);

void stepper_free(Stepper *stepper);

#endif
