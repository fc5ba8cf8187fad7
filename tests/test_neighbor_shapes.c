// Shape queries: every search on every instruction set against testing every point, and the test of a point
// against geometry in double precision.
#include "neighbor/shape/shape_index.h"

#include "case_helpers.h"
#include "core/cpu.h"
#include "core/memory.h"
#include "neighbor/reference/shape_reference.h"
#include "neighbor_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// --- points ---

#define EXTENT 10.0f // edge of the space that points lie in, m

static float gauss(uint64_t *random)
{
    float a = fmaxf(test_random(random), 1e-7f), b = test_random(random);
    return sqrtf(-2.0f * logf(a)) * cosf(6.2831853f * b);
}

static void put_uniform(float at[3], uint32_t k, uint64_t *random)
{
    (void)k;
    for (int axis = 0; axis < 3; axis++) at[axis] = EXTENT * test_random(random);
}

// Half of them in seven blobs.
static void put_clustered(float at[3], uint32_t k, uint64_t *random)
{
    uint64_t blob = 77 + k / 2 % 7;
    for (int axis = 0; axis < 3; axis++) {
        float center = EXTENT * test_random(&blob);
        at[axis] = k % 2 ? EXTENT * test_random(random) : center + 0.02f * EXTENT * gauss(random);
    }
}

static void put_line(float at[3], uint32_t k, uint64_t *random)
{
    float along = EXTENT * test_random(random);
    at[0] = at[1] = at[2] = along;
    if (k % 3 == 0) at[1] = at[2] = 0.5f * EXTENT; // another one, along x
}

static void put_duplicates(float at[3], uint32_t k, uint64_t *random)
{
    (void)random;
    uint64_t place = 5 + k % 9;
    for (int axis = 0; axis < 3; axis++) at[axis] = EXTENT * test_random(&place);
}

// A lattice: many points lie exactly on borders of shapes and cells.
static void put_lattice(float at[3], uint32_t k, uint64_t *random)
{
    (void)random;
    at[0] = (float)(k % 11);
    at[1] = (float)(k / 11 % 11);
    at[2] = (float)(k / 121 % 11);
}

// Where a float is coarse: eight of its steps are a thousandth of the extent.
static void put_far(float at[3], uint32_t k, uint64_t *random)
{
    put_uniform(at, k, random);
    for (int axis = 0; axis < 3; axis++) at[axis] += 12000.0f * (float)(axis - 1);
}

typedef void Put(float at[3], uint32_t k, uint64_t *random);
static const struct PointKind {
    const char *name;
    Put *put;
    uint32_t count;
} point_kinds[] = {
    {"uniform", put_uniform, 1500}, {"clustered", put_clustered, 1500},
    {"line", put_line, 600},        {"duplicates", put_duplicates, 500},
    {"lattice", put_lattice, 1331}, {"far", put_far, 1500},
    {"one", put_uniform, 1},        {"none", put_uniform, 0},
};
#define POINT_KINDS (sizeof point_kinds / sizeof *point_kinds)

static TestPoints make_points(const struct PointKind *kind, uint32_t dimensions)
{
    TestPoints points = test_points_allocate(kind->name, kind->count, 1.0f);
    uint64_t random = 2025;
    for (uint32_t k = 0; k < kind->count; k++) {
        float at[3];
        kind->put(at, k, &random);
        points.x[k] = at[0];
        points.y[k] = at[1];
        points.z[k] = dimensions == 2 ? 0.0f : at[2];
    }
    return points;
}

// --- queries ---

static Vec3 random_axis(uint32_t dimensions, uint64_t *random)
{
    Vec3 axis = {gauss(random), gauss(random), dimensions == 2 ? 0.0f : gauss(random)};
    uint32_t special = (uint32_t)(12.0f * test_random(random)); // along or between the grid's axes
    if (special < 3) axis = vec3_make(special == 0 ? -1.0f : 0.0f, special == 1 ? 1.0f : 0.0f, 0.0f);
    if (special == 2) axis = vec3_make(1.0f, 1.0f, dimensions == 2 ? 0.0f : -1.0f);
    return axis;
}

