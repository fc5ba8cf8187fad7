// Stored states: they go on bit for bit, in files that damage cannot pass through.
#include "export_helpers.h"
#include "fluid_helpers.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "export/block_file.h"
#include "fluid/steer.h"
#include "scene/scene.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

static int tear_down(void **state)
{
    parallel_set_workers(0);
    return remove_folder(state);
}

// --- going on ---

// As coarse as gives this many particles in all.
#define PARTICLES_MIN 1500

static SceneDef read_scene(const char *path, const char *method)
{
    SceneDef scene;
    static const char *const spacings[] = {"0.5", "0.4",  "0.3",  "0.25", "0.2",   "0.15", "0.125",
                                           "0.1", "0.08", "0.05", "0.02", "0.008", "0.004"};
    for (size_t k = 0; k < sizeof spacings / sizeof *spacings; k++) {
        // Steps that speed and depth cut short: their lengths follow from what the last step left.
        SceneOverride overrides[] = {{"spacing", spacings[k]},
                                     {"solver.neighbor", method},
                                     {"solver.time_step", "0.04"},
                                     {"solver.cfl", "0.15"}};
        SceneCount count;
        Result result = scene_read(path, overrides, 4, &scene);
        if (!result_is_ok(&result)) continue; // too coarse for its parts
        ASSERT_OK(scene_count(&scene, &count));
        if (count.initial + count.emitted >= PARTICLES_MIN) return scene;
        scene_free(&scene);
    }
    fail_msg("%s holds too little at any spacing", path);
    return scene;
}

// The same stretch of time for both; the fluid cuts it into steps by itself.
static void run(Fluid *fluid, uint32_t frames)
{
    double start = fluid_time(fluid);
    for (uint32_t k = 1; k <= frames; k++) fluid_run(fluid, start + k / 20.0);
}

static void assert_same_report(const StepReport *found, const StepReport *expected)
{
    assert_true(found->step == expected->step && found->particles == expected->particles);
    assert_true(found->time == expected->time && found->dt == expected->dt);
    assert_true(found->density_error_mean == expected->density_error_mean);
    assert_true(found->density_error_max == expected->density_error_max);
    assert_true(found->speed_max == expected->speed_max);
    assert_true(found->iterations == expected->iterations);
}

static void check_continues(const char *path)
{
    SceneDef scene = read_scene(path, "uniform_grid"), other = read_scene(path, "octree");
    Fluid *first, *second;
    ASSERT_OK(scene_build(&scene, &first));
    // Many strands take many times as long as the water.
    run(first, test_is_quick() ? 1 : scene.strand_count > 0 ? 3 : 15);
    // In the middle of a frame, between two steps.
    ASSERT_OK(fluid_step(first, fluid_time(first) + 0.05, NULL));

    StateBlocks blocks = {0}, read;
    fluid_store(first, &blocks);
    const char *file = test_path(folder, "state");
    ASSERT_OK(block_file_write(file, &blocks));
    ASSERT_OK(block_file_read(file, &read));
    ASSERT_OK(scene_restore(&other, &read, &second));
    blocks_free(&read);
    FrameView a = fluid_view(first), b = fluid_view(second);
    assert_int_equal(a.count, b.count);
    assert_true(a.time == b.time);
    assert_same_report(&b.report, &a.report);
    if (a.count > 0) {
        assert_memory_equal(a.density, b.density, a.count * sizeof(float));
        assert_memory_equal(a.vorticity, b.vorticity, a.count * sizeof(float));
        assert_memory_equal(a.birth, b.birth, a.count * sizeof(float));
        assert_memory_equal(a.neighbors, b.neighbors, a.count * sizeof(uint32_t));
    }
    parallel_set_workers(1);
    uint32_t frames = test_is_quick() ? 1 : scene.strand_count > 0 ? 2 : 4;
    run(first, frames);
    parallel_set_workers(3);
    run(second, frames);
    if (fluid_state_hash(first) != fluid_state_hash(second)) fail_msg("%s goes on differently", path);
    assert_int_equal(fluid_view(first).report.step, fluid_view(second).report.step);
    fluid_destroy(first);
    fluid_destroy(second);
    scene_free(&scene);
    scene_free(&other);
}

static void a_stored_state_of_every_scene_goes_on_bit_for_bit(void **state)
{
    (void)state;
    DIR *scenes = opendir("scenes");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(scenes));) {
        char path[300];
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "scenes/%s", entry->d_name);
        check_continues(path);
        count++;
    }
    closedir(scenes);
    assert_true(count >= 8);
}

