// The path tracer against what optics says: the white furnace, Snell's window, Beer's law, the energy of
// photons, the light under a ball of water; and against itself: noise by samples, bits by threads and by
// stops.
#include "case_helpers.h"
#include "photo_helpers.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "photo/color.h"
#include "photo/photographer.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

// --- the white furnace: in even light everything that swallows nothing is as bright as the light ---

static void assert_furnace(const PhotoTest *scene, Vec3 eye, Vec3 forward)
{
    enum { SIDE = 24, SAMPLES = 256 };
    PhotoCamera camera = photo_camera(eye, forward, 0.35f);
    for (int k = 0; k < SIDE * SIDE; k++) {
        double error;
        float x = ((float)(k % SIDE) + 0.5f) / SIDE * 2 - 1, y = ((float)(k / SIDE) + 0.5f) / SIDE * 2 - 1;
        Vec3 way = vec3_add(camera.forward,
                            vec3_add(vec3_scale(camera.right, 0.35f * x), vec3_scale(camera.up, 0.35f * y)));
        double light = photo_mean_light(scene, eye, way, false, SAMPLES, &error);
        assert_true(fabs(light - 1) < 6 * error + 1e-3);
        assert_true(fabs(light - 1) < 0.15);
    }
}

static void water_vanishes_in_a_white_furnace(void **state)
{
    PhotoTest scene;
    (void)state;
    if (photo_missing()) return;
    photo_test_open(&scene, photo_ball(vec3_make(0, 0, 0), 1, 32), MATTER_WATER, photo_even_light);
    assert_furnace(&scene, vec3_make(0, -4, 0), vec3_make(0, 1, 0));
    scene.path.water.scatter = 0.7f; // what is turned aside is replaced by what is turned in
    assert_furnace(&scene, vec3_make(0, -4, 0), vec3_make(0, 1, 0));
    photo_test_close(&scene);
}

static void water_behind_glass_vanishes_in_a_white_furnace(void **state)
{
    PhotoTest scene;
    (void)state;
    if (photo_missing()) return;
    photo_test_open(&scene, photo_box(vec3_make(-1, -1, -1), vec3_make(1, 1, 0.3f)), MATTER_WATER,
                    photo_even_light);
    scene.path.panes = (Panes){.present = true,
                               .outer = {{-1.1f, -1.1f, -1.5f}, {1.1f, 1.1f, 1.2f}},
                               .inner = {{-0.95f, -0.95f, -2}, {0.95f, 0.95f, 2}},
                               .tint = {1, 1, 1}};
    assert_furnace(&scene, vec3_make(-2, -5, 1.5f), vec3_normalize_or(vec3_make(2, 5, -1.5f), (Vec3){0}));
    photo_test_close(&scene);
}

// Light that is drawn and light that the path meets count once together.
static void white_bodies_vanish_in_a_white_furnace(void **state)
{
    PhotoTest scene;
    (void)state;
    if (photo_missing()) return;
    photo_test_open(&scene, photo_ball(vec3_make(0, 0, 0), 1, 32), MATTER_OPAQUE, photo_even_light);
    assert_furnace(&scene, vec3_make(0, -4, 0), vec3_make(0, 1, 0));
    photo_test_close(&scene);
}

// Under half a sky a white surface that looks up is lit by all of it, one that looks aside by half.
static void a_surface_is_lit_by_the_sky_that_it_sees(void **state)
{
    PhotoTest scene;
    double error;
    (void)state;
    if (photo_missing()) return;
    photo_test_open(&scene, photo_box(vec3_make(-1, -1, -1), vec3_make(1, 1, 1)), MATTER_OPAQUE,
                    photo_light_from_above);
    double up = photo_mean_light(&scene, vec3_make(0, 0, 4), vec3_make(0.01f, 0, -1), false, 1024, &error);
    double aside = photo_mean_light(&scene, vec3_make(0, -4, 0), vec3_make(0.01f, 1, 0), false, 1024, &error);
    assert_true(fabs(up - 1) < 0.01);
    assert_true(fabs(aside - 0.5) < 0.01);
    photo_test_close(&scene);
}

