#include "viewer/pace.h"

#include <math.h>

// While the water moves, at most this part of the time goes into pictures that the processor draws, and this
// part of what the water leaves.
static const double PICTURE_SHARE = 0.14, IDLE_SHARE = 0.8;
// Displays wait for their next picture by themselves; where one does not, pictures are no closer than that.
static const double SHORTEST_TIME = 1.0 / 250;
// A picture that answers the user should take no longer.
static const double ANSWER_TIME = 0.04;
// A sharp picture is drawn when nobody has touched anything for so long, if it takes no longer than so much.
static const double SHARPEN_AFTER = 0.4, SHARPEN_TIME = 0.3, SHARPEN_ANYWAY = 0.8;
static const float SCALE_MIN = 0.25f;
// Of the first picture, before any has shown what it takes: early and a little coarse is better than late.
static const float FIRST_SCALE = 0.5f;

void pace_start(Pace *pace, bool on_processor)
{
    *pace = (Pace){.on_processor = on_processor, .scale = on_processor ? FIRST_SCALE : 1, .shown_scale = 1};
}

// The scale that the next picture can afford, from what this one has taken.
static void adapt_scale(Pace *pace)
{
    // Pixels are most of the cost, so the time goes with the square of the scale.
    float fitting = pace->scale * (float)sqrt(ANSWER_TIME / fmax(pace->picture, 1e-4));
    // Small changes are not worth new buffers.
    bool finer = fitting > 1.3f * pace->scale && pace->scale < 1, coarser = fitting < 0.8f * pace->scale;
    if (finer || coarser) pace->scale = fitting > 0.9f ? 1 : fmaxf(fitting, SCALE_MIN);
}

static void count_rate(Pace *pace, double now)
{
    pace->counted++;
    if (now - pace->counted_since < 1) return;
    pace->rate = pace->counted / (now - pace->counted_since);
    pace->counted_since = now;
    pace->counted = 0;
}

void pace_start_count(Pace *pace, double now)
{
    pace->rate = 0;
    pace->counted_since = now;
    pace->counted = 0;
}

void pace_count_odd(Pace *pace, float scale, double begun, double ended)
{
    pace->begun = begun;
    pace->shown_scale = scale;
    count_rate(pace, ended);
}

void pace_count(Pace *pace, float scale, double begun, double ended)
{
    pace->begun = begun;
    pace->shown_scale = scale;
    pace->picture = ended - begun;
    if (scale == pace->scale) adapt_scale(pace);
    double finer = (double)(pace->scale / scale);
    pace->expected = pace->picture * finer * finer;
    count_rate(pace, ended);
}

double pace_due(const Pace *pace)
{
    if (!pace->on_processor) return pace->begun + SHORTEST_TIME;
    // What one whole picture has cost, as the first one does, must not keep a coarse one away for long.
    double share = fmax(PICTURE_SHARE, IDLE_SHARE * pace->idle);
    double rest = (pace->expected + pace->controls) * (1 / share - 1);
    return pace->begun + pace->picture + pace->controls + rest;
}

// Has the user done something a moment ago?
static bool is_steered(const Pace *pace, double now)
{
    return now - pace->acted < SHARPEN_AFTER;
}

bool pace_is_asked(const Pace *pace)
{
    return pace->acted > pace->begun;
}

bool pace_can_sharpen(const Pace *pace, double now)
{
    if (pace->shown_scale >= 1 || is_steered(pace, now)) return false;
    if (now - pace->acted > SHARPEN_ANYWAY) return true;
    double ratio = 1 / (double)pace->shown_scale;
    return pace->picture * ratio * ratio < SHARPEN_TIME;
}

double pace_patience(const Pace *pace, bool stale, double now)
{
    if (stale) return fmax(fmin(pace_due(pace) - now, 0.1), 0);
    if (pace->shown_scale < 1) return fmax(fmin(pace->acted + SHARPEN_AFTER - now + 0.01, 0.1), 0.02);
    return 0.1;
}
