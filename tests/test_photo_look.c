// What pictures of the path tracer are made of besides water: motion, the lens, materials, skies and looks.
#include "case_helpers.h"
#include "command_helpers.h"
#include "photo_helpers.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "photo/color.h"
#include "photo/denoise.h"
#include "photo/ground.h"
#include "photo/ground_noise.h"
#include "photo/look_light.h"
#include "photo/number.h"
#include "photo/radiance.h"
#include "photo/sampler.h"
#include "photo/stage.h"
#include "scene/scene.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// --- motion and the lens ---

static void a_moving_body_is_where_its_velocity_brings_it(void **state)
{
    (void)state;
    if (photo_missing()) return;
    RayScene *rays;
    PhotoBody box = photo_box(vec3_make(-1, -1, -1), vec3_make(1, 1, 1));
    Vec3 *velocity = memory_allocate(box.vertices * sizeof *velocity);
    for (uint32_t k = 0; k < box.vertices; k++) velocity[k] = vec3_make(0, 0, 3);
    RayMesh mesh = {.vertex = box.vertex,
                    .velocity = velocity,
                    .vertex_count = box.vertices,
                    .triangle = (const uint32_t(*)[3])box.triangle,
                    .triangle_count = box.triangles};
    photo_ok(ray_scene_create(&mesh, 1, 0.2f, NULL, &rays));
    for (int k = 0; k <= 4; k++) {
        RayHit hit;
        float time = 0.25f * (float)k;
        Ray down = {{0.2f, 0.1f, 5}, {0, 0, -1}, 0, INFINITY, time, 0};
        assert_true(ray_scene_hit(rays, &down, &hit));
        assert_true(fabsf(hit.distance - (4 - 3 * 0.2f * (time - 0.5f))) < 1e-4f);
    }
    ray_scene_destroy(rays);
    memory_free(velocity);
    photo_body_free(&box);
}

// Pixels that are neither the black ball nor the white sky.
static int gray_pixels(const PhotoTest *scene, const PhotoCamera *camera)
{
    enum { SIDE = 48, SAMPLES = 32 };
    Film film;
    Exposure exposure = {.samples = SAMPLES, .scale = 1};
    int count = 0;
    photo_ok(film_open(SIDE, SIDE, 3, &film));
    photo_ok(film_expose(&film, &scene->path, camera, &exposure));
    for (int k = 0; k < SIDE * SIDE; k++) {
        float light = film.pixel[k].light.x / SAMPLES;
        count += light > 0.05f && light < 0.95f;
    }
    film_free(&film);
    return count;
}

static void a_lens_blurs_what_is_not_at_its_focus(void **state)
{
    PhotoTest scene;
    (void)state;
    if (photo_missing()) return;
    photo_test_open(&scene, photo_ball(vec3_make(0, 0, 0), 0.5f, 48), MATTER_OPAQUE, photo_even_light);
    scene.material.surface.albedo = color_gray(0);
    PhotoCamera camera = photo_camera(vec3_make(0, -4, 0), vec3_make(0, 1, 0), 0.3f);
    int sharp = gray_pixels(&scene, &camera);
    camera.lens = 0.1f;
    camera.focus = 3.94f; // of the ball's outline
    int focused = gray_pixels(&scene, &camera);
    camera.focus = 2;
    int blurred = gray_pixels(&scene, &camera);
    // The outline is 2 pi 10 pixels long; beyond the focus it blurs over 0.2 m (4 - 2) / 2, four pixels.
    assert_true(sharp > 50 && sharp < 160);
    assert_true(abs(focused - sharp) < sharp / 3);
    assert_true(blurred > 2.5 * sharp && blurred < 5 * sharp);
    photo_test_close(&scene);
}

// --- materials ---

static void metal_mirrors_in_its_color(void **state)
{
    PhotoTest scene;
    (void)state;
    if (photo_missing()) return;
    photo_test_open(&scene, photo_ball(vec3_make(0, 0, 0), 1, 32), MATTER_OPAQUE, photo_light_from_above);
    scene.material.surface = (Surface){.albedo = {0.2f, 0.5f, 0.8f}, .gloss = 1};
    // Seen from above it mirrors the sky, from below the dark.
    double above =
        photo_mean_light(&scene, vec3_make(0, -0.2f, 5), vec3_make(0, 0.04f, -1), false, 256, NULL);
    double below =
        photo_mean_light(&scene, vec3_make(0, -0.2f, -5), vec3_make(0, 0.04f, 1), false, 256, NULL);
    assert_true(fabs(above - 0.5) < 0.01);
    assert_true(below < 0.01);
    photo_test_close(&scene);
}

