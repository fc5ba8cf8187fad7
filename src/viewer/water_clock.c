#include "viewer/water_clock.h"

#include "core/clock.h"

#include <math.h>

static void anchor(WaterClock *clock, double time)
{
    clock->anchor_clock = clock_seconds();
    clock->anchor_time = time;
}

static void start_count(WaterClock *clock, double time)
{
    clock->rate_clock = clock_seconds();
    clock->rate_time = time;
    clock->rate_waited = 0;
    clock->rate_steps = 0;
}

void water_clock_start(WaterClock *clock, double time)
{
    anchor(clock, time);
    start_count(clock, time);
}

double water_clock_ahead(WaterClock *clock, double time, double speed)
{
    if (!isfinite(speed)) return 0;
    double ahead = (time - clock->anchor_time) / speed - (clock_seconds() - clock->anchor_clock);
    // Water that is slower than the clock does not catch up later.
    if (ahead < -0.1) anchor(clock, time);
    return ahead;
}

bool water_clock_count(WaterClock *clock, double time, WaterRates *rates)
{
    double elapsed = clock_seconds() - clock->rate_clock;
    clock->rate_steps++;
    if (elapsed <= 0.5) return false;
    *rates = (WaterRates){.steps = clock->rate_steps / elapsed,
                          .time = (time - clock->rate_time) / elapsed,
                          .idle = clock->rate_waited / elapsed};
    if (elapsed > 2) start_count(clock, time);
    return true;
}
