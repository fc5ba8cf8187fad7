// The parts of the surface against brute force: who is near a box, which particles form a body, the field as
// the sum of all kernels.
#include "case_helpers.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "surface/block_rows.h"
#include "surface/field.h"
#include "surface/field_sum.h"
#include "surface/frame_surface.h"
#include "surface/point_bins.h"
#include "surface_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// A block of water with jitter, and spray round it.
static TestCloud make_splash(uint32_t spray)
{
    TestCloud cloud = test_cloud_make(14 * 12 * 10 + spray);
    test_cloud_add_box(&cloud, vec3_make(-3, 2, 40), 14, 12, 10, 0.2);
    for (uint32_t k = 0; k < spray; k++) {
        double at[3];
        for (int axis = 0; axis < 3; axis++) at[axis] = 16 * test_cloud_random(&cloud.random);
        test_cloud_add(&cloud, 4 + at[0], 8 + at[1], 45 + at[2]);
    }
    return cloud;
}

static double outside(double at, double low, double high)
{
    return at < low ? low - at : at > high ? at - high : 0;
}

// Counts how often rows name each particle; checks that all within the radius are there, where they say.
static void check_rows(const PointBins *bins, uint64_t key, const float low[3], const float high[3],
                       float radius, uint8_t *seen)
{
    static PointRow rows[POINT_ROWS_MAX];
    memset(seen, 0, bins->count);
    int64_t here[3], there[3];
    point_bins_place(bins, key, here);
    uint32_t count = point_bins_rows(bins, key, low, high, radius, rows);
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = bins->begin[rows[k].first]; i < bins->begin[rows[k].last + 1]; i++) seen[i]++;
        point_bins_place(bins, bins->key[rows[k].first / bins->sub_volume], there);
        for (int axis = 0; axis < 3; axis++)
            assert_true(rows[k].shift[axis] == (float)(BLOCK_NODES * (double)(there[axis] - here[axis])));
    }
    const float *streams[3] = {bins->x, bins->y, bins->z};
    for (uint32_t bin = 0; bin < bins->bin_count; bin++) {
        point_bins_place(bins, bins->key[bin], there);
        uint32_t first = bins->begin[bin * bins->sub_volume],
                 last = bins->begin[(bin + 1) * bins->sub_volume];
        for (uint32_t i = first; i < last; i++) {
            double square = 0;
            for (int axis = 0; axis < 3; axis++) {
                double at = (double)streams[axis][i] + BLOCK_NODES * (double)(there[axis] - here[axis]);
                double away = outside(at, (double)low[axis], (double)high[axis]);
                square += away * away;
            }
            assert_true(seen[i] <= 1);
            if (square < 0.9999 * (double)radius * radius) assert_int_equal(seen[i], 1);
        }
    }
}

static void rows_hold_every_particle_near_a_box_once(void **state)
{
    (void)state;
    TestCloud cloud = make_splash(300);
    SurfacePoints points = test_cloud_points(&cloud, false);
    const float cells[] = {0.1f, 0.3f, 0.5f, 1, 2};
    uint8_t *seen = memory_allocate(points.count);
    assert_non_null(seen);
    for (uint32_t c = 0; c < 5; c++) {
        SurfaceDef def = surface_def_default(1);
        def.cell = cells[c];
        PointBins bins;
        ASSERT_OK(point_bins_make(&def, &points, &bins));
        uint64_t random = 7 + c;
        for (uint32_t k = 0; k < 400; k++) {
            uint64_t key = bins.key[(size_t)k * bins.bin_count / 400];
            float low[3], high[3], radius = (float)(2 + test_cloud_random(&random)) / def.cell;
            for (int axis = 0; axis < 3; axis++) {
                low[axis] = (float)(4 + 4 * test_cloud_random(&random));
                high[axis] = low[axis] + (8 - low[axis]) * (float)fabs(test_cloud_random(&random));
            }
            check_rows(&bins, key, low, high, radius, seen);
        }
        point_bins_free(&bins);
    }
    memory_free(seen);
    test_cloud_free(&cloud);
}