static Vec3 random_pivot(const TestPoints *points, uint32_t dimensions, uint64_t *random)
{
    float at[3];
    put_uniform(at, 0, random);
    uint32_t k = (uint32_t)(test_random(random) * (float)points->count);
    bool on_point = points->count > 0 && test_random(random) < 0.7f;
    if (on_point) return vec3_make(points->x[k], points->y[k], points->z[k]);
    for (int axis = 0; axis < 3; axis++) at[axis] = 1.4f * at[axis] - 0.2f * EXTENT;
    return vec3_make(at[0], at[1], dimensions == 2 ? 0.0f : at[2]);
}

// Angles of 1 to 360 degrees, whole ones and those of right angles more often; aspects of 1 to 20.
static ShapeQuery random_query(const TestPoints *points, uint32_t dimensions, uint64_t *random)
{
    Vec3 at = random_pivot(points, dimensions, random), axis = random_axis(dimensions, random);
    float reach = 0.02f * EXTENT * powf(60.0f, test_random(random));
    if (test_random(random) < 0.2f) reach = roundf(reach) + 1.0f;
    float kind = test_random(random);
    if (kind < 0.15f) return shape_ball(at, reach);
    if (kind < 0.55f) {
        float degrees = 1.0f + 359.0f * test_random(random);
        if (test_random(random) < 0.2f) degrees = 90.0f * ceilf(degrees / 90.0f);
        return shape_cone(at, axis, reach, degrees);
    }
    float aspect = 1.0f + 19.0f * test_random(random);
    if (test_random(random) < 0.2f) aspect = roundf(aspect);
    return shape_ellipsoid(at, axis, reach, reach / aspect);
}

// --- every search against testing every point ---

typedef struct Searches {
    PointView view;
    uint32_t dimensions;
    ShapeIndex index[2]; // wide and narrow cells
    ShapeHash hash;
    ShapeTree tree[2];
    ShapePlace *places;
    uint32_t *expected, *out, *stamp;
} Searches;

static Searches make_searches(const TestPoints *points, uint32_t dimensions)
{
    Searches all = {.view = test_points_view(points), .dimensions = dimensions};
    ASSERT_OK(shape_index_build(&all.index[0], all.view, dimensions, 0.12f * EXTENT));
    ASSERT_OK(shape_index_build(&all.index[1], all.view, dimensions, 0.05f * EXTENT));
    ASSERT_OK(shape_hash_build(&all.hash, all.view, dimensions, 0.1f * EXTENT));
    ASSERT_OK(shape_tree_build(&all.tree[0], all.view, dimensions, 10));
    ASSERT_OK(shape_tree_build(&all.tree[1], all.view, dimensions, 100));
    all.places = memory_allocate(points->count * sizeof *all.places);
    all.expected = memory_allocate((points->count + SHAPE_LANES) * sizeof *all.expected);
    all.out = memory_allocate((points->count + SHAPE_LANES) * sizeof *all.out);
    all.stamp = memory_allocate_zeroed((points->count + SHAPE_LANES) * sizeof *all.stamp);
    assert_true(all.places && all.expected && all.out && all.stamp);
    for (uint32_t k = 0; k < points->count; k++) all.places[k] = (ShapePlace){points->x[k], points->y[k]};
    return all;
}

static void free_searches(Searches *all)
{
    for (int k = 0; k < 2; k++) {
        shape_index_free(&all->index[k]);
        shape_tree_free(&all->tree[k]);
    }
    shape_hash_free(&all->hash);
    memory_free(all->places);
    memory_free(all->expected);
    memory_free(all->out);
    memory_free(all->stamp);
}

// Search `k` of all; false past the last one.
static bool search(const Searches *all, uint32_t k, const ShapeQuery *query, uint32_t *found)
{
    const ShapePoints points = {{all->view.x, all->view.y, all->view.z, NULL}, all->dimensions == 2};
    ShapeQuery ball = shape_ball(query->at, query->reach * 1.01f);
    uint64_t tested = 0;
    switch (k) {
    case 0:
        *found = shape_scan_lanes(all->view, all->dimensions, query, all->out);
        return true;
    case 1:
        *found = shape_hash_find(&all->hash, query, all->out);
        return true;
    case 2:
    case 3:
        *found = shape_tree_find(&all->tree[k - 2], query, false, all->out);
        return true;
    case 4:
    case 5:
        *found = shape_tree_find(&all->tree[k - 4], query, true, all->out);
        return true;
    case 6: // the list of a ball, then the test
        *found = shape_index_find(&all->index[0], &ball, SHAPE_ROWS_BALL, all->out, NULL);
        *found = shape_kernel()->filter_listed(query, &points, all->out, *found, all->out);
        return true;
    default:
        if (k >= 7 + 2 * SHAPE_ROW_CHOICES) return false;
        *found = shape_index_find(&all->index[(k - 7) / SHAPE_ROW_CHOICES], query,
                                  (ShapeRowChoice)((k - 7) % SHAPE_ROW_CHOICES), all->out, &tested);
        assert_true(tested >= *found);
        return true;
    }
}

