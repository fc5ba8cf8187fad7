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

static void add_row(SplitText *text, const char *name, SplitGroup group, const double amount[2])
{
    SplitRow *row = &text->rows[text->row_count++];
    *row = (SplitRow){.name = name, .group = group, .amount = {amount[0], amount[1]}};
    for (int side = 0; side < 2; side++) write_amount(group, amount[side], row->value[side]);
}

static void add_rows(SplitText *text, const LockstepCost cost[2])
{
    double construction[2], search[2], behavior[2], total[2], candidates[2], structure[2], lists[2];
    for (int side = 0; side < 2; side++) {
        const LockstepCost *c = &cost[side];
        double each = 1.0 / (c->steps > 0 ? c->steps : 1);
        construction[side] = c->construction_ms * each;
        search[side] = c->search_ms * each;
        behavior[side] = c->behavior_ms * each;
        total[side] = c->total_ms * each;
        candidates[side] = (double)c->candidates * each;
        structure[side] = (double)c->structure_bytes;
        lists[side] = (double)c->list_bytes;
    }
    add_row(text, "construction", SPLIT_TIME, construction);
    add_row(text, "search", SPLIT_TIME, search);
    add_row(text, "behavior", SPLIT_TIME, behavior);
    add_row(text, "total", SPLIT_TIME, total);
    add_row(text, "candidates", SPLIT_COUNT, candidates);
    add_row(text, "structure", SPLIT_MEMORY, structure);
    add_row(text, "lists", SPLIT_MEMORY, lists);
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
    add_rows(text, cost);
    double search = 100 * lockstep_reduction(&cost[0], &cost[1]),
           total = 100 * lockstep_reduction_total(&cost[0], &cost[1]);
    snprintf(text->headline, sizeof text->headline, "%.1f %% %s time", fabs(search),
             search < 0 ? "more" : "less");
    snprintf(text->subject, sizeof text->subject, "construction + search, right side");
    snprintf(text->subject2, sizeof text->subject2, "%.1f %% %s for the whole step", fabs(total),
             total < 0 ? "more" : "less");
}
