// The mesh against the grid in double precision: the kernels are summed on every node, and exactly the edges
// that the sum crosses carry a vertex, in its place, with its normal and velocity.
#include "case_helpers.h"
#include "core/memory.h"
#include "surface/kernels.h"
#include "surface_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define SPRAY 150u

// (root - d^T m d)^3 for d in grid cells from `center`.
typedef struct TrueKernel {
    double center[3], extent[3], root, m[3][3];
} TrueKernel;

typedef struct Truth {
    TestCloud cloud; // in spacings of 1 m
    SurfaceDef def;
    TrueKernel *kernel;
    uint32_t count;
} Truth;

// A block of water, a sheet one particle thick near it, a strand and spray.
static TestCloud make_water(void)
{
    TestCloud cloud = test_cloud_make(12 * 11 * 10 + 8 * 8 + 12 + SPRAY);
    test_cloud_add_box(&cloud, vec3_make(-3, 2, 40), 12, 11, 10, 0.2);
    test_cloud_add_box(&cloud, vec3_make(-1, 4, 52.4f), 8, 8, 1, 0.15);
    test_cloud_add_box(&cloud, vec3_make(11.5f, 5, 40), 1, 1, 12, 0.15);
    for (uint32_t k = 0; k < SPRAY; k++) {
        double at[3];
        for (int axis = 0; axis < 3; axis++) at[axis] = 9 * test_cloud_random(&cloud.random);
        test_cloud_add(&cloud, 3 + at[0], 7 + at[1], 46 + at[2]);
    }
    for (uint32_t k = 0; k < cloud.count; k++) {
        cloud.vx[k] = sinf(cloud.x[k]) + 0.3f * cloud.z[k];
        cloud.vy[k] = cosf(0.7f * cloud.y[k]);
        cloud.vz[k] = 0.1f * cloud.x[k] * cloud.y[k];
    }
    return cloud;
}

