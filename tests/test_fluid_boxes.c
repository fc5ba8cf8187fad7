// The boxes of cells that processes divide a grid into.
#include "fluid/grid_share.h"
#include "fluid_helpers.h"

#include <string.h>

// Boxes begin at multiples of as many cells where one level is divided.
#define UNIT GRID_SHARE_BRICK

static GridShare divided(const Links *links, const uint32_t n[3])
{
    GridShare share = {0};
    assert_true(grid_share_divide(&share, links, n, n[0] * n[1] * n[2]));
    return share;
}

// Of the largest of so many boxes along each axis: its cells, and those that lie beyond a side of it along
// each axis that is cut.
static void measure(const uint32_t n[3], const uint32_t parts[3], uint32_t *cells, uint32_t *beside)
{
    uint32_t edge[3];
    for (int a = 0; a < 3; a++) edge[a] = ((n[a] + UNIT - 1) / UNIT + parts[a] - 1) / parts[a] * UNIT;
    *cells = edge[0] * edge[1] * edge[2], *beside = 0;
    for (int a = 0; a < 3; a++)
        if (parts[a] > 1) *beside += edge[(a + 1) % 3] * edge[(a + 2) % 3];
}

// No other boxes have both fewer cells, or as many, and less beside them, or as much.
static void assert_no_better(const uint32_t n[3], uint32_t ranks)
{
    const Links links = {.ranks = ranks};
    GridShare share = divided(&links, n);
    uint32_t cells, beside, parts[3];
    measure(n, share.parts, &cells, &beside);
    assert_true(share.parts[0] * share.parts[1] * share.parts[2] <= ranks);
    for (parts[2] = 1; parts[2] <= ranks; parts[2]++)
        for (parts[1] = 1; parts[1] * parts[2] <= ranks; parts[1]++)
            for (parts[0] = 1; parts[0] * parts[1] * parts[2] <= ranks; parts[0]++) {
                uint32_t others, aside;
                measure(n, parts, &others, &aside);
                if (others <= cells && aside <= beside && (others < cells || aside < beside))
                    fail_msg("%u x %u x %u cells on %u ranks: %u x %u x %u boxes, %u x %u x %u are better",
                             n[0], n[1], n[2], ranks, share.parts[0], share.parts[1], share.parts[2],
                             parts[0], parts[1], parts[2]);
            }
    grid_share_free(&share);
}

static void no_boxes_are_smaller_with_less_beside_them(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int k = 0; k < 300; k++) {
        uint32_t n[3];
        for (int a = 0; a < 3; a++) n[a] = 1 + (uint32_t)(60 * fluid_test_random(&seed));
        assert_no_better(n, 2 + (uint32_t)(40 * fluid_test_random(&seed)));
    }
}

// What is sent weighs little beside what is computed: three fifths of a grid are more work than a half,
// though less lies beside them.
static void fewer_cells_count_more_than_less_beside_them(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        const Links links = {.ranks = 2};
        uint32_t n[3];
        n[axis] = 5 * UNIT, n[(axis + 1) % 3] = 4 * UNIT, n[(axis + 2) % 3] = UNIT;
        GridShare share = divided(&links, n);
        assert_int_equal(share.parts[(axis + 1) % 3], 2);
        grid_share_free(&share);
    }
}

// All cells of a level belong to one rank each; ranks that are too many have none.
static void boxes_fill_the_grid(void **state)
{
    (void)state;
    enum { X = 37, Y = 22, Z = 13 };
    const uint32_t n[3] = {X, Y, Z};
    for (uint32_t ranks = 2; ranks <= 16; ranks++) {
        static uint8_t owners[Z + 2][Y + 2][X + 2];
        const Links links = {.ranks = ranks};
        GridShare share = {0};
        assert_true(grid_share_divide(&share, &links, n, X * Y * Z / 8));
        assert_int_equal(share.levels, 2);
        for (uint32_t level = 0; level <= share.levels; level++) {
            uint32_t left = 1;
            memset(owners, 0, sizeof owners);
            for (uint32_t r = 0; r < ranks; r++) {
                CellBox box = grid_share_box(&share, r, level);
                bool idle = r >= share.parts[0] * share.parts[1] * share.parts[2];
                for (int a = 0; a < 3; a++)
                    assert_true(idle ? box.lo[a] == box.hi[a] : box.lo[a] < box.hi[a]);
                for (uint32_t z = box.lo[2]; z < box.hi[2]; z++)
                    for (uint32_t y = box.lo[1]; y < box.hi[1]; y++)
                        for (uint32_t x = box.lo[0]; x < box.hi[0]; x++) owners[z][y][x]++;
            }
            for (int a = 0; a < 3; a++) left *= (n[a] + (1u << level) - 1) >> level;
            for (uint32_t z = 0; z < Z + 2; z++)
                for (uint32_t y = 0; y < Y + 2; y++)
                    for (uint32_t x = 0; x < X + 2; x++) {
                        assert_true(owners[z][y][x] <= 1);
                        bool inside = x >= 1 && y >= 1 && z >= 1;
                        assert_true(inside || !owners[z][y][x]);
                        left -= owners[z][y][x];
                    }
            assert_int_equal(left, 0);
        }
        grid_share_free(&share);
    }
}