// Beyond all that a kernel or a look at neighbors may touch there is one more block on every side.
static void bins_have_a_border_wider_than_anything_reaches(void **state)
{
    (void)state;
    TestCloud cloud = make_splash(20);
    SurfacePoints points = test_cloud_points(&cloud, false);
    const float cells[] = {0.1f, 0.3f, 0.5f, 1, 2};
    for (uint32_t c = 0; c < 5; c++) {
        SurfaceDef def = surface_def_default(1);
        def.cell = cells[c];
        PointBins bins;
        ASSERT_OK(point_bins_make(&def, &points, &bins));
        double most = fmax((double)def.support + (double)KERNEL_MOVE_MAX, (double)def.covariance_radius);
        int64_t border = (int64_t)ceil(most / bins.edge) + 1;
        for (uint32_t bin = 0; bin < bins.bin_count; bin++) {
            int64_t place[3];
            point_bins_place(&bins, bins.key[bin], place);
            for (int axis = 0; axis < 3; axis++)
                assert_in_range(place[axis], border, (int64_t)bins.blocks[axis] - 1 - border);
        }
        point_bins_free(&bins);
    }
    test_cloud_free(&cloud);
}

// What lies behind the last bin is not a bin, even if it looks like the one that is looked for.
static void rows_end_with_the_last_bin(void **state)
{
    (void)state;
    SurfaceDef def = surface_def_default(1);
    TestCloud cloud = test_cloud_make(2);
    double edge = (double)def.cell * BLOCK_NODES;
    for (int k = 0; k < 2; k++) test_cloud_add(&cloud, (k + 0.5) * edge, 0.5 * edge, 0.5 * edge);
    SurfacePoints points = test_cloud_points(&cloud, false);
    const float low[3] = {7, 0, 0}, high[3] = {7, 7, 7};
    static PointRow rows[POINT_ROWS_MAX];
    PointBins bins;
    ASSERT_OK(point_bins_make(&def, &points, &bins));
    assert_int_equal(bins.bin_count, 2);
    uint32_t both = point_bins_rows(&bins, bins.key[0], low, high, 4, rows);
    assert_true(rows[both - 1].last >= bins.sub_volume);
    bins.bin_count = 1;
    uint32_t count = point_bins_rows(&bins, bins.key[0], low, high, 4, rows);
    assert_true(count > 0);
    for (uint32_t k = 0; k < count; k++) assert_true(rows[k].last < bins.sub_volume);
    point_bins_free(&bins);
    test_cloud_free(&cloud);
}

// Two drops at opposite corners of a cube; false if it is refused as too wide.
static bool check_places(const SurfaceDef *def, float half)
{
    TestCloud cloud = test_cloud_make(2);
    for (int k = 0; k < 2; k++) {
        double at = (k == 0 ? -1.0 : 1.0) * (double)half;
        test_cloud_add(&cloud, at, at, at);
    }
    SurfacePoints points = test_cloud_points(&cloud, false);
    PointBins bins;
    Result result = point_bins_make(def, &points, &bins);
    for (uint32_t k = 0; k < bins.bin_count && result_is_ok(&result); k++) {
        const float within[3] = {bins.x[k], bins.y[k], bins.z[k]};
        int64_t place[3];
        assert_int_equal(bins.bin_count, 2);
        point_bins_place(&bins, bins.key[k], place);
        for (int axis = 0; axis < 3; axis++) {
            double at = point_bins_corner(&bins, place[axis], axis) + (double)within[axis] * bins.cell;
            assert_true(fabs(fabs(at) - (double)half) < 0.01);
        }
    }
    if (!result_is_ok(&result)) assert_non_null(strstr(result.text, "grid cells"));
    point_bins_free(&bins);
    test_cloud_free(&cloud);
    return result_is_ok(&result);
}

static void drops_are_told_apart_over_any_width_that_is_not_refused(void **state)
{
    (void)state;
    const float cells[] = {0.3f, 0.5f, 1, 2}; // one to four sub-cells along an edge
    for (uint32_t c = 0; c < 4; c++) {
        SurfaceDef def = surface_def_default(1);
        def.cell = cells[c];
        uint32_t widths = 0;
        for (float half = 1024; check_places(&def, half - 128); half *= 2) widths++;
        assert_in_range(widths, 8, 20);
    }
}

