#include "case_helpers.h"
#include "neighbor/neighbor.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "neighbor_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

// Bytes that the process has mapped.
static uint64_t address_space(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%llu", &pages), 1);
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static NeighborStats stats_of(const char *method, const TestPoints *points)
{
    NeighborStats stats;
    NeighborSearch *search = test_search_make(method, points);
    test_search_run(search, points, &stats);
    neighbor_search_destroy(search);
    return stats;
}

static void every_method_equals_testing_all_pairs(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 7};
    for (uint32_t shape = 0; shape < TEST_SHAPES; shape++) {
        TestPoints points = test_points_make(shape);
        TestRows expected = test_rows_make(&points);
        for (uint32_t m = 0; neighbor_method_name(m); m++) {
            parallel_set_workers(3);
            for (int level = CPU_PLAIN; level < CPU_LEVEL_COUNT; level++) {
                cpu_set_level((CpuLevel)level);
                test_rows_compare(&points, &expected, neighbor_method_name(m));
            }
            for (uint32_t t = 0; t < 3; t++) {
                parallel_set_workers(threads[t]);
                test_rows_compare(&points, &expected, neighbor_method_name(m));
            }
        }
        test_rows_free(&expected);
        test_points_free(&points);
    }
}

static void rows_of_points_in_cell_order_and_shuffled_are_the_same(void **state)
{
    (void)state;
    TestPoints points = test_points_make(4);
    for (uint32_t i = points.count - 1; i > 0; i--) {
        uint32_t j = (uint32_t)((uint64_t)i * 2654435761u % (i + 1));
        float *streams[3] = {points.x, points.y, points.z};
        for (int axis = 0; axis < 3; axis++) {
            float swap = streams[axis][i];
            streams[axis][i] = streams[axis][j];
            streams[axis][j] = swap;
        }
    }
    TestRows expected = test_rows_make(&points);
    for (uint32_t m = 0; neighbor_method_name(m); m++)
        test_rows_compare(&points, &expected, neighbor_method_name(m));
    test_rows_free(&expected);
    test_points_free(&points);
}

static void a_search_can_be_run_again_on_more_and_on_fewer_points(void **state)
{
    (void)state;
    TestPoints points = test_points_make(12);
    TestRows all = test_rows_make(&points);
    for (uint32_t m = 0; neighbor_method_name(m); m++) {
        NeighborSearch *search = test_search_make(neighbor_method_name(m), &points);
        NeighborLists lists;
        NeighborStats stats;
        const uint32_t counts[] = {10, 1000, 0, 500, 1000};
        for (int run = 0; run < 5; run++) {
            PointView view = test_points_view(&points);
            view.count = counts[run];
            assert_int_equal(neighbor_search_run(search, view, &lists, &stats).code, RESULT_OK);
            assert_int_equal(lists.rows, counts[run]);
        }
        assert_int_equal(stats.neighbors, all.rows[points.count]);
        neighbor_search_destroy(search);
    }
    test_rows_free(&all);
    test_points_free(&points);
}

static void warm_runs_allocate_nothing(void **state)
{
    (void)state;
    const uint32_t shapes[] = {4, 8, 10, 11, 12, 14};
    for (uint32_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        TestPoints points = test_points_make(shapes[s]);
        for (uint32_t m = 0; neighbor_method_name(m); m++) {
            parallel_set_workers(3);
            NeighborSearch *search = test_search_make(neighbor_method_name(m), &points);
            NeighborStats stats;
            test_search_run(search, &points, &stats);
            uint64_t before = memory_allocation_count();
            for (int run = 0; run < 5; run++) test_search_run(search, &points, &stats);
            if (memory_allocation_count() != before)
                fail_msg("%s on %s", neighbor_method_name(m), points.name);
            neighbor_search_destroy(search);
        }
        test_points_free(&points);
    }
}

