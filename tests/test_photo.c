// The path tracer against what optics says: the white furnace, Snell's window, Beer's law, the energy of
// photons, the light under a ball of water; and against itself: noise by samples, bits by threads.
#include "core/memory.h"
#include "core/parallel.h"
#include "photo/color.h"
#include "photo/film.h"
#include "photo/photo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INDEX 1.333

// --- scenes ---

typedef struct Body {
    Vec3 *vertex, *normal;
    uint32_t (*triangle)[3];
    uint32_t vertices, triangles;
} Body;

static Body body_open(uint32_t vertices, uint32_t triangles)
{
    Body body = {.vertices = vertices, .triangles = triangles};
    body.vertex = memory_allocate(vertices * sizeof(Vec3));
    body.normal = memory_allocate(vertices * sizeof(Vec3));
    body.triangle = memory_allocate(triangles * sizeof *body.triangle);
    assert_true(body.vertex && body.normal && body.triangle);
    return body;
}

// A ball of rings and sectors; its vertices and normals are exact.
static Body make_ball(Vec3 center, float radius, uint32_t rings)
{
    uint32_t sectors = 2 * rings, row = sectors + 1;
    Body ball = body_open((rings + 1) * row, 2 * rings * sectors);
    for (uint32_t j = 0; j <= rings; j++) {
        for (uint32_t i = 0; i <= sectors; i++) {
            float polar = (float)j / (float)rings * PHOTO_PI;
            float around = (float)(i % sectors) / (float)sectors * 2 * PHOTO_PI;
            Vec3 normal = vec3_make(sinf(polar) * cosf(around), sinf(polar) * sinf(around), cosf(polar));
            ball.normal[j * row + i] = normal;
            ball.vertex[j * row + i] = vec3_add(center, vec3_scale(normal, radius));
        }
    }
    for (uint32_t j = 0, t = 0; j < rings; j++) {
        for (uint32_t i = 0; i < sectors; i++) {
            uint32_t a = j * row + i, b = a + row;
            memcpy(ball.triangle[t++], (uint32_t[3]){a, b, b + 1}, 12);
            memcpy(ball.triangle[t++], (uint32_t[3]){a, b + 1, a + 1}, 12);
        }
    }
    return ball;
}

static Body make_box(Vec3 lo, Vec3 hi)
{
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    Body box = body_open(8, 12);
    for (uint32_t k = 0; k < 8; k++)
        box.vertex[k] = vec3_make(k & 1 ? hi.x : lo.x, k & 2 ? hi.y : lo.y, k & 4 ? hi.z : lo.z);
    memcpy(box.triangle, faces, sizeof faces);
    memory_free(box.normal);
    box.normal = NULL;
    return box;
}

typedef struct TestScene {
    PathScene path;
    Body body;
    RayScene *rays;
    PathMesh made_of;
    Material material;
    Sky sky;
    Caustics *caustics;
} TestScene;

static Vec3 even_light(Vec3 direction, const void *context)
{
    (void)direction, (void)context;
    return color_gray(1);
}

static Vec3 light_from_above(Vec3 direction, const void *context)
{
    (void)context;
    return color_gray(direction.z > 0 ? 1 : 0);
}

static void assert_ok(Result result)
{
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
}

static void scene_open(TestScene *scene, Body body, Matter matter, SkyLight *light)
{
    memset(scene, 0, sizeof *scene);
    scene->body = body;
    scene->material = (Material){matter, {.albedo = {1, 1, 1}}};
    scene->made_of = (PathMesh){&scene->material, NULL};
    RayMesh mesh = {.vertex = body.vertex,
                    .normal = body.normal,
                    .vertex_count = body.vertices,
                    .triangle = (const uint32_t(*)[3])body.triangle,
                    .triangle_count = body.triangles};
    assert_ok(ray_scene_create(&mesh, 1, 0, &scene->rays));
    assert_ok(sky_make(256, 128, light, NULL, &scene->sky));
    scene->path = (PathScene){.rays = scene->rays,
                              .meshes = &scene->made_of,
                              .lights = {.sky = &scene->sky, .sky_share = 1},
                              .water = {(float)INDEX, {0, 0, 0}, 0},
                              .glass = {1.5f, {0, 0, 0}, 0},
                              .epsilon = 1e-5f,
                              .events_max = 400,
                              .diffuse_max = 4,
                              .direct_max = INFINITY,
                              .indirect_max = INFINITY};
}

