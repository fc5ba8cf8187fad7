// Pairs of clusters against testing every pair of points.
#include "neighbor/neighbor.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/sort.h"
#include "neighbor_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Points in streams that are padded as a search for pairs asks for.
static TestPoints padded(const TestPoints *points)
{
    TestPoints copy = *points;
    float **streams[3] = {&copy.x, &copy.y, &copy.z};
    for (int axis = 0; axis < 3; axis++) {
        const float *from = *streams[axis];
        float *to = memory_allocate((points->count + 16) * sizeof *to);
        assert_non_null(to);
        if (points->count) memcpy(to, from, points->count * sizeof *to);
        for (uint32_t k = 0; k < 16; k++) to[points->count + k] = NEIGHBOR_FAR;
        *streams[axis] = to;
    }
    return copy;
}

static void padded_free(TestPoints *points)
{
    memory_free(points->x);
    memory_free(points->y);
    memory_free(points->z);
}

// Where cluster l stands in the row of k, or the row's length.
static uint32_t place_in_row(const NeighborClusters *clusters, uint32_t k, uint32_t l)
{
    const uint32_t *row = clusters->partner + clusters->begin[k];
    uint32_t at = 0;
    while (at < clusters->count[k] && row[at] != l) at++;
    return at;
}

// Is a pair of clusters where it has to be? Of one block: in the second part of the lower one's row alone.
static bool is_in_place(const NeighborClusters *clusters, uint32_t k, uint32_t l)
{
    uint32_t at = place_in_row(clusters, k, l);
    if (k == l) return at == 0;
    bool same_block = k / clusters->block == l / clusters->block;
    if (same_block && l < k) return at == clusters->count[k];
    return at < clusters->count[k] && same_block == (at >= clusters->single[k]);
}

// Every pair of `rows` is in partner clusters, and clusters are partners only if they hold such a pair or are
// the same.
static void check_clusters(const TestPoints *points, const TestRows *expected, const NeighborPairs *pairs)
{
    const NeighborClusters *clusters = &pairs->clusters;
    assert_int_equal(clusters->rows, (points->count + NEIGHBOR_CLUSTER - 1) / NEIGHBOR_CLUSTER);
    uint32_t *seen = calloc(clusters->rows + 1, sizeof *seen);
    assert_non_null(seen);
    for (uint32_t k = 0; k < clusters->rows; k++) {
        uint32_t named = 1, end = (k + 1) * NEIGHBOR_CLUSTER;
        seen[k] = k + 1;
        assert_true(is_in_place(clusters, k, k));
        for (uint32_t i = k * NEIGHBOR_CLUSTER; i < end && i < points->count; i++) {
            assert_int_equal(pairs->neighbors[i], expected->rows[i + 1] - expected->rows[i]);
            for (uint64_t at = expected->rows[i]; at < expected->rows[i + 1]; at++) {
                uint32_t l = expected->index[at] / NEIGHBOR_CLUSTER;
                if (seen[l] == k + 1) continue;
                seen[l] = k + 1;
                named += place_in_row(clusters, k, l) < clusters->count[k];
                assert_true(is_in_place(clusters, k, l));
            }
        }
        assert_int_equal(clusters->count[k], named);
        const uint32_t *row = clusters->partner + clusters->begin[k];
        for (uint32_t at = 2; at < clusters->count[k]; at++)
            assert_true(at == clusters->single[k] || row[at - 1] < row[at]);
    }
    free(seen);
}

