// Arrows of velocities against fields that are known: a fluid that turns as a body, and one at rest.
#include "render/arrows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 24, COUNT = SIDE * SIDE * SIDE };
static const float SPACING = 0.1f, TURN = 3; // m; 1/s, about z through the middle

static float at[3][COUNT], velocity[3][COUNT];

static FrameView body(float turn)
{
    const float middle = 0.5f * SPACING * SIDE;
    for (int k = 0; k < COUNT; k++) {
        const int cell[3] = {k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)};
        for (int axis = 0; axis < 3; axis++) at[axis][k] = SPACING * ((float)cell[axis] + 0.5f);
        velocity[0][k] = -turn * (at[1][k] - middle);
        velocity[1][k] = turn * (at[0][k] - middle);
        velocity[2][k] = 0;
    }
    return (FrameView){.spacing = SPACING,
                       .count = COUNT,
                       .x = at[0],
                       .y = at[1],
                       .z = at[2],
                       .vx = velocity[0],
                       .vy = velocity[1],
                       .vz = velocity[2]};
}

static void arrows_of_a_turning_body_lie_along_its_velocities(void **state)
{
    (void)state;
    Arrows arrows = {0};
    FrameView view = body(TURN);
    Result result = arrows_make(&arrows, &view);
    assert_true(result_is_ok(&result));
    // 24 particles are 8 cubes of 3; their middles lie up to 3.5 cubes from the axis on each side.
    float cube = 3 * SPACING, top = TURN * 3.5f * cube * sqrtf(2);
    assert_true(fabsf(arrows_cube(&view) - cube) < 1e-6f);
    assert_int_equal(arrows.count, 8 * 8 * 8);
    assert_true(fabsf(arrows.top - top) < 1e-3f * top);
    for (uint32_t k = 0; k < arrows.count; k++) {
        const Line *shaft = arrows.lines + ARROW_LINES * k;
        float middle = 0.5f * SPACING * SIDE, scale = cube / top;
        Vec3 way = vec3_sub(shaft->to, shaft->from);
        assert_true(fabsf(way.x + scale * TURN * (shaft->from.y - middle)) < 1e-4f);
        assert_true(fabsf(way.y - scale * TURN * (shaft->from.x - middle)) < 1e-4f);
        assert_true(fabsf(way.z) < 1e-5f);
        float place = shaft->from.x / cube - 0.5f; // in the middle of its cube
        assert_true(fabsf(place - roundf(place)) < 1e-3f);
    }
    arrows_free(&arrows);
}

static void barbs_are_at_the_tip_around_the_shaft(void **state)
{
    (void)state;
    Arrows arrows = {0};
    FrameView view = body(TURN);
    Result result = arrows_make(&arrows, &view);
    assert_true(result_is_ok(&result));
    for (uint32_t k = 0; k < arrows.count; k++) {
        const Line *arrow = arrows.lines + ARROW_LINES * k;
        Vec3 way = vec3_sub(arrow->to, arrow->from), sum = {0};
        for (int barb = 1; barb < ARROW_LINES; barb++) {
            Vec3 back = vec3_sub(arrow[barb].to, arrow->to);
            assert_true(vec3_equal(arrow[barb].from, arrow->to));
            assert_true(vec3_dot(back, way) < 0);
            assert_true(vec3_length(back) < 0.5f * vec3_length(way));
            sum = vec3_add(sum, back);
        }
        // On all sides alike: together they point along the shaft.
        assert_true(vec3_length(vec3_cross(sum, way)) < 1e-3f * vec3_length(sum) * vec3_length(way));
    }
    arrows_free(&arrows);
}

static void water_at_rest_has_none(void **state)
{
    (void)state;
    Arrows arrows = {0};
    FrameView view = body(0);
    Result result = arrows_make(&arrows, &view);
    assert_true(result_is_ok(&result));
    assert_int_equal(arrows.count, 0);
    velocity[2][5] = 2; // one particle of 27
    result = arrows_make(&arrows, &view);
    assert_true(result_is_ok(&result));
    assert_int_equal(arrows.count, 1);
    assert_true(fabsf(arrows.top - 2.f / 27) < 1e-5f);
    view.count = 0;
    result = arrows_make(&arrows, &view);
    assert_true(result_is_ok(&result));
    assert_int_equal(arrows.count, 0);
    arrows_free(&arrows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrows_of_a_turning_body_lie_along_its_velocities),
        cmocka_unit_test(barbs_are_at_the_tip_around_the_shaft),
        cmocka_unit_test(water_at_rest_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