// As far as it may write to, and none further.
static void assert_near(const uint32_t n[3], uint32_t rank, uint32_t ranks)
{
    const Links links = {.rank = rank, .ranks = ranks};
    GridShare share = divided(&links, n);
    CellBox own = grid_share_box(&share, rank, 0);
    uint32_t found = 0;
    for (uint32_t r = 0; r < ranks; r++) {
        CellBox other = grid_share_box(&share, r, 0);
        bool near = r != rank && own.hi[0] > own.lo[0] && other.hi[0] > other.lo[0];
        for (int a = 0; a < 3; a++)
            near &= other.lo[a] < own.hi[a] + GRID_SHARE_REACH && own.lo[a] < other.hi[a] + GRID_SHARE_REACH;
        if (!near) continue;
        assert_true(found < share.nears);
        assert_int_equal(share.near[found++], r);
    }
    assert_int_equal(share.nears, found);
    grid_share_free(&share);
}

static void a_rank_knows_those_that_it_reaches(void **state)
{
    (void)state;
    const uint32_t wide[3] = {61, 42, 17}, small[3] = {UNIT + 1, UNIT + 1, UNIT + 1}; // one box of one cell
    for (uint32_t rank = 0; rank < 30; rank++) assert_near(wide, rank, 30);
    for (uint32_t rank = 0; rank < 8; rank++) assert_near(small, rank, 8);
}

static void grids_are_divided_down_to_levels_that_are_small(void **state)
{
    (void)state;
    const Links one = {.ranks = 1}, two = {.ranks = 2};
    const uint32_t n[3] = {32, 48, 16}, cells = 32 * 48 * 16;
    GridShare share = {0};
    assert_false(grid_share_divide(&share, &one, n, 1));
    assert_false(grid_share_divide(&share, &two, n, cells + 1));
    for (uint32_t level = 0; level < 3; level++) {
        GridShare other = {0};
        assert_true(grid_share_divide(&other, &two, n, cells >> 3 * level));
        assert_int_equal(other.levels, level + 1);
        grid_share_free(&other);
    }
}

// A grid of another size is divided anew, one of the same size is not.
static void a_grid_is_divided_once_for_its_size(void **state)
{
    (void)state;
    const uint32_t sizes[][3] = {{64, 16, 16}, {16, 64, 16}, {16, 16, 64}, {16, 16, 64}, {64, 16, 16}};
    const Links links[] = {{.ranks = 7}, {.ranks = 3}};
    GridShare share = {0};
    for (int k = 0; k < 10; k++) {
        const uint32_t *n = sizes[k % 5];
        GridShare fresh = divided(&links[k / 5], n);
        if (k % 5 == 3) share.parts[0]++; // nobody looks at it again
        assert_true(grid_share_divide(&share, &links[k / 5], n, n[0] * n[1] * n[2]));
        if (k % 5 == 3) share.parts[0]--;
        assert_memory_equal(share.parts, fresh.parts, sizeof share.parts);
        assert_int_equal(share.nears, fresh.nears);
        assert_memory_equal(share.near, fresh.near, share.nears * sizeof *share.near);
        grid_share_free(&fresh);
    }
    grid_share_free(&share);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_boxes_are_smaller_with_less_beside_them),
        cmocka_unit_test(fewer_cells_count_more_than_less_beside_them),
        cmocka_unit_test(boxes_fill_the_grid),
        cmocka_unit_test(a_rank_knows_those_that_it_reaches),
        cmocka_unit_test(grids_are_divided_down_to_levels_that_are_small),
        cmocka_unit_test(a_grid_is_divided_once_for_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