static double distance_between(const SurfacePoints *points, uint32_t a, uint32_t b)
{
    double x = (double)points->x[a] - points->x[b], y = (double)points->y[a] - points->y[b];
    double z = (double)points->z[a] - points->z[b];
    return sqrt(x * x + y * y + z * z);
}

// Labels by flooding, one particle at a time. points are in the order of the bins.
static void flood(const SurfacePoints *points, double link, uint32_t *label)
{
    uint32_t *open = memory_allocate(points->count * sizeof *open), waiting;
    assert_non_null(open);
    for (uint32_t i = 0; i < points->count; i++) label[i] = UINT32_MAX;
    for (uint32_t first = 0; first < points->count; first++) {
        if (label[first] != UINT32_MAX) continue;
        label[first] = first;
        open[0] = first;
        for (waiting = 1; waiting > 0;) {
            uint32_t i = open[--waiting];
            for (uint32_t j = 0; j < points->count; j++) {
                if (label[j] != UINT32_MAX || distance_between(points, i, j) > link) continue;
                label[j] = first;
                open[waiting++] = j;
            }
        }
    }
    memory_free(open);
}

static void bodies_are_what_a_flood_reaches(void **state)
{
    (void)state;
    const float link = 1.75f;
    // A wet sponge: chains of all lengths, drops of one and of a few. Four with just the link between them.
    TestCloud cloud = test_cloud_make(3004);
    for (uint32_t k = 0; k < 4; k++)
        test_cloud_add(&cloud, k == 1 ? 31.75 : 30, k == 2 ? 31.75 : 30, k == 3 ? 31.75 : 30);
    for (uint32_t k = 4; k < cloud.capacity; k++) {
        double at[3];
        for (int axis = 0; axis < 3; axis++) at[axis] = 16 * test_cloud_random(&cloud.random);
        test_cloud_add(&cloud, at[0], at[1], at[2]);
    }
    SurfacePoints points = test_cloud_points(&cloud, false), sorted = {.count = points.count};
    uint32_t *label = memory_allocate(points.count * sizeof *label),
             *body = memory_allocate(points.count * sizeof *body);
    float *streams[3];
    for (int axis = 0; axis < 3; axis++) streams[axis] = memory_allocate(points.count * sizeof(float));
    assert_true(label && body && streams[0] && streams[1] && streams[2]);
    for (uint32_t workers = 1; workers <= 4; workers += 3) {
        parallel_set_workers(workers);
        SurfaceDef def = surface_def_default(1);
        PointBins bins;
        ASSERT_OK(point_bins_make(&def, &points, &bins));
        for (uint32_t i = 0; i < points.count; i++) {
            streams[0][i] = points.x[bins.source[i]];
            streams[1][i] = points.y[bins.source[i]];
            streams[2][i] = points.z[bins.source[i]];
        }
        sorted.x = streams[0], sorted.y = streams[1], sorted.z = streams[2];
        for (uint32_t i = 0; i < points.count; i++) assert_int_not_equal(bins.depth[i], POINT_DEEP);
        flood(&sorted, (double)link, label);
        ASSERT_OK(point_bodies_find(&bins, link / def.cell, body));
        uint32_t bodies = 0;
        for (uint32_t i = 0; i < points.count; i++) {
            assert_int_equal(body[i], label[i]);
            bodies += label[i] == i;
        }
        assert_in_range(bodies, 50, 2000);
        point_bins_free(&bins);
    }
    parallel_set_workers(0);
    for (int axis = 0; axis < 3; axis++) memory_free(streams[axis]);
    memory_free(label);
    memory_free(body);
    test_cloud_free(&cloud);
}

