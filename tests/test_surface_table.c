#include "surface/marching_cubes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// By the header's numbering: 4 edges along x, at (y, z) = (0, 0), (1, 0), (0, 1), (1, 1), and so on.
static uint32_t near_corner(uint32_t edge)
{
    static const uint8_t corner[MARCHING_EDGES] = {0, 2, 4, 6, 0, 4, 1, 5, 0, 1, 2, 3};
    return corner[edge];
}

static bool inside(uint32_t which, uint32_t corner)
{
    return which >> corner & 1u;
}

static uint32_t far_corner(uint32_t edge)
{
    return near_corner(edge) | 1u << edge / 4;
}

static bool cut(uint32_t which, uint32_t edge)
{
    return inside(which, near_corner(edge)) != inside(which, far_corner(edge));
}

// The face (2 axis + side) that holds both edges, -1 if none does.
static int common_face(uint32_t e, uint32_t f)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (axis == e / 4 || axis == f / 4) continue;
        uint32_t side = near_corner(e) >> axis & 1u;
        if (side == (near_corner(f) >> axis & 1u)) return (int)(2 * axis + side);
    }
    return -1;
}

// uses[a][b]: how many triangles of the case go from edge a's vertex to edge b's.
static void count_uses(const MarchingTable *table, uint32_t which, uint32_t uses[12][12])
{
    memset(uses, 0, 144 * sizeof(uint32_t));
    for (uint32_t t = 0; t < table->count[which]; t++) {
        for (int k = 0; k < 3; k++) uses[table->edge[which][t][k]][table->edge[which][t][(k + 1) % 3]]++;
    }
}

static void vertices_lie_on_all_cut_edges_and_on_no_other(void **state)
{
    (void)state;
    MarchingTable table;
    marching_table_make(&table);
    for (uint32_t which = 0; which < 256; which++) {
        bool used[12] = {false};
        for (uint32_t t = 0; t < table.count[which]; t++) {
            const uint8_t *edge = table.edge[which][t];
            assert_true(edge[0] != edge[1] && edge[1] != edge[2] && edge[2] != edge[0]);
            for (int k = 0; k < 3; k++) used[edge[k]] = true;
        }
        for (uint32_t edge = 0; edge < 12; edge++) assert_int_equal(used[edge], cut(which, edge));
    }
}

// Inside the cell every side of a triangle belongs to two, on its faces to one; a cut edge has one outline on
// each of its two faces.
static void every_case_is_a_surface_whose_outline_lies_on_the_faces(void **state)
{
    (void)state;
    MarchingTable table;
    marching_table_make(&table);
    for (uint32_t which = 0; which < 256; which++) {
        uint32_t uses[12][12], outlines[12] = {0};
        count_uses(&table, which, uses);
        for (uint32_t a = 0; a < 12; a++) {
            for (uint32_t b = 0; b < 12; b++) {
                assert_true(uses[a][b] <= 1);
                if (!uses[a][b]) continue;
                assert_int_equal(uses[b][a], common_face(a, b) < 0);
                if (!uses[b][a]) outlines[a]++, outlines[b]++;
            }
        }
        for (uint32_t edge = 0; edge < 12; edge++) assert_int_equal(outlines[edge], cut(which, edge) ? 2 : 0);
    }
}

// All pairs of cells that agree on the four corners between them: what one draws there, the other draws in
// the opposite direction.
static void neighboring_cells_draw_the_same_outline_on_their_common_face(void **state)
{
    (void)state;
    MarchingTable table;
    marching_table_make(&table);
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t bit = 1u << axis;
        for (uint32_t low = 0; low < 256; low++) {
            uint32_t low_uses[12][12];
            count_uses(&table, low, low_uses);
            for (uint32_t high = 0; high < 256; high++) {
                bool agree = true;
                for (uint32_t c = 0; c < 8; c++) {
                    if (!(c & bit)) agree &= inside(low, c | bit) == inside(high, c);
                }
                if (!agree) continue;
                uint32_t high_uses[12][12];
                count_uses(&table, high, high_uses);
                for (uint32_t e = 0; e < 144; e++) {
                    uint32_t a = e / 12, b = e % 12;
                    if (common_face(a, b) != (int)(2 * axis + 1)) continue;
                    // The same edges, seen from the cell above.
                    uint32_t step_a = 0, step_b = 0;
                    while (near_corner(step_a) != (near_corner(a) ^ bit) || step_a / 4 != a / 4) step_a++;
                    while (near_corner(step_b) != (near_corner(b) ^ bit) || step_b / 4 != b / 4) step_b++;
                    assert_int_equal(low_uses[a][b], high_uses[step_b][step_a]);
                }
            }
        }
    }
}

// Summed over a case, normals agree with the directions from inside to outside along the edges they stand on.
static void triangles_face_away_from_the_inside_corners(void **state)
{
    (void)state;
    MarchingTable table;
    marching_table_make(&table);
    for (uint32_t which = 1; which < 255; which++) {
        double outward = 0;
        for (uint32_t t = 0; t < table.count[which]; t++) {
            double v[3][3], normal[3], uphill[3] = {0, 0, 0};
            for (int k = 0; k < 3; k++) {
                uint32_t edge = table.edge[which][t][k], corner = near_corner(edge);
                for (uint32_t a = 0; a < 3; a++) v[k][a] = (corner >> a & 1u) + (edge / 4 == a ? 0.5 : 0);
                uphill[edge / 4] += inside(which, corner) ? 1 : -1;
            }
            for (int a = 0; a < 3; a++) {
                int b = (a + 1) % 3, c = (a + 2) % 3;
                normal[a] =
                    (v[1][b] - v[0][b]) * (v[2][c] - v[0][c]) - (v[1][c] - v[0][c]) * (v[2][b] - v[0][b]);
                outward += normal[a] * uphill[a];
            }
        }
        assert_true(outward > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_lie_on_all_cut_edges_and_on_no_other),
        cmocka_unit_test(every_case_is_a_surface_whose_outline_lies_on_the_faces),
        cmocka_unit_test(neighboring_cells_draw_the_same_outline_on_their_common_face),
        cmocka_unit_test(triangles_face_away_from_the_inside_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
