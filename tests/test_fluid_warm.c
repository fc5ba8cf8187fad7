// The warm start: what it leaves of the compression, against hydrostatics and an own sum of densities, and
// where it must do nothing.
#include "fluid_helpers.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "reference_fluid.h"

#include <math.h>
#include <string.h>

// Mean of max(rho / rho0 - 1, 0) over the particles further than h from the walls, by summing over all pairs.
static double density_error(const Fluid *fluid, Vec3 tank)
{
    FrameView view = fluid_view(fluid);
    FluidDef def = fluid_def_default();
    def.global_pressure = false;
    RefFluid reference = reference_make(&def, 1.0, 0);
    double h = reference.h, volume = reference.mass / (double)def.rest_density, sum = 0.0;
    uint32_t inside = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        double x = (double)view.x[i], y = (double)view.y[i], z = (double)view.z[i], density = 0.0;
        if (x < h || y < h || z < h || x > (double)tank.x - h || y > (double)tank.y - h) continue;
        for (uint32_t j = 0; j < view.count; j++) {
            double dx = x - (double)view.x[j], dy = y - (double)view.y[j], dz = z - (double)view.z[j],
                   r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < h * h) density += volume * reference_kernel(&reference, sqrt(r2));
        }
        sum += fmax(density - 1.0, 0.0);
        inside++;
    }
    reference_free(&reference);
    assert_true(inside > 100);
    return sum / inside;
}

typedef struct Run {
    Vec3 tank;           // m
    uint32_t nx, ny, nz; // particles
    double begin, end;   // s, between which errors are averaged
} Run;

static double error_of(const Run *run, float warm_start, uint32_t iterations)
{
    FluidDef def = fluid_def_default();
    def.global_pressure = false;
    def.warm_start = warm_start;
    def.iterations = iterations;
    Fluid *fluid = fluid_for_test(&def, run->tank, NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), run->nx, run->ny, run->nz, 1e-3f, vec3_make(0, 0, 0));
    fluid_run(fluid, run->begin);
    double sum = 0.0;
    int samples = 8;
    for (int k = 1; k <= samples; k++) {
        fluid_run(fluid, run->begin + (run->end - run->begin) * k / samples);
        sum += density_error(fluid, run->tank) / samples;
    }
    fluid_destroy(fluid);
    return sum;
}

// The pressure that carries a column is given. What a share s of the last step's supplies, the iterations
// need not, and what they supply is proportional to the compression that they find.
static void water_at_rest_is_compressed_by_what_the_warm_start_leaves(void **state)
{
    (void)state;
    if (test_is_quick()) skip();
    const Run rest = {{1.0f, 1.0f, 10.0f}, 10, 10, 16, 0.9, 1.2};
    double cold = error_of(&rest, 0.0f, 3), quarter = error_of(&rest, 0.25f, 3),
           half = error_of(&rest, 0.5f, 3);
    print_message("compressed by %.4f %% without, by %.3f of that from a quarter, %.3f from half\n",
                  100 * cold, quarter / cold, half / cold);
    assert_float_equal(quarter / cold, 0.75, 0.07);
    assert_float_equal(half / cold, 0.5, 0.07);
}

static void three_warm_iterations_leave_less_error_in_a_collapse_than_four_cold_ones(void **state)
{
    (void)state;
    if (test_is_quick()) skip();
    const Run collapse = {{3.0f, 1.2f, 10.0f}, 12, 12, 16, 0.05, 0.6};
    double warm = error_of(&collapse, 0.5f, 3), cold = error_of(&collapse, 0.0f, 4);
    print_message("three warm iterations %.4f %%, four cold ones %.4f %%\n", 100 * warm, 100 * cold);
    assert_true(warm < 0.85 * cold);
}

// Goes on with the state of `from`, one step long.
static uint64_t hash_after_a_step(const FluidDef *def, Vec3 tank, const StateBlocks *blocks)
{
    Fluid *fluid = fluid_for_test(def, tank, NULL, 0);
    ASSERT_OK(fluid_restore(fluid, blocks));
    ASSERT_OK(fluid_step(fluid, fluid_time(fluid) + def->time_step, NULL));
    uint64_t hash = fluid_state_hash(fluid);
    fluid_destroy(fluid);
    return hash;
}

// A block that has stood for so many seconds with a warm start, and the settings with and without one.
static Fluid *block_under_load(Vec3 tank, double seconds, FluidDef *warm, FluidDef *cold)
{
    *warm = *cold = fluid_def_default();
    warm->global_pressure = cold->global_pressure = false;
    warm->warm_start = 0.5f;
    assert_true(cold->warm_start == 0.0f);
    Fluid *fluid = fluid_for_test(warm, tank, NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 10, 10, 10, 1e-3f, vec3_make(0, 0, 0));
    fluid_run(fluid, seconds);
    return fluid;
}

static void water_that_is_no_longer_compressed_is_not_pushed(void **state)
{
    (void)state;
    Vec3 tank = {1.0f, 1.0f, 10.0f};
    FluidDef warm, cold;
    Fluid *fluid = block_under_load(tank, 0.3, &warm, &cold);
    StateBlocks blocks = {0};
    fluid_store(fluid, &blocks);
    assert_true(hash_after_a_step(&warm, tank, &blocks) != hash_after_a_step(&cold, tank, &blocks));

    // Pulled apart in height, with the pressure that it had.
    float *z = (float *)(uintptr_t)blocks_find(&blocks, "z", BLOCK_FLOAT)->data;
    for (uint32_t i = 0; i < fluid_view(fluid).count; i++) z[i] = 1.0f + 1.4f * z[i];
    assert_true(hash_after_a_step(&warm, tank, &blocks) == hash_after_a_step(&cold, tank, &blocks));
    fluid_destroy(fluid);
}

