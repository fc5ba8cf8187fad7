// Water that runs along bodies askew among the cells of the global pressure, and out of the tank.
#include "fluid_helpers.h"
#include "scene_helpers.h"

#include "scene/scene.h"

#include <math.h>
#include <stdio.h>

#define GRAVITY 9.81

static Fluid *fluid_from_text(const char *text, bool flow, SceneDef *scene)
{
    Fluid *fluid = NULL;
    *scene = scene_from_text(text, flow ? "solver.pressure_flow=true" : "solver.pressure_flow=false");
    ASSERT_OK(scene_build(scene, &fluid));
    return fluid;
}

// A plate that falls by `angle` degrees to the right, and a nozzle along it that lays down water six spacings
// deep, as an opening under a gate does: behind it the water's depth is pressure, too.
typedef struct Slope {
    double angle, spacing, step;
} Slope;

enum { DEPTH = 6, WIDTH = 8 };
#define LENGTH 4.0
#define SPEED 4.0
#define NOZZLE 0.3 // m from the upper edge
#define THICKNESS 0.25

static void slope_text(Slope slope, char *text, size_t bytes)
{
    double a = slope.angle * acos(-1.0) / 180.0, down[2] = {cos(a), -sin(a)}, up[2] = {sin(a), cos(a)};
    double depth = DEPTH * slope.spacing, width = WIDTH * slope.spacing;
    double edge[2] = {0.6, LENGTH * sin(a) + 1.8}, plate[2], nozzle[2];
    for (int k = 0; k < 2; k++) {
        plate[k] = edge[k] + down[k] * LENGTH / 2 - up[k] * THICKNESS / 2;
        nozzle[k] = edge[k] + down[k] * NOZZLE + up[k] * depth / 2;
    }
    snprintf(text, bytes,
             "spacing: %g\ntank: {size: [7.6, %g, 6.5]}\nsolver: {time_step: %g}\n"
             "obstacles: [{plate: {size: [%g, %g], thickness: %g}, position: [%.6f, %g, %.6f], rotation: [0, "
             "%g, 0]}]\n"
             "emitters: [{rectangle: {width: %g, height: %g}, position: [%.6f, %g, %.6f], rotation: [0, %g, "
             "0], speed: %g}]\n",
             slope.spacing, width, slope.step, LENGTH, width + 0.2, THICKNESS, plate[0], width / 2, plate[1],
             slope.angle, depth, width, nozzle[0], width / 2, nozzle[1], 90 + slope.angle, SPEED);
}

// v^2 / 2 + g (depth of the water, across the plate) is what it was, and what the way down adds.
static double speed_below(Slope slope, double way)
{
    double a = slope.angle * acos(-1.0) / 180.0, depth = DEPTH * slope.spacing, speed = SPEED;
    for (int k = 0; k < 40; k++)
        speed = sqrt(SPEED * SPEED + 2 * GRAVITY * (way * sin(a) + depth * (1 - SPEED / speed) * cos(a)));
    return speed;
}

static void water_runs_down_a_plate_as_without_friction(void **state)
{
    (void)state;
    const Slope slopes[] = {{15, 0.1, 0.006},  {15, 0.14, 0.006}, {30, 0.1, 0.003},
                            {30, 0.14, 0.006}, {45, 0.1, 0.006},  {45, 0.14, 0.003}};
    const size_t count_of_slopes = sizeof slopes / sizeof *slopes;
    for (size_t n = test_is_sanitized() ? 10 : 0; n < 2 * count_of_slopes; n += test_is_quick() ? 5 : 1) {
        size_t k = n % count_of_slopes;
        bool flow = n >= count_of_slopes;
        char text[900];
        SceneDef scene;
        slope_text(slopes[k], text, sizeof text);
        Fluid *fluid = fluid_from_text(text, flow, &scene);
        double a = slopes[k].angle * acos(-1.0) / 180.0, sum = 0.0, most = 0.0;
        uint32_t count = 0;
        for (double t = 1.6; t < 2.05; t += 0.1) {
            fluid_run(fluid, t);
            FrameView view = fluid_view(fluid);
            for (uint32_t i = 0; i < view.count; i++) {
                double x = (double)view.x[i] - 0.6, z = (double)view.z[i] - LENGTH * sin(a) - 1.8;
                double way = x * cos(a) - z * sin(a) - NOZZLE, above = x * sin(a) + z * cos(a);
                if (way < 2 || way > 3 || above < 0) continue;
                double along = (double)view.vx[i] * cos(a) - (double)view.vz[i] * sin(a);
                sum += along / speed_below(slopes[k], way);
                most = fmax(most, above);
                count++;
            }
        }
        print_message(
            "%s%g degrees, d %g m, steps of %g ms: %.3f of the speed without friction (%u particles)\n",
            flow ? "pressure_flow, " : "", slopes[k].angle, slopes[k].spacing, 1e3 * slopes[k].step,
            sum / count, count);
        assert_true(count > 500);
        assert_true(fabs(sum / count - 1) < 0.15);
        fluid_destroy(fluid);
        scene_free(&scene);
    }
}