static void partners_are_the_clusters_that_hold_a_pair_within_the_radius(void **state)
{
    (void)state;
    for (uint32_t shape = 0; shape < TEST_SHAPES; shape++) {
        TestPoints points = test_points_make(shape), copy = padded(&points);
        TestRows expected = test_rows_make(&points);
        NeighborSearch *search = test_search_make("cluster_grid", &points);
        NeighborPairs pairs;
        NeighborStats stats;
        for (int level = CPU_PLAIN; level < CPU_LEVEL_COUNT; level++) {
            cpu_set_level((CpuLevel)level);
            parallel_set_workers(1 + (uint32_t)level);
            assert_int_equal(neighbor_search_pairs(search, test_points_view(&copy), &pairs, &stats).code,
                             RESULT_OK);
            assert_true(pairs.clustered);
            check_clusters(&points, &expected, &pairs);
            assert_int_equal(stats.neighbors, expected.rows[points.count]);
            assert_true(stats.candidates >= stats.neighbors);
        }
        neighbor_search_destroy(search);
        test_rows_free(&expected);
        padded_free(&copy);
        test_points_free(&points);
    }
}

// A cube of points in the order that cluster_grid asks for, more than one block of clusters.
static TestPoints sorted_cube(uint32_t edge)
{
    PointOrder order = {.columns = true, .inverse = 0.5};
    PointKeys keys = point_keys_between(&order, point_order_cell(&order, 0, 0, 0),
                                        point_order_cell(&order, (float)edge, (float)edge, (float)edge));
    TestPoints points = {.count = edge * edge * edge, .radius = 2.5f};
    SortBuffers sort = {0};
    assert_int_equal(sort_buffers_reserve(&sort, points.count).code, RESULT_OK);
    for (int axis = 0; axis < 3; axis++) {
        float **streams[3] = {&points.x, &points.y, &points.z};
        *streams[axis] = memory_allocate((points.count + 16) * sizeof(float));
        assert_non_null(*streams[axis]);
    }
    for (uint32_t i = 0; i < points.count; i++)
        sort.keys[0][i] =
            point_key(&keys, point_order_cell(&order, (float)(i % edge), (float)(i / edge % edge),
                                              (float)(i / edge / edge)));
    const uint32_t *place;
    sort_order(&sort, points.count, &place);
    for (uint32_t to = 0; to < points.count + 16; to++) {
        uint32_t i = to < points.count ? place[to] : 0;
        points.x[to] = to < points.count ? (float)(i % edge) : NEIGHBOR_FAR;
        points.y[to] = to < points.count ? (float)(i / edge % edge) : NEIGHBOR_FAR;
        points.z[to] = to < points.count ? (float)(i / edge / edge) : NEIGHBOR_FAR;
    }
    sort_buffers_free(&sort);
    return points;
}

static void pairs_of_clusters_of_a_block_are_named_once(void **state)
{
    (void)state;
    TestPoints points = sorted_cube(18);
    TestRows expected = test_rows_make(&points);
    NeighborSearch *search = test_search_make("cluster_grid", &points);
    NeighborPairs pairs;
    NeighborStats stats;
    assert_int_equal(neighbor_search_pairs(search, test_points_view(&points), &pairs, &stats).code,
                     RESULT_OK);
    check_clusters(&points, &expected, &pairs);
    assert_true(pairs.clusters.rows > pairs.clusters.block); // pairs of both kinds
    assert_true(stats.shared > stats.evaluated && stats.evaluated > 0);
    assert_int_equal(stats.neighbors, expected.rows[points.count]);
    neighbor_search_destroy(search);
    test_rows_free(&expected);
    padded_free(&points);
}

static void warm_searches_for_pairs_allocate_nothing(void **state)
{
    (void)state;
    TestPoints points = test_points_make(4), copy = padded(&points);
    parallel_set_workers(3);
    NeighborSearch *search = test_search_make("cluster_grid", &points);
    NeighborPairs pairs;
    NeighborStats stats;
    assert_int_equal(neighbor_search_pairs(search, test_points_view(&copy), &pairs, &stats).code, RESULT_OK);
    uint64_t before = memory_allocation_count();
    for (int run = 0; run < 5; run++)
        assert_int_equal(neighbor_search_pairs(search, test_points_view(&copy), &pairs, &stats).code,
                         RESULT_OK);
    assert_int_equal(memory_allocation_count(), before);
    neighbor_search_destroy(search);
    padded_free(&copy);
    test_points_free(&points);
}

