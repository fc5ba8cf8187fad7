// States of the water that the window can return to. A run is a line of time: the states of the present one
// are what is played again, those of runs that were given up are what undo returns to. Memory is bounded:
// where it is full, states are packed, older ones first, and then go so that those of the last minute stay
// evenly apart. One thread changes a history, others may look into it meanwhile.
#ifndef PBF_VIEWER_HISTORY_H
#define PBF_VIEWER_HISTORY_H

#include "viewer/moment.h"

#include <pthread.h>

typedef struct History {
    Moment **moments; // by run, and in each by time
    uint32_t count;
    size_t capacity;
    size_t bytes, budget;
    uint32_t run;         // the present one; later ones were undone
    double packing;       // share of their bytes that moments take once they are packed, as far as is known
    pthread_mutex_t lock; // of all that changes
} History;

// An empty history for a budget in bytes. history_free frees all moments and lets their scenes go.
void history_open(History *history, size_t budget);
void history_free(History *history);

// Takes the moment over, into the present run, in any order of time; one that is there already stays. Frees
// what does not fit any more. Errors: RESULT_NO_MEMORY; the moment is freed then, too.
Result history_add(History *history, Moment *moment);

// The present run: its moments begin..end-1.
void history_range(const History *history, uint32_t *begin, uint32_t *end);

// Of the present run: the moment nearest to a time, and the first one after (direction 1) or before it (-1);
// NULL if there is none. They stay until the history changes.
const Moment *history_nearest(const History *history, double time);
const Moment *history_beside(const History *history, double time, int direction);

// The state of that nearest moment, from any thread: a copy, freed with blocks_free; empty if there is none.
// *frame and *between are the moment's. Errors: RESULT_NO_MEMORY.
Result history_look(History *history, double time, StateBlocks *state, uint32_t *frame, bool *between);

// What follows belongs to another run; what was undone goes.
void history_begin_run(History *history);

// What follows `time` will be otherwise: what is there of it now becomes a run that was given up.
void history_branch(History *history, double time);

// The last moment of the run before (direction -1) or after the present one, which becomes the present one;
// NULL if there is none.
const Moment *history_change_run(History *history, int direction);
bool history_has_run(const History *history, int direction);

#endif