static double distance2(const double a[3], const double b[3])
{
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

static TrueKernel widen_kernel(const Kernel *kernel, const double center[3])
{
    static const int slot[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    TrueKernel out = {.root = (double)kernel->root};
    for (int a = 0; a < 3; a++) {
        out.center[a] = center[a];
        out.extent[a] = (double)kernel->extent[a];
        for (int b = 0; b < 3; b++) out.m[a][b] = (double)kernel->m[slot[a][b]];
    }
    return out;
}

// The kernels of a cell of the bins, the shaped ones where they moved to.
static void read_kernels(Truth *truth, const PointBins *bins, const Kernels *kernels, uint32_t cell)
{
    int64_t place[3];
    point_bins_place(bins, bins->key[cell / bins->sub_volume], place);
    for (uint32_t i = bins->begin[cell]; i < bins->begin[cell + 1]; i++) {
        const float own[3] = {bins->x[i], bins->y[i], bins->z[i]};
        const Kernel *kernel = &kernels->round;
        const float *at = own;
        if (kernels->of[i] != BLOCK_NONE) {
            kernel = &kernels->kernel[kernels->of[i]];
            at = kernel->center;
        }
        double center[3];
        for (int a = 0; a < 3; a++)
            center[a] = BLOCK_NODES * (double)(bins->low[a] + place[a]) + (double)at[a];
        truth->kernel[truth->count++] = widen_kernel(kernel, center);
    }
}

static Truth make_truth(float cell)
{
    Truth truth = {.cloud = make_water(), .def = surface_def_default(1)};
    truth.def.cell = cell;
    truth.def.smoothing = 0;
    truth.def.speck_volume = 0;
    truth.def.isovalue = 0.5f;
    SurfacePoints points = test_cloud_points(&truth.cloud, true);
    PointBins bins;
    Kernels kernels;
    ASSERT_OK(point_bins_make(&truth.def, &points, &bins));
    ASSERT_OK(kernels_make(&truth.def, &bins, &points, &kernels));
    truth.kernel = memory_allocate(points.count * sizeof *truth.kernel);
    assert_non_null(truth.kernel);
    for (uint32_t k = 0; k < bins.bin_count * bins.sub_volume; k++) read_kernels(&truth, &bins, &kernels, k);
    assert_int_equal(truth.count, points.count);
    kernels_free(&kernels);
    point_bins_free(&bins);
    return truth;
}

static void truth_free(Truth *truth)
{
    memory_free(truth->kernel);
    test_cloud_free(&truth->cloud);
}

static void check_near(const char *what, uint32_t i, double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("%s %u: %.7g, should be %.7g", what, i, found, expected);
}

typedef struct Grid {
    int64_t low[3], size[3];
    double *value; // x fastest
} Grid;

static double *node(const Grid *grid, int64_t x, int64_t y, int64_t z)
{
    return grid->value + (x - grid->low[0]) +
           grid->size[0] * ((y - grid->low[1]) + grid->size[1] * (z - grid->low[2]));
}

static void add_to_grid(const Grid *grid, const TrueKernel *kernel)
{
    int64_t low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = (int64_t)ceil(kernel->center[a] - kernel->extent[a]);
        high[a] = (int64_t)floor(kernel->center[a] + kernel->extent[a]);
    }
    for (int64_t z = low[2]; z <= high[2]; z++) {
        for (int64_t y = low[1]; y <= high[1]; y++) {
            for (int64_t x = low[0]; x <= high[0]; x++) {
                double d[3] = {x - kernel->center[0], y - kernel->center[1], z - kernel->center[2]};
                double t = kernel->root;
                for (int a = 0; a < 3; a++) {
                    for (int b = 0; b < 3; b++) t -= d[a] * kernel->m[a][b] * d[b];
                }
                if (t > 0) *node(grid, x, y, z) += t * t * t;
            }
        }
    }
}

static Grid make_grid(const Truth *truth)
{
    Grid grid = {.low = {INT64_MAX, INT64_MAX, INT64_MAX}};
    int64_t high[3] = {INT64_MIN, INT64_MIN, INT64_MIN};
    size_t nodes = 1;
    for (uint32_t i = 0; i < truth->count; i++) {
        for (int a = 0; a < 3; a++) {
            int64_t at = (int64_t)floor(truth->kernel[i].center[a]);
            grid.low[a] = at - 10 < grid.low[a] ? at - 10 : grid.low[a];
            high[a] = at + 11 > high[a] ? at + 11 : high[a];
        }
    }
    for (int a = 0; a < 3; a++) nodes *= (size_t)(grid.size[a] = high[a] - grid.low[a] + 1);
    grid.value = memory_allocate_zeroed(nodes * sizeof *grid.value);
    assert_non_null(grid.value);
    for (uint32_t i = 0; i < truth->count; i++) add_to_grid(&grid, &truth->kernel[i]);
    return grid;
}

#define EDGE_UNSURE 5e-5 // a node this near the isovalue may be on either side

// 1: the surface passes the edge; 0: it does not; -1: rounding decides.
static int edge_is_cut(const Grid *grid, double iso, const int64_t at[3], int axis)
{
    double a = *node(grid, at[0], at[1], at[2]) - iso;
    double b = *node(grid, at[0] + (axis == 0), at[1] + (axis == 1), at[2] + (axis == 2)) - iso;
    if (fabs(a) < EDGE_UNSURE || fabs(b) < EDGE_UNSURE) return -1;
    return (a >= 0) != (b >= 0);
}

// The cubic through the nodes -1, 0, 1 and 2 (Lagrange).
static double cubic(const double f[4], double t)
{
    return f[0] * t * (t - 1) * (t - 2) / -6 + f[1] * (t + 1) * (t - 1) * (t - 2) / 2 +
           f[2] * (t + 1) * t * (t - 2) / -2 + f[3] * (t + 1) * t * (t - 1) / 6;
}

// Does the field pass the isovalue at nearly the same slope all along the edge? Two steps of Newton's method
// are not enough where it bends.
static bool edge_is_straight(const double f[4])
{
    for (int k = 0; k < 8; k++) {
        double slope = (cubic(f, (k + 1) / 8.0) - cubic(f, k / 8.0)) * 8 / (f[2] - f[1]);
        if (slope < 0.6 || slope > 1.6) return false;
    }
    return true;
}

static double find_crossing(const double f[4], double iso)
{
    double low = 0, high = 1;
    for (int k = 0; k < 50; k++) {
        double t = 0.5 * (low + high);
        if ((cubic(f, t) >= iso) == (f[1] >= iso))
            low = t;
        else
            high = t;
    }
    return fmin(fmax(0.5 * (low + high), 0.02), 0.98); // a vertex keeps away from the nodes
}

// The edge that a vertex lies on: its lower node and its axis; how far along it the vertex is.
static double find_edge(const Truth *truth, Vec3 vertex, int64_t at[3], int *axis)
{
    double place[3] = {(double)vertex.x, (double)vertex.y, (double)vertex.z}, part = 0;
    *axis = -1;
    for (int a = 0; a < 3; a++) {
        place[a] /= (double)truth->def.cell;
        at[a] = (int64_t)floor(place[a] + 0.01);
        double over = place[a] - (double)at[a];
        if (over < 0.01) continue;
        assert_int_equal(*axis, -1);
        *axis = a;
        part = over;
    }
    assert_int_not_equal(*axis, -1);
    return part;
}

// Against the field's gradient, but where that points into the triangles round the vertex, as theirs.
static void check_normal(const Grid *grid, const int64_t at[3], int axis, double part, uint32_t v,
                         const double around[3], Vec3 found)
{
    double slope[3] = {0}, outward = 0, square = 0, dot = 0;
    for (int end = 0; end < 2; end++) {
        int64_t x = at[0] + (end && axis == 0), y = at[1] + (end && axis == 1),
                z = at[2] + (end && axis == 2);
        double share = end ? part : 1 - part;
        slope[0] += share * (*node(grid, x - 1, y, z) - *node(grid, x + 1, y, z));
        slope[1] += share * (*node(grid, x, y - 1, z) - *node(grid, x, y + 1, z));
        slope[2] += share * (*node(grid, x, y, z - 1) - *node(grid, x, y, z + 1));
    }
    const double normal[3] = {(double)found.x, (double)found.y, (double)found.z};
    for (int a = 0; a < 3; a++) outward += slope[a] * around[a];
    const double *expected = outward > 0 ? slope : around;
    for (int a = 0; a < 3; a++) {
        square += expected[a] * expected[a];
        dot += expected[a] * normal[a];
    }
    if (square > 1e-4 && fabs(outward) > 1e-4 && dot < (1 - 1e-4) * sqrt(square))
        fail_msg("vertex %u: its normal is off by %g", v, 1 - dot / sqrt(square));
}

// The areas of the triangles round every vertex as vectors, times two, in cells; free with memory_free.
static double (*areas_around(const SurfaceMesh *mesh, double cell))[3]
{
    double(*around)[3] = memory_allocate_zeroed(mesh->vertex_count * sizeof *around);
    assert_non_null(around);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        Vec3 a = mesh->vertex[mesh->triangle[t][0]];
        Vec3 b = vec3_sub(mesh->vertex[mesh->triangle[t][1]], a),
             c = vec3_sub(mesh->vertex[mesh->triangle[t][2]], a), area = vec3_cross(b, c);
        for (int k = 0; k < 3; k++) {
            around[mesh->triangle[t][k]][0] += (double)area.x / (cell * cell);
            around[mesh->triangle[t][k]][1] += (double)area.y / (cell * cell);
            around[mesh->triangle[t][k]][2] += (double)area.z / (cell * cell);
        }
    }
    return around;
}