// Every point once, and none that is not expected.
static bool is_expected(const Searches *all, uint32_t expected, uint32_t found, uint32_t mark)
{
    if (found != expected) return false;
    for (uint32_t k = 0; k < expected; k++) all->stamp[all->expected[k]] = mark;
    for (uint32_t k = 0; k < found; k++) {
        if (all->stamp[all->out[k]] != mark) return false;
        all->stamp[all->out[k]] = 0;
    }
    return true;
}

static uint32_t query_count(void)
{
    const char *level = getenv("PBF_TEST_LEVEL");
    if (level && strcmp(level, "full") == 0) return 10000;
    return level && strcmp(level, "quick") == 0 ? 120 : 600;
}

static void check_points(const struct PointKind *kind, uint32_t dimensions)
{
    TestPoints points = make_points(kind, dimensions);
    Searches all = make_searches(&points, dimensions);
    uint64_t random = 16 + dimensions;
    for (uint32_t q = 0, mark = 0; q < query_count(); q++) {
        ShapeQuery query = random_query(&points, dimensions, &random);
        uint32_t expected = shape_scan(all.view, &query, all.expected), found = 0;
        for (CpuLevel level = CPU_PLAIN; level < CPU_LEVEL_COUNT; level++) {
            cpu_set_level(level);
            if (cpu_level() != level) continue;
            for (uint32_t k = 0; search(&all, k, &query, &found); k++) {
                if (is_expected(&all, expected, found, ++mark)) continue;
                fail_msg("%s, %uD, query %u of kind %d, search %u, %s: %u points instead of %u", kind->name,
                         dimensions, q, query.kind, k, cpu_level_name(level), found, expected);
            }
        }
    }
    free_searches(&all);
    test_points_free(&points);
}

static void every_search_finds_what_testing_every_point_finds(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < POINT_KINDS; k++) {
        check_points(&point_kinds[k], 2);
        check_points(&point_kinds[k], 3);
    }
}

// A line along an axis, so long that a float at its end cannot tell places apart that a small ball can. Most
// points lie near sides of cells there.
static TestPoints make_long_line(int axis)
{
    TestPoints points = test_points_allocate("long line", 2000, 1.0f);
    float *const stream[3] = {points.x, points.y, points.z};
    uint64_t random = 31;
    for (uint32_t k = 0; k < points.count; k++) {
        for (int a = 0; a < 3; a++) stream[a][k] = 0.0f;
        stream[axis][k] = (float)(k % 8) + 4e-3f * (test_random(&random) - 0.5f);
    }
    stream[axis][0] = -12000.0f;
    return points;
}

static void small_balls_far_from_the_grids_corner_lose_nothing(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        TestPoints points = make_long_line(axis);
        PointView view = test_points_view(&points);
        ShapeIndex index = {0};
        ASSERT_OK(shape_index_build(&index, view, 3, 1.0f));
        assert_true(index.edge == 1.0f);
        uint32_t *out = memory_allocate((points.count + SHAPE_LANES) * sizeof *out);
        assert_non_null(out);
        for (uint32_t k = 1; k < points.count; k++) {
            ShapeQuery ball = shape_ball(vec3_make(points.x[k], points.y[k], points.z[k]), 1e-3f);
            uint32_t expected = shape_scan(view, &ball, out);
            for (int rows = 0; rows < SHAPE_ROW_CHOICES; rows++)
                assert_int_equal(shape_index_find(&index, &ball, (ShapeRowChoice)rows, out, NULL), expected);
        }
        memory_free(out);
        shape_index_free(&index);
        test_points_free(&points);
    }
}