// --- skies ---

static Vec3 uneven(Vec3 direction, const void *context)
{
    (void)context;
    float spot = fmaxf(vec3_dot(direction, vec3_make(0.6f, 0, 0.8f)), 0);
    return color_gray(0.2f + 20 * powf(spot, 40));
}

// What is drawn comes with the density that it is said to have: the mean of light / density is the light of
// all directions together, and few draws find it.
static void skies_are_drawn_from_by_their_brightness(void **state)
{
    Sky sky;
    (void)state;
    photo_ok(sky_make(256, 128, uneven, NULL, &sky));
    double drawn = 0, squares = 0, expected = 0;
    enum { DRAWS = 4096, ROWS = 500 };
    for (uint32_t k = 0; k < DRAWS; k++) {
        PathSampler sampler = sampler_make(11, k);
        float u, v, density;
        sampler_pair(&sampler, &u, &v);
        Vec3 light, again, direction = sky_draw(&sky, u, v, &light, &density);
        assert_true(fabsf(density - sky_density(&sky, direction, &again)) < 0.02f * density + 1e-6f);
        assert_true(fabsf(light.x - again.x) < 1e-3f * light.x);
        assert_true(fabsf(light.x - sky_light(&sky, direction).x) < 1e-3f * light.x);
        double value = (double)(light.x / density);
        drawn += value / DRAWS;
        squares += value * value / DRAWS;
    }
    for (int j = 0; j < ROWS; j++) {
        for (int i = 0; i < 2 * ROWS; i++) {
            double polar = (j + 0.5) / ROWS * 3.14159265, around = (i + 0.5) / ROWS * 3.14159265;
            Vec3 direction = vec3_make((float)(sin(polar) * cos(around)), (float)(sin(polar) * sin(around)),
                                       (float)cos(polar));
            expected += (double)uneven(direction, NULL).x * sin(polar) * pow(3.14159265 / ROWS, 2);
        }
    }
    assert_true(fabs(drawn - expected) < 0.01 * expected);
    assert_true(squares - drawn * drawn < 0.05 * drawn * drawn); // the light itself varies by a factor of 100
    assert_true(fabs((double)sky.mean.x * 4 * 3.14159265 - expected) < 0.01 * expected);
    sky_free(&sky);
}

// Places on a lamp are drawn evenly, with the density per steradian of an even draw of area.
static void lamps_are_drawn_from_all_over(void **state)
{
    (void)state;
    enum { DRAWS = 4096 };
    Lights lights = {.lamp_count = 1,
                     .lamp[0] = {.middle = {1, 2, 3},
                                 .normal = {0, 0, -1},
                                 .half_u = {0.5f, 0, 0},
                                 .half_v = {0, 0.25f, 0},
                                 .light = {1, 1, 1}}};
    LightShares shares = {.lamp = {1}};
    Vec3 point = {0.5f, 1, 0};
    double mean[2] = {0}, squares[2] = {0};
    for (uint32_t k = 0; k < DRAWS; k++) {
        PathSampler sampler = sampler_make(5, k);
        LightDraw draw = lights_draw(&lights, &shares, point, &sampler);
        Vec3 place =
            vec3_sub(vec3_add(point, vec3_scale(draw.direction, draw.distance)), lights.lamp[0].middle);
        const double at[2] = {(double)place.x / 0.5, (double)place.y / 0.25};
        assert_true(fabs(at[0]) < 1 + 1e-4 && fabs(at[1]) < 1 + 1e-4 && fabsf(place.z) < 1e-5f);
        double density = (double)(draw.distance * draw.distance / (draw.direction.z * 0.5f));
        assert_true(fabs((double)draw.density / density - 1) < 1e-4);
        for (int a = 0; a < 2; a++) mean[a] += at[a] / DRAWS, squares[a] += at[a] * at[a] / DRAWS;
    }
    for (int a = 0; a < 2; a++) assert_true(fabs(mean[a]) < 0.05 && fabs(squares[a] - 1.0 / 3) < 0.03);
}