// Lamps that look away are drawn now and then; the sky brings what it brought without them.
static void dark_lamps_take_nothing_from_the_sky(void **state)
{
    PhotoTest scene;
    double error;
    (void)state;
    if (photo_missing()) return;
    photo_test_open(&scene, photo_box(vec3_make(-1, -1, -1), vec3_make(1, 1, 1)), MATTER_OPAQUE,
                    photo_light_from_above);
    scene.path.lights.lamp_count = LAMPS_MAX;
    for (int k = 0; k < LAMPS_MAX; k++)
        scene.path.lights.lamp[k] = (Lamp){.middle = {(float)k, 0, 9},
                                           .normal = {0, 0, 1},
                                           .half_u = {0.1f, 0, 0},
                                           .half_v = {0, 0.1f, 0},
                                           .light = {5, 5, 5}};
    double up = photo_mean_light(&scene, vec3_make(0, 0, 4), vec3_make(0.01f, 0, -1), false, 4096, &error);
    assert_true(fabs(up - 1) < 0.01);
    photo_test_close(&scene);
}

// --- optics ---

static void from_below_the_sky_fills_snells_window(void **state)
{
    PhotoTest scene;
    (void)state;
    if (photo_missing()) return;
    double edge = asin(1 / PHOTO_INDEX); // 48.6 degrees
    photo_test_open(&scene, photo_box(vec3_make(-50, -50, -50), vec3_make(50, 50, 0)), MATTER_WATER,
                    photo_light_from_above);
    for (int k = -3; k <= 3; k++) {
        if (k == 0) continue;
        double angle = edge + k * 0.002; // 0.1 degrees
        Vec3 way = vec3_make((float)sin(angle), 0, (float)cos(angle));
        // One boundary only: what is mirrored goes down, where it is dark.
        scene.path.events_max = 2;
        double light = photo_mean_light(&scene, vec3_make(0, 0, -2), way, true, 64, NULL);
        if (k < 0) assert_true(light > 0.1);
        if (k > 0) assert_true(light == 0);
    }
    assert_true(fabs(edge * 180 / (double)PHOTO_PI - 48.6) < 0.05);
    assert_true(scene_in_water(&scene.path, vec3_make(0, 0, -2)));
    assert_false(scene_in_water(&scene.path, vec3_make(0, 0, 2)));
    photo_test_close(&scene);
}

// Share of light that a slab passes at a right angle, with all reflections inside; a: after one way through.
static double slab_passes(double a)
{
    double r = (PHOTO_INDEX - 1) / (PHOTO_INDEX + 1);
    r *= r;
    return (1 - r) * (1 - r) * a / (1 - r * r * a * a);
}

static void a_slab_swallows_light_by_beers_law(void **state)
{
    PhotoTest scene;
    (void)state;
    if (photo_missing()) return;
    photo_test_open(&scene, photo_box(vec3_make(-9, -9, 0), vec3_make(9, 9, 2)), MATTER_WATER,
                    photo_light_from_above);
    for (int k = 0; k < 4; k++) {
        double sigma = 0.4 * k;
        scene.path.water.absorption = color_gray((float)sigma);
        double light =
            photo_mean_light(&scene, vec3_make(0.3f, 0.2f, -3), vec3_make(0, 0, 1), false, 20000, NULL);
        double expected = slab_passes(exp(-2 * sigma));
        assert_true(fabs(light - expected) < 0.01 * expected);
    }
    photo_test_close(&scene);
}

// --- photons ---

static void send_photons_within(PhotoTest *scene, float floor, float half_side, uint32_t photons,
                                double seconds, float grain, Box3 target)
{
    CausticsDef def = {.photons = photons,
                       .seconds = seconds,
                       .target = target,
                       .floor = {vec3_make(-half_side, -half_side, 0), vec3_make(half_side, half_side, 0)},
                       .grain = grain};
    scene->path.ground = (Ground){.present = true, .height = floor, .color = {1, 1, 1}, .scale = 1};
    photo_ok(caustics_make(&scene->path, &def, &scene->caustics));
}

static void send_photons(PhotoTest *scene, float floor, float half_side, uint32_t photons, float grain,
                         Box3 target)
{
    send_photons_within(scene, floor, half_side, photons, 0, grain, target);
}

static void let_the_sun_shine(PhotoTest *scene)
{
    scene->path.lights.sun = sun_make(vec3_make(0, 0, 1), 1e-4f, color_gray(3));
}

