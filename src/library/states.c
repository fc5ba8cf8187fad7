// Stored states: the blocks of a checkpoint in memory.
#include "export/block_file.h"
#include "fluid/steer.h"
#include "library/inside.h"
#include "library/sims.h"

#include <math.h>
#include <string.h>

#define LEAD_NUMBERS 27 // of a body that is led: its number, then a Lead
_Static_assert(sizeof(Lead) == (LEAD_NUMBERS - 1) * sizeof(double), "a lead is doubles alone");

// What a checkpoint has beside the fluid's state, so that the program reads it, too.
typedef struct RunBlocks {
    uint32_t frame, between;
    double pictures[PBF_PICTURE_NUMBERS]; // of a renderer that has drawn nothing
    char *source;
    size_t source_bytes;
    double *leads;
    size_t lead_count;
} RunBlocks;

static Result list_leads(const Fluid *fluid, RunBlocks *run)
{
    uint32_t bodies = obstacles_count(fluid_view(fluid).obstacles);
    run->leads = memory_allocate((size_t)bodies * LEAD_NUMBERS * sizeof *run->leads);
    if (!run->leads) return result_no_memory("the bodies' ways", bodies * LEAD_NUMBERS * sizeof *run->leads);
    for (uint32_t k = 0; k < bodies; k++) {
        Lead lead;
        if (!fluid_obstacle_lead(fluid, k, &lead)) continue;
        double *at = run->leads + run->lead_count * LEAD_NUMBERS;
        at[0] = k;
        memcpy(at + 1, &lead, sizeof lead);
        run->lead_count++;
    }
    return result_ok();
}

void sim_store(const pbf_sim *sim, StateBlocks *blocks)
{
    fluid_store(sim->fluid, blocks);
    if (sim->watch) measure_store(sim->watch, blocks);
}

static Result fill(const pbf_sim *sim, RunBlocks *run, StateBlocks *blocks)
{
    const SceneDef *def = &sim->shared->def;
    double frames = fluid_time(sim->fluid) * def->output.fps, whole = floor(frames + 1e-9);
    run->frame = (uint32_t)fmin(whole, SCENE_FRAMES_MAX - 1);
    run->between = frames - whole > 1e-9;
    run->pictures[PICTURE_RANGE_TIME] = -1;
    TRY(scene_source_pack(&def->source, &run->source, &run->source_bytes));
    TRY(list_leads(sim->fluid, run));
    blocks_add(blocks, "frame", BLOCK_UINT32, 1, &run->frame);
    blocks_add(blocks, "between", BLOCK_UINT32, 1, &run->between);
    blocks_add(blocks, "scene", BLOCK_BYTES, run->source_bytes, run->source);
    blocks_add(blocks, "options", BLOCK_BYTES, 0, "");
    blocks_add(blocks, "pictures", BLOCK_DOUBLE, PBF_PICTURE_NUMBERS, run->pictures);
    blocks_add(blocks, "instructions", BLOCK_BYTES, strlen(cpu_instructions()), cpu_instructions());
    blocks_add(blocks, "leads", BLOCK_DOUBLE, run->lead_count * LEAD_NUMBERS, run->leads);
    sim_store(sim, blocks);
    return result_ok();
}

static Result save(const pbf_sim *sim, void **data, size_t *bytes)
{
    RunBlocks run = {0};
    StateBlocks blocks = {0};
    Result result = fill(sim, &run, &blocks);
    if (result_is_ok(&result)) result = block_file_pack(&blocks, data, bytes);
    memory_free(run.source);
    memory_free(run.leads);
    return result;
}

pbf_result pbf_sim_save(const pbf_sim *sim, void **data, size_t *bytes)
{
    if (data) *data = NULL;
    if (bytes) *bytes = 0;
    if (!sim) return call_refused(NULL, missing("sim"));
    if (!data || !bytes) return call_refused(sim->context, missing(data ? "bytes" : "data"));
    RETURN_CALL(sim->context, save(sim, data, bytes));
}

static Result restore_leads(const StateBlocks *blocks, Fluid *fluid)
{
    const StateBlock *leads = blocks_find(blocks, "leads", BLOCK_DOUBLE);
    for (uint64_t k = 0; leads && (k + 1) * LEAD_NUMBERS <= leads->count; k++) {
        const double *at = (const double *)leads->data + k * LEAD_NUMBERS;
        Lead lead;
        memcpy(&lead, at + 1, sizeof lead);
        if (!(at[0] >= 0 && at[0] < UINT32_MAX)) return result_error(RESULT_USAGE, "leads: malformed");
        TRY(fluid_restore_lead(fluid, (uint32_t)at[0], &lead));
    }
    return result_ok();
}

