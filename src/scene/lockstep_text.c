#include "scene/lockstep_text.h"

#include "neighbor/neighbor.h"
#include "render/legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Limit, in spacings, of how far apart sums in another order move a particle in a step (measured: 4e-6).
static const double ROUNDING = 1e-4;

bool lockstep_rounding(const Lockstep *lockstep, const FluidDef *left, const FluidDef *right)
{
    const LockstepParting *parting = lockstep_parting(lockstep);
    const ViewDifference *first = &parting->difference;
    return parting->parted && first->only[0] + first->only[1] == 0 &&
           neighbor_method_is_clustered(left->neighbor) != neighbor_method_is_clustered(right->neighbor) &&
           first->distance < ROUNDING * (double)left->spacing;
}

// Writes at most three short lines; the others are empty. Returns whether the states are identical so far.
static bool verdict(const Lockstep *lockstep, char lines[3][56])
{
    const LockstepParting *parting = lockstep_parting(lockstep);
    const ViewDifference *first = &parting->difference;
    size_t size = sizeof lines[0];
    for (int k = 0; k < 3; k++) lines[k][0] = '\0';
    if (!parting->parted) return true;
    snprintf(lines[0], size, "since step %llu, %.4f s", (unsigned long long)parting->step, parting->time);
    if (first->differing == 0)
        snprintf(lines[1], size, "particles: %u only left, %u only right", first->only[0], first->only[1]);
    else if (first->distance > 0)
        snprintf(lines[1], size, "first particle %u by %.2g m", first->particle, first->distance);
    else
        snprintf(lines[1], size, "first particle %u by %.2g m/s", first->particle, first->velocity);
    double time;
    const ViewDifference *largest = lockstep_largest(lockstep, &time);
    if (largest->distance > 0)
        snprintf(lines[2], size, "at most particle %u by %.2g m", largest->particle, largest->distance);
    return false;
}

// value: of at least 32 bytes.
static void write_amount(SplitGroup group, double amount, char *value)
{
    if (group == SPLIT_TIME)
        snprintf(value, 32, "%.2f ms", amount);
    else if (group == SPLIT_COUNT)
        legend_count(value, 32, (uint64_t)llround(amount));
    else if (amount < 1e6)
        snprintf(value, 32, "%.1f kB", 1e-3 * amount);
    else
        snprintf(value, 32, "%.1f MB", 1e-6 * amount);
}

static void add_row(SplitText *text, const char *name, SplitGroup group, double a, double b)
{
    SplitRow *row = &text->rows[text->row_count++];
    *row = (SplitRow){.name = name, .group = group, .amount = {a, b}};
    for (int side = 0; side < 2; side++) write_amount(group, row->amount[side], row->value[side]);
}

static void add_rows(SplitText *text, const LockstepCost *a, const LockstepCost *b)
{
    double x = 1.0 / (a->steps > 0 ? a->steps : 1), y = 1.0 / (b->steps > 0 ? b->steps : 1);
    add_row(text, "construction", SPLIT_TIME, a->construction_ms * x, b->construction_ms * y);
    add_row(text, "search", SPLIT_TIME, a->search_ms * x, b->search_ms * y);
    add_row(text, "behavior", SPLIT_TIME, a->behavior_ms * x, b->behavior_ms * y);
    add_row(text, "total", SPLIT_TIME, a->total_ms * x, b->total_ms * y);
    add_row(text, "candidates", SPLIT_COUNT, (double)a->candidates * x, (double)b->candidates * y);
    add_row(text, "structure", SPLIT_MEMORY, (double)a->structure_bytes, (double)b->structure_bytes);
    add_row(text, "lists", SPLIT_MEMORY, (double)a->list_bytes, (double)b->list_bytes);
}

static void add_verdict(const Lockstep *lockstep, const FluidDef *left, const FluidDef *right,
                        SplitText *text)
{
    char lines[3][56];
    bool identical = verdict(lockstep, lines), rounding = lockstep_rounding(lockstep, left, right);
    const char *clustered = neighbor_method_is_clustered(left->neighbor) ? left->neighbor : right->neighbor;
    text->mood = identical ? SPLIT_GOOD : rounding ? SPLIT_PLAIN : SPLIT_BAD;
    snprintf(text->verdict, sizeof text->verdict, "states %s",
             identical  ? "identical"
             : rounding ? "differ by rounding"
                        : "differ");
    for (int k = 0; k < 3; k++) memcpy(text->notes[k], lines[k], sizeof lines[k]);
    if (rounding) snprintf(text->notes[3], sizeof text->notes[3], "%s sums in another order", clustered);
}

void lockstep_text(const Lockstep *lockstep, const FluidDef *left, const FluidDef *right,
                   const LockstepCost cost[2], SplitText *text)
{
    add_verdict(lockstep, left, right, text);
    if (cost[0].steps == 0 || cost[1].steps == 0) return; // the start: there are no times yet
    add_rows(text, &cost[0], &cost[1]);
    double search = 100 * lockstep_reduction(&cost[0], &cost[1]),
           total = 100 * lockstep_reduction_total(&cost[0], &cost[1]);
    snprintf(text->headline, sizeof text->headline, "%.1f %% %s time", fabs(search),
             search < 0 ? "more" : "less");
    snprintf(text->subject, sizeof text->subject, "construction + search, right side");
    snprintf(text->subject2, sizeof text->subject2, "%.1f %% %s for the whole step", fabs(total),
             total < 0 ? "more" : "less");
}
