#include "neighbor/reference/octree_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// Ryu 2013, Table A-1, as printed.
static const int printed_pos[OCTREE_TABLE] = {
    7, 6, 5, 4, 3, 2, 1, 0, 3, 2, 1, 0, 7, 6, 5, 4, 7, 6, 5, 4, 3, 2, 1, 0, 5, 4, 7, 6, 1, 0, 3, 2, 1, 0, 3,
    2, 5, 4, 7, 6, 5, 4, 7, 6, 1, 0, 3, 2, 7, 6, 5, 4, 3, 2, 1, 0, 3, 2, 1, 0, 7, 6, 5, 4, 7, 6, 5, 4, 3, 2,
    1, 0, 6, 7, 4, 5, 2, 3, 0, 1, 2, 3, 0, 1, 6, 7, 4, 5, 6, 7, 4, 5, 2, 3, 0, 1, 4, 5, 6, 7, 0, 1, 2, 3, 4,
    5, 6, 7, 0, 1, 2, 3, 6, 7, 4, 5, 2, 3, 0, 1, 2, 3, 0, 1, 6, 7, 4, 5, 6, 7, 4, 5, 2, 3, 0, 1, 7, 6, 5, 4,
    3, 2, 1, 0, 3, 2, 1, 0, 7, 6, 5, 4, 7, 6, 5, 4, 3, 2, 1, 0, 5, 4, 7, 6, 1, 0, 3, 2, 1, 0, 3, 2, 5, 4, 7,
    6, 5, 4, 7, 6, 1, 0, 3, 2, 7, 6, 5, 4, 3, 2, 1, 0, 3, 2, 1, 0, 7, 6, 5, 4, 7, 6, 5, 4, 3, 2, 1, 0,
};
static const int printed_upper[OCTREE_TABLE] = {
    0,   72,  24,  96,  8,   80,  32,  -1,  8,   80,  32,  -1,  8,   80,  32,  -1,  8,   80,  32,  -1,  16,
    88,  40,  104, 24,  96,  24,  96,  32,  -1,  32,  -1,  32,  -1,  32,  -1,  32,  -1,  32,  -1,  32,  -1,
    32,  -1,  40,  104, 40,  104, 24,  96,  48,  112, 32,  -1,  56,  120, 32,  -1,  56,  120, 32,  -1,  56,
    120, 32,  -1,  56,  120, 40,  104, 64,  128, 72,  72,  96,  96,  80,  80,  -1,  -1,  80,  80,  -1,  -1,
    80,  80,  -1,  -1,  80,  80,  -1,  -1,  88,  88,  104, 104, 96,  96,  96,  96,  -1,  -1,  -1,  -1,  -1,
    -1,  -1,  -1,  104, 104, 104, 104, 96,  96,  112, 112, -1,  -1,  120, 120, -1,  -1,  120, 120, -1,  -1,
    120, 120, -1,  -1,  120, 120, 104, 104, 128, 128, 72,  136, 96,  160, 80,  144, -1,  168, 80,  144, -1,
    168, 80,  144, -1,  168, 80,  144, -1,  168, 88,  152, 104, 176, 96,  160, 96,  160, -1,  168, -1,  168,
    -1,  168, -1,  168, -1,  168, -1,  168, -1,  168, -1,  168, 104, 176, 104, 176, 96,  160, 112, 184, -1,
    168, 120, 192, -1,  168, 120, 192, -1,  168, 120, 192, -1,  168, 120, 192, 104, 176, 128, 200,
};

static void the_tables_are_those_that_the_paper_prints(void **state)
{
    (void)state;
    OctreeTables tables;
    octree_tables_make(&tables);
    for (int k = 0; k < OCTREE_TABLE; k++) {
        assert_int_equal(tables.pos[k], printed_pos[k]);
        assert_int_equal(tables.upper[k], printed_upper[k]);
    }
}

// Climbs through the tables only, with the places of a cell in a cube of 2^levels cells; false outside the
// cube.
static int neighbor_by_tables(const OctreeTables *tables, int direction, const int cell[3], int levels,
                              int found[3])
{
    int p = 8 * direction, level = 0, inside = 0;
    for (int axis = 0; axis < 3; axis++) found[axis] = cell[axis];
    for (; level < levels && !inside; level++) {
        int place = (cell[0] >> level & 1) | (cell[1] >> level & 1) << 1 | (cell[2] >> level & 1) << 2;
        for (int axis = 0; axis < 3; axis++)
            found[axis] = (found[axis] & ~(1 << level)) | (tables->pos[p + place] >> axis & 1) << level;
        p = tables->upper[p + place];
        inside = p < 0;
    }
    return inside;
}

static void the_tables_lead_to_the_cell_next_to_every_cell_in_every_direction(void **state)
{
    (void)state;
    enum { LEVELS = 3, SIDE = 1 << LEVELS };
    OctreeTables tables;
    octree_tables_make(&tables);
    for (int code = 0; code < SIDE * SIDE * SIDE; code++) {
        const int cell[3] = {code % SIDE, code / SIDE % SIDE, code / SIDE / SIDE};
        for (int direction = 0; direction < OCTREE_DIRECTIONS; direction++) {
            int found[3], expected = 1;
            for (int axis = 0; axis < 3; axis++) {
                int to = cell[axis] + tables.step[direction][axis];
                expected &= to >= 0 && to < SIDE;
            }
            assert_int_equal(neighbor_by_tables(&tables, direction, cell, LEVELS, found), expected);
            for (int axis = 0; expected && axis < 3; axis++)
                assert_int_equal(found[axis], cell[axis] + tables.step[direction][axis]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables_are_those_that_the_paper_prints),
        cmocka_unit_test(the_tables_lead_to_the_cell_next_to_every_cell_in_every_direction),
    };
    return cmocka_run_group_tests_name("neighbor_octree", tests, NULL, NULL);
}