// --- the test of a point against geometry ---

// How far, relative to the shape's size, a point is inside (positive) or outside, in double precision.
static double depth_inside(const ShapeQuery *query, double degrees, Vec3 point)
{
    double d[3] = {(double)point.x - query->at.x, (double)point.y - query->at.y,
                   (double)point.z - query->at.z};
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    double along = d[0] * query->axis.x + d[1] * query->axis.y + d[2] * query->axis.z;
    double radial = 1.0 - length / query->reach;
    if (query->kind == SHAPE_ELLIPSOID) {
        double aside = sqrt(fmax(0.0, length * length - along * along));
        return 1.0 - hypot(along / query->reach, aside / query->across);
    }
    if (query->kind == SHAPE_BALL || length == 0.0) return radial;
    double angle = acos(fmin(1.0, fmax(-1.0, along / length)));
    return fmin(radial, degrees * M_PI / 360.0 - angle);
}

// Every point of a ball is in one of the rows once; room that was reserved is enough.
static void rows_of_a_ball_hold_all_of_its_points(void **state)
{
    (void)state;
    static uint8_t seen[4096];
    for (uint32_t dimensions = 2; dimensions < 4; dimensions++) {
        for (size_t kind = 0; kind < sizeof point_kinds / sizeof *point_kinds; kind++) {
            TestPoints points = make_points(&point_kinds[kind], dimensions);
            PointView view = test_points_view(&points);
            ShapeIndex index = {0};
            uint64_t random = 9, allocations;
            ASSERT_OK(shape_index_reserve(&index, points.count, dimensions));
            allocations = memory_allocation_count();
            ASSERT_OK(shape_index_build(&index, view, dimensions, 0.07f * EXTENT));
            assert_int_equal(memory_allocation_count(), allocations);
            assert_true(points.count <= sizeof seen);
            for (int query = 0; query < 60; query++) {
                Vec3 at = random_pivot(&points, dimensions, &random);
                float radius = index.edge * test_random(&random);
                PlaceRange rows[SHAPE_ROWS_MAX];
                uint32_t count = shape_index_rows(&index, at, radius, rows);
                assert_true(count <= (dimensions == 2 ? 4 : SHAPE_ROWS_MAX));
                memset(seen, 0, points.count);
                for (uint32_t r = 0; r < count; r++) {
                    assert_true(rows[r].begin < rows[r].end && rows[r].end <= points.count);
                    for (uint32_t k = rows[r].begin; k < rows[r].end; k++) seen[index.index[k]]++;
                }
                ShapeQuery ball = shape_ball(at, fmaxf(radius, 1e-6f));
                for (uint32_t k = 0; k < points.count; k++) {
                    bool inside = shape_inside(&ball, points.x[k], points.y[k], points.z[k]);
                    assert_true(seen[k] <= 1 && (seen[k] || !inside || radius < 1e-6f));
                }
            }
            shape_index_free(&index);
            test_points_free(&points);
        }
    }
}

static void a_point_is_inside_where_geometry_says_so(void **state)
{
    (void)state;
    uint64_t random = 11;
    uint32_t inside = 0;
    for (uint32_t k = 0; k < 60000; k++) {
        uint32_t dimensions = 2 + k % 2;
        TestPoints none = {.count = 0};
        ShapeQuery query = random_query(&none, dimensions, &random);
        double degrees = 2.0 * atan2(query.sine, query.cosine) * 180.0 / M_PI;
        Vec3 offset = {gauss(&random), gauss(&random), dimensions == 2 ? 0.0f : gauss(&random)};
        Vec3 point = vec3_add(query.at, vec3_scale(offset, 0.4f * query.reach));
        double depth = depth_inside(&query, degrees, point);
        if (fabs(depth) < 1e-3) continue;
        assert_int_equal(shape_inside(&query, point.x, point.y, point.z), depth > 0.0);
        inside += depth > 0.0;
    }
    assert_true(inside > 5000);
}

