// The boxes of search structures, as pictures show them: they hold every point, and grids' do not overlap.
#include "core/memory.h"
#include "neighbor_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAIRS_MAX 3000u // boxes; above, not every pair is compared
#define CELLS_MAX 1e6   // from 0: further out a float is too coarse for cells

static NeighborBoxes boxes_of(const char *method, const TestPoints *points)
{
    NeighborSearch *search;
    NeighborBoxes boxes = {0};
    Result result = neighbor_search_create(method, points->radius, &search);
    if (result_is_ok(&result)) result = neighbor_search_boxes(search, test_points_view(points), &boxes);
    if (!result_is_ok(&result)) fail_msg("%s, %s: %s", method, points->name, result.text);
    neighbor_search_destroy(search);
    return boxes;
}

static bool holds(const NeighborBox *box, const TestPoints *points, uint32_t i)
{
    return points->x[i] >= box->lo[0] && points->x[i] <= box->hi[0] && points->y[i] >= box->lo[1] &&
           points->y[i] <= box->hi[1] && points->z[i] >= box->lo[2] && points->z[i] <= box->hi[2];
}

static bool inside(const NeighborBox *small, const NeighborBox *large)
{
    bool all = true;
    for (int axis = 0; axis < 3; axis++) {
        double slack =
            1e-5 * ((double)large->hi[axis] - (double)large->lo[axis]) + 1e-6 * fabs((double)large->lo[axis]);
        all &= small->lo[axis] >= large->lo[axis] - slack && small->hi[axis] <= large->hi[axis] + slack;
    }
    return all;
}

// By more than what rounding to float makes of a shared face.
static bool overlap(const NeighborBox *a, const NeighborBox *b)
{
    for (int axis = 0; axis < 3; axis++) {
        double lo = fmax(a->lo[axis], b->lo[axis]), hi = fmin(a->hi[axis], b->hi[axis]);
        double edge =
            fmin((double)a->hi[axis] - (double)a->lo[axis], (double)b->hi[axis] - (double)b->lo[axis]);
        if (hi - lo <= 1e-4 * edge + 1e-6 * fabs(lo)) return false;
    }
    return true;
}

static bool far_out(const TestPoints *points)
{
    for (uint32_t i = 0; i < points->count; i++) {
        float largest = fmaxf(fabsf(points->x[i]), fmaxf(fabsf(points->y[i]), fabsf(points->z[i])));
        if ((double)largest > CELLS_MAX * (double)points->radius) return true;
    }
    return false;
}

static void assert_points_are_held(const char *method, const TestPoints *points, const NeighborBoxes *boxes)
{
    uint64_t filed = 0;
    for (uint32_t k = 0; k < boxes->count; k++) {
        if (boxes->box[k].level == 0) filed += boxes->box[k].points;
    }
    if (filed != points->count)
        fail_msg("%s, %s: %u points, %u filed", method, points->name, points->count, (unsigned)filed);
    for (uint32_t i = 0; i < points->count; i += points->count / 500 + 1) {
        bool held = false;
        for (uint32_t k = 0; k < boxes->count && !held; k++)
            held = boxes->box[k].level == 0 && holds(&boxes->box[k], points, i);
        if (!held) fail_msg("%s, %s: point %u is in no box", method, points->name, i);
    }
}

static void every_point_lies_in_a_box_of_every_method(void **state)
{
    (void)state;
    for (uint32_t shape = 0; shape < TEST_SHAPES; shape++) {
        TestPoints points = test_points_make(shape);
        for (uint32_t m = 0; neighbor_method_name(m); m++) {
            const char *method = neighbor_method_name(m);
            NeighborBoxes boxes = boxes_of(method, &points);
            if (strcmp(method, "brute_force") == 0)
                assert_int_equal(boxes.count, 0);
            else if (!far_out(&points))
                assert_points_are_held(method, &points, &boxes);
            neighbor_boxes_free(&boxes);
        }
        test_points_free(&points);
    }
}

static void a_stray_is_filed_and_held_as_the_header_says(void **state)
{
    (void)state;
    TestPoints points = test_points_cube(20, 0.1f, 0.25f);
    uint32_t stray = points.count - 1;
    points.x[stray] = 1e4f;
    for (uint32_t m = 0; neighbor_method_name(m); m++) {
        const char *method = neighbor_method_name(m);
        NeighborBoxes boxes = boxes_of(method, &points);
        uint32_t filed = 0, holding = 0;
        for (uint32_t k = 0; k < boxes.count; k++) {
            if (boxes.box[k].level > 0) continue;
            filed += boxes.box[k].points;
            holding += holds(&boxes.box[k], &points, stray);
        }
        bool none = strcmp(method, "brute_force") == 0, table = strcmp(method, "uniform_grid") == 0;
        assert_int_equal(filed, none ? 0 : points.count);
        assert_int_equal(holding, none || table ? 0 : 1);
        neighbor_boxes_free(&boxes);
    }
    test_points_free(&points);
}