static Result restore_fluid(const SceneDef *def, const StateBlocks *blocks, Fluid **out)
{
    TRY(scene_restore(def, blocks, out));
    Result result = restore_leads(blocks, *out);
    if (!result_is_ok(&result)) fluid_destroy(*out);
    return result;
}

// Takes the blocks over.
static Result take(pbf_sim *sim, StateBlocks *blocks)
{
    Fluid *fluid;
    Measure *watch;
    Result result = restore_fluid(&sim->shared->def, blocks, &fluid);
    if (result_is_ok(&result)) {
        result = sim_restore_watch(sim, fluid, blocks, &watch);
        if (!result_is_ok(&result)) fluid_destroy(fluid);
    }
    blocks_free(blocks);
    if (!result_is_ok(&result)) return result;
    measure_free(sim->watch);
    fluid_destroy(sim->fluid);
    sim->fluid = fluid;
    sim->watch = watch;
    sim_settle_loads(sim);
    sim->version++;
    sim->load_seconds = 0;
    return result;
}

static Result in_step(const pbf_sim *sim)
{
    return sim->stepping ? result_error(RESULT_USAGE, "the simulation is in a step") : result_ok();
}

static Result restore(pbf_sim *sim, const void *data, size_t bytes)
{
    StateBlocks blocks;
    TRY(in_step(sim));
    TRY(block_file_parse("the stored state", data, bytes, &blocks));
    return take(sim, &blocks);
}

pbf_result pbf_sim_restore(pbf_sim *sim, const void *data, size_t bytes)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    if (!data) return call_refused(sim->context, missing("data"));
    RETURN_CALL(sim->context, restore(sim, data, bytes));
}

static Result name_file(const char *path, Result result)
{
    if (result_is_ok(&result) || result.code == RESULT_NO_MEMORY) return result;
    return result_error(result.code, "%s: %.200s", path, result.text);
}

static Result load(pbf_sim *sim, const char *path)
{
    StateBlocks blocks;
    TRY(in_step(sim));
    TRY(block_file_read(path, &blocks));
    return name_file(path, take(sim, &blocks));
}

pbf_result pbf_sim_load(pbf_sim *sim, const char *path)
{
    if (!sim) return call_refused(NULL, missing("sim"));
    if (!path) return call_refused(sim->context, missing("path"));
    RETURN_CALL(sim->context, load(sim, path));
}

Result states_build_pair(const SceneDef *const scenes[2], const char *path, Fluid *out[2])
{
    StateBlocks blocks;
    TRY(block_file_read(path, &blocks));
    Result result = restore_fluid(scenes[0], &blocks, &out[0]);
    if (result_is_ok(&result)) {
        result = restore_fluid(scenes[1], &blocks, &out[1]);
        if (!result_is_ok(&result)) fluid_destroy(out[0]);
    }
    blocks_free(&blocks);
    return name_file(path, result);
}

static Result resume(const pbf_scene *scene, const char *path, pbf_sim **out)
{
    StateBlocks blocks;
    Fluid *fluid;
    TRY(block_file_read(path, &blocks));
    Result result = restore_fluid(&scene->shared->def, &blocks, &fluid);
    if (result_is_ok(&result)) result = sim_wrap(scene->context, scene->shared, fluid, out);
    if (result_is_ok(&result)) {
        result = sim_restore_watch(*out, fluid, &blocks, &(*out)->watch);
        sim_settle_loads(*out);
    }
    blocks_free(&blocks);
    if (!result_is_ok(&result)) {
        pbf_sim_destroy(*out);
        *out = NULL;
    }
    return name_file(path, result);
}

pbf_result pbf_sim_resume(const pbf_scene *scene, const char *path, pbf_sim **out)
{
    if (!out) return call_refused(scene ? scene->context : NULL, missing("out"));
    *out = NULL;
    if (!scene) return call_refused(NULL, missing("scene"));
    if (!path) return call_refused(scene->context, missing("path"));
    RETURN_CALL(scene->context, resume(scene, path, out));
}