static void the_pivot_is_inside_and_a_full_circle_is_the_ball(void **state)
{
    (void)state;
    Vec3 at = {1.0f, 2.0f, 3.0f}, up = {0.0f, 0.0f, 2.0f};
    for (int degrees = 1; degrees <= 360; degrees++) {
        ShapeQuery cone = shape_cone(at, up, 2.0f, (float)degrees);
        assert_true(shape_inside(&cone, at.x, at.y, at.z));
        assert_true(shape_inside(&cone, at.x, at.y, at.z + 2.0f));
        assert_int_equal(shape_inside(&cone, at.x, at.y, at.z - 1.0f), degrees == 360);
        assert_int_equal(shape_inside(&cone, at.x + 1.0f, at.y, at.z + 1e-3f), degrees >= 180);
    }
    assert_int_equal(shape_cone(at, vec3_make(0.0f, 0.0f, 0.0f), 2.0f, 60.0f).kind, SHAPE_BALL);
    for (float degrees = -10.0f; degrees <= 0.0f; degrees += 10.0f) { // its axis alone
        ShapeQuery needle = shape_cone(at, up, 2.0f, degrees);
        assert_true(shape_inside(&needle, at.x, at.y, at.z + 1.0f));
        assert_false(shape_inside(&needle, at.x + 0.002f, at.y, at.z + 1.0f));
    }
}

static void an_axis_of_any_length_is_a_direction_and_none_is_x(void **state)
{
    (void)state;
    const Vec3 axes[] = {{0.0f, 0.0f, 0.0f}, {30.0f, 0.0f, 0.0f}, {1e-3f, 0.0f, 0.0f}},
               at = {1.0f, 2.0f, 3.0f};
    for (int k = 0; k < 3; k++) {
        ShapeQuery query = shape_ellipsoid(at, axes[k], 2.0f, 0.5f);
        assert_true(query.axis.x == 1.0f && query.axis.y == 0.0f && query.axis.z == 0.0f);
        assert_true(shape_inside(&query, at.x - 1.99f, at.y, at.z));
        assert_false(shape_inside(&query, at.x + 2.01f, at.y, at.z));
        assert_true(shape_inside(&query, at.x, at.y + 0.49f, at.z));
        assert_false(shape_inside(&query, at.x, at.y - 0.51f, at.z));
        assert_false(shape_inside(&query, at.x, at.y, at.z + 0.51f));
    }
}

static void a_shape_is_moved_and_turned(void **state)
{
    (void)state;
    Vec3 at = {1.0f, 2.0f, 3.0f}, up = {0.0f, 0.0f, 1.0f}, there = {-4.0f, 0.5f, 2.0f},
         axis = {0.0f, -1.0f, 0.0f};
    ShapeQuery moved[] = {shape_cone(at, up, 2.0f, 50.0f), shape_ellipsoid(at, up, 2.0f, 0.5f)};
    ShapeQuery made[] = {shape_cone(there, axis, 2.0f, 50.0f), shape_ellipsoid(there, axis, 2.0f, 0.5f)};
    for (int k = 0; k < 2; k++) {
        moved[k] = shape_moved(&moved[k], there, axis);
        assert_memory_equal(&moved[k], &made[k], sizeof made[k]);
    }
}

static void the_scan_as_printed_agrees_below_a_straight_angle(void **state)
{
    (void)state;
    TestPoints points = make_points(&point_kinds[0], 2);
    Searches all = make_searches(&points, 2);
    uint64_t random = 8;
    uint32_t queries = 0;
    while (queries < query_count()) {
        ShapeQuery query = random_query(&points, 2, &random);
        if (query.kind != SHAPE_CONE || query.cosine < 0.01f) continue;
        queries++;
        uint32_t found = shape_scan_published(all.places, points.count, &query, all.out);
        memset(all.stamp, 0, points.count * sizeof *all.stamp);
        for (uint32_t k = 0; k < found; k++) all.stamp[all.out[k]] = 1;
        for (uint32_t k = 0; k < points.count; k++) {
            bool inside = shape_inside(&query, points.x[k], points.y[k], 0.0f);
            if (inside == (all.stamp[k] == 1)) continue;
            // On the border, rounding of two formulas may differ.
            Vec3 point = {points.x[k], points.y[k], 0.0f};
            double degrees = 2.0 * atan2(query.sine, query.cosine) * 180.0 / M_PI;
            assert_true(fabs(depth_inside(&query, degrees, point)) < 1e-3 || vec3_equal(point, query.at));
        }
    }
    free_searches(&all);
    test_points_free(&points);
}

