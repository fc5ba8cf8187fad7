#include "core/loop_times.h"

#include "core/clock.h"

#include <math.h>
#include <stddef.h>

// Places of the table in which a loop is looked for.
#define LOOP_PLACES 8

// s: a loop that the calling thread can finish in less is never shared.
#define SHARED_SECONDS 10e-6

// On a machine with other programs a member can lose its core in the middle of a block, which costs more than
// sharing a short loop gains. Loops of a length whose sharing has cost more than it gained are not shared
// until that debt is paid off, all debts together at this share of the time that passes.
#define DEBT_PAID 0.03
// Gains that are remembered, in lengths of such a loop, and s at least: less than is lost when a member loses
// its core once would let that outweigh a second of gains.
#define CREDIT_LOOPS 20.0
#define CREDIT_SECONDS 10e-3

LoopTime *loop_time(LoopTimes *times, ParallelKind *kind, uint32_t count)
{
    int size = ilogb(count);
    uintptr_t place = (uintptr_t)kind / 16 + 37 * (uintptr_t)size;
    LoopTime *time = NULL;
    // Two loops that forget each other would be unknown for ever.
    for (uintptr_t k = 0; k < LOOP_PLACES; k++) {
        time = &times->known[(place + k) % LOOPS_KNOWN];
        if (time->kind == kind && time->size == size) return time;
        if (!time->kind) break;
    }
    *time = (LoopTime){kind, size, 0.0};
    return time;
}

// A thread that lost its core in between took far longer than the next one will: what it then seemed to take
// would make sharing look like a gain for as long.
void loop_time_learn(LoopTime *time, double seconds, uint32_t items)
{
    if (items == 0) return;
    double now = seconds / items, before = time->item_seconds;
    time->item_seconds = before > 0.0 ? fmin(now, 1.1 * before) : now;
}

// Each length is twice the one before; NULL for shorter and longer ones.
static LoopDebt *debt_of(LoopTimes *times, double alone)
{
    int length = ilogb(alone / SHARED_SECONDS);
    return length >= 0 && length < LOOP_LENGTHS ? &times->debts[length] : NULL;
}

static int count_debts(const LoopTimes *times)
{
    int debts = 0;
    for (int k = 0; k < LOOP_LENGTHS; k++) debts += times->debts[k].seconds > 0.0;
    return debts;
}

bool loops_owe(const LoopTimes *times)
{
    return count_debts(times) > 0;
}

bool loop_is_worth_sharing(LoopTimes *times, double alone)
{
    if (alone < SHARED_SECONDS) return false;
    LoopDebt *debt = debt_of(times, alone);
    if (!debt) return true;
    if (debt->seconds <= 0.0) return true;
    double now = clock_seconds();
    int debts = count_debts(times);
    debt->seconds = fmax(debt->seconds - DEBT_PAID / debts * (now - debt->at), 0.0);
    debt->at = now;
    return debt->seconds <= 0.0;
}

void loop_was_shared(LoopTimes *times, double alone, double seconds)
{
    LoopDebt *debt = debt_of(times, alone);
    if (!debt) return;
    double credit = fmax(CREDIT_LOOPS * alone, CREDIT_SECONDS);
    debt->seconds = fmax(debt->seconds + seconds - alone, -credit);
    if (debt->seconds > 0.0) debt->at = clock_seconds();
}
