// Particles that spin (solver.micropolar, solver.angular_momentum): with the water, without making energy or
// momentum, and on from where they were stored.
#include "fluid_helpers.h"

#include "core/memory.h"
#include "fluid/spins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static FluidDef weightless(float spacing)
{
    FluidDef def = fluid_def_default();
    def.spacing = spacing;
    def.gravity = vec3_make(0.0f, 0.0f, 0.0f);
    def.surface_tension = 0.0f;
    return def;
}

// The spins of a fluid, axis by axis, in the order of fluid_view.
static const float *spins_of(const Fluid *fluid, StateBlocks *blocks, int axis)
{
    static const char *const names[] = {"spin_x", "spin_y", "spin_z"};
    *blocks = (StateBlocks){0};
    fluid_store(fluid, blocks);
    const StateBlock *block = blocks_find(blocks, names[axis], BLOCK_FLOAT);
    assert_non_null(block);
    assert_int_equal(block->count, fluid_view(fluid).count);
    return block->data;
}

// Sum of w^2 over all particles, 1/s^2.
static double spin_squares(const Fluid *fluid)
{
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        StateBlocks blocks;
        const float *spin = spins_of(fluid, &blocks, axis);
        for (uint32_t i = 0; i < fluid_view(fluid).count; i++) sum += (double)spin[i] * (double)spin[i];
    }
    return sum;
}

// Water that turns as a whole: a ball, its velocity omega x r.
static Fluid *turning_ball(const FluidDef *def, double radius, double omega)
{
    Fluid *fluid = fluid_for_test(def, vec3_make(0, 0, 0), NULL, 0);
    fluid_add_turning_ball(fluid, 0.0f, (float)radius / def->spacing, def->spacing, (float)omega);
    return fluid;
}

// The mean spin of the ball's particles that do not feel its surface, which sees less of the swirl and tells
// those near it.
static Vec3 mean_spin(const Fluid *fluid, double radius)
{
    FrameView view = fluid_view(fluid);
    double sums[3] = {0.0, 0.0, 0.0}, count = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        StateBlocks blocks;
        const float *spin = spins_of(fluid, &blocks, axis);
        for (uint32_t i = 0; i < view.count; i++) {
            double r = (double)vec3_length(vec3_make(view.x[i], view.y[i], view.z[i]));
            if (r > radius - 1.8 * (double)view.radius) continue;
            sums[axis] += (double)spin[i];
            count += axis == 0;
        }
    }
    return vec3_make((float)(sums[0] / count), (float)(sums[1] / count), (float)(sums[2] / count));
}

// A spin comes up to the water's turning as 1 - exp(-2 nu_t t / Theta): at once, and within the test.
static void spins_follow_water_that_turns(void **state)
{
    (void)state;
    static const float spacings[] = {0.1f, 0.05f};
    static const double steps[] = {0.006, 0.003};
    const double omega = 0.5, time = 0.3;
    for (size_t k = 0; k < 8; k += test_stride(5)) {
        FluidDef def = weightless(spacings[k & 1]);
        def.time_step = steps[k >> 1 & 1];
        double radius = 8.0 * (double)def.spacing, h = (double)(def.radius_factor * def.spacing);
        double rate = k < 4 ? 1000.0 : 2.0; // 1/s
        def.micropolar_inertia = 0.02f;
        def.micropolar = (float)(0.5 * rate * 0.02 * h * h);
        Fluid *fluid = turning_ball(&def, radius, omega);
        fluid_run(fluid, time);
        Vec3 spin = mean_spin(fluid, radius);
        double expected = omega * (1.0 - exp(-rate * time));
        print_message("spacing %g, steps of %g s, %g 1/s: %.4f %.4f %.4f of %.4f 1/s\n", (double)def.spacing,
                      def.time_step, rate, (double)spin.x, (double)spin.y, (double)spin.z, expected);
        ASSERT_WITHIN((double)spin.z, expected, 0.02 * omega);
        ASSERT_WITHIN((double)spin.x, 0.0, 0.01 * omega);
        ASSERT_WITHIN((double)spin.y, 0.0, 0.01 * omega);
        fluid_destroy(fluid);
    }
}

