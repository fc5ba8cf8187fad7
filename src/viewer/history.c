#include "viewer/history.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Within this time of the present states are kept evenly, s; further back they get sparser.
static const double EVEN_TIME = 60;

// Share of its bytes that a packed state is taken for until one has been packed.
static const double PACKING_GUESS = 0.5;

// Runs that undo returns to.
static const uint32_t RUNS_MAX = 20;

// --- life ---

void history_open(History *history, size_t budget)
{
    *history = (History){.budget = budget, .packing = PACKING_GUESS};
    pthread_mutex_init(&history->lock, NULL);
}

void history_free(History *history)
{
    for (uint32_t k = 0; k < history->count; k++) moment_free(history->moments[k]);
    memory_free(history->moments);
    pthread_mutex_destroy(&history->lock);
    *history = (History){0};
}

static void drop(History *history, uint32_t k)
{
    history->bytes -= history->moments[k]->bytes;
    moment_free(history->moments[k]);
    memmove(history->moments + k, history->moments + k + 1,
            (--history->count - k) * sizeof *history->moments);
}

// --- looking ---

static void range_of(const History *history, uint32_t run, uint32_t *begin, uint32_t *end)
{
    *begin = 0;
    while (*begin < history->count && history->moments[*begin]->run < run) ++*begin;
    *end = *begin;
    while (*end < history->count && history->moments[*end]->run == run) ++*end;
}

void history_range(const History *history, uint32_t *begin, uint32_t *end)
{
    range_of(history, history->run, begin, end);
}

const Moment *history_nearest(const History *history, double time)
{
    uint32_t k, end;
    const Moment *nearest = NULL;
    for (history_range(history, &k, &end); k < end; k++) {
        const Moment *moment = history->moments[k];
        if (!nearest || fabs(moment->time - time) < fabs(nearest->time - time)) nearest = moment;
    }
    return nearest;
}

const Moment *history_beside(const History *history, double time, int direction)
{
    uint32_t k, end;
    const Moment *before = NULL;
    for (history_range(history, &k, &end); k < end; k++) {
        const Moment *moment = history->moments[k];
        if (moment->time > time && direction > 0) return moment;
        if (moment->time < time && direction < 0) before = moment;
    }
    return before;
}

// --- room ---

// What is lost without a moment: the rounder a frame's number, the more of those around it it stands for
// once they are gone, so that what stays is evenly apart; and what is older counts less.
static double worth(const Moment *moment, double now)
{
    enum { ROUND_MAX = 20 };
    int zeros = moment->frame > 0 ? __builtin_ctz(moment->frame) : ROUND_MAX;
    double share = moment->between ? 0.5 : ldexp(1.0, zeros < ROUND_MAX ? zeros : ROUND_MAX);
    return share / fmax(now - moment->time, EVEN_TIME);
}

// The moment that is missed least; count if none can go.
static uint32_t least(const History *history)
{
    uint32_t begin, end;
    // A run that was given up keeps its end, which undo returns to.
    for (uint32_t k = 0; k + 1 < history->count; k++) {
        uint32_t run = history->moments[k]->run;
        if (run != history->run && history->moments[k + 1]->run == run) return k;
    }
    history_range(history, &begin, &end);
    uint32_t found = history->count;
    double now = end > begin ? history->moments[end - 1]->time : 0;
    for (uint32_t k = begin + 1; k + 1 < end; k++) {
        bool less =
            found == history->count || worth(history->moments[k], now) < worth(history->moments[found], now);
        if (less) found = k;
    }
    return found == history->count && history->count > 1 ? 0 : found;
}

// Bytes that all moments would take if they were packed.
static double packed_bytes(const History *history)
{
    double sum = 0;
    for (uint32_t k = 0; k < history->count; k++) {
        const Moment *moment = history->moments[k];
        sum += (double)moment->bytes * (moment_can_pack(moment) ? history->packing : 1);
    }
    return sum;
}