static void write_hdr(const char *path, bool packed, size_t cut)
{
    // 8 x 2: a row of (1, 0.5, 0.25), then one whose red is 16 at its fourth pixel and 0 elsewhere.
    static const uint8_t flat[2][4] = {{128, 64, 32, 129}, {0, 0, 0, 0}};
    uint8_t bytes[400];
    size_t count = 0;
    for (int row = 0; row < 2; row++) {
        if (packed) {
            memcpy(bytes + count, (uint8_t[4]){2, 2, 0, 8}, 4);
            count += 4;
            for (int c = 0; c < 4; c++) {
                uint8_t other = c == 0 ? 128 : c == 3 ? 133 : 0;
                if (row == 0) memcpy(bytes + count, (uint8_t[2]){128 + 8, flat[0][c]}, 2), count += 2;
                if (row == 1)
                    memcpy(bytes + count, (uint8_t[7]){128 + 3, 0, 1, other, 128 + 4, 0}, 6), count += 6;
            }
        } else {
            for (int x = 0; x < 8; x++) {
                const uint8_t spot[4] = {128, 0, 0, 133};
                memcpy(bytes + count, row == 1 && x == 3 ? spot : flat[row], 4);
                count += 4;
            }
        }
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("#?RADIANCE\nEXPOSURE=1\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 8\n", file);
    fwrite(bytes, 1, count - cut, file);
    fclose(file);
}

static void pictures_of_skies_are_read(void **state)
{
    static const char path[] = "/tmp/pbf_test_photo.hdr";
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        RadiancePicture picture;
        write_hdr(path, packed, 0);
        photo_ok(radiance_read(path, &picture));
        assert_int_equal(picture.width, 8);
        assert_int_equal(picture.height, 2);
        assert_true(vec3_equal(picture.light[5], vec3_make(1, 0.5f, 0.25f)));
        assert_true(vec3_equal(picture.light[8 + 3], vec3_make(16, 0, 0)));
        assert_true(vec3_equal(picture.light[8 + 4], vec3_make(0, 0, 0)));
        memory_free(picture.light);
        write_hdr(path, packed, 3);
        Result cut = radiance_read(path, &picture);
        assert_int_equal(result_exit_status(&cut), 2);
        assert_non_null(strstr(cut.text, path));
        assert_null(picture.light);
    }
    RadiancePicture picture;
    Result other = radiance_read("Makefile", &picture);
    assert_non_null(strstr(other.text, "Makefile: is not a Radiance picture"));
    unlink(path);
}

// --- looks ---

static void presets_fill_what_is_not_given(void **state)
{
    (void)state;
    for (int preset = 0; preset < LOOK_COUNT; preset++) {
        LookDef def = look_def_default();
        def.preset = preset;
        def.sun[1] = 12;
        LookDef look = look_resolve(&def);
        assert_true(look.sun[1] == 12 && isfinite(look.sun[0]));
        assert_true(isfinite(look.exposure) && isfinite(look.water_haze) && isfinite(look.floor_color[2]));
        assert_true(look.floor >= 0 && look.sky >= 0 && look.glass >= 0);
        Sky sky;
        photo_ok(look_sky(&look, look_toward_sun(&look), &sky));
        assert_true(color_largest(sky.mean) > 0 && color_largest(sky.mean) < 10);
        sky_free(&sky);
    }
}

static void a_scene_names_its_sky_relative_to_its_folder(void **state)
{
    const SceneOverride set[] = {{"look.environment", "skies/dawn.hdr"}, {"look.water_color", "[0, 0.5, 1]"}};
    SceneDef *scene = memory_allocate(sizeof *scene);
    (void)state;
    photo_ok(scene_read("scenes/still_water.yaml", set, 2, scene));
    const LookDef *look = &scene->output.render.look;
    assert_string_equal(look->environment, "scenes/skies/dawn.hdr");
    assert_true(fabsf(look->water_color[1] - 0.2140f) < 1e-3f);
    assert_true(isnan(look->exposure));
    scene_free(scene);
    memory_free(scene);
}

// Nothing is simulated for pictures that cannot be made.
static void a_sky_that_is_missing_is_told_at_once(void **state)
{
    (void)state;
    if (photo_missing()) return;
    child_assert_failed(child_run("render scenes/still_water.yaml --style photo --frames 1 --size 16x9 "
                                  "--set look.environment=none.hdr --out /tmp/pbf_test_photo_frames"),
                        2, "scenes/none.hdr");
    assert_int_not_equal(access("/tmp/pbf_test_photo_frames/frame_0000.png", F_OK), 0);
}

