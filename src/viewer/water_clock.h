// Simulated time against the clock on the wall. Times in s.
#ifndef PBF_VIEWER_WATER_CLOCK_H
#define PBF_VIEWER_WATER_CLOCK_H

#include "viewer/exchange.h"

#include <stdbool.h>
#include <stdint.h>

// How long the water waits so that it does not run ahead of the clock, and how fast it goes. s.
typedef struct WaterClock {
    double anchor_clock, anchor_time; // simulated time may not run ahead of the clock from here
    double rate_clock, rate_time;     // since when steps are counted, and of simulated time
    double rate_waited;               // of the clock, for the clock
    uint32_t rate_steps;
} WaterClock;

// Starts pacing and counting steps. time: simulated, now.
void water_clock_start(WaterClock *clock, double time);

// How long to wait so that simulated time does not run ahead at this speed, in simulated seconds a second;
// not at all if it is not positive.
double water_clock_ahead(WaterClock *clock, double time, double speed);

// A step has ended at `time`. True if there have been enough of them to tell *rates.
bool water_clock_count(WaterClock *clock, double time, WaterRates *rates);

#endif
