// Periodic sides: water does not feel where they are.
#include "fluid_helpers.h"
#include "scene_helpers.h"

#include "core/parallel.h"
#include "fluid/fluid_state.h"
#include "fluid/steer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SPACING 0.1f
#define SIDE 10u // spacings of the tank

// Still in mid-air, or as the caller changes it.
static FluidDef weightless(void)
{
    FluidDef def = fluid_def_default();
    def.gravity = (Vec3){0, 0, 0};
    def.rest_density = 1000;
    def.spacing = SPACING;
    return def;
}

static Fluid *fluid_between(const FluidDef *def, bool x, bool y, bool z, bool walls)
{
    float size = SIDE * SPACING;
    TankDef tank = {.present = true, .size = {size, size, size}, .periodic = {x, y, z}};
    for (int face = 0; face < TANK_FACE_COUNT; face++) tank.open[face] = tank.periodic[face / 2] || !walls;
    Obstacles *obstacles;
    Fluid *fluid;
    ASSERT_OK(obstacles_create(tank, 0.0f, NULL, 0, &obstacles));
    ASSERT_OK(fluid_create(def, obstacles, NULL, 0, NULL, 0, &fluid));
    return fluid;
}

static float wrapped(float at)
{
    float size = SIDE * SPACING;
    return at - size * floorf(at / size);
}

// Adds a disturbed lattice with its lower corner at x = shift, through the sides; velocity: of each place.
static void fill(Fluid *fluid, uint32_t nx, uint32_t ny, uint32_t nz, float shift, float jitter,
                 Vec3 (*velocity)(Vec3 at))
{
    Vec3 places[SIDE * SIDE * SIDE], speeds[SIDE * SIDE * SIDE];
    uint64_t seed = 88172645463325252u;
    uint32_t n = 0;
    for (uint32_t i = 0; i < nx * ny * nz; i++) {
        float at[3] = {(float)(i % nx), (float)(i / nx % ny), (float)(i / nx / ny)};
        for (int a = 0; a < 3; a++)
            at[a] = (at[a] + 0.5f + jitter * (float)(fluid_test_random(&seed) - 0.5)) * SPACING;
        places[n] = (Vec3){wrapped(at[0] + shift), wrapped(at[1]), wrapped(at[2])};
        speeds[n] = velocity(places[n]);
        n++;
    }
    ASSERT_OK(fluid_insert(fluid, places, n, speeds, 1, 0.0, NULL));
}

static Vec3 drift(Vec3 at)
{
    (void)at;
    return (Vec3){1.0f, 0.5f, -0.25f};
}

static Vec3 rest(Vec3 at)
{
    (void)at;
    return (Vec3){0, 0, 0};
}

static void a_full_space_drifts_on_unchanged(void **state)
{
    (void)state;
    FluidDef def = weightless();
    Fluid *fluid = fluid_between(&def, true, true, true, false);
    fill(fluid, SIDE, SIDE, SIDE, 0, 0, drift);
    StepReport report = fluid_run(fluid, test_is_sanitized() ? 0.2 : 1.5);
    FrameView view = fluid_view(fluid);
    assert_true(report.density_error_max < 1e-4);
    assert_int_equal(report.particles, SIDE * SIDE * SIDE);
    assert_int_equal(view.count, SIDE * SIDE * SIDE);
    for (uint32_t i = 0; i < view.count; i++) {
        ASSERT_WITHIN(view.vx[i], 1.0, 1e-3);
        ASSERT_WITHIN(view.vy[i], 0.5, 1e-3);
        ASSERT_WITHIN(view.vz[i], -0.25, 1e-3);
        assert_true(view.x[i] >= 0 && view.x[i] <= SIDE * SPACING);
        ASSERT_WITHIN(view.density[i], def.rest_density, 1); // neighbors all round, everywhere
    }
    fluid_destroy(fluid);
}

