#include "viewer/frame_pacing.h"

#include <math.h>

// While the water moves, this part of the time goes into pictures that the processor draws, if the user has
// chosen no other, and this part of what the water leaves.
static const float PICTURE_SHARE = 0.14f;
static const double IDLE_SHARE = 0.8;
// They begin at least this often, s, unless that would be more than half of the time: what moves is seen to
// move on a busy machine, too.
static const double LONGEST_TIME = 0.25;
// The display normally sets the rate (vertical sync); without it, pictures are at least this far apart.
static const double SHORTEST_TIME = 1.0 / 250;
// A picture that answers the user should take no longer.
static const double ANSWER_TIME = 0.04;
// A sharp picture is drawn after this long without input if it takes no longer than SHARPEN_TIME, and a
// little later in any case.
static const double SHARPEN_AFTER = 0.4, SHARPEN_TIME = 0.3, SHARPEN_ANYWAY = 0.8;
static const float SCALE_MIN = 0.25f;
// Scale of the first picture, before its cost is known: early and a little coarse is better than late.
static const float FIRST_SCALE = 0.5f;

void frame_pacing_start(FramePacing *pacing, bool on_processor)
{
    *pacing = (FramePacing){.on_processor = on_processor,
                            .share = PICTURE_SHARE,
                            .scale = on_processor ? FIRST_SCALE : 1,
                            .shown_scale = 1};
}

// Chooses the scale that the next picture can afford from the time this one took.
static void adapt_scale(FramePacing *pacing)
{
    // Pixels are most of the cost, so the time goes with the square of the scale.
    float fitting = pacing->scale * (float)sqrt(ANSWER_TIME / fmax(pacing->picture, 1e-4));
    // Small changes are not worth new buffers.
    bool finer = fitting > 1.3f * pacing->scale && pacing->scale < 1,
         coarser = fitting < 0.8f * pacing->scale;
    if (finer || coarser) pacing->scale = fitting > 0.9f ? 1 : fmaxf(fitting, SCALE_MIN);
}

static void count_rate(FramePacing *pacing, double now)
{
    pacing->counted++;
    if (now - pacing->counted_since < 1) return;
    pacing->rate = pacing->counted / (now - pacing->counted_since);
    pacing->counted_since = now;
    pacing->counted = 0;
}

void frame_pacing_start_count(FramePacing *pacing, double now)
{
    pacing->rate = 0;
    pacing->counted_since = now;
    pacing->counted = 0;
}

void frame_pacing_count_odd(FramePacing *pacing, float scale, double begun, double ended)
{
    pacing->begun = begun;
    pacing->shown_scale = scale;
    count_rate(pacing, ended);
}

void frame_pacing_count(FramePacing *pacing, float scale, double begun, double ended)
{
    pacing->begun = begun;
    pacing->shown_scale = scale;
    pacing->picture = ended - begun;
    if (scale == pacing->scale) adapt_scale(pacing);
    double finer = (double)(pacing->scale / scale);
    pacing->expected = pacing->picture * finer * finer;
    count_rate(pacing, ended);
}

double frame_pacing_due(const FramePacing *pacing)
{
    if (!pacing->on_processor) return pacing->begun + SHORTEST_TIME;
    // The cost of one full picture, like the first, must not delay a coarse one for long.
    double share = fmax((double)pacing->share, IDLE_SHARE * pacing->idle);
    double rest = (pacing->expected + pacing->controls) * (1 / share - 1);
    double took = pacing->picture + pacing->controls;
    return pacing->begun + took + fmin(rest, fmax(LONGEST_TIME - took, took));
}

// Has the user done something a moment ago?
static bool is_steered(const FramePacing *pacing, double now)
{
    return now - pacing->acted < SHARPEN_AFTER;
}

bool frame_pacing_is_asked(const FramePacing *pacing)
{
    return pacing->acted > pacing->begun;
}

bool frame_pacing_can_sharpen(const FramePacing *pacing, double now)
{
    if (pacing->shown_scale >= 1 || is_steered(pacing, now)) return false;
    if (now - pacing->acted > SHARPEN_ANYWAY) return true;
    double ratio = 1 / (double)pacing->shown_scale;
    return pacing->picture * ratio * ratio < SHARPEN_TIME;
}

double frame_pacing_patience(const FramePacing *pacing, bool stale, double now)
{
    if (stale) return fmax(fmin(frame_pacing_due(pacing) - now, 0.1), 0);
    if (pacing->shown_scale < 1) return fmax(fmin(pacing->acted + SHARPEN_AFTER - now + 0.01, 0.1), 0.02);
    return 0.1;
}
