// A window with an OpenGL 3.3 core context, and its input as a queue of plain events. The only place that
// knows GLFW. Call everything except window_wake from the thread that opened the window.
#ifndef PBF_RENDER_WINDOW_H
#define PBF_RENDER_WINDOW_H

#include "core/result.h"
#include "render/window_event.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Window Window;

// Opens a window of about width x height px and makes its context current. Error: RESULT_FAILED that says why
// (no display, no OpenGL 3.3); nothing is left open then.
Result window_open(const char *title, uint32_t width, uint32_t height, Window **out);
void window_close(Window *window); // NULL is allowed

// When the display server dies, the process ends with one line and status 1. Until the window is closed, save
// is called before that, in the thread that calls this; it must not use the window.
void window_on_lost(void (*save)(void *context), void *context);

// Takes the next event; false if there is none.
bool window_next_event(Window *window, WindowEvent *out);

// Polls the system for events; waits at most this many seconds for one.
void window_wait(Window *window, double seconds);

// Ends a wait, from any thread.
void window_wake(void);

// Has the user asked to close it?
bool window_wants_to_close(const Window *window);

// The framebuffer in px; 0 while it is minimized.
void window_size(const Window *window, uint32_t *width, uint32_t *height);

// Px of the framebuffer for one px of a common screen: 2 on a high-density one.
float window_scale(const Window *window);

void window_set_clipboard(Window *window, const char *text);
void window_set_title(Window *window, const char *title);
void window_toggle_fullscreen(Window *window);
void window_hide(Window *window);

// Waits, asleep, until all drawing is done (two seconds at most), to measure its time.
void window_finish(Window *window);

// Fills framebuffer 0 with one color (sRGB, 0..1).
void window_fill(Window *window, float red, float green, float blue);

// Does presenting wait for the display? It does at first. Desktops that show a covered window once a second
// let it wait as long.
void window_follow_display(Window *window, bool follows);

// Presents framebuffer 0. Error: RESULT_FAILED if the driver has lost the context.
Result window_present(Window *window);

#endif
