// Water drawn from particles in the space of the picture, against the same water from a mesh, against optics,
// and against what clear drops cannot do.
#include "case_helpers.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "obstacle/obstacle.h"
#include "render/drop_draw.h"
#include "render/drops.h"
#include "render/eye_in_water.h"
#include "render/gl_program.h"
#include "render_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 96 }; // px
static const float SPACING = 0.2f;

// A tank with particles in it.
typedef struct Pool {
    TestFrame frame;
    uint32_t *id, *neighbors;
    Obstacles *obstacles;
    RenderDef def;
} Pool;

// All of its particles have many neighbors.
static Pool pool_of(uint32_t count, Vec3 size)
{
    Pool pool = {.frame = test_frame_make(count, SPACING)};
    FrameView *view = &pool.frame.view;
    pool.id = memory_allocate_zeroed((count + 1) * sizeof(uint32_t));
    pool.neighbors = memory_allocate_zeroed((count + 1) * sizeof(uint32_t));
    assert_true(pool.id && pool.neighbors);
    for (uint32_t k = 0; k < count; k++) {
        pool.id[k] = k;
        pool.neighbors[k] = 40;
    }
    ASSERT_OK(obstacles_create((TankDef){.present = true, .size = size}, 0, NULL, 0, &pool.obstacles));
    view->id = pool.id;
    view->neighbors = pool.neighbors;
    view->obstacles = pool.obstacles;
    view->time = 1;
    pool.def = test_def(SIDE, SIDE, vec3_make(0.5f * size.x, -5, 14), vec3_scale(size, 0.5f), 12);
    pool.def.style = STYLE_SCREEN_SPACE;
    return pool;
}

// Filled up to `depth`; no particle's place is quite a lattice's.
static Pool pool_make(Vec3 size, float depth)
{
    uint32_t nx = (uint32_t)lroundf(size.x / SPACING), ny = (uint32_t)lroundf(size.y / SPACING);
    uint32_t nz = (uint32_t)lroundf(depth / SPACING), seed = 1;
    Pool pool = pool_of(nx * ny * nz, size);
    float *const place[3] = {pool.frame.x, pool.frame.y, pool.frame.z};
    for (uint32_t k = 0; k < nx * ny * nz; k++) {
        const uint32_t at[3] = {k % nx, k / nx % ny, k / (nx * ny)};
        for (int axis = 0; axis < 3; axis++) {
            seed = seed * 1664525u + 1013904223u;
            float off = 0.2f * ((float)(seed >> 8) / 16777216.0f - 0.5f);
            place[axis][k] = ((float)at[axis] + 0.5f + off) * SPACING;
        }
    }
    return pool;
}

static void pool_free(Pool *pool)
{
    obstacles_destroy(pool->obstacles);
    memory_free(pool->id);
    memory_free(pool->neighbors);
    test_frame_free(&pool->frame);
}

static void look_from(Pool *pool, Vec3 eye, Vec3 target, float fov)
{
    pool->def.camera.eye = eye;
    pool->def.camera.target = target;
    pool->def.camera.fov = fov;
}

static double mean(const uint8_t *rgb, int channel)
{
    double sum = 0;
    for (int k = 0; k < SIDE * SIDE; k++) sum += rgb[3 * k + channel];
    return sum / (SIDE * SIDE);
}

static void draw(const Pool *pool, const SurfaceMesh *mesh, uint8_t *rgb)
{
    Renderer *renderer;
    assert_non_null(render_test_context());
    ASSERT_OK(renderer_create(&pool->def, &renderer));
    ASSERT_OK(renderer_draw(renderer, &pool->frame.view, mesh));
    ASSERT_OK(renderer_read(renderer, rgb));
    renderer_destroy(renderer);
}

// --- bodies of water ---

static void a_pool_of_particles_is_tinted_as_one_whose_surface_is_known(void **state)
{
    (void)state;
    const float depths[3] = {0.6f, 2, 4};
    double before = 1e9;
    for (int k = 0; k < 3; k++) {
        uint8_t found[SIDE * SIDE * 3], truth[SIDE * SIDE * 3];
        Pool pool = pool_make(vec3_make(8, 8, 6), depths[k]);
        SurfaceMesh mesh = test_box_mesh(vec3_make(0.02f, 0.02f, 0), vec3_make(7.98f, 7.98f, depths[k]));
        look_from(&pool, vec3_make(4, -5, 14), vec3_make(4, 4, depths[k]), 12);
        draw(&pool, NULL, found);
        pool.def.style = STYLE_SURFACE;
        draw(&pool, &mesh, truth);
        for (int c = 0; c < 3; c++) assert_true(fabs(mean(found, c) - mean(truth, c)) < 9);
        assert_true(mean(found, 0) / mean(found, 1) < 0.97 * before);
        before = mean(found, 0) / mean(found, 1);
        surface_mesh_free(&mesh);
        pool_free(&pool);
    }
}

