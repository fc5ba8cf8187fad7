// Nozzles and drains by themselves: how many particles leave when, where they are then, and what is removed.
#include "fluid_helpers.h"

#include "fluid/emitter_run.h"

#include <math.h>

#define SPACING 0.1f

static EmitterDef nozzle(float width, float height, float speed)
{
    return (EmitterDef){
        .width = width, .height = height, .speed = speed, .stop = INFINITY, .volume = INFINITY};
}

static void layers_are_lattices_that_fit_the_nozzle(void **state)
{
    (void)state;
    static const struct {
        float width, height;
        uint32_t count;
    } cases[] = {{0.5f, 0.3f, 15}, {0.549f, 0.3f, 15}, {0.551f, 0.3f, 18}, {0.06f, 0.06f, 1},
                 {0.04f, 0.5f, 0}, {0.5f, 0.04f, 0},   {3.0f, 2.0f, 600}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        EmitterDef emitter = nozzle(cases[k].width, cases[k].height, 1);
        assert_int_equal(emitter_layer_particles(&emitter, SPACING), cases[k].count);
    }
    for (int half = 1; half < 12; half++) { // discs: the places of the lattice within the radius
        EmitterDef disc = {.disc = true, .radius = 0.0501f * (float)half, .speed = 1};
        uint32_t count = 0;
        for (int j = 0; j < half; j++) {
            for (int i = 0; i < half; i++) {
                double u = 0.1 * (i + 0.5 - 0.5 * half), v = 0.1 * (j + 0.5 - 0.5 * half);
                count += hypot(u, v) <= 0.0501 * half;
            }
        }
        assert_int_equal(emitter_layer_particles(&disc, SPACING), count);
    }
}

// A layer in every 0.05 s from 0.2 s on, its particles evenly over that time; one counts once its time is
// past.
static void a_layer_leaves_in_the_time_of_a_spacing(void **state)
{
    (void)state;
    EmitterDef emitter = nozzle(0.5f, 0.3f, 2), wide = nozzle(3, 2, 2);
    emitter.start = wide.start = 0.2;
    for (int k = 0; k < 30; k++)
        assert_int_equal(emitter_total_particles(&emitter, SPACING, 0.2 + 0.05 * k), 15 * k);
    for (int k = 0; k < 40; k++) {
        double even = 600 * (k * 0.0073) / 0.05; // within three times of what chance would leave
        assert_float_equal(emitter_total_particles(&wide, SPACING, 0.2 + 0.0073 * k), even, 3 * sqrt(150));
    }
    assert_int_equal(emitter_total_particles(&emitter, SPACING, 0.1), 0);
    assert_int_equal(emitter_total_particles(&emitter, SPACING, 1e300), UINT64_C(1) << 40);
    emitter.stop = 0.47;
    assert_int_equal(emitter_total_particles(&emitter, SPACING, 0.46),
                     emitter_pending(&emitter, SPACING, 0, 0.46));
    uint64_t until = emitter_total_particles(&emitter, SPACING, 0.47);
    assert_true(until > 15 * 5 && until < 15 * 6);
    assert_int_equal(emitter_total_particles(&emitter, SPACING, 10), until);
    emitter.stop = INFINITY;
    emitter.volume = 0.07051; // of 70 particles and a half
    assert_int_equal(emitter_total_particles(&emitter, SPACING, 0.45), 71);
    assert_int_equal(emitter_total_particles(&emitter, SPACING, 0.4), 60);
    emitter.volume = 0.07049;
    assert_int_equal(emitter_total_particles(&emitter, SPACING, 10), 70);
    emitter.volume = INFINITY;
    uint64_t sum = 0;
    for (int k = 0; k < 40; k++) sum += emitter_pending(&emitter, SPACING, 0.013 * k, 0.013 * (k + 1));
    assert_int_equal(sum, emitter_total_particles(&emitter, SPACING, 0.52));
    assert_int_equal(emitter_pending(&emitter, SPACING, 0, 1e300), UINT32_MAX);
}

enum { POINTS_MAX = 4096 };

static double since_start(double time, double period)
{
    return time / period - floor(time / period);
}