// The field at a node of a block, kernel by kernel.
static double direct_sum(const PointBins *bins, const Kernels *kernels, uint64_t key, const uint32_t node[3])
{
    const float *streams[3] = {bins->x, bins->y, bins->z};
    int64_t here[3], there[3];
    point_bins_place(bins, key, here);
    double sum = 0;
    for (uint32_t cell = 0; cell < bins->bin_count * bins->sub_volume; cell++) {
        point_bins_place(bins, bins->key[cell / bins->sub_volume], there);
        for (uint32_t i = bins->begin[cell]; i < bins->begin[cell + 1]; i++) {
            uint32_t shape = kernels->of ? kernels->of[i] : BLOCK_NONE;
            const Kernel *kernel = shape == BLOCK_NONE ? &kernels->round : &kernels->kernel[shape];
            double d[3];
            for (int axis = 0; axis < 3; axis++) {
                double center = (double)(shape == BLOCK_NONE ? streams[axis][i] : kernel->center[axis]);
                d[axis] = node[axis] - center - BLOCK_NODES * (double)(there[axis] - here[axis]);
            }
            const float *m = kernel->m;
            double q = m[0] * d[0] * d[0] + m[3] * d[1] * d[1] + m[5] * d[2] * d[2] +
                       2 * (m[1] * d[0] * d[1] + m[2] * d[0] * d[2] + m[4] * d[1] * d[2]);
            double left = (double)kernel->root - q;
            if (left > 0) sum += left * left * left;
        }
    }
    return sum;
}

// Just beyond either end of it, where rounding of the sum alone would leave something.
static void a_kernel_that_ends_before_a_tile_adds_nothing(void **state)
{
    (void)state;
    static float tiles[BLOCK_TILES][TILE_NODES];
    static SumBatch batch;
    uint64_t random = 11;
    memset(tiles, 0, sizeof tiles);
    batch.count = 1, batch.tiles = 1;
    for (int k = 0; k < 3000; k++) {
        float h = (float)(4 + 2 * test_cloud_random(&random)), root = 0.3f, m = root / (h * h);
        int axis = k % 3;
        for (int a = 0; a < 3; a++) {
            batch.extent[a][0] = h;
            batch.center[a][0] = (float)(k / 6 % 4);
        }
        float away = h * (1 + 3e-7f); // two or three steps of a float
        batch.center[axis][0] = k & 1 ? 3 + away : -away;
        const float form[6] = {m, 0, 0, m, 0, m};
        for (int slot = 0; slot < 6; slot++) batch.m[slot][0] = form[slot];
        batch.root[0] = root, batch.radius = h;
        field_sum(cpu_level())(tiles, &batch);
        for (uint32_t n = 0; n < TILE_NODES; n++) assert_float_equal(tiles[0][n], 0, 0);
    }
}

// Is the node in a tile that is taken for full?
static bool is_inside(const PointBins *bins, uint64_t key, const uint32_t node[3])
{
    uint32_t bin = block_table_find(&bins->table, key), tile = 0;
    for (int axis = 0; axis < 3; axis++) tile |= node[axis] / 4 << axis;
    return bin != BLOCK_NONE && bins->inside[bin] >> tile & 1;
}

static void the_field_is_the_sum_of_all_kernels(void **state)
{
    (void)state;
    TestCloud cloud = make_splash(200);
    SurfacePoints points = test_cloud_points(&cloud, false);
    uint32_t inside = 0;
    for (uint32_t variant = 0; variant < 4; variant++) {
        SurfaceDef def = surface_def_default(1);
        def.anisotropic = variant % 2 == 0;
        def.cell = variant < 2 ? 0.5f : 0.8f;
        PointBins bins;
        Kernels kernels;
        Field field;
        ASSERT_OK(point_bins_make(&def, &points, &bins));
        ASSERT_OK(kernels_make(&def, &bins, &points, &kernels));
        ASSERT_OK(field_make(&def, &bins, &kernels, &field));
        double largest = 0;
        for (uint32_t k = 0; k < 400; k++) {
            uint32_t block = (uint32_t)((uint64_t)k * field.stored / 400), at = (k * 197u) % BLOCK_VALUES;
            uint32_t node[3] = {at & 7, at >> 3 & 7, at >> 6};
            double direct = direct_sum(&bins, &kernels, field.key[block], node);
            float value = field.values[(size_t)block * BLOCK_VALUES + at];
            if (is_inside(&bins, field.key[block], node)) {
                assert_true(value == 1.0f && direct > 0.8);
                inside++;
            } else {
                assert_float_equal((float)direct, value, 2e-5f);
            }
            assert_true(value >= field.range[block][0] && value <= field.range[block][1]);
            largest = direct > largest ? direct : largest;
        }
        assert_true(largest > 0.8 && largest < 3);
        field_free(&field);
        kernels_free(&kernels);
        point_bins_free(&bins);
    }
    print_message("%u nodes inside\n", inside);
    assert_in_range(inside, 5, 200);
    test_cloud_free(&cloud);
}

