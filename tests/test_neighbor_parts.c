// What searches are built of, one by one: the order of points, and the loops over candidates on every
// instruction set, at counts around a vector, a chunk and a block.
#include "case_helpers.h"
#include "neighbor_helpers.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "neighbor/candidates.h"
#include "neighbor/point_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t counts[] = {1, 2, 15, 16, 17, 31, 32, 33, 65, 200};
#define COUNTS (sizeof counts / sizeof *counts)

// --- the order of points ---

// One point a cell along x.
static PointSet row_of_points(float *x, float *zeros, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) x[k] = (float)k + 0.5f;
    return (PointSet){
        .x = x, .y = zeros, .z = zeros, .count = count, .hi = {(float)count, 0, 0}, .radius = 1};
}

static void sort_points(PointSort *sort, PointSet *points, const uint32_t **index)
{
    CellFrame frame = cell_frame(points);
    ASSERT_OK(point_sort_reserve(sort, points->count));
    point_sort_run(sort, &frame, points, index);
    for (uint32_t k = 1; k < points->count; k++) assert_true(points->keys[k - 1] <= points->keys[k]);
}

// Two points that stand in each other's place at a border of what is looked at together.
static void a_point_out_of_order_is_seen_wherever_it_is(void **state)
{
    (void)state;
    enum { COUNT = 2 * 16384 + 700 };
    static const uint32_t at[] = {1, 2, 511, 512, 513, 1024, 16383, 16384, 16385, 32768, COUNT - 1};
    static float x[COUNT], zeros[COUNT];
    PointSort sort = {0};
    const uint32_t *index;
    PointSet points = row_of_points(x, zeros, COUNT);
    sort_points(&sort, &points, &index);
    assert_true(!index && points.x == x && points.y == zeros && points.z == zeros);
    for (size_t c = 0; c < sizeof at / sizeof *at; c++) {
        points = row_of_points(x, zeros, COUNT);
        x[at[c]] -= 1, x[at[c] - 1] += 1;
        sort_points(&sort, &points, &index);
        assert_true(index && points.x != x);
        for (uint32_t k = 0; k < COUNT; k++) {
            uint32_t from = k == at[c] ? k - 1 : k + 1 == at[c] ? k + 1 : k;
            assert_true(index[k] == from && points.x[k] == (float)k + 0.5f);
        }
    }
    point_sort_free(&sort);
}

// --- candidates ---

static void make_list(Candidates *list, uint32_t count, uint64_t *seed)
{
    assert_true(candidates_reserve(list, count));
    list->count = count;
    for (uint32_t k = 0; k < count; k++) {
        list->x[k] = test_random(seed), list->y[k] = test_random(seed), list->z[k] = test_random(seed);
        list->index[k] = 3 * k + 7;
    }
    candidate_kernel()->close(list);
}

// Calls a check with every instruction set.
static void on_every_level(void (*check)(const CandidateKernel *kernel, uint32_t count, uint64_t *seed))
{
    uint64_t seed = 3;
    for (int level = CPU_PLAIN; level < CPU_LEVEL_COUNT; level++) {
        cpu_set_level((CpuLevel)level);
        for (size_t c = 0; c < COUNTS; c++) check(candidate_kernel(), counts[c], &seed);
    }
}

// Behind the last candidate there is a whole vector that no filter finds, whatever was there before.
static void check_close(const CandidateKernel *kernel, uint32_t count, uint64_t *seed)
{
    Candidates list = {0};
    make_list(&list, count + CANDIDATES_LANES, seed);
    list.count = count;
    kernel->close(&list);
    for (uint32_t k = count; k < count + CANDIDATES_LANES; k++) {
        assert_true(list.x[k] == INFINITY && list.y[k] == INFINITY && list.z[k] == INFINITY);
        assert_true(list.index[k] == UINT32_MAX);
    }
    candidates_free(&list);
}

static void a_closed_list_ends_with_points_infinitely_far_away(void **state)
{
    (void)state;
    on_every_level(check_close);
}

static void check_ascends(const CandidateKernel *kernel, uint32_t count, uint64_t *seed)
{
    Candidates list = {0};
    make_list(&list, count, seed);
    assert_true(kernel->ascends(&list));
    for (uint32_t k = 1; k < count; k++) {
        list.index[k] -= 4; // below the one before it
        assert_false(kernel->ascends(&list));
        list.index[k] += 4;
    }
    candidates_free(&list);
}

static void a_descent_is_seen_wherever_it_is(void **state)
{
    (void)state;
    on_every_level(check_ascends);
}

static void check_filter(const CandidateKernel *kernel, uint32_t count, uint64_t *seed)
{
    const float radius2 = 0.25f;
    Candidates list = {0};
    uint32_t found[256 + CANDIDATES_LANES];
    make_list(&list, count, seed);
    for (uint32_t skip = 0; skip < count; skip++) {
        float x = list.x[skip], y = list.y[skip], z = list.z[skip];
        uint32_t n = kernel->filter(&list, x, y, z, skip, radius2, found), expected = 0;
        for (uint32_t k = 0; k < count; k++) {
            if (k == skip || !within(list.x[k] - x, list.y[k] - y, list.z[k] - z, radius2)) continue;
            assert_true(expected < n && found[expected] == list.index[k]);
            expected++;
        }
        assert_int_equal(n, expected);
    }
    candidates_free(&list);
}

