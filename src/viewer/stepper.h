// The simulation's thread: steps the water, carries out requests between steps, and copies finished steps for
// the window.
#ifndef PBF_VIEWER_STEPPER_H
#define PBF_VIEWER_STEPPER_H

#include "viewer/exchange.h"
#include "viewer/sides.h"

typedef struct SimulationDef {
    SceneReader *read;
    SidesReader *read_sides;
    const void *context; // of both
    uint32_t frames;     // stop after this many frames; 0: run on
    bool playing;        // at the start
    double speed;        // simulated seconds a second at most; INFINITY: as fast as it goes
    void (*wake)(void);  // called by the thread when there is something to look at
} SimulationDef;

// How long the water waits so that it does not run ahead of the clock, and how fast it goes. s.
typedef struct WaterClock {
    double anchor_clock, anchor_time; // simulated time may not run ahead of the clock from here
    double rate_clock, rate_time;     // since when steps are counted, and of simulated time
    double rate_waited;               // of the clock, for the clock
    uint32_t rate_steps;
} WaterClock;

typedef struct Stepper {
    Exchange *exchange;
    uint32_t frames; // SimulationDef.frames
    Sides sides;
    WaterClock clock;
    uint32_t steps_due, frames_due; // asked for one by one
    uint64_t fluid_number;
    uint32_t frame; // the last one that was reached
    bool unshown;   // there is a state that no snapshot shows
    bool want_mesh, wait_at_frames;
    double mesh_due; // s of the clock, when the next mesh of moving water may be begun
    FluidForce force;
    double force_until; // s of simulated time
} Stepper;

// Builds the scene's fluid and fills the window's snapshot with it. The stepper is zero before. Errors: those
// of sides_start, RESULT_NO_MEMORY.
Result stepper_start(Stepper *stepper, const SimulationDef *def, SharedScene *scene, Exchange *exchange);

// Steps until the exchange is asked to quit.
void stepper_run(Stepper *stepper);

void stepper_free(Stepper *stepper);

#endif