// The state without what fluids need not have stored.
static StateBlocks without_optional(const StateBlocks *blocks)
{
    StateBlocks old = {0};
    for (uint32_t k = 0; k < blocks->count; k++) {
        const StateBlock *block = &blocks->block[k];
        bool optional = strcmp(block->name, "report.iterations") == 0;
        for (uint32_t s = 0; s < PARTICLE_STREAM_COUNT; s++) {
            const char *name;
            const ParticleAttribute *attribute = particle_stream(s, &name);
            optional |= strcmp(name, block->name) == 0 && attribute->optional;
        }
        if (!optional) blocks_add(&old, block->name, block->type, block->count, block->data);
    }
    assert_true(old.count + 2 <= blocks->count);
    return old;
}

// Whatever a fluid was before: a new one and one that has run do the same.
static void what_a_state_lacks_goes_on_from_zeros(void **state)
{
    (void)state;
    uint64_t hashes[2];
    FluidDef def = fluid_def_default();
    for (int used = 0; used < 2; used++) {
        Fluid *fluids[2];
        for (int k = 0; k < 2; k++) {
            fluids[k] = fluid_for_test(&def, vec3_make(1, 1, 2), NULL, 0);
            fluid_fill_lattice(fluids[k], vec3_make(0, 0, 0), 5, 5, 8, 0.1f, vec3_make(0, 0, 0));
            if (k == 0 || used) fluid_run(fluids[k], 0.1);
        }
        StateBlocks blocks = {0};
        fluid_store(fluids[0], &blocks);
        StateBlocks old = without_optional(&blocks);
        ASSERT_OK(fluid_restore(fluids[1], &old));
        FrameView view = fluid_view(fluids[1]);
        for (uint32_t i = 0; i < view.count; i++) assert_true(view.lambda_sum[i] == 0);
        assert_int_equal(view.report.iterations, def.iterations);
        fluid_run(fluids[1], 0.15);
        hashes[used] = fluid_state_hash(fluids[1]);
        for (int k = 0; k < 2; k++) fluid_destroy(fluids[k]);
    }
    assert_true(hashes[0] == hashes[1]);
}

// The state knows how tension pulled; settings that have none do not care.
static void a_state_goes_on_without_tension_where_it_is_off(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default(), off = def;
    def.surface_tension = 5.0f;
    off.surface_tension = 0.0f;
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 6, 6, 6, 0.1f, vec3_make(0, 0, 0));
    fluid_run(fluid, 0.1);
    StateBlocks blocks = {0};
    fluid_store(fluid, &blocks);
    const StateBlocks kinds[] = {blocks, without_optional(&blocks)};
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        Fluid *next = fluid_for_test(&off, vec3_make(0, 0, 0), NULL, 0);
        ASSERT_OK(fluid_restore(next, &kinds[k]));
        ASSERT_OK(fluid_step(next, 1.0, NULL));
        hashes[k] = fluid_state_hash(next);
        fluid_destroy(next);
    }
    assert_true(hashes[0] == hashes[1]);
    fluid_destroy(fluid);
}

