// Which particles lie deep inside, against brute force over all cells of depth: those around which all cells
// are well filled, wherever lattices and gaps lie between them, and among them those near one that is not.
#include "case_helpers.h"
#include "core/memory.h"
#include "surface/point_bins.h"
#include "surface_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef enum Filled { HOLLOW, DOUBTFUL, FULL } Filled; // doubtful: so near the limit that rounding decides

typedef struct DepthCells {
    int64_t low[3], size[3];
    double width;  // m
    int64_t reach; // widths within which a particle counts
    double *sum;   // of particles, weighted by how near they are to the cell's middle
    Filled *deep;
} DepthCells;

static int64_t cell_at(const DepthCells *cells, int64_t x, int64_t y, int64_t z)
{
    x -= cells->low[0], y -= cells->low[1], z -= cells->low[2];
    if (x < 0 || y < 0 || z < 0 || x >= cells->size[0] || y >= cells->size[1] || z >= cells->size[2])
        return -1;
    return x + cells->size[0] * (y + cells->size[1] * z);
}

// The part of all particles on one side of a middle that is farther off, where weights fall to 0 at `reach`.
static double tail(double from, double reach)
{
    return from >= reach ? 0 : from >= 0 ? pow(1 - from / reach, 2) / 2 : 1 - tail(-from, reach);
}

// A gap one spacing wide right between two cells leaves a full one this much.
static Filled is_full(const DepthCells *cells, int64_t at, double spacing)
{
    if (at < 0) return HOLLOW;
    double width = cells->width / spacing, reach = (double)cells->reach * width;
    double share = cells->sum[at] / pow(reach, 3);
    double least = 1 - tail(width / 2 - 0.5, reach) + tail(width / 2 + 0.5, reach);
    return fabs(share - least) < 0.01 * (double)cells->reach ? DOUBTFUL : share > least ? FULL : HOLLOW;
}

// The least full, or the least deep, within so many cells.
static Filled least_around(const DepthCells *cells, const int64_t at[3], int64_t steps, double spacing,
                           bool deep)
{
    Filled least = FULL;
    for (int64_t z = at[2] - steps; z <= at[2] + steps; z++) {
        for (int64_t y = at[1] - steps; y <= at[1] + steps; y++) {
            for (int64_t x = at[0] - steps; x <= at[0] + steps; x++) {
                int64_t there = cell_at(cells, x, y, z);
                Filled here = !deep       ? is_full(cells, there, spacing)
                              : there < 0 ? HOLLOW
                                          : cells->deep[there];
                least = here < least ? here : least;
            }
        }
    }
    return least;
}

static void place_of(const DepthCells *cells, int64_t index, int64_t at[3])
{
    at[0] = cells->low[0] + index % cells->size[0];
    at[1] = cells->low[1] + index / cells->size[0] % cells->size[1];
    at[2] = cells->low[2] + index / cells->size[0] / cells->size[1];
}

// Adds a particle's weight to the cells whose middles are less than `reach` away on every axis.
static void add_particle(DepthCells *cells, const double at[3])
{
    int64_t low[3], reach = cells->reach, side = 2 * reach;
    for (int a = 0; a < 3; a++) low[a] = (int64_t)floor(at[a] - 0.5) - reach + 1;
    for (int64_t k = 0; k < side * side * side; k++) {
        int64_t place[3] = {low[0] + k % side, low[1] + k / side % side, low[2] + k / side / side};
        double weight = 1;
        for (int a = 0; a < 3; a++) weight *= 1 - fabs(at[a] - (double)place[a] - 0.5) / (double)reach;
        int64_t cell = cell_at(cells, place[0], place[1], place[2]);
        if (cell >= 0) cells->sum[cell] += weight;
    }
}

