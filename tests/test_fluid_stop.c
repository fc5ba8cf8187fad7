// Steps and searches that are stopped: what was there stays to the bit, and trying again gives the same bits.
// How far they were is counted in loops and tests of pairs, not in time.
#include "fluid_helpers.h"

#include "core/host.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "fluid/fluid_state.h"
#include "fluid/steer.h"
#include "fluid/step_run.h"
#include "neighbor/neighbor.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- a fluid in which all parts of a step are at work ---

typedef struct Variant {
    const char *name, *method;
    bool dense, far;
    float viscosity, micropolar, angular, velocity_kernels;
    uint32_t divergence_iterations;
} Variant;

static const Variant variants[] = {
    {.name = "lists", .method = "uniform_grid", .far = true},
    {.name = "a dense start", .method = "uniform_grid", .dense = true},
    {.name = "clusters", .method = "cluster_grid", .far = true, .divergence_iterations = 2},
    {.name = "honey", .method = "octree", .viscosity = 1.0f},
    {.name = "spins", .method = "aabb_grid", .micropolar = 0.3f},
    {.name = "swirls", .method = "kd_tree", .angular = 0.3f, .velocity_kernels = 0.05f},
    {.name = "every pair", .method = "brute_force", .far = true},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static FluidDef def_of(const Variant *variant)
{
    FluidDef def = fluid_def_default();
    strcpy(def.neighbor, variant->method);
    def.global_pressure = variant->far;
    def.viscosity = variant->viscosity;
    def.micropolar = variant->micropolar;
    def.angular_momentum = variant->angular;
    def.velocity_kernels = variant->velocity_kernels;
    def.divergence_iterations = variant->divergence_iterations;
    def.vorticity_confinement = 0.05f;
    return def;
}

static Fluid *fluid_of(const Variant *variant)
{
    FluidDef def = def_of(variant);
    Fluid *fluid = fluid_poured(&def, 14, variant->dense);
    fluid_measure_potentials(fluid, 0.5f);
    return fluid;
}

static void command(Fluid *fluid)
{
    FluidForce force = {.center = {0.6f, 0.5f, 0.3f}, .radius = 0.4f, .toward = 20.0f, .along = {0, 3, 0}};
    fluid_set_forces(fluid, &force, 1);
}

// Everything that is seen of a fluid from outside.
typedef struct Seen {
    StateBlocks state;
    float *potentials[2];
    uint32_t count;
    Pose pose;
    StepReport report;
} Seen;

static float *copy_of(const float *from, uint32_t count)
{
    float *copy = malloc(count * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, from, count * sizeof *copy);
    return copy;
}

static Seen see(const Fluid *fluid)
{
    StateBlocks state = {0};
    FrameView view = fluid_view(fluid);
    Seen seen = {.count = view.count, .pose = obstacles_pose(view.obstacles, 0), .report = view.report};
    fluid_store(fluid, &state);
    ASSERT_OK(blocks_clone(&state, &seen.state));
    if (view.trapped_air) seen.potentials[0] = copy_of(view.trapped_air, view.count);
    if (view.wave_crest) seen.potentials[1] = copy_of(view.wave_crest, view.count);
    return seen;
}

static void forget(Seen *seen)
{
    blocks_free(&seen->state);
    for (int k = 0; k < 2; k++) free(seen->potentials[k]);
}

static void assert_same(const Seen *a, const Seen *b, const char *variant, uint64_t loop)
{
    if (a->state.count != b->state.count || a->count != b->count)
        fail_msg("%s, loop %llu: other blocks", variant, (unsigned long long)loop);
    for (uint32_t k = 0; k < a->state.count; k++) {
        const StateBlock *x = &a->state.block[k], *y = &b->state.block[k];
        if (x->count != y->count || memcmp(x->data, y->data, x->count * block_type_bytes(x->type)) != 0)
            fail_msg("%s, stopped in loop %llu: %s has changed", variant, (unsigned long long)loop, x->name);
    }
    for (int k = 0; k < 2; k++) {
        if (a->potentials[k] && memcmp(a->potentials[k], b->potentials[k], a->count * sizeof(float)) != 0)
            fail_msg("%s, stopped in loop %llu: potential %d has changed", variant, (unsigned long long)loop,
                     k);
    }
    assert_memory_equal(&a->pose, &b->pose, sizeof a->pose);
    assert_true(a->report.step == b->report.step && a->report.dt == b->report.dt);
}

// --- stopping in each loop of a step ---

// Runs shared loops one task after the other, and stops in the one that is to be the last.
typedef struct Counter {
    uint64_t loops, last; // last: 0 for none
    atomic_bool stop;
} Counter;

static void run_counted(void (*task)(uint32_t k, void *job), uint32_t count, void *job, void *user)
{
    Counter *counter = user;
    if (++counter->loops == counter->last) atomic_store(&counter->stop, true);
    for (uint32_t k = 0; k < count; k++) task(k, job);
}

enum { STEPS = 4, QUICK_STEPS = 2, LOOPS_AFTER = 12 };

static Result step(Fluid *fluid)
{
    return fluid_step(fluid, 10.0, NULL);
}

// Tries the step until it is not stopped any more, in each of its loops. Returns how often it was.
static uint64_t stop_everywhere(Fluid *fluid, Result (*go)(Fluid *fluid), const Variant *variant,
                                Counter *counter)
{
    for (uint64_t loop = 1;; loop++) {
        Seen before = see(fluid);
        *counter = (Counter){.last = loop};
        Result result = go(fluid);
        bool stopped = result.code == RESULT_STOPPED;
        if (stopped) {
            Seen after = see(fluid);
            assert_same(&before, &after, variant->name, loop);
            forget(&after);
            if (counter->loops > loop + LOOPS_AFTER)
                fail_msg("%s: %llu loops after the one that was stopped, %llu", variant->name,
                         (unsigned long long)(counter->loops - loop), (unsigned long long)loop);
        } else {
            ASSERT_OK(result);
        }
        bool passed = counter->loops < loop;
        forget(&before);
        if (!stopped) {
            // Only the end of a step does not stop.
            assert_true(passed || loop + LOOPS_AFTER > counter->loops);
            return loop - 1;
        }
    }
}

static void a_step_that_is_stopped_anywhere_leaves_the_fluid_as_it_was(void **state)
{
    (void)state;
    int steps = test_is_quick() ? QUICK_STEPS : STEPS;
    for (int v = 0; v < VARIANTS; v++) {
        Counter counter = {0};
        Host host = {.workers = 2, .level = CPU_LEVEL_COUNT, .run = run_counted, .user = &counter};
        Fluid *straight = fluid_of(&variants[v]), *disturbed = fluid_of(&variants[v]);
        fluid_watch(disturbed, &counter.stop);
        Host *before = host_enter(&host);
        uint64_t stops = stop_everywhere(disturbed, fluid_settle, &variants[v], &counter);
        for (int k = 0; k < steps; k++) {
            command(straight), command(disturbed);
            stops += stop_everywhere(disturbed, step, &variants[v], &counter);
            counter = (Counter){0};
            ASSERT_OK(step(straight));
            Seen expected = see(straight), found = see(disturbed);
            assert_same(&expected, &found, variants[v].name, 0);
            forget(&expected), forget(&found);
        }
        host_enter(before);
        print_message("%s: %llu stops\n", variants[v].name, (unsigned long long)stops);
        assert_true(stops > 6 * (uint64_t)steps);
        fluid_destroy(straight);
        fluid_destroy(disturbed);
    }
}

// Potentials and spins of as few as there can be.
static void what_passes_change_of_one_particle_is_taken_back(void **state)
{
    (void)state;
    atomic_bool stop = false;
    FluidDef def = fluid_def_default();
    def.micropolar = 0.3f;
    Fluid *fluid = fluid_for_test(&def, (Vec3){0}, NULL, 0);
    fluid_measure_potentials(fluid, 0.5f);
    ASSERT_OK(fluid_add(fluid, &(Vec3){0}, 1, vec3_make(0, 0, 3)));
    ASSERT_OK(step(fluid));
    float *numbers[] = {fluid->spins.now.x, fluid->spins.now.y, fluid->spins.now.z, fluid->trapped_air,
                        fluid->wave_crest};
    Step undone = {.fluid = fluid, .stop = &stop};
    for (int k = 0; k < 5; k++) numbers[k][0] = (float)(k + 1);
    step_keep(&undone);
    assert_true(undone.kept);
    for (int k = 0; k < 5; k++) numbers[k][0] = -1.0f;
    step_undo(&undone);
    for (int k = 0; k < 5; k++) assert_true(numbers[k][0] == (float)(k + 1));
    fluid_destroy(fluid);
}

// --- by another thread ---

typedef struct Stopper {
    atomic_bool stop;
    useconds_t after;
} Stopper;

// Spins that are switched off are gone before the step that would have ended without them.
static void a_step_without_spins_for_the_first_time_can_be_stopped_too(void **state)
{
    (void)state;
    Fluid *fluid = fluid_of(&variants[4]);
    FluidDef def = def_of(&variants[4]);
    StateBlocks blocks = {0}, copy = {0};
    atomic_bool stop = true;
    ASSERT_OK(fluid_step(fluid, 0.1, NULL));
    def.micropolar = 0.0f;
    ASSERT_OK(fluid_change(fluid, &def));
    fluid_watch(fluid, &stop);
    assert_int_equal(fluid_step(fluid, 0.1, NULL).code, RESULT_STOPPED);
    fluid_store(fluid, &blocks);
    assert_null(blocks_find(&blocks, "spin_x", BLOCK_FLOAT));
    ASSERT_OK(blocks_clone(&blocks, &copy));
    ASSERT_OK(fluid_restore(fluid, &copy));
    fluid_watch(fluid, NULL);
    ASSERT_OK(fluid_step(fluid, 0.1, NULL));
    blocks_free(&copy);
    fluid_destroy(fluid);
}

// Stops a step as the last thing that its preparation does, where what it needs next is refused.
static Result stop_and_refuse(void *self, uint32_t particles)
{
    (void)particles;
    atomic_store((atomic_bool *)self, true);
    memory_fail_at(1);
    return result_ok();
}

static void follow_nothing(void *self, const Fluid *fluid)
{
    (void)self, (void)fluid;
}

static void leave_alone(void *self)
{
    (void)self;
}

static void a_stop_before_the_first_pass_counts_without_memory_for_taking_back(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.global_pressure = false;
    atomic_bool stop = false;
    Fluid *fluid = fluid_for_test(&def, vec3_make(2, 2, 2), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 6, 6, 6, 0.05f, (Vec3){0});
    ASSERT_OK(fluid_settle(fluid));
    fluid_follow(fluid, (FluidFollower){.self = &stop,
                                        .prepare = stop_and_refuse,
                                        .step = follow_nothing,
                                        .destroy = leave_alone});
    fluid_watch(fluid, &stop);
    assert_int_equal(fluid_step(fluid, 10.0, NULL).code, RESULT_STOPPED);
    assert_false(memory_fail_at(0)); // nothing was asked for any more
    fluid_destroy(fluid);
}

static void *stop_later(void *context)
{
    Stopper *stopper = context;
    usleep(stopper->after);
    atomic_store(&stopper->stop, true);
    return NULL;
}

static void another_thread_may_stop_a_step_at_any_moment(void **state)
{
    (void)state;
    const Variant *variant = &variants[0];
    Fluid *straight = fluid_of(variant), *disturbed = fluid_of(variant);
    int stopped = 0;
    ASSERT_OK(fluid_settle(disturbed));
    for (int k = 0; k < 30; k++) {
        Stopper stopper = {.after = (useconds_t)(37 * k)};
        pthread_t thread;
        Seen before = see(disturbed);
        fluid_watch(disturbed, &stopper.stop);
        assert_int_equal(pthread_create(&thread, NULL, stop_later, &stopper), 0);
        Result result = step(disturbed);
        pthread_join(thread, NULL);
        fluid_watch(disturbed, NULL);
        if (result.code == RESULT_STOPPED) {
            Seen after = see(disturbed);
            assert_same(&before, &after, variant->name, 0);
            forget(&after);
            result = step(disturbed);
            stopped++;
        }
        ASSERT_OK(result);
        forget(&before);
        ASSERT_OK(step(straight));
        assert_true(fluid_state_hash(disturbed) == fluid_state_hash(straight));
    }
    print_message("%d of 30 steps were stopped\n", stopped);
    fluid_destroy(straight);
    fluid_destroy(disturbed);
}

// --- a search of every pair ---

// Stops where the nth block of memory is asked for.
typedef struct Asked {
    atomic_uint count;
    unsigned last;
    atomic_bool stop;
} Asked;

static void *allocate_counted(size_t bytes, size_t alignment, void *user)
{
    Asked *asked = user;
    if (atomic_fetch_add(&asked->count, 1) + 1 == asked->last) atomic_store(&asked->stop, true);
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release_counted(void *block, void *user)
{
    (void)user;
    free(block);
}

static void a_search_of_every_pair_ends_within_a_few_rows(void **state)
{
    (void)state;
    enum { POINTS = 20480, WORKERS = 2, ROWS = 8 };
    float *at = aligned_alloc(64, 3 * (POINTS + 64) * sizeof *at);
    uint64_t random = 1;
    assert_non_null(at);
    for (int k = 0; k < 3 * (POINTS + 64); k++) at[k] = (float)fluid_test_random(&random);
    PointView points = {at, at + POINTS + 64, at + 2 * (POINTS + 64), POINTS};
    bool within = false;
    for (unsigned last = 1; !within; last++) {
        Asked asked = {.last = last};
        Host host = {.workers = WORKERS,
                     .level = CPU_LEVEL_COUNT,
                     .allocate = allocate_counted,
                     .release = release_counted,
                     .user = &asked};
        Host *before = host_enter(&host);
        NeighborSearch *search;
        NeighborLists lists;
        NeighborStats stats;
        ASSERT_OK(neighbor_search_create("brute_force", 0.01f, &search));
        neighbor_search_watch(search, &asked.stop);
        Result result = neighbor_search_run(search, points, &lists, &stats);
        neighbor_search_destroy(search);
        parallel_end_team(&host);
        host_enter(before);
        assert_int_equal(result.code, RESULT_STOPPED);
        // Of 420 million tests: a worker that asks for memory for its first row ends the rows that it is at.
        assert_true(stats.candidates <= (uint64_t)WORKERS * ROWS * (POINTS - 1));
        within = stats.candidates > 0;
    }
    free(at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_is_stopped_anywhere_leaves_the_fluid_as_it_was),
        cmocka_unit_test(what_passes_change_of_one_particle_is_taken_back),
        cmocka_unit_test(a_step_without_spins_for_the_first_time_can_be_stopped_too),
        cmocka_unit_test(a_stop_before_the_first_pass_counts_without_memory_for_taking_back),
        cmocka_unit_test(another_thread_may_stop_a_step_at_any_moment),
        cmocka_unit_test(a_search_of_every_pair_ends_within_a_few_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