// A shell of water that turns around a core at rest, until viscosity has made all of it turn as one.
static Fluid *turning_shell(const FluidDef *def, double radius, double omega)
{
    Fluid *fluid = fluid_for_test(def, vec3_make(0, 0, 0), NULL, 0);
    double d = (double)def->spacing;
    int n = (int)ceil(radius / d);
    for (int k = 0; k < (2 * n + 1) * (2 * n + 1) * (2 * n + 1); k++) {
        int m = 2 * n + 1;
        double x = d * (k % m - n), y = d * (k / m % m - n), z = d * (k / m / m - n),
               r = sqrt(x * x + y * y + z * z);
        if (r > radius) continue;
        double turn = r > 0.5 * radius ? omega : 0.0;
        Vec3 at = vec3_make((float)x, (float)y, (float)z);
        ASSERT_OK(fluid_add(fluid, &at, 1, vec3_make((float)(-turn * y), (float)(turn * x), 0.0f)));
    }
    return fluid;
}

// How fast the water within a radius turns about the z axis, 1/s.
static double core_turn(const Fluid *fluid, double radius)
{
    FrameView view = fluid_view(fluid);
    double angular = 0.0, inertia = 0.0;
    for (uint32_t i = 0; i < view.count; i++) {
        if ((double)vec3_length(vec3_make(view.x[i], view.y[i], view.z[i])) > radius) continue;
        angular += (double)(view.x[i] * view.vy[i] - view.y[i] * view.vx[i]);
        inertia += (double)(view.x[i] * view.x[i] + view.y[i] * view.y[i]);
    }
    return angular / inertia;
}

// Forces that turn the core give its particles the same spin, which fades within a second.
static void torque_spins_particles_as_it_turns_water(void **state)
{
    (void)state;
    static const float spacings[] = {0.1f, 0.05f};
    const double omega = 0.5;
    for (size_t k = 0; k < 2; k += test_stride(2)) {
        FluidDef def = weightless(spacings[k]);
        double radius = 9.0 * (double)def.spacing;
        def.time_step = k == 0 ? 0.006 : 0.003;
        def.viscosity = 0.5f;
        def.angular_momentum = 1e-3f; // hardly drives the water
        Fluid *fluid = turning_shell(&def, radius, omega);
        double before = core_turn(fluid, 0.3 * radius), expected = 0.0;
        for (int step = 0; step < 40; step++) {
            StepReport report;
            ASSERT_OK(fluid_step(fluid, fluid_time(fluid) + def.time_step, &report));
            double now = core_turn(fluid, 0.3 * radius);
            expected = exp(-report.dt) * (expected + now - before);
            before = now;
        }
        Vec3 spin = mean_spin(fluid, 0.3 * radius + 1.8 * 2.5 * (double)def.spacing);
        print_message("spacing %g: the core turns at %.4f, its particles at %.4f %.4f %.4f of %.4f 1/s\n",
                      (double)def.spacing, before, (double)spin.x, (double)spin.y, (double)spin.z, expected);
        assert_true(expected > 0.5 * omega);
        ASSERT_WITHIN((double)spin.z, expected, 0.02 * expected);
        ASSERT_WITHIN((double)spin.x, 0.0, 0.01 * omega);
        ASSERT_WITHIN((double)spin.y, 0.0, 0.01 * omega);
        fluid_destroy(fluid);
    }
}

