#include "case_helpers.h"
#include "surface/surface.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "surface_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979

static SurfaceMesh make(const SurfaceDef *def, const TestCloud *cloud)
{
    SurfaceMesh mesh;
    Result result = surface_reconstruct(def, test_cloud_points(cloud, true), &mesh);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    return mesh;
}

// Vertices within reach of a side of the box end on it, with its normal; all others stay.
static void a_mesh_is_moved_and_ends_at_walls(void **state)
{
    (void)state;
    const Vec3 at[] = {{-0.2f, 0.5f, 0.5f}, {1.2f, 0.5f, 1.1f}, {0.5f, -0.4f, 0.5f}, {0.5f, 0.5f, 0.99f}};
    const Vec3 moved[] = {{0, 0.5f, 0.5f}, {1, 0.5f, 1}, {0.5f, -0.4f, 0.5f}, {0.5f, 0.5f, 0.99f}};
    const float slant = 0.70710678f;
    const Vec3 normals[] = {{-1, 0, 0}, {slant, 0, slant}, {0, 1, 0}, {0, 1, 0}};
    Vec3 vertex[4], normal[4] = {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
    SurfaceMesh mesh = {.vertex = vertex, .normal = normal, .vertex_count = 4};
    for (int k = 0; k < 4; k++) vertex[k] = vec3_sub(at[k], vec3_make(1, 2, -4));
    surface_mesh_move(&mesh, vec3_make(1, 2, -4));
    for (int k = 0; k < 4; k++) assert_true(vec3_length(vec3_sub(vertex[k], at[k])) < 1e-6f);
    surface_mesh_clip(&mesh, (Box3){{0, 0, -INFINITY}, {1, 1, 1}}, 0.3f);
    for (int k = 0; k < 4; k++) {
        assert_true(vec3_length(vec3_sub(vertex[k], moved[k])) < 1e-6f);
        assert_true(vec3_length(vec3_sub(normal[k], normals[k])) < 1e-6f);
    }
}

static void no_particles_give_an_empty_mesh(void **state)
{
    (void)state;
    SurfaceDef def = surface_def_default(0.1f);
    SurfaceMesh mesh;
    Result result = surface_reconstruct(&def, (SurfacePoints){0}, &mesh);
    assert_true(result_is_ok(&result));
    assert_int_equal(mesh.vertex_count, 0);
    assert_int_equal(mesh.triangle_count, 0);
    assert_true(surface_mesh_volume(&mesh) == 0);
    surface_mesh_free(&mesh);
}

// Lattice and random balls; smoothed and raw, both kinds of kernels, three grids.
static void a_ball_has_its_volume_and_radius(void **state)
{
    (void)state;
    const double radius = 10;
    for (int variant = 0; variant < 5; variant++) {
        TestCloud cloud = test_cloud_make(6000);
        uint64_t random = 7;
        for (int k = 0; k < 23 * 23 * 23; k++) {
            double at[3] = {k % 23 - 11, k / 23 % 23 - 11, k / 529 - 11};
            if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > radius * radius) continue;
            for (int a = 0; a < 3; a++) at[a] += 0.2 * test_cloud_random(&random);
            test_cloud_add(&cloud, 0.05 * at[0] + 3.01, 0.05 * at[1] - 7.3, 0.05 * at[2]);
        }
        SurfaceDef def = surface_def_default(0.05f);
        def.anisotropic = variant != 1;
        def.smoothing = variant == 2 ? 0 : def.smoothing;
        def.cell = variant == 3 ? 0.3f : variant == 4 ? 0.8f : def.cell;
        SurfaceMesh mesh = make(&def, &cloud);
        mesh_assert_sound(&mesh);
        MeshVerdict verdict = mesh_judge(&mesh);
        assert_int_equal(verdict.components, 1);
        assert_int_equal(verdict.euler, 2);
        double volume = cloud.count * pow(0.05, 3);
        double truth = cbrt(volume * 3 / (4 * PI)); // of the ball that holds the particles' volume
        assert_true(fabs(verdict.volume / volume - 1) < 0.02);
        assert_true(fabs(surface_mesh_volume(&mesh) / volume - 1) < 0.02);
        double mean = 0;
        for (uint32_t v = 0; v < mesh.vertex_count; v++) {
            mean +=
                (double)vec3_length(vec3_sub(mesh.vertex[v], vec3_make(3.01f, -7.3f, 0))) / mesh.vertex_count;
        }
        assert_true(fabs(mean - truth) < 0.5 * (double)def.cell * 0.05);
        surface_mesh_free(&mesh);
        test_cloud_free(&cloud);
    }
}