static void cells_are_cubes_of_a_radius_that_do_not_overlap(void **state)
{
    (void)state;
    static const char *const methods[] = {"uniform_grid", "octree", "hierarchical_hash", "spatial_hash",
                                          "cell_hash"};
    for (uint32_t shape = 0; shape < TEST_SHAPES; shape++) {
        TestPoints points = test_points_make(shape);
        uint32_t first_count = 0;
        for (uint32_t m = 0; m < 5 && !far_out(&points); m++) {
            NeighborBoxes boxes = boxes_of(methods[m], &points);
            uint32_t cells = 0;
            for (uint32_t a = 0; a < boxes.count; a++) {
                const NeighborBox *box = &boxes.box[a];
                double edge = (double)points.radius * 1.0001 * (double)(1u << box->level);
                double slack = 1e-4 * edge + 1e-6 * fabs((double)box->hi[0]);
                assert_true(fabs((double)box->hi[0] - (double)box->lo[0] - edge) < slack);
                cells += box->level == 0;
                for (uint32_t b = a + 1; b < boxes.count && boxes.count < PAIRS_MAX; b++) {
                    if (box->level == boxes.box[b].level) assert_false(overlap(box, &boxes.box[b]));
                }
            }
            // Cells that hold points are the same ones, however they are found.
            if (m == 0) first_count = cells;
            assert_int_equal(cells, first_count);
            neighbor_boxes_free(&boxes);
        }
        test_points_free(&points);
    }
}

static void boxes_of_a_hierarchy_hold_those_below(void **state)
{
    (void)state;
    static const char *const methods[] = {"octree", "hierarchical_hash"};
    static const uint32_t above[2][2] = {{1, 2}, {2, 4}};
    for (uint32_t shape = 0; shape < TEST_SHAPES; shape++) {
        TestPoints points = test_points_make(shape);
        for (uint32_t m = 0; m < 2 && !far_out(&points); m++) {
            NeighborBoxes boxes = boxes_of(methods[m], &points);
            uint32_t highest = 0;
            for (uint32_t k = 0; k < boxes.count; k++)
                if (boxes.box[k].level > highest) highest = boxes.box[k].level;
            for (uint32_t a = 0; a < boxes.count && boxes.count < PAIRS_MAX; a++) {
                for (int k = 0; k < 2; k++) {
                    bool found = boxes.box[a].level != 0 || above[m][k] > highest;
                    for (uint32_t b = 0; b < boxes.count && !found; b++)
                        found = boxes.box[b].level == above[m][k] && inside(&boxes.box[a], &boxes.box[b]);
                    assert_true(found);
                }
            }
            neighbor_boxes_free(&boxes);
        }
        test_points_free(&points);
    }
}

static void boxes_around_points_are_tight(void **state)
{
    (void)state;
    static const char *const methods[] = {"aabb_grid", "kd_tree"};
    for (uint32_t shape = 0; shape < TEST_SHAPES; shape++) {
        TestPoints points = test_points_make(shape);
        for (uint32_t m = 0; m < 2; m++) {
            NeighborBoxes boxes = boxes_of(methods[m], &points);
            for (uint32_t k = 0; k < boxes.count; k += boxes.count / 50 + 1) {
                const NeighborBox *box = &boxes.box[k];
                float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
                uint32_t held = 0;
                for (uint32_t i = 0; i < points.count; i++) {
                    const float at[3] = {points.x[i], points.y[i], points.z[i]};
                    if (!holds(box, &points, i)) continue;
                    held++;
                    for (int axis = 0; axis < 3; axis++) {
                        lo[axis] = fminf(lo[axis], at[axis]);
                        hi[axis] = fmaxf(hi[axis], at[axis]);
                    }
                }
                assert_true(held >= box->points && box->points > 0);
                for (int axis = 0; axis < 3; axis++)
                    assert_true(lo[axis] == box->lo[axis] && hi[axis] == box->hi[axis]);
            }
            neighbor_boxes_free(&boxes);
        }
        test_points_free(&points);
    }
}

