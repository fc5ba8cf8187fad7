// Frame pacing: when a picture of the water is drawn, and at what resolution. A driver that renders in
// software takes cores from the simulation: while the water moves, pictures are rare and coarse, but come
// four times a second as long as they take less than half of the time, and sharpen when nothing happens; time
// in which the simulation waits for the clock goes into more of them. A graphics card works in parallel, so
// every state that there is time for is shown. Times in s of the clock.
#ifndef PBF_VIEWER_FRAME_PACING_H
#define PBF_VIEWER_FRAME_PACING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct FramePacing {
    bool on_processor; // the driver renders in software
    float share;       // of the time in which water moves, that goes into pictures then; the user's choice
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
} FramePacing;

void frame_pacing_start(FramePacing *pacing, bool on_processor);

// A picture of this scale has been drawn; the scale of the next one becomes what can be afforded.
void frame_pacing_count(FramePacing *pacing, float scale, double begun, double ended);

// A picture has been drawn whose time does not predict the next one's: a full-size one for a recording, or
// the first of a style, for which the driver compiles shaders.
void frame_pacing_count_odd(FramePacing *pacing, float scale, double begun, double ended);

// Restarts the count of pictures per second.
void frame_pacing_start_count(FramePacing *pacing, double now);

// When the next picture of moving water may begin.
double frame_pacing_due(const FramePacing *pacing);

// Has the user acted since the last picture was begun? Then the next one must not wait, even if the surface
// it shows arrives late.
bool frame_pacing_is_asked(const FramePacing *pacing);

// Is it worth drawing the same picture again, finer?
bool frame_pacing_can_sharpen(const FramePacing *pacing, double now);

// How long the loop may sleep, s. stale: the picture is out of date.
double frame_pacing_patience(const FramePacing *pacing, bool stale, double now);

#endif