// How far a surface is from a plane z = 0, over its area; in spacings and degrees.
typedef struct Flatness {
    double offset, rms, tilt;
} Flatness;

// Of the top face of a block of n^3 whose corner is at (shift, shift, shift), edges left out. Over the area,
// not over the vertices: those crowd where the surface passes the grid's nodes.
static Flatness measure_top(const SurfaceMesh *mesh, double n, double shift)
{
    double area = 0, sum = 0, squares = 0, tilt = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double height[3], tilts[3];
        Vec3 at[3];
        int k = 0;
        for (; k < 3; k++) {
            at[k] = mesh->vertex[mesh->triangle[t][k]];
            height[k] = (double)at[k].z - shift - n;
            tilts[k] = acos(fmin(1, (double)mesh->normal[mesh->triangle[t][k]].z)) * 180 / PI;
            double x = (double)at[k].x - shift - n / 2, y = (double)at[k].y - shift - n / 2;
            if (height[k] < -2 || fabs(x) > 0.4 * n || fabs(y) > 0.4 * n) break;
        }
        if (k < 3) continue;
        double part = (double)vec3_length(vec3_cross(vec3_sub(at[1], at[0]), vec3_sub(at[2], at[0]))) / 2 / 3;
        for (k = 0; k < 3; k++) {
            area += part;
            sum += part * height[k];
            squares += part * height[k] * height[k];
            tilt += part * tilts[k];
        }
    }
    assert_true(area > 0.6 * n * n);
    double offset = sum / area;
    return (Flatness){offset, sqrt(squares / area - offset * offset), tilt / area};
}

// Whatever the jitter and wherever the grid's planes lie relative to the face.
static void a_plane_surface_is_flat(void **state)
{
    (void)state;
    const double shifts[] = {0, 0.06, 0.13, 0.21, 0.38, 0.45};
    const uint32_t n = 50, seeds = test_is_full() ? 5 : 1;
    TestCloud cloud = test_cloud_make(n * n * n);
    for (uint32_t k = 0; k < (test_is_quick() ? 1 : 6 * seeds); k++) {
        double shift = shifts[k % 6];
        cloud.count = 0;
        cloud.random = test_is_full() ? 1 + k / 6 : 1 + k;
        float low = (float)shift;
        test_cloud_add_box(&cloud, vec3_make(low, low, low), n, n, n, 0.2);
        SurfaceDef def = surface_def_default(1);
        SurfaceMesh mesh = make(&def, &cloud);
        Flatness flat = measure_top(&mesh, n, shift);
        print_message("shift %.2f: offset %+.4f, rms %.4f spacings, tilt %.2f degrees\n", shift, flat.offset,
                      flat.rms, flat.tilt);
        assert_true(fabs(flat.offset) < 0.01);
        assert_true(flat.rms < 0.032);
        assert_true(flat.tilt < 1.4);
        if (k == 0) mesh_assert_sound(&mesh);
        surface_mesh_free(&mesh);
    }
    test_cloud_free(&cloud);
}

// Adds `count` steps along each of two directions in space that no grid knows.
static void add_grid(TestCloud *cloud, uint32_t nu, uint32_t nv, double step, uint64_t *random)
{
    for (uint32_t k = 0; k < nu * nv; k++) {
        double u = step * (k % nu) + 0.1 * test_cloud_random(random);
        double v = step * (k / nu) + 0.1 * test_cloud_random(random), w = 0.1 * test_cloud_random(random);
        test_cloud_add(cloud, 0.36 * u + 0.48 * v - 0.8 * w, -0.8 * u + 0.6 * v,
                       0.48 * u + 0.64 * v + 0.6 * w);
    }
}

// Where few particles are, the field is built to hold their volume, not where it happens to pass the
// isovalue.
static void drops_strands_and_sheets_keep_their_volume(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint32_t nu, nv;
        double step, least, most;
    } shapes[] = {
        {"lone", 1, 1, 1, 0.9, 1.15},
        {"pair", 2, 1, 1, 0.85, 1.15},
        {"four", 2, 2, 1, 0.75, 1.1},
        {"strand", 60, 1, 1, 0.9, 1.2},
        {"loose strand", 60, 1, 1.4, 0.8, 1.25},
        {"sheet", 30, 30, 1, 0.85, 1.15},
        {"loose sheet", 30, 30, 1.4, 0.8, 1.3},
    };
    TestCloud cloud = test_cloud_make(1000);
    uint64_t random = 9;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        double part = 0;
        const int places = shapes[k].nu * shapes[k].nv < 100 ? 20 : 1; // relative to the grid
        for (int place = 0; place < places; place++) {
            cloud.count = 0;
            add_grid(&cloud, shapes[k].nu, shapes[k].nv, shapes[k].step, &random);
            float by = (float)test_cloud_random(&random);
            for (uint32_t i = 0; i < cloud.count; i++)
                cloud.x[i] += by, cloud.y[i] -= by, cloud.z[i] += 2 * by;
            SurfaceDef def = surface_def_default(1);
            def.isovalue = 0.5f;
            SurfaceMesh mesh = make(&def, &cloud);
            mesh_assert_sound(&mesh);
            MeshVerdict verdict = mesh_judge(&mesh);
            assert_int_equal(verdict.components, 1);
            part += verdict.volume / cloud.count / places;
            surface_mesh_free(&mesh);
        }
        print_message("%s: %.2f of the volume\n", shapes[k].what, part);
        assert_true(part > shapes[k].least && part < shapes[k].most);
    }
    test_cloud_free(&cloud);
}

