// Everything the keyboard does in the viewer, and the help, which tells of the mouse, too.
#ifndef PBF_VIEWER_CONTROLS_H
#define PBF_VIEWER_CONTROLS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum Action {
    ACTION_PLAY,
    ACTION_STEP,
    ACTION_FRAME,
    ACTION_RESET,
    ACTION_SLOWER,
    ACTION_FASTER,
    ACTION_STYLE,
    ACTION_COLOR,
    ACTION_COLOR_BACK,
    ACTION_AUTO_RANGE,
    ACTION_COLOR_BAR,
    ACTION_CLIP,
    ACTION_CLIP_AXIS,
    ACTION_CLIP_BACK,
    ACTION_CLIP_ON,
    ACTION_TANK,
    ACTION_OBSTACLES,
    ACTION_CELLS,
    ACTION_PANEL,
    ACTION_HUD,
    ACTION_PROBE,
    ACTION_HELP,
    ACTION_CHOOSE_PREVIOUS,
    ACTION_CHOOSE_NEXT,
    ACTION_LESS,
    ACTION_MORE,
    ACTION_APPLY,
    ACTION_ORBIT_LEFT,
    ACTION_ORBIT_RIGHT,
    ACTION_ORBIT_UP,
    ACTION_ORBIT_DOWN,
    ACTION_PAN_LEFT,
    ACTION_PAN_RIGHT,
    ACTION_PAN_UP,
    ACTION_PAN_DOWN,
    ACTION_ZOOM_IN,
    ACTION_ZOOM_OUT,
    ACTION_HOME,
    ACTION_FRAME_ALL,
    ACTION_SCENE,
    ACTION_HAND,
    ACTION_BALL,
    ACTION_PUSH,
    ACTION_PULL,
    ACTION_NEXT_OBSTACLE,
    ACTION_MOVE_LEFT,
    ACTION_MOVE_RIGHT,
    ACTION_MOVE_AWAY,
    ACTION_MOVE_NEAR,
    ACTION_MOVE_UP,
    ACTION_MOVE_DOWN,
    ACTION_COMPARE,
    ACTION_AGAINST,
    ACTION_SCREENSHOT,
    ACTION_RECORD,
    ACTION_FILM,
    ACTION_FULLSCREEN,
    ACTION_QUIT,
    ACTION_COUNT
} Action;

// One line of the help.
typedef struct Control {
    const char *group; // NULL: the group of the line before
    const char *keys;  // as users read them
    const char *text;
    Action action; // of the state that is shown with it; ACTION_COUNT: it has none
} Control;

// The lines of the help in order; NULL past the end.
const Control *control_line(uint32_t k);

// What a key does; false if nothing. mods: MOD_... *digit is the number of a scene for ACTION_SCENE.
bool control_of_key(int key, unsigned mods, Action *out, uint32_t *digit);

#endif
