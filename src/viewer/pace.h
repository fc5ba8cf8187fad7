// When a picture of the water is drawn, and how finely. A driver that draws on the processor takes cores from
// the water: while it moves there, pictures are rare and coarse, and sharpen when nothing happens; time in
// which the water waits for the clock goes into more of them. A graphics card draws beside the water, and
// every state that there is time for is shown. Times in s of the clock.
#ifndef PBF_VIEWER_PACE_H
#define PBF_VIEWER_PACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Pace {
    bool on_processor; // that is where the driver draws
    float scale;       // of the next picture against the window: less than 1 is coarse
    float shown_scale; // of the last one
    double begun;      // when the last one was begun
    double picture;    // s that it took
    double expected;   // s that the next one will take, at its scale
    double idle;       // part of the time in which the water waits for the clock, 0..1
    double controls;   // s that the controls took the last time, with waiting for the display
    double acted;      // when the user last did something
    double rate;       // pictures a second, while they come
    double counted_since;
    uint32_t counted;
} Pace;

void pace_start(Pace *pace, bool on_processor);

// A picture of this scale has been drawn; the scale of the next one becomes what can be afforded.
void pace_count(Pace *pace, float scale, double begun, double ended);

// One has been drawn whose time says nothing of the others': a whole one for a recording, or the first of a
// style, for which the driver compiles.
void pace_count_odd(Pace *pace, float scale, double begun, double ended);

// Pictures are counted from now on.
void pace_start_count(Pace *pace, double now);

// When the next picture of moving water may begin.
double pace_due(const Pace *pace);

// Has he done something since the last picture was begun? Then the next one must not wait, be it that the
// surface that he asked for is long in coming.
bool pace_is_asked(const Pace *pace);

// Is it worth drawing the same picture again, finer?
bool pace_can_sharpen(const Pace *pace, double now);

// How long nothing has to be looked at, s. stale: the picture is out of date.
double pace_patience(const Pace *pace, bool stale, double now);

#endif