// A push was for the step that is not made any more.
static void a_state_goes_on_without_the_force_that_was_set(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    FluidForce force = {.center = {0.5f, 0.5f, 0.5f}, .radius = 1, .along = {0, 0, 50}};
    uint64_t hashes[2];
    for (int pushed = 0; pushed < 2; pushed++) {
        Fluid *fluid = fluid_for_test(&def, vec3_make(1, 1, 2), NULL, 0);
        StateBlocks blocks = {0};
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 5, 5, 8, 0.1f, vec3_make(0, 0, 0));
        fluid_store(fluid, &blocks);
        if (pushed) fluid_set_forces(fluid, &force, 1);
        ASSERT_OK(fluid_restore(fluid, &blocks));
        ASSERT_OK(fluid_step(fluid, 1, NULL));
        hashes[pushed] = fluid_state_hash(fluid);
        fluid_destroy(fluid);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void a_state_before_the_first_step_goes_on_too(void **state)
{
    (void)state;
    SceneDef scene = read_scene("scenes/dam_break.yaml", "uniform_grid");
    Fluid *first, *second;
    ASSERT_OK(scene_build(&scene, &first));
    StateBlocks blocks = {0};
    fluid_store(first, &blocks);
    ASSERT_OK(scene_restore(&scene, &blocks, &second));
    run(first, 1);
    run(second, 1);
    assert_true(fluid_state_hash(first) == fluid_state_hash(second));
    fluid_destroy(first);
    fluid_destroy(second);
    scene_free(&scene);
}

// --- a look at a state ---

// Seen beside the same fluid, some steps and a particle later.
static void a_state_looks_as_the_fluid_did(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    Fluid *fluid = fluid_for_test(&def, vec3_make(1, 1, 2), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 5, 5, 8, 0.1f, vec3_make(0, 0, 0));
    fluid_run(fluid, 0.1);
    StateBlocks blocks = {0}, kept;
    fluid_store(fluid, &blocks);
    ASSERT_OK(blocks_clone(&blocks, &kept));
    StepReport report = fluid_view(fluid).report;
    double time = fluid_time(fluid);
    ASSERT_OK(fluid_add(fluid, &(Vec3){0.5f, 0.5f, 1.9f}, 1, vec3_make(0, 0, 3)));
    fluid_run(fluid, 0.2);
    FrameView like = fluid_view(fluid), view;
    like.trapped_air = like.wave_crest = like.x;
    like.content_id = 7;
    like.emitters = (Box3){{1, 2, 3}, {4, 5, 6}}; // beside the report in memory
    like.report.iterations = 9;
    like.report.phase_ms[PHASE_SEARCH] = 1;
    ASSERT_OK(fluid_view_state(&kept, &like, &view));
    assert_true(view.time == time && view.count == 200 && like.count == 201);
    assert_true(view.spacing == like.spacing && view.content_id == 0);
    assert_memory_equal(&view.emitters, &like.emitters, sizeof like.emitters);
    assert_true(!view.trapped_air && !view.wave_crest && view.report.phase_ms[PHASE_SEARCH] == 0);
    assert_same_report(&view.report, &report);
    for (uint32_t k = 0; k < PARTICLE_STREAM_COUNT; k++) {
        const char *name;
        BlockType type = particle_stream(k, &name)->type;
        const StateBlock *block = blocks_find(&kept, name, type);
        assert_true(block && view.stream[k] == block->data);
    }
    for (uint32_t k = 0; k < kept.count; k++) {
        if (strcmp(kept.block[k].name, "density") == 0) kept.block[k].count--;
    }
    Result result = fluid_view_state(&kept, &like, &view);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, "density"));
    blocks_free(&kept);
    fluid_destroy(fluid);
}

// --- what no fluid stores ---

// A stored state of a few particles whose numbers a test may change.
typedef struct Forgery {
    SceneDef scene;
    Fluid *fluid;
    StateBlocks blocks;
} Forgery;

static Forgery forgery(void)
{
    Forgery f = {.scene = read_scene("scenes/dam_break.yaml", "uniform_grid")};
    ASSERT_OK(scene_build(&f.scene, &f.fluid));
    fluid_store(f.fluid, &f.blocks);
    return f;
}

static StateBlock *block_of(Forgery *f, const char *name)
{
    for (uint32_t k = 0; k < f->blocks.count; k++) {
        if (strcmp(f->blocks.block[k].name, name) == 0) return &f->blocks.block[k];
    }
    fail_msg("no block %s", name);
    return NULL;
}

static void refuse(Forgery *f, const char *words)
{
    Fluid *fluid;
    uint64_t bytes = memory_bytes_in_use();
    Result result = scene_restore(&f->scene, &f->blocks, &fluid);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_null(fluid);
    if (!strstr(result.text, words)) fail_msg("\"%s\" does not say \"%s\"", result.text, words);
    assert_int_equal(memory_bytes_in_use(), bytes);
    fluid_destroy(f->fluid);
    scene_free(&f->scene);
}

static void a_state_with_streams_of_different_lengths_is_refused(void **state)
{
    (void)state;
    Forgery f = forgery();
    block_of(&f, "vz")->count--;
    refuse(&f, "vz: holds");
}

static void a_state_without_ids_is_refused(void **state)
{
    (void)state;
    Forgery f = forgery();
    strcpy(block_of(&f, "id")->name, "ids");
    refuse(&f, "id: missing or of another type");
}

static void a_state_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    Forgery f = forgery();
    float *y = (float *)(uintptr_t)block_of(&f, "y")->data;
    y[7] = NAN;
    refuse(&f, "y: ");
    f = forgery();
    *(double *)(uintptr_t)block_of(&f, "time")->data = 1.01e9;
    refuse(&f, "time: value 1.01e+09 is out of range");
}

