// Kernels that are ellipsoids along the velocity (solver.velocity_kernels): their shape, and that viscosity
// and vorticity by them keep to mechanics. The passes themselves: test_fluid_reference.c.
#include "fluid_helpers.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "fluid/fluid_state.h"

#include <math.h>
#include <string.h>

#define LIMIT 1.5

static FluidDef weightless(float spacing)
{
    FluidDef def = fluid_def_default();
    def.spacing = spacing;
    def.gravity = vec3_make(0.0f, 0.0f, 0.0f);
    def.surface_tension = 0.0f;
    def.velocity_kernels = 0.1f;
    return def;
}

// a^2 - 1 / a = k, the volume of a ball, a ball at rest, and no longer than the limit.
static void axes_solve_their_equation(void **state)
{
    (void)state;
    FluidDef def = weightless(0.1f);
    const double h = 0.25;
    for (double speed = 0.0; speed < 40.0; speed += 0.37) {
        double a = stretch_axis(&def, h, speed),
               k = pow(speed * (double)def.velocity_kernels / (2.0 * h), 2.0);
        if (k < LIMIT * LIMIT - 1.0 / LIMIT)
            ASSERT_WITHIN(a * a - 1.0 / a, k, 1e-12 * (1.0 + k));
        else
            assert_true(a == LIMIT);
    }
    assert_true(stretch_axis(&def, h, 0.0) == 1.0);
    // Slow water: k / 3 longer than a ball.
    ASSERT_WITHIN(stretch_axis(&def, h, 0.5), 1.0 + 0.01 / 3.0, 1e-4);
    def.velocity_kernels_limit = 1.0f;
    assert_true(stretch_reach(&def, 0.25f) == 0.25f);
}

// Of ellipsoids on the lattice at rest: the sum of the kernels, which is 1 for balls, and the sums of their
// slopes, -sum x_b dW/dx_a, which are 0.98 of the unit matrix for balls. As the solver has the kernels.
static void kernels_stay_normalized(void **state)
{
    (void)state;
    const double h = 2.5;
    double least = 2.0, most = 0.0, slope_most = 0.0, seen = rest_lattice(1.0, h).gradient_seen;
    uint64_t seed = 5;
    for (int trial = 0; trial < 200; trial++) {
        double a = 1.0 + 0.5 * fluid_test_random(&seed), z = 2.0 * fluid_test_random(&seed) - 1.0,
               turn = 6.28318 * fluid_test_random(&seed), r = sqrt(1.0 - z * z);
        const double u[3] = {r * cos(turn), r * sin(turn), z};
        double sum = 0.0, slopes[3][3] = {{0.0}};
        for (int k = 0; k < 9 * 9 * 9; k++) {
            const double d[3] = {k % 9 - 4, k / 9 % 9 - 4, k / 81 - 4};
            double along = d[0] * u[0] + d[1] * u[1] + d[2] * u[2];
            double across2 = fmax(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - along * along, 0.0);
            double length = sqrt(along * along / (a * a) + across2 * a);
            sum += kernel_value(length, h);
            for (int i = 0; i < 3 && length > 0.0; i++) {
                double rise = (a * d[i] - (a - 1.0 / (a * a)) * along * u[i]) / length;
                for (int j = 0; j < 3; j++) slopes[i][j] -= d[j] * rise * kernel_gradient(length, h);
            }
        }
        least = fmin(least, sum), most = fmax(most, sum);
        for (int i = 0; i < 9; i++)
            slope_most = fmax(slope_most, fabs(slopes[i / 3][i % 3] - (i % 4 == 0 ? seen : 0.0)));
    }
    print_message("on the lattice kernels sum to %.4f to %.4f, gradients of linear fields are off by %.4f\n",
                  least, most, slope_most);
    assert_true(least > 0.995 && most < 1.005);
    assert_true(slope_most < 0.05);
}