// Particles 2.2 spacings above a block are within the radius that shapes kernels, but no part of the block;
// nor do two blocks grow together.
static void bodies_that_are_near_each_other_do_not_reach_out(void **state)
{
    (void)state;
    for (int blocks = 0; blocks < 2; blocks++) {
        TestCloud cloud = test_cloud_make(5000);
        test_cloud_add_box(&cloud, vec3_make(0, 0, 0), 20, 20, 6, 0.1);
        if (blocks) test_cloud_add_box(&cloud, vec3_make(0, 0, 7.2f), 20, 20, 6, 0.1);
        for (int k = 0; k < 25 && !blocks; k++)
            test_cloud_add(&cloud, 4 * (k % 5) + 0.9, 4 * (k / 5) + 0.8, 7.7);
        SurfaceDef def = surface_def_default(1);
        SurfaceMesh mesh = make(&def, &cloud);
        mesh_assert_sound(&mesh);
        MeshVerdict verdict = mesh_judge(&mesh);
        assert_int_equal(verdict.components, blocks ? 2 : 26);
        assert_int_equal(verdict.hollow, 0);
        surface_mesh_free(&mesh);
        test_cloud_free(&cloud);
    }
}

// In two directions: along the grid and across it.
static void a_sheet_one_particle_thick_stays_one_whole_sheet(void **state)
{
    (void)state;
    for (int tilted = 0; tilted < 2; tilted++) {
        TestCloud cloud = test_cloud_make(1600);
        uint64_t random = 3;
        for (int k = 0; k < 1600; k++) {
            double u = k % 40 + 0.2 * test_cloud_random(&random),
                   v = k / 40 + 0.2 * test_cloud_random(&random);
            double w = 0.2 * test_cloud_random(&random) + 0.11;
            // Axes of a rotation without special directions.
            double x = 0.36 * u + 0.48 * v - 0.8 * w, y = -0.8 * u + 0.6 * v,
                   z = 0.48 * u + 0.64 * v + 0.6 * w;
            test_cloud_add(&cloud, tilted ? x : u, tilted ? y : v, tilted ? z : w);
        }
        SurfaceDef def = surface_def_default(1);
        SurfaceMesh mesh = make(&def, &cloud);
        mesh_assert_sound(&mesh);
        MeshVerdict verdict = mesh_judge(&mesh);
        print_message("sheet %d euler %d volume %.0f\n", tilted, (int)verdict.euler, verdict.volume);
        assert_int_equal(verdict.components, 1);
        assert_int_equal(verdict.euler, 2); // no holes through it
        assert_true(verdict.volume > 0.7 * 1600 && verdict.volume < 1.3 * 1600);
        surface_mesh_free(&mesh);
        test_cloud_free(&cloud);
    }
}

static void a_thousand_droplets_stay_a_thousand_closed_pieces(void **state)
{
    (void)state;
    TestCloud cloud = test_cloud_make(1000);
    uint64_t random = 5;
    for (int k = 0; k < 1000; k++) {
        double at[3] = {k % 10, k / 10 % 10, k / 100};
        for (int a = 0; a < 3; a++) at[a] = 4 * at[a] + test_cloud_random(&random) * 0.9;
        test_cloud_add(&cloud, at[0], at[1], at[2]);
    }
    SurfaceDef def = surface_def_default(1);
    SurfaceMesh mesh = make(&def, &cloud);
    mesh_assert_sound(&mesh);
    MeshVerdict verdict = mesh_judge(&mesh);
    assert_int_equal(verdict.components, 1000);
    assert_int_equal(verdict.euler, 2000);
    assert_int_equal(verdict.hollow, 0);
    assert_true(verdict.volume > 0.9 * 1000 && verdict.volume < 1.15 * 1000);
    surface_mesh_free(&mesh);
    test_cloud_free(&cloud);
}