static void an_id_that_was_never_given_is_refused(void **state)
{
    (void)state;
    Forgery f = forgery();
    uint32_t *id = (uint32_t *)(uintptr_t)block_of(&f, "id")->data;
    id[0] = UINT32_MAX;
    refuse(&f, "id: 4294967295");
    f = forgery();
    StateBlock *ids = block_of(&f, "id"); // 0 to count - 1
    id = (uint32_t *)(uintptr_t)ids->data;
    id[0] = (uint32_t)ids->count;
    refuse(&f, "was never given");
}

static void a_state_of_another_spacing_or_corner_is_refused(void **state)
{
    (void)state;
    Forgery f = forgery();
    f.scene.fluid.spacing *= 2;
    refuse(&f, "spacing: ");
    f = forgery();
    f.scene.tank_corner.y += 1;
    refuse(&f, "tank.corner: ");
}

// --- the file ---

static const float floats[5] = {0.0f, -1.5f, 3.0e38f, 1.0e-40f, 7.0f};
static const uint64_t wide[2] = {UINT64_C(0x0123456789abcdef), 1};

static StateBlocks sample(uint32_t *many, uint32_t count)
{
    StateBlocks blocks = {0};
    for (uint32_t k = 0; k < count; k++) many[k] = k * 2654435761u;
    blocks_add(&blocks, "text", BLOCK_BYTES, 5, "hello");
    blocks_add(&blocks, "floats", BLOCK_FLOAT, 5, floats);
    blocks_add(&blocks, "wide", BLOCK_UINT64, 2, wide);
    blocks_add(&blocks, "nothing", BLOCK_DOUBLE, 0, NULL);
    blocks_add(&blocks, "many", BLOCK_UINT32, count, many);
    return blocks;
}

static void blocks_come_back_as_they_were(void **state)
{
    (void)state;
    enum { MANY = 150001 }; // three runs, the last one short
    uint32_t *many = malloc(MANY * sizeof *many);
    StateBlocks blocks = sample(many, MANY), read;
    ASSERT_OK(block_file_write(test_path(folder, "a"), &blocks));
    ASSERT_OK(block_file_read(test_path(folder, "a"), &read));
    assert_int_equal(read.count, blocks.count);
    for (uint32_t k = 0; k < read.count; k++) {
        const StateBlock *from = &blocks.block[k], *to = &read.block[k];
        assert_string_equal(from->name, to->name);
        assert_int_equal(from->type, to->type);
        assert_int_equal(from->count, to->count);
        if (from->count > 0)
            assert_memory_equal(from->data, to->data, from->count * block_type_bytes(from->type));
    }
    blocks_free(&read);
    free(many);
}

// The layout in the header, decoded by hand.
static void the_layout_is_the_documented_one(void **state)
{
    (void)state;
    uint32_t many[3];
    StateBlocks blocks = sample(many, 3);
    ASSERT_OK(block_file_write(test_path(folder, "a"), &blocks));
    long size;
    uint8_t *file = (uint8_t *)test_read_file(test_path(folder, "a"), &size), raw[1000];
    assert_memory_equal(file, "\x89PBF\r\n\x1a\n\1\0\0\0", 12);
    size_t unpacked = ZSTD_decompress(raw, sizeof raw, file + 12, (size_t)size - 28);
    assert_false(ZSTD_isError(unpacked));
    assert_int_equal(file[size - 16] | file[size - 15] << 8, unpacked);
    const uint8_t *second = raw + 36 + 5; // behind "hello"
    assert_string_equal((const char *)second, "floats");
    assert_memory_equal(second + 24, "\3\0\0\0\5\0\0\0\0\0\0\0", 12);
    for (int k = 0; k < 5; k++) {
        uint32_t bits = 0, expected;
        for (int plane = 3; plane >= 0; plane--) bits = bits << 8 | second[36 + plane * 5 + k];
        memcpy(&expected, &floats[k], 4);
        assert_int_equal(bits, expected);
    }
    free(file);
}