// Halves of a block that slide past each other at `speed`.
static Fluid *sliding_halves(const FluidDef *def, float speed)
{
    Fluid *fluid = fluid_for_test(def, vec3_make(0, 0, 0), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 14, 10, 7, 0.1f, vec3_make(speed, 0, 0));
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0.7f), 14, 10, 7, 0.1f, vec3_make(-speed, 0, 0.05f * speed));
    return fluid;
}

// Sum of all viscous forces, of their lengths: a pair's two shares are opposite. And energy: none is made, by
// forces in a step and by what is solved for.
static void momentum_and_energy_are_kept(void **state)
{
    (void)state;
    static const struct {
        float viscosity, speed;
        double drift;
        float time;
        const char *method;
    } cases[] = {{0.004f, 4.0f, 1e-6, 0.1f, "cluster_grid"},
                 {0.004f, 4.0f, 1e-6, 0.1f, "uniform_grid"},
                 {0.5f, 4.0f, 1e-5, 0.1f, "cluster_grid"},
                 {0.5f, 4.0f, 1e-5, 0.0f, "cluster_grid"}}; // the same by balls
    for (int k = 0; k < 4; k++) {
        FluidDef def = weightless(0.1f);
        def.velocity_kernels = cases[k].time;
        def.scorr_strength = 0.0f;
        def.viscosity = cases[k].viscosity;
        strcpy(def.neighbor, cases[k].method);
        Fluid *fluid = sliding_halves(&def, cases[k].speed);
        fluid_run(fluid, 0.01);
        FluidSums before = fluid_sums(fluid, 0.0), after = before;
        double most = 0.0, drift = 0.0, moved = 1960.0 * (double)cases[k].speed;
        for (double t = 0.05; t < 0.32; t += 0.05) {
            fluid_run(fluid, t);
            after = fluid_sums(fluid, 0.0);
            most = fmax(most, after.kinetic);
            for (int a = 0; a < 3; a++)
                drift = fmax(drift, fabs(after.momentum[a] - before.momentum[a]) / moved);
        }
        print_message(
            "viscosity %g, %s: momentum drifts by %.1e of sum |v|, most %.4f of the energy, %.4f at "
            "the end\n",
            (double)def.viscosity, def.neighbor, drift, most / before.kinetic,
            after.kinetic / before.kinetic);
        assert_true(drift < cases[k].drift);
        assert_true(most <= before.kinetic);
        assert_true(after.kinetic < 0.999 * before.kinetic);
        fluid_destroy(fluid);
    }
}

// Water that turns as a whole, faster outside: the curl is twice the turning, as by balls.
static void rigid_rotation_has_its_curl(void **state)
{
    (void)state;
    const double omega = 6.0;
    double mean[2], spread[2];
    for (int k = 0; k < 2; k++) {
        FluidDef def = weightless(0.1f);
        if (k == 0) def.velocity_kernels = 0.0f;
        Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
        uint64_t seed = 3;
        for (int i = 0; i < 21 * 21 * 21; i++) {
            float x = 0.1f * (float)(i % 21 - 10), y = 0.1f * (float)(i / 21 % 21 - 10),
                  z = 0.1f * (float)(i / 441 - 10);
            Vec3 at = vec3_make(x + 0.02f * (float)(fluid_test_random(&seed) - 0.5),
                                y + 0.02f * (float)(fluid_test_random(&seed) - 0.5),
                                z + 0.02f * (float)(fluid_test_random(&seed) - 0.5));
            ASSERT_OK(fluid_add(fluid, &at, 1, vec3_make((float)-omega * at.y, (float)omega * at.x, 0.0f)));
        }
        ASSERT_OK(fluid_measure_now(fluid));
        FrameView view = fluid_view(fluid);
        double sum = 0.0, squares = 0.0, count = 0.0;
        for (uint32_t i = 0; i < view.count; i++) {
            float far = fmaxf(fabsf(view.x[i]), fmaxf(fabsf(view.y[i]), fabsf(view.z[i])));
            if (far > 1.0f - 1.6f * view.radius) continue;
            double turn = 0.5 * (double)view.vorticity[i] / omega;
            sum += turn, squares += turn * turn, count++;
        }
        mean[k] = sum / count;
        spread[k] = sqrt(fmax(squares / count - mean[k] * mean[k], 0.0));
        fluid_destroy(fluid);
    }
    print_message("turning: %.4f +- %.4f of omega by balls, %.4f +- %.4f by ellipsoids\n", mean[0], spread[0],
                  mean[1], spread[1]);
    ASSERT_WITHIN(mean[0], 0.98, 0.01);
    ASSERT_WITHIN(mean[1], mean[0], 0.02);
}

