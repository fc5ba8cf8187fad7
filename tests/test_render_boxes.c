// Wire boxes and charts: lines where geometry and numbers say.
#include "case_helpers.h"
#include "core/memory.h"
#include "render/chart.h"
#include "render_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIZE 200u

// Looks along +y from ten metres away.
static RenderDef front_view(void)
{
    return test_def(SIZE, SIZE, vec3_make(0, -10, 0), vec3_make(0, 0, 0), 30);
}

static uint8_t *picture_with(const FrameView *view, const NeighborBox *boxes, uint32_t count)
{
    assert_non_null(render_test_context());
    RenderDef def = front_view();
    Renderer *renderer;
    uint8_t *rgb = memory_allocate((size_t)SIZE * SIZE * 3);
    assert_non_null(rgb);
    ASSERT_OK(renderer_create(&def, &renderer));
    ASSERT_OK(renderer_set_boxes(renderer, boxes, count));
    ASSERT_OK(renderer_draw(renderer, view, NULL));
    ASSERT_OK(renderer_read(renderer, rgb));
    renderer_destroy(renderer);
    return rgb;
}

static NeighborBox box_about(Vec3 center, float half, uint32_t level)
{
    return (NeighborBox){.lo = {center.x - half, center.y - half, center.z - half},
                         .hi = {center.x + half, center.y + half, center.z + half},
                         .points = 1,
                         .level = level};
}

// Where a point shows, in pixels from the upper left corner.
static void project(Vec3 at, double *x, double *y)
{
    double half = tan(15 * 3.14159265358979 / 180) * ((double)at.y + 10);
    *x = ((double)at.x / half + 1) * SIZE / 2;
    *y = (1 - (double)at.z / half) * SIZE / 2;
}

static double distance_to(double px, double py, const double a[2], const double b[2])
{
    double along[2] = {b[0] - a[0], b[1] - a[1]}, from[2] = {px - a[0], py - a[1]};
    double t = (from[0] * along[0] + from[1] * along[1]) / (along[0] * along[0] + along[1] * along[1]);
    t = fmin(fmax(t, 0), 1);
    return hypot(from[0] - t * along[0], from[1] - t * along[1]);
}

// Least distance of a pixel from the twelve edges.
static double distance_to_box(const NeighborBox *box, double px, double py)
{
    double nearest = 1e9;
    for (int corner = 0; corner < 8; corner++) {
        for (int axis = 0; axis < 3; axis++) {
            int other = corner | 1 << axis;
            if (other == corner) continue;
            double end[2][2];
            for (int k = 0; k < 2; k++) {
                int c = k ? other : corner;
                Vec3 at = {c & 1 ? box->hi[0] : box->lo[0], c & 2 ? box->hi[1] : box->lo[1],
                           c & 4 ? box->hi[2] : box->lo[2]};
                project(at, &end[k][0], &end[k][1]);
            }
            nearest = fmin(nearest, distance_to(px, py, end[0], end[1]));
        }
    }
    return nearest;
}

static void a_box_is_its_twelve_edges(void **state)
{
    (void)state;
    TestFrame frame = test_frame_make(0, 0.1f);
    NeighborBox box = box_about(vec3_make(0.2f, 0, 0.1f), 1, 0);
    uint8_t *empty = picture_with(&frame.view, NULL, 0), *drawn = picture_with(&frame.view, &box, 1);
    int on = 0, missing = 0, stray = 0;
    for (uint32_t y = 0; y < SIZE; y++) {
        for (uint32_t x = 0; x < SIZE; x++) {
            double distance = distance_to_box(&box, x + 0.5, y + 0.5);
            int change = test_pixel_difference(empty, drawn, SIZE, x, y);
            on += distance < 0.4;
            missing += distance < 0.4 && change < 8;
            stray += distance > 2 && change > 2;
        }
    }
    assert_true(on > 500);
    assert_int_equal(missing, 0);
    assert_int_equal(stray, 0);
    memory_free(empty);
    memory_free(drawn);
    test_frame_free(&frame);
}

static int different_pixels(const uint8_t *a, const uint8_t *b)
{
    int count = 0;
    for (uint32_t y = 0; y < SIZE; y++) {
        for (uint32_t x = 0; x < SIZE; x++) count += test_pixel_difference(a, b, SIZE, x, y) > 2;
    }
    return count;
}

static void particles_before_a_box_hide_it_and_those_behind_do_not(void **state)
{
    (void)state;
    TestFrame frame = test_frame_make(1, 1);
    NeighborBox box = box_about(vec3_make(0, 0, 0), 0.15f, 0);
    for (int behind = 0; behind < 2; behind++) {
        frame.y[0] = behind ? 4 : -4;
        uint8_t *without = picture_with(&frame.view, NULL, 0), *with = picture_with(&frame.view, &box, 1);
        if (behind)
            assert_true(different_pixels(without, with) > 20);
        else
            assert_int_equal(different_pixels(without, with), 0);
        memory_free(without);
        memory_free(with);
    }
    test_frame_free(&frame);
}

