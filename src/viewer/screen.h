// The window's surface: its size, which parts are out of date (dirty flags), and the message on it.
#ifndef PBF_VIEWER_SCREEN_H
#define PBF_VIEWER_SCREEN_H

#include "core/result.h"
#include "render/window.h"

#include <stdbool.h>
#include <stdint.h>

// Part of the window, px from its upper left corner.
typedef struct ScreenArea {
    uint32_t x, y, width, height;
} ScreenArea;

typedef struct Screen {
    Window *window;
    uint32_t width, height; // px, 0 while it is minimized
    ScreenArea free;        // of docked controls: the picture's
    bool picture_stale, controls_stale;
    int controls_due; // times that the controls still have to be drawn
    char message[320];
    double message_until; // s of the clock; 0: there is none
    bool quiet;           // messages do not go to standard error
    float enlarged;       // of the controls, by the user
} Screen;

// Puts a message on the screen for a while, and on standard error.
void screen_say(Screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Says an error; does nothing if there is none.
void screen_say_error(Screen *screen, const Result *result);

// Removes a message whose time is over.
void screen_expire_message(Screen *screen);

// Picture and controls are out of date.
void screen_redraw(Screen *screen);

// Takes the window's size; a change makes both out of date. False if there is nothing to draw on.
bool screen_measure(Screen *screen);

// Leaves this part to the picture; another size than before makes it out of date.
void screen_dock(Screen *screen, ScreenArea free);

// Px of the framebuffer for a common px of the controls.
float screen_unit(const Screen *screen);

// The least and the most that controls are enlarged.
static const double SCREEN_ENLARGED_MIN = 0.6, SCREEN_ENLARGED_MAX = 3;

// The controls become larger (direction 1) or smaller (-1).
void screen_enlarge(Screen *screen, int direction);

#endif
