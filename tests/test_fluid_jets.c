// Water that is poured: jets in free flight, and on a plate, at several lengths of step, with every term on.
#include "fluid_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// The value that a share of them does not pass.
static double quantile(float *values, size_t count, double share)
{
    assert_true(count > 100);
    qsort(values, count, sizeof *values, compare_floats);
    return (double)values[(size_t)(share * (double)(count - 1))];
}

static Fluid *poured(const FluidDef *def, const TankDef *tank, const EmitterDef *emitter,
                     const DrainDef *drain)
{
    Obstacles *obstacles;
    Fluid *fluid;
    ASSERT_OK(obstacles_create(*tank, 0.0f, NULL, 0, &obstacles));
    ASSERT_OK(fluid_create(def, obstacles, emitter, 1, drain, drain ? 1 : 0, &fluid));
    return fluid;
}

static FluidDef weightless(float spacing, double step)
{
    FluidDef def = fluid_def_default();
    def.spacing = spacing;
    def.gravity = vec3_make(0, 0, 0);
    def.time_step = step;
    return def;
}

// How far particles that left the nozzle longer ago than `from` m, and not as long as `to`, are from its
// axis: 95 % of them (m), and the root of the mean square (m). Along the sides of a square, whichever is
// larger.
typedef struct Width {
    double most, mean;
} Width;

static Width width_of(const FrameView *view, bool round, float from, float to)
{
    float *out = malloc(view->count * sizeof *out);
    size_t count = 0;
    double squares = 0.0;
    assert_non_null(out);
    for (uint32_t i = 0; i < view->count; i++) {
        if (view->x[i] < from || view->x[i] >= to) continue;
        float y = fabsf(view->y[i]), z = fabsf(view->z[i]);
        out[count++] = round ? hypotf(y, z) : fmaxf(y, z);
        squares += (double)(y * y + z * z);
    }
    Width width = {quantile(out, count, 0.95), sqrt(squares / (double)count)};
    free(out);
    return width;
}

// Nothing is in the way: for 1.6 s a jet keeps the width that its nozzle gives it, its density and its speed.
// Round, 4 and 5 spacings of radius; square, 7 spacings wide.
static void a_jet_in_free_flight_keeps_its_width(void **state)
{
    (void)state;
    static const double steps[] = {0.006, 0.003, 0.001};
    for (int k = 0; k < 9; k += test_is_sanitized() ? 9 : test_is_quick() ? 6 : 1) {
        FluidDef def = weightless(k / 3 == 1 ? 0.06f : 0.075f, steps[k % 3]);
        EmitterDef emitter = {.rotation = {0, 90, 0}, .speed = 4, .stop = INFINITY, .volume = INFINITY};
        emitter.disc = k / 3 < 2;
        emitter.radius = 0.3f;
        emitter.width = emitter.height = 0.525f;
        Fluid *fluid = poured(&def, &(TankDef){.present = false}, &emitter, NULL);
        fluid_run(fluid, 1.6);
        FrameView view = fluid_view(fluid);
        double error = 0.0, along = 0.0;
        for (uint32_t i = 0; i < view.count; i++) {
            error = fmax(error, (double)(view.density[i] / view.rest_density) - 1.0);
            along += (double)view.vx[i] / view.count;
        }
        // Until they are h from the mouth particles are as the nozzle sent them.
        Width mouth = width_of(&view, emitter.disc, 0.0f, view.radius),
              all = width_of(&view, emitter.disc, 0.0f, 100.0f),
              last = width_of(&view, emitter.disc, 4.0f, 100.0f);
        double edge = all.most / mouth.most, mean = last.mean / mouth.mean;
        print_message(
            "%s, %g m, %g ms: 95 %% within %.3f of the mouth's, beyond 4 m %.3f as wide on average, "
            "density error %.2f %%, speed %.3f of 4 m/s\n",
            emitter.disc ? "round" : "square", (double)def.spacing, 1e3 * def.time_step, edge, mean,
            100.0 * error, along / 4.0);
        assert_true(fabs(edge - 1.0) < 0.1 && fabs(mean - 1.0) < 0.05);
        assert_true(error < 0.01 && fabs(along / 4.0 - 1.0) < 0.01);
        fluid_destroy(fluid);
    }
}