// Halves of a block that slide past each other; light and heavy spins, weak and strong, and turbulence by
// angular momentum.
static void spins_give_water_neither_energy_nor_momentum(void **state)
{
    (void)state;
    static const float transfers[] = {0.001f, 0.05f, 1.0f, 0.0f, 0.0f},
                       inertias[] = {0.01f, 1.0f, 30.0f, 1.0f, 1.0f},
                       rates[] = {0.0f, 0.0f, 0.0f, 10.0f, 1000.0f};
    double without = 0.0;
    for (int k = -1; k < 5; k += (int)test_stride(3)) {
        FluidDef def = weightless(0.1f);
        def.scorr_strength = 0.0f;
        def.micropolar = k < 0 ? 0.0f : transfers[k];
        def.micropolar_inertia = k < 0 ? 1.0f : inertias[k];
        def.angular_momentum = k < 0 ? 0.0f : rates[k];
        Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 14, 10, 7, 0.1f, vec3_make(1, 0, 0));
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0.7f), 14, 10, 7, 0.1f, vec3_make(-1, 0, 0.2f));
        fluid_run(fluid, 0.02);
        FluidSums before = fluid_sums(fluid, 0.0);
        double most = 0.0;
        for (double t = 0.1; t < 0.65; t += 0.1) {
            fluid_run(fluid, t);
            most = fmax(most, fluid_sums(fluid, 0.0).kinetic);
        }
        FluidSums after = fluid_sums(fluid, 0.0);
        double lost = 1.0 - after.kinetic / before.kinetic;
        if (k < 0) without = lost;
        print_message("transfer %g, angular momentum %g: most %.4f of the energy, kinetic %.4f at the end\n",
                      (double)def.micropolar, (double)def.angular_momentum, most / before.kinetic,
                      after.kinetic / before.kinetic);
        assert_true(most <= before.kinetic);
        bool strong = k == 1 || k == 2 || k == 4;
        assert_true(!strong || lost < (k == 4 ? 0.7 : 0.5) * without); // they do drive swirls on
        for (int a = 0; a < 3; a++) ASSERT_WITHIN(after.momentum[a], before.momentum[a], 1e-5 * 1960.0);
        fluid_destroy(fluid);
    }
}

// What is poured, drained and put in order anew keeps its spin; a fluid that goes on from a stored state does
// what the other does.
static void check_storing(bool by_torque)
{
    FluidDef def = fluid_def_default();
    def.micropolar = by_torque ? 0.0f : 0.02f;
    def.angular_momentum = by_torque ? 10.0f : 0.0f;
    Fluid *fluid[2];
    for (int k = 0; k < 2; k++) {
        fluid[k] = fluid_for_test(&def, vec3_make(2.0f, 1.0f, 2.0f), NULL, 0);
        if (k == 0) fluid_fill_lattice(fluid[k], vec3_make(0, 0, 0), 8, 10, 12, 0.0f, vec3_make(0, 0, 0));
    }
    fluid_run(fluid[0], 0.3);
    assert_true(spin_squares(fluid[0]) > 0.0);
    StateBlocks blocks = {0};
    fluid_store(fluid[0], &blocks);
    ASSERT_OK(fluid_restore(fluid[1], &blocks));
    for (int k = 0; k < 2; k++) fluid_run(fluid[k], 0.5);
    assert_true(fluid_state_hash(fluid[0]) == fluid_state_hash(fluid[1]));
    ASSERT_WITHIN(spin_squares(fluid[0]), spin_squares(fluid[1]), 0.0);
    // Without the spins the state is another one, which is taken, too.
    FluidDef still = def;
    still.micropolar = still.angular_momentum = 0.0f;
    ASSERT_OK(fluid_change(fluid[1], &still));
    fluid_run(fluid[1], 0.51);
    StateBlocks none = {0};
    fluid_store(fluid[1], &none);
    assert_null(blocks_find(&none, "spin_x", BLOCK_FLOAT));
    ASSERT_OK(fluid_restore(fluid[0], &none));
    fluid_run(fluid[0], 0.6);
    for (int k = 0; k < 2; k++) fluid_destroy(fluid[k]);
}

static void spins_are_stored_and_go_on(void **state)
{
    (void)state;
    check_storing(false);
    check_storing(true);
}