static void everything_is_freed_in_the_end(void **state)
{
    (void)state;
    TestPoints points = test_points_make(12);
    TestRows expected = test_rows_make(&points);
    uint64_t before = memory_bytes_in_use();
    for (uint32_t m = 0; neighbor_method_name(m); m++)
        test_rows_compare(&points, &expected, neighbor_method_name(m));
    assert_int_equal(memory_bytes_in_use(), before);
    test_rows_free(&expected);
    test_points_free(&points);
}

static void a_coordinate_that_is_not_finite_is_refused_naming_the_point(void **state)
{
    (void)state;
    const float bad[] = {NAN, INFINITY, -INFINITY};
    TestPoints points = test_points_make(12);
    for (uint32_t m = 0; neighbor_method_name(m); m++) {
        NeighborSearch *search = test_search_make(neighbor_method_name(m), &points);
        NeighborLists lists;
        NeighborStats stats;
        for (int k = 0; k < 3; k++) {
            float *streams[3] = {points.x, points.y, points.z};
            uint32_t place = k == 0 ? 0 : k == 1 ? 999 : 517;
            float kept = streams[k][place];
            streams[k][place] = bad[k];
            Result result = neighbor_search_run(search, test_points_view(&points), &lists, &stats);
            assert_int_equal(result.code, RESULT_FAILED);
            assert_non_null(strstr(result.text, place == 0     ? "point 0 "
                                                : place == 999 ? "point 999 "
                                                               : "point 517 "));
            streams[k][place] = kept;
            lists = test_search_run(search, &points, &stats);
        }
        // Every place of a vector, and those that are left.
        for (uint32_t place = 950; place < points.count && m == 0; place++) {
            char name[32];
            snprintf(name, sizeof name, "point %u ", place);
            float *stream = place % 3 == 0 ? points.x : place % 3 == 1 ? points.y : points.z;
            float kept = stream[place];
            stream[place] = bad[place % 2];
            Result result = neighbor_search_run(search, test_points_view(&points), &lists, &stats);
            assert_non_null(strstr(result.text, name));
            stream[place] = kept;
        }
        neighbor_search_destroy(search);
    }
    test_points_free(&points);
}

// Keys of all cells of a box differ and fit into as many bits as the sides need, in order of z, y and x; in
// columns along bars of 8 x 256 cells, that follow each other there and back.
static void keys_of_cells_differ_and_use_few_bits(void **state)
{
    (void)state;
    static const int32_t sides[][3] = {{5, 3, 9}, {1, 300, 2}, {70, 1, 1}, {2, 17, 40}};
    static uint8_t used[1u << 20];
    for (int k = 0; k < 8; k++) {
        const int32_t *side = sides[k / 2];
        PointOrder order = {.columns = k % 2, .inverse = 1};
        PointCell lo = {{-3, 6, -200}}, hi = lo, cell;
        for (int axis = 0; axis < 3; axis++) hi.at[axis] += side[axis] - 1;
        PointKeys keys = point_keys_between(&order, lo, hi);
        unsigned fewest = 0;
        for (int axis = 0; axis < 3; axis++) {
            unsigned cut = !order.columns || axis == 0 ? 0 : axis == 1 ? POINT_STRIP_BITS : POINT_BAR_BITS;
            int32_t groups =
                (int32_t)(floor((double)hi.at[axis] / (1 << cut)) - floor((double)lo.at[axis] / (1 << cut)));
            assert_int_equal(keys.bits[axis], groups ? floor(log2(groups)) + 1 : 0);
            fewest += keys.bits[axis] + cut;
        }
        assert_int_equal(keys.total, fewest);
        memset(used, 0, sizeof used);
        uint64_t last = 0;
        for (cell.at[2] = lo.at[2]; cell.at[2] <= hi.at[2]; cell.at[2]++) {
            for (cell.at[1] = lo.at[1]; cell.at[1] <= hi.at[1]; cell.at[1]++) {
                for (cell.at[0] = lo.at[0]; cell.at[0] <= hi.at[0]; cell.at[0]++) {
                    uint64_t key = point_key(&keys, cell);
                    assert_true(key >> keys.total == 0 && key < sizeof used && used[key]++ == 0);
                    if (!order.columns) assert_true(key == 0 || key > last);
                    last = key;
                }
            }
        }
    }
}