// Emits from t0 to t1 with the nozzle turned by a right angle about y, so that it blows along x, and checks
// that every particle comes through its place in the nozzle in that time: a column's a period apart, and
// columns at times of their own.
static void check_emitted(EmitterDef emitter, Vec3 gravity, double t0, double t1)
{
    static Vec3 position[POINTS_MAX], velocity[POINTS_MAX];
    static float release[POINTS_MAX];
    const float reach = 0.25f;
    emitter.position = vec3_make(1, 2, 3);
    emitter.rotation = vec3_make(0, 90, 0); // x of the nozzle is down
    uint32_t nx = (uint32_t)lroundf(emitter.width / SPACING),
             ny = (uint32_t)lroundf(emitter.height / SPACING), columns = 0;
    uint32_t count = emitter_emit(&emitter, SPACING, reach, gravity, t0, t1,
                                  &(EmittedPoints){position, velocity, release});
    assert_int_equal(count, emitter_pending(&emitter, SPACING, t0, t1));
    assert_true(count > nx * ny && count < POINTS_MAX);
    double speed = (double)emitter.speed, period = 0.1 / speed, mean = 0, least = 1, most = 0;
    double fall = gravity.z < 0 ? 0.25 * sqrt(0.1 / (double)-gravity.z) : INFINITY;
    for (uint32_t k = 0; k < count; k++) {
        double leaves = t0 - ((double)position[k].x - 1) / speed;
        assert_true(leaves > t0 - 1e-6 && leaves < t1 + 1e-6);
        double u = ((3 - (double)position[k].z) / 0.1) + 0.5 * nx - 0.5,
               v = ((double)position[k].y - 2) / 0.1 + 0.5 * ny - 0.5;
        assert_float_equal(u, round(u), 1e-4);
        assert_float_equal(v, round(v), 1e-4);
        assert_true(u > -0.1 && u < nx - 0.9 && v > -0.1 && v < ny - 0.9);
        assert_float_equal(velocity[k].x, speed, 1e-5);
        assert_float_equal(vec3_length(velocity[k]), speed, 1e-5);
        // Free when it is `reach` away, or falls freely.
        assert_float_equal(release[k], leaves + fmin((double)reach / speed, fall), 1e-5);
        bool same = k > 0 && position[k - 1].y == position[k].y && position[k - 1].z == position[k].z;
        if (same) assert_float_equal(position[k - 1].x - position[k].x, 0.1, 1e-5);
        double delay = since_start(leaves - emitter.start, period);
        if (!same) columns++, mean += delay, least = fmin(least, delay), most = fmax(most, delay);
    }
    assert_int_equal(columns, nx * ny);
    assert_true(least < 0.02 && most > 0.98 && fabs(mean / columns - 0.5) < 0.05);
}

static void columns_of_a_stream_leave_one_after_the_other(void **state)
{
    (void)state;
    EmitterDef emitter = nozzle(2, 1.5f, 2);
    check_emitted(emitter, vec3_make(0, 0, 0), 0, 0.26);
    check_emitted(emitter, vec3_make(0, 0, -9.81f), 0.03, 0.22);
    emitter.start = 0.01, emitter.speed = 0.5f;
    check_emitted(emitter, vec3_make(0, 0, -30), 0.1, 0.7);
}

// Upward the same volume passes each height: the area grows as the speed falls, by g / v in a second, as far
// as the edge goes no faster than a quarter of the speed. Downward nothing widens.
static void a_rising_stream_widens_and_a_falling_one_does_not(void **state)
{
    (void)state;
    static Vec3 position[POINTS_MAX], velocity[POINTS_MAX];
    static float release[POINTS_MAX];
    const struct {
        float speed, turn;
        double rate; // 1/s
    } cases[] = {{5, 0, 0.5 * 9.81 / 5}, {1, 0, 0.25 / 0.5}, {1, 180, 0}};
    for (int k = 0; k < 3; k++) {
        EmitterDef emitter = {.disc = true,
                              .radius = 0.5f,
                              .rotation = {cases[k].turn, 0, 0},
                              .speed = cases[k].speed,
                              .stop = 10,
                              .volume = INFINITY};
        uint32_t count = emitter_emit(&emitter, SPACING, 0.25f, vec3_make(0, 0, -9.81f), 0, 0.1,
                                      &(EmittedPoints){position, velocity, release});
        assert_true(count >= emitter_layer_particles(&emitter, SPACING) && count > 50);
        for (uint32_t i = 0; i < count; i++) {
            assert_float_equal(velocity[i].x, cases[k].rate * (double)position[i].x, 1e-4);
            assert_float_equal(velocity[i].y, cases[k].rate * (double)position[i].y, 1e-4);
            assert_float_equal(fabsf(velocity[i].z), cases[k].speed, 1e-4);
        }
    }
}

