#include "neighbor_helpers.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

float test_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(*state >> 40) / 16777216.0f;
}

TestPoints test_points_allocate(const char *name, uint32_t count, float radius)
{
    TestPoints points = {.name = name, .count = count, .radius = radius};
    points.x = memory_allocate(count * sizeof(float));
    points.y = memory_allocate(count * sizeof(float));
    points.z = memory_allocate(count * sizeof(float));
    assert_non_null(points.x);
    assert_non_null(points.y);
    assert_non_null(points.z);
    return points;
}

void test_points_free(TestPoints *points)
{
    memory_free(points->x);
    memory_free(points->y);
    memory_free(points->z);
}

PointView test_points_view(const TestPoints *points)
{
    return (PointView){points->x, points->y, points->z, points->count};
}

NeighborSearch *test_search_make(const char *method, const TestPoints *points)
{
    NeighborSearch *search;
    Result result = neighbor_search_create(method, points->radius, &search);
    if (!result_is_ok(&result)) fail_msg("%s on %s: %s", method, points->name, result.text);
    return search;
}

NeighborLists test_search_run(NeighborSearch *search, const TestPoints *points, NeighborStats *stats)
{
    NeighborLists lists;
    Result result = neighbor_search_run(search, test_points_view(points), &lists, stats);
    if (!result_is_ok(&result)) fail_msg("%s: %s", points->name, result.text);
    return lists;
}

int test_restore_machine(void **state)
{
    (void)state;
    cpu_set_level(CPU_AVX512);
    parallel_set_workers(0);
    return 0;
}

// A point of the cube between 0 and 1. One draw after another: arguments are evaluated in any order.
static void draw_place(uint64_t *random, float out[3])
{
    for (int axis = 0; axis < 3; axis++) out[axis] = test_random(random);
}

static void put(TestPoints *points, uint32_t i, float x, float y, float z)
{
    points->x[i] = x;
    points->y[i] = y;
    points->z[i] = z;
}

// side^3 points in memory order x, y, z; jitter in spacings.
static TestPoints lattice(const char *name, uint32_t side, float spacing, float radius, float jitter)
{
    TestPoints points = test_points_allocate(name, side * side * side, radius);
    uint64_t random = 7;
    uint32_t i = 0;
    for (uint32_t z = 0; z < side; z++) {
        for (uint32_t y = 0; y < side; y++) {
            for (uint32_t x = 0; x < side; x++, i++) {
                float dx = jitter * test_random(&random), dy = jitter * test_random(&random);
                put(&points, i, spacing * ((float)x + dx), spacing * ((float)y + dy),
                    spacing * ((float)z + jitter * test_random(&random)));
            }
        }
    }
    return points;
}

TestPoints test_points_cube(uint32_t side, float spacing, float radius)
{
    return lattice("a cube of water", side, spacing, radius, 0.2f);
}

static TestPoints random_box(const char *name, uint32_t count, float side, float radius,
                             const float corner[3])
{
    TestPoints points = test_points_allocate(name, count, radius);
    uint64_t random = 11;
    for (uint32_t i = 0; i < count; i++) {
        float at[3];
        draw_place(&random, at);
        put(&points, i, corner[0] + side * at[0], corner[1] + side * at[1], corner[2] + side * at[2]);
    }
    return points;
}

TestPoints test_points_heaps(uint32_t count, uint32_t each)
{
    TestPoints points = test_points_allocate("heaps of equal points", count, 0.1f);
    uint64_t random = 5;
    float place[3] = {0.3f, -0.2f, 0.7f};
    for (uint32_t i = 0; i < count; i++) {
        for (int axis = 0; i > 0 && i % each == 0 && axis < 3; axis++)
            place[axis] = 20.0f * test_random(&random);
        put(&points, i, place[0], place[1], place[2]);
    }
    return points;
}

static TestPoints line(void)
{
    TestPoints points = test_points_allocate("a line", 700, 0.25f);
    for (uint32_t i = 0; i < points.count; i++)
        put(&points, i, 0.1f * (float)(i * 37 % 700) - 30.0f, 2.0f, -1.0f);
    return points;
}

static TestPoints clustered(void)
{
    TestPoints points = test_points_allocate("clusters", 900, 0.05f);
    uint64_t random = 3;
    float center[3] = {0};
    for (uint32_t i = 0; i < points.count; i++) {
        for (int axis = 0; i % 90 == 0 && axis < 3; axis++)
            center[axis] = 40.0f * (test_random(&random) - 0.5f);
        float spread = i % 3 ? 0.1f : 0.01f, at[3];
        draw_place(&random, at);
        put(&points, i, center[0] + spread * at[0], center[1] + spread * at[1], center[2] + spread * at[2]);
    }
    return points;
}

static TestPoints with_strays(float distance)
{
    TestPoints points = lattice("a lattice and strays", 9, 0.1f, 0.25f, 0.5f);
    put(&points, 300, distance, 0.0f, 0.0f);
    put(&points, 301, -0.5f * distance, distance, -distance);
    put(&points, 302, -0.5f * distance, distance, -distance);
    return points;
}

