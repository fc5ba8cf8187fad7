// How long the loops of a team of threads take, which tells whether to share the next one. Times decide who
// does the work, never what comes out.
#ifndef PBF_CORE_LOOP_TIMES_H
#define PBF_CORE_LOOP_TIMES_H

#include "core/parallel.h"

#include <stdbool.h>
#include <stdint.h>

#define LOOPS_KNOWN 256u
#define LOOP_LENGTHS 8

// Loops of a kind (parallel.h) and a size: the next one takes about as long.
typedef struct LoopTime {
    ParallelKind *kind;
    int size;            // of the count, as a power of two
    double item_seconds; // on one thread; 0: unknown
} LoopTime;

// What sharing loops of about a length has cost, less what it has gained.
typedef struct LoopDebt {
    double seconds; // negative: a credit
    double at;      // s, when it was last looked at
} LoopDebt;

// All zero at first.
typedef struct LoopTimes {
    LoopTime known[LOOPS_KNOWN];
    LoopDebt debts[LOOP_LENGTHS];
} LoopTimes;

// What is known of a loop. Where too many have a place near its own in the table, one of them is forgotten.
LoopTime *loop_time(LoopTimes *times, ParallelKind *kind, uint32_t count);

// Takes down that a thread took so long for some items.
void loop_time_learn(LoopTime *time, double seconds, uint32_t items);

// Is a loop worth sharing that one thread takes so long for, s? INFINITY: always.
bool loop_is_worth_sharing(LoopTimes *times, double alone);

// Takes down how long it took when it was shared.
void loop_was_shared(LoopTimes *times, double alone, double seconds);

// Has the sharing of loops of any length cost more than it has gained?
bool loops_owe(const LoopTimes *times);

#endif