// Without time for them, of a million as many are sent as there always are, with the light of all.
static void photons_are_as_many_as_there_is_time_for(void **state)
{
    PhotoTest scene;
    (void)state;
    if (photo_missing()) return;
    Box3 slab = {vec3_make(-1, -1, 1), vec3_make(1, 1, 1.5f)};
    photo_test_open(&scene, photo_box(slab.lo, slab.hi), MATTER_WATER, photo_even_light);
    let_the_sun_shine(&scene);
    Vec3 flux[3];
    for (int k = 0; k < 3; k++) {
        send_photons_within(&scene, 0, 2, k == 1 ? CAUSTICS_PHOTONS_LEAST : 1000000, k == 2 ? 1e-9 : 0, 0.01f,
                            slab);
        flux[k] = caustics_flux(scene.caustics);
        caustics_destroy(scene.caustics);
        scene.caustics = NULL;
    }
    assert_true(flux[2].x == flux[1].x && flux[2].y == flux[1].y && flux[2].z == flux[1].z);
    assert_true(flux[1].x != flux[0].x && fabsf(flux[1].x - flux[0].x) < 0.01f * flux[0].x);
    photo_test_close(&scene);
}

static void photons_bring_the_light_that_passes(void **state)
{
    PhotoTest scene;
    (void)state;
    if (photo_missing()) return;
    Box3 slab = {vec3_make(-1, -1, 1), vec3_make(1, 1, 1.5f)};
    photo_test_open(&scene, photo_box(slab.lo, slab.hi), MATTER_WATER, photo_even_light);
    scene.path.water.absorption = vec3_make(0, 0.5f, 2);
    let_the_sun_shine(&scene);
    send_photons(&scene, 0, 2, 200000, 0.01f, slab);
    Vec3 flux = caustics_flux(scene.caustics),
         light = caustics_light(scene.caustics, vec3_make(0.1f, 0, 0), vec3_make(0, 0, 1), true);
    const float got[3] = {flux.x, flux.y, flux.z}, sigma[3] = {0, 0.5f, 2};
    for (int k = 0; k < 3; k++) {
        double expected = 3 * 4 * slab_passes(exp(-0.5 * (double)sigma[k]));
        assert_true(fabs((double)got[k] - expected) < 0.01 * expected);
    }
    assert_true(fabs((double)light.x - 3 * slab_passes(1)) < 0.2);
    photo_test_close(&scene);
}

// Where a ray at this distance from the axis of a ball of radius 1 lands, `below` its center, and the share
// of its light that gets there.
static double ball_lands(double height, double below, double *share)
{
    double in = asin(height), inside = asin(height / PHOTO_INDEX), turned = 2 * (in - inside);
    double polar =
        in + 2 * (0.5 * 3.14159265358979 - inside); // of the exit, from the side the light comes from
    double x = sin(polar), z = cos(polar);          // the ray entered at x = height > 0
    double across = (cos(in) - PHOTO_INDEX * cos(inside)) / (cos(in) + PHOTO_INDEX * cos(inside));
    double along = (cos(inside) - PHOTO_INDEX * cos(in)) / (cos(inside) + PHOTO_INDEX * cos(in));
    double passes = 1 - 0.5 * (across * across + along * along);
    *share = passes * passes;
    return fabs(x - (z + below) * tan(turned));
}

static void a_ball_gathers_light_where_geometry_says(void **state)
{
    PhotoTest scene;
    (void)state;
    if (photo_missing()) return;
    const float below = 1.6f;
    Box3 ball = {vec3_make(-1, -1, -1), vec3_make(1, 1, 1)};
    photo_test_open(&scene, photo_ball(vec3_make(0, 0, 0), 1, 96), MATTER_WATER, photo_even_light);
    let_the_sun_shine(&scene);
    send_photons(&scene, -below, 1.5f, 400000, 0.01f, ball);
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
    photo_test_close(&scene);
}

