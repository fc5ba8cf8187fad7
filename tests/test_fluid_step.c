// The length of steps.
#include "fluid_helpers.h"

#include <math.h>

enum { STEPS = 4 };

// Lengths (s) of the first steps.
static void take_steps(Fluid *fluid, double dt[STEPS])
{
    for (int k = 0; k < STEPS; k++) {
        StepReport report;
        ASSERT_OK(fluid_step(fluid, 1000.0, &report)); // far away, so that no step ends there
        dt[k] = report.dt;
    }
    fluid_destroy(fluid);
}

static void check_same(const double *low, const double *high)
{
    for (int k = 0; k < STEPS; k++) {
        print_message("step %d: %.3f ms, 20 m higher %.3f ms\n", k + 1, 1e3 * low[k], 1e3 * high[k]);
        assert_float_equal(low[k], high[k], 1e-4 * low[k]);
    }
}

// The wave on water as deep as the cube is high bounds all steps but the first, wherever the cube is.
static void a_cube_of_water_steps_by_its_depth_at_any_height(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.spacing = 0.05f;
    double dt[2][STEPS];
    for (int high = 0; high < 2; high++) {
        Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
        Vec3 corner = {0, 0, high ? 20.0f : 0.0f};
        fluid_fill_lattice(fluid, corner, 20, 20, 20, 0.0f, vec3_make(0, 0, 0));
        take_steps(fluid, dt[high]);
    }
    check_same(dt[0], dt[1]);
    assert_float_equal(dt[0][0], def.time_step, 1e-6);
    assert_float_equal(dt[0][1], fluid_wave_step(&def, 1.0), 0.01 * fluid_wave_step(&def, 1.0));
}

static void the_first_water_of_an_emitter_steps_by_its_depth_at_any_height(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.spacing = 0.05f;
    double dt[2][STEPS];
    for (int high = 0; high < 2; high++) {
        // Upright, 1 m high.
        EmitterDef emitter = {.position = {0, 0, high ? 20.0f : 0.0f},
                              .rotation = {0, 90, 0},
                              .width = 1.0f,
                              .height = 0.5f,
                              .speed = 1.0f,
                              .stop = INFINITY,
                              .volume = INFINITY};
        Obstacles *obstacles;
        Fluid *fluid;
        ASSERT_OK(obstacles_create((TankDef){0}, 0.0f, NULL, 0, &obstacles));
        ASSERT_OK(fluid_create(&def, obstacles, &emitter, 1, NULL, 0, &fluid));
        take_steps(fluid, dt[high]);
    }
    check_same(dt[0], dt[1]);
    assert_float_equal(dt[0][1], fluid_wave_step(&def, 1.0), 0.01 * fluid_wave_step(&def, 1.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_of_water_steps_by_its_depth_at_any_height),
        cmocka_unit_test(the_first_water_of_an_emitter_steps_by_its_depth_at_any_height),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