static void every_flipped_bit_and_every_cut_is_noticed(void **state)
{
    (void)state;
    uint32_t many[3];
    StateBlocks blocks = sample(many, 3), read;
    ASSERT_OK(block_file_write(test_path(folder, "a"), &blocks));
    long size;
    char *file = test_read_file(test_path(folder, "a"), &size);
    uint64_t bytes = memory_bytes_in_use();
    for (long bit = 0; bit < 8 * size; bit++) {
        file[bit / 8] ^= (char)(1 << bit % 8);
        Result result = block_file_parse("a", file, (size_t)size, &read);
        if (result.code != RESULT_USAGE) fail_msg("bit %ld passed", bit);
        file[bit / 8] ^= (char)(1 << bit % 8);
    }
    for (long cut = 0; cut < size; cut++) {
        Result result = block_file_parse("a", file, (size_t)cut, &read);
        if (result.code != RESULT_USAGE) fail_msg("a cut to %ld bytes passed", cut);
    }
    assert_int_equal(memory_bytes_in_use(), bytes);
    free(file);
}

// Reading takes the numbers' own memory and little more: not a second copy of them.
static void a_state_is_unpacked_to_where_it_stays(void **state)
{
    (void)state;
    enum { MANY = 4 << 20 };
    uint32_t *many = malloc(MANY * sizeof *many);
    StateBlocks blocks = sample(many, MANY), read;
    ASSERT_OK(block_file_write(test_path(folder, "a"), &blocks));
    long size;
    char *file = test_read_file(test_path(folder, "a"), &size);
    memory_restart_peak();
    uint64_t before = memory_bytes_in_use();
    ASSERT_OK(block_file_parse("a", file, (size_t)size, &read));
    assert_true(memory_bytes_peak() - before < MANY * sizeof *many * 5 / 4);
    assert_memory_equal(blocks_find(&read, "many", BLOCK_UINT32)->data, many, MANY * sizeof *many);
    blocks_free(&read);
    free(file);
    free(many);
}

static void the_first_blocks_are_read_without_the_rest(void **state)
{
    (void)state;
    enum { MANY = 1 << 20 };
    uint32_t *many = malloc(MANY * sizeof *many);
    StateBlocks blocks = sample(many, MANY), read;
    const char *path = test_path(folder, "a");
    ASSERT_OK(block_file_write(path, &blocks));
    memory_restart_peak();
    uint64_t before = memory_bytes_in_use();
    for (int whole = 1; whole >= 0; whole--) {
        ASSERT_OK(block_file_peek(path, 2, &read));
        assert_true(memory_bytes_peak() - before < 2 << 20);
        assert_int_equal(read.count, 2);
        for (uint32_t k = 0; k < 2; k++) {
            assert_string_equal(read.block[k].name, blocks.block[k].name);
            assert_memory_equal(read.block[k].data, blocks.block[k].data,
                                blocks.block[k].count * block_type_bytes(blocks.block[k].type));
        }
        blocks_free(&read);
        assert_int_equal(truncate(path, 300 << 10), 0);
    }
    for (int cut = 0; cut < 60; cut++) {
        assert_int_equal(truncate(path, 60 - cut), 0);
        Result result = block_file_peek(path, 2, &read);
        assert_int_equal(result.code, RESULT_USAGE);
    }
    assert_int_equal(memory_bytes_in_use(), before);
    free(many);
}

static void a_file_of_something_else_is_named(void **state)
{
    (void)state;
    StateBlocks read;
    Result result = block_file_read("README.md", &read);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_string_equal(result.text, "README.md: is not a complete checkpoint: it does not begin like one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stored_state_of_every_scene_goes_on_bit_for_bit),
        cmocka_unit_test(what_a_state_lacks_goes_on_from_zeros),
        cmocka_unit_test(a_state_goes_on_without_tension_where_it_is_off),
        cmocka_unit_test(a_state_goes_on_without_the_force_that_was_set),
        cmocka_unit_test(a_state_before_the_first_step_goes_on_too),
        cmocka_unit_test(a_state_looks_as_the_fluid_did),
        cmocka_unit_test(a_state_with_streams_of_different_lengths_is_refused),
        cmocka_unit_test(a_state_without_ids_is_refused),
        cmocka_unit_test(a_state_that_is_not_finite_is_refused),
        cmocka_unit_test(an_id_that_was_never_given_is_refused),
        cmocka_unit_test(a_state_of_another_spacing_or_corner_is_refused),
        cmocka_unit_test(blocks_come_back_as_they_were),
        cmocka_unit_test(the_layout_is_the_documented_one),
        cmocka_unit_test(every_flipped_bit_and_every_cut_is_noticed),
        cmocka_unit_test(a_state_is_unpacked_to_where_it_stays),
        cmocka_unit_test(the_first_blocks_are_read_without_the_rest),
        cmocka_unit_test(a_file_of_something_else_is_named),
    };
    return cmocka_run_group_tests_name("stored states", tests, make_folder, tear_down);
}