// Drops so small that one node of a coarse grid lies in each, at every place that a node has in its block.
// More of them than bins are looked at at a time.
static void ten_thousand_drops_all_have_a_surface(void **state)
{
    (void)state;
    TestCloud cloud = test_cloud_make(10000);
    for (int k = 0; k < 10000; k++) test_cloud_add(&cloud, 8 * (k % 25), 8 * (k / 25 % 20), 8 * (k / 500));
    SurfaceDef def = surface_def_default(1);
    def.cell = 1;
    SurfaceMesh mesh = make(&def, &cloud);
    assert_int_equal(mesh.stats.pieces, 10000);
    assert_true(mesh.vertex_count % 10000 == 0 && mesh.vertex_count >= 60000); // all alike
    surface_mesh_free(&mesh);
    test_cloud_free(&cloud);
}

static void a_drop_around_one_node_is_closed_wherever_the_node_is(void **state)
{
    (void)state;
    TestCloud cloud = test_cloud_make(512);
    for (int k = 0; k < 512; k++)
        test_cloud_add(&cloud, 2.0 * 17 * (k % 8), 2.0 * 17 * (k / 8 % 8), 2.0 * 17 * (k / 64));
    SurfaceDef def = surface_def_default(1);
    def.cell = 2;
    def.smoothing = 0;
    def.speck_volume = 0;
    def.isovalue = 0.3f;
    SurfaceMesh mesh = make(&def, &cloud);
    mesh_assert_sound(&mesh);
    assert_int_equal(mesh.vertex_count, 512 * 6); // octahedra
    assert_int_equal(mesh.triangle_count, 512 * 8);
    surface_mesh_free(&mesh);
    test_cloud_free(&cloud);
}

// A pool, drops, strands, a tall stray far away: every kind of place at once.
static TestCloud make_splash(void)
{
    TestCloud cloud = test_cloud_make(40000);
    test_cloud_add_box(&cloud, vec3_make(0, 0, 0), 30, 30, 12, 0.3);
    uint64_t random = 11;
    for (int k = 0; k < 3000; k++) {
        double x = 15 + 14 * test_cloud_random(&random), y = 15 + 14 * test_cloud_random(&random);
        double z = 12 + 12 * fabs(test_cloud_random(&random) * test_cloud_random(&random));
        test_cloud_add(&cloud, x, y, z);
    }
    for (int k = 0; k < 60; k++) test_cloud_add(&cloud, 3 + 0.4 * k, 8 + 3 * sin(0.2 * k), 26);
    test_cloud_add(&cloud, 900, -500, 12);
    for (uint32_t i = 0; i < cloud.count; i++)
        cloud.vx[i] = 2 * cloud.z[i], cloud.vy[i] = 1, cloud.vz[i] = -cloud.x[i];
    return cloud;
}

static void a_splash_is_closed_and_two_manifold_for_every_setting(void **state)
{
    (void)state;
    TestCloud cloud = make_splash();
    for (int variant = 0; variant < (test_is_quick() ? 2 : 7); variant++) {
        SurfaceDef def = surface_def_default(1);
        if (variant == 1) def.smoothing = 0, def.speck_volume = 0;
        if (variant == 2) def.anisotropic = false;
        if (variant == 3) def.cell = 0.25f;
        if (variant == 4) def.cell = 1.5f;
        if (variant == 5) def.center_smoothing = 0.95f, def.isovalue = 0.3f;
        if (variant == 6) def.center_smoothing = 0, def.support = 1, def.kernel_min = 1, def.isovalue = 0.9f;
        SurfaceMesh mesh = make(&def, &cloud);
        print_message("variant %d: %u triangles\n", variant, mesh.triangle_count);
        assert_true(mesh.triangle_count > 1000);
        mesh_assert_sound(&mesh);
        surface_mesh_free(&mesh);
    }
    test_cloud_free(&cloud);
}