// A particle has one spin.
static void only_one_kind_of_spin_is_taken(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    Fluid *fluid = fluid_for_test(&def, vec3_make(1, 1, 1), NULL, 0);
    def.micropolar = 0.02f;
    def.angular_momentum = 10.0f;
    Result result = fluid_change(fluid, &def);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, "solver.angular_momentum: a particle has one spin"));
    fluid_destroy(fluid);
}

// A column calms down with spins, too.
static void spins_leave_still_water_still(void **state)
{
    (void)state;
    if (test_is_sanitized()) skip();
    for (int k = 0; k < 2; k++) {
        FluidDef def = fluid_def_default();
        def.micropolar = k == 0 ? 0.1f : 0.0f;
        def.angular_momentum = k == 0 ? 0.0f : 10.0f;
        Fluid *fluid = fluid_for_test(&def, vec3_make(0.8f, 0.8f, 3.0f), NULL, 0);
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 8, 8, 10, 0.0f, vec3_make(0, 0, 0));
        fluid_run(fluid, 1.0);
        double at_first = fluid_sums(fluid, 9.81).rms_speed, wave = sqrt(9.81 * 1.0);
        fluid_run(fluid, 4.0);
        double then = fluid_sums(fluid, 9.81).rms_speed;
        print_message("column of 1 m: %.4f of sqrt(g H) after 1 s, %.4f after 4 s\n", at_first / wave,
                      then / wave);
        assert_true(then < (k == 0 ? 0.02 : 0.01) * wave);
        fluid_destroy(fluid);
    }
}

// Particles are sorted anew in every step, some leave and some come.
static void spins_go_with_their_particles(void **state)
{
    (void)state;
    enum { BEFORE = 37, AFTER = 21, THEN = 50 };
    static const char *const names[] = {"spin_x", "spin_y", "spin_z"};
    float value[3][BEFORE];
    uint32_t order[AFTER];
    StateBlocks blocks = {0}, found = {0};
    Spins spins = {0};
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < BEFORE; i++) value[a][i] = (float)(100 * a + i + 1);
        blocks_add(&blocks, names[a], BLOCK_FLOAT, BEFORE, value[a]);
    }
    for (uint32_t i = 0; i < AFTER; i++) order[i] = i * 11 % BEFORE;
    ASSERT_OK(spins_restore(&spins, &blocks, BEFORE));
    spins_reorder(&spins, order, AFTER);
    ASSERT_OK(spins_reserve(&spins, THEN, 3));
    spins_store(&spins, &found);
    for (int a = 0; a < 3; a++) {
        float spin[THEN];
        ASSERT_OK(blocks_copy(&found, names[a], BLOCK_FLOAT, THEN, spin));
        for (uint32_t i = 0; i < THEN; i++) assert_true(spin[i] == (i < AFTER ? value[a][order[i]] : 0.0f));
    }
    value[1][5] = NAN;
    Result result = spins_restore(&spins, &blocks, BEFORE);
    assert_non_null(strstr(result.text, "spin_y: value nan is out of range"));
    blocks_free(&blocks);
    blocks_free(&found);
    spins_free(&spins);
}

// Spin of particle k about an axis: told apart from all others.
static float told(int axis, uint32_t k)
{
    return 100.0f * (float)(axis + 1) + (float)k;
}

static float *axis_of(Streams3 streams, int axis)
{
    return axis == 0 ? streams.x : axis == 1 ? streams.y : streams.z;
}

static void assert_spins(const Spins *spins, const uint32_t *kept, uint32_t count, uint32_t room)
{
    assert_int_equal(spins->count, count);
    for (int axis = 0; axis < 3; axis++) {
        const float *now = axis_of(spins->now, axis);
        for (uint32_t k = 0; k < count; k++)
            assert_true(now[k] == (kept[k] == UINT32_MAX ? 0.0f : told(axis, kept[k])));
        for (uint32_t k = count; k < room; k++) assert_true(now[k] == 0.0f);
    }
}