// Particles count within 0.85 radii of an undeformed kernel, or a cell, if that is wider.
static DepthCells fill(const TestCloud *cloud, const PointBins *bins, const SurfaceDef *def)
{
    double spacing = (double)def->spacing, width = bins->edge / point_depth_cells(def, bins->edge);
    int64_t reach = width < 0.84 * (double)def->support * spacing ? 2 : 1;
    DepthCells cells = {.width = width, .reach = reach, .low = {INT64_MAX, INT64_MAX, INT64_MAX}};
    const float *streams[3] = {cloud->x, cloud->y, cloud->z};
    int64_t high[3] = {INT64_MIN, INT64_MIN, INT64_MIN};
    for (uint32_t i = 0; i < cloud->count; i++) {
        for (int a = 0; a < 3; a++) {
            int64_t at = (int64_t)floor((double)streams[a][i] / cells.width);
            cells.low[a] = at < cells.low[a] ? at : cells.low[a];
            high[a] = at > high[a] ? at : high[a];
        }
    }
    int64_t total = 1;
    for (int a = 0; a < 3; a++) total *= cells.size[a] = high[a] - cells.low[a] + 1;
    cells.sum = memory_allocate_zeroed((size_t)total * sizeof *cells.sum);
    cells.deep = memory_allocate_zeroed((size_t)total * sizeof *cells.deep);
    assert_true(cells.sum && cells.deep);
    for (uint32_t i = 0; i < cloud->count; i++) {
        add_particle(&cells,
                     (double[3]){(double)streams[0][i] / cells.width, (double)streams[1][i] / cells.width,
                                 (double)streams[2][i] / cells.width});
    }
    for (int64_t k = 0; k < total; k++) {
        int64_t at[3];
        place_of(&cells, k, at);
        cells.deep[k] = least_around(&cells, at, reach, spacing, false);
    }
    return cells;
}

// Dense water, on one side with a bubble, a small gap and a thin spot, so that cells are full, half full
// and nearly so.
static TestCloud make_water(void)
{
    TestCloud cloud = test_cloud_make(60 * 32 * 32);
    uint64_t random = 5;
    for (int z = 0; z < 32; z++) {
        for (int y = 0; y < 32; y++) {
            for (int x = 0; x < 60; x++) {
                double at[3] = {x - 7.3, y + 2.1, z - 11.4};
                for (int a = 0; a < 3; a++) at[a] += 0.3 * test_cloud_random(&random);
                bool bubble = pow(x - 18, 2) + pow(y - 16, 2) + pow(z - 12, 2) < 9;
                bool thin = x < 14 && y < 12 && test_cloud_random(&random) > z / 8.0 - 1;
                if (!bubble && !thin && !(z == 17 && y > 12 && x < 26))
                    test_cloud_add(&cloud, at[0], at[1], at[2]);
            }
        }
    }
    return cloud;
}

// Counts the particles of each kind, where rounding does not decide.
static void check_depth(const TestCloud *cloud, const SurfaceDef *def, uint32_t count[3])
{
    SurfacePoints points = test_cloud_points(cloud, false);
    PointBins bins;
    ASSERT_OK(point_bins_make(def, &points, &bins));
    double spacing = (double)def->spacing;
    DepthCells cells = fill(cloud, &bins, def);
    int64_t steps =
        def->anisotropic ? (int64_t)ceil((double)def->covariance_radius * spacing / cells.width) : 0;
    for (uint32_t i = 0; i < bins.count; i++) {
        uint32_t from = bins.source[i];
        int64_t at[3] = {(int64_t)floor((double)cloud->x[from] / cells.width),
                         (int64_t)floor((double)cloud->y[from] / cells.width),
                         (int64_t)floor((double)cloud->z[from] / cells.width)};
        Filled deep = cells.deep[cell_at(&cells, at[0], at[1], at[2])];
        Filled around = least_around(&cells, at, steps, spacing, true);
        if (deep == DOUBTFUL || (deep == FULL && around == DOUBTFUL)) continue;
        uint8_t expected = deep == HOLLOW ? POINT_SURFACE : around == FULL ? POINT_DEEP : POINT_NEAR;
        assert_int_equal(bins.depth[i], expected);
        count[expected]++;
    }
    memory_free(cells.sum);
    memory_free(cells.deep);
    point_bins_free(&bins);
}