static void a_check_looks_for_the_sky_of_photographs(void **state)
{
    (void)state;
    static const char *const calls[] = {"check", "render --dry-run --out /tmp/pbf_test_photo_none"};
    for (int k = 0; k < 2; k++) {
        child_assert_failed(
            child_run("%s scenes/still_water.yaml --style photo --set look.environment=none.hdr", calls[k]),
            2, "scenes/none.hdr");
        child_assert_failed(child_run("%s scenes/still_water.yaml --style photo --set "
                                      "look.environment=still_water.yaml",
                                      calls[k]),
                            2, "scenes/still_water.yaml");
        child_assert_done(child_run("%s scenes/still_water.yaml --set look.environment=none.hdr", calls[k]));
    }
}

// The steps before a picture that takes long are not lost with it; what comes of them is the same.
static void a_run_that_is_stopped_in_a_picture_goes_on_from_there(void **state)
{
#define CALL "render scenes/dam_break.yaml --spacing 0.5 --style photo --size 32x18 --fps 20 --threads 1 "
    (void)state;
    if (photo_missing()) return;
    char text[300], log[80], whole[80];
    child_assert_done(
        child_run(CALL "--samples 2 --frames 2 --log %s/whole.csv --out %s/whole", folder, folder));
    child_assert_done(child_run(
        CALL "--samples 2 --frames 1 --checkpoint-every 1 --log %s/part.csv --out %s/part", folder, folder));
    snprintf(text, sizeof text, "render --resume %s/part --frames 2 --samples 65536 --overwrite", folder);
    snprintf(log, sizeof log, "%s/part.csv", folder);
    pid_t child = child_start(text);
    assert_true(child_wait_for_text(log, "\n0.05,", 60)); // frame 1's row
    kill(child, SIGTERM);
    ChildRun ended = child_finish(child);
    if (!strstr(ended.err, "(1 of 2 frames are complete; pbf render --resume")) fail_msg("%s", ended.err);
    child_assert_stopped(ended, 143);
    snprintf(text, sizeof text, "%s/part/checkpoint_0000_between.pbf", folder);
    assert_int_equal(access(text, F_OK), 0);
    child_assert_done(child_run("render --resume %s/part --frames 2 --samples 2 --overwrite", folder));
    snprintf(text, sizeof text, "%s/part/frame_0001.png", folder);
    snprintf(whole, sizeof whole, "%s/whole/frame_0001.png", folder);
    test_assert_same_files(text, whole);
    snprintf(whole, sizeof whole, "%s/whole.csv", folder);
    test_assert_same_files(log, whole);
#undef CALL
}

// --- the denoiser ---

// Noise goes, and an edge stays that it hides, but albedo shows.
static void the_denoiser_takes_noise_and_leaves_edges(void **state)
{
    enum { SIDE = 64, SAMPLES = 16 };
    Film film;
    double before = 0, after = 0, beside[2] = {0, 0};
    (void)state;
    photo_ok(film_open(SIDE, SIDE, 1, &film));
    for (uint32_t k = 0; k < 16; k++) film.samples[k] = SAMPLES;
    film.scale = 0.6f;
    Vec3 *light = memory_allocate(SIDE * SIDE * sizeof *light);
    for (uint32_t k = 0; k < SIDE * SIDE; k++) {
        bool left = k % SIDE < SIDE / 2;
        float truth = left ? 0.4f : 0.5f;
        film.pixel[k].albedo = vec3_scale(color_gray(left ? 0.2f : 0.8f), SAMPLES);
        for (uint32_t s = 0; s < SAMPLES; s++) {
            float sample = truth * 2 * sampler_unit(sampler_hash2(k, s));
            film.pixel[k].light = vec3_add(film.pixel[k].light, color_gray(sample));
            film.pixel[k].square += film.scale * film.scale * sample * sample;
        }
    }
    photo_ok(denoise(DENOISE_OWN, &film, NULL, light));
    for (uint32_t k = 0; k < SIDE * SIDE; k++) {
        uint32_t x = k % SIDE;
        double truth = x < SIDE / 2 ? 0.4 : 0.5;
        before += pow((double)film.pixel[k].light.x / SAMPLES - truth, 2);
        after += pow((double)light[k].x - truth, 2);
        if (x == SIDE / 2 - 1) beside[0] += (double)light[k].x / SIDE;
        if (x == SIDE / 2) beside[1] += (double)light[k].x / SIDE;
        assert_true(fabs((double)light[k].x - truth) < 0.2 * truth);
    }
    photo_ok(denoise(DENOISE_OFF, &film, NULL, light));
    for (uint32_t k = 0; k < SIDE * SIDE; k++)
        assert_true(fabsf(light[k].x - film.pixel[k].light.x / SAMPLES) < 1e-6f);
    assert_true(after < before / 36);
    assert_true(fabs(beside[0] - 0.4) < 0.01 && fabs(beside[1] - 0.5) < 0.01);
    memory_free(light);
    film_free(&film);
}

