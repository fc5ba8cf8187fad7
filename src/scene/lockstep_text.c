#include "scene/lockstep_text.h"

#include "neighbor/neighbor.h"
#include "render/legend.h"

#include <math.h>
#include <stddef.h>
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

static SplitRow *add_row(SplitText *text, const char *name, SplitGroup group, double a, double b)
{
    SplitRow *row = &text->rows[text->row_count++];
    *row = (SplitRow){.name = name, .group = group, .amount = {a, b}};
    for (int side = 0; side < 2; side++) write_amount(group, row->amount[side], row->value[side]);
    return row;
}

static void add_cost(SplitText *text, const Lockstep *lockstep)
{
    static const struct {
        const char *name;
        LockstepQuantity quantity;
        SplitGroup group;
    } rows[] = {{"construction", LOCKSTEP_CONSTRUCTION, SPLIT_TIME},
                {"search", LOCKSTEP_SEARCH, SPLIT_TIME},
                {"behavior", LOCKSTEP_BEHAVIOR, SPLIT_TIME},
                {"total", LOCKSTEP_TOTAL, SPLIT_TIME},
                {"candidates", LOCKSTEP_CANDIDATES, SPLIT_COUNT}};
    const LockstepCost *a = lockstep_cost(lockstep, 0), *b = lockstep_cost(lockstep, 1);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        add_row(text, rows[k].name, rows[k].group, lockstep_median(lockstep, rows[k].quantity, 0),
                lockstep_median(lockstep, rows[k].quantity, 1));
    add_row(text, "memory", SPLIT_MEMORY, (double)(a->structure_bytes + a->list_bytes),
            (double)(b->structure_bytes + b->list_bytes));
}

static void add_quality(SplitText *text, const FluidTotals *const totals[2])
{
    static const struct {
        const char *name, *format;
        size_t offset;
        double scale;
    } rows[] = {{"density error", "%.3f %%", offsetof(FluidTotals, error_mean), 100},
                {"divergence", "%.3g 1/s", offsetof(FluidTotals, divergence), 1},
                {"kinetic energy", "%.4g J", offsetof(FluidTotals, kinetic), 1},
                {"volume", "%.5g m^3", offsetof(FluidTotals, density_volume), 1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double amount[2];
        for (int side = 0; side < 2; side++)
            amount[side] = rows[k].scale * *(const double *)((const char *)totals[side] + rows[k].offset);
        SplitRow *row = add_row(text, rows[k].name, SPLIT_QUALITY, amount[0], amount[1]);
        for (int side = 0; side < 2; side++)
            snprintf(row->value[side], sizeof row->value[side], rows[k].format, amount[side]);
    }
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

bool lockstep_is_about_search(const FluidDef *left, const FluidDef *right)
{
    return strcmp(left->neighbor, right->neighbor) != 0 &&
           neighbor_method_is_clustered(left->neighbor) == neighbor_method_is_clustered(right->neighbor);
}

static void add_headline(const Lockstep *lockstep, bool search, SplitText *text)
{
    PairFigure lookup = lockstep_figure(lockstep, LOCKSTEP_LOOKUP),
               total = lockstep_figure(lockstep, LOCKSTEP_TOTAL);
    const PairFigure *first = search ? &lookup : &total, *second = search ? &total : &lookup;
    static const char *const subjects[] = {"construction + search", "the whole step"};
    char other[48];
    size_t size = sizeof text->subjects[0];
    pair_figure_text(first, "time", text->headline, sizeof text->headline);
    snprintf(text->subjects[0], size, "for %s on the right", subjects[!search]);
    pair_figure_bounds(first, text->subjects[1], (uint32_t)size);
    pair_figure_text(second, "", other, sizeof other);
    if (pair_figure_is_known(second)) snprintf(text->subjects[2], size, "%s: %.30s", subjects[search], other);
}

void lockstep_text(const Lockstep *lockstep, const FluidDef *left, const FluidDef *right,
                   const FluidTotals *const totals[2], SplitText *text)
{
    add_verdict(lockstep, left, right, text);
    add_headline(lockstep, lockstep_is_about_search(left, right), text);
    PairFigure total = lockstep_figure(lockstep, LOCKSTEP_TOTAL);
    if (pair_figure_is_known(&total)) add_cost(text, lockstep);
    if (totals[0] && totals[1]) add_quality(text, totals);
}
