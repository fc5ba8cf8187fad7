// What the window remembers from one time to the next: its theme and the size of its controls, as a line each
// in a file of the user's settings.
#ifndef PBF_VIEWER_PREFERENCES_H
#define PBF_VIEWER_PREFERENCES_H

#include "viewer/controls.h"

typedef struct Preferences {
    Screen *screen;
    Controls *controls;
    const char *path; // NULL: nothing is remembered
    bool first;       // without a file yet: nobody has seen this window
} Preferences;

// Takes what the file says, if there is one. Lines that mean nothing are told and left out.
void preferences_start(Preferences *preferences, const char *path);

// Writes the file, and makes its folder. An error is said.
void preferences_keep(Preferences *preferences);

void preferences_next_theme(Preferences *preferences);
void preferences_enlarge(Preferences *preferences, int direction); // as screen_enlarge

#endif
