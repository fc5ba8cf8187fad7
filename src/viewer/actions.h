// The table of actions: for each key of the window what it runs, its line in the help, and the state shown
// beside it. The help also has lines for the mouse, which run nothing.
#ifndef PBF_VIEWER_ACTIONS_H
#define PBF_VIEWER_ACTIONS_H

#include "viewer/viewer_state.h"

#include <stddef.h>

enum { ACTION_KEYS_MAX = 10 };

typedef struct ActionKey {
    int key;       // as in WindowEvent; 0: no more keys
    unsigned mods; // MOD_...
    int argument;  // passed to run
} ActionKey;

typedef struct Action {
    const char *group; // NULL: the group of the line before
    const char *keys;  // as users read them
    const char *text;  // in the help; NULL: the line before covers these keys too
    ActionKey bound[ACTION_KEYS_MAX];
    void (*run)(Viewer *viewer, int argument); // NULL: toggles the flag
    void (*state)(const Viewer *viewer, char *out,
                  size_t size); // more than the flag's on or off; NULL for none
    size_t flag;                // offset in Viewer of a bool that the help shows as on or off; 0 for none
    bool hides;                 // the flag hides something: set means off
    const char *said;           // name in the message about a toggled flag; NULL: no message
    bool repeats;               // while the key is held
} Action;

// In the order of the help; NULL past the end.
const Action *action_at(uint32_t k);

// The action of a key and the argument that it has there; NULL if there is none.
const Action *action_of_key(int key, unsigned mods, int *argument);

// Runs the action of a key, which must have one.
void action_press(Viewer *viewer, int key, unsigned mods);

// Is the flag on? The action must have one.
bool action_is_on(const Action *action, const Viewer *viewer);

// Runs an action that a key has.
void action_run(const Action *action, Viewer *viewer, int argument);

// The state that the help shows beside an action, "" if it has none.
void action_state(const Action *action, const Viewer *viewer, char *out, size_t size);

#endif
