#include "viewer/screen.h"

#include "core/clock.h"

#include <stdarg.h>
#include <stdio.h>

static const double MESSAGE_TIME = 2.5; // s

void screen_say(Screen *screen, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(screen->message, sizeof screen->message, format, arguments);
    va_end(arguments);
    screen->message_until = clock_seconds() + MESSAGE_TIME;
    screen->controls_stale = true;
    if (!screen->quiet) fprintf(stderr, "%s\n", screen->message);
}

void screen_say_error(Screen *screen, const Result *result)
{
    if (!result_is_ok(result)) screen_say(screen, "%s", result->text);
}

void screen_expire_message(Screen *screen)
{
    if (screen->message_until == 0 || clock_seconds() < screen->message_until) return;
    screen->message_until = 0;
    screen->controls_stale = true;
}

void screen_redraw(Screen *screen)
{
    screen->picture_stale = screen->controls_stale = true;
}

bool screen_measure(Screen *screen)
{
    uint32_t width, height;
    window_size(screen->window, &width, &height);
    if (width == 0 || height == 0) return false;
    if (width != screen->width || height != screen->height) screen_redraw(screen);
    screen->width = width;
    screen->height = height;
    return true;
}

void screen_dock(Screen *screen, ScreenArea free)
{
    const ScreenArea *now = &screen->free;
    bool same =
        now->x == free.x && now->y == free.y && now->width == free.width && now->height == free.height;
    if (!same) screen_redraw(screen);
    screen->free = free;
}

float screen_unit(const Screen *screen)
{
    return window_scale(screen->window) * screen->enlarged;
}

void screen_enlarge(Screen *screen, int direction)
{
    static const float sizes[] = {(float)SCREEN_ENLARGED_MIN, 0.8f, 1, 1.25f, 1.5f, 2, 2.5f,
                                  (float)SCREEN_ENLARGED_MAX};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    int k = 0;
    while (k < SIZES - 1 && sizes[k] < screen->enlarged) k++;
    k = k + direction < 0 ? 0 : k + direction < SIZES ? k + direction : SIZES - 1;
    screen->enlarged = sizes[k];
    screen_say(screen, "controls %.0f %%", 100 * (double)sizes[k]);
    screen_redraw(screen);
}