static void a_search_may_list_boxes_between_its_runs(void **state)
{
    (void)state;
    TestPoints points = test_points_make(5);
    TestRows rows = test_rows_make(&points);
    NeighborBoxes boxes = {0};
    NeighborSearch *search;
    NeighborLists lists;
    NeighborStats stats;
    Result result = neighbor_search_create("octree", points.radius, &search);
    for (int k = 0; k < 2 && result_is_ok(&result); k++) {
        result = neighbor_search_boxes(search, test_points_view(&points), &boxes);
        if (result_is_ok(&result))
            result = neighbor_search_run(search, test_points_view(&points), &lists, &stats);
    }
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    assert_int_equal(stats.neighbors, rows.rows[points.count]);
    // A coordinate that is not a number is refused, and the list is empty then.
    if (points.count > 0) {
        points.x[0] = NAN;
        result = neighbor_search_boxes(search, test_points_view(&points), &boxes);
        assert_int_equal(result.code, RESULT_FAILED);
        assert_int_equal(boxes.count, 0);
    }
    neighbor_search_destroy(search);
    neighbor_boxes_free(&boxes);
    test_rows_free(&rows);
    test_points_free(&points);
}

static void lists_of_boxes_give_back_their_memory_whichever_allocation_fails(void **state)
{
    (void)state;
    TestPoints points = test_points_cube(6, 0.1f, 0.25f);
    uint64_t before = memory_bytes_in_use();
    for (uint32_t m = 0; neighbor_method_name(m); m++) {
        bool reached = true;
        for (uint64_t n = 1; reached; n++) {
            NeighborSearch *search;
            NeighborBoxes boxes = {0};
            memory_fail_at(n);
            Result result = neighbor_search_create(neighbor_method_name(m), points.radius, &search);
            if (result_is_ok(&result))
                result = neighbor_search_boxes(search, test_points_view(&points), &boxes);
            reached = memory_fail_at(0);
            assert_int_equal(result.code, reached ? RESULT_NO_MEMORY : RESULT_OK);
            neighbor_search_destroy(search);
            neighbor_boxes_free(&boxes);
            if (memory_bytes_in_use() != before)
                fail_msg("%s, allocation %llu: %lld bytes are lost", neighbor_method_name(m),
                         (unsigned long long)n, (long long)(memory_bytes_in_use() - before));
        }
    }
    test_points_free(&points);
}

static double cell_number(float coordinate, float radius)
{
    return floor((double)coordinate / (double)(radius * 1.0001f));
}

// Whether the box's cell is one of the 27 around the point's, and the box within the radius of the point.
static bool paper_tests(const NeighborBox *box, const float at[3], float radius)
{
    double squared = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        if (fabs(cell_number(box->lo[axis], radius) - cell_number(at[axis], radius)) > 1.0) return false;
        double gap = fmax(
            fmax((double)box->lo[axis] - (double)at[axis], (double)at[axis] - (double)box->hi[axis]), 0.0);
        squared += gap * gap;
    }
    return squared <= (double)radius * (double)radius;
}

// Takeshita, section 3.3: per point, the points of all cells around it whose box is near.
static void boxes_of_cells_spare_the_tests_that_takeshita_says(void **state)
{
    (void)state;
    TestPoints points = test_points_cube(13, 0.1f, 0.25f);
    NeighborBoxes boxes = boxes_of("aabb_grid", &points);
    uint64_t expected = 0;
    for (uint32_t i = 0; i < points.count; i++) {
        const float at[3] = {points.x[i], points.y[i], points.z[i]};
        for (uint32_t k = 0; k < boxes.count; k++)
            expected += paper_tests(&boxes.box[k], at, points.radius) ? boxes.box[k].points : 0;
    }
    uint64_t candidates[2];
    static const char *const methods[2] = {"aabb_grid", "uniform_grid"};
    for (int m = 0; m < 2; m++) {
        NeighborSearch *search;
        NeighborLists lists;
        NeighborStats stats = {0};
        Result result = neighbor_search_create(methods[m], points.radius, &search);
        if (result_is_ok(&result))
            result = neighbor_search_run(search, test_points_view(&points), &lists, &stats);
        if (!result_is_ok(&result)) fail_msg("%s", result.text);
        candidates[m] = stats.candidates;
        neighbor_search_destroy(search);
    }
    assert_int_equal(candidates[0], expected - points.count); // a point is not tested against itself
    assert_true((double)candidates[0] < 0.72 * (double)candidates[1]);
    neighbor_boxes_free(&boxes);
    test_points_free(&points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_lies_in_a_box_of_every_method),
        cmocka_unit_test(a_stray_is_filed_and_held_as_the_header_says),
        cmocka_unit_test(cells_are_cubes_of_a_radius_that_do_not_overlap),
        cmocka_unit_test(boxes_of_a_hierarchy_hold_those_below),
        cmocka_unit_test(boxes_around_points_are_tight),
        cmocka_unit_test(a_search_may_list_boxes_between_its_runs),
        cmocka_unit_test(lists_of_boxes_give_back_their_memory_whichever_allocation_fails),
        cmocka_unit_test(boxes_of_cells_spare_the_tests_that_takeshita_says),
    };
    return cmocka_run_group_tests_name("boxes of searches", tests, NULL, NULL);
}