static void the_mesh_is_the_same_for_any_number_of_threads_and_instruction_set(void **state)
{
    (void)state;
    TestCloud cloud = make_splash();
    SurfaceDef def = surface_def_default(1);
    SurfaceMesh first = {0};
    const uint32_t threads[] = {1, 2, 3, 7};
    for (int k = 0; k < 4 + CPU_LEVEL_COUNT - CPU_PLAIN; k++) {
        parallel_set_workers(k < 4 ? threads[k] : 2);
        cpu_set_level(k < 4 ? CPU_AVX512 : (CpuLevel)(k - 4 + CPU_PLAIN));
        SurfaceMesh mesh = make(&def, &cloud);
        if (k == 0) {
            first = mesh;
            continue;
        }
        assert_int_equal(mesh.vertex_count, first.vertex_count);
        assert_int_equal(mesh.triangle_count, first.triangle_count);
        assert_memory_equal(mesh.vertex, first.vertex, mesh.vertex_count * sizeof(Vec3));
        assert_memory_equal(mesh.normal, first.normal, mesh.vertex_count * sizeof(Vec3));
        assert_memory_equal(mesh.velocity, first.velocity, mesh.vertex_count * sizeof(Vec3));
        assert_memory_equal(mesh.triangle, first.triangle, mesh.triangle_count * sizeof *mesh.triangle);
        surface_mesh_free(&mesh);
    }
    parallel_set_workers(0);
    cpu_set_level(CPU_AVX512);
    surface_mesh_free(&first);
    test_cloud_free(&cloud);
}

// The velocities of the splash are linear in space; a drop alone has its particle's.
static void vertices_move_with_the_particles_near_them(void **state)
{
    (void)state;
    TestCloud cloud = make_splash();
    SurfaceDef def = surface_def_default(1);
    SurfaceMesh mesh = make(&def, &cloud);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        Vec3 at = mesh.vertex[v], velocity = mesh.velocity[v];
        assert_true(fabsf(velocity.y - 1) < 1e-4f);
        assert_true(fabsf(velocity.x - 2 * at.z) < 2 * def.support + 1);
        assert_true(fabsf(velocity.z + at.x) < def.support + 1);
    }
    surface_mesh_free(&mesh);
    test_cloud_free(&cloud);
}

// Length of a drop's vertices along a direction.
static double length_along(const SurfaceMesh *mesh, Vec3 center, Vec3 direction)
{
    double least = INFINITY, most = -INFINITY;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        Vec3 from = vec3_sub(mesh->vertex[v], center);
        if (vec3_length(from) > 4) continue;
        least = fmin(least, (double)vec3_dot(from, direction));
        most = fmax(most, (double)vec3_dot(from, direction));
    }
    return most - least;
}

// As long as a shutter is open, a drop moves: at 100 m/s one spacing in 0.01 s, twice its length, 1/sqrt(2)
// its width. What is more than a drop keeps its shape, bit for bit.
static void drops_are_stretched_along_their_motion_and_keep_their_volume(void **state)
{
    (void)state;
    TestCloud cloud = test_cloud_make(2000);
    test_cloud_add_box(&cloud, vec3_make(0, 0, -40), 8, 8, 8, 0.1);
    uint32_t block = cloud.count;
    uint64_t random = 5;
    for (int k = 0; k < 125; k++) {
        Vec3 v = {(float)test_cloud_random(&random), (float)test_cloud_random(&random),
                  (float)test_cloud_random(&random)};
        double nudge = test_cloud_random(&random);
        test_cloud_add(&cloud, 8 * (k % 5) + nudge, 8 * (k / 5 % 5) - nudge, 8 * (k / 25) + 0.7 * nudge);
        v = vec3_scale(vec3_normalize_or(v, vec3_make(1, 0, 0)), 100);
        cloud.vx[cloud.count - 1] = v.x, cloud.vy[cloud.count - 1] = v.y, cloud.vz[cloud.count - 1] = v.z;
    }
    for (uint32_t i = 0; i < block; i++) cloud.vx[i] = 100, cloud.vy[i] = cloud.vz[i] = 0;
    SurfaceDef def = surface_def_default(1);
    def.smoothing = 0;
    def.isovalue = 0.5f;
    def.cell = 0.25f;
    SurfaceMesh round = make(&def, &cloud);
    def.shutter = 0.01f;
    SurfaceMesh stretched = make(&def, &cloud);
    mesh_assert_sound(&stretched);
    assert_int_equal(mesh_judge(&stretched).components, 126);
    double volume = surface_mesh_volume(&stretched) / surface_mesh_volume(&round);
    double ratio = 0, width = 0;
    for (uint32_t i = block; i < cloud.count; i++) {
        Vec3 at = {cloud.x[i], cloud.y[i], cloud.z[i]};
        Vec3 u = vec3_scale(vec3_make(cloud.vx[i], cloud.vy[i], cloud.vz[i]), 0.01f);
        Vec3 side = vec3_normalize_or(vec3_cross(u, vec3_make(0.3f, 0.5f, -0.8f)), u);
        ratio += length_along(&stretched, at, u) / length_along(&round, at, u) / 125;
        width += length_along(&stretched, at, side) / length_along(&round, at, side) / 125;
    }
    print_message("length %.2f, width %.2f, volume %.4f\n", ratio, width, volume);
    assert_true(fabs(volume - 1) < 0.01);
    assert_true(fabs(ratio - 2) < 0.1 && fabs(width - sqrt(0.5)) < 0.06);
    assert_true(length_along(&stretched, vec3_make(4, 4, -36), vec3_make(1, 0, 0)) ==
                length_along(&round, vec3_make(4, 4, -36), vec3_make(1, 0, 0)));
    surface_mesh_free(&round);
    surface_mesh_free(&stretched);
    test_cloud_free(&cloud);
}

