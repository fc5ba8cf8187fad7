// Spray: which pieces of a mesh become drops, and that they are as much water.
#include "surface_helpers.h"

#include "core/memory.h"
#include "render/spray.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A block of water and particles far from it and from each other.
typedef struct Splash {
    TestCloud cloud;
    uint32_t *id;
    SurfaceMesh mesh;
    FrameView view;
} Splash;

enum { LONE = 40, BLOCK = 6 };

static Splash make_splash(uint32_t lone)
{
    Splash splash = {.cloud = test_cloud_make(BLOCK * BLOCK * BLOCK + LONE)};
    TestCloud *cloud = &splash.cloud;
    test_cloud_add_box(cloud, vec3_make(0, 0, 0), BLOCK, BLOCK, BLOCK, 0);
    for (uint32_t k = 0; k < lone; k++) test_cloud_add(cloud, 12 + 6.3 * (k % 8), 6.1 * (k / 8), 7.7);
    splash.id = memory_allocate((cloud->count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < cloud->count; i++) {
        splash.id[i] = 1000 - i;
        cloud->vx[i] = 3, cloud->vy[i] = 0, cloud->vz[i] = -4;
    }
    SurfaceDef def = surface_def_default(1);
    Result result = surface_reconstruct(&def, test_cloud_points(cloud, false), &splash.mesh);
    assert_true(result_is_ok(&result));
    splash.view = (FrameView){.spacing = 1,
                              .count = cloud->count,
                              .x = cloud->x,
                              .y = cloud->y,
                              .z = cloud->z,
                              .vx = cloud->vx,
                              .vy = cloud->vy,
                              .vz = cloud->vz,
                              .id = splash.id};
    return splash;
}

static void free_splash(Splash *splash)
{
    surface_mesh_free(&splash->mesh);
    test_cloud_free(&splash->cloud);
    memory_free(splash->id);
}

static SurfaceMesh make_spray(const Splash *splash)
{
    SurfaceMesh spray;
    Result result = spray_make(&splash->mesh, &splash->view, &spray);
    assert_true(result_is_ok(&result));
    return spray;
}

static void every_lone_particle_becomes_closed_drops_of_its_volume(void **state)
{
    (void)state;
    Splash splash = make_splash(LONE);
    SurfaceMesh spray = make_spray(&splash);
    MeshVerdict before = mesh_judge(&splash.mesh), after = mesh_judge(&spray);
    assert_int_equal(before.components, 1 + LONE);
    assert_int_equal(after.components, 1 + 4 * LONE);
    mesh_assert_sound(&spray);
    assert_true(fabs(after.volume - before.volume) < 1e-4 * before.volume);
    surface_mesh_free(&spray);
    free_splash(&splash);
}

static void drops_stay_near_their_particle_but_not_on_it(void **state)
{
    (void)state;
    Splash splash = make_splash(LONE);
    SurfaceMesh spray = make_spray(&splash);
    float far = 0;
    for (uint32_t v = 0; v < spray.vertex_count; v++) {
        float nearest = 1e9f;
        for (uint32_t i = 0; i < splash.view.count; i++) {
            Vec3 p = vec3_make(splash.view.x[i], splash.view.y[i], splash.view.z[i]);
            nearest = fminf(nearest, vec3_length(vec3_sub(spray.vertex[v], p)));
        }
        far = fmaxf(far, nearest);
    }
    assert_true(far > 1 && far < 3);
    surface_mesh_free(&spray);
    free_splash(&splash);
}

static int compare_x(const void *a, const void *b)
{
    float x = ((const Vec3 *)a)->x, y = ((const Vec3 *)b)->x;
    return (x > y) - (x < y);
}

static void drops_follow_the_particles_id_whatever_its_place_in_memory(void **state)
{
    (void)state;
    Splash splash = make_splash(LONE);
    SurfaceMesh one = make_spray(&splash);
    uint32_t n = splash.view.count;
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t j = n - 1 - i, id = splash.id[i];
        float x = splash.cloud.x[i], y = splash.cloud.y[i], z = splash.cloud.z[i];
        splash.cloud.x[i] = splash.cloud.x[j], splash.cloud.x[j] = x;
        splash.cloud.y[i] = splash.cloud.y[j], splash.cloud.y[j] = y;
        splash.cloud.z[i] = splash.cloud.z[j], splash.cloud.z[j] = z;
        splash.id[i] = splash.id[j], splash.id[j] = id;
    }
    SurfaceMesh two = make_spray(&splash);
    assert_int_equal(one.vertex_count, two.vertex_count);
    qsort(one.vertex, one.vertex_count, sizeof(Vec3), compare_x);
    qsort(two.vertex, two.vertex_count, sizeof(Vec3), compare_x);
    for (uint32_t v = 0; v < one.vertex_count; v++) assert_true(one.vertex[v].x == two.vertex[v].x);
    // Other ids make other drops.
    for (uint32_t i = 0; i < n; i++) splash.id[i] += 5000;
    SurfaceMesh other = make_spray(&splash);
    qsort(other.vertex, other.vertex_count, sizeof(Vec3), compare_x);
    float most = 0;
    for (uint32_t v = 0; v < one.vertex_count; v++)
        most = fmaxf(most, fabsf(one.vertex[v].x - other.vertex[v].x));
    assert_true(most > 0.05f);
    surface_mesh_free(&one);
    surface_mesh_free(&two);
    surface_mesh_free(&other);
    free_splash(&splash);
}

static void water_in_one_piece_and_no_water_are_left_alone(void **state)
{
    (void)state;
    Splash splash = make_splash(0);
    SurfaceMesh spray = make_spray(&splash);
    assert_int_equal(spray.vertex_count, 0);
    SurfaceMesh empty = {0};
    const Vec3 *before = splash.mesh.vertex;
    Result result = spray_replace(&splash.mesh, &splash.view);
    assert_true(result_is_ok(&result) && splash.mesh.vertex == before);
    result = spray_make(&empty, &splash.view, &spray);
    assert_true(result_is_ok(&result));
    assert_int_equal(spray.vertex_count, 0);
    free_splash(&splash);
}

static void running_out_of_memory_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    Splash splash = make_splash(LONE);
    uint64_t before = memory_bytes_in_use();
    for (uint64_t nth = 1;; nth++) {
        SurfaceMesh spray;
        memory_fail_at(nth);
        Result result = spray_make(&splash.mesh, &splash.view, &spray);
        bool failed = memory_fail_at(0);
        if (!failed) {
            assert_true(nth > 5);
            surface_mesh_free(&spray);
            break;
        }
        assert_int_equal(result.code, RESULT_NO_MEMORY);
        assert_int_equal(memory_bytes_in_use(), before);
    }
    free_splash(&splash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lone_particle_becomes_closed_drops_of_its_volume),
        cmocka_unit_test(drops_stay_near_their_particle_but_not_on_it),
        cmocka_unit_test(drops_follow_the_particles_id_whatever_its_place_in_memory),
        cmocka_unit_test(water_in_one_piece_and_no_water_are_left_alone),
        cmocka_unit_test(running_out_of_memory_is_reported_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