// Under a slab of water a lamp's light comes by photons, and as much of it as by paths, which rarely find it.
static void photons_of_lamps_bring_what_paths_find(void **state)
{
    PhotoTest scene;
    double by_photons[4], by_paths[4], error;
    (void)state;
    if (photo_missing()) return;
    Box3 slab = {vec3_make(-1.5f, -1.5f, 0.4f), vec3_make(1.5f, 1.5f, 0.7f)};
    photo_test_open(&scene, photo_box(slab.lo, slab.hi), MATTER_WATER, photo_no_light);
    scene.path.water.absorption = vec3_make(0.2f, 0.2f, 0.2f);
    scene.path.lights.lamp_count = 2;
    scene.path.lights.lamp[0] = (Lamp){.middle = {1, 0, 2.2f},
                                       .normal = {0, 0, -1},
                                       .half_u = {1, 0, 0},
                                       .half_v = {0, 1, 0},
                                       .light = {4, 4, 4}};
    scene.path.lights.lamp[1] = (Lamp){.middle = {-2, 0, 1.5f},
                                       .normal = {0.8f, 0, -0.6f},
                                       .half_u = {0, 0.7f, 0},
                                       .half_v = {0.42f, 0, 0.56f},
                                       .light = {9, 9, 9}};
    for (int with = 0; with < 2; with++) {
        double *mean = with ? by_photons : by_paths;
        if (with) send_photons(&scene, 0, 3, 400000, 0.06f, slab);
        scene.path.ground = (Ground){.present = true, .color = {0.8f, 0.8f, 0.8f}, .scale = 1};
        scene.path.caustics = scene.caustics;
        for (int k = 0; k < 4; k++) {
            Vec3 at = vec3_make(0.5f - 0.35f * (float)k, 0.1f * (float)k, 0),
                 eye = vec3_make(0.2f, -0.4f, 0.3f);
            mean[k] = photo_mean_light(&scene, eye, vec3_sub(at, eye), false, with ? 2000 : 40000, &error);
            assert_true(mean[k] > 0.1);
        }
    }
    double sums[2] = {0, 0};
    for (int k = 0; k < 4; k++) {
        sums[0] += by_photons[k], sums[1] += by_paths[k];
        assert_true(fabs(by_photons[k] - by_paths[k]) < 0.06 * by_paths[k]);
    }
    assert_true(fabs(sums[0] - sums[1]) < 0.025 * sums[1]);
    photo_test_close(&scene);
}

// --- noise and bits ---

