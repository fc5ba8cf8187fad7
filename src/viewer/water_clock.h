// Simulated time against the clock on the wall: how long the water has to wait so that it does not run ahead,
// and how fast it goes. Times in s.
#ifndef PBF_VIEWER_WATER_CLOCK_H
#define PBF_VIEWER_WATER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct WaterClock {
    double anchor_clock, anchor_time; // simulated time may not run ahead of the clock from here
    double rate_clock, rate_time;     // since when steps are counted, and of simulated time
    double rate_waited;               // of the clock, for the clock
    uint32_t rate_steps;
} WaterClock;

typedef struct WaterRates {
    double steps; // a second of the clock
    double time;  // simulated seconds a second of it
    double idle;  // part of the time in which the water waited for the clock
} WaterRates;

// Water that begins to move is paced, and its steps are counted, from here. time: simulated, now.
void water_clock_start(WaterClock *clock, double time);

// How long to wait so that simulated time does not run ahead at this speed; none if it is not positive.
double water_clock_ahead(WaterClock *clock, double time, double speed);

// Waited so long for it.
void water_clock_waited(WaterClock *clock, double seconds);

// A step has ended at `time`. True if there have been enough of them to tell *rates.
bool water_clock_count(WaterClock *clock, double time, WaterRates *rates);

#endif