// Whatever lies there: vectors are read to their end.
static void fill_with(Streams3 streams, size_t count, float value)
{
    for (int axis = 0; axis < 3; axis++)
        for (size_t k = 0; k < count; k++) axis_of(streams, axis)[k] = value;
}

static void the_list_of_spins_keeps_moves_and_forgets_them(void **state)
{
    (void)state;
    enum { NEW = UINT32_MAX, VECTOR = 16 };
    static const uint32_t first[] = {0, 1, 2, 3, 4, NEW, NEW}, order[] = {4, 0, 2}, moved[] = {4, 2, NEW};
    Spins spins = {0};
    ASSERT_OK(spins_reserve(&spins, 5, 0));
    assert_true(spins.stride >= 5 + VECTOR);
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t k = 0; k < 5; k++) axis_of(spins.now, axis)[k] = told(axis, k);
    // Those that come are at 0, with and without new room, and those that are dropped do not come back.
    ASSERT_OK(spins_reserve(&spins, 7, 0));
    assert_spins(&spins, first, 7, (uint32_t)spins.stride);
    size_t stride = spins.stride;
    ASSERT_OK(spins_reserve(&spins, 7, 100));
    assert_true(spins.stride > stride && spins.stride >= 7 + 100 + VECTOR);
    assert_spins(&spins, first, 7, (uint32_t)spins.stride);
    ASSERT_OK(spins_reserve(&spins, 5, 0));
    fill_with(spins.before, VECTOR, 9.0f);
    spins_reorder(&spins, order, 3);
    assert_spins(&spins, order, 3, VECTOR);
    spins_move(&spins, 1, 2);
    spins_move(&spins, 2, 3); // one that has not stepped
    spins_move(&spins, 3, 0); // nothing
    assert_spins(&spins, moved, 3, VECTOR);
    spins_cut(&spins, 5);
    assert_int_equal(spins.count, 3);
    spins_cut(&spins, 2);
    assert_int_equal(spins.count, 2);
    ASSERT_OK(spins_reserve(&spins, 0, 8));
    assert_true(!spins.memory && spins.count == 0);
    spins_free(&spins);
}

static void a_state_without_spins_forgets_those_there_are(void **state)
{
    (void)state;
    static const uint32_t stored[] = {0, 1, 2};
    StateBlocks blocks = {0};
    Spins spins = {0}, other = {0};
    ASSERT_OK(spins_reserve(&spins, 3, 0));
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t k = 0; k < 3; k++) axis_of(spins.now, axis)[k] = told(axis, k);
    spins_store(&spins, &blocks);
    ASSERT_OK(spins_reserve(&other, 6, 0));
    ASSERT_OK(spins_restore(&other, &blocks, 3));
    assert_spins(&other, stored, 3, 16);
    spins.now.y[1] = NAN;
    Result refused = spins_restore(&other, &blocks, 3);
    assert_int_equal(refused.code, RESULT_USAGE);
    assert_non_null(strstr(refused.text, "spin_y"));
    ASSERT_OK(spins_reserve(&other, 6, 0));
    ASSERT_OK(spins_restore(&other, NULL, 6));
    assert_int_equal(other.count, 0);
    ASSERT_OK(spins_reserve(&other, 6, 0));
    ASSERT_OK(spins_restore(&other, &(StateBlocks){.count = 0}, 6));
    assert_int_equal(other.count, 0);
    spins_free(&spins);
    spins_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spins_follow_water_that_turns),
        cmocka_unit_test(torque_spins_particles_as_it_turns_water),
        cmocka_unit_test(spins_give_water_neither_energy_nor_momentum),
        cmocka_unit_test(only_one_kind_of_spin_is_taken),
        cmocka_unit_test(spins_leave_still_water_still),
        cmocka_unit_test(spins_are_stored_and_go_on),
        cmocka_unit_test(spins_go_with_their_particles),
        cmocka_unit_test(the_list_of_spins_keeps_moves_and_forgets_them),
        cmocka_unit_test(a_state_without_spins_forgets_those_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