// A film without weight that leaves the tank through an open side goes on along its plate.
static void water_leaves_through_an_open_side_as_it_came(void **state)
{
    (void)state;
    SceneDef scene;
    Fluid *fluid = fluid_from_text(
        "spacing: 0.05\ntank: {size: [3, 0.4, 2], open: [right]}\nfluid: {gravity: [0, 0, 0]}\n"
        "obstacles: [{plate: {size: [3.2, 0.5], thickness: 0.15}, position: [1.5, 0.2, 0.925]}]\n"
        "emitters: [{rectangle: {width: 0.3, height: 0.4}, position: [0.4, 0.2, 1.15], rotation: [0, 90, 0], "
        "speed: 4}]\n"
        "drains: [{box: {size: [3, 5, 5]}, position: [1.5, 0, 1], outside: true}]\n",
        true, &scene);
    fluid_run(fluid, 1.5);
    FrameView view = fluid_view(fluid);
    double sum[3] = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        if (view.x[i] < 2.6f) continue;
        sum[0] += (double)view.vx[i], sum[1] += (double)view.vy[i], sum[2] += (double)view.vz[i];
        count++;
    }
    print_message("the last 0.4 m: %.3f, %.3f, %.3f m/s of 4, 0, 0\n", sum[0] / count, sum[1] / count,
                  sum[2] / count);
    assert_true(count > 200);
    assert_true(fabs(sum[0] / count - 4) < 0.08);
    assert_true(fabs(sum[2] / count) < 0.08);
    fluid_destroy(fluid);
    scene_free(&scene);
}

// A plane jet on a plate at 30 degrees, which lies askew among the cells: its film is as fast as the jet, and
// it pushes by rho b U^2 sin 30 (free streamlines).
static void a_jet_runs_along_a_plate_as_fast_as_it_came(void **state)
{
    (void)state;
    if (test_is_sanitized()) skip(); // the next test has an open side and a plate, too
    const double a = acos(-1.0) / 6, plate[2] = {2.5 + 0.075 * sin(a), 2.5 - 0.075 * cos(a)};
    char text[900];
    snprintf(
        text, sizeof text,
        "spacing: 0.05\ntank: {size: [5, 0.3, 5], open: [left, right, top, bottom]}\n"
        "fluid: {gravity: [0, 0, 0]}\n"
        "emitters: [{rectangle: {width: 0.6, height: 0.3}, position: [0.3, 0.15, 2.5], rotation: [0, 90, "
        "0], speed: 4}]\n"
        "obstacles: [{name: plate, plate: {size: [6, 0.36], thickness: 0.15}, position: [%.6f, 0.15, "
        "%.6f], rotation: [0, -30, 0]}]\n"
        "drains: [{box: {size: [5, 10, 5]}, position: [2.5, 0, 2.5], outside: true}]\n",
        plate[0], plate[1]);
    SceneDef scene;
    Fluid *fluid = fluid_from_text(text, true, &scene);
    double sum = 0.0;
    uint32_t count = 0;
    for (double t = 1.4; t < 1.85; t += 0.1) {
        fluid_run(fluid, t);
        FrameView view = fluid_view(fluid);
        for (uint32_t i = 0; i < view.count; i++) {
            double x = (double)view.x[i] - 2.5, z = (double)view.z[i] - 2.5, way = x * cos(a) + z * sin(a);
            if (way < 1.3 || way > 2.3) continue;
            sum += ((double)view.vx[i] * cos(a) + (double)view.vz[i] * sin(a)) / 4;
            count++;
        }
    }
    print_message("film of a jet at 30 degrees: %.3f of the jet's speed\n", sum / count);
    assert_true(count > 500);
    assert_true(fabs(sum / count - 1) < 0.07);
    fluid_destroy(fluid);
    scene_free(&scene);
}

