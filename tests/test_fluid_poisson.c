// Poisson's equation on the cells of the pressure grid against a plain solution in double precision.
#include "core/parallel.h"
#include "fluid/exact_sum.h"
#include "fluid/grid_share.h"
#include "fluid/poisson.h"
#include "fluid_helpers.h"
#include "thread_links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double diagonal(const PoissonLevel *level, size_t k)
{
    double sum = (double)level->air[k];
    for (int a = 0; a < 3; a++)
        sum += (double)level->face[a][k] + (double)level->face[a][k + level->stride[a]];
    return sum;
}

static double beside(const PoissonLevel *level, const double *x, size_t k)
{
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        size_t s = level->stride[a];
        sum += (double)level->face[a][k] * x[k - s] + (double)level->face[a][k + s] * x[k + s];
    }
    return sum;
}

static void poisson_is_solved(void **state)
{
    (void)state;
    static const uint32_t sizes[][3] = {{1, 1, 1}, {7, 1, 4}, {9, 12, 10}, {17, 16, 31}, {2, 3, 40}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        Poisson poisson = {0};
        fluid_random_equation(&poisson, sizes[s], true, 7 + s);
        PoissonLevel *level = &poisson.level[0];
        double *x = calloc(level->cells, sizeof *x);
        float *b = malloc(level->cells * sizeof *b);
        assert_true(x && b);
        memcpy(b, level->b, level->cells * sizeof *b);
        for (int sweep = 0; sweep < 20000; sweep++) {
            for (uint32_t row = 0; row < sizes[s][1] * sizes[s][2]; row++) {
                for (uint32_t i = 0; i < sizes[s][0]; i++) {
                    size_t k = poisson_row(level, row) + i;
                    double sum = diagonal(level, k);
                    if (sum > 0.0) x[k] += 1.6 * (((double)b[k] + beside(level, x, k)) / sum - x[k]);
                }
            }
        }
        // Two rounds leave little, ten next to nothing. Cells that no path leads to air have no solution.
        double errors[2];
        for (int k = 0; k < 2; k++) {
            double worst = 0.0, largest = 0.0;
            memcpy(level->b, b, level->cells * sizeof *b);
            poisson_solve(&poisson, 0.0, k ? 10 : 2);
            for (size_t c = 0; c < level->cells; c++) {
                double sum = level->inverse[c] > 0.0f ? diagonal(level, c) : 0.0;
                if (sum <= 0.0 || fabs(x[c]) > 1e3) continue;
                worst = fmax(worst, fabs(x[c] - (double)poisson.phi[c]));
                largest = fmax(largest, fabs(x[c]));
            }
            errors[k] = largest > 0.0 ? worst / largest : 0.0;
        }
        print_message("%u x %u x %u: error %.1e after 2 rounds, %.1e after 10\n", sizes[s][0], sizes[s][1],
                      sizes[s][2], errors[0], errors[1]);
        assert_true(errors[0] < 0.2 && errors[1] < 2e-4);
        free(x);
        free(b);
        poisson_free(&poisson);
    }
}

static void a_full_box_is_solved_without_its_mean(void **state)
{
    (void)state;
    const uint32_t n[3] = {12, 10, 8};
    Poisson poisson = {0};
    fluid_random_equation(&poisson, n, false, 3);
    poisson_solve(&poisson, 0.0, 3);
    for (size_t k = 0; k < poisson.level[0].cells; k++) assert_true(fabsf(poisson.phi[k]) < 100.0f);
    poisson_free(&poisson);
}

static void poisson_has_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    const uint32_t n[3] = {40, 37, 29}, workers[] = {1, 2, 3, 7};
    float *first = NULL;
    for (int k = 0; k < 4; k++) {
        parallel_set_workers(workers[k]);
        Poisson poisson = {0};
        fluid_random_equation(&poisson, n, true, 5);
        poisson_solve(&poisson, 0.0, 3);
        size_t bytes = poisson.level[0].cells * sizeof *first;
        if (!first) {
            first = malloc(bytes);
            assert_non_null(first);
            memcpy(first, poisson.phi, bytes);
        }
        assert_memory_equal(first, poisson.phi, bytes);
        poisson_free(&poisson);
    }
    free(first);
    parallel_set_workers(0);
}

// Whatever the order and the parts, and where large numbers cancel.
static void sums_are_exact(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static double number[COUNT];
    uint64_t seed = 1;
    for (int k = 0; k < COUNT; k += 3) {
        double size = ldexp(1.0, (int)(fluid_test_random(&seed) * 120) - 80);
        number[k] = (fluid_test_random(&seed) - 0.5) * size;
        number[k + 1] = ldexp(1.0 + fluid_test_random(&seed), 90);
        number[k + 2] = -number[k + 1];
    }
    ExactSum forth = {0}, back = {0}, part = {0}, small = {0};
    for (int k = 0; k < COUNT; k++) {
        exact_sum_add(&forth, number[k]);
        exact_sum_add(k % 2 ? &back : &part, number[COUNT - 1 - k]);
        if (k % 3 == 0) exact_sum_add(&small, number[k]);
    }
    exact_sum_join(&back, &part);
    double all = exact_sum_total(&forth);
    assert_true(all != 0.0 && all == exact_sum_total(&back) && all == exact_sum_total(&small));
    ExactSum one = {0}, none = {0};
    exact_sum_add(&one, -0.7);
    assert_true(exact_sum_total(&one) == -0.7 && exact_sum_total(&none) == 0.0);
}