static void scene_close(TestScene *scene)
{
    ray_scene_destroy(scene->rays);
    caustics_destroy(scene->caustics);
    sky_free(&scene->sky);
    memory_free(scene->body.vertex);
    memory_free(scene->body.normal);
    memory_free(scene->body.triangle);
}

// Mean light along a ray, and its standard error.
static double mean_light(const TestScene *scene, Vec3 eye, Vec3 way, bool in_water, uint32_t samples,
                         double *error)
{
    double sum = 0, squares = 0;
    Ray ray = {eye, vec3_normalize_or(way, way), 0, INFINITY, 0.5f};
    for (uint32_t k = 0; k < samples; k++) {
        PathSampler sampler = sampler_make(7, k);
        PathFeatures features;
        double light = (double)path_light(&scene->path, &ray, in_water, &sampler, &features).y;
        sum += light;
        squares += light * light;
    }
    double mean = sum / samples;
    if (error) *error = sqrt(fmax(squares / samples - mean * mean, 0) / samples);
    return mean;
}

static PhotoCamera camera_at(Vec3 eye, Vec3 forward, float tangent)
{
    Vec3 side = vec3_normalize_or(vec3_cross(forward, vec3_make(0, 0, 1)), vec3_make(1, 0, 0));
    return (PhotoCamera){.eye = eye,
                         .right = side,
                         .up = vec3_cross(side, forward),
                         .forward = forward,
                         .tan_x = tangent,
                         .tan_y = tangent,
                         .focus = 1};
}

static bool missing(void)
{
    Result result = photo_check();
    if (!result_is_ok(&result)) skip();
    return !result_is_ok(&result);
}

// --- the white furnace: in even light everything that swallows nothing is as bright as the light ---

static void assert_furnace(const TestScene *scene, Vec3 eye, Vec3 forward)
{
    enum { SIDE = 24, SAMPLES = 256 };
    PhotoCamera camera = camera_at(eye, forward, 0.35f);
    for (int k = 0; k < SIDE * SIDE; k++) {
        double error;
        float x = ((float)(k % SIDE) + 0.5f) / SIDE * 2 - 1, y = ((float)(k / SIDE) + 0.5f) / SIDE * 2 - 1;
        Vec3 way = vec3_add(camera.forward,
                            vec3_add(vec3_scale(camera.right, 0.35f * x), vec3_scale(camera.up, 0.35f * y)));
        double light = mean_light(scene, eye, way, false, SAMPLES, &error);
        assert_true(fabs(light - 1) < 6 * error + 1e-3);
        assert_true(fabs(light - 1) < 0.15);
    }
}

static void water_vanishes_in_a_white_furnace(void **state)
{
    TestScene scene;
    (void)state;
    if (missing()) return;
    scene_open(&scene, make_ball(vec3_make(0, 0, 0), 1, 32), MATTER_WATER, even_light);
    assert_furnace(&scene, vec3_make(0, -4, 0), vec3_make(0, 1, 0));
    scene.path.water.scatter = 0.7f; // what is turned aside is replaced by what is turned in
    assert_furnace(&scene, vec3_make(0, -4, 0), vec3_make(0, 1, 0));
    scene_close(&scene);
}

static void water_behind_glass_vanishes_in_a_white_furnace(void **state)
{
    TestScene scene;
    (void)state;
    if (missing()) return;
    scene_open(&scene, make_box(vec3_make(-1, -1, -1), vec3_make(1, 1, 0.3f)), MATTER_WATER, even_light);
    scene.path.panes = (Panes){.present = true,
                               .outer = {{-1.1f, -1.1f, -1.5f}, {1.1f, 1.1f, 1.2f}},
                               .inner = {{-0.95f, -0.95f, -2}, {0.95f, 0.95f, 2}},
                               .tint = {1, 1, 1}};
    assert_furnace(&scene, vec3_make(-2, -5, 1.5f), vec3_normalize_or(vec3_make(2, 5, -1.5f), (Vec3){0}));
    scene_close(&scene);
}