static void filters_keep_those_within_the_radius(void **state)
{
    (void)state;
    on_every_level(check_filter);
}

// Squared distance of a point and a box.
static double distance2_to(const PointBox *box, const float at[3])
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        double off = fmax(0, fmax((double)box->lo[a] - (double)at[a], (double)at[a] - (double)box->hi[a]));
        sum += off * off;
    }
    return sum;
}

// Three ranges, the middle one of every length from none to a few vectors.
static void check_append(const CandidateKernel *kernel, uint32_t count, uint64_t *seed)
{
    enum { ALL = 400 };
    static float at[3][ALL + 64];
    static uint32_t index[ALL + 64];
    const float radius2 = 0.04f;
    const PointBox box = {{0.3f, 0.4f, 0.5f}, {0.5f, 0.5f, 0.6f}};
    for (uint32_t k = 0; k < ALL; k++) {
        for (int a = 0; a < 3; a++) at[a][k] = test_random(seed);
        index[k] = 1000 - k;
    }
    const PlaceRange ranges[3] = {{3, 20}, {30, 30 + count - 1}, {300, 317}};
    for (int named = 0; named < 2; named++) {
        const PointStreams points = {at[0], at[1], at[2], named ? index : NULL};
        Candidates list = {0};
        uint32_t n = 0;
        assert_true(candidates_reserve(&list, 2 * ALL));
        kernel->append(&list, &points, 5, 5 + count);
        assert_int_equal(list.count, count);
        for (uint32_t k = 0; k < count; k++)
            assert_true(list.x[k] == at[0][k + 5] && list.y[k] == at[1][k + 5] && list.z[k] == at[2][k + 5] &&
                        list.index[k] == (named ? index[k + 5] : k + 5));
        kernel->append_near(&list, &points, ranges, 3, &box, radius2);
        n = count;
        for (int r = 0; r < 3; r++)
            for (uint32_t k = ranges[r].begin; k < ranges[r].end; k++) {
                const float place[3] = {at[0][k], at[1][k], at[2][k]};
                double off = distance2_to(&box, place) / (double)radius2 - 1;
                bool taken = n < list.count && list.index[n] == (named ? index[k] : k);
                if (taken)
                    assert_true(list.x[n] == place[0] && list.y[n] == place[1] && list.z[n] == place[2]);
                if (fabs(off) > 1e-5) assert_true(taken == (off < 0));
                n += taken;
            }
        assert_int_equal(list.count, n);
        kernel->close(&list);
        for (uint32_t k = 0; k < CANDIDATES_LANES; k++) assert_true(isinf(list.x[n + k]));
        candidates_free(&list);
    }
}

static void what_is_near_a_box_is_appended_in_order(void **state)
{
    (void)state;
    on_every_level(check_append);
}

static int by_number(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return (one > other) - (one < other);
}

// Few and many, of small and of large numbers; and each is found from any hint.
static void candidates_are_sorted_and_found(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (uint32_t count = 1; count < 300; count += count < 60 ? 1 : 37) {
        for (int large = 0; large < 3; large++) {
            Candidates list = {0};
            uint32_t sorted[300];
            make_list(&list, count, &seed);
            for (uint32_t k = 0; k < count; k++) {
                uint32_t number = (uint32_t)(test_random(&seed) * 8000.0f) * 512u + k;
                sorted[k] = list.index[k] = large == 0   ? count - k
                                            : large == 1 ? number
                                                         : 4294967290u - number;
                list.x[k] = (float)list.index[k];
            }
            candidate_kernel()->close(&list);
            qsort(sorted, count, sizeof *sorted, by_number);
            candidates_sort(&list);
            for (uint32_t k = 0; k < count; k++) {
                assert_true(list.index[k] == sorted[k] && list.x[k] == (float)sorted[k]);
                for (uint32_t hint = 0; hint < count; hint++)
                    assert_int_equal(candidates_position(&list, sorted[k], hint), k);
            }
            candidates_free(&list);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_out_of_order_is_seen_wherever_it_is),
        cmocka_unit_test_teardown(a_closed_list_ends_with_points_infinitely_far_away, test_restore_machine),
        cmocka_unit_test_teardown(a_descent_is_seen_wherever_it_is, test_restore_machine),
        cmocka_unit_test_teardown(filters_keep_those_within_the_radius, test_restore_machine),
        cmocka_unit_test_teardown(what_is_near_a_box_is_appended_in_order, test_restore_machine),
        cmocka_unit_test(candidates_are_sorted_and_found),
    };
    return cmocka_run_group_tests_name("neighbor parts", tests, NULL, NULL);
}