// A ball of water gathers light: somewhere the floor is brighter than it is without, elsewhere darker.
static void water_throws_caustics_and_shadow_on_the_floor(void **state)
{
    (void)state;
    enum { ACROSS = 13, ROOM = ACROSS * ACROSS * ACROSS };
    uint8_t dry[SIDE * SIDE * 3], wet[SIDE * SIDE * 3];
    Pool pool = pool_of(ROOM, vec3_make(8, 8, 6));
    pool.frame.view.spacing = 0.125f;
    uint32_t count = 0;
    for (int k = 0; k < ROOM; k++) {
        Vec3 off = vec3_make((float)(k % ACROSS - 6), (float)(k / ACROSS % ACROSS - 6),
                             (float)(k / (ACROSS * ACROSS) - 6));
        if (vec3_length(off) > 6.4f) continue;
        pool.frame.x[count] = 4 + 0.125f * off.x;
        pool.frame.y[count] = 4 + 0.125f * off.y;
        pool.frame.z[count++] = 1.8f + 0.125f * off.z;
    }
    look_from(&pool, vec3_make(5.1f, 2.95f, 30), vec3_make(5.1f, 3, 0), 12);
    pool.frame.view.count = 0;
    draw(&pool, NULL, dry);
    pool.frame.view.count = count;
    draw(&pool, NULL, wet);
    int brighter = 0, darker = 0;
    for (uint32_t p = 0; p < SIDE * SIDE; p++) {
        int x = (int)(p % SIDE) - SIDE / 2 + 17, y = (int)(p / SIDE) - SIDE / 2 + 15;
        if (x * x + y * y < 16 * 16) continue; // the ball itself
        brighter += wet[3 * p + 1] > dry[3 * p + 1] + 15;
        darker += wet[3 * p + 1] + 15 < dry[3 * p + 1];
    }
    print_message("%d pixels brighter, %d darker\n", brighter, darker);
    assert_true(brighter > 5);
    assert_true(darker > 50);
    pool_free(&pool);
}

// Balls around the particles reach through the wall by a quarter of a spacing; the water does not.
static void water_ends_at_the_glass(void **state)
{
    (void)state;
    uint8_t wet[SIDE * SIDE * 3], dry[SIDE * SIDE * 3];
    Pool pool = pool_make(vec3_make(2, 2, 3), 2);
    // Along the wall, which lies in the middle of the picture; its right half is outside.
    look_from(&pool, vec3_make(2, -6, 1), vec3_make(2, 2, 1), 8);
    pool.def.hide_tank = true;
    draw(&pool, NULL, wet);
    pool.frame.view.count = 0;
    draw(&pool, NULL, dry);
    int inside = 0;
    for (uint32_t p = 0; p < SIDE * SIDE / 2; p++) { // above the floor
        int differ = test_pixel_difference(wet, dry, SIDE, p % SIDE, p / SIDE);
        if (p % SIDE > SIDE / 2 + 1) assert_true(differ < 8);
        inside += p % SIDE < SIDE / 2 && differ > 8;
    }
    assert_true(inside > SIDE * SIDE / 5);
    pool_free(&pool);
}

// --- drops ---

// A tank with a single particle that has no neighbors, seen from above.
static Pool pool_with_drop(float height)
{
    Pool pool = pool_of(1, vec3_make(8, 8, 6));
    pool.frame.x[0] = 4, pool.frame.y[0] = 4, pool.frame.z[0] = height;
    pool.frame.speed[0] = 1;
    pool.neighbors[0] = 0;
    look_from(&pool, vec3_make(4, 1, 9), vec3_make(4, 4, height), 6);
    return pool;
}