TestPoints test_points_make(uint32_t k)
{
    const float zero[3] = {0, 0, 0}, far_away[3] = {1e5f, -1e5f, 9.9e4f}, negative[3] = {-0.7f, -3.3f, -1.1f};
    switch (k) {
    case 0:
        return test_points_allocate("no point", 0, 1.0f);
    case 1:
        return random_box("one point", 1, 1.0f, 0.5f, zero);
    case 2:
        return random_box("two points apart", 2, 9.0f, 0.5f, zero);
    case 3:
        return random_box("two points together", 2, 0.1f, 0.5f, zero);
    case 4:
        return lattice("a lattice with the radius at a lattice distance", 10, 0.1f, 0.2f, 0.0f);
    case 5:
        return lattice("a lattice with the radius at its spacing", 9, 1.0f, 1.0f, 0.0f);
    case 6:
        return lattice("a lattice of odd spacing", 9, 0.1f / 3.0f, 0.1f, 0.0f);
    case 7:
        return test_points_heaps(300, 300);
    case 8:
        return test_points_heaps(600, 30);
    case 9:
        return line();
    case 10:
        return random_box("sparse points", 800, 2000.0f, 1.0f, negative);
    case 11:
        return clustered();
    case 12:
        return random_box("random points", 1000, 1.0f, 0.15f, negative);
    case 13:
        return random_box("points far from the origin", 900, 1.0f, 0.1f, far_away);
    case 14:
        return with_strays(2.5e5f);
    default:
        return with_strays(1e30f);
    }
}

TestRows test_rows_make(const TestPoints *points)
{
    TestRows found = {.rows = calloc((size_t)points->count + 1, sizeof(uint64_t))};
    size_t capacity = 1024, used = 0;
    found.index = malloc(capacity * sizeof(uint32_t));
    float limit = points->radius * points->radius;
    for (uint32_t i = 0; i < points->count; i++) {
        found.rows[i] = used;
        for (uint32_t j = 0; j < points->count; j++) {
            // volatile: rounded to float after every operation, whatever the compiler would like.
            volatile float dx = points->x[i] - points->x[j], dy = points->y[i] - points->y[j];
            volatile float dz = points->z[i] - points->z[j];
            volatile float xx = dx * dx, yy = dy * dy, zz = dz * dz;
            volatile float sum = xx + yy;
            sum = sum + zz;
            if (i == j || !(sum <= limit)) continue;
            if (used == capacity) found.index = realloc(found.index, (capacity *= 2) * sizeof(uint32_t));
            found.index[used++] = j;
        }
    }
    found.rows[points->count] = used;
    return found;
}

void test_rows_free(TestRows *rows)
{
    free(rows->rows);
    free(rows->index);
}

static int compare_indices(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// neighbor.h's order of a row: by cells, z first, then by index. Far out, where cells are shared, anything
// goes.
static bool in_order(const TestPoints *points, uint32_t a, uint32_t b)
{
    const float *streams[3] = {points->z, points->y, points->x};
    for (int axis = 0; axis < 3; axis++) {
        double cell_a = floor((double)streams[axis][a] / (double)(points->radius * 1.0001f));
        double cell_b = floor((double)streams[axis][b] / (double)(points->radius * 1.0001f));
        if (fmax(fabs(cell_a), fabs(cell_b)) > 1048575.0) return true;
        if (cell_a != cell_b) return cell_a < cell_b;
    }
    return a < b;
}

static void compare_row(const TestPoints *points, const TestRows *expected, const NeighborLists *lists,
                        uint32_t i, const char *method)
{
    const uint32_t *row = lists->index + lists->begin[i], *truth = expected->index + expected->rows[i];
    uint64_t count = expected->rows[i + 1] - expected->rows[i];
    bool equal = lists->count[i] == count, ordered = true;
    uint32_t *sorted = malloc(count * sizeof *sorted + 1);
    for (uint64_t k = 0; equal && k < count; k++) {
        sorted[k] = row[k];
        ordered &= k == 0 || in_order(points, row[k - 1], row[k]);
    }
    if (equal) qsort(sorted, count, sizeof *sorted, compare_indices);
    for (uint64_t k = 0; equal && k < count; k++) equal = sorted[k] == truth[k];
    free(sorted);
    if (!equal)
        fail_msg("%s on %s: row %u has %u neighbors and not the expected %llu, or others", method,
                 points->name, i, lists->count[i], (unsigned long long)count);
    if (!ordered) fail_msg("%s on %s: row %u is out of order", method, points->name, i);
}

void test_lists_compare(const TestPoints *points, const TestRows *expected, const NeighborLists *lists,
                        const char *method)
{
    assert_int_equal(lists->rows, points->count);
    for (uint32_t i = 0; i < lists->rows; i++) compare_row(points, expected, lists, i, method);
}

void test_rows_compare(const TestPoints *points, const TestRows *expected, const char *method)
{
    NeighborSearch *search = test_search_make(method, points);
    NeighborStats stats;
    NeighborLists lists = test_search_run(search, points, &stats);
    test_lists_compare(points, expected, &lists, method);
    assert_int_equal(stats.neighbors, expected->rows[points->count]);
    assert_true(stats.candidates >= stats.neighbors);
    neighbor_search_destroy(search);
}
