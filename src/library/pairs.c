// Two simulations of one scene that differ in settings, in lockstep.
#include "library/pairs.h"

#include "library/sims.h"
#include "scene/lockstep_text.h"

#include <math.h>

// --- life ---

static void pair_free(pbf_pair *pair)
{
    pbf_context *context = pair->context;
    Host *before = call_begin(context);
    for (int side = 0; side < 2; side++) {
        pbf_sim *sim = pair->side[side];
        if (sim && pair->lockstep) sim->fluid = NULL, sim->stepping = false;
        pbf_sim_destroy(sim);
    }
    lockstep_destroy(pair->lockstep);
    memory_free(pair);
    call_close(context, before);
}

// Both sides have fluids of their own until the lockstep takes them.
static Result join(pbf_pair *pair)
{
    TRY(lockstep_create((Fluid *[2]){pair->side[0]->fluid, pair->side[1]->fluid}, &pair->lockstep));
    pair->side[0]->stepping = pair->side[1]->stepping = true; // for ever: pbf_pair_step alone does it
    return result_ok();
}

static Result begin_sides(pbf_pair *pair, const pbf_scene *const scenes[2], const char *path)
{
    Fluid *fluids[2];
    SharedScene *const shared[2] = {scenes[0]->shared, scenes[1]->shared};
    const SceneDef *const defs[2] = {&shared[0]->def, &shared[1]->def};
    if (path)
        TRY(states_build_pair(defs, path, fluids));
    else
        TRY(scene_build_pair(defs, (const FluidDef *[2]){&defs[0]->fluid, &defs[1]->fluid}, fluids));
    Result result = sim_wrap(pair->context, shared[0], fluids[0], &pair->side[0]);
    if (!result_is_ok(&result)) {
        fluid_destroy(fluids[1]);
        return result;
    }
    TRY(sim_wrap(pair->context, shared[1], fluids[1], &pair->side[1]));
    return join(pair);
}

static Result create(const pbf_scene *first, const pbf_scene *second, const char *path, pbf_pair **out)
{
    pbf_pair *pair = memory_allocate_zeroed(sizeof *pair);
    if (!pair) return result_no_memory("the comparison", sizeof *pair);
    pair->context = context_hold(first->context);
    Result result = begin_sides(pair, (const pbf_scene *[2]){first, second}, path);
    if (result_is_ok(&result))
        *out = pair;
    else
        pair_free(pair);
    return result;
}

pbf_result pbf_pair_create(const pbf_scene *first, const pbf_scene *second, const char *path, pbf_pair **out)
{
    const pbf_context *context = first ? first->context : NULL;
    if (!out) return call_refused(context, missing("out"));
    *out = NULL;
    if (!first || !second) return call_refused(context, missing(first ? "second" : "first"));
    RETURN_CALL(context, create(first, second, path, out));
}

void pbf_pair_destroy(pbf_pair *pair)
{
    if (pair) pair_free(pair);
}

const pbf_sim *pbf_pair_sim(const pbf_pair *pair, uint32_t side)
{
    return pair && side < 2 ? pair->side[side] : NULL;
}

// --- steps ---

static Result step(pbf_pair *pair, double until, bool *met)
{
    if (!(until > lockstep_time(pair->lockstep)))
        return result_error(RESULT_USAGE, "cannot go on to %g s (later than %g s)", until,
                            lockstep_time(pair->lockstep));
    for (int side = 0; side < 2; side++) pair->side[side]->version++;
    return lockstep_step(pair->lockstep, until, met);
}

pbf_result pbf_pair_step(pbf_pair *pair, double until, int *met)
{
    bool level = false;
    if (met) *met = 0;
    if (!pair) return call_refused(NULL, missing("pair"));
    Host *before = call_begin(pair->context);
    Result result = step(pair, until, &level);
    if (met && result_is_ok(&result)) *met = level;
    return call_end(pair->context, before, result);
}

// --- what it tells ---

_Static_assert(PBF_PHASE_NUMBERS == PHASE_COUNT, "the header has room for every phase");

const char *pbf_phase(uint32_t k)
{
    return k < PHASE_COUNT ? step_phase_name((StepPhase)k) : NULL;
}

static pbf_cost cost_of(const LockstepCost *cost)
{
    pbf_cost out = {.steps = cost->steps,
                    .particles = cost->particles,
                    .build_ms = cost->construction_ms,
                    .search_ms = cost->search_ms,
                    .rest_ms = cost->behavior_ms,
                    .wall_ms = cost->total_ms,
                    .candidates = cost->candidates,
                    .neighbors = cost->neighbors,
                    .structure_bytes = cost->structure_bytes,
                    .list_bytes = cost->list_bytes};
    for (int phase = 0; phase < PHASE_COUNT; phase++) out.phase_ms[phase] = cost->phase_ms[phase];
    return out;
}

static pbf_difference difference_of(const ViewDifference *difference)
{
    return (pbf_difference){.identical = difference->identical,
                            .differing = difference->differing,
                            .only = {difference->only[0], difference->only[1]},
                            .particle = difference->particle,
                            .distance = difference->distance,
                            .velocity = difference->velocity,
                            .distance_rms = difference->distance_rms};
}

static pbf_change change_of(PairFigure figure)
{
    return (pbf_change){
        .pairs = figure.pairs, .median = figure.change, .low = figure.low, .high = figure.high};
}

static pbf_pair_data data_of(const pbf_pair *pair)
{
    const Lockstep *lockstep = pair->lockstep;
    const LockstepRound *round = lockstep_round(lockstep);
    const LockstepParting *parting = lockstep_parting(lockstep);
    const FluidDef *left = &pair->side[0]->shared->def.fluid, *right = &pair->side[1]->shared->def.fluid;
    const LockstepCost *cost[2] = {lockstep_cost(lockstep, 0), lockstep_cost(lockstep, 1)};
    pbf_pair_data out = {.time = lockstep_time(lockstep),
                         .round = round->number,
                         .start = round->start,
                         .end = round->end,
                         .difference = difference_of(&round->difference),
                         .spared = lockstep_reduction(cost[0], cost[1]),
                         .spared_whole = lockstep_reduction_total(cost[0], cost[1]),
                         .round_spared = lockstep_reduction(&round->cost[0], &round->cost[1]),
                         .search = change_of(lockstep_figure(lockstep, LOCKSTEP_LOOKUP)),
                         .whole = change_of(lockstep_figure(lockstep, LOCKSTEP_TOTAL)),
                         .about_search = lockstep_is_about_search(left, right),
                         .parted = parting->parted,
                         .rounding = lockstep_rounding(lockstep, left, right),
                         .parting_step = parting->step,
                         .parting_time = parting->time,
                         .parting = difference_of(&parting->difference)};
    out.largest = difference_of(lockstep_largest(lockstep, &out.largest_time));
    for (int side = 0; side < 2; side++) {
        out.cost[side] = cost_of(cost[side]);
        out.round_cost[side] = cost_of(&round->cost[side]);
    }
    return out;
}

pbf_result pbf_pair_get(const pbf_pair *pair, pbf_pair_data *out)
{
    if (!out) return call_refused(pair ? pair->context : NULL, missing("out"));
    *out = (pbf_pair_data){0};
    if (!pair) return call_refused(NULL, missing("pair"));
    *out = data_of(pair);
    return call_refused(pair->context, result_ok());
}
