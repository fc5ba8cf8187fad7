// A step over pairs of clusters against the same step over lists.
#include "fluid_helpers.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Water in a corner of a tank, around a ball, in slabs that slide over each other. At 2.64 spacings, half way
// between two shells of the lattice, no pair comes within reach or leaves it during a step, so both ways sum
// the same pairs.
static Fluid *sliding_slabs(const char *method, const FluidDef *with)
{
    FluidDef def = *with;
    def.radius_factor = 2.64f;
    strcpy(def.neighbor, method);
    ObstacleDef ball = {.name = "ball", .shape = {.kind = SHAPE_SPHERE, .radius = 0.25f}};
    ball.position = vec3_make(0.9f, 0.8f, -0.15f);
    Fluid *fluid = fluid_for_test(&def, vec3_make(4.0f, 1.1f, 4.0f), &ball, 1);
    for (int k = 0; k < 6; k++) {
        Vec3 velocity = {0.3f * (float)(k % 3), 0.1f * (float)(k % 2), 0.0f};
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0.1f + 0.2f * (float)k), 15, 11, 2, 0.05f, velocity);
    }
    // Two in the air that are near enough to each other for artificial pressure.
    const Vec3 near[2] = {{3.0f, 0.5f, 3.0f}, {3.04f, 0.51f, 3.02f}};
    ASSERT_OK(fluid_add(fluid, near, 2, (Vec3){0}));
    return fluid;
}

typedef struct State {
    Vec3 *x, *v;
    uint32_t count;
} State;

static State state_by_id(const Fluid *fluid)
{
    FrameView view = fluid_view(fluid);
    State state = {calloc(view.count, sizeof(Vec3)), calloc(view.count, sizeof(Vec3)), view.count};
    assert_true(state.x && state.v);
    for (uint32_t i = 0; i < view.count; i++) {
        state.x[view.id[i]] = vec3_make(view.x[i], view.y[i], view.z[i]);
        Vec3 v = {view.vx[i], view.vy[i], view.vz[i]},
             pull = {view.tension_x[i], view.tension_y[i], view.tension_z[i]};
        // With what the next step adds.
        state.v[view.id[i]] = vec3_add(v, vec3_scale(pull, (float)view.report.dt));
    }
    return state;
}

static void state_free(State *state)
{
    free(state->x);
    free(state->v);
}

static State after_a_step(const char *method, const FluidDef *def, CpuLevel level)
{
    cpu_set_level(level);
    Fluid *fluid = sliding_slabs(method, def);
    ASSERT_OK(fluid_step(fluid, 1.0, NULL));
    State state = state_by_id(fluid);
    fluid_destroy(fluid);
    cpu_set_level(CPU_AVX512);
    return state;
}

typedef struct Difference {
    double x, v; // largest, m and m/s
} Difference;

static Difference difference(const State *a, const State *b)
{
    Difference d = {0};
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        d.x = fmax(d.x, vec3_length(vec3_sub(a->x[i], b->x[i])));
        d.v = fmax(d.v, vec3_length(vec3_sub(a->v[i], b->v[i])));
    }
    return d;
}

static void a_step_over_clusters_equals_one_over_lists_to_rounding(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.vorticity_confinement = 0.5f;
    def.global_pressure = false; // which rounds sums once more
    def.surface_tension = 5.0f;
    State lists = after_a_step("uniform_grid", &def, CPU_AVX512);
    // Coordinates up to 2 m are rounded at 1.2e-7 m, a handful of times; velocities are their differences
    // over a step of 6 ms.
    double x = 6e-7, v = 6e-7 / 0.006;
    for (int level = CPU_PLAIN; level < CPU_LEVEL_COUNT; level++) {
        State clusters = after_a_step("cluster_grid", &def, (CpuLevel)level);
        Difference d = difference(&lists, &clusters);
        print_message("%s: %.2e m, %.2e m/s\n", cpu_level_name((CpuLevel)level), d.x, d.v);
        assert_true(d.x < x && d.v < v);
        state_free(&clusters);
    }
    // So does one over lists that takes a pair at a time.
    State scalar = after_a_step("uniform_grid", &def, CPU_SCALAR);
    Difference summed = difference(&lists, &scalar);
    print_message("scalar: %.2e m, %.2e m/s\n", summed.x, summed.v);
    assert_true(summed.x < x && summed.v < v && summed.x + summed.v > 0.0);
    state_free(&scalar);
    // Every term is at work here: without it the state is far outside these bounds.
    for (int term = 0; term < 4; term++) {
        FluidDef without = def;
        if (term == 0) without.vorticity_confinement = 0.0f;
        if (term == 1) without.surface_tension = 0.0f;
        if (term == 2) without.xsph = 0.0f;
        if (term == 3) without.scorr_strength = 0.0f;
        State other = after_a_step("cluster_grid", &without, CPU_AVX512);
        Difference d = difference(&lists, &other);
        if (!(d.x > 5 * x || d.v > 5 * v)) fail_msg("term %d: %.2e m, %.2e m/s", term, d.x, d.v);
        state_free(&other);
    }
    state_free(&lists);
}

static void clusters_give_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t reference = 0;
    const uint32_t threads[] = {1, 2, 3, 7};
    for (int t = 0; t < 4; t++) {
        parallel_set_workers(threads[t]);
        FluidDef def = fluid_def_default();
        Fluid *fluid = sliding_slabs("cluster_grid", &def);
        fluid_run(fluid, 0.05);
        uint64_t hash = fluid_state_hash(fluid);
        if (t == 0) reference = hash;
        assert_true(hash == reference);
        fluid_destroy(fluid);
    }
    parallel_set_workers(0);
}

static void a_collapse_over_clusters_goes_like_one_over_lists(void **state)
{
    (void)state;
    FluidSums sums[2];
    const char *const methods[2] = {"uniform_grid", "cluster_grid"};
    double time = test_is_quick() ? 0.05 : 0.3;
    for (int m = 0; m < 2; m++) {
        FluidDef def = fluid_def_default();
        strcpy(def.neighbor, methods[m]);
        Fluid *fluid = fluid_for_test(&def, vec3_make(3.0f, 1.0f, 3.0f), NULL, 0);
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 10, 10, 20, 0.0f, vec3_make(0, 0, 0));
        fluid_run(fluid, time);
        sums[m] = fluid_sums(fluid, 9.81);
        fluid_destroy(fluid);
    }
    for (int a = 0; a < 3; a++) assert_float_equal(sums[0].centre[a], sums[1].centre[a], 0.01);
    assert_float_equal(sums[0].kinetic, sums[1].kinetic, 0.03 * sums[0].kinetic);
}

static void warm_steps_over_clusters_allocate_nothing(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.time_step = 0.006;
    Fluid *fluid = sliding_slabs("cluster_grid", &def);
    for (int k = 0; k < 3; k++) ASSERT_OK(fluid_step(fluid, 10.0, NULL));
    uint64_t before = memory_allocation_count();
    for (int k = 0; k < 5; k++) ASSERT_OK(fluid_step(fluid, 10.0, NULL));
    assert_int_equal(memory_allocation_count(), before);
    fluid_destroy(fluid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_over_clusters_equals_one_over_lists_to_rounding),
        cmocka_unit_test(clusters_give_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_collapse_over_clusters_goes_like_one_over_lists),
        cmocka_unit_test(warm_steps_over_clusters_allocate_nothing),
    };
    return cmocka_run_group_tests_name("fluid_clusters", tests, NULL, NULL);
}