// Light that is drawn and light that the path meets count once together.
static void white_bodies_vanish_in_a_white_furnace(void **state)
{
    TestScene scene;
    (void)state;
    if (missing()) return;
    scene_open(&scene, make_ball(vec3_make(0, 0, 0), 1, 32), MATTER_OPAQUE, even_light);
    assert_furnace(&scene, vec3_make(0, -4, 0), vec3_make(0, 1, 0));
    scene_close(&scene);
}

// Under half a sky a white surface that looks up is lit by all of it, one that looks aside by half.
static void a_surface_is_lit_by_the_sky_that_it_sees(void **state)
{
    TestScene scene;
    double error;
    (void)state;
    if (missing()) return;
    scene_open(&scene, make_box(vec3_make(-1, -1, -1), vec3_make(1, 1, 1)), MATTER_OPAQUE, light_from_above);
    double up = mean_light(&scene, vec3_make(0, 0, 4), vec3_make(0.01f, 0, -1), false, 1024, &error);
    double aside = mean_light(&scene, vec3_make(0, -4, 0), vec3_make(0.01f, 1, 0), false, 1024, &error);
    assert_true(fabs(up - 1) < 0.01);
    assert_true(fabs(aside - 0.5) < 0.01);
    scene_close(&scene);
}

// --- optics ---

static void from_below_the_sky_fills_snells_window(void **state)
{
    TestScene scene;
    (void)state;
    if (missing()) return;
    double edge = asin(1 / INDEX); // 48.6 degrees
    scene_open(&scene, make_box(vec3_make(-50, -50, -50), vec3_make(50, 50, 0)), MATTER_WATER,
               light_from_above);
    for (int k = -3; k <= 3; k++) {
        if (k == 0) continue;
        double angle = edge + k * 0.002; // 0.1 degrees
        Vec3 way = vec3_make((float)sin(angle), 0, (float)cos(angle));
        // One boundary only: what is mirrored goes down, where there is no light.
        scene.path.events_max = 2;
        double light = mean_light(&scene, vec3_make(0, 0, -2), way, true, 64, NULL);
        if (k < 0) assert_true(light > 0.1);
        if (k > 0) assert_true(light == 0);
    }
    assert_true(fabs(edge * 180 / (double)PHOTO_PI - 48.6) < 0.05);
    assert_true(path_in_water(&scene.path, vec3_make(0, 0, -2)));
    assert_false(path_in_water(&scene.path, vec3_make(0, 0, 2)));
    scene_close(&scene);
}

// Share of light that a slab passes at a right angle, with all reflections inside; a: after one way through.
static double slab_passes(double a)
{
    double r = (INDEX - 1) / (INDEX + 1);
    r *= r;
    return (1 - r) * (1 - r) * a / (1 - r * r * a * a);
}

static void a_slab_swallows_light_by_beers_law(void **state)
{
    TestScene scene;
    (void)state;
    if (missing()) return;
    scene_open(&scene, make_box(vec3_make(-9, -9, 0), vec3_make(9, 9, 2)), MATTER_WATER, light_from_above);
    for (int k = 0; k < 4; k++) {
        double sigma = 0.4 * k;
        scene.path.water.absorption = color_gray((float)sigma);
        double light = mean_light(&scene, vec3_make(0.3f, 0.2f, -3), vec3_make(0, 0, 1), false, 20000, NULL);
        double expected = slab_passes(exp(-2 * sigma));
        assert_true(fabs(light - expected) < 0.01 * expected);
    }
    scene_close(&scene);
}

// --- photons ---

static void send_photons(TestScene *scene, float floor, float half_side, uint32_t photons, Box3 target)
{
    CausticsDef def = {.photons = photons,
                       .target = target,
                       .floor = {vec3_make(-half_side, -half_side, 0), vec3_make(half_side, half_side, 0)},
                       .grain = 0.01f};
    scene->path.ground = (Ground){.present = true, .height = floor, .color = {1, 1, 1}, .scale = 1};
    scene->path.lights.sun = sun_make(vec3_make(0, 0, 1), 1e-4f, color_gray(3));
    assert_ok(caustics_make(&scene->path, &def, &scene->caustics));
}