static void check_velocity(const Truth *truth, const SurfaceMesh *mesh, uint32_t v)
{
    const TestCloud *cloud = &truth->cloud;
    Vec3 at = mesh->vertex[v], found = mesh->velocity[v];
    double sum[4] = {0}, radius = (double)truth->def.support;
    for (uint32_t i = 0; i < cloud->count; i++) {
        double a[3] = {(double)at.x, (double)at.y, (double)at.z};
        double b[3] = {(double)cloud->x[i], (double)cloud->y[i], (double)cloud->z[i]};
        double w = fmax(1 - distance2(a, b) / (radius * radius), 0);
        sum[0] += w * w * (double)cloud->vx[i];
        sum[1] += w * w * (double)cloud->vy[i];
        sum[2] += w * w * (double)cloud->vz[i];
        sum[3] += w * w;
    }
    double error = fabs((double)found.x - sum[0] / sum[3]) + fabs((double)found.y - sum[1] / sum[3]) +
                   fabs((double)found.z - sum[2] / sum[3]);
    if (!(error < 2e-3)) fail_msg("vertex %u: its velocity is off by %g m/s", v, error);
}

static uint32_t count_cut_edges(const Grid *grid, double iso, uint32_t *unsure)
{
    uint32_t count[2] = {0};
    for (int64_t z = 0; z < grid->size[2] - 1; z++) {
        for (int64_t y = 0; y < grid->size[1] - 1; y++) {
            for (int64_t x = 0; x < grid->size[0] - 1; x++) {
                int64_t at[3] = {x + grid->low[0], y + grid->low[1], z + grid->low[2]};
                for (int axis = 0; axis < 3; axis++) {
                    int cut = edge_is_cut(grid, iso, at, axis);
                    if (cut) count[cut < 0]++;
                }
            }
        }
    }
    *unsure = count[1];
    return count[0];
}

static void every_edge_that_the_field_crosses_has_its_vertex(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2; variant++) {
        Truth truth = make_truth(variant ? 0.8f : 0.5f);
        Grid grid = make_grid(&truth);
        SurfaceMesh mesh;
        double iso = (double)truth.def.isovalue;
        ASSERT_OK(surface_reconstruct(&truth.def, test_cloud_points(&truth.cloud, true), &mesh));
        mesh_assert_sound(&mesh);
        uint32_t unsure, cut = count_cut_edges(&grid, iso, &unsure), found = 0, straight = 0;
        double(*around)[3] = areas_around(&mesh, (double)truth.def.cell);
        for (uint32_t v = 0; v < mesh.vertex_count; v++) {
            int64_t at[3];
            int axis;
            double part = find_edge(&truth, mesh.vertex[v], at, &axis), f[4];
            int is_cut = edge_is_cut(&grid, iso, at, axis);
            if (is_cut < 0) continue;
            assert_int_equal(is_cut, 1);
            found++;
            for (int k = 0; k < 4; k++)
                f[k] = *node(&grid, at[0] + (axis == 0 ? k - 1 : 0), at[1] + (axis == 1 ? k - 1 : 0),
                             at[2] + (axis == 2 ? k - 1 : 0));
            straight += edge_is_straight(f);
            if (edge_is_straight(f)) check_near("place of vertex", v, part, find_crossing(f, iso), 3e-3);
            check_normal(&grid, at, axis, part, v, around[v], mesh.normal[v]);
            check_velocity(&truth, &mesh, v);
        }
        assert_int_equal(found, cut); // one vertex an edge
        assert_true(unsure * 100 < cut && cut > 2000 && straight * 2 > cut);
        memory_free(around);
        surface_mesh_free(&mesh);
        memory_free(grid.value);
        truth_free(&truth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_edge_that_the_field_crosses_has_its_vertex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