// A plane jet 12 spacings (b) wide that hits a plate squarely leaves as two films, each half as high and as
// fast as the jet (Bernoulli): nothing flies above the film.
static void a_jet_on_a_plate_becomes_two_films(void **state)
{
    (void)state;
    if (test_is_sanitized()) skip(); // tests/test_fluid_slopes.c pours on a plate, too
    static const double steps[] = {0.006, 0.003, 0.0015};
    const float d = 0.05f, b = 0.6f, speed = 4.0f, middle = 3.0f;
    for (int k = 0; k < (test_is_quick() ? 1 : 3); k++) {
        FluidDef def = weightless(d, steps[k]);
        TankDef tank = {.present = true, .size = {6.0f, 0.2f, 3.0f}};
        tank.open[TANK_X_LO] = tank.open[TANK_X_HI] = tank.open[TANK_Z_HI] = true;
        EmitterDef emitter = {.position = {middle, 0.1f, 1.6f},
                              .rotation = {180, 0, 0},
                              .width = b,
                              .height = 0.2f,
                              .speed = speed,
                              .stop = INFINITY,
                              .volume = INFINITY};
        DrainDef drain = {.position = {middle, 0.1f, 1.0f},
                          .half_extent = {2.6f, 2.0f, 4.0f},
                          .outside = true,
                          .stop = INFINITY};
        Fluid *fluid = poured(&def, &tank, &emitter, &drain);
        fluid_run(fluid, 1.8);
        FrameView view = fluid_view(fluid);
        float *height = malloc(view.count * sizeof *height);
        assert_non_null(height);
        size_t count = 0, left = 0, above = 0;
        double fastness = 0.0;
        for (uint32_t i = 0; i < view.count; i++) {
            float x = view.x[i] - middle;
            if (fabsf(x) < 1.2f || fabsf(x) > 2.4f) continue;
            fastness += (double)(fabsf(view.vx[i]) / speed);
            left += x < 0;
            above += view.z[i] > b;
            height[count++] = view.z[i];
        }
        double top = quantile(height, count, 0.95) / (double)b;
        print_message("%g ms: films at %.3f of the jet's speed, 95 %% below %.3f b, %.2f %% above b, %.3f to "
                      "the left\n",
                      1e3 * steps[k], fastness / (double)count, top, 100.0 * (double)above / (double)count,
                      (double)left / (double)count);
        // 0.475 b and 1 without viscosity.
        assert_true(above < count / 100 && fabs((double)left / (double)count - 0.5) < 0.03);
        assert_true(fabs(fastness / (double)count - 1.0) < 0.05 && top < 1.15 * 0.475);
        free(height);
        fluid_destroy(fluid);
    }
}

// Nothing pulls or pushes it, with tension switched off: it stays as it is, whatever the step. An error
// mended at once would leave as a large speed.
static void a_weightless_block_stays_as_it_is(void **state)
{
    (void)state;
    static const double steps[] = {0.006, 0.003, 0.0015, 0.001};
    for (int k = 0; k < 8; k += test_is_quick() ? 3 : 1) {
        FluidDef def = weightless(k / 4 ? 0.05f : 0.1f, steps[k % 4]);
        def.surface_tension = 0.0f;
        Fluid *fluid = poured(&def, &(TankDef){.present = false}, &(EmitterDef){.start = 1e6}, NULL);
        float d = def.spacing;
        for (int i = 0; i < 12 * 12 * 12; i++) {
            Vec3 at = {d * (float)(i % 12), d * (float)(i / 12 % 12), d * (float)(i / 144)};
            ASSERT_OK(fluid_add(fluid, &at, 1, vec3_make(0, 0, 0)));
        }
        fluid_run(fluid, test_is_quick() ? 0.1 : 0.4);
        FrameView view = fluid_view(fluid);
        double speed2 = 0.0, reach = 0.0, middle = 5.5 * (double)d;
        for (uint32_t i = 0; i < view.count; i++) {
            Vec3 v = {view.vx[i], view.vy[i], view.vz[i]};
            speed2 += (double)vec3_dot(v, v) / view.count;
            reach = fmax(reach, fmax(fabs((double)view.x[i] - middle), fabs((double)view.z[i] - middle)));
        }
        print_message("%g m, %g ms: %.4f m/s, reach %.3f\n", (double)d, 1e3 * def.time_step, sqrt(speed2),
                      reach / middle);
        assert_true(sqrt(speed2) < 0.001 && fabs(reach / middle - 1.0) < 0.001);
        fluid_destroy(fluid);
    }
}

