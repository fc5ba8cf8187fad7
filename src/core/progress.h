// Progress of a long run on standard error: a live line on a terminal, plain lines elsewhere.
#ifndef PBF_CORE_PROGRESS_H
#define PBF_CORE_PROGRESS_H

#include <stdbool.h>

typedef struct Progress {
    bool quiet;        // nothing but errors
    bool live;         // standard error is a terminal: redraw one line
    double started;    // clock_seconds of progress_begin
    double last_shown; // clock_seconds of the last line
    bool line_open;    // a live line waits for its newline
} Progress;

// Starts the clock. quiet: nothing is shown.
Progress progress_begin(bool quiet);

// Shows a line: at most ten times a second when live, else every five seconds and at done == 1. `done` in [0,
// 1] gives an estimate of the time left; the rest is the printf-style text.
void progress_show(Progress *progress, double done, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Prints a line that stays, unless quiet.
void progress_note(Progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Ends a live line.
void progress_end(Progress *progress);

#endif
