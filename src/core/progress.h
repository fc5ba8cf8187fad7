// What a long run tells the person who waits for it: a live line on a terminal, plain lines elsewhere.
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

// Shows a line: at most ten times a second when live, else every five seconds and at done == 1.
// done in [0, 1] gives the time that is left; the printf-style text says the rest.
void progress_show(Progress *progress, double done, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A lasting line on standard error, not shown when quiet.
void progress_note(Progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Closes a live line.
void progress_end(Progress *progress);

#endif
