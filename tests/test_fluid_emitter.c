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

// A layer every 0.05 s from 0.2 s on; it counts once its time is past.
static void layers_leave_one_spacing_apart(void **state)
{
    (void)state;
    EmitterDef emitter = nozzle(0.5f, 0.3f, 2);
    emitter.start = 0.2;
    static const struct {
        double time;
        uint64_t layers;
    } cases[] = {{0, 0}, {0.2, 0}, {0.201, 1}, {0.2499, 1}, {0.2501, 2}, {0.49, 6}, {0.51, 7}, {1.19, 20}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(emitter_total_particles(&emitter, SPACING, cases[k].time), 15 * cases[k].layers);
    assert_int_equal(emitter_total_particles(&emitter, SPACING, 1e300), UINT64_C(1) << 40);
    emitter.stop = 0.47;
    assert_int_equal(emitter_total_particles(&emitter, SPACING, 10), 15 * 6);
    emitter.stop = INFINITY;
    emitter.volume = 0.07051; // of 70 particles and a half
    assert_int_equal(emitter_total_particles(&emitter, SPACING, 0.41), 71);
    assert_int_equal(emitter_total_particles(&emitter, SPACING, 0.36), 60);
    emitter.volume = 0.07049;
    assert_int_equal(emitter_total_particles(&emitter, SPACING, 10), 70);
    emitter.volume = INFINITY;
    uint64_t sum = 0;
    for (int k = 0; k < 40; k++) {
        double from = 0.013 * k, to = 0.013 * (k + 1);
        uint32_t pending = emitter_pending(&emitter, SPACING, from, to);
        assert_true(pending == 0 || pending == 15);
        sum += pending;
    }
    assert_int_equal(sum, emitter_total_particles(&emitter, SPACING, 0.52));
    assert_int_equal(emitter_pending(&emitter, SPACING, 0, 1e300), UINT32_MAX);
}

enum { POINTS_MAX = 4096 };

// Emits from t0 to t1 with the nozzle turned by a right angle about y, so that it blows along x, and checks
// that every column is ahead by a time of its own, in which it has gone on and fallen.
static void check_emitted(EmitterDef emitter, Vec3 gravity, double t0, double t1)
{
    static Vec3 position[POINTS_MAX], velocity[POINTS_MAX], scratch[POINTS_MAX];
    static float release[POINTS_MAX];
    const float reach = 0.25f;
    emitter.position = vec3_make(1, 2, 3);
    emitter.rotation = vec3_make(0, 90, 0); // x of the nozzle is down
    uint32_t nx = (uint32_t)lroundf(emitter.width / SPACING),
             ny = (uint32_t)lroundf(emitter.height / SPACING);
    uint32_t count = emitter_emit(&emitter, SPACING, reach, gravity, t0, t1, scratch,
                                  &(EmittedPoints){position, velocity, release});
    assert_int_equal(count, emitter_pending(&emitter, SPACING, t0, t1));
    assert_true(count > nx * ny && count < POINTS_MAX);
    double speed = (double)emitter.speed, g = (double)-gravity.z, mean = 0, least = 1, most = 0;
    double lead = fmin(0.1 / speed, g > 0 ? sqrt(0.1 / g) : INFINITY);
    uint64_t first = (uint64_t)ceil((t0 - emitter.start) / (0.1 / speed) - 1e-9);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = k % (nx * ny) % nx, j = k % (nx * ny) / nx;
        double leaves = emitter.start + (double)(first + k / (nx * ny)) * 0.1 / speed;
        double ahead = ((double)position[k].x - 1) / speed + leaves - t0;
        mean += ahead / lead / count, least = fmin(least, ahead / lead), most = fmax(most, ahead / lead);
        double u = (i + 0.5 - 0.5 * nx) * 0.1, v = (j + 0.5 - 0.5 * ny) * 0.1;
        assert_float_equal(position[k].y, 2 + v, 1e-5);
        assert_float_equal(position[k].z, 3 - u - 0.5 * g * ahead * ahead, 2e-5);
        assert_float_equal(velocity[k].x, speed, 1e-5);
        assert_float_equal(velocity[k].y, 0, 1e-5);
        assert_float_equal(velocity[k].z, -g * ahead, 1e-4);
        // Free when it is `reach` away, or has fallen half a spacing since it was at the nozzle.
        double held = fmin((double)reach / speed, g > 0 ? sqrt(0.1 / g) : INFINITY);
        assert_float_equal(release[k], t0 + held - ((double)position[k].x - 1) / speed, 1e-5);
    }
    // From 0 to 1 leads, evenly.
    assert_true(least > -1e-3 && least < 0.02 && most > 0.98 && most < 1.001 && fabs(mean - 0.5) < 0.05);
}

static void columns_of_a_stream_are_ahead_and_have_fallen_since(void **state)
{
    (void)state;
    EmitterDef emitter = nozzle(2, 1.5f, 2);
    check_emitted(emitter, vec3_make(0, 0, 0), 0, 0.26);
    check_emitted(emitter, vec3_make(0, 0, -9.81f), 0.03, 0.22);
    emitter.start = 0.01, emitter.speed = 0.5f; // slow: it would fall further than half a spacing
    check_emitted(emitter, vec3_make(0, 0, -30), 0.1, 0.7);
}

// Upward the same volume passes each height: the area grows as the speed falls, by g / v in a second, as far
// as the edge goes no faster than a quarter of the speed. Downward nothing widens or is let go early.
static void a_rising_stream_widens_and_a_falling_one_does_not(void **state)
{
    (void)state;
    static Vec3 position[POINTS_MAX], velocity[POINTS_MAX], scratch[POINTS_MAX];
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
        uint32_t count = emitter_emit(&emitter, SPACING, 0.25f, vec3_make(0, 0, -9.81f), 0, 0.1, scratch,
                                      &(EmittedPoints){position, velocity, release});
        uint32_t layer = emitter_layer_particles(&emitter, SPACING);
        assert_true(count >= layer && layer > 50);
        for (uint32_t i = 0; i < layer; i++) {
            double ahead = (double)(velocity[i].z / -9.81f) +
                           cos(cases[k].turn * acos(-1) / 180) * (double)emitter.speed / 9.81;
            double wide = 1 + cases[k].rate * ahead;
            assert_float_equal(velocity[i].x, cases[k].rate * (double)position[i].x / wide, 1e-4);
            assert_float_equal(velocity[i].y, cases[k].rate * (double)position[i].y / wide, 1e-4);
            if (k == 2) assert_float_equal(release[i], 0.25 / 1 - ahead, 1e-4);
        }
    }
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
        cmocka_unit_test(layers_leave_one_spacing_apart),
        cmocka_unit_test(columns_of_a_stream_are_ahead_and_have_fallen_since),
        cmocka_unit_test(a_rising_stream_widens_and_a_falling_one_does_not),
        cmocka_unit_test(drains_take_what_is_in_them_while_they_are_open),
        cmocka_unit_test(bounds_hold_the_nozzle_and_the_first_of_its_stream),
    };
    return cmocka_run_group_tests_name("emitters", tests, NULL, NULL);
}