static void photons_bring_the_light_that_passes(void **state)
{
    TestScene scene;
    (void)state;
    if (missing()) return;
    Box3 slab = {vec3_make(-1, -1, 1), vec3_make(1, 1, 1.5f)};
    scene_open(&scene, make_box(slab.lo, slab.hi), MATTER_WATER, even_light);
    scene.path.water.absorption = vec3_make(0, 0.5f, 2);
    send_photons(&scene, 0, 2, 200000, slab);
    Vec3 flux = caustics_flux(scene.caustics),
         light = caustics_light(scene.caustics, vec3_make(0.1f, 0, 0), vec3_make(0, 0, 1), true);
    const float got[3] = {flux.x, flux.y, flux.z}, sigma[3] = {0, 0.5f, 2};
    for (int k = 0; k < 3; k++) {
        double expected = 3 * 4 * slab_passes(exp(-0.5 * (double)sigma[k]));
        assert_true(fabs((double)got[k] - expected) < 0.01 * expected);
    }
    assert_true(fabs((double)light.x - 3 * slab_passes(1)) < 0.2);
    scene_close(&scene);
}

// Where a ray at this distance from the axis of a ball of radius 1 lands, `below` its center, and the share
// of its light that gets there.
static double ball_lands(double height, double below, double *share)
{
    double in = asin(height), inside = asin(height / INDEX), turned = 2 * (in - inside);
    double polar =
        in + 2 * (0.5 * 3.14159265358979 - inside); // of the exit, from the side the light comes from
    double x = sin(polar), z = cos(polar);          // the ray entered at x = height > 0
    double across = (cos(in) - INDEX * cos(inside)) / (cos(in) + INDEX * cos(inside));
    double along = (cos(inside) - INDEX * cos(in)) / (cos(inside) + INDEX * cos(in));
    double passes = 1 - 0.5 * (across * across + along * along);
    *share = passes * passes;
    return fabs(x - (z + below) * tan(turned));
}

static void a_ball_gathers_light_where_geometry_says(void **state)
{
    TestScene scene;
    (void)state;
    if (missing()) return;
    const float below = 1.6f;
    Box3 ball = {vec3_make(-1, -1, -1), vec3_make(1, 1, 1)};
    scene_open(&scene, make_ball(vec3_make(0, 0, 0), 1, 96), MATTER_WATER, even_light);
    send_photons(&scene, -below, 1.5f, 400000, ball);
    for (double radius = 0.15; radius < 0.5; radius += 0.1) {
        double expected = 0, got = 0;
        for (int k = 0; k < 20000; k++) {
            double height = (k + 0.5) / 20000, share, lands = ball_lands(height, (double)below, &share);
            if (lands < radius) expected += 2 * 3.14159265358979 * height / 20000 * share * 3;
        }
        for (double y = -radius; y < radius; y += 0.005) {
            for (double x = -radius; x < radius; x += 0.005) {
                if (x * x + y * y >= radius * radius) continue;
                Vec3 point = vec3_make((float)x, (float)y, -below);
                got += 2.5e-5 * (double)caustics_light(scene.caustics, point, vec3_make(0, 0, 1), true).x;
            }
        }
        assert_true(fabs(got - expected) < 0.04 * expected);
    }
    scene_close(&scene);
}

// --- noise and bits ---