static void a_state_that_knows_no_pressure_starts_cold(void **state)
{
    (void)state;
    Vec3 tank = {1.0f, 1.0f, 10.0f};
    FluidDef warm, cold;
    Fluid *fluid = block_under_load(tank, 0.1, &warm, &cold);
    StateBlocks all = {0}, without = {0};
    fluid_store(fluid, &all);
    for (uint32_t k = 0; k < all.count; k++) {
        const StateBlock *b = &all.block[k];
        if (strcmp(b->name, "lambda_sum") != 0) blocks_add(&without, b->name, b->type, b->count, b->data);
    }
    assert_int_equal(without.count, all.count - 1);
    assert_true(hash_after_a_step(&warm, tank, &without) == hash_after_a_step(&cold, tank, &all));
    fluid_destroy(fluid);
}

static void a_warm_start_goes_on_bit_for_bit_on_any_number_of_threads(void **state)
{
    (void)state;
    Vec3 tank = {1.5f, 0.6f, 10.0f};
    FluidDef def = fluid_def_default();
    def.global_pressure = false;
    def.warm_start = 0.5f;
    parallel_set_workers(1);
    Fluid *first = fluid_for_test(&def, tank, NULL, 0), *second = fluid_for_test(&def, tank, NULL, 0);
    fluid_fill_lattice(first, vec3_make(0, 0, 0), 9, 6, 12, 1e-3f, vec3_make(0, 0, 0));
    fluid_run(first, 0.2);
    StateBlocks blocks = {0};
    fluid_store(first, &blocks);
    ASSERT_OK(fluid_restore(second, &blocks));
    fluid_run(first, 0.3);
    parallel_set_workers(3);
    fluid_run(second, 0.3);
    parallel_set_workers(0);
    assert_true(fluid_state_hash(first) == fluid_state_hash(second));
    fluid_destroy(first);
    fluid_destroy(second);
}

static void momentum_stays_under_a_warm_start(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.global_pressure = false;
    def.warm_start = 0.5f;
    def.gravity = vec3_make(0, 0, 0);
    def.time_step = 0.006; // in longer ones corrections reach their longest, of one of two particles alone
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
    // Two blocks that meet at 4 m/s.
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 6, 8, 8, 0.05f, vec3_make(3, 0, 0));
    fluid_fill_lattice(fluid, vec3_make(0.7f, 0, 0.1f), 8, 8, 8, 0.05f, vec3_make(-1, 0.5f, 0));
    FluidSums before = fluid_sums(fluid, 0.0);
    StepReport report = fluid_run(fluid, 0.15);
    FluidSums after = fluid_sums(fluid, 0.0);
    assert_true(report.density_error_max > 0.0);
    for (int a = 0; a < 3; a++)
        assert_float_equal(after.momentum[a], before.momentum[a], 1e-4 * fabs(before.momentum[0]));
    assert_true(after.kinetic < before.kinetic);
    fluid_destroy(fluid);
}

// What a block of water takes with each setting that asks for memory of its own, beside what is said of it.
static void memory_is_estimated(void **state)
{
    (void)state;
    static const char *const names[] = {"clusters", "lists", "ellipsoids", "viscous", "spinning"};
    parallel_set_workers(1);
    for (int k = 0; k < 5; k++) {
        FluidDef def = fluid_def_default();
        if (k == 1) strcpy(def.neighbor, "uniform_grid");
        if (k == 2) def.velocity_kernels = 0.1;
        if (k == 3) def.viscosity = 0.8f;
        if (k == 4) def.micropolar = 0.02f;
        uint64_t before = memory_bytes_in_use();
        Fluid *fluid = fluid_for_test(&def, vec3_make(3, 3, 3), NULL, 0);
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 20, 20, 20, 0.2f, vec3_make(0, 0, 0));
        for (int step = 0; step < 3; step++) ASSERT_OK(fluid_step(fluid, 10, NULL));
        double taken = (double)(memory_bytes_in_use() - before);
        double ratio = (double)fluid_memory_estimate(&def, 8000) / taken;
        print_message("%s: %.0f bytes a particle, %.2f of it estimated\n", names[k], taken / 8000, ratio);
        assert_true(ratio > 0.5 && ratio < 1.5);
        fluid_destroy(fluid);
    }
    parallel_set_workers(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_at_rest_is_compressed_by_what_the_warm_start_leaves),
        cmocka_unit_test(three_warm_iterations_leave_less_error_in_a_collapse_than_four_cold_ones),
        cmocka_unit_test(water_that_is_no_longer_compressed_is_not_pushed),
        cmocka_unit_test(a_state_that_knows_no_pressure_starts_cold),
        cmocka_unit_test(a_warm_start_goes_on_bit_for_bit_on_any_number_of_threads),
        cmocka_unit_test(momentum_stays_under_a_warm_start),
        cmocka_unit_test(memory_is_estimated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
