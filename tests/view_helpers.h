// Drives the viewer as a person would: a display of its own (Xvfb), keys and mouse by xdotool, files dropped
// by the XDND protocol, and looks at title, messages and pixels.
#ifndef PBF_TESTS_VIEW_HELPERS_H
#define PBF_TESTS_VIEW_HELPERS_H

#include <stdbool.h>
#include <stdint.h>

// Starts the display, once; false if Xvfb or xdotool is missing (the reason is printed).
bool view_display_open(void);
void view_display_close(void);

// Starts `pbf view` with printf-style arguments, split at blanks, and waits for its window. Fails the test if
// there is none.
void view_start(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The file of what the window remembers, in a folder of the display's: written with a text ("theme: dark" at
// first), or with NULL taken away, as before a first run. view_preferences reads it, NULL if there is none;
// free with free.
void view_set_preferences(const char *text);
char *view_preferences(void);

// Waits until it ends and returns its exit status (128 + signal). Fails the test after `seconds`.
int view_end(double seconds);

// Gives the window another size.
void view_resize(unsigned width, unsigned height);

// Asks the window to close, as a click on its cross does.
void view_close_window(void);

// Minimises the window, as a window manager does, or brings it back.
void view_minimise(bool minimised);

// Memory that the viewer holds, bytes; time of processors that it has used, s.
double view_memory(void);
double view_processor_seconds(void);

// Ends the display under the viewer; the next view_display_open starts another one.
void view_display_kill(void);

// Sends an xdotool command line.
void view_do(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Drops a file onto the window.
void view_drop(const char *path);

// The window's title; empty if there is no window.
const char *view_title(void);

// Waits until the title contains a text, or does not contain it any more; fails the test if that takes
// longer than `seconds`.
void view_wait_title(const char *text, double seconds);
void view_wait_no_title(const char *text, double seconds);

// Waits until the viewer has written a text to standard error since the last view_forget, behind the texts
// that earlier waits have found, so that no answer counts for two actions; fails the test likewise.
void view_wait_said(const char *text, double seconds);

// Has it written the text since the last view_forget?
bool view_has_said(const char *text);

// Does what view_do does, or clicks at a place, every five seconds again until the viewer says so; fails the
// test likewise.
void view_do_until_said(const char *actions, const char *text, double seconds);
void view_click_until_said(int x, int y, const char *text, double seconds);
void view_forget(void);

// A number that follows a word of the title: view_title_number("step") of "... step 12, ...".
double view_title_number(const char *word);

enum { VIEW_WIDTH = 800, VIEW_HEIGHT = 600 }; // of the screen

// What is on the screen: four bytes a pixel (blue, green, red, unused), top row first. Free with free.
uint8_t *view_screen(void);

// How many pixels of the rectangle are as blue as water.
uint32_t view_watery(const uint8_t *screen, int x0, int y0, int x1, int y1);

// How many pixels of the rectangle differ by more than a little.
uint32_t view_differing(const uint8_t *a, const uint8_t *b, int x0, int y0, int x1, int y1);

// Waits until so many pixels of the rectangle differ from `before`; fails the test likewise.
void view_wait_change(const uint8_t *before, int x0, int y0, int x1, int y1, uint32_t pixels, double seconds);

// Waits until `least` to `most` pixels of the rectangle are as blue as water; fails the test likewise. A
// picture may stand still for long on a busy machine, before the next one of a movement is drawn.
void view_wait_watery(int x0, int y0, int x1, int y1, uint32_t least, uint32_t most, double seconds);

// The same of pixels as dark as the ground of labels.
void view_wait_dark(int x0, int y0, int x1, int y1, uint32_t least, uint32_t most, double seconds);

// Waits until the screen has not changed for `still` seconds.
uint8_t *view_settled_screen(double still, double seconds);

#endif
