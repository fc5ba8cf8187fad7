// Every scene, shared among ranks that are threads, has the states of one that nobody shares, bit for bit; or
// it is refused by a key. PBF_TEST_LEVEL=full: a hundred steps on up to sixteen ranks of one and two threads.
#include "fluid_helpers.h"
#include "thread_links.h"

#include "core/parallel.h"
#include "fluid/share.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LOOKS = 4 }; // at the state, in equal distances

// Fine enough for several blocks of the search, of which ranks get whole ones.
static const struct Case {
    const char *scene, *spacing;
    const char *refused; // by this key
} cases[] = {
    {"cylinders", "0.1", NULL},
    {"dam_break", "0.25", NULL},
    {"falling_chunks", "0.3", NULL},
    {"fountain", "0.03", NULL},
    {"glass", "0.002", NULL},
    {"hair", "0.1", "strands"},
    {"harbor", "0.3", "whitewater"},
    {"honey", "0.005", "fluid.viscosity"},
    {"kelp", "0.3", "strands"},
    {"lighthouse", "0.35", "whitewater"},
    {"mixer", "0.12", NULL},
    {"plates", "0.1", NULL},
    {"spheres", "0.25", NULL},
    {"still_water", "0.12", NULL},
    {"vortex", "0.2", "solver.micropolar"},
    {"waterfall", "0.1", NULL},
    {"wave", "0.25", NULL},
};

typedef struct Run {
    const SceneDef *scene;
    uint32_t steps;
    bool shared;
    uint64_t hash[LOOKS];
    StepReport last;
    uint64_t migrated, ghosts; // of rank 0, in all steps
} Run;

// Alone it keeps the hashes of the states on the way; shared it compares them.
static void step_all(Fluid *fluid, Run *run)
{
    StepReport report;
    for (uint32_t k = 0, every = run->steps / LOOKS; k < run->steps; k++) {
        ASSERT_OK(fluid_step(fluid, run->scene->output.duration, &report));
        if (run->shared) {
            ShareCount count = fluid_share_count(fluid);
            run->migrated += count.migrated, run->ghosts += count.ghosts;
        }
        if ((k + 1) % every != 0) continue;
        uint64_t hash = fluid_state_hash(fluid), *known = &run->hash[k / every];
        if (!run->shared) *known = hash;
        if (hash != *known)
            fail_msg("%s: %016" PRIx64 " after step %u, alone %016" PRIx64, run->scene->name, hash, k + 1,
                     *known);
    }
    if (!run->shared) run->last = report;
    assert_memory_equal(&report.time, &run->last.time, sizeof report.time);
    assert_int_equal(report.particles, run->last.particles);
}

static void take_part(const Links *links, void *context)
{
    Run *run = context;
    Fluid *fluid;
    if (links->rank == 0) {
        ASSERT_OK(scene_build(run->scene, &fluid));
        fluid_share(fluid, links);
        step_all(fluid, run);
    } else {
        ASSERT_OK(scene_build_empty(run->scene, &fluid));
        fluid_share(fluid, links);
        fluid_serve(fluid);
    }
    fluid_destroy(fluid);
}

static void share_scene(Run *run, const uint32_t *ranks, size_t count, uint32_t threads_most)
{
    Fluid *alone;
    ASSERT_OK(scene_build(run->scene, &alone));
    step_all(alone, run);
    fluid_destroy(alone);
    run->shared = true;
    for (size_t k = 0; k < count; k++)
        for (uint32_t threads = 1; threads <= threads_most; threads++) {
            run->migrated = run->ghosts = 0;
            parallel_set_workers(threads);
            thread_links_run(ranks[k], take_part, run);
            if (!test_is_full()) continue;
            print_message("%s, %u particles, step %u, %u ranks, %u threads: %016" PRIx64 ", %" PRIu64
                          " migrated, %" PRIu64 " ghosts\n",
                          run->scene->name, run->last.particles, run->steps, ranks[k], threads,
                          run->hash[LOOKS - 1], run->migrated, run->ghosts);
        }
    parallel_set_workers(0);
}

static void check(const struct Case *which, uint32_t steps, const uint32_t *ranks, size_t count)
{
    char path[64];
    snprintf(path, sizeof path, "scenes/%s.yaml", which->scene);
    SceneOverride overrides[] = {{"spacing", which->spacing}};
    SceneDef scene;
    Fluid *fluid;
    ASSERT_OK(scene_read(path, overrides, 1, &scene));
    ASSERT_OK(scene_build(&scene, &fluid));
    Result can = fluid_can_share(fluid);
    fluid_destroy(fluid);
    if (which->refused) {
        if (can.code != RESULT_USAGE || strncmp(can.text, which->refused, strlen(which->refused)) != 0)
            fail_msg("%s is not refused by %s: \"%s\"", which->scene, which->refused, can.text);
    } else {
        ASSERT_OK(can);
        Run run = {.scene = &scene, .steps = steps};
        share_scene(&run, ranks, count, test_is_full() ? 2 : 1);
    }
    scene_free(&scene);
}

static void every_scene_has_the_states_of_one_process(void **state)
{
    (void)state;
    static const uint32_t few[] = {3}, many[] = {1, 2, 3, 4, 7, 16};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += test_stride(3)) {
        if (test_is_full())
            check(&cases[k], 100, many, sizeof many / sizeof *many);
        else
            check(&cases[k], test_is_quick() ? LOOKS : 3 * LOOKS, few, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scene_has_the_states_of_one_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
