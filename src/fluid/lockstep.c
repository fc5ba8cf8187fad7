#include "fluid/lockstep.h"

#include "core/clock.h"
#include "core/memory.h"

// What the last rounds cost, as a ring.
typedef struct RoundRing {
    double amount[LOCKSTEP_QUANTITIES][PAIRS_MAX][2];
    double steps[PAIRS_MAX][2];
    uint64_t count; // of all rounds that were added
} RoundRing;

struct Lockstep {
    Fluid *fluid[2];
    uint64_t turns;       // calls so far: who goes first alternates
    double met_time;      // s, of the last meeting
    LockstepRound open;   // the round that is under way
    LockstepRound closed; // the last one that is complete
    LockstepCost sum[2];
    RoundRing ring;
    LockstepParting parting;
    ViewDifference largest;
    double largest_time; // s
    DifferenceBuffers buffers;
};

void lockstep_cost_add(LockstepCost *sum, const LockstepCost *more)
{
    sum->steps += more->steps;
    sum->construction_ms += more->construction_ms;
    sum->search_ms += more->search_ms;
    sum->behavior_ms += more->behavior_ms;
    sum->total_ms += more->total_ms;
    for (int phase = 0; phase < PHASE_COUNT; phase++) sum->phase_ms[phase] += more->phase_ms[phase];
    sum->candidates += more->candidates;
    sum->neighbors += more->neighbors;
    if (more->structure_bytes > sum->structure_bytes) sum->structure_bytes = more->structure_bytes;
    if (more->list_bytes > sum->list_bytes) sum->list_bytes = more->list_bytes;
    if (more->steps > 0) sum->particles = more->particles;
}

static double spared(double a, double b)
{
    return a > 0 ? 1 - b / a : 0;
}

double lockstep_reduction(const LockstepCost *a, const LockstepCost *b)
{
    return spared(a->construction_ms + a->search_ms, b->construction_ms + b->search_ms);
}

double lockstep_reduction_total(const LockstepCost *a, const LockstepCost *b)
{
    return spared(a->total_ms, b->total_ms);
}

static Result compare_states(Lockstep *lockstep)
{
    LockstepRound *round = &lockstep->open;
    FrameView a = fluid_view(lockstep->fluid[0]), b = fluid_view(lockstep->fluid[1]);
    TRY(view_difference(&a, &b, &lockstep->buffers, &round->difference));
    const ViewDifference *now = &round->difference;
    if (now->identical) return result_ok();
    if (!lockstep->parting.parted) lockstep->parting = (LockstepParting){true, a.report.step, a.time, *now};
    if (lockstep->largest.identical || now->distance > lockstep->largest.distance) {
        lockstep->largest = *now;
        lockstep->largest_time = a.time;
    }
    return result_ok();
}

// All but the fluids.
static void free_all(Lockstep *lockstep)
{
    difference_buffers_free(&lockstep->buffers);
    memory_free(lockstep);
}

Result lockstep_create(Fluid *const fluids[2], Lockstep **out)
{
    *out = NULL;
    Lockstep *lockstep = memory_allocate_zeroed(sizeof *lockstep);
    if (!lockstep) return result_no_memory("the comparison", sizeof *lockstep);
    for (int side = 0; side < 2; side++) lockstep->fluid[side] = fluids[side];
    lockstep->largest = (ViewDifference){.identical = true, .particle = UINT32_MAX};
    Result result = compare_states(lockstep);
    if (!result_is_ok(&result)) {
        free_all(lockstep);
        return result;
    }
    lockstep->met_time = fluid_time(lockstep->fluid[0]);
    lockstep->open.start = lockstep->open.end = lockstep->met_time;
    lockstep->closed = lockstep->open; // number 0: the start
    lockstep->open = (LockstepRound){0};
    *out = lockstep;
    return result_ok();
}

void lockstep_destroy(Lockstep *lockstep)
{
    if (!lockstep) return;
    fluid_destroy(lockstep->fluid[0]);
    fluid_destroy(lockstep->fluid[1]);
    free_all(lockstep);
}

Fluid *lockstep_keep(Lockstep *lockstep, int side)
{
    Fluid *kept = lockstep->fluid[side];
    fluid_destroy(lockstep->fluid[1 - side]);
    free_all(lockstep);
    return kept;
}