// However fast, along whichever axis: as long as the largest kernel, and no longer.
static void fast_drops_are_drawn_out_alike_in_all_directions(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        TestCloud cloud = test_cloud_make(8);
        const float speed = slow ? 40 : 1000;
        const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (int k = 0; k < 6; k++) {
            test_cloud_add(&cloud, 8 * k, 0, 0);
            Vec3 v = vec3_scale(axes[k / 2], k % 2 ? speed : -speed);
            cloud.vx[k] = v.x, cloud.vy[k] = v.y, cloud.vz[k] = v.z;
        }
        SurfaceDef def = surface_def_default(1);
        def.smoothing = 0;
        def.isovalue = 0.1f;
        def.cell = 0.25f;
        SurfaceMesh round = make(&def, &cloud);
        def.shutter = 0.01f;
        SurfaceMesh mesh = make(&def, &cloud);
        mesh_assert_sound(&mesh);
        double first = 0;
        for (int k = 0; k < 6; k++) {
            Vec3 at = {8 * (float)k, 0, 0};
            double length = length_along(&mesh, at, axes[k / 2]);
            if (k == 0) first = length;
            assert_true(fabs(length / first - 1) < 0.01);
            assert_true(length < 2 * (double)def.support);
            assert_true(length > (slow ? 1.2 : 1.4) * length_along(&round, at, axes[k / 2]));
            for (int side = 1; side < 3; side++)
                assert_true(length_along(&mesh, at, axes[(k / 2 + side) % 3]) < 0.8 * length);
        }
        print_message("drops of %g m/s: %.2f long, %.2f at rest\n", (double)speed, first,
                      length_along(&round, vec3_make(0, 0, 0), axes[0]));
        surface_mesh_free(&round);
        surface_mesh_free(&mesh);
        test_cloud_free(&cloud);
    }
}

// Particles on the grid's nodes, which reach no other node, in a checkerboard with faults: the field passes
// the isovalue on nearly every edge of the grid, and each has its vertex.
static void every_edge_of_a_rough_field_has_its_vertex(void **state)
{
    (void)state;
    enum { SIDE = 26 };
    static bool inside[SIDE + 2][SIDE + 2][SIDE + 2];
    TestCloud cloud = test_cloud_make(SIDE * SIDE * SIDE);
    for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
        int x = k % SIDE, y = k / SIDE % SIDE, z = k / SIDE / SIDE;
        bool fault = test_cloud_random(&cloud.random) > 0.9;
        inside[z + 1][y + 1][x + 1] = ((x + y + z) % 2 == 0) != fault;
        if (inside[z + 1][y + 1][x + 1]) test_cloud_add(&cloud, 2 * (x - 9), 2 * y, 2 * (z + 5));
    }
    uint32_t crossed = 0;
    for (int z = 0; z <= SIDE; z++)
        for (int y = 0; y <= SIDE; y++)
            for (int x = 0; x <= SIDE; x++) {
                bool here = inside[z][y][x];
                crossed += here != inside[z][y][x + 1];
                crossed += here != inside[z][y + 1][x];
                crossed += here != inside[z + 1][y][x];
            }
    SurfaceDef def = surface_def_default(1);
    def.cell = 2, def.support = 1, def.anisotropic = false, def.isovalue = 0.3f;
    def.smoothing = 0, def.speck_volume = 0;
    SurfaceMesh mesh = make(&def, &cloud);
    assert_int_equal(mesh.vertex_count, crossed);
    MeshVerdict verdict = mesh_judge(&mesh);
    assert_true(verdict.open_edges == 0 && verdict.unused == 0 && verdict.degenerate == 0);
    surface_mesh_free(&mesh);
    test_cloud_free(&cloud);
}