static void unknown_methods_and_impossible_radii_are_usage_errors(void **state)
{
    (void)state;
    NeighborSearch *search;
    Result result = neighbor_search_create("uniform_gird", 1.0f, &search);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, "'uniform_gird'"));
    for (uint32_t m = 0; neighbor_method_name(m); m++)
        assert_non_null(strstr(result.text, neighbor_method_name(m)));
    assert_null(search);
    const float radii[] = {0.0f, -1.0f, NAN, INFINITY, 1e30f, 1e-30f};
    for (int k = 0; k < 6; k++)
        assert_int_equal(neighbor_search_create("uniform_grid", radii[k], &search).code, RESULT_USAGE);
}

static void methods_have_names_summaries_and_an_end(void **state)
{
    (void)state;
    assert_string_equal(neighbor_method_name(0), "uniform_grid");
    uint32_t count = 0;
    for (; neighbor_method_name(count); count++) assert_true(strlen(neighbor_method_summary(count)) > 10);
    assert_null(neighbor_method_summary(count));
    assert_string_equal(neighbor_method_name(count - 1), "brute_force");
}

static void an_alias_runs_the_method_that_it_names(void **state)
{
    (void)state;
    // Particles of one size fill one level of a multilevel hash: a hash of cells.
    assert_string_equal(neighbor_method_itself("multilevel_hash"), "cell_hash");
    assert_string_equal(neighbor_method_itself("cell_hash"), "cell_hash");
    assert_string_equal(neighbor_method_itself("unknown"), "unknown");
    for (uint32_t k = 0; neighbor_method_name(k); k++) {
        const char *name = neighbor_method_name(k), *method = neighbor_method_itself(name);
        if (strcmp(name, method) == 0) continue;
        assert_non_null(strstr(neighbor_method_summary(k), method));
        assert_string_equal(neighbor_method_itself(method), method);
    }
}

// The memory that is there runs out in the middle of a run, within a page and in a row longer than one.
static void rows_that_outgrow_what_was_enough_are_whole(void **state)
{
    (void)state;
    const uint32_t most[] = {700, 2500};
    for (int k = 0; k < 2; k++) {
        TestPoints points = test_points_heaps(most[k], most[k]);
        for (uint32_t m = 0; neighbor_method_name(m); m++) {
            NeighborSearch *search = test_search_make(neighbor_method_name(m), &points);
            for (uint32_t count = 10; count <= most[k]; count = count == 10 ? most[k] : most[k] + 1) {
                PointView view = test_points_view(&points);
                NeighborLists lists;
                NeighborStats stats;
                view.count = count;
                parallel_set_workers(1 + m % 2);
                assert_int_equal(neighbor_search_run(search, view, &lists, &stats).code, RESULT_OK);
                assert_int_equal(stats.neighbors, (uint64_t)count * (count - 1));
                for (uint32_t i = 0; i < count; i++) {
                    assert_int_equal(lists.count[i], count - 1);
                    for (uint32_t j = i % 13; j + 1 < count; j += 13)
                        assert_true(lists.index[lists.begin[i] + j] == j + (j >= i));
                }
            }
            neighbor_search_destroy(search);
        }
        test_points_free(&points);
    }
}