// --- nodes inside ---

// Whether a node, counted from a block's first, is inside; 0 .. 8 on each axis.
static bool node_inside(float (*values)[BLOCK_VALUES], uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t block = BLOCK_ITSELF + x / 8 + 3 * (y / 8) + 9 * (z / 8);
    return values[block][x % 8 + 8 * (y % 8 + 8 * (z % 8))] >= 0.5f;
}

static void check_cell(const BlockRows *rows, float (*values)[BLOCK_VALUES], uint32_t x, uint32_t y,
                       uint32_t z)
{
    uint32_t which = 0, mask[3];
    for (uint32_t c = 0; c < 8; c++)
        which |= (uint32_t)node_inside(values, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)) << c;
    assert_int_equal(block_rows_case(rows, x, y, z), which);
    assert_int_equal(block_rows_cells(rows, y, z) >> x & 1, which != 0 && which != 255);
    block_rows_edges(rows, y, z, mask);
    for (int axis = 0; axis < 3; axis++)
        assert_int_equal(mask[axis] >> x & 1, (which & 1) != (which >> (1 << axis) & 1));
}

// Values at, below and above the isovalue; a node at it is inside.
static void rows_of_nodes_tell_what_the_surface_crosses(void **state)
{
    (void)state;
    static float values[BLOCKS_AROUND][BLOCK_VALUES];
    const float *around[BLOCKS_AROUND];
    uint64_t random = 17;
    for (int variant = 0; variant < 5; variant++) {
        for (uint32_t block = 0; block < BLOCKS_AROUND; block++) {
            around[block] = values[block];
            for (uint32_t k = 0; k < BLOCK_VALUES; k++)
                values[block][k] = 0.5f + 0.01f * (float)(int)(1.5 * test_cloud_random(&random));
        }
        // All on one side, or all but nodes at the far end, or at the end of lines.
        for (uint32_t block = 0; block < BLOCKS_AROUND && variant > 0; block++) {
            bool far_end = block == BLOCKS_AROUND - 1, line_end = block % 3 == 2;
            bool full = variant == 1 || (variant == 4 && !line_end);
            for (uint32_t k = 0; k < BLOCK_VALUES; k++)
                values[block][k] = full || (variant == 3 && far_end && k == 0) ? 0.5f : 0.25f;
        }
        for (CpuLevel level = CPU_PLAIN; level <= cpu_best_level(CPU_AVX512); level++) {
            BlockRows rows;
            assert_int_equal(block_rows(level)(around, 0.5f, &rows), variant != 1 && variant != 2);
            for (uint32_t k = 0; k < BLOCK_VALUES; k++) check_cell(&rows, values, k % 8, k / 8 % 8, k / 64);
        }
    }
}

// --- frames ---

// A cube of water as large as its tank, as a step shows it; moving, in another spacing than surfaces know of.
static FrameView full_tank(const TestCloud *cloud, const Obstacles *obstacles)
{
    return (FrameView){.spacing = 1,
                       .radius = 2.5f,
                       .count = cloud->count,
                       .x = cloud->x,
                       .y = cloud->y,
                       .z = cloud->z,
                       .vx = cloud->vx,
                       .vy = cloud->vy,
                       .vz = cloud->vz,
                       .obstacles = obstacles};
}

static Box3 bounds_of(const SurfaceMesh *mesh)
{
    Box3 box = {mesh->vertex[0], mesh->vertex[0]};
    for (uint32_t v = 1; v < mesh->vertex_count; v++) {
        box.lo = vec3_min(box.lo, mesh->vertex[v]);
        box.hi = vec3_max(box.hi, mesh->vertex[v]);
    }
    return box;
}

