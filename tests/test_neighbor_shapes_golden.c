// What shape queries cost and in which order they find points, number by number: tests/golden/shapes.txt.
// Rows that are cut less give the same points; here it shows. `make golden` rewrites the file.
#include "case_helpers.h"
#include "golden_helpers.h"
#include "neighbor_helpers.h"

#include "core/hash.h"
#include "neighbor/reference/shape_reference.h"
#include "neighbor/shape/shape_index.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define QUERIES 60

static const char HEAD[] =
    "# Some shape queries (tests/test_neighbor_shapes_golden.c): points found, points tested with each "
    "choice\n"
    "# of rows, and a hash of what was found in its order. The same on all instruction sets, compilers and\n"
    "# processors.\n"
    "# `make golden` rewrites it on purpose.\n"
    "# dimensions cell shape found tested-ball -box -cut order hash tree\n";

static float random_in(uint64_t *random, float lo, float hi)
{
    return lo + (hi - lo) * test_random(random);
}

static TestPoints make_points(uint32_t dimensions)
{
    TestPoints points = test_points_allocate("uniform", 3000, 1);
    uint64_t random = 41;
    for (uint32_t k = 0; k < points.count; k++) {
        points.x[k] = random_in(&random, -3, 7);
        points.y[k] = random_in(&random, 0, 8);
        points.z[k] = dimensions == 2 ? 0 : random_in(&random, -9, -2);
    }
    return points;
}

// Now and then along the grid's axes, and beyond the points.
static ShapeQuery make_query(ShapeQueryKind kind, uint32_t dimensions, uint32_t k, uint64_t *random)
{
    Vec3 at = {random_in(random, -5, 9), random_in(random, -1, 9), 0},
         axis = {random_in(random, -1, 1), random_in(random, -1, 1), 0};
    if (dimensions == 3) at.z = random_in(random, -10, -1), axis.z = random_in(random, -1, 1);
    if (k % 8 == 0) axis = vec3_make(k % 16 ? 1 : -1, 0, 0);
    if (k % 8 == 4) axis = vec3_make(0, k % 16 == 4 ? 1 : -1, 0);
    float reach = random_in(random, 0.2f, 5), aspect = random_in(random, 1, 12);
    if (kind == SHAPE_BALL) return shape_ball(at, reach);
    if (kind == SHAPE_CONE) return shape_cone(at, axis, reach, random_in(random, 2, 350));
    return shape_ellipsoid(at, axis, reach, reach / aspect);
}

static void measure(FILE *out, const TestPoints *points, uint32_t dimensions, float cell, ShapeQueryKind kind)
{
    static const char *const names[] = {"ball", "cone", "ellipsoid"};
    ShapeIndex index = {0};
    ShapeTree tree = {0};
    ASSERT_OK(shape_index_build(&index, test_points_view(points), dimensions, cell));
    ASSERT_OK(shape_tree_build(&tree, test_points_view(points), dimensions, 30));
    uint32_t *found = malloc((points->count + SHAPE_LANES) * sizeof *found), count = 0;
    assert_non_null(found);
    uint64_t random = 5 + kind, tested[SHAPE_ROW_CHOICES] = {0}, hash = HASH_START, in_tree = HASH_START;
    for (uint32_t k = 0; k < QUERIES; k++) {
        ShapeQuery query = make_query(kind, dimensions, k, &random);
        uint32_t now = 0;
        for (int rows = 0; rows < SHAPE_ROW_CHOICES; rows++)
            now = shape_index_find(&index, &query, (ShapeRowChoice)rows, found, &tested[rows]);
        hash = hash_bytes(hash, found, now * sizeof *found);
        count += now;
        now = shape_tree_find(&tree, &query, true, found);
        in_tree = hash_bytes(in_tree, found, now * sizeof *found);
    }
    fprintf(out, "%" PRIu32 " %4g %-9s %6" PRIu32, dimensions, (double)cell, names[kind], count);
    for (int rows = 0; rows < SHAPE_ROW_CHOICES; rows++) fprintf(out, " %7" PRIu64, tested[rows]);
    fprintf(out, " %016" PRIx64 " %016" PRIx64 "\n", hash, in_tree);
    free(found);
    shape_index_free(&index);
    shape_tree_free(&tree);
}

static void measure_all(FILE *out)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        TestPoints points = make_points(dimensions);
        for (int wide = 0; wide < 2; wide++) {
            for (int kind = SHAPE_BALL; kind <= SHAPE_ELLIPSOID; kind++)
                measure(out, &points, dimensions, wide ? 1.3f : 0.4f, (ShapeQueryKind)kind);
        }
        test_points_free(&points);
    }
}

int main(int argc, char **argv)
{
    return golden_main(argc, argv, "tests/golden/shapes.txt", HEAD, measure_all);
}