static void without_open_image_denoise_one_line_says_so(void **state)
{
    Film film;
    Vec3 light[1];
    (void)state;
    Result result = denoise_name(DENOISE_KINDS) ? result_ok() : film_open(1, 1, 1, &film);
    photo_ok(result);
    film.samples[0] = 1;
    film.scale = 1;
    result = denoise(DENOISE_OIDN, &film, NULL, light);
    if (!result_is_ok(&result)) assert_non_null(strstr(result.text, "libOpenImageDenoise.so is missing"));
    photo_ok(denoise(DENOISE_AUTO, &film, NULL, light)); // does without it
    film_free(&film);
}

// A ray along the ground meets it as far away as floats go.
static void far_numbers_have_a_floor_without_overflow(void **state)
{
    (void)state;
    assert_int_equal(number_floor(1.5f), 1);
    assert_int_equal(number_floor(-0.5f), -1);
    assert_int_equal(number_floor(-7.0f), -7);
    assert_int_equal(number_floor(-3e38f), -2147483520);
    assert_int_equal(number_floor(3e38f), 2147483520);
}

// Functions that are computed without the standard library are those of the standard library.
static void quick_functions_are_near_the_exact_ones(void **state)
{
    double turn = 0, arccos = 0, power = 0, near = 0;
    (void)state;
    for (int k = 0; k <= 20000; k++) {
        double x = -1 + k / 10000.0, around = 3.14159 * x, fall = -90.0 * k / 20000;
        float across = (float)cos(around), up = (float)sin(around);
        turn = fmax(turn, fabs((double)number_turn(3 * up, 3 * across) - around));
        arccos = fmax(arccos, fabs((double)number_arccos((float)x) - acos((double)(float)x)));
        int lane = (int)(k % 4);
        Real4 falls = {-3, -2, -1, 0};
        falls[lane] = (float)fall;
        float left = number_exp4(falls)[lane];
        double error = fabs((double)left / exp((double)(float)fall) - 1);
        if (fall > -87) power = fmax(power, error);
        if (fall > -1) near = fmax(near, error);
        assert_true(left < 1.0000002f);
    }
    assert_true(turn < 2e-5);
    assert_true(arccos < 1e-6);
    assert_true(power < 1e-5 && near < 5e-7);
    Real4 ends = number_exp4((Real4){0, -1e30f, 0, 0});
    assert_true(ends[0] == 1 && ends[1] < 1e-37f && number_turn(0, 0) == 0);
}

// Each octave is as if it were alone, whatever is computed beside it; the processor does not matter.
static void noise_has_the_same_bits_with_all_instructions(void **state)
{
    float least = 1, most = 0;
    (void)state;
    for (uint32_t k = 0; k < 4000; k++) {
        float x = 80 * (sampler_unit(sampler_hash(2 * k)) - 0.5f),
              y = 80 * (sampler_unit(sampler_hash(2 * k + 1)) - 0.5f), sum = 0;
        int octaves = 1 + (int)(k % 8);
        float plain = ground_noise_plain(x, y, 41, octaves);
        assert_true(ground_noise(x, y, 41, octaves) == plain);
        if (cpu_best_level(CPU_AVX2) == CPU_AVX2) assert_true(ground_noise_avx2(x, y, 41, octaves) == plain);
        for (int o = 0; o < octaves; o++) {
            float finer = powf(2.03f, (float)o);
            sum += 2 * ldexpf(0.5f, -o) * ground_noise_plain(x * finer, y * finer, 41 + (unsigned)o, 1);
        }
        assert_true(fabsf(sum - plain) < 1e-3f);
        float first = 2 * ground_noise_plain(x, y, 41, 1);
        least = fminf(least, first), most = fmaxf(most, first);
    }
    assert_true(least >= 0 && least < 0.05f && most > 0.95f && most <= 1);
    assert_true(isfinite(ground_noise(3e38f, -3e38f, 1, 6)));
}