static void specks_are_left_out_by_volume(void **state)
{
    (void)state;
    TestCloud cloud = test_cloud_make(2000);
    test_cloud_add_box(&cloud, vec3_make(0, 0, 0), 10, 10, 10, 0.1);
    for (int k = 0; k < 7; k++) test_cloud_add(&cloud, 20 + 5 * k, 3, 2);
    SurfaceDef def = surface_def_default(1);
    SurfaceMesh all = make(&def, &cloud);
    assert_int_equal(mesh_judge(&all).components, 8);
    def.speck_volume = 3;
    SurfaceMesh large = make(&def, &cloud);
    mesh_assert_sound(&large);
    assert_int_equal(mesh_judge(&large).components, 1);
    surface_mesh_free(&all);
    surface_mesh_free(&large);
    test_cloud_free(&cloud);
}

// A block of 12^3 without its innermost particles.
static void add_hollow_block(TestCloud *cloud, int hollow)
{
    for (int k = 0; k < 12 * 12 * 12; k++) {
        int at[3] = {k % 12, k / 12 % 12, k / 144}, inner = 0;
        for (int a = 0; a < 3; a++) inner += at[a] >= 6 - hollow / 2 && at[a] < 6 - hollow / 2 + hollow;
        if (inner < 3) test_cloud_add(cloud, at[0], at[1], at[2]);
    }
}

static void hollows_of_a_particle_are_filled_and_bubbles_stay(void **state)
{
    (void)state;
    for (int hollow = 0; hollow < 5; hollow += hollow == 1 ? 3 : 1) { // 0, 1, 4
        TestCloud cloud = test_cloud_make(2000);
        add_hollow_block(&cloud, hollow);
        SurfaceDef def = surface_def_default(1);
        SurfaceMesh mesh = make(&def, &cloud);
        mesh_assert_sound(&mesh);
        MeshVerdict verdict = mesh_judge(&mesh);
        assert_int_equal(verdict.components, hollow == 4 ? 2 : 1);
        assert_int_equal(verdict.hollow, hollow == 4);
        assert_true(fabs(verdict.volume / cloud.count - 1) < 0.01);
        surface_mesh_free(&mesh);
        test_cloud_free(&cloud);
    }
}

static void expect_error(const SurfaceDef *def, const TestCloud *cloud, const char *part)
{
    SurfaceMesh mesh;
    Result result = surface_reconstruct(def, test_cloud_points(cloud, false), &mesh);
    assert_int_equal(result.code, RESULT_USAGE);
    if (!strstr(result.text, part)) fail_msg("\"%s\" lacks \"%s\"", result.text, part);
    assert_null(mesh.vertex);
}

static void what_cannot_be_meshed_is_refused_in_one_line(void **state)
{
    (void)state;
    TestCloud cloud = test_cloud_make(2000);
    test_cloud_add_box(&cloud, vec3_make(0, 0, 0), 10, 10, 10, 0.1);
    SurfaceDef def = surface_def_default(1);
    def.memory_limit = 100000;
    expect_error(&def, &cloud, "MB are available");
    def.memory_limit = 0;
    def.cell = 0;
    expect_error(&def, &cloud, "surface.cell: 0 is out of range (0.1 to 2 spacings)");
    def = surface_def_default(NAN);
    expect_error(&def, &cloud, "surface: a spacing of nan m is out of range");
    def = surface_def_default(1);
    cloud.y[17] = NAN;
    expect_error(&def, &cloud, "particle 17: y = nan (must be finite)");
    cloud.y[17] = INFINITY;
    expect_error(&def, &cloud, "particle 17: y = inf");
    cloud.y[17] = -1e30f;
    expect_error(&def, &cloud, "grid cells");
    for (uint32_t k = 0; k < cloud.count; k++) cloud.y[k] = 1e7f;
    expect_error(&def, &cloud, "coordinates go in steps of 1 m: too coarse for grid cells of 0.5 m");
    for (uint32_t k = 0; k < cloud.count; k++) cloud.y[k] = 4e6f;
    uint64_t before = memory_bytes_in_use();
    SurfaceMesh mesh = make(&def, &cloud);
    surface_mesh_free(&mesh);
    assert_int_equal(memory_bytes_in_use(), before);
    test_cloud_free(&cloud);
}

// A lone drop has the volume of its particle within 15 % at every spacing, limits included.
static void spacings_at_the_limits_are_meshed(void **state)
{
    (void)state;
    static const float spacings[] = {1e-6f, 1e6f};
    for (int k = 0; k < 2; k++) {
        TestCloud cloud = test_cloud_make(1);
        test_cloud_add_box(&cloud, vec3_make(0, 0, 0), 1, 1, 1, (double)spacings[k]);
        SurfaceDef def = surface_def_default(spacings[k]);
        SurfaceMesh mesh = make(&def, &cloud);
        assert_true(fabs(surface_mesh_volume(&mesh) / pow((double)spacings[k], 3) - 1) < 0.15);
        surface_mesh_free(&mesh);
        test_cloud_free(&cloud);
    }
}

