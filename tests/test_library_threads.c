// Contexts of the library in many threads: each gives what one alone gives, whatever the others do meanwhile;
// and loops on the tasks of a host. tests/threads/run looks at them for races.
#include "case_helpers.h"
#include "library_helpers.h"

#include "core/hash.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CONTEXTS 100
#define THREADS 8

// --- many at once ---

// What a context makes: numbers that are the same for all contexts of a kind.
typedef uint64_t Make(pbf_context *context, uint32_t number);

typedef struct Crowd {
    Make *const *kinds;
    uint32_t kind_count;
    uint64_t expected[8];
    atomic_uint next;
} Crowd;

static uint64_t make_one(const Crowd *crowd, uint32_t k)
{
    pbf_context_def def = {.size = sizeof def, .threads = k % 4 == 3 ? 2 : k % 4};
    pbf_context *context;
    ASSERT_PBF(pbf_context_create(&def, &context));
    uint64_t made = crowd->kinds[k % crowd->kind_count](context, k);
    pbf_context_destroy(context);
    return made;
}

static void *make_many(void *crowd_)
{
    Crowd *crowd = crowd_;
    for (uint32_t k; (k = atomic_fetch_add(&crowd->next, 1)) < CONTEXTS;) {
        if (make_one(crowd, k) != crowd->expected[k % crowd->kind_count]) fail_msg("context %u differs", k);
    }
    return NULL;
}

static void expect_all_alike(Crowd *crowd)
{
    pthread_t threads[THREADS];
    for (uint32_t k = 0; k < crowd->kind_count; k++) crowd->expected[k] = make_one(crowd, k);
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, make_many, crowd), 0);
    for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
}

// --- steps ---

static uint64_t step_with(pbf_context *context, const char *method)
{
    const pbf_setting setting = {"solver.neighbor", method};
    pbf_sim *sim = library_sim(context, &setting, 1);
    ASSERT_PBF(pbf_sim_advance(sim, 0.02, NULL, NULL));
    uint64_t hash = pbf_sim_hash(sim);
    pbf_sim_destroy(sim);
    return hash;
}

static uint64_t step_lists(pbf_context *context, uint32_t number)
{
    (void)number;
    return step_with(context, "uniform_grid");
}

static uint64_t step_clusters(pbf_context *context, uint32_t number)
{
    (void)number;
    return step_with(context, "cluster_grid");
}

static void a_hundred_contexts_in_eight_threads_give_what_one_gives(void **state)
{
    (void)state;
    static Make *const kinds[] = {step_lists, step_clusters};
    expect_all_alike(&(Crowd){.kinds = kinds, .kind_count = 2});
}

// --- what else there is ---

enum { SIDE = 6, POINTS = SIDE * SIDE * SIDE };

typedef struct Block {
    float at[POINTS][3], velocity[POINTS][3];
} Block;

// A block that turns.
static void make_block(Block *block)
{
    for (int k = 0; k < POINTS; k++) {
        const int place[3] = {k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)};
        for (int axis = 0; axis < 3; axis++) block->at[k][axis] = 0.1f * (float)place[axis];
        block->velocity[k][0] = -5 * block->at[k][1];
        block->velocity[k][1] = 5 * block->at[k][0];
        block->velocity[k][2] = 0;
    }
}

static uint64_t cut(pbf_context *context, uint32_t number)
{
    Block block;
    pbf_slice *slice;
    pbf_slice_data data;
    pbf_slice_def def = {.size = sizeof def, .point = {0, 0, 0.25}, .normal = {0, 0, 1}, .contours = 5};
    (void)number;
    make_block(&block);
    def.field = "vorticity";
    pbf_points at = pbf_points_of(&block.at[0][0], POINTS),
               moving = pbf_points_of(&block.velocity[0][0], POINTS);
    ASSERT_PBF(pbf_slice_create(context, &at, &moving, &def, &slice));
    ASSERT_PBF(pbf_slice_get(slice, &data));
    size_t bytes = (size_t)data.rows * data.columns * sizeof *data.values;
    uint64_t hash = hash_bytes(hash_bytes(1, data.values, bytes), data.fractions, bytes);
    pbf_slice_destroy(slice);
    return hash;
}