// Largest difference, in spacings, of positions by id, where b is shifted by `shift` along x.
static double difference(const Fluid *a, const Fluid *b, float shift)
{
    FrameView x = fluid_view(a), y = fluid_view(b);
    uint32_t slot[SIDE * SIDE * SIDE];
    double most = 0, size = SIDE * SPACING;
    for (uint32_t i = 0; i < x.count; i++) slot[x.id[i]] = i;
    for (uint32_t i = 0; i < y.count; i++) {
        uint32_t k = slot[y.id[i]];
        double dx = (double)y.x[i] - shift - x.x[k], dy = y.y[i] - x.y[k], dz = y.z[i] - x.z[k];
        dx -= size * rint(dx / size);
        dy -= size * rint(dy / size);
        most = fmax(most, sqrt(dx * dx + dy * dy + dz * dz) / SPACING);
    }
    return most;
}

// A block with every term on that falls on the floor, in the middle of the tank and across its sides.
static void water_does_not_feel_where_the_sides_are(void **state)
{
    (void)state;
    static const char *const methods[] = {"uniform_grid", "cluster_grid"};
    for (int m = 0; m < 2; m++) {
        FluidDef def = weightless();
        def.gravity.z = -9.81f;
        def.velocity_kernels = 1.0f;
        def.xsph = 30.0f;
        def.angular_momentum = 10.0f;
        snprintf(def.neighbor, sizeof def.neighbor, "%s", methods[m]);
        const float shift = 0.65f;
        Fluid *middle = fluid_between(&def, true, true, false, true);
        Fluid *across = fluid_between(&def, true, true, false, true);
        fill(middle, 6, SIDE, 5, 0, 0.1f, rest);
        fill(across, 6, SIDE, 5, shift, 0.1f, rest);
        fluid_run(middle, 0.12);
        fluid_run(across, 0.12);
        double apart = difference(middle, across, shift);
        print_message("%s: %.2g spacings apart\n", methods[m], apart);
        assert_true(apart < 1e-2); // rounding, grown; a missing neighbor moves a particle by a tenth
        assert_true(fluid_view(middle).report.speed_max > 0.3);
        fluid_destroy(middle);
        fluid_destroy(across);
    }
}

static Vec3 shear(Vec3 at)
{
    double k = 2.0 * 3.14159265358979 / (SIDE * (double)SPACING);
    return (Vec3){(float)(0.3 * sin(k * (double)at.z)), 0, 0};
}

static double amplitude(const Fluid *fluid)
{
    FrameView view = fluid_view(fluid);
    double k = 2.0 * 3.14159265358979 / (SIDE * (double)SPACING), sum = 0;
    for (uint32_t i = 0; i < view.count; i++) sum += view.vx[i] * sin(k * (double)view.z[i]);
    return 2.0 * sum / view.count;
}

// u = U sin(k z) exp(-nu k^2 t): weak viscosity by explicit forces, a strong one by its solver.
static void a_shear_wave_decays_at_the_rate_of_its_viscosity(void **state)
{
    (void)state;
    static const double viscosities[] = {0.02, 0.2};
    for (int n = 0; n < 2; n++) {
        FluidDef def = weightless();
        def.surface_tension = 0;
        def.viscosity = (float)viscosities[n];
        Fluid *fluid = fluid_between(&def, true, true, true, false);
        fill(fluid, SIDE, SIDE, SIDE, 0, 0, shear);
        double k = 2.0 * 3.14159265358979 / (SIDE * (double)SPACING), decay = test_is_sanitized() ? 0.1 : 0.5,
               time = decay / (viscosities[n] * k * k);
        double start = amplitude(fluid);
        fluid_run(fluid, time);
        double measured = log(start / amplitude(fluid)) / (k * k * time);
        print_message("nu %g: %.4g\n", viscosities[n], measured);
        ASSERT_WITHIN(measured, viscosities[n], 0.08 * viscosities[n]);
        fluid_destroy(fluid);
    }
}

