// The state of the simulation's thread, which its files share.
#ifndef PBF_VIEWER_STEPPER_STATE_H
#define PBF_VIEWER_STEPPER_STATE_H

#include "viewer/exchange.h"
#include "viewer/kept_scene.h"
#include "viewer/measurements.h"
#include "viewer/sides.h"
#include "viewer/water_clock.h"

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
    History history;
    Measurements measurements; // of the left side's run
    StateReader *read_state;
    StateWriter *write_state;
    bool recalled; // states of a folder are shown, after whose last the water stands still
    bool touched;  // the user has acted on the water since the last state that is remembered
    FluidForce force;
    double force_until; // s of simulated time
    QuantityWork *quality;
    FluidTotals totals[2]; // of the sides of a comparison
    uint64_t measured;     // fluid_number that they belong to
    double measure_due;    // s of the clock, when they are measured again
} Stepper;

#endif