// How fast a film of 4 m/s moves to a plate half a cell thick on which it leaves the tank along an axis, up
// (1) or down (-1) it; m/s.
static double speed_to_plate(int axis, int way)
{
    static const int turns[3][3] = {{0, 90, 0}, {-90, 0, 0}, {0, 0, 0}},
                     back[3][3] = {{0, -90, 0}, {90, 0, 0}, {180, 0, 0}};
    const int *turn = way > 0 ? turns[axis] : back[axis], across = (axis + 1) % 3, off = (axis + 2) % 3;
    double tank[3] = {2, 2, 2}, plate[3], size[3], nozzle[3], fastest = 0;
    tank[across] = 0.3;
    plate[axis] = 1 + 0.3 * way, plate[across] = 0.15, plate[off] = 0.925;
    size[axis] = 4, size[across] = 0.36, size[off] = 0.15;
    nozzle[axis] = 1 - 0.7 * way, nozzle[across] = 0.15, nozzle[off] = 1.15;
    char text[700];
    SceneDef scene;
    snprintf(text, sizeof text,
             "spacing: 0.05\nfluid: {gravity: [0, 0, 0]}\n"
             "tank: {size: [%g, %g, %g], open: [left, right, front, back, top, bottom]}\n"
             "obstacles: [{box: {size: [%g, %g, %g]}, position: [%g, %g, %g]}]\n"
             "emitters: [{rectangle: {width: 0.3, height: 0.3}, position: [%g, %g, %g], rotation: [%d, %d, "
             "%d], speed: 4}]\n"
             "drains: [{box: {size: [2, 2, 2]}, position: [1, 1, 1], outside: true}]\n",
             tank[0], tank[1], tank[2], size[0], size[1], size[2], plate[0], plate[1], plate[2], nozzle[0],
             nozzle[1], nozzle[2], turn[0], turn[1], turn[2]);
    Fluid *fluid = fluid_from_text(text, true, &scene);
    for (int k = 1; k <= 10; k++) {
        fluid_run(fluid, 0.6 + 0.05 * k);
        FrameView view = fluid_view(fluid);
        const float *at[3] = {view.x, view.y, view.z}, *v[3] = {view.vx, view.vy, view.vz};
        double sum = 0, count = 0;
        for (uint32_t i = 0; i < view.count; i++) {
            if (way * (at[axis][i] - 1.0f) < 0.8f) continue;
            sum += (double)v[off][i];
            count++;
        }
        assert_true(count > 50);
        fastest = fmax(fastest, fabs(sum / count));
    }
    fluid_destroy(fluid);
    scene_free(&scene);
    return fastest;
}

static void a_film_leaves_through_an_open_side_along_a_plate(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k += (int)test_stride(5)) {
        double speed = speed_to_plate(k / 2, k % 2 ? -1 : 1);
        print_message("at side %d of axis %d the film moves to the plate with %.3f m/s at most\n", k % 2,
                      k / 2, speed);
        assert_true(speed < 0.04);
    }
}

// Kirchhoff 1869: free streamlines leave pi / (pi + 2) of a slot. That of the slot in the side of a deep
// reservoir is 6 or 12 spacings high.
static void water_leaves_a_slot_as_free_streamlines_say(void **state)
{
    (void)state;
    static const double spacings[] = {0.05, 0.025};
    for (int k = 0; k < (test_is_full() ? 2 : 1); k++) {
        double d = spacings[k], width = 8 * d, flow = 0, theory = 0;
        char text[900];
        SceneDef scene;
        snprintf(
            text, sizeof text,
            "spacing: %g\ntank: {size: [4, %g, 3]}\nwater: [{box: {min: [0, 0, 0], max: [2, %g, 1.85]}}]\n"
            "obstacles:\n  - {box: {size: [%g, %g, 0.5]}, position: [%g, %g, 0.25]}\n"
            "  - {box: {size: [%g, %g, 2.6]}, position: [%g, %g, 2.1]}\n"
            "drains: [{box: {size: [2, 4, 4]}, position: [4.2, 0, 0]}]\n",
            d, width, width, 2 * d, 1.2 * width, 2 + d, width / 2, 2 * d, 1.2 * width, 2 + d, width / 2);
        Fluid *fluid = fluid_from_text(text, true, &scene);
        double before = 0;
        for (int n = 0; n <= 16; n++) {
            fluid_run(fluid, 0.8 + 0.05 * n);
            FrameView view = fluid_view(fluid);
            double held = 0;
            for (uint32_t i = 0; i < view.count; i++) held += view.x[i] < (float)(2 + d);
            double level = held * d * d * d / (2 * width);
            if (n > 0) {
                flow += (before - held) * d * d * d;
                theory += 0.05 * 0.3 * width * sqrt(2 * GRAVITY * (level - 0.65));
            }
            before = held;
        }
        print_message("slot of %g spacings: %.4f of it (%.4f)\n", 0.3 / d, flow / theory,
                      acos(-1.0) / (acos(-1.0) + 2));
        assert_float_equal(flow / theory, acos(-1.0) / (acos(-1.0) + 2), 0.04);
        fluid_destroy(fluid);
        scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_runs_down_a_plate_as_without_friction),
        cmocka_unit_test(a_jet_runs_along_a_plate_as_fast_as_it_came),
        cmocka_unit_test(water_leaves_through_an_open_side_as_it_came),
        cmocka_unit_test(a_film_leaves_through_an_open_side_along_a_plate),
        cmocka_unit_test(water_leaves_a_slot_as_free_streamlines_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