static void rows_longer_than_a_page_and_many_pages_are_kept(void **state)
{
    (void)state;
    // 2,000 equal points: rows of 1,999 and 4 million entries; then 4,500, longer than what is written
    // directly.
    const uint32_t counts[] = {2000, 4500};
    for (int k = 0; k < 2; k++) {
        TestPoints points = test_points_heaps(counts[k], counts[k]);
        for (uint32_t m = 0; neighbor_method_name(m); m++) {
            parallel_set_workers(2);
            NeighborSearch *search = test_search_make(neighbor_method_name(m), &points);
            NeighborStats stats;
            NeighborLists lists = test_search_run(search, &points, &stats);
            for (uint32_t i = 0; i < points.count; i++) {
                assert_int_equal(lists.count[i], points.count - 1);
                for (uint32_t j = 0; j + 1 < points.count; j += i % 50 == 0 ? 1 : 97)
                    assert_true(lists.index[lists.begin[i] + j] == j + (j >= i));
            }
            neighbor_search_destroy(search);
        }
        test_points_free(&points);
    }
}

static void neighbors_are_symmetric(void **state)
{
    (void)state;
    TestPoints points = test_points_make(11);
    for (uint32_t m = 0; neighbor_method_name(m); m++) {
        NeighborSearch *search = test_search_make(neighbor_method_name(m), &points);
        NeighborStats stats;
        NeighborLists lists = test_search_run(search, &points, &stats);
        for (uint32_t i = 0; i < points.count; i++) {
            for (uint32_t k = 0; k < lists.count[i]; k++) {
                uint32_t j = lists.index[lists.begin[i] + k];
                bool back = false;
                for (uint32_t l = 0; l < lists.count[j]; l++) back |= lists.index[lists.begin[j] + l] == i;
                assert_true(back);
            }
        }
        neighbor_search_destroy(search);
    }
    test_points_free(&points);
}

static void memory_follows_the_points_and_not_the_space_they_span(void **state)
{
    (void)state;
    TestPoints points = test_points_make(14), wide = test_points_make(15);
    for (uint32_t m = 0; neighbor_method_name(m); m++) {
        const TestPoints *sets[2] = {&points, &wide};
        for (int k = 0; k < 2; k++) {
            NeighborStats stats = stats_of(neighbor_method_name(m), sets[k]);
            if (stats.structure_bytes > 400u * points.count)
                fail_msg("%s holds %llu bytes for %u points", neighbor_method_name(m),
                         (unsigned long long)stats.structure_bytes, points.count);
        }
    }
    test_points_free(&points);
    test_points_free(&wide);
}

static void points_in_heaps_far_apart_take_no_more_memory_than_their_rows(void **state)
{
    (void)state;
    TestPoints points = test_points_heaps(20000, 400);
    for (uint32_t m = 0; neighbor_method_name(m); m++) {
        if (strcmp(neighbor_method_name(m), "brute_force") == 0) continue;
        parallel_set_workers(2);
        NeighborStats stats = stats_of(neighbor_method_name(m), &points);
        assert_int_equal(stats.neighbors, 20000u * 399u);
        assert_true(stats.structure_bytes < 200u * points.count);
        assert_true(stats.list_bytes < stats.neighbors * 4 * 3 / 2 + 4000000u);
    }
    test_points_free(&points);
}

// The lists of 100,000 equal points would have 10^10 entries.
static void lists_that_no_memory_holds_are_refused_with_what_they_need_and_what_is_free(void **state)
{
    (void)state;
    if (test_is_quick()) skip(); // sanitizers map more than any limit
    TestPoints points = test_points_heaps(100000, 100000), few = test_points_heaps(300, 300);
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    // Room for 2.5 x 10^7 entries, so that the refusal comes soon.
    limit = before;
    limit.rlim_cur = address_space() + 100000000u;
    for (uint32_t m = 0; neighbor_method_name(m); m++) {
        parallel_set_workers(2);
        NeighborSearch *search = test_search_make(neighbor_method_name(m), &points);
        NeighborLists lists;
        NeighborStats stats;
        assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
        Result result = neighbor_search_run(search, test_points_view(&points), &lists, &stats);
        assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
        if (result.code != RESULT_NO_MEMORY || !strstr(result.text, "neighbor lists: more than ") ||
            !strstr(result.text, " GB are free"))
            fail_msg("%s: %s", neighbor_method_name(m), result.text);
        // The search is as good as new.
        lists = test_search_run(search, &few, &stats);
        assert_int_equal(stats.neighbors, 300 * 299);
        neighbor_search_destroy(search);
    }
    test_points_free(&points);
    test_points_free(&few);
}

