// Everything that keys do in the viewer, in one table: what a key runs, how users read it in the help, and
// what is shown there of its state. The help also has lines for the mouse, which run nothing.
#ifndef PBF_VIEWER_ACTIONS_H
#define PBF_VIEWER_ACTIONS_H

#include "viewer/viewer_state.h"

#include <stddef.h>

enum { ACTION_KEYS_MAX = 10 };

typedef struct ActionKey {
    int key;       // as of a WindowEvent; 0: no more keys
    unsigned mods; // MOD_...
    int argument;  // of run
} ActionKey;

typedef struct Action {
    const char *group; // NULL: the group of the line before
    const char *keys;  // as users read them
    const char *text;  // of the help; NULL: the line before tells of these keys, too
    ActionKey bound[ACTION_KEYS_MAX];
    void (*run)(Viewer *viewer, int argument);                   // NULL: turns the flag over
    void (*state)(const Viewer *viewer, char *out, size_t size); // beside that of the flag; NULL for none
    size_t flag;      // where the Viewer has a bool that the help shows as on or off; 0 for none
    bool hides;       // on is off
    const char *said; // what a flag that is turned over is called; NULL: that is seen without a word
    bool repeats;     // while the key is held
} Action;

// In the order of the help; NULL past the end.
const Action *action_at(uint32_t k);

// The action of a key and the argument that it has there; NULL if there is none.
const Action *action_of_key(int key, unsigned mods, int *argument);

// Does what this key does, which there has to be.
void action_press(Viewer *viewer, int key, unsigned mods);

// Is the flag of an action that has one on?
bool action_is_on(const Action *action, const Viewer *viewer);

// Runs an action that a key has.
void action_run(const Action *action, Viewer *viewer, int argument);

// What the help shows beside an action, "" if it has no state.
void action_state(const Action *action, const Viewer *viewer, char *out, size_t size);

#endif