static void a_clear_drop_over_a_light_floor_has_no_dark_disc(void **state)
{
    (void)state;
    const float heights[3] = {0.1f, 0.5f, 2};
    for (int k = 0; k < 3; k++) {
        uint8_t wet[SIDE * SIDE * 3], dry[SIDE * SIDE * 3];
        Pool pool = pool_with_drop(heights[k]);
        draw(&pool, NULL, wet);
        pool.frame.view.count = 0;
        draw(&pool, NULL, dry);
        int seen = 0;
        double darkest = 1, sum = 0;
        for (uint32_t p = 0; p < SIDE * SIDE; p++) {
            double share = (wet[3 * p + 1] + 1.0) / (dry[3 * p + 1] + 1.0);
            if (share > 0.97 && share < 1.03) continue;
            seen++;
            sum += share;
            darkest = fmin(darkest, share);
        }
        print_message("%d pixels of drops, %.2f of the floor's light, %.2f at the darkest\n", seen,
                      sum / seen, darkest);
        assert_true(seen > 30);
        assert_float_equal(sum / seen, 1, 0.12);
        assert_true(darkest > 0.5);
        pool_free(&pool);
    }
}

// Over an open tank, at its walls and on its floor.
static void drops_stay_by_their_particle_and_within_the_walls(void **state)
{
    (void)state;
    const Vec3 size = {2, 2, 1};
    const Vec3 places[3] = {{1, 1, 5}, {0.02f, 1.99f, 0.4f}, {1, 1, 0.03f}};
    static const double ball = 4.18879020478639;
    TestFrame frame = test_frame_make(3, SPACING);
    uint32_t id[3] = {0, 1, 2};
    Obstacles *obstacles;
    TankDef tank = {.present = true, .size = size, .open = {[TANK_Z_HI] = true}};
    ASSERT_OK(obstacles_create(tank, 0, NULL, 0, &obstacles));
    frame.view.obstacles = obstacles;
    frame.view.id = id;
    for (uint32_t k = 0; k < 3; k++) {
        Drop drops[DROPS];
        double volume = 0, room = pow((double)SPACING, 3);
        drops_make(&frame.view, k, places[k], room, (const double[DROPS]){ball, ball, ball, ball}, drops);
        for (int n = 0; n < DROPS; n++) {
            Vec3 at = drops[n].middle;
            float r = 0.999f * drops[n].radius;
            volume += ball * pow((double)drops[n].radius, 3);
            assert_true(vec3_length(vec3_sub(at, places[k])) < 2.5f * SPACING);
            assert_true(at.x > r && at.y > r && at.z > r && at.x < size.x - r && at.y < size.y - r);
        }
        assert_float_equal(volume, room, 1e-4 * room);
    }
    obstacles_destroy(obstacles);
    test_frame_free(&frame);
}

static void only_particles_with_hardly_any_neighbors_become_drops(void **state)
{
    (void)state;
    assert_non_null(render_test_context());
    Pool pool = pool_of(4, vec3_make(8, 8, 6));
    const uint32_t neighbors[4] = {0, 30, 2, 0};
    memcpy(pool.neighbors, neighbors, sizeof neighbors);
    float birth[4] = {0, 0, 0, 1}; // the last one has not met its neighbors yet
    pool.frame.view.birth = birth;
    for (int k = 0; k < 4; k++) pool.frame.x[k] = (float)k;
    DropDrawer *drops;
    FrameView body;
    gl_begin();
    ASSERT_OK(drop_drawer_create(&drops));
    ASSERT_OK(drop_drawer_load(drops, &pool.frame.view, &body));
    assert_int_equal(body.count, 2);
    assert_true(body.x[0] == 1 && body.x[1] == 3);
    pool.frame.view.neighbors = NULL; // not known
    ASSERT_OK(drop_drawer_load(drops, &pool.frame.view, &body));
    assert_int_equal(body.count, 4);
    drop_drawer_destroy(drops);
    gl_end();
    pool_free(&pool);
}

