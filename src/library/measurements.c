// Measurements: the columns of a log.
#include "library/sims.h"

static Result create(const pbf_sim *sim, Fluid *fluid, Measure **out)
{
    const SceneDef *def = &sim->shared->def;
    return measure_create(fluid, def->fluid.gravity, def->probes, def->probe_count, out);
}

static Result watch(pbf_sim *sim, bool watched)
{
    Result result = watched && !sim->watch ? create(sim, sim->fluid, &sim->watch) : result_ok();
    if (!watched) {
        measure_free(sim->watch);
        sim->watch = NULL;
    }
    sim->watched = sim->watch && watched;
    sim_settle_loads(sim);
    return result;
}

pbf_result pbf_sim_watch(pbf_sim *sim, int watched)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    RETURN_CALL(sim->context, watch(sim, watched != 0));
}

Result sim_watch_step(pbf_sim *sim)
{
    if (sim->watched) return measure_step(sim->watch);
    measure_free(sim->watch);
    sim->watch = NULL;
    return result_ok();
}

Result sim_restore_watch(const pbf_sim *sim, Fluid *fluid, const StateBlocks *blocks, Measure **out)
{
    *out = NULL;
    if (!sim->watched && !measure_is_stored(blocks)) return result_ok();
    TRY(create(sim, fluid, out));
    measure_restore(*out, blocks);
    return result_ok();
}

int pbf_sim_column(const pbf_sim *sim, uint32_t k, pbf_column *out)
{
    if (!out) return 0;
    *out = (pbf_column){.name = "", .unit = ""};
    if (!sim || !sim->watched || k >= measure_column_count(sim->watch)) return 0;
    *out = (pbf_column){.name = measure_column(sim->watch, k), .unit = measure_unit(sim->watch, k)};
    return 1;
}

static Result row(pbf_sim *sim, double *out, uint32_t count)
{
    if (!sim->watched) return result_error(RESULT_USAGE, "nothing is measured (pbf_sim_watch)");
    if (count != measure_column_count(sim->watch))
        return result_error(RESULT_USAGE, "count: %u numbers (as many as there are columns, %u)", count,
                            measure_column_count(sim->watch));
    return measure_row(sim->watch, out);
}

pbf_result pbf_sim_row(pbf_sim *sim, double *out, uint32_t count)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    if (!out) return call_refused(sim->context, missing("out"));
    RETURN_CALL(sim->context, row(sim, out, count));
}