// The same between walls that viscous water sticks to.
static Fluid *sliding_between_walls(const FluidDef *def, float speed)
{
    TankDef tank = {.present = true, .no_slip = true, .size = {1.4f, 1.0f, 1.4f}};
    Obstacles *obstacles;
    Fluid *fluid;
    ASSERT_OK(obstacles_create(tank, 0.0f, NULL, 0, &obstacles));
    ASSERT_OK(fluid_create(def, obstacles, NULL, 0, NULL, 0, &fluid));
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 14, 10, 7, 0.1f, vec3_make(speed, 0, 0));
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0.7f), 14, 10, 7, 0.1f, vec3_make(-speed, 0, 0));
    return fluid;
}

// Water that hardly moves in `velocity_kernels` has balls: its state is that without the option, but for
// rounding.
static void slow_water_has_balls(void **state)
{
    (void)state;
    static const float speeds[] = {0.5f, 4.0f}, times[] = {0.01f, 0.1f};
    double moved[2] = {0.0, 0.0};
    for (int fast = 0; fast < 2; fast++) {
        Fluid *fluid[2];
        for (int k = 0; k < 2; k++) {
            FluidDef def = weightless(0.1f);
            def.velocity_kernels = k == 0 ? 0.0f : times[fast];
            def.xsph = 20.0f;
            strcpy(def.neighbor, "uniform_grid");
            fluid[k] = sliding_between_walls(&def, speeds[fast]);
            for (int step = 1; step <= 5; step++) ASSERT_OK(fluid_step(fluid[k], 0.004 * step, NULL));
        }
        FrameView a = fluid_view(fluid[0]), b = fluid_view(fluid[1]);
        for (uint32_t i = 0; i < a.count; i++) {
            if (a.id[i] != b.id[i]) continue;
            moved[fast] = fmax(moved[fast], fabs((double)(a.vx[i] - b.vx[i]) / (double)speeds[fast]));
        }
        for (int k = 0; k < 2; k++) fluid_destroy(fluid[k]);
    }
    print_message("velocities differ by %.1e of the speed at 0.5 m/s, %.1e at 4 m/s\n", moved[0], moved[1]);
    assert_true(moved[0] < 2e-4);
    assert_true(moved[1] > 2e-3);
}

// Switched on, off and to another search while water moves; the same for any number of threads.
static void kernels_change_under_way(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        parallel_set_workers(k == 0 ? 1 : 3);
        FluidDef def = weightless(0.1f);
        Fluid *fluid = sliding_halves(&def, 3.0f);
        fluid_run(fluid, 0.02);
        def.velocity_kernels = 0.0f;
        ASSERT_OK(fluid_change(fluid, &def));
        fluid_run(fluid, 0.03);
        def.velocity_kernels = 0.05f;
        def.velocity_kernels_limit = 1.3f;
        strcpy(def.neighbor, "uniform_grid");
        ASSERT_OK(fluid_change(fluid, &def));
        fluid_run(fluid, 0.05);
        hash[k] = fluid_state_hash(fluid);
        fluid_destroy(fluid);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_solve_their_equation),    cmocka_unit_test(kernels_stay_normalized),
        cmocka_unit_test(momentum_and_energy_are_kept), cmocka_unit_test(rigid_rotation_has_its_curl),
        cmocka_unit_test(slow_water_has_balls),         cmocka_unit_test(kernels_change_under_way),
    };
    return cmocka_run_group_tests_name("fluid_stretch", tests, NULL, NULL);
}