static void a_picture_with_drops_depends_on_them_alone(void **state)
{
    (void)state;
    uint8_t rgb[3][SIDE * SIDE * 3];
    Pool pool = pool_make(vec3_make(4, 4, 3), 0.6f), other = pool_with_drop(1);
    for (uint32_t k = 0; k < 200; k++) {
        uint32_t i = k * 7 % pool.frame.view.count;
        pool.frame.z[i] = 0.8f + 0.01f * (float)k;
        pool.neighbors[i] = 1;
    }
    look_from(&pool, vec3_make(2, -5, 4), vec3_make(2, 2, 1), 30);
    parallel_set_workers(1);
    draw(&pool, NULL, rgb[0]);
    parallel_set_workers(3);
    draw(&pool, NULL, rgb[1]);
    Renderer *renderer;
    ASSERT_OK(renderer_create(&other.def, &renderer));
    ASSERT_OK(renderer_draw(renderer, &other.frame.view, NULL));
    ASSERT_OK(renderer_set(renderer, &pool.def));
    ASSERT_OK(renderer_draw(renderer, &pool.frame.view, NULL));
    ASSERT_OK(renderer_read(renderer, rgb[2]));
    renderer_destroy(renderer);
    parallel_set_workers(0);
    assert_memory_equal(rgb[0], rgb[1], sizeof rgb[0]);
    assert_memory_equal(rgb[0], rgb[2], sizeof rgb[0]);
    pool_free(&pool);
    pool_free(&other);
}

// --- an eye in water ---

static void half_of_the_room_around_an_eye_in_water_is_filled(void **state)
{
    (void)state;
    const float depth = 2;
    // In the open, at a wall, in an edge.
    const float places[3][2] = {{2, 2}, {0.1f, 2}, {0.1f, 3.9f}};
    Pool pool = pool_make(vec3_make(4, 4, 6), depth);
    for (int k = 0; k < 3; k++) {
        Vec3 place = {places[k][0], places[k][1], 0};
        for (place.z = 0.1f; place.z < 4; place.z += 0.1f) {
            float above = place.z - depth;
            if (fabsf(above) < 0.25f * SPACING) continue;
            assert_int_equal(is_in_water(&pool.frame.view, place), above < 0);
        }
    }
    pool_free(&pool);
}

static void an_eye_in_water_sees_the_sky_in_a_window_that_ends_at_the_critical_angle(void **state)
{
    (void)state;
    const float fov = 120, truth = tanf(asinf(1 / 1.333f)) / tanf(fov / 2 * 0.0174533f) * SIDE / 2;
    uint8_t rgb[SIDE * SIDE * 3];
    Pool pool = pool_make(vec3_make(14, 14, 4), 3);
    look_from(&pool, vec3_make(7, 7, 1.4f), vec3_make(7, 7, 3), fov);
    draw(&pool, NULL, rgb);
    for (int k = 0; k < 8; k++) {
        static const int ways[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
        float rim = test_window_rim(rgb, SIDE, 3, ways[k][0], ways[k][1]);
        assert_true(fabs((double)rim - (double)truth) < 3);
    }
    pool_free(&pool);
}

static void the_further_an_eye_in_water_is_from_the_floor_the_less_red_it_sees(void **state)
{
    (void)state;
    static const float heights[3] = {0.5f, 1.5f, 3};
    double share = 1e9;
    Pool pool = pool_make(vec3_make(6, 6, 6), 4);
    for (int k = 0; k < 3; k++) {
        uint8_t rgb[SIDE * SIDE * 3];
        look_from(&pool, vec3_make(3, 3, heights[k]), vec3_make(3, 3.01f, 0), 20);
        draw(&pool, NULL, rgb);
        assert_true(mean(rgb, 0) / mean(rgb, 1) < 0.97 * share);
        share = mean(rgb, 0) / mean(rgb, 1);
    }
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_of_particles_is_tinted_as_one_whose_surface_is_known),
        cmocka_unit_test(water_throws_caustics_and_shadow_on_the_floor),
        cmocka_unit_test(water_ends_at_the_glass),
        cmocka_unit_test(a_clear_drop_over_a_light_floor_has_no_dark_disc),
        cmocka_unit_test(drops_stay_by_their_particle_and_within_the_walls),
        cmocka_unit_test(only_particles_with_hardly_any_neighbors_become_drops),
        cmocka_unit_test(a_picture_with_drops_depends_on_them_alone),
        cmocka_unit_test(half_of_the_room_around_an_eye_in_water_is_filled),
        cmocka_unit_test(an_eye_in_water_sees_the_sky_in_a_window_that_ends_at_the_critical_angle),
        cmocka_unit_test(the_further_an_eye_in_water_is_from_the_floor_the_less_red_it_sees),
    };
    return cmocka_run_group_tests(tests, NULL, render_test_close);
}