static void methods_that_make_lists_give_pairs_as_lists(void **state)
{
    (void)state;
    TestPoints points = test_points_make(12), copy = padded(&points);
    NeighborSearch *search = test_search_make("octree", &points);
    NeighborPairs pairs;
    NeighborStats stats;
    assert_int_equal(neighbor_search_pairs(search, test_points_view(&copy), &pairs, &stats).code, RESULT_OK);
    assert_false(pairs.clustered);
    assert_int_equal(pairs.lists.rows, points.count);
    assert_ptr_equal(pairs.neighbors, pairs.lists.count);
    assert_true(neighbor_method_is_clustered("cluster_grid"));
    assert_false(neighbor_method_is_clustered("octree"));
    assert_false(neighbor_method_is_clustered("none"));
    neighbor_search_destroy(search);
    padded_free(&copy);
    test_points_free(&points);
}

// --- parts ---

// The points of clusters first..end-1, which are whole blocks, then all the others, those before them first.
static TestPoints part_of(const TestPoints *all, uint32_t first, uint32_t end)
{
    uint32_t begin = first * NEIGHBOR_CLUSTER, own = end * NEIGHBOR_CLUSTER - begin,
             places = (own + 15) / 16 * 16;
    TestPoints part = {.count = places + all->count - own, .radius = all->radius};
    const float *const from[3] = {all->x, all->y, all->z};
    float **to[3] = {&part.x, &part.y, &part.z};
    for (int axis = 0; axis < 3; axis++) {
        float *at = *to[axis] = memory_allocate((part.count + 16) * sizeof *at);
        assert_non_null(at);
        for (uint32_t i = 0; i < part.count + 16; i++) at[i] = NEIGHBOR_FAR;
        memcpy(at, from[axis] + begin, own * sizeof *at);
        memcpy(at + places, from[axis], begin * sizeof *at);
        memcpy(at + places + begin, from[axis] + begin + own, (all->count - begin - own) * sizeof *at);
    }
    return part;
}

// Where part_of places cluster l.
static uint32_t place_in_part(uint32_t l, uint32_t first, uint32_t end)
{
    uint32_t others = (end - first + 3) / 4 * 4;
    if (l < first) return others + l;
    return l < end ? l - first : others + l - (end - first);
}

// Rows of a part are those of its clusters among all points, named by their places.
static void check_part(const NeighborClusters *all, const NeighborClusters *part, uint32_t first,
                       uint32_t end)
{
    assert_int_equal(part->rows, end - first);
    assert_int_equal(part->block, all->block);
    for (uint32_t k = first; k < end; k++) {
        const uint32_t *row = all->partner + all->begin[k];
        const uint32_t *found = part->partner + part->begin[k - first];
        assert_int_equal(part->count[k - first], all->count[k]);
        assert_int_equal(part->single[k - first], all->single[k]);
        for (uint32_t at = 0; at < all->count[k]; at++)
            assert_int_equal(found[at], place_in_part(row[at], first, end));
    }
}

static void a_part_has_the_partners_that_it_has_among_all_points_in_their_order(void **state)
{
    (void)state;
    TestPoints points = sorted_cube(18);
    NeighborSearch *whole = test_search_make("cluster_grid", &points);
    NeighborPairs all, pairs;
    NeighborStats stats;
    assert_int_equal(neighbor_search_pairs(whole, test_points_view(&points), &all, &stats).code, RESULT_OK);
    uint32_t rows = all.clusters.rows, block = all.clusters.block, parts = 0;
    for (uint32_t first = 0; first < rows; first += block, parts++) {
        uint32_t end = first + block < rows ? first + block : rows;
        TestPoints part = part_of(&points, first, end);
        NeighborPart own = {(end - first) * NEIGHBOR_CLUSTER, first, rows};
        NeighborSearch *search = test_search_make("cluster_grid", &part);
        assert_int_equal(neighbor_search_part(search, test_points_view(&part), &own, &pairs, &stats).code,
                         RESULT_OK);
        check_part(&all.clusters, &pairs.clusters, first, end);
        neighbor_search_destroy(search);
        padded_free(&part);
    }
    assert_true(parts > 1);
    neighbor_search_destroy(whole);
    padded_free(&points);
}