// At a nozzle: a spacing and a half to either side, a spacing beyond its edge; while it blows, and as long
// after as a layer takes.
static void what_is_at_a_nozzle_is_known(void **state)
{
    (void)state;
    EmitterDef emitter = nozzle(0.6f, 0.4f, 2);
    emitter.position = vec3_make(1, 2, 3), emitter.rotation = vec3_make(0, 90, 0); // along x, its x down
    emitter.start = 1, emitter.stop = 2;
    EmitterMouth mouth = emitter_mouth(&emitter, SPACING);
    const float half[3] = {0.15f, 0.3f, 0.4f}, at[3] = {1, 2, 3};
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2)
            for (int out = 0; out < 2; out++) {
                float p[3] = {at[0], at[1], at[2]};
                p[axis] += (float)side * (half[axis] + (out ? 1e-3f : -1e-3f));
                assert_true(emitter_at_mouth(&mouth, vec3_make(p[0], p[1], p[2])) == !out);
            }
    EmitterDef disc = {.disc = true, .radius = 0.5f, .speed = 2, .stop = INFINITY, .volume = INFINITY};
    mouth = emitter_mouth(&disc, SPACING);
    assert_true(emitter_at_mouth(&mouth, vec3_make(0.42f, 0.42f, 0.1f)));
    assert_false(emitter_at_mouth(&mouth, vec3_make(0.43f, 0.43f, 0.1f)));
    assert_true((double)mouth.speed == 2);
    assert_false(emitter_blows(&emitter, SPACING, 0.9, 1));
    assert_true(emitter_blows(&emitter, SPACING, 0.9, 1.04) && emitter_blows(&emitter, SPACING, 2.0, 2.01));
    assert_false(emitter_blows(&emitter, SPACING, 2.06, 2.1));
}

static void drains_take_what_is_in_them_while_they_are_open(void **state)
{
    (void)state;
    DrainDef box = {.position = {1, 2, 3}, .half_extent = {0.5f, 0.25f, 0.125f}, .start = 1, .stop = 2};
    assert_true(drain_removes(&box, vec3_make(1, 2, 3), 1) && drain_removes(&box, vec3_make(1, 2, 3), 2));
    assert_false(drain_removes(&box, vec3_make(1, 2, 3), 0.99));
    assert_false(drain_removes(&box, vec3_make(1, 2, 3), 2.01));
    DrainDef ball = {.sphere = true, .position = {1, 2, 3}, .radius = 0.5f, .stop = INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        for (int side = -1; side <= 1; side += 2) {
            const float half[3] = {0.5f, 0.25f, 0.125f};
            float at[3] = {1, 2, 3}, on_ball[3] = {1, 2, 3};
            at[axis] += (float)side * half[axis];
            on_ball[axis] += (float)side * 0.5f;
            assert_true(drain_removes(&box, vec3_make(at[0], at[1], at[2]), 1.5));
            assert_true(drain_removes(&ball, vec3_make(on_ball[0], on_ball[1], on_ball[2]), 0));
            at[axis] += (float)side * 1e-3f;
            on_ball[axis] += (float)side * 1e-3f;
            assert_false(drain_removes(&box, vec3_make(at[0], at[1], at[2]), 1.5));
            assert_false(drain_removes(&ball, vec3_make(on_ball[0], on_ball[1], on_ball[2]), 0));
        }
    }
    assert_false(drain_removes(&ball, vec3_make(1.4f, 2.4f, 3), 0)); // in the corner of its box
    ball.outside = true;
    assert_true(drain_removes(&ball, vec3_make(1.4f, 2.4f, 3), 0));
    assert_false(drain_removes(&ball, vec3_make(1.1f, 2.1f, 3), 0));
}

static void bounds_hold_the_nozzle_and_the_first_of_its_stream(void **state)
{
    (void)state;
    EmitterDef emitter = {.disc = true, .position = {1, 2, 3}, .rotation = {180, 0, 0}, .radius = 0.5f};
    Box3 box = emitter_bounds(&emitter);
    const float expected[6] = {0.5f, 1.5f, -0.5f, 1.5f, 2.5f, 3.5f};
    const float found[6] = {box.lo.x, box.lo.y, box.lo.z, box.hi.x, box.hi.y, box.hi.z};
    for (int k = 0; k < 6; k++) assert_float_equal(found[k], expected[k], 1e-5);
    emitter.disc = false, emitter.width = 0.6f, emitter.height = 0.8f; // half its diagonal is 0.5
    emitter.radius = 0;
    Box3 same = emitter_bounds(&emitter);
    assert_float_equal(same.lo.z, box.lo.z, 1e-5);
    assert_float_equal(same.hi.x, box.hi.x, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_lattices_that_fit_the_nozzle),
        cmocka_unit_test(a_layer_leaves_in_the_time_of_a_spacing),
        cmocka_unit_test(columns_of_a_stream_leave_one_after_the_other),
        cmocka_unit_test(a_rising_stream_widens_and_a_falling_one_does_not),
        cmocka_unit_test(what_is_at_a_nozzle_is_known),
        cmocka_unit_test(drains_take_what_is_in_them_while_they_are_open),
        cmocka_unit_test(bounds_hold_the_nozzle_and_the_first_of_its_stream),
    };
    return cmocka_run_group_tests_name("emitters", tests, NULL, NULL);
}