static uint64_t hash_of(const char *method, uint32_t workers)
{
    FluidDef def = weightless();
    def.gravity.z = -9.81f;
    snprintf(def.neighbor, sizeof def.neighbor, "%s", method);
    parallel_set_workers(workers);
    Fluid *fluid = fluid_between(&def, true, true, false, true);
    fill(fluid, 6, SIDE, 6, 0.65f, 0.1f, drift);
    fluid_run(fluid, 0.2);
    uint64_t hash = fluid_state_hash(fluid);
    fluid_destroy(fluid);
    parallel_set_workers(0);
    return hash;
}

static void states_are_equal_for_threads_and_lists(void **state)
{
    (void)state;
    uint64_t hash = hash_of("uniform_grid", 1);
    assert_true(hash_of("uniform_grid", 4) == hash);
    assert_true(hash_of("octree", 2) == hash);
    assert_true(hash_of("kd_tree", 2) == hash);
    assert_true(hash_of("brute_force", 2) == hash);
    assert_true(hash_of("cluster_grid", 1) == hash_of("cluster_grid", 4));
}

// Lone particles at rest, about an influence radius from a side: what gravity or a pull gives them in their
// first step decides who has a copy.
static void particles_that_start_to_move_find_room_for_their_copies(void **state)
{
    (void)state;
    for (int k = 0; k < 4 * 64; k++) {
        const float sign = k % 2 ? 1 : -1, size = SIDE * SPACING;
        FluidDef def = weightless();
        float h = def.radius_factor * SPACING, near = h * (0.9f + 0.2f * (float)(k / 4) / 64);
        Vec3 along = vec3_make(sign * 9.81f, 0, 0), still = vec3_make(0, 0, 0);
        Vec3 place = vec3_make(k % 2 ? size - near : near, 0.5f * size, 0.5f * size);
        FluidForce force = {.center = place, .radius = h, .along = along};
        if (k & 2) def.gravity = along;
        Fluid *fluid = fluid_between(&def, true, true, true, false);
        ASSERT_OK(fluid_insert(fluid, &place, 1, &still, 1, 0.0, NULL));
        if (!(k & 2)) fluid_set_forces(fluid, &force, 1);
        ASSERT_OK(fluid_step(fluid, 1.0, NULL));
        assert_true(sign * fluid_view(fluid).vx[0] > 0);
        fluid_destroy(fluid);
    }
}

static void tanks_that_are_too_short_are_refused(void **state)
{
    (void)state;
    assert_scene_refused(
        "spacing: 0.1\ntank: {size: [0.7, 1, 1], periodic: [x]}\nwater: [{box: {min: [0, 0, "
        "0], max: [0.7, 1, 0.5]}}]\n",
        NULL,
        "scene.yaml:2:37: tank.periodic: the tank is 2.8 influence radii long along x (at least "
        "3)");
    assert_scene_refused(
        "spacing: 0.1\ntank: {size: [1, 1, 1], periodic: [x]}\nwater: [{box: {min: [0.5, 0, "
        "0], max: [1.5, 1, 0.5]}}]\n",
        NULL,
        "scene.yaml:3:9: water.0: the water passes the tank's right wall (the tank is [0, 0, 0] "
        "to [1, 1, 1])");
    SceneDef scene = scene_from_text("spacing: 0.1\ntank: {size: [1, 1, 1], periodic: [x, y]}\nwater: [{box: "
                                     "{min: [0, 0, 0], max: [1, 1, 0.5]}}]\n",
                                     NULL);
    assert_true(scene.tank.periodic[0] && scene.tank.periodic[1] && !scene.tank.periodic[2]);
    assert_true(scene.tank.open[TANK_X_LO] && scene.tank.open[TANK_Y_HI] && !scene.tank.open[TANK_Z_LO]);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_space_drifts_on_unchanged),
        cmocka_unit_test(water_does_not_feel_where_the_sides_are),
        cmocka_unit_test(a_shear_wave_decays_at_the_rate_of_its_viscosity),
        cmocka_unit_test(states_are_equal_for_threads_and_lists),
        cmocka_unit_test(particles_that_start_to_move_find_room_for_their_copies),
        cmocka_unit_test(tanks_that_are_too_short_are_refused),
    };
    return cmocka_run_group_tests(tests, scene_folder_make, scene_folder_remove);
}
