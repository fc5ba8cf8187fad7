#include "core/progress.h"

#include "core/clock.h"
#include "core/result.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define LIVE_INTERVAL 0.1  // s
#define PLAIN_INTERVAL 5.0 // s

// Cap of the estimated time left, which is a wild guess at the start.
#define LONGEST 3599999.0 // s, 999:59:59

Progress progress_begin(bool quiet)
{
    double now = clock_seconds();
    return (Progress){.quiet = quiet, .live = isatty(STDERR_FILENO) == 1, .started = now, .last_shown = now};
}

static void print_duration(double seconds)
{
    int whole = (int)(fmin(seconds, LONGEST) + 0.5);
    if (whole >= 3600)
        fprintf(stderr, "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
    else
        fprintf(stderr, "%d:%02d", whole / 60, whole % 60);
}

void progress_show(Progress *progress, double done, const char *format, ...)
{
    double now = clock_seconds();
    bool last = done >= 1.0;
    if (progress->quiet) return;
    if (!last && now - progress->last_shown < (progress->live ? LIVE_INTERVAL : PLAIN_INTERVAL)) return;
    progress->last_shown = now;

    if (progress->live) fputs("\r\033[K", stderr);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    double elapsed = now - progress->started;
    if (last) {
        fputs(", took ", stderr);
        print_duration(elapsed);
    } else if (done > 0.0) {
        fputs(", left ", stderr);
        print_duration(elapsed / done * (1.0 - done));
    }
    progress->line_open = progress->live;
    if (!progress->live) fputc('\n', stderr);
}

void progress_note(Progress *progress, const char *format, ...)
{
    if (progress->quiet) return;
    progress_end(progress);
    char text[3 * PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_mask_controls(text);
    fprintf(stderr, "%s\n", text);
}

void progress_end(Progress *progress)
{
    if (progress->line_open) fputc('\n', stderr);
    progress->line_open = false;
}
