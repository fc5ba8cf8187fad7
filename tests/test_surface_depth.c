// Which particles lie deep inside, against brute force over all sub-cells: those whose 27 sub-cells are well
// filled, halves included, and among them those near one that is not.
#include "core/memory.h"
#include "surface/point_bins.h"
#include "surface_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_ok(Result result)
{
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
}

// Particles of every sub-cell of a box, and of its halves below and above the middle of each axis.
typedef struct Filling {
    uint32_t all, half[3][2];
} Filling;

typedef struct SubCells {
    int64_t low[3], size[3];
    double width; // m
    Filling *filling;
    bool *deep;
} SubCells;

static int64_t cell_at(const SubCells *cells, int64_t x, int64_t y, int64_t z)
{
    x -= cells->low[0], y -= cells->low[1], z -= cells->low[2];
    if (x < 0 || y < 0 || z < 0 || x >= cells->size[0] || y >= cells->size[1] || z >= cells->size[2])
        return -1;
    return x + cells->size[0] * (y + cells->size[1] * z);
}

static bool is_full(const SubCells *cells, int64_t at, double spacing)
{
    if (at < 0) return false;
    double lattice = pow(cells->width / spacing, 3); // particles of a sub-cell at rest
    const Filling *filling = &cells->filling[at];
    bool full = filling->all >= fmax(1, floor(0.5 * lattice));
    for (int axis = 0; axis < 3; axis++) {
        for (int side = 0; side < 2; side++)
            full = full && filling->half[axis][side] >= fmax(1, floor(0.25 * lattice / 2));
    }
    return full;
}

// True if the condition holds within so many sub-cells.
static bool all_around(const SubCells *cells, const int64_t at[3], int64_t steps, double spacing, bool deep)
{
    for (int64_t z = at[2] - steps; z <= at[2] + steps; z++) {
        for (int64_t y = at[1] - steps; y <= at[1] + steps; y++) {
            for (int64_t x = at[0] - steps; x <= at[0] + steps; x++) {
                int64_t there = cell_at(cells, x, y, z);
                if (deep ? there < 0 || !cells->deep[there] : !is_full(cells, there, spacing)) return false;
            }
        }
    }
    return true;
}

static void place_of(const SubCells *cells, int64_t index, int64_t at[3])
{
    at[0] = cells->low[0] + index % cells->size[0];
    at[1] = cells->low[1] + index / cells->size[0] % cells->size[1];
    at[2] = cells->low[2] + index / cells->size[0] / cells->size[1];
}

static SubCells fill(const TestCloud *cloud, const PointBins *bins, double spacing)
{
    SubCells cells = {.width = bins->edge / bins->sub_edge, .low = {INT64_MAX, INT64_MAX, INT64_MAX}};
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
    cells.filling = memory_allocate_zeroed((size_t)total * sizeof *cells.filling);
    cells.deep = memory_allocate_zeroed((size_t)total * sizeof *cells.deep);
    assert_true(cells.filling && cells.deep);
    for (uint32_t i = 0; i < cloud->count; i++) {
        double at[3] = {(double)streams[0][i] / cells.width, (double)streams[1][i] / cells.width,
                        (double)streams[2][i] / cells.width};
        Filling *filling = &cells.filling[cell_at(&cells, (int64_t)floor(at[0]), (int64_t)floor(at[1]),
                                                  (int64_t)floor(at[2]))];
        filling->all++;
        for (int a = 0; a < 3; a++) filling->half[a][at[a] - floor(at[a]) >= 0.5]++;
    }
    for (int64_t k = 0; k < total; k++) {
        int64_t at[3];
        place_of(&cells, k, at);
        cells.deep[k] = all_around(&cells, at, 1, spacing, false);
    }
    return cells;
}

// Dense water, on one side with a bubble, a small gap and a thin spot, so that sub-cells are full, half full
// and nearly so.
static TestCloud make_water(void)
{
    TestCloud cloud = test_cloud_make(60 * 24 * 24);
    uint64_t random = 5;
    for (int z = 0; z < 24; z++) {
        for (int y = 0; y < 24; y++) {
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

// Counts the particles of each kind; the number of sub-cells along a block.
static uint32_t check_depth(const TestCloud *cloud, const SurfaceDef *def, uint32_t count[3])
{
    SurfacePoints points = test_cloud_points(cloud, false);
    PointBins bins;
    assert_ok(point_bins_make(def, &points, &bins));
    double spacing = (double)def->spacing;
    SubCells cells = fill(cloud, &bins, spacing);
    int64_t steps =
        def->anisotropic ? (int64_t)ceil((double)def->covariance_radius * spacing / cells.width) : 0;
    for (uint32_t k = 0; k < bins.bin_count * bins.sub_volume; k++) {
        uint32_t particles = bins.begin[k + 1] - bins.begin[k];
        if (particles == 0) continue;
        uint32_t from = bins.source[bins.begin[k]];
        int64_t at[3] = {(int64_t)floor((double)cloud->x[from] / cells.width),
                         (int64_t)floor((double)cloud->y[from] / cells.width),
                         (int64_t)floor((double)cloud->z[from] / cells.width)};
        bool deep = cells.deep[cell_at(&cells, at[0], at[1], at[2])];
        uint8_t expected = !deep                                          ? POINT_SURFACE
                           : all_around(&cells, at, steps, spacing, true) ? POINT_DEEP
                                                                          : POINT_NEAR;
        assert_int_equal(bins.depth[k], expected);
        count[expected] += particles;
    }
    memory_free(cells.filling);
    memory_free(cells.deep);
    uint32_t sub_cells = bins.sub_edge;
    point_bins_free(&bins);
    return sub_cells;
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
        uint32_t sub_cells = check_depth(&cloud, &def, count);
        print_message("%u, %u and %u particles\n", count[0], count[1], count[2]);
        // Sub-cells narrower than two spacings are seldom full in all halves.
        bool wide = def.cell * 8 >= 2 * (float)sub_cells;
        assert_true(!wide || (count[POINT_DEEP] > 200 && count[POINT_SURFACE] > 200));
        assert_true(!wide || def.anisotropic == (count[POINT_NEAR] > 200));
    }
    test_cloud_free(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_are_deep_where_all_around_is_well_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