// --- orders ---

static uint64_t key_of(const PointOrder *order, float x, float y, float z)
{
    PointKeys keys =
        point_keys_between(order, point_order_cell(order, -8, -8, -8), point_order_cell(order, 8, 8, 8));
    return point_key(&keys, point_order_cell(order, x, y, z));
}

static void points_follow_each_other_up_and_down_neighboring_columns(void **state)
{
    (void)state;
    PointOrder order = {.columns = true, .inverse = 1.0};
    // Across the strip: column (0, 0) upwards, (0, 1) beside it downwards, up to (0, 7).
    assert_true(key_of(&order, 0.5f, 0.5f, 1) < key_of(&order, 0.1f, 0.9f, 2));
    assert_true(key_of(&order, 0.5f, 0.5f, 5) < key_of(&order, 0.5f, 1.5f, 5));
    assert_true(key_of(&order, 0.5f, 1.5f, 5) < key_of(&order, 0.5f, 1.5f, 4));
    // Then one column further, and back across the strip.
    assert_true(key_of(&order, 0.5f, 7.5f, 1) < key_of(&order, 1.5f, 7.5f, 1));
    assert_true(key_of(&order, 1.5f, 7.5f, 1) < key_of(&order, 1.5f, 6.5f, 1));
    // The strip below, beside -1 where numbers change their sign, runs the other way.
    assert_true(key_of(&order, 1.5f, -0.5f, 1) < key_of(&order, 0.5f, -0.5f, 1));
    assert_true(key_of(&order, -7.5f, -0.5f, 1) < key_of(&order, -7.5f, 0.5f, 1));
    assert_true(key_of(&order, -0.5f, 0.5f, 5) < key_of(&order, -0.5f, 0.5f, 4));
    // So does the bar below, which comes first.
    assert_true(key_of(&order, 7.5f, 7.5f, -1) < key_of(&order, -7.5f, 0.5f, 1));
    assert_true(key_of(&order, 1.5f, 0.5f, -1) < key_of(&order, 0.5f, 0.5f, -1));
    assert_true(key_of(&order, 0.5f, 0.5f, -5) < key_of(&order, 0.5f, 0.5f, -4));
}

static void cells_are_ordered_by_z_then_y_then_x(void **state)
{
    (void)state;
    PointOrder order = {.inverse = 1.0};
    assert_true(key_of(&order, 7, 7, -3) < key_of(&order, -7, -7, -2));
    assert_true(key_of(&order, 7, -3, 0) < key_of(&order, -7, -2, 0));
    assert_true(key_of(&order, -1, 0, 0) < key_of(&order, 0, 0, 0));
    assert_true(key_of(&order, 0.1f, 0.2f, 0.3f) == key_of(&order, 0.9f, 0.8f, 0.7f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(partners_are_the_clusters_that_hold_a_pair_within_the_radius,
                                  test_restore_machine),
        cmocka_unit_test(pairs_of_clusters_of_a_block_are_named_once),
        cmocka_unit_test_teardown(warm_searches_for_pairs_allocate_nothing, test_restore_machine),
        cmocka_unit_test(methods_that_make_lists_give_pairs_as_lists),
        cmocka_unit_test(a_part_has_the_partners_that_it_has_among_all_points_in_their_order),
        cmocka_unit_test(points_follow_each_other_up_and_down_neighboring_columns),
        cmocka_unit_test(cells_are_ordered_by_z_then_y_then_x),
    };
    return cmocka_run_group_tests_name("neighbor_clusters", tests, NULL, NULL);
}