static Result step_side(Lockstep *lockstep, int side, double until)
{
    StepReport report;
    Result result = fluid_settle(lockstep->fluid[side]); // no part of any step's cost
    double started = clock_seconds();
    if (result_is_ok(&result)) result = fluid_step(lockstep->fluid[side], until, &report);
    double total_ms = 1e3 * (clock_seconds() - started);
    if (!result_is_ok(&result))
        return result_error(result.code, "the %s side: %.270s", side == 0 ? "first" : "second", result.text);
    const NeighborStats *search = &report.neighbor;
    LockstepCost cost = {
        .steps = 1,
        .construction_ms = search->construction_ms,
        .search_ms = search->search_ms,
        .behavior_ms = total_ms - search->construction_ms - search->search_ms,
        .total_ms = total_ms,
        .candidates = search->candidates,
        .neighbors = search->neighbors,
        .structure_bytes = search->structure_bytes,
        .list_bytes = search->list_bytes,
        .particles = report.particles,
    };
    for (int phase = 0; phase < PHASE_COUNT; phase++) cost.phase_ms[phase] = report.phase_ms[phase];
    lockstep_cost_add(&lockstep->open.cost[side], &cost);
    return result_ok();
}

// --- running figures ---

static void ring_add(RoundRing *ring, const LockstepCost cost[2])
{
    uint32_t at = (uint32_t)(ring->count++ % PAIRS_MAX);
    for (int side = 0; side < 2; side++) {
        const LockstepCost *c = &cost[side];
        const double amount[LOCKSTEP_QUANTITIES] = {[LOCKSTEP_CONSTRUCTION] = c->construction_ms,
                                                    [LOCKSTEP_SEARCH] = c->search_ms,
                                                    [LOCKSTEP_LOOKUP] = c->construction_ms + c->search_ms,
                                                    [LOCKSTEP_BEHAVIOR] = c->behavior_ms,
                                                    [LOCKSTEP_TOTAL] = c->total_ms,
                                                    [LOCKSTEP_CANDIDATES] = (double)c->candidates};
        for (int k = 0; k < LOCKSTEP_QUANTITIES; k++) ring->amount[k][at][side] = amount[k];
        ring->steps[at][side] = c->steps;
    }
}

static uint32_t ring_count(const RoundRing *ring)
{
    return ring->count < PAIRS_MAX ? (uint32_t)ring->count : PAIRS_MAX;
}

PairFigure lockstep_figure(const Lockstep *lockstep, LockstepQuantity quantity)
{
    const RoundRing *ring = &lockstep->ring;
    return pair_figure(ring->amount[quantity], ring_count(ring));
}

double lockstep_median(const Lockstep *lockstep, LockstepQuantity quantity, int side)
{
    double values[PAIRS_MAX];
    const RoundRing *ring = &lockstep->ring;
    uint32_t count = ring_count(ring);
    for (uint32_t k = 0; k < count; k++) values[k] = ring->amount[quantity][k][side] / ring->steps[k][side];
    return pair_median(values, count);
}

void lockstep_start_figures(Lockstep *lockstep)
{
    lockstep->ring.count = 0;
}

// --- stepping ---

static Result close_round(Lockstep *lockstep, double time)
{
    lockstep->open.number = lockstep->closed.number + 1;
    lockstep->open.start = lockstep->met_time;
    lockstep->open.end = lockstep->met_time = time;
    TRY(compare_states(lockstep));
    for (int side = 0; side < 2; side++) lockstep_cost_add(&lockstep->sum[side], &lockstep->open.cost[side]);
    ring_add(&lockstep->ring, lockstep->open.cost);
    lockstep->closed = lockstep->open;
    lockstep->open = (LockstepRound){0};
    return result_ok();
}

Result lockstep_step(Lockstep *lockstep, double until, bool *met)
{
    CHECK(until > lockstep->met_time);
    double time[2] = {fluid_time(lockstep->fluid[0]), fluid_time(lockstep->fluid[1])};
    int first = (int)(lockstep->turns++ % 2);
    for (int k = 0; k < 2; k++) {
        int side = k == 0 ? first : 1 - first;
        if (time[side] <= time[1 - side]) TRY(step_side(lockstep, side, until));
    }
    double now = fluid_time(lockstep->fluid[0]);
    bool level = now == fluid_time(lockstep->fluid[1]);
    if (met) *met = level;
    return level ? close_round(lockstep, now) : result_ok();
}

double lockstep_time(const Lockstep *lockstep)
{
    return lockstep->met_time;
}

Fluid *lockstep_fluid(Lockstep *lockstep, int side)
{
    return lockstep->fluid[side];
}

const LockstepRound *lockstep_round(const Lockstep *lockstep)
{
    return &lockstep->closed;
}

const LockstepCost *lockstep_cost(const Lockstep *lockstep, int side)
{
    return &lockstep->sum[side];
}

const LockstepParting *lockstep_parting(const Lockstep *lockstep)
{
    return &lockstep->parting;
}

const ViewDifference *lockstep_largest(const Lockstep *lockstep, double *time)
{
    if (time) *time = lockstep->largest_time;
    return &lockstep->largest;
}