static void noise_falls_with_the_root_of_the_samples(void **state)
{
    enum { SIDE = 32, RUNS = 4 };
    static const uint32_t samples[RUNS] = {4, 16, 64, 1024};
    TestScene scene;
    Film film[RUNS];
    double error[RUNS];
    (void)state;
    if (missing()) return;
    scene_open(&scene, make_ball(vec3_make(0, 0, 1), 1, 32), MATTER_WATER, light_from_above);
    scene.path.ground =
        (Ground){.present = true, .kind = GROUND_TILES, .color = {0.5f, 0.6f, 0.7f}, .scale = 3};
    PhotoCamera camera =
        camera_at(vec3_make(0, -4, 2), vec3_normalize_or(vec3_make(0, 4, -1), (Vec3){0}), 0.4f);
    for (int k = 0; k < RUNS; k++) {
        Exposure exposure = {.samples = samples[k], .scale = 1};
        assert_ok(film_open(SIDE, SIDE, k == RUNS - 1 ? 99 : 5, &film[k]));
        assert_ok(film_expose(&film[k], &scene.path, &camera, &exposure));
    }
    for (int k = 0; k < RUNS; k++) {
        double sum = 0;
        for (int i = 0; i < SIDE * SIDE; i++) {
            double own = (double)film[k].pixel[i].light.y / samples[k];
            double truth = (double)film[RUNS - 1].pixel[i].light.y / samples[RUNS - 1];
            sum += (own - truth) * (own - truth);
        }
        error[k] = sqrt(sum / (SIDE * SIDE));
    }
    for (int k = 0; k + 2 < RUNS; k++) {
        assert_true(error[k + 1] < 0.6 * error[k]); // a quarter of the variance, or less
        assert_true(error[k + 1] > 0.1 * error[k]); // the same picture
    }
    // What the film believes of its noise is about what it is.
    double believed = (double)film_noise(&film[2]);
    assert_true(believed > 0.3 * error[2] && believed < 30 * error[2]);
    for (int k = 0; k < RUNS; k++) film_free(&film[k]);
    scene_close(&scene);
}

static void pictures_do_not_depend_on_threads(void **state)
{
    enum { SIDE = 48 };
    static const uint32_t workers[] = {1, 2, 7};
    static uint8_t rgb[3][SIDE * SIDE * 3];
    Photo *photo;
    (void)state;
    if (missing()) return;
    Body ball = make_ball(vec3_make(0, 0, 0.5f), 0.5f, 24);
    for (uint32_t k = 0; k < ball.vertices; k++) // seams are two vertices in one place, as in no real mesh
        assert_true(isfinite(ball.vertex[k].x));
    SurfaceMesh mesh = {.vertex = ball.vertex,
                        .normal = ball.normal,
                        .vertex_count = ball.vertices,
                        .triangle = ball.triangle,
                        .triangle_count = ball.triangles};
    FrameView view = {.time = 1.5, .spacing = 0.05f};
    PhotoSubject subject = {.view = &view, .mesh = &mesh, .stage = {{-1, -1, 0}, {1, 1, 1}}};
    PhotoDef def = photo_def_default();
    LookDef look = look_def_default();
    def.samples = 24;
    def.noise = 0.05f;
    look.caustics = 0.2f;
    PhotoCamera camera =
        camera_at(vec3_make(0, -4, 1.5f), vec3_normalize_or(vec3_make(0, 4, -1), (Vec3){0}), 0.4f);
    assert_ok(photo_create(&photo));
    for (int k = 0; k < 3; k++) {
        parallel_set_workers(workers[k]);
        assert_ok(photo_take(photo, &def, &look, &subject, &camera, SIDE, SIDE, rgb[k], NULL));
    }
    parallel_set_workers(0);
    assert_memory_equal(rgb[0], rgb[1], sizeof rgb[0]);
    assert_memory_equal(rgb[0], rgb[2], sizeof rgb[0]);
    // The ball is there.
    int differing = 0;
    subject.mesh = NULL;
    assert_ok(photo_take(photo, &def, &look, &subject, &camera, SIDE, SIDE, rgb[1], NULL));
    for (int k = 0; k < SIDE * SIDE * 3; k++) differing += abs(rgb[0][k] - rgb[1][k]) > 20;
    assert_true(differing > SIDE * SIDE / 8);
    photo_destroy(photo);
    memory_free(ball.vertex);
    memory_free(ball.normal);
    memory_free(ball.triangle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_vanishes_in_a_white_furnace),
        cmocka_unit_test(water_behind_glass_vanishes_in_a_white_furnace),
        cmocka_unit_test(white_bodies_vanish_in_a_white_furnace),
        cmocka_unit_test(a_surface_is_lit_by_the_sky_that_it_sees),
        cmocka_unit_test(from_below_the_sky_fills_snells_window),
        cmocka_unit_test(a_slab_swallows_light_by_beers_law),
        cmocka_unit_test(photons_bring_the_light_that_passes),
        cmocka_unit_test(a_ball_gathers_light_where_geometry_says),
        cmocka_unit_test(noise_falls_with_the_root_of_the_samples),
        cmocka_unit_test(pictures_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
