#include "viewer/playback.h"

#include "core/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SPEED_MIN = 1.0 / 16, SPEED_MAX = 16; // beyond: no limit
static const double LOADING_TIME = 0.2;                   // s; shorter loading is not shown

static Box3 bounds_of(const Playback *playback)
{
    const FrameView *view = &playback->snapshot->side[0].view;
    if (playback->facts.tank.present) return (Box3){vec3_make(0, 0, 0), playback->facts.tank.size};
    if (view->count == 0) return (Box3){vec3_make(-1, -1, -1), vec3_make(1, 1, 1)};
    Vec3 first = vec3_make(view->x[0], view->y[0], view->z[0]);
    Box3 box = {first, first};
    for (uint32_t k = 1; k < view->count; k++) {
        Vec3 p = vec3_make(view->x[k], view->y[k], view->z[k]);
        box = (Box3){vec3_min(box.lo, p), vec3_max(box.hi, p)};
    }
    return box;
}

static void remember_step(StepHistory *history, const SimSnapshot *snapshot)
{
    const StepReport *report = &snapshot->side[0].view.report;
    if (snapshot->fluid != history->fluid) *history = (StepHistory){.fluid = snapshot->fluid};
    if (report->step == history->step) return;
    history->step = report->step;
    double all = 0;
    for (int phase = 0; phase < PHASE_COUNT; phase++) all += report->phase_ms[phase];
    if (all == 0) return; // a stored state, whose step was timed elsewhere
    memmove(history->phase_ms[0], history->phase_ms[1], (HISTORY - 1) * sizeof *history->phase_ms);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        history->phase_ms[HISTORY - 1][phase] = (float)report->phase_ms[phase];
    if (history->count < HISTORY) history->count++;
    if (history->alike < HISTORY) history->alike++;
}

bool playback_take(Playback *playback)
{
    bool fresh;
    uint64_t number = playback->facts.number;
    bool glimpsed = playback->glimpses;
    playback->glimpses = glimpsed && simulation_status(playback->simulation).loading;
    if (playback->glimpses) return false;
    playback->snapshot = simulation_take(playback->simulation, &fresh);
    bool changed = simulation_facts(playback->simulation, &playback->facts);
    if (changed) playback->history.alike = 0;
    if (changed) playback->screen->controls_stale = true;
    if (fresh || glimpsed) {
        playback->screen->picture_stale = true;
        playback->snapshot_number++;
        if (playback->snapshot->side[0].view.report.step == 0) playback->begun = clock_seconds();
        remember_step(&playback->history, playback->snapshot);
    }
    if (playback->facts.number == number) return false;
    playback->bounds = bounds_of(playback);
    return true;
}

bool playback_follow(Playback *playback, const SimulationStatus *status)
{
    if (status->errors != playback->errors_seen) {
        playback->errors_seen = status->errors;
        screen_say_error(playback->screen, &status->error);
    }
    if (status->notes != playback->notes_seen) screen_say(playback->screen, "%s", status->note);
    playback->notes_seen = status->notes;
    double now = clock_seconds();
    if (!status->loading) playback->loading_since = now;
    bool loading = now - playback->loading_since > LOADING_TIME;
    if (status->playing != playback->was_playing || loading != playback->shows_loading)
        playback->screen->controls_stale = true;
    bool begun = status->playing && !playback->was_playing;
    playback->shows_loading = loading;
    playback->was_playing = status->playing;
    return begun;
}

bool playback_is_split(const Playback *playback)
{
    return playback->snapshot->sides == 2;
}

uint32_t playback_body_count(const Playback *playback)
{
    const Obstacles *obstacles = playback->snapshot->side[0].obstacles;
    return obstacles ? obstacles_count(obstacles) : 0;
}

const ObstacleDef *playback_body(const Playback *playback, uint32_t body)
{
    if (body >= playback_body_count(playback)) return NULL;
    return obstacles_body(playback->snapshot->side[0].obstacles, body);
}

// --- time ---

void playback_toggle(Playback *playback)
{
    bool playing = simulation_status(playback->simulation).playing;
    simulation_play(playback->simulation, !playing);
    screen_say(playback->screen, playing ? "paused" : "playing");
}

void playback_reset(Playback *playback)
{
    simulation_reset(playback->simulation);
    screen_say(playback->screen, "started over (Ctrl+Z returns)");
}

void playback_scrub(Playback *playback, double time)
{
    simulation_scrub(playback->simulation, time);
    const SimSnapshot *glimpse = simulation_glimpse(playback->simulation, time);
    playback->glimpses = glimpse != NULL;
    if (!glimpse) return;
    playback->snapshot = glimpse;
    playback->snapshot_number++;
    screen_redraw(playback->screen);
}

void playback_undo(Playback *playback, int direction)
{
    const Timeline *timeline = &playback->snapshot->timeline;
    if (!(direction < 0 ? timeline->undo : timeline->redo)) {
        screen_say(playback->screen, direction < 0 ? "nothing to take back" : "nothing was taken back");
        return;
    }
    simulation_undo(playback->simulation, direction);
    screen_say(playback->screen, direction < 0 ? "the water before" : "the water after");
}

void playback_speed_text(double speed, char *out, size_t size)
{
    if (!isfinite(speed))
        snprintf(out, size, "as fast as it goes");
    else if (speed < 1)
        snprintf(out, size, "1/%.0f of real time", 1 / speed);
    else
        snprintf(out, size, speed > 1 ? "%.0f x real time" : "real time", speed);
}

void playback_change_speed(Playback *playback, bool faster)
{
    char text[40];
    double speed = simulation_status(playback->simulation).speed;
    if (faster)
        speed = speed >= SPEED_MAX ? INFINITY : speed * 2;
    else
        speed = isfinite(speed) ? fmax(speed / 2, SPEED_MIN) : SPEED_MAX;
    simulation_set_speed(playback->simulation, speed);
    playback_speed_text(speed, text, sizeof text);
    screen_say(playback->screen, "speed: %s", text);
}
