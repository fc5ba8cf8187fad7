// Point sets with a name, and a search that shares no code with the program's.
#ifndef PBF_TESTS_NEIGHBOR_HELPERS_H
#define PBF_TESTS_NEIGHBOR_HELPERS_H

#include "neighbor/neighbor.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct TestPoints {
    const char *name;
    float *x, *y, *z;
    uint32_t count;
    float radius;
} TestPoints;

#define TEST_SHAPES 16u

// Shape k, 0 .. TEST_SHAPES-1. Free with test_points_free.
TestPoints test_points_make(uint32_t k);

// `count` points at the same place, every `each` of them a new random one.
TestPoints test_points_heaps(uint32_t count, uint32_t each);

// side^3 points of water, a fifth of a spacing off their lattice.
TestPoints test_points_cube(uint32_t side, float spacing, float radius);

TestPoints test_points_allocate(const char *name, uint32_t count, float radius);
void test_points_free(TestPoints *points);
PointView test_points_view(const TestPoints *points);

// A search of that method with the points' radius, and its rows; fail the test on an error.
NeighborSearch *test_search_make(const char *method, const TestPoints *points);
NeighborLists test_search_run(NeighborSearch *search, const TestPoints *points, NeighborStats *stats);

// A cmocka tear-down: the machine's own instruction set and number of threads.
int test_restore_machine(void **state);

// The same generator on every machine: uniform in [0, 1).
float test_random(uint64_t *state);

// All rows of points, found by testing every pair; rows[i] is row i's start in `index`, rows[count] the end.
typedef struct TestRows {
    uint64_t *rows;
    uint32_t *index;
} TestRows;

TestRows test_rows_make(const TestPoints *points);
void test_rows_free(TestRows *rows);

// Fails the test unless the lists that `method` gave are exactly these rows, in order.
void test_lists_compare(const TestPoints *points, const TestRows *expected, const NeighborLists *lists,
                        const char *method);

// Runs `method` on the points and fails the test unless it gives exactly these rows.
void test_rows_compare(const TestPoints *points, const TestRows *expected, const char *method);

#endif