// --- divided ---

static float number_of(const uint32_t at[3])
{
    return (float)(at[0] + 100 * at[1] + 10000 * at[2]);
}

// Cells of a color have an odd or even sum of their numbers.
static bool has_color(const uint32_t at[3], GridBorder border)
{
    return border >= GRID_FACES || (at[0] + at[1] + at[2] + 1 + border) % 2 == 0;
}

// Every cell beyond own ones, once by each kind of border: what comes is what its owner has, and nothing else
// is touched.
static void check_borders(const Links *links, void *context)
{
    const uint32_t *n = context;
    GridShare share = {0};
    PoissonLevel level = {.n = {n[0], n[1], n[2]}, .stride = {1, n[0] + 2, (n[0] + 2) * (n[1] + 2)}};
    size_t cells = level.stride[2] * (n[2] + 2);
    float *field = malloc(cells * sizeof *field);
    assert_true(grid_share_divide(&share, links, n, n[0] * n[1] * n[2] / 4));
    CellBox own = grid_share_box(&share, links->rank, 0);
    for (uint32_t depth = 1; depth <= 3; depth += 2)
        for (GridBorder border = GRID_ODD; border <= GRID_ALL; border++)
            for (int checked = 0; checked < 2; checked++) {
                if (checked) grid_share_border(&share, &level, 0, &field, 1, depth, border);
                for (uint32_t z = 1; z <= n[2]; z++)
                    for (uint32_t y = 1; y <= n[1]; y++)
                        for (uint32_t x = 1; x <= n[0]; x++) {
                            const uint32_t at[3] = {x, y, z};
                            int beyond = 0;
                            bool near = cell_box_cells(own) > 0;
                            for (int a = 0; a < 3; a++) {
                                beyond += at[a] < own.lo[a] || at[a] >= own.hi[a];
                                near &= at[a] + depth >= own.lo[a] && at[a] < own.hi[a] + depth;
                            }
                            bool comes = near && (beyond < 2 || border == GRID_ALL) && has_color(at, border);
                            float *cell = &field[x + y * level.stride[1] + z * level.stride[2]];
                            if (!checked)
                                *cell = beyond ? -1 : number_of(at);
                            else
                                assert_true(*cell == (!beyond || comes ? number_of(at) : -1));
                        }
            }
    free(field);
    grid_share_free(&share);
}

static void borders_come_from_those_who_have_them(void **state)
{
    (void)state;
    uint32_t n[][3] = {{17, 9, 13}, {8, 21, 10}, {5, 6, 33}};
    for (uint32_t ranks = 2; ranks <= 12; ranks += 2)
        for (size_t k = 0; k < sizeof n / sizeof *n; k++) thread_links_run(ranks, check_borders, n[k]);
}

// --- who has which cells ---

static uint32_t parts_of(const Links *links, const uint32_t n[3], uint32_t parts[3])
{
    GridShare share = {0};
    assert_true(grid_share_divide(&share, links, n, n[0] * n[1] * n[2]));
    memcpy(parts, share.parts, sizeof share.parts);
    grid_share_free(&share);
    return parts[0] * parts[1] * parts[2];
}

static void check_parts(const Links *links, void *context)
{
    (void)context;
    const int turned[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const uint32_t grids[][3] = {{1004, 604, 316}, {1916, 236, 164}, {764, 700, 636}, {412, 356, 36}};
    uint32_t parts[3], there[3];
    for (int t = 0; t < 6; t++) {
        for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
            const uint32_t *n = grids[g], m[3] = {n[turned[t][0]], n[turned[t][1]], n[turned[t][2]]};
            uint32_t boxes = parts_of(links, n, parts);
            assert_int_equal(parts_of(links, m, there), boxes);
            assert_in_range(boxes, links->ranks / 2 + 1, links->ranks);
            for (int a = 0; a < 3; a++) assert_int_equal(there[a], parts[turned[t][a]]);
        }
        uint32_t row[3] = {4, 4, 4};
        row[turned[t][0]] = 800;
        assert_int_equal(parts_of(links, row, parts), links->ranks);
        assert_int_equal(parts[turned[t][0]], links->ranks);
    }
}

// Whichever axis is which; what is long is cut across, and most ranks have something to do.
static void grids_are_divided_the_same_way_however_they_lie(void **state)
{
    (void)state;
    for (uint32_t ranks = 2; ranks <= 13; ranks++) thread_links_run(ranks, check_parts, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(poisson_is_solved),
        cmocka_unit_test(a_full_box_is_solved_without_its_mean),
        cmocka_unit_test(poisson_has_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(borders_come_from_those_who_have_them),
        cmocka_unit_test(grids_are_divided_the_same_way_however_they_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