static void levels_have_colours_and_shared_edges_are_drawn_once(void **state)
{
    (void)state;
    TestFrame frame = test_frame_make(0, 0.1f);
    NeighborBox boxes[3] = {box_about(vec3_make(0, 0, 0), 1, 0), box_about(vec3_make(0, 0, 0), 1, 0),
                            box_about(vec3_make(0, 0, 0), 1, 2)};
    uint8_t *once = picture_with(&frame.view, boxes, 1), *twice = picture_with(&frame.view, boxes, 2),
            *other = picture_with(&frame.view, boxes + 2, 1);
    assert_int_equal(different_pixels(once, twice), 0);
    assert_true(different_pixels(once, other) > 200);
    memory_free(once);
    memory_free(twice);
    memory_free(other);
    test_frame_free(&frame);
}

static void boxes_go_when_there_are_none(void **state)
{
    (void)state;
    assert_non_null(render_test_context());
    TestFrame frame = test_frame_make(0, 0.1f);
    NeighborBox box = box_about(vec3_make(0, 0, 0), 1, 1);
    uint8_t *empty = picture_with(&frame.view, NULL, 0), *rgb = memory_allocate((size_t)SIZE * SIZE * 3);
    assert_non_null(rgb);
    RenderDef def = front_view();
    Renderer *renderer;
    ASSERT_OK(renderer_create(&def, &renderer));
    ASSERT_OK(renderer_set_boxes(renderer, &box, 1));
    ASSERT_OK(renderer_draw(renderer, &frame.view, NULL));
    ASSERT_OK(renderer_set_boxes(renderer, NULL, 0));
    ASSERT_OK(renderer_draw(renderer, &frame.view, NULL));
    ASSERT_OK(renderer_read(renderer, rgb));
    assert_int_equal(different_pixels(empty, rgb), 0);
    renderer_destroy(renderer);
    memory_free(empty);
    memory_free(rgb);
    test_frame_free(&frame);
}

// --- charts ---

#define CHART_WIDTH 640u
#define CHART_HEIGHT 360u

static bool is_blue(const uint8_t *p)
{
    return p[2] > p[0] + 90;
}

static bool is_red(const uint8_t *p)
{
    return p[0] > p[2] + 90;
}

// Mean row of the pixels of a colour in some columns, from the top.
static double mean_row(const uint8_t *rgb, uint32_t x0, uint32_t x1, bool (*wanted)(const uint8_t *))
{
    double sum = 0;
    int count = 0;
    for (uint32_t y = 0; y < CHART_HEIGHT; y++) {
        for (uint32_t x = x0; x < x1; x++) {
            if (!wanted(rgb + 3 * ((size_t)y * CHART_WIDTH + x))) continue;
            sum += y;
            count++;
        }
    }
    if (count == 0) fail_msg("nothing of that colour in columns %u to %u", x0, x1);
    return sum / count;
}

static void a_chart_rises_with_its_values_past_its_mean(void **state)
{
    (void)state;
    assert_non_null(render_test_context());
    double values[101];
    for (int k = 0; k <= 100; k++) values[k] = k;
    ChartDef def = {.width = CHART_WIDTH,
                    .height = CHART_HEIGHT,
                    .title = "",
                    .subtitle = "",
                    .x_title = "",
                    .y_title = "",
                    .unit = "%",
                    .mean = 50,
                    .values = values,
                    .count = 101};
    uint8_t *rgb = memory_allocate((size_t)CHART_WIDTH * CHART_HEIGHT * 3);
    assert_non_null(rgb);
    ASSERT_OK(chart_draw(&def, rgb));
    // The middle of the field in columns, and where the mean line is.
    uint32_t x0 = 48, x1 = CHART_WIDTH - 55, middle = (x0 + x1) / 2;
    double low = mean_row(rgb, x0 + 60, x0 + 64, is_blue), high = mean_row(rgb, x1 - 64, x1 - 60, is_blue);
    double red = mean_row(rgb, x0 + 60, x0 + 64, is_red);
    assert_true(low > red + 50 && high < red - 50);
    assert_true(fabs((low + high) / 2 - red) < 2);
    assert_true(fabs(mean_row(rgb, middle - 20, middle + 20, is_red) - red) < 2);

    // One wild value does not flatten the others; the mean tells of it.
    values[70] = -1e6;
    ASSERT_OK(chart_draw(&def, rgb));
    assert_true(mean_row(rgb, x0 + 60, x0 + 64, is_blue) > mean_row(rgb, x1 - 64, x1 - 60, is_blue) + 50);

    // A single value and values that are all the same are charts too.
    def.count = 1;
    ASSERT_OK(chart_draw(&def, rgb));
    memory_free(rgb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_its_twelve_edges),
        cmocka_unit_test(particles_before_a_box_hide_it_and_those_behind_do_not),
        cmocka_unit_test(levels_have_colours_and_shared_edges_are_drawn_once),
        cmocka_unit_test(boxes_go_when_there_are_none),
        cmocka_unit_test(a_chart_rises_with_its_values_past_its_mean),
    };
    return cmocka_run_group_tests_name("boxes and charts", tests, NULL, render_test_close);
}