static void noise_falls_with_the_root_of_the_samples(void **state)
{
    enum { SIDE = 32, RUNS = 4 };
    static const uint32_t samples[RUNS] = {4, 16, 64, 1024};
    PhotoTest scene;
    Film film[RUNS];
    double error[RUNS];
    (void)state;
    if (photo_missing()) return;
    photo_test_open(&scene, photo_ball(vec3_make(0, 0, 1), 1, 32), MATTER_WATER, photo_light_from_above);
    scene.path.ground =
        (Ground){.present = true, .kind = GROUND_TILES, .color = {0.5f, 0.6f, 0.7f}, .scale = 3};
    PhotoCamera camera =
        photo_camera(vec3_make(0, -4, 2), vec3_normalize_or(vec3_make(0, 4, -1), (Vec3){0}), 0.4f);
    for (int k = 0; k < RUNS; k++) {
        Exposure exposure = {.samples = samples[k], .scale = 1};
        photo_ok(film_open(SIDE, SIDE, k == RUNS - 1 ? 99 : 5, &film[k]));
        photo_ok(film_expose(&film[k], &scene.path, &camera, &exposure));
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
    photo_test_close(&scene);
}

static void pictures_do_not_depend_on_threads(void **state)
{
    enum { SIDE = 48 };
    static const uint32_t workers[] = {1, 2, 7};
    static uint8_t rgb[3][SIDE * SIDE * 3];
    Photo *photo;
    (void)state;
    if (photo_missing()) return;
    PhotoBody ball = photo_ball(vec3_make(0, 0, 0.5f), 0.5f, 24);
    for (uint32_t k = 0; k < ball.vertices; k++) // seams are two vertices in one place, as in no real mesh
        assert_true(isfinite(ball.vertex[k].x));
    SurfaceMesh mesh = photo_surface(&ball);
    FrameView view = {.time = 1.5, .spacing = 0.05f};
    PhotoSubject subject = {.view = &view, .mesh = &mesh, .stage = {{-1, -1, 0}, {1, 1, 1}}};
    PhotoDef def = photo_def_default();
    LookDef look = look_def_default();
    def.samples = 24;
    def.noise = 0.05f;
    look.caustics = 0.2f;
    PhotoCamera camera =
        photo_camera(vec3_make(0, -4, 1.5f), vec3_normalize_or(vec3_make(0, 4, -1), (Vec3){0}), 0.4f);
    photo_ok(photo_create(&photo));
    for (int k = 0; k < 3; k++) {
        parallel_set_workers(workers[k]);
        photo_ok(photo_take(photo, &def, &look, &subject, &camera, SIDE, SIDE, rgb[k], NULL));
    }
    parallel_set_workers(0);
    assert_memory_equal(rgb[0], rgb[1], sizeof rgb[0]);
    assert_memory_equal(rgb[0], rgb[2], sizeof rgb[0]);
    // The ball is there.
    int differing = 0;
    subject.mesh = NULL;
    photo_ok(photo_take(photo, &def, &look, &subject, &camera, SIDE, SIDE, rgb[1], NULL));
    for (int k = 0; k < SIDE * SIDE * 3; k++) differing += abs(rgb[0][k] - rgb[1][k]) > 20;
    assert_true(differing > SIDE * SIDE / 8);
    photo_destroy(photo);
    photo_body_free(&ball);
}

static void a_refined_picture_becomes_the_picture(void **state)
{
    enum { SIDE = 32, SAMPLES = 8 };
    static uint8_t rgb[2][SIDE * SIDE * 3];
    Photo *photo;
    PhotoReport report = {0};
    (void)state;
    if (photo_missing()) return;
    PhotoBody ball = photo_ball(vec3_make(0, 0, 0.5f), 0.5f, 24);
    SurfaceMesh mesh = photo_surface(&ball);
    FrameView view = {.time = 1.5, .spacing = 0.05f, .content_id = 7};
    PhotoSubject subject = {.view = &view, .mesh = &mesh, .stage = {{-1, -1, 0}, {1, 1, 1}}};
    PhotoDef def = photo_def_default();
    LookDef look = look_def_default();
    def.samples = SAMPLES;
    def.noise = 0;
    look.caustics = 0.05f;
    PhotoCamera camera =
        photo_camera(vec3_make(0, -4, 1.5f), vec3_normalize_or(vec3_make(0, 4, -1), (Vec3){0}), 0.4f);
    photo_ok(photo_create(&photo));
    photo_ok(photo_take(photo, &def, &look, &subject, &camera, SIDE, SIDE, rgb[0], &report));
    assert_true(report.rebuilt && report.done);
    def.round = 4;
    int calls = 0;
    do {
        photo_ok(photo_take(photo, &def, &look, &subject, &camera, SIDE, SIDE, rgb[1], &report));
        calls++;
    } while (!report.done && calls < 100);
    assert_int_equal(calls, SAMPLES / 4);
    assert_memory_equal(rgb[0], rgb[1], sizeof rgb[0]);
    // Another camera starts again, and so does another frame.
    camera.eye.x += 0.1f;
    photo_ok(photo_take(photo, &def, &look, &subject, &camera, SIDE, SIDE, rgb[1], &report));
    assert_true(!report.rebuilt && !report.done);
    view.content_id = 8;
    photo_ok(photo_take(photo, &def, &look, &subject, &camera, SIDE, SIDE, rgb[1], &report));
    assert_true(report.rebuilt && !report.done);
    photo_destroy(photo);
    photo_body_free(&ball);
}

// --- pictures that are left, and go on ---

enum { BALL_SIDE = 48, BALL_SAMPLES = 8 };

// A ball of water under the sun.
typedef struct BallScene {
    PhotoBody ball;
    SurfaceMesh mesh;
    FrameView view;
    PhotoSubject subject;
    PhotoDef def;
    LookDef look;
    PhotoCamera camera;
    uint8_t rgb[BALL_SIDE * BALL_SIDE * 3]; // its picture
} BallScene;

static void open_ball(BallScene *scene)
{
    Photo *photo;
    *scene = (BallScene){.ball = photo_ball(vec3_make(0, 0, 0.5f), 0.5f, 24),
                         .view = {.time = 1.5, .spacing = 0.05f, .content_id = 7},
                         .def = photo_def_default(),
                         .look = look_def_default()};
    scene->mesh = photo_surface(&scene->ball);
    scene->subject =
        (PhotoSubject){.view = &scene->view, .mesh = &scene->mesh, .stage = {{-1, -1, 0}, {1, 1, 1}}};
    scene->def.samples = BALL_SAMPLES;
    scene->def.noise = 0;
    scene->look.caustics = 0.05f;
    scene->camera =
        photo_camera(vec3_make(0, -4, 1.5f), vec3_normalize_or(vec3_make(0, 4, -1), (Vec3){0}), 0.4f);
    photo_ok(photo_create(&photo));
    photo_ok(photo_take(photo, &scene->def, &scene->look, &scene->subject, &scene->camera, BALL_SIDE,
                        BALL_SIDE, scene->rgb, NULL));
    photo_destroy(photo);
    scene->def.round = 2;
}

// Stops what is asked for again and again, later each time.
typedef struct Nuisance {
    atomic_bool stop, over;
    atomic_uint microseconds;
} Nuisance;

static void *annoy(void *context)
{
    Nuisance *nuisance = context;
    while (!atomic_load(&nuisance->over)) {
        usleep(atomic_load(&nuisance->microseconds));
        atomic_store(&nuisance->stop, true);
    }
    return NULL;
}

static void a_stopped_picture_goes_on_to_the_same_bits(void **state)
{
    BallScene scene;
    static uint8_t rgb[sizeof scene.rgb];
    (void)state;
    if (photo_missing()) return;
    open_ball(&scene);
    Photo *photo;
    PhotoReport report = {0};
    Nuisance nuisance = {.microseconds = 200};
    pthread_t thread;
    uint32_t stops = 0, rebuilt = 0;
    scene.def.stop = &nuisance.stop;
    photo_ok(photo_create(&photo));
    assert_int_equal(pthread_create(&thread, NULL, annoy, &nuisance), 0);
    while (!report.done) {
        Result result = photo_take(photo, &scene.def, &scene.look, &scene.subject, &scene.camera, BALL_SIDE,
                                   BALL_SIDE, rgb, &report);
        rebuilt += report.rebuilt;
        if (result_is_ok(&result)) nuisance.microseconds = 200; // stops the next samples early, too
        if (result_is_ok(&result)) continue;
        assert_int_equal(result.code, RESULT_STOPPED);
        report.done = false;
        scene.def.round = 1 + stops % 3; // also another round than the one that was left
        if (++stops % 4 == 0) nuisance.microseconds = nuisance.microseconds * 3 / 2; // or it never ends
        atomic_store(&nuisance.stop, false);
    }
    atomic_store(&nuisance.over, true);
    pthread_join(thread, NULL);
    assert_true(stops > 4);
    assert_int_equal(rebuilt, 1);
    assert_memory_equal(rgb, scene.rgb, sizeof rgb);
    photo_destroy(photo);
    photo_body_free(&scene.ball);
}

// --- the photographer ---

static void ask(Photographer *photographer, const BallScene *scene, float aside)
{
    PhotoCamera camera = scene->camera;
    camera.eye.x += aside;
    photo_ok(photographer_ask(photographer, &scene->def, &scene->look, &scene->subject, &camera, BALL_SIDE,
                              BALL_SIDE));
}

// Looks until the picture that was asked for has all its samples.
static const uint8_t *wait_until_done(Photographer *photographer)
{
    const uint8_t *rgb;
    PhotoReport report;
    uint32_t samples = 0;
    do {
        usleep(1000);
        photo_ok(photographer_look(photographer, &rgb, &report));
        assert_true(report.samples >= samples && (rgb != NULL) == (report.samples > 0));
        samples = report.samples;
    } while (!report.done);
    assert_int_equal(samples, BALL_SAMPLES);
    return rgb;
}

static atomic_uint wakes;

static void wake(void)
{
    atomic_fetch_add(&wakes, 1);
}

static void a_photographer_takes_what_was_asked_for_last(void **state)
{
    BallScene scene;
    const uint8_t *rgb;
    PhotoReport report;
    Photographer *photographer;
    (void)state;
    if (photo_missing()) return;
    open_ball(&scene);
    atomic_store(&wakes, 0);
    photo_ok(photographer_create(wake, &photographer));
    photo_ok(photographer_look(photographer, &rgb, &report));
    assert_true(!rgb && !report.done && !photographer_has_news(photographer));
    ask(photographer, &scene, 0);
    for (int k = 0; k < 5; k++) ask(photographer, &scene, 0); // the same: it goes on
    assert_memory_equal(wait_until_done(photographer), scene.rgb, sizeof scene.rgb);
    assert_true(atomic_load(&wakes) >= 1 && atomic_load(&wakes) <= BALL_SAMPLES / 2);
    // Other cameras, other states, and back.
    for (int k = 1; k < 40; k++) {
        scene.view.content_id = 7 + (uint64_t)(k / 8 % 2);
        ask(photographer, &scene, 0.1f * (float)(k % 5));
        if (k % 7 == 0) usleep(3000);
        photo_ok(photographer_look(photographer, &rgb, &report));
        assert_true(!rgb || report.samples > 0);
    }
    scene.view.content_id = 7;
    ask(photographer, &scene, 0.1f);
    ask(photographer, &scene, 0);
    assert_memory_equal(wait_until_done(photographer), scene.rgb, sizeof scene.rgb);
    // What rests goes on when it is asked for again.
    ask(photographer, &scene, 0.2f);
    photographer_rest(photographer);
    assert_false(photographer_has_news(photographer));
    ask(photographer, &scene, 0.2f);
    wait_until_done(photographer);
    // The mesh may go once it was asked for.
    scene.view.content_id = 9;
    ask(photographer, &scene, 0);
    photo_body_free(&scene.ball);
    assert_memory_equal(wait_until_done(photographer), scene.rgb, sizeof scene.rgb);
    ask(photographer, &scene, 0.3f);
    photographer_destroy(photographer); // in the middle of it
}

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// Wherever it is; how long that takes is told, in processor time, whatever else the machine does.
static void a_large_photograph_is_left_soon(void **state)
{
    enum { WIDTH = 3840, HEIGHT = 2160, TRIES = 12 };
    BallScene scene;
    double worst = 0;
    (void)state;
    if (photo_missing()) return;
    if (!test_is_full()) skip();
    open_ball(&scene);
    for (int k = 0; k < TRIES; k++) {
        Photographer *photographer;
        photo_ok(photographer_create(NULL, &photographer));
        photo_ok(photographer_ask(photographer, &scene.def, &scene.look, &scene.subject, &scene.camera, WIDTH,
                                  HEIGHT));
        double began = processor_seconds(), wanted = 0.05 + 0.4 * k;
        while (processor_seconds() < began + wanted) usleep(1000);
        began = processor_seconds();
        photographer_destroy(photographer);
        double took = processor_seconds() - began;
        print_message("left after %.2f s of work: %.3f s of processor time\n", wanted, took);
        worst = fmax(worst, took);
    }
    print_message("worst: %.3f s\n", worst);
    photo_body_free(&scene.ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_picture_goes_on_to_the_same_bits),
        cmocka_unit_test(a_photographer_takes_what_was_asked_for_last),
        cmocka_unit_test(a_large_photograph_is_left_soon),
        cmocka_unit_test(water_vanishes_in_a_white_furnace),
        cmocka_unit_test(water_behind_glass_vanishes_in_a_white_furnace),
        cmocka_unit_test(white_bodies_vanish_in_a_white_furnace),
        cmocka_unit_test(a_surface_is_lit_by_the_sky_that_it_sees),
        cmocka_unit_test(dark_lamps_take_nothing_from_the_sky),
        cmocka_unit_test(from_below_the_sky_fills_snells_window),
        cmocka_unit_test(a_slab_swallows_light_by_beers_law),
        cmocka_unit_test(photons_are_as_many_as_there_is_time_for),
        cmocka_unit_test(photons_bring_the_light_that_passes),
        cmocka_unit_test(a_ball_gathers_light_where_geometry_says),
        cmocka_unit_test(photons_of_lamps_bring_what_paths_find),
        cmocka_unit_test(noise_falls_with_the_root_of_the_samples),
        cmocka_unit_test(pictures_do_not_depend_on_threads),
        cmocka_unit_test(a_refined_picture_becomes_the_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