static uint64_t compare(pbf_context *context, uint32_t number)
{
    const pbf_setting fewer = {"solver.iterations", "1"};
    pbf_scene *first = library_scene(context, NULL, 0), *second = library_scene(context, &fewer, 1);
    pbf_pair *pair;
    pbf_pair_data data;
    (void)number;
    ASSERT_PBF(pbf_pair_create(first, second, NULL, &pair));
    for (int met = 0; !met;) ASSERT_PBF(pbf_pair_step(pair, 0.02, &met));
    ASSERT_PBF(pbf_pair_get(pair, &data));
    uint64_t hash =
        hash_bytes(pbf_sim_hash(pbf_pair_sim(pair, 0)), &data.difference.distance, sizeof(double));
    pbf_pair_destroy(pair);
    pbf_scene_destroy(first);
    pbf_scene_destroy(second);
    return hash;
}

static uint64_t hash_file(const char *in, const char *name)
{
    char path[400];
    long size;
    snprintf(path, sizeof path, "%s/%s", in, name);
    char *bytes = test_folder_file(path, &size);
    uint64_t hash = hash_bytes(1, bytes, (size_t)size);
    free(bytes);
    return hash;
}

static uint64_t write_frames(pbf_context *context, uint32_t number)
{
    static const char *const formats[] = {"ply", "mesh_ply", "obstacles_vtp"};
    char name[20], path[320];
    pbf_sim *sim = library_sim(context, NULL, 0);
    pbf_scene *scene = library_scene(context, NULL, 0);
    pbf_frames *frames;
    snprintf(name, sizeof name, "frames_%u", number);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const pbf_frames_def def = {
        .size = sizeof def, .folder = path, .formats = formats, .format_count = 3, .no_pictures = 1};
    ASSERT_PBF(pbf_frames_create(scene, &def, &frames));
    ASSERT_PBF(pbf_frames_add(frames, 0, sim));
    ASSERT_PBF(pbf_frames_finish(frames));
    pbf_frames_destroy(frames);
    pbf_scene_destroy(scene);
    pbf_sim_destroy(sim);
    return hash_file(name, "particles_0000.ply") + hash_file(name, "mesh_0000.ply") +
           hash_file(name, "obstacles_0000.vtp");
}

static uint64_t make_foam(pbf_context *context, uint32_t number)
{
    static const pbf_setting most = {"whitewater.max", "300"};
    Block block;
    float place[300][3] = {{0}};
    pbf_foam *foam;
    (void)number;
    make_block(&block);
    pbf_points at = pbf_points_of(&block.at[0][0], POINTS),
               moving = pbf_points_of(&block.velocity[0][0], POINTS);
    ASSERT_PBF(pbf_foam_create(context, 0.1, &most, 1, &foam));
    ASSERT_PBF(pbf_foam_add(foam, &at, &moving, 0));
    ASSERT_PBF(pbf_foam_add(foam, &at, &moving, 0.1));
    ASSERT_PBF(pbf_foam_read(foam, "whitewater.position", place, sizeof place, 0));
    pbf_foam_destroy(foam);
    return hash_bytes(1, place, sizeof place);
}

static void cuts_comparisons_files_and_foam_do_not_see_each_other(void **state)
{
    (void)state;
    static Make *const kinds[] = {cut, compare, write_frames, make_foam};
    expect_all_alike(&(Crowd){.kinds = kinds, .kind_count = 4});
}

// --- the host's own tasks ---

typedef struct Runner {
    unsigned loops, tasks;
} Runner;

static void run_backwards(void (*task)(uint32_t, void *), uint32_t count, void *job, void *user)
{
    Runner *runner = user;
    runner->loops++;
    for (uint32_t k = count; k-- > 0; runner->tasks++) task(k, job);
}

static void loops_run_on_the_hosts_own_tasks(void **state)
{
    (void)state;
    Runner runner = {0};
    pbf_context_def def = {.size = sizeof def, .threads = 3, .run = run_backwards, .user = &runner};
    pbf_context *context;
    ASSERT_PBF(pbf_context_create(&def, &context));
    pbf_sim *hosted = library_sim(context, NULL, 0), *own = library_sim(NULL, NULL, 0);
    ASSERT_PBF(pbf_sim_advance(hosted, 0.05, NULL, NULL));
    ASSERT_PBF(pbf_sim_advance(own, 0.05, NULL, NULL));
    assert_true(runner.loops > 10 && runner.tasks == 3 * runner.loops);
    assert_true(pbf_sim_hash(hosted) == pbf_sim_hash(own));
    pbf_sim_destroy(hosted);
    pbf_sim_destroy(own);
    pbf_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_contexts_in_eight_threads_give_what_one_gives),
        cmocka_unit_test_setup_teardown(cuts_comparisons_files_and_foam_do_not_see_each_other, make_folder,
                                        remove_folder),
        cmocka_unit_test(loops_run_on_the_hosts_own_tasks),
    };
    return cmocka_run_group_tests_name("library threads", tests, NULL, NULL);
}