// Kernels reach through closed walls, where the mesh is cut, and through open ones, where it is not.
static void surfaces_of_frames_end_at_closed_walls(void **state)
{
    (void)state;
    TestCloud cloud = test_cloud_make(6 * 7 * 8);
    test_cloud_add_box(&cloud, vec3_make(0, 0, 0), 6, 7, 8, 0);
    SurfaceDef def = surface_def_default(77); // of another spacing
    def.anisotropic = false;
    def.isovalue = 0.3f;
    for (int open = -2; open < TANK_FACE_COUNT; open++) {
        TankDef tank = {.present = open > -2, .size = {6, 7, 8}};
        if (open >= 0) tank.open[open] = true;
        Obstacles *obstacles;
        SurfaceMesh mesh;
        ASSERT_OK(obstacles_create(tank, 0, NULL, 0, &obstacles));
        FrameView view = full_tank(&cloud, obstacles);
        ASSERT_OK(frame_surface_make(&def, &view, false, &mesh));
        Box3 box = bounds_of(&mesh);
        const float beyond[TANK_FACE_COUNT] = {
            [TANK_X_LO] = -box.lo.x,    [TANK_Y_LO] = -box.lo.y,    [TANK_Z_LO] = -box.lo.z,
            [TANK_X_HI] = box.hi.x - 6, [TANK_Y_HI] = box.hi.y - 7, [TANK_Z_HI] = box.hi.z - 8};
        for (int face = 0; face < TANK_FACE_COUNT; face++) {
            bool free = open == -2 || face == open;
            if (free ? !(beyond[face] > 0.1f && beyond[face] < 1) : beyond[face] != 0)
                fail_msg("face %d with %d open: %g m beyond", face, open, (double)beyond[face]);
        }
        surface_mesh_free(&mesh);
        def.clip = false;
        ASSERT_OK(frame_surface_make(&def, &view, false, &mesh));
        box = bounds_of(&mesh);
        assert_true(box.lo.x < -0.1f && box.hi.z > 8.1f);
        def.clip = true;
        surface_mesh_free(&mesh);
        obstacles_destroy(obstacles);
    }
    test_cloud_free(&cloud);
}

// Velocities of the frame are there where they are asked for; an open shutter needs them besides.
static void surfaces_of_frames_have_the_velocities_that_they_need(void **state)
{
    (void)state;
    TestCloud cloud = test_cloud_make(1);
    test_cloud_add(&cloud, 0, 0, 0);
    cloud.vx[0] = 0, cloud.vy[0] = 100, cloud.vz[0] = 0;
    FrameView view = full_tank(&cloud, NULL);
    SurfaceDef def = surface_def_default(77);
    def.speck_volume = 0;
    float length[4];
    for (int k = 0; k < 4; k++) {
        bool velocities = k & 1;
        def.shutter = k >> 1 ? 0.01f : 0;
        SurfaceMesh mesh;
        ASSERT_OK(frame_surface_make(&def, &view, velocities, &mesh));
        assert_int_equal(mesh.velocity != NULL, velocities || k >> 1);
        for (uint32_t v = 0; mesh.velocity && v < mesh.vertex_count; v++)
            assert_float_equal(mesh.velocity[v].y, 100, 1e-4);
        length[k] = bounds_of(&mesh).hi.y - bounds_of(&mesh).lo.y;
        surface_mesh_free(&mesh);
    }
    assert_true(length[0] == length[1] && length[2] == length[3] && length[2] > 1.5f * length[0]);
    test_cloud_free(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold_every_particle_near_a_box_once),
        cmocka_unit_test(bins_have_a_border_wider_than_anything_reaches),
        cmocka_unit_test(rows_end_with_the_last_bin),
        cmocka_unit_test(drops_are_told_apart_over_any_width_that_is_not_refused),
        cmocka_unit_test(bodies_are_what_a_flood_reaches),
        cmocka_unit_test(a_kernel_that_ends_before_a_tile_adds_nothing),
        cmocka_unit_test(the_field_is_the_sum_of_all_kernels),
        cmocka_unit_test(rows_of_nodes_tell_what_the_surface_crosses),
        cmocka_unit_test(surfaces_of_frames_end_at_closed_walls),
        cmocka_unit_test(surfaces_of_frames_have_the_velocities_that_they_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