static void a_coordinate_that_is_not_finite_is_named(void **state)
{
    (void)state;
    TestPoints points = make_points(&point_kinds[0], 3);
    ShapeIndex index = {0};
    points.y[7] = NAN;
    Result result = shape_index_build(&index, test_points_view(&points), 3, 1.0f);
    assert_int_equal(result.code, RESULT_FAILED);
    assert_non_null(strstr(result.text, "point 7"));
    points.y[7] = 1e30f; // one stray far away costs no memory
    ASSERT_OK(shape_index_build(&index, test_points_view(&points), 3, 1e-3f));
    assert_true(shape_index_bytes(&index) < 400000);
    shape_index_free(&index);
    test_points_free(&points);
}

// --- the adaptive sector ---

static void weights_are_those_of_figure_4(void **state)
{
    (void)state;
    const float weight[] = {0.11f, 0.175f, 0.675f, 0.825f, 1.0f},
                refined[] = {0.330f, 0.471f, 0.881f, 0.942f, 1.0f};
    for (int k = 0; k < 5; k++) assert_true(fabsf(adaptive_sector_refined(weight[k]) - refined[k]) < 6e-4f);
    assert_true(adaptive_sector_refined(0.0f) == 0.0f);
    assert_true(adaptive_sector_refined(1.0f / 27.0f + 1e-6f) < 1e-4f); // continuous
    assert_true(fabsf(adaptive_sector_refined(1.1f / 27.0f) - logf(1.1f) / logf(27.0f)) < 1e-5f);
    assert_true(adaptive_sector_refined(0.9f / 27.0f) == 0.0f);
}

static void fast_particles_look_far_and_narrowly_slow_ones_near_and_all_around(void **state)
{
    (void)state;
    AdaptiveSector sector = adaptive_sector(0.1f, 0.5f, 4.0f);
    Vec3 at = {0.0f, 0.0f, 0.0f};
    ShapeQuery rest = adaptive_sector_query(&sector, at, at);
    assert_int_equal(rest.kind, SHAPE_BALL);
    assert_true(rest.reach == 0.1f);
    float angle = 361.0f, length = 0.0f;
    for (float speed = 0.0f; speed < 12.0f; speed += 0.05f) {
        float weight = adaptive_sector_weight(&sector, speed), next = adaptive_sector_angle(&sector, speed);
        assert_true(weight >= 0.0f && weight <= 1.0f);
        assert_true(next <= angle && next >= 60.0f);
        assert_true(adaptive_sector_length(&sector, speed) >= length);
        angle = next;
        length = adaptive_sector_length(&sector, speed);
    }
    assert_true(fabsf(angle - 60.0f) < 1e-3f && fabsf(length - 0.2f) < 1e-6f);
    assert_true(adaptive_sector_weight(&sector, 0.5f) == 0.0f &&
                adaptive_sector_weight(&sector, 4.0f) == 1.0f);
    ShapeQuery fast = adaptive_sector_query(&sector, at, vec3_make(0.0f, -3.0f, 0.0f));
    assert_int_equal(fast.kind, SHAPE_CONE);
    assert_true(fast.axis.y == -1.0f);
}