// Slabs are polished in places and dull in others, as much as they may be at most; other floors all over.
static void slabs_are_worn_in_places(void **state)
{
    Ground ground = {.kind = GROUND_SLABS, .color = {0.4f, 0.4f, 0.4f}, .scale = 2, .gloss = 0.03f};
    uint32_t dull = 0, polished = 0;
    (void)state;
    for (int k = 0; k < 10000; k++) {
        Vec3 point = vec3_make(0.37f * (float)(k % 100), 0.41f * (float)(k / 100), 0);
        float most = ground_surface(&ground, point, true).gloss, gloss = ground_gloss(&ground, point, most);
        assert_true(most == ground.gloss && gloss >= 0 && gloss <= most);
        dull += gloss < 0.1f * most;
        polished += gloss > 0.9f * most;
    }
    assert_true(dull > 500 && polished > 500);
    ground.kind = GROUND_SMOOTH;
    assert_true(ground_gloss(&ground, vec3_make(1, 1, 0), 0.02f) == 0.02f);
}

// 64 samples of a pixel lie in 64 strata of each number and in 8 x 8 of each pair, whatever the pixel.
static void points_of_a_table_are_even(void **state)
{
    SamplerTable *table = memory_allocate(sizeof *table);
    (void)state;
    assert_non_null(table);
    sampler_table_fill(table);
    for (uint32_t pixel = 0; pixel < 20; pixel++) {
        uint64_t first[SAMPLER_PAIRS] = {0}, second[SAMPLER_PAIRS] = {0}, square[SAMPLER_PAIRS] = {0};
        uint32_t start = pixel % 2 ? 0 : SAMPLER_ROWS; // a second round of the table has other points
        for (uint32_t k = 0; k < 64; k++) {
            PathSampler sampler = sampler_by_table(table, sampler_hash(pixel), start + k);
            for (int d = 0; d < SAMPLER_PAIRS; d++) {
                float u, v;
                sampler_pair(&sampler, &u, &v);
                first[d] |= 1ull << (int)(64 * u);
                second[d] |= 1ull << (int)(64 * v);
                square[d] |= 1ull << (8 * (int)(8 * u) + (int)(8 * v));
            }
            assert_true(sampler_one(&sampler) < 1); // beyond the table
        }
        for (int d = 0; d < SAMPLER_PAIRS; d++)
            assert_true(first[d] == UINT64_MAX && second[d] == UINT64_MAX && square[d] == UINT64_MAX);
    }
    PathSampler a = sampler_by_table(table, 5, 3), b = sampler_by_table(table, 5, 3 + SAMPLER_ROWS);
    PathSampler c = sampler_by_table(table, 6, 3);
    float value = sampler_one(&a);
    assert_true(value != sampler_one(&b) && value != sampler_one(&c));
    memory_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moving_body_is_where_its_velocity_brings_it),
        cmocka_unit_test(a_lens_blurs_what_is_not_at_its_focus),
        cmocka_unit_test(metal_mirrors_in_its_color),
        cmocka_unit_test(skies_are_drawn_from_by_their_brightness),
        cmocka_unit_test(lamps_are_drawn_from_all_over),
        cmocka_unit_test(pictures_of_skies_are_read),
        cmocka_unit_test(far_numbers_have_a_floor_without_overflow),
        cmocka_unit_test(quick_functions_are_near_the_exact_ones),
        cmocka_unit_test(noise_has_the_same_bits_with_all_instructions),
        cmocka_unit_test(slabs_are_worn_in_places),
        cmocka_unit_test(points_of_a_table_are_even),
        cmocka_unit_test(presets_fill_what_is_not_given),
        cmocka_unit_test(a_scene_names_its_sky_relative_to_its_folder),
        cmocka_unit_test(a_sky_that_is_missing_is_told_at_once),
        cmocka_unit_test(a_check_looks_for_the_sky_of_photographs),
        cmocka_unit_test_setup_teardown(a_run_that_is_stopped_in_a_picture_goes_on_from_there, make_folder,
                                        remove_folder),
        cmocka_unit_test(the_denoiser_takes_noise_and_leaves_edges),
        cmocka_unit_test(without_open_image_denoise_one_line_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
