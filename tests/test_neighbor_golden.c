// What every search costs and finds, number by number: tests/golden/searches.txt. A tree that is built worse
// or cells that are culled less give the same neighbors; here it shows. `make golden` rewrites the file.
#include "case_helpers.h"
#include "golden_helpers.h"
#include "neighbor_helpers.h"

#include "core/hash.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/sort.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define SHAPES (TEST_SHAPES + 1)

static const char HEAD[] =
    "# What each search says of the points of tests/neighbor_helpers.c, on one thread: its statistics, and\n"
    "# hashes of its boxes, of its rows and of the order that it asks points to be in. The same on all\n"
    "# instruction sets, compilers and processors. `make golden` rewrites it on purpose.\n"
    "# method          shape points candidates neighbors evaluated shared structure point_bytes list_bytes "
    "compact boxes            rows             order\n";

// Points in the order that the search asks for, padded for clusters.
static TestPoints in_order(const TestPoints *points, const NeighborSearch *search, uint64_t *hash)
{
    PointOrder order = neighbor_search_order(search, 0.4f * points->radius);
    TestPoints sorted = test_points_allocate(points->name, points->count + 16, points->radius);
    SortBuffers buffers = {0};
    const uint32_t *from;
    Result result = sort_buffers_reserve(&buffers, points->count);
    assert_int_equal(result.code, RESULT_OK);
    PointCell lo = {0}, hi = {0};
    for (uint32_t i = 0; i < points->count; i++) {
        PointCell cell = point_order_cell(&order, points->x[i], points->y[i], points->z[i]);
        for (int axis = 0; axis < 3; axis++) {
            if (i == 0 || cell.at[axis] < lo.at[axis]) lo.at[axis] = cell.at[axis];
            if (i == 0 || cell.at[axis] > hi.at[axis]) hi.at[axis] = cell.at[axis];
        }
    }
    PointKeys keys = point_keys_between(&order, lo, hi);
    for (uint32_t i = 0; i < points->count; i++)
        buffers.keys[0][i] =
            point_key(&keys, point_order_cell(&order, points->x[i], points->y[i], points->z[i]));
    sort_order(&buffers, points->count, &from);
    *hash = hash_bytes(HASH_START, from, points->count * sizeof *from);
    float *const streams[3][2] = {{sorted.x, points->x}, {sorted.y, points->y}, {sorted.z, points->z}};
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t k = 0; k < points->count; k++) streams[axis][0][k] = streams[axis][1][from[k]];
        for (uint32_t k = 0; k < 16; k++) streams[axis][0][points->count + k] = NEIGHBOR_FAR;
    }
    sorted.count = points->count;
    sort_buffers_free(&buffers);
    return sorted;
}

static uint64_t hash_of_pairs(const NeighborPairs *pairs)
{
    const uint64_t *begin = pairs->clustered ? pairs->clusters.begin : pairs->lists.begin;
    const uint32_t *count = pairs->clustered ? pairs->clusters.count : pairs->lists.count;
    const uint32_t *entry = pairs->clustered ? pairs->clusters.partner : pairs->lists.index;
    uint32_t rows = pairs->clustered ? pairs->clusters.rows : pairs->lists.rows;
    uint64_t hash = HASH_START;
    for (uint32_t k = 0; k < rows; k++) {
        hash = hash_bytes(hash, &count[k], sizeof *count);
        hash = hash_bytes(hash, entry + begin[k], count[k] * sizeof *entry);
        if (pairs->clustered) hash = hash_bytes(hash, &pairs->clusters.single[k], sizeof(uint32_t));
    }
    return hash;
}

// A line of the file. shape: 0 .. SHAPES-1. lists: rows of points from a method that prefers clusters, too.
static void measure(const char *method, uint32_t shape, bool lists, FILE *out)
{
    TestPoints points = shape < TEST_SHAPES ? test_points_make(shape) : test_points_cube(16, 0.1f, 0.25f);
    NeighborSearch *search = test_search_make(method, &points);
    uint64_t order;
    TestPoints sorted = in_order(&points, search, &order);
    NeighborBoxes boxes = {0};
    ASSERT_OK(neighbor_search_boxes(search, test_points_view(&points), &boxes));
    neighbor_search_destroy(search);
    uint64_t boxed = hash_bytes(HASH_START, boxes.box, boxes.count * sizeof *boxes.box);
    neighbor_boxes_free(&boxes);
    // The points as they lie; clusters are made of those that follow each other.
    search = test_search_make(method, &points);
    NeighborPairs pairs = {0};
    NeighborStats stats;
    char name[32];
    snprintf(name, sizeof name, "%s%s", method, lists ? " lists" : "");
    if (lists)
        pairs.lists = test_search_run(search, &points, &stats);
    else
        ASSERT_OK(neighbor_search_pairs(
            search, test_points_view(neighbor_method_is_clustered(method) ? &sorted : &points), &pairs,
            &stats));
    fprintf(out,
            "%-18s %4" PRIu32 " %6" PRIu32 " %10" PRIu64 " %9" PRIu64 " %9" PRIu64 " %7" PRIu64 " %9" PRIu64
            " %8" PRIu64 " %10" PRIu64 " %d %016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n",
            name, shape, points.count, stats.candidates, stats.neighbors, stats.evaluated, stats.shared,
            stats.structure_bytes, stats.point_bytes, stats.list_bytes, stats.compact, boxed,
            hash_of_pairs(&pairs), order);
    neighbor_search_destroy(search);
    test_points_free(&points);
    test_points_free(&sorted);
}

static void measure_all(FILE *out)
{
    parallel_set_workers(1);
    for (uint32_t m = 0; neighbor_method_name(m); m++) {
        const char *name = neighbor_method_name(m);
        for (int lists = 0; lists < (neighbor_method_is_clustered(name) ? 2 : 1); lists++)
            for (uint32_t shape = 0; shape < SHAPES; shape++) measure(name, shape, lists, out);
    }
    parallel_set_workers(0);
}

int main(int argc, char **argv)
{
    return golden_main(argc, argv, "tests/golden/searches.txt", HEAD, measure_all);
}