// Kinetic energy, J.
static double energy_of(const Fluid *fluid, double spacing)
{
    FrameView view = fluid_view(fluid);
    double squares = 0.0;
    for (uint32_t i = 0; i < view.count; i++) {
        Vec3 v = {view.vx[i], view.vy[i], view.vz[i]};
        squares += (double)vec3_dot(v, v);
    }
    return 500.0 * spacing * spacing * spacing * squares;
}

// A nozzle too slow to rise by itself feeds the pool around it: with little more energy than it has, and less
// the finer it is, in long steps and short ones. Up to a hundred times of it came where water had to wait for
// the nozzle to let it go, and fell back into it; ten times in short steps that moved what stood in the way
// by a spacing each.
static void a_slow_nozzle_in_a_pool_does_not_stir_it(void **state)
{
    (void)state;
    const double speed = 0.5, width = 0.3, until = 0.5;
    const double fed = 0.5 * 1000.0 * width * width * speed * speed * speed * until; // J
    const struct {
        float spacing, tilt; // m, degrees
        double step, most;   // s; J, over what was fed
    } cases[] = {{0.05f, 0, 0.02, 3},  {0.05f, 90, 0.02, 5},  {0.025f, 0, 0.02, 2},
                 {0.05f, 0, 0.005, 4}, {0.05f, 180, 0.02, 8}, {0.025f, 180, 0.004, 4}};
    for (int k = 0; k < (test_is_quick() ? 2 : 6); k++) {
        FluidDef def = fluid_def_default();
        def.spacing = cases[k].spacing;
        def.time_step = cases[k].step;
        EmitterDef emitter = {.position = {0.5f, 0.5f, cases[k].tilt > 0 ? 0.2f : 0.05f},
                              .rotation = {0, cases[k].tilt, 0},
                              .width = (float)width,
                              .height = (float)width,
                              .speed = (float)speed,
                              .stop = INFINITY,
                              .volume = INFINITY};
        TankDef tank = {.present = true, .size = {1, 1, 1}};
        Fluid *fluid = poured(&def, &tank, &emitter, NULL);
        int n = (int)lroundf(1.0f / def.spacing), layers = (int)lroundf(0.3f / def.spacing);
        for (int i = 0; i < n * n * layers; i++) {
            Vec3 at = {(float)(i % n) + 0.5f, (float)(i / n % n) + 0.5f, (float)(i / n / n) + 0.5f};
            at = vec3_scale(at, def.spacing);
            ASSERT_OK(fluid_add(fluid, &at, 1, vec3_make(0, 0, 0)));
        }
        double most = 0.0;
        for (int frame = 1; frame <= 10; frame++) {
            fluid_run(fluid, until * frame / 10);
            most = fmax(most, energy_of(fluid, (double)def.spacing));
        }
        print_message("%g m, %g ms, %g degrees: %.1f J, fed with %.1f J\n", (double)def.spacing,
                      1e3 * def.time_step, (double)cases[k].tilt, most, fed);
        assert_true(most < cases[k].most * fed);
        fluid_destroy(fluid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jet_in_free_flight_keeps_its_width),
        cmocka_unit_test(a_jet_on_a_plate_becomes_two_films),
        cmocka_unit_test(a_weightless_block_stays_as_it_is),
        cmocka_unit_test(a_slow_nozzle_in_a_pool_does_not_stir_it),
    };
    return cmocka_run_group_tests_name("fluid_jets", tests, NULL, NULL);
}