// Points in the middles of cells, two in each, but for a row of cells that is empty: which ranges hold what
// lies in a cell and the 26 (8) around it is known.
static void rows_near_a_place_are_those_of_the_cells_around_its_own(void **state)
{
    (void)state;
    enum { X = 5, Y = 4, Z = 3, MOST = 2 * X * Y * Z };
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        float x[MOST], y[MOST], z[MOST];
        int cell[MOST][3];
        uint32_t count = 0;
        for (int k = 0; k < MOST; k++) {
            int at[3] = {k % X, k / X % Y, k / X / Y % Z};
            if ((at[1] == 2 && at[2] == 1) || (dimensions == 2 && at[2] != 0)) continue;
            x[count] = (float)at[0] + 0.5f, y[count] = (float)at[1] + 0.5f;
            z[count] = dimensions == 2 ? 0.0f : (float)at[2] + 0.5f;
            memcpy(cell[count++], at, sizeof at);
        }
        ShapeIndex index = {0};
        ASSERT_OK(shape_index_build(&index, (PointView){x, y, z, count}, dimensions, 1.0f));
        for (uint32_t place = 0; place < 2 * count; place++) {
            PlaceRange rows[SHAPE_ROWS_MAX];
            uint32_t own = place / 2, end = 0, found = 0, last = 0;
            bool behind = place % 2, listed[MOST] = {false};
            const int *here = cell[index.index[own]];
            uint32_t ranges = shape_index_near_rows(&index, own, behind, rows, &end);
            for (uint32_t r = 0; r < ranges; r++) {
                assert_true(rows[r].begin < rows[r].end && rows[r].begin >= last && rows[r].end <= count);
                last = rows[r].end;
                for (uint32_t k = rows[r].begin; k < rows[r].end; k++) listed[index.index[k]] = true, found++;
            }
            for (uint32_t k = 0; k < count; k++) {
                const int *there = cell[k];
                bool near = abs(there[0] - here[0]) <= 1 && abs(there[1] - here[1]) <= 1 &&
                            abs(there[2] - here[2]) <= 1;
                bool before = there[2] < here[2] || (there[2] == here[2] && there[1] < here[1]);
                assert_true(listed[k] == (near && !(behind && before)));
                found -= listed[k];
            }
            assert_int_equal(found, 0); // none twice
            assert_true(end > own && memcmp(cell[index.index[end - 1]], here, sizeof cell[0]) == 0);
            assert_true(end == count || memcmp(cell[index.index[end]], here, sizeof cell[0]) != 0);
        }
        shape_index_free(&index);
    }
}

// On the border of its ball, in the next cell, a point counts; a ball beside all points has no rows, and on a
// plane its height does not matter.
static void rows_of_a_ball_end_at_its_border(void **state)
{
    (void)state;
    float x[3] = {0.5f, 1.5f, 2.5f}, y[3] = {0.5f, 0.5f, 0.5f}, z[3] = {0.0f, 0.0f, 0.0f};
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        PlaceRange rows[SHAPE_ROWS_MAX];
        ShapeIndex index = {0};
        ASSERT_OK(shape_index_build(&index, (PointView){x, y, z, 3}, dimensions, 1.0f));
        assert_int_equal(shape_index_rows(&index, vec3_make(1.0f, 0.5f, 0.0f), 0.5f, rows), 1);
        assert_true(rows[0].begin == 0 && rows[0].end == 2);
        assert_int_equal(shape_index_rows(&index, vec3_make(2.0f, 0.5f, 0.0f), 0.5f, rows), 1);
        assert_true(rows[0].end == 3);
        static const Vec3 beside[] = {
            {-0.2f, 0.5f, 0.0f}, {3.2f, 0.5f, 0.0f}, {1.5f, -0.2f, 0.0f}, {1.5f, 1.2f, 0.0f}};
        for (int k = 0; k < 4; k++) assert_int_equal(shape_index_rows(&index, beside[k], 0.5f, rows), 0);
        uint32_t above = shape_index_rows(&index, vec3_make(1.5f, 0.5f, 5.0f), 0.5f, rows);
        assert_int_equal(above, dimensions == 2 ? 1 : 0);
        shape_index_free(&index);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_search_finds_what_testing_every_point_finds, test_restore_machine),
        cmocka_unit_test(rows_of_a_ball_hold_all_of_its_points),
        cmocka_unit_test(small_balls_far_from_the_grids_corner_lose_nothing),
        cmocka_unit_test(a_point_is_inside_where_geometry_says_so),
        cmocka_unit_test(the_pivot_is_inside_and_a_full_circle_is_the_ball),
        cmocka_unit_test(an_axis_of_any_length_is_a_direction_and_none_is_x),
        cmocka_unit_test(rows_near_a_place_are_those_of_the_cells_around_its_own),
        cmocka_unit_test(rows_of_a_ball_end_at_its_border),
        cmocka_unit_test(a_shape_is_moved_and_turned),
        cmocka_unit_test(the_scan_as_printed_agrees_below_a_straight_angle),
        cmocka_unit_test(a_coordinate_that_is_not_finite_is_named),
        cmocka_unit_test(weights_are_those_of_figure_4),
        cmocka_unit_test(fast_particles_look_far_and_narrowly_slow_ones_near_and_all_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