static void particles_are_deep_where_all_around_is_well_filled(void **state)
{
    (void)state;
    static const struct {
        float cell, support, range;
        bool anisotropic;
    } variants[] = {{0.5f, 2.25f, 2.5f, true}, {0.5f, 2.25f, 2.5f, false}, {0.25f, 1.4f, 1.5f, true},
                    {1.0f, 2.0f, 2.0f, true},  {0.7f, 1.0f, 1.5f, true},   {0.5f, 4.0f, 2.5f, true}};
    TestCloud cloud = make_water();
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        SurfaceDef def = surface_def_default(1);
        def.cell = variants[v].cell, def.support = variants[v].support;
        def.covariance_radius = variants[v].range, def.anisotropic = variants[v].anisotropic;
        uint32_t count[3] = {0};
        check_depth(&cloud, &def, count);
        print_message("%u, %u and %u particles\n", count[0], count[1], count[2]);
        assert_true(count[POINT_DEEP] > 200 && count[POINT_SURFACE] > 200);
        assert_true(def.anisotropic == (count[POINT_NEAR] > 200));
        assert_true(count[0] + count[1] + count[2] > cloud.count * 9 / 10);
    }
    test_cloud_free(&cloud);
}

// The same water is as deep wherever it stands: lattices whose planes lie on borders of cells, a rounding
// error to either side of them, or between.
static void depth_does_not_depend_on_where_a_lattice_stands(void **state)
{
    (void)state;
    static const double shifts[] = {0, 1e-6, -1e-6, 0.1, 0.25, 0.5, 0.9, 1, 1.3};
    SurfaceDef def = surface_def_default(1);
    for (int jitter = 0; jitter < 2; jitter++) {
        uint32_t least = UINT32_MAX, most = 0;
        for (size_t s = 0; s < sizeof shifts / sizeof *shifts; s++) {
            TestCloud cloud = test_cloud_make(24 * 24 * 24);
            double corner = 4 + shifts[s];
            test_cloud_add_box(&cloud, vec3_make((float)corner, (float)corner, (float)corner), 24, 24, 24,
                               0.2 * jitter);
            uint32_t count[3] = {0};
            check_depth(&cloud, &def, count);
            test_cloud_free(&cloud);
            print_message("%g: %u, %u and %u particles\n", shifts[s], count[0], count[1], count[2]);
            uint32_t inside = count[POINT_DEEP] + count[POINT_NEAR];
            least = inside < least ? inside : least;
            most = inside > most ? inside : most;
        }
        // Sub-cells are two spacings wide: one layer of them on every side is in doubt.
        assert_true(least >= 16 * 16 * 16 && most <= 20 * 20 * 20);
    }
}

// So many particles at the middles of 27 cells that sums of 32 bits would begin at 0 again.
static void sums_of_piles_do_not_overflow(void **state)
{
    (void)state;
    enum { PILE = 1 << 14 }; // of 2^18 each
    TestCloud cloud = test_cloud_make(27 * PILE);
    for (int k = 0; k < 27 * PILE; k++) {
        int cell = k / PILE;
        test_cloud_add(&cloud, 1 + 2 * (cell % 3), 1 + 2 * (cell / 3 % 3), 1 + 2 * (cell / 9));
    }
    SurfaceDef def = surface_def_default(1);
    uint32_t count[3] = {0};
    check_depth(&cloud, &def, count);
    assert_int_equal(count[POINT_NEAR], PILE);
    assert_int_equal(count[POINT_SURFACE], 26 * PILE);
    test_cloud_free(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_are_deep_where_all_around_is_well_filled),
        cmocka_unit_test(depth_does_not_depend_on_where_a_lattice_stands),
        cmocka_unit_test(sums_of_piles_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