// 27,000 points, one of them 10^6 radii away.
static void a_stray_costs_no_method_a_tenth_of_its_memory(void **state)
{
    (void)state;
    parallel_set_workers(2);
    TestPoints points = test_points_cube(30, 0.1f, 0.25f);
    for (uint32_t m = 0; neighbor_method_name(m); m++) {
        if (strcmp(neighbor_method_name(m), "brute_force") == 0) continue;
        NeighborStats alone = stats_of(neighbor_method_name(m), &points);
        float kept = points.x[points.count - 1];
        points.x[points.count - 1] = 1e6f * points.radius;
        NeighborStats astray = stats_of(neighbor_method_name(m), &points);
        points.x[points.count - 1] = kept;
        if (10 * astray.structure_bytes > 11 * alone.structure_bytes)
            fail_msg("%s: %llu bytes instead of %llu", neighbor_method_name(m),
                     (unsigned long long)astray.structure_bytes, (unsigned long long)alone.structure_bytes);
        assert_true(10 * astray.list_bytes <= 11 * alone.list_bytes);
        assert_false(astray.compact);
    }
    test_points_free(&points);
}

static void grids_say_when_they_list_cells_instead_of_making_a_table(void **state)
{
    (void)state;
    TestPoints full = test_points_make(12), wide = test_points_make(10);
    assert_false(stats_of("uniform_grid", &full).compact);
    assert_true(stats_of("uniform_grid", &wide).compact);
    assert_true(stats_of("aabb_grid", &wide).compact);
    assert_false(stats_of("octree", &wide).compact);
    test_points_free(&full);
    test_points_free(&wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_method_equals_testing_all_pairs, test_restore_machine),
        cmocka_unit_test(rows_of_points_in_cell_order_and_shuffled_are_the_same),
        cmocka_unit_test(a_search_can_be_run_again_on_more_and_on_fewer_points),
        cmocka_unit_test_teardown(warm_runs_allocate_nothing, test_restore_machine),
        cmocka_unit_test(everything_is_freed_in_the_end),
        cmocka_unit_test(a_coordinate_that_is_not_finite_is_refused_naming_the_point),
        cmocka_unit_test(keys_of_cells_differ_and_use_few_bits),
        cmocka_unit_test(unknown_methods_and_impossible_radii_are_usage_errors),
        cmocka_unit_test(methods_have_names_summaries_and_an_end),
        cmocka_unit_test(an_alias_runs_the_method_that_it_names),
        cmocka_unit_test_teardown(rows_longer_than_a_page_and_many_pages_are_kept, test_restore_machine),
        cmocka_unit_test_teardown(rows_that_outgrow_what_was_enough_are_whole, test_restore_machine),
        cmocka_unit_test(neighbors_are_symmetric),
        cmocka_unit_test(memory_follows_the_points_and_not_the_space_they_span),
        cmocka_unit_test_teardown(points_in_heaps_far_apart_take_no_more_memory_than_their_rows,
                                  test_restore_machine),
        cmocka_unit_test_teardown(lists_that_no_memory_holds_are_refused_with_what_they_need_and_what_is_free,
                                  test_restore_machine),
        cmocka_unit_test_teardown(a_stray_costs_no_method_a_tenth_of_its_memory, test_restore_machine),
        cmocka_unit_test(grids_say_when_they_list_cells_instead_of_making_a_table),
    };
    return cmocka_run_group_tests_name("neighbor", tests, NULL, NULL);
}