// Packs the first moment that can be; false if there is none, or no memory for it.
static bool pack_one(History *history)
{
    uint32_t k = 0;
    while (k < history->count && !moment_can_pack(history->moments[k])) k++;
    if (k == history->count) return false;
    Moment *moment = history->moments[k];
    size_t before = moment->bytes;
    Result result = moment_pack(moment);
    if (!result_is_ok(&result)) return false;
    history->packing = (double)moment->bytes / (double)before;
    history->bytes -= before - moment->bytes;
    return true;
}

// Packing takes time, so that what will not stay anyway goes without it.
static void make_room(History *history)
{
    while (history->bytes > history->budget) {
        if (packed_bytes(history) <= (double)history->budget && pack_one(history)) continue;
        uint32_t k = least(history);
        if (k == history->count) return;
        drop(history, k);
    }
}

static Result add(History *history, Moment *moment)
{
    uint32_t k, end;
    history_range(history, &k, &end);
    while (k < end && history->moments[k]->time < moment->time) k++;
    bool there = k < end && history->moments[k]->time == moment->time;
    Result result = result_ok();
    if (!there)
        result = MEMORY_RESERVE(history->moments, history->capacity, history->count,
                                (size_t)history->count + 1, "remembered states");
    if (there || !result_is_ok(&result)) {
        moment_free(moment);
        return result;
    }
    memmove(history->moments + k + 1, history->moments + k,
            (history->count++ - k) * sizeof *history->moments);
    moment->run = history->run;
    history->moments[k] = moment;
    history->bytes += moment->bytes;
    make_room(history);
    return result_ok();
}

Result history_add(History *history, Moment *moment)
{
    pthread_mutex_lock(&history->lock);
    Result result = add(history, moment);
    pthread_mutex_unlock(&history->lock);
    return result;
}

static Result copy_state(const Moment *moment, StateBlocks *state)
{
    const StateBlocks *there;
    TRY(moment_open(moment, state, &there));
    return there == state ? result_ok() : blocks_clone(there, state);
}

Result history_look(History *history, double time, StateBlocks *state, uint32_t *frame, bool *between)
{
    *state = (StateBlocks){0};
    pthread_mutex_lock(&history->lock);
    const Moment *moment = history_nearest(history, time);
    Result result = moment ? copy_state(moment, state) : result_ok();
    if (moment) *frame = moment->frame;
    if (moment) *between = moment->between;
    pthread_mutex_unlock(&history->lock);
    return result;
}

// --- runs ---

static void forget_undone(History *history)
{
    while (history->count > 0 && history->moments[history->count - 1]->run > history->run)
        drop(history, history->count - 1);
}

void history_begin_run(History *history)
{
    pthread_mutex_lock(&history->lock);
    forget_undone(history);
    history->run++;
    while (history->count > 0 && history->moments[0]->run + RUNS_MAX <= history->run) drop(history, 0);
    pthread_mutex_unlock(&history->lock);
}

static int compare_moments(const void *a, const void *b)
{
    const Moment *x = *(Moment *const *)a, *y = *(Moment *const *)b;
    if (x->run != y->run) return x->run < y->run ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

void history_branch(History *history, double time)
{
    if (!history_beside(history, time, 1)) return;
    uint32_t k, end;
    pthread_mutex_lock(&history->lock);
    forget_undone(history);
    for (history_range(history, &k, &end); k < end && history->moments[k]->time <= time; k++)
        history->moments[k]->run++;
    history->run++;
    qsort(history->moments, history->count, sizeof *history->moments, compare_moments);
    pthread_mutex_unlock(&history->lock);
}

// The last moment of the nearest run in a direction; count if there is none.
static uint32_t last_of_next_run(const History *history, int direction)
{
    uint32_t begin, end;
    history_range(history, &begin, &end);
    if (direction < 0) return begin > 0 ? begin - 1 : history->count;
    if (end == history->count) return end;
    range_of(history, history->moments[end]->run, &begin, &end);
    return end - 1;
}

bool history_has_run(const History *history, int direction)
{
    return last_of_next_run(history, direction) < history->count;
}

const Moment *history_change_run(History *history, int direction)
{
    uint32_t k = last_of_next_run(history, direction);
    if (k == history->count) return NULL;
    pthread_mutex_lock(&history->lock);
    history->run = history->moments[k]->run;
    pthread_mutex_unlock(&history->lock);
    return history->moments[k];
}
