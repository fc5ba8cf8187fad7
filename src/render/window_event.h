// Input events of a window, as plain data.
#ifndef PBF_RENDER_WINDOW_EVENT_H
#define PBF_RENDER_WINDOW_EVENT_H

#include <stdbool.h>
#include <stdint.h>

// Keys that are told apart by what they are: without a character, or of the keypad. Letters are their
// capitals. All other characters (digits, punctuation) come as text, whatever keys a layout has them on.
typedef enum WindowKey {
    KEY_ESCAPE = 256,
    KEY_ENTER,
    KEY_TAB,
    KEY_BACKSPACE,
    KEY_DELETE,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_UP,
    KEY_DOWN,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_F1,
    KEY_F11,
    KEY_PAD_0,
    KEY_PAD_9 = KEY_PAD_0 + 9,
    KEY_OTHER
} WindowKey;

enum { MOD_SHIFT = 1, MOD_CONTROL = 2, MOD_ALT = 4 };

typedef enum WindowButton { BUTTON_LEFT, BUTTON_RIGHT, BUTTON_MIDDLE, BUTTON_COUNT } WindowButton;

typedef enum WindowEventKind {
    WINDOW_KEY,    // key, down, repeat, mods
    WINDOW_TEXT,   // codepoint, repeat
    WINDOW_BUTTON, // button, down, mods, x, y
    WINDOW_MOVE,   // x, y, mods: MOD_CONTROL alone
    WINDOW_SCROLL, // scroll_x, scroll_y, x, y
    WINDOW_DROP,   // path of a file that was dropped
    WINDOW_REDRAW, // the window's contents were lost, or its size changed
} WindowEventKind;

typedef struct WindowEvent {
    WindowEventKind kind;
    int key; // a WindowKey, a letter or ' '
    bool down, repeat;
    unsigned mods; // MOD_...
    WindowButton button;
    float x, y; // px of the framebuffer from its upper left corner
    float scroll_x, scroll_y;
    uint32_t codepoint; // of text; its key is the same, or KEY_OTHER if it comes from the keypad
    char path[4096];
} WindowEvent;

#endif
