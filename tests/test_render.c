// Pictures on the software renderer: where things appear, what hides what, and sizes.
#include "core/memory.h"
#include "obstacle/obstacle.h"
#include "render/colormap.h"
#include "render/cutout.h"
#include "render/particles.h"
#include "render_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// Before anything else: the driver is looked up once per process, so a child process looks where there is
// none.
static void without_a_driver_there_is_one_clear_line(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent", 1);
        unsetenv("DISPLAY");
        GlContext *context = (GlContext *)&child;
        Result result = gl_context_open_headless(&context);
        bool clear = result.code == RESULT_FAILED && !context && !strchr(result.text, '\n') &&
                     strstr(result.text, "without a display") && strstr(result.text, "libegl1");
        _exit(clear ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void a_context_opens_without_a_display(void **state)
{
    (void)state;
    GlContext *context = render_test_context();
    assert_non_null(context);
}

// Is a pixel's ray within the cone of a sphere? Pixel centres; y from the top.
static bool ray_meets_sphere(const RenderDef *def, double px, double py, Vec3 center, double radius)
{
    const CameraDef *camera = &def->camera;
    Vec3 forward = vec3_normalize_or(vec3_sub(camera->target, camera->eye), vec3_make(0, 1, 0));
    Vec3 right = vec3_normalize_or(vec3_cross(forward, vec3_make(0, 0, 1)), vec3_make(1, 0, 0));
    Vec3 up = vec3_cross(right, forward);
    double tangent = tan(camera->fov / 2 * 3.14159265358979 / 180);
    double sx = (px / def->width * 2 - 1) * tangent * def->width / def->height,
           sy = (1 - py / def->height * 2) * tangent;
    double ray[3] = {forward.x + sx * right.x + sy * up.x, forward.y + sx * right.y + sy * up.y,
                     forward.z + sx * right.z + sy * up.z};
    Vec3 toward = vec3_sub(center, camera->eye);
    double along = ray[0] * toward.x + ray[1] * toward.y + ray[2] * toward.z;
    double ray_length = sqrt(ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2]);
    double distance = sqrt((double)vec3_dot(toward, toward));
    return acos(along / (ray_length * distance)) < asin(radius / distance);
}

// Counts pixels that are drawn although the sphere is more than a pixel away, or not drawn although it covers
// them and all their neighbours.
static int wrong_pixels(const RenderDef *def, const uint8_t *rgb, const uint8_t *empty, Vec3 center,
                        double radius)
{
    int wrong = 0;
    for (uint32_t y = 0; y < def->height; y++) {
        for (uint32_t x = 0; x < def->width; x++) {
            int inside = 0;
            for (int k = 0; k < 9; k++) {
                inside += ray_meets_sphere(def, x + 0.5 + k % 3 - 1, y + 0.5 + k / 3 - 1, center, radius);
            }
            bool drawn = test_pixel_difference(rgb, empty, def->width, x, y) > 2;
            if ((inside == 9 && !drawn) || (inside == 0 && drawn)) wrong++;
        }
    }
    return wrong;
}

static void check_silhouette(float spacing, float fov)
{
    TestFrame frame = test_frame_make(1, spacing);
    frame.view.origin = vec3_make(10, -4, 2);
    Vec3 center = vec3_make(10.4f, -3, 2.25f);
    frame.x[0] = 0.4f;
    frame.y[0] = 1;
    frame.z[0] = 0.25f;
    RenderDef def = test_def(320, 200, vec3_make(10, -5, 2), vec3_make(10, -3, 2), fov);
    uint8_t *rgb = test_picture(&def, &frame.view);
    frame.view.count = 0;
    uint8_t *empty = test_picture(&def, &frame.view);
    assert_int_equal(wrong_pixels(&def, rgb, empty, center, PARTICLE_DRAWN_RADIUS * spacing), 0);
    memory_free(rgb);
    memory_free(empty);
    test_frame_free(&frame);
}

static void a_sphere_covers_the_ellipse_that_perspective_gives_it(void **state)
{
    (void)state;
    check_silhouette(0.3f, 40);
}

static void a_small_sphere_covers_the_ellipse_that_perspective_gives_it(void **state)
{
    (void)state;
    check_silhouette(0.05f, 40);
}

static void a_sphere_larger_than_any_sprite_covers_its_ellipse(void **state)
{
    (void)state;
    check_silhouette(1.5f, 60);
}

// A cut-out has the silhouette, partly covered pixels at its edge alone, and no color of the background
// there.
static void a_sphere_is_cut_out_of_its_background(void **state)
{
    (void)state;
    enum { SIDE = 120 };
    static uint8_t rgb[SIDE * SIDE * 3], cover[SIDE * SIDE], rgba[SIDE * SIDE * 4];
    Renderer *renderer;
    TestFrame frame = test_frame_make(1, 0.3f);
    frame.speed[0] = 0; // deep blue: the background is light
    RenderDef def = test_def(SIDE, SIDE, vec3_make(0, -1, 0), vec3_make(0, 0, 0), 40);
    assert_string_equal(renderer_create(&def, &renderer).text, "");
    assert_string_equal(renderer_draw(renderer, &frame.view, NULL).text, "");
    assert_string_equal(renderer_read(renderer, rgb).text, "");
    assert_string_equal(renderer_read_cover(renderer, cover).text, "");
    cutout_make(rgb, cover, SIDE, SIDE, rgba);
    double radius = PARTICLE_DRAWN_RADIUS * 0.3, area = 0;
    uint32_t edges = 0;
    for (uint32_t k = 0; k < SIDE * SIDE; k++) {
        uint32_t x = k % SIDE, y = k / SIDE;
        int inside = 0;
        for (int n = 0; n < 9; n++)
            inside +=
                ray_meets_sphere(&def, x + 0.5 + n % 3 - 1, y + 0.5 + n / 3 - 1, vec3_make(0, 0, 0), radius);
        if (inside == 9) assert_int_equal(cover[k], 255);
        if (inside == 0) assert_int_equal(cover[k], 0);
        bool edge = cover[k] > 0 && cover[k] < 255;
        edges += edge;
        area += cover[k] / 255.0;
        assert_int_equal(rgba[4 * k + 3], cover[k]);
        if (edge) assert_true(rgba[4 * k] <= rgb[3 * k]); // less of the light background
        if (cover[k] == 255) assert_memory_equal(rgba + 4 * k, rgb + 3 * k, 3);
    }
    double expected = 3.14159 * pow(tan(asin(radius)) / tan(20 * 3.14159 / 180) * SIDE / 2, 2);
    assert_true(edges > 40 && fabs(area - expected) < 0.02 * expected);
    def.style = STYLE_SCREEN_SPACE;
    assert_string_equal(renderer_set(renderer, &def).text, "");
    assert_int_equal(renderer_read_cover(renderer, cover).code, RESULT_USAGE);
    renderer_destroy(renderer);
    test_frame_free(&frame);
}

static float lightness_at(const uint8_t *rgb, const RenderDef *def, uint32_t x, uint32_t y)
{
    const uint8_t *p = rgb + ((size_t)y * def->width + x) * 3;
    float srgb[3] = {p[0] / 255.0f, p[1] / 255.0f, p[2] / 255.0f}, lab[3];
    colormap_oklab_of_srgb(srgb, lab);
    return lab[0];
}

static void the_nearer_particle_hides_the_farther_whatever_their_order(void **state)
{
    (void)state;
    RenderDef def = test_def(64, 64, vec3_make(0, -3, 0), vec3_make(0, 0, 0), 30);
    for (int near = 0; near < 2; near++) {
        TestFrame frame = test_frame_make(2, 0.5f);
        frame.y[near] = -0.6f; // the nearer one is slow, so dark
        frame.y[1 - near] = 0.6f;
        frame.speed[1 - near] = 1;
        uint8_t *rgb = test_picture(&def, &frame.view);
        assert_true(lightness_at(rgb, &def, 32, 32) < 0.65f);
        memory_free(rgb);
        test_frame_free(&frame);
    }
}

static void particles_at_the_ends_of_the_range_have_the_colours_of_the_maps_ends(void **state)
{
    (void)state;
    RenderDef def = test_def(64, 64, vec3_make(0, -3, 0), vec3_make(0, 0, 0), 30);
    for (int end = 0; end < 2; end++) {
        TestFrame frame = test_frame_make(1, 1);
        frame.speed[0] = (float)end;
        uint8_t *rgb = test_picture(&def, &frame.view);
        const uint8_t *p = rgb + (30 * 64 + 30) * 3;
        float seen[3] = {p[0] / 255.0f, p[1] / 255.0f, p[2] / 255.0f}, map[3], seen_lab[3], map_lab[3];
        colormap_srgb((float)end, map);
        colormap_oklab_of_srgb(seen, seen_lab);
        colormap_oklab_of_srgb(map, map_lab);
        // Light changes lightness; the colour itself stays.
        float off = hypotf(seen_lab[1] - map_lab[1], seen_lab[2] - map_lab[2]);
        assert_true(off < 0.05f);
        assert_true(fabsf(seen_lab[0] - map_lab[0]) < 0.2f);
        memory_free(rgb);
        test_frame_free(&frame);
    }
}

static bool has_color(const uint8_t *rgb, const RenderDef *def, float t)
{
    float color[3];
    colormap_srgb(t, color);
    for (size_t k = 0; k < (size_t)def->width * def->height; k++) {
        int off = 0;
        for (size_t c = 0; c < 3; c++) off += abs((int)rgb[3 * k + c] - (int)(255 * color[c] + 0.5f));
        if (off <= 2) return true;
    }
    return false;
}

static void the_legend_shows_the_ends_of_the_map(void **state)
{
    (void)state;
    TestFrame frame = test_frame_make(0, 0.1f);
    RenderDef def = test_def(640, 400, vec3_make(0, -3, 0), vec3_make(0, 0, 0), 30);
    uint8_t *without = test_picture(&def, &frame.view);
    def.legend = true;
    uint8_t *with = test_picture(&def, &frame.view);
    assert_false(has_color(without, &def, 0));
    assert_true(has_color(with, &def, 0) && has_color(with, &def, 0.5f) && has_color(with, &def, 1));
    memory_free(with);
    memory_free(without);
    test_frame_free(&frame);
}

static TestFrame random_frame(uint32_t count, float spacing)
{
    TestFrame frame = test_frame_make(count, spacing);
    uint32_t random = 12345;
    float *streams[4] = {frame.x, frame.y, frame.z, frame.speed};
    for (uint32_t k = 0; k < 4 * count; k++) {
        random = random * 1664525u + 1013904223u;
        streams[k % 4][k / 4] = (float)(random >> 8) / 16777216.0f;
    }
    return frame;
}

static void the_same_frame_twice_gives_the_same_bytes(void **state)
{
    (void)state;
    TestFrame frame = random_frame(3000, 0.05f);
    frame.view.time = 0.25;
    RenderDef def = render_def_default();
    def.width = 320;
    def.height = 240;
    uint8_t *first = test_picture(&def, &frame.view);
    Renderer *renderer;
    Result result = renderer_create(&def, &renderer);
    assert_true(result_is_ok(&result));
    uint8_t *again = memory_allocate((size_t)def.width * def.height * 3);
    for (int k = 0; k < 2; k++) {
        result = renderer_draw(renderer, &frame.view, NULL);
        assert_true(result_is_ok(&result));
        result = renderer_read(renderer, again);
        assert_true(result_is_ok(&result));
        assert_memory_equal(first, again, (size_t)def.width * def.height * 3);
    }
    renderer_destroy(renderer);
    memory_free(first);
    memory_free(again);
    test_frame_free(&frame);
}

static void one_pixel_and_odd_sizes_work(void **state)
{
    (void)state;
    TestFrame frame = random_frame(50, 0.1f);
    static const uint32_t sizes[][2] = {{1, 1}, {7, 3}, {3, 251}, {333, 1}, {129, 77}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        RenderDef def = render_def_default();
        def.width = sizes[k][0];
        def.height = sizes[k][1];
        memory_free(test_picture(&def, &frame.view));
    }
    test_frame_free(&frame);
}

static void a_size_that_cannot_be_drawn_is_refused_with_its_limit(void **state)
{
    (void)state;
    assert_non_null(render_test_context());
    static const uint32_t sizes[][2] = {{1000000, 10}, {10, 1000000}, {0, 10}, {10, 0}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        RenderDef def = render_def_default();
        def.width = sizes[k][0];
        def.height = sizes[k][1];
        Renderer *renderer = (Renderer *)&def;
        Result result = renderer_create(&def, &renderer);
        assert_int_equal(result.code, RESULT_USAGE);
        assert_null(renderer);
        assert_non_null(strstr(result.text, "(1 to 16384 pixels)"));
    }
}

static void a_frame_without_anything_is_drawn(void **state)
{
    (void)state;
    TestFrame frame = test_frame_make(0, 0.1f);
    RenderDef def = render_def_default();
    def.width = 160;
    def.height = 90;
    uint8_t *rgb = test_picture(&def, &frame.view);
    // A light background, everywhere.
    for (size_t k = 0; k < 160; k++) assert_true(rgb[3 * (20 * 160 + k)] > 180);
    memory_free(rgb);
    test_frame_free(&frame);
}

static Obstacles *tank_with_ball(Vec3 at)
{
    ObstacleDef ball = {
        .shape = {.kind = SHAPE_SPHERE, .radius = 0.2f}, .position = at, .color = {0.8f, 0.05f, 0.05f}};
    TankDef tank = {.present = true, .size = vec3_make(1, 1, 1)};
    Obstacles *obstacles;
    Result result = obstacles_create(tank, 0, &ball, 1, &obstacles);
    assert_true(result_is_ok(&result));
    return obstacles;
}

static void an_obstacle_hides_what_lies_behind_it_and_is_hidden_by_what_lies_before(void **state)
{
    (void)state;
    Obstacles *obstacles = tank_with_ball(vec3_make(0.5f, 0.5f, 0.5f));
    RenderDef def = test_def(64, 64, vec3_make(0.5f, -3, 0.5f), vec3_make(0.5f, 0.5f, 0.5f), 20);
    for (int before = 0; before < 2; before++) {
        TestFrame frame = test_frame_make(1, 0.1f);
        frame.view.obstacles = obstacles;
        frame.x[0] = frame.z[0] = 0.5f;
        frame.y[0] = before ? 0.1f : 0.9f;
        uint8_t *rgb = test_picture(&def, &frame.view);
        const uint8_t *p = rgb + (32 * 64 + 32) * 3;
        assert_true(before ? p[2] > p[0] : p[0] > p[2]); // the particle is blue, the ball red
        memory_free(rgb);
        test_frame_free(&frame);
    }
    obstacles_destroy(obstacles);
}

static void things_darken_the_ground_on_the_side_away_from_the_sun(void **state)
{
    (void)state;
    TankDef tank = {.present = true, .size = vec3_make(1, 1, 1)};
    Obstacles *obstacles;
    Result result = obstacles_create(tank, 0, NULL, 0, &obstacles);
    assert_true(result_is_ok(&result));
    TestFrame frame = random_frame(20000, 0.05f);
    frame.view.obstacles = obstacles;
    // Seen from above, so that picture axes are ground axes; the sun stands on the left.
    RenderDef def = test_def(128, 128, vec3_make(0.5f, 0.5f, 8), vec3_make(0.5f, 0.5f, 0), 30);
    uint8_t *full = test_picture(&def, &frame.view);
    frame.view.count = 0;
    uint8_t *empty = test_picture(&def, &frame.view);
    uint32_t right = 64 + 26, left = 64 - 26;
    assert_true(full[3 * (64 * 128 + right)] + 20 < empty[3 * (64 * 128 + right)]);
    assert_true(abs((int)full[3 * (64 * 128 + left)] - (int)empty[3 * (64 * 128 + left)]) < 12);
    memory_free(full);
    memory_free(empty);
    test_frame_free(&frame);
    obstacles_destroy(obstacles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_driver_there_is_one_clear_line),
        cmocka_unit_test(a_context_opens_without_a_display),
        cmocka_unit_test(a_sphere_covers_the_ellipse_that_perspective_gives_it),
        cmocka_unit_test(a_small_sphere_covers_the_ellipse_that_perspective_gives_it),
        cmocka_unit_test(a_sphere_is_cut_out_of_its_background),
        cmocka_unit_test(a_sphere_larger_than_any_sprite_covers_its_ellipse),
        cmocka_unit_test(the_nearer_particle_hides_the_farther_whatever_their_order),
        cmocka_unit_test(particles_at_the_ends_of_the_range_have_the_colours_of_the_maps_ends),
        cmocka_unit_test(the_legend_shows_the_ends_of_the_map),
        cmocka_unit_test(the_same_frame_twice_gives_the_same_bytes),
        cmocka_unit_test(one_pixel_and_odd_sizes_work),
        cmocka_unit_test(a_size_that_cannot_be_drawn_is_refused_with_its_limit),
        cmocka_unit_test(a_frame_without_anything_is_drawn),
        cmocka_unit_test(an_obstacle_hides_what_lies_behind_it_and_is_hidden_by_what_lies_before),
        cmocka_unit_test(things_darken_the_ground_on_the_side_away_from_the_sun),
    };
    return cmocka_run_group_tests(tests, NULL, render_test_close);
}