// Two drops far from each other and from the origin cost blocks for two drops.
static void memory_follows_the_surface_not_the_domain(void **state)
{
    (void)state;
    TestCloud cloud = test_cloud_make(3);
    test_cloud_add(&cloud, -900000, 0, 5);
    test_cloud_add(&cloud, 100000, 300000, 5);
    SurfaceDef def = surface_def_default(1);
    SurfaceMesh mesh = make(&def, &cloud);
    mesh_assert_sound(&mesh);
    assert_int_equal(mesh_judge(&mesh).components, 2);
    assert_true(mesh.stats.blocks <= 54);
    surface_mesh_free(&mesh);
    test_cloud_free(&cloud);
}

static void the_spacing_is_estimated_from_the_particles(void **state)
{
    (void)state;
    TestCloud cloud = test_cloud_make(30 * 30 * 30);
    test_cloud_add_box(&cloud, vec3_make(0, 0, 0), 30, 30, 30, 0.2);
    for (uint32_t i = 0; i < cloud.count; i++) cloud.x[i] *= 0.05f, cloud.y[i] *= 0.05f, cloud.z[i] *= 0.05f;
    SurfacePoints points = test_cloud_points(&cloud, false);
    bool certain;
    assert_true(fabsf(surface_estimate_spacing(&points, &certain) / 0.05f - 1) < 0.02f);
    assert_true(certain);
    points.count = 1;
    assert_true(surface_estimate_spacing(&points, &certain) == 0);
    test_cloud_free(&cloud);
}

// Five particles of six in strands and spray must not be taken for water that is thinner.
static void spray_does_not_inflate_the_estimated_spacing(void **state)
{
    (void)state;
    bool certain;
    TestCloud cloud = test_cloud_make(12 * 12 * 12 + 9000);
    test_cloud_add_box(&cloud, vec3_make(0, 0, 0), 12, 12, 12, 0.2);
    uint32_t block = cloud.count;
    for (uint32_t k = 0; k < 9000; k++) {
        uint32_t strand = k / 60, row = k % 60; // two particles thick
        test_cloud_add(&cloud, 20 + row / 2, 20.0 * (strand % 12) + row % 2, 20.0 * (strand / 12));
    }
    SurfacePoints points = test_cloud_points(&cloud, false);
    assert_true(fabsf(surface_estimate_spacing(&points, &certain) - 1) < 0.03f);
    assert_true(certain);
    // Strands alone: their nearest neighbors have to do.
    points.x += block, points.y += block, points.z += block;
    points.count -= block;
    assert_true(fabsf(surface_estimate_spacing(&points, &certain) / 1.4f - 1) < 0.15f);
    assert_false(certain);
    test_cloud_free(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_particles_give_an_empty_mesh),
        cmocka_unit_test(a_mesh_is_moved_and_ends_at_walls),
        cmocka_unit_test(a_ball_has_its_volume_and_radius),
        cmocka_unit_test(a_plane_surface_is_flat),
        cmocka_unit_test(drops_strands_and_sheets_keep_their_volume),
        cmocka_unit_test(bodies_that_are_near_each_other_do_not_reach_out),
        cmocka_unit_test(a_sheet_one_particle_thick_stays_one_whole_sheet),
        cmocka_unit_test(a_thousand_droplets_stay_a_thousand_closed_pieces),
        cmocka_unit_test(ten_thousand_drops_all_have_a_surface),
        cmocka_unit_test(a_drop_around_one_node_is_closed_wherever_the_node_is),
        cmocka_unit_test(a_splash_is_closed_and_two_manifold_for_every_setting),
        cmocka_unit_test(the_mesh_is_the_same_for_any_number_of_threads_and_instruction_set),
        cmocka_unit_test(vertices_move_with_the_particles_near_them),
        cmocka_unit_test(drops_are_stretched_along_their_motion_and_keep_their_volume),
        cmocka_unit_test(fast_drops_are_drawn_out_alike_in_all_directions),
        cmocka_unit_test(every_edge_of_a_rough_field_has_its_vertex),
        cmocka_unit_test(specks_are_left_out_by_volume),
        cmocka_unit_test(hollows_of_a_particle_are_filled_and_bubbles_stay),
        cmocka_unit_test(what_cannot_be_meshed_is_refused_in_one_line),
        cmocka_unit_test(the_spacing_is_estimated_from_the_particles),
        cmocka_unit_test(spray_does_not_inflate_the_estimated_spacing),
        cmocka_unit_test(spacings_at_the_limits_are_meshed),
        cmocka_unit_test(memory_follows_the_surface_not_the_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
