// What a log would have of the run so far: a row of measurements a frame, for plots and files. The
// simulation's thread writes it, the window reads it.
#ifndef PBF_VIEWER_MEASUREMENTS_H
#define PBF_VIEWER_MEASUREMENTS_H

#include "measure/quantities.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct Measurements {
    FluidTotals *rows; // by time
    uint32_t count;
    size_t capacity;
    QuantityWork *work;
    atomic_bool wanted; // every frame is measured; else as many as cost little
    double due;         // s of the clock, when the next one is measured otherwise
    pthread_mutex_t lock;
} Measurements;

// Errors: RESULT_NO_MEMORY. measurements_close takes a zeroed one, too.
Result measurements_open(Measurements *measurements);
void measurements_close(Measurements *measurements);

// Measures a frame, if it is due; what was measured of later times goes. gravity: m/s^2. Errors:
// RESULT_NO_MEMORY.
Result measurements_add(Measurements *measurements, const FrameView *view, Vec3 gravity);

// What was measured after a time goes: from there on the water will move otherwise. -INFINITY: all goes.
void measurements_cut(Measurements *measurements, double time);

// Of a quantity (quantity_at): at most `room` times and values that stand for all; returns how many.
uint32_t measurements_line(Measurements *measurements, uint32_t quantity, uint32_t room, float *times,
                           float *values);

// Writes all rows as --log does. Errors: RESULT_USAGE if there are none, RESULT_FAILED naming the file.
Result measurements_write(Measurements *measurements, const char *path);

#endif
