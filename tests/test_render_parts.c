// What pictures are made of, without OpenGL: colours, cameras, visibility, ranges, numbers and letters.
#include "core/memory.h"
#include "core/parallel.h"
#include "render/colormap.h"
#include "render/font.h"
#include "render/gl_uniforms.h"
#include "render/legend.h"
#include "render/range.h"
#include "render/shared_range.h"
#include "render/visibility.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void the_colormaps_lightness_rises_evenly(void **state)
{
    (void)state;
    float previous = -1, first = 0, last = 0;
    for (int k = 0; k <= 64; k++) {
        float rgb[3], lab[3];
        colormap_srgb((float)k / 64, rgb);
        colormap_oklab_of_srgb(rgb, lab);
        assert_true(lab[0] > previous);
        if (k == 0) first = lab[0];
        last = previous = lab[0];
    }
    assert_true(last - first > 0.5f);
    for (int k = 1; k < 64; k++) {
        float rgb[3], lab[3];
        colormap_srgb((float)k / 64, rgb);
        colormap_oklab_of_srgb(rgb, lab);
        assert_true(fabsf(lab[0] - (first + (last - first) * (float)k / 64)) < 0.01f);
    }
}

static void oklab_of_known_colours_is_right(void **state)
{
    (void)state;
    // White, and the red primary, from the definition's paper.
    static const float white[3] = {1, 1, 1}, red[3] = {1, 0, 0};
    float lab[3];
    colormap_oklab_of_srgb(white, lab);
    assert_true(fabsf(lab[0] - 1) < 1e-3f && fabsf(lab[1]) < 1e-3f && fabsf(lab[2]) < 1e-3f);
    colormap_oklab_of_srgb(red, lab);
    assert_true(fabsf(lab[0] - 0.628f) < 2e-3f && fabsf(lab[1] - 0.225f) < 2e-3f &&
                fabsf(lab[2] - 0.126f) < 2e-3f);
}

static float lightness(ColorMap map, float t)
{
    float rgb[3], lab[3];
    colormap_color(map, t, rgb);
    colormap_oklab_of_srgb(rgb, lab);
    return lab[0];
}

static void maps_rise_in_lightness_or_meet_in_white(void **state)
{
    (void)state;
    for (int map = COLORMAP_WATER; map <= COLORMAP_CIVIDIS; map++) {
        for (int k = 1; k <= 64; k++)
            assert_true(lightness((ColorMap)map, (float)k / 64) >
                        lightness((ColorMap)map, (float)(k - 1) / 64));
    }
    for (int k = 1; k <= 32; k++) {
        float t = (float)k / 64, before = t - 1.0f / 64;
        assert_true(lightness(COLORMAP_BALANCE, t) > lightness(COLORMAP_BALANCE, before));
        assert_true(lightness(COLORMAP_BALANCE, 1 - t) > lightness(COLORMAP_BALANCE, 1 - before));
    }
    assert_true(lightness(COLORMAP_BALANCE, 0.5f) > 0.95f);
    float rgb[3];
    colormap_color(COLORMAP_VIRIDIS, 0, rgb);
    assert_true(fabsf(rgb[0] - 0x44 / 255.0f) < 1e-6f && fabsf(rgb[2] - 0x54 / 255.0f) < 1e-6f);
    for (int map = 0; map < COLORMAP_COUNT; map++) assert_non_null(colormap_name((ColorMap)map));
}

static void the_colormap_is_clamped_and_its_table_agrees(void **state)
{
    (void)state;
    float below[3], lowest[3];
    colormap_srgb(-3, below);
    colormap_srgb(0, lowest);
    assert_memory_equal(below, lowest, sizeof below);
    uint8_t table[COLORMAP_SIZE * 3];
    colormap_table(COLORMAP_WATER, table);
    for (int k = 0; k < COLORMAP_SIZE; k++) {
        float rgb[3];
        colormap_srgb((float)k / (COLORMAP_SIZE - 1), rgb);
        for (int c = 0; c < 3; c++) assert_true(fabsf((float)table[3 * k + c] - 255 * rgb[c]) <= 0.51f);
    }
}

// Where a point lands on the picture, in [-1, 1] on both axes.
static void project(const View *view, Vec3 point, float *x, float *y)
{
    const float *m = view->view_projection;
    float clip[4];
    for (int k = 0; k < 4; k++)
        clip[k] = m[k] * point.x + m[4 + k] * point.y + m[8 + k] * point.z + m[12 + k];
    *x = clip[0] / clip[3];
    *y = clip[1] / clip[3];
    assert_true(clip[3] > 0 && fabsf(clip[2]) <= clip[3]);
}

static void the_automatic_camera_shows_every_box_whole_and_large(void **state)
{
    (void)state;
    static const Vec3 sizes[] = {{1, 1, 1}, {2.3f, 1.6f, 1.25f}, {100, 1, 1}, {1, 50, 1}, {0.01f, 0.01f, 1}};
    static const float aspects[] = {1.78f, 1, 0.5f, 4};
    static const float fovs[] = {20, 30, 90, 150};
    for (size_t k = 0; k < 5 * 4 * 4; k++) {
        Vec3 size = sizes[k / 16];
        Box3 box = {vec3_make(-1, 2, 0), vec3_add(vec3_make(-1, 2, 0), size)};
        CameraDef camera = {.automatic = true, .fov = fovs[k % 4]};
        View view = view_of_camera(&camera, vec3_make(5, 5, 5), box, aspects[k / 4 % 4]);
        float widest = 0;
        for (int c = 0; c < 8; c++) {
            Vec3 corner = vec3_make(c & 1 ? box.hi.x : box.lo.x, c & 2 ? box.hi.y : box.lo.y,
                                    c & 4 ? box.hi.z : box.lo.z);
            float x, y;
            project(&view, corner, &x, &y);
            assert_true(fabsf(x) < 0.95f && fabsf(y) < 0.95f);
            widest = fmaxf(widest, fmaxf(fabsf(x), fabsf(y)));
        }
        // No larger than needed either, but for boxes that would come too near to the eye.
        if (fovs[k % 4] <= 30) assert_true(widest > 0.6f);
    }
}

static void a_given_camera_has_its_target_in_the_middle(void **state)
{
    (void)state;
    CameraDef camera = {.eye = vec3_make(4, 5, 6), .target = vec3_make(1, 1, 1), .fov = 40};
    Vec3 origin = vec3_make(1, 0, -2);
    View view = view_of_camera(&camera, origin, (Box3){vec3_make(0, 0, 0), vec3_make(3, 3, 3)}, 1.5f);
    float x, y;
    project(&view, vec3_sub(camera.target, origin), &x, &y);
    assert_true(fabsf(x) < 1e-5f && fabsf(y) < 1e-5f);
    camera.eye = vec3_make(1, 1, 9); // straight down still has an orientation
    view = view_of_camera(&camera, origin, (Box3){vec3_make(0, 0, 0), vec3_make(3, 3, 3)}, 1.5f);
    project(&view, vec3_sub(vec3_make(1, 2, 1), origin), &x, &y);
    assert_true(fabsf(x) < 1e-5f && y > 0.05f);
}

static float random_unit(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 16777216.0f;
}

// Distance along the unit ray to the sphere, INFINITY if it misses.
static double hit(const double eye[3], const double ray[3], const Spheres *s, uint32_t k)
{
    double c[3] = {s->x[k] - eye[0], s->y[k] - eye[1], s->z[k] - eye[2]};
    double along = c[0] * ray[0] + c[1] * ray[1] + c[2] * ray[2];
    double apart = c[0] * c[0] + c[1] * c[1] + c[2] * c[2] - along * along, r = s->radius;
    return apart > r * r || along < 0 ? INFINITY : along - sqrt(r * r - apart);
}

// Does a ray from the eye to some point of the sphere reach it before every other sphere?
static bool seen_by_rays(const View *view, const Spheres *s, uint32_t body, uint32_t *seed)
{
    for (int n = 0; n < 12; n++) {
        double eye[3] = {view->eye.x, view->eye.y, view->eye.z}, ray[3], to[3], length = 0;
        const double center[3] = {s->x[body], s->y[body], s->z[body]};
        for (int c = 0; c < 3; c++) to[c] = center[c] + (2 * random_unit(seed) - 1) * s->radius;
        const double forward[3] = {view->forward.x, view->forward.y, view->forward.z};
        for (int c = 0; c < 3; c++) ray[c] = view->parallel ? forward[c] : to[c] - eye[c];
        for (int c = 0; c < 3 && view->parallel; c++) eye[c] = to[c] - 100 * forward[c];
        for (int c = 0; c < 3; c++) length += ray[c] * ray[c];
        for (int c = 0; c < 3; c++) ray[c] /= sqrt(length);
        double own = hit(eye, ray, s, body);
        bool covered = own == INFINITY;
        for (uint32_t k = 0; k < s->count && !covered; k++) covered = k != body && hit(eye, ray, s, k) < own;
        if (!covered) return true;
    }
    return false;
}

static void check_visibility(const View *view)
{
    enum { SIDE = 14, COUNT = SIDE * SIDE * SIDE };
    float *x = memory_allocate(COUNT * sizeof(float)), *y = memory_allocate(COUNT * sizeof(float)),
          *z = memory_allocate(COUNT * sizeof(float));
    uint32_t seed = 7;
    for (int k = 0; k < COUNT; k++) {
        x[k] = ((float)(k % SIDE) + 0.4f * random_unit(&seed)) / SIDE;
        y[k] = ((float)(k / SIDE % SIDE) + 0.4f * random_unit(&seed)) / SIDE;
        z[k] = ((float)(k / SIDE / SIDE) + 0.4f * random_unit(&seed)) / SIDE;
    }
    Spheres spheres = {x, y, z, COUNT, 0.56f / SIDE};
    uint8_t classes[COUNT], again[COUNT];
    Visibility *visibility;
    Result result = visibility_create(true, &visibility);
    assert_true(result_is_ok(&result));
    result = visibility_classify(visibility, view, spheres, 720, 255, classes);
    assert_true(result_is_ok(&result));
    uint32_t hidden = 0;
    for (uint32_t k = 0; k < COUNT; k++) {
        if (classes[k] != SPHERE_HIDDEN) continue;
        hidden++;
        if (k % 3 == 0) assert_false(seen_by_rays(view, &spheres, k, &seed));
    }
    assert_true(hidden > COUNT / 4 && hidden < COUNT);
    parallel_set_workers(3);
    result = visibility_classify(visibility, view, spheres, 720, 255, again);
    parallel_set_workers(0);
    assert_memory_equal(classes, again, COUNT);
    visibility_destroy(visibility);
    memory_free(x);
    memory_free(y);
    memory_free(z);
}

static void what_is_left_out_of_a_picture_cannot_be_seen(void **state)
{
    (void)state;
    Box3 box = {vec3_make(0, 0, 0), vec3_make(1, 1, 1)};
    CameraDef camera = {.automatic = true, .fov = 30};
    View view = view_of_camera(&camera, vec3_make(0, 0, 0), box, 1.6f);
    check_visibility(&view);
}

static void what_is_left_out_of_a_shadow_map_gets_no_sun(void **state)
{
    (void)state;
    View view = view_of_light(vec3_normalize_or(vec3_make(-1, -0.6f, 1.6f), vec3_make(0, 0, 1)),
                              (Box3){vec3_make(0, 0, 0), vec3_make(1, 1, 1)});
    check_visibility(&view);
}

static void a_range_ignores_single_wild_particles_and_does_not_jump(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static float speed[COUNT];
    for (int k = 0; k < COUNT; k++) speed[k] = 5.0f * (float)k / COUNT;
    speed[500] = 1e9f;
    speed[501] = NAN;
    FrameView view = {.spacing = 0.01f, .count = COUNT, .time = 1};
    FieldRange range = {0};
    field_range_follow(&range, &view, FIELD_SPEED, speed);
    assert_true(range.lo == 0 && range.hi > 4.8f && range.hi <= 5);
    FieldRange before = range;
    field_range_follow(&range, &view, FIELD_SPEED, speed);
    assert_true(range.lo == before.lo && range.hi == before.hi);
    // Everything stops: the range shrinks little by little.
    memset(speed, 0, sizeof speed);
    view.time += 0.02;
    field_range_follow(&range, &view, FIELD_SPEED, speed);
    assert_true(range.hi < before.hi && range.hi > 0.9f * before.hi);
    // Time that runs backwards is another run.
    view.time = 0;
    field_range_follow(&range, &view, FIELD_SPEED, speed);
    assert_true(range.hi > 0 && range.hi < 2);
    view.count = 0;
    field_range_follow(&range, &view, FIELD_HEIGHT, speed);
    assert_true(range.hi > range.lo);
}

static void numbers_are_as_short_as_their_scale_allows(void **state)
{
    (void)state;
    static const struct {
        float value, span;
        const char *text;
    } cases[] = {
        {0, 3.2f, "0"},     {1.6f, 3.2f, "1.60"}, {12.25f, 24.5f, "12.2"},   {1000, 40, "1000.0"},
        {512, 1024, "512"}, {-0.00001f, 1, "0"},  {0.005f, 0.01f, "0.0050"}, {1234567, 2e6f, "1.23e+06"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[32];
        legend_number(text, sizeof text, cases[k].value, cases[k].span);
        assert_string_equal(text, cases[k].text);
    }
    char text[32];
    legend_count(text, sizeof text, 1277760);
    assert_string_equal(text, "1,277,760");
    legend_count(text, sizeof text, 999);
    assert_string_equal(text, "999");
    legend_count(text, sizeof text, 0);
    assert_string_equal(text, "0");
}

typedef struct StrokeBox {
    int strokes;
    float left, right, low, high;
} StrokeBox;

static void grow(float x0, float y0, float x1, float y1, void *context)
{
    StrokeBox *box = context;
    box->strokes++;
    box->left = fminf(box->left, fminf(x0, x1));
    box->right = fmaxf(box->right, fmaxf(x0, x1));
    box->low = fminf(box->low, fminf(y0, y1));
    box->high = fmaxf(box->high, fmaxf(y0, y1));
}

static void every_letter_stays_in_its_cell(void **state)
{
    (void)state;
    const char *known = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,:;-+=_/()%*<>'\"!?#";
    for (const char *c = known; *c; c++) {
        char text[2] = {*c, 0};
        StrokeBox box = {0, 1e9f, -1e9f, 1e9f, -1e9f};
        float width = font_write(text, grow, &box);
        assert_true(box.strokes > 0);
        assert_true(box.left > -0.6f && box.right < width + 0.6f);
        assert_true(box.low > -3.3f && box.high < 11);
    }
    assert_true(font_write("ab", NULL, NULL) > font_write("a", NULL, NULL));
    assert_true(font_write("m^3", NULL, NULL) < font_write("m3", NULL, NULL));
    assert_true(font_write("", NULL, NULL) == 0);
}

static void two_sides_share_a_range_that_holds_both(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static float slow[COUNT], fast[COUNT], still[COUNT];
    for (int k = 0; k < COUNT; k++) {
        slow[k] = 4.0f * (float)k / COUNT;
        fast[k] = 9.0f * (float)k / COUNT;
    }
    FrameView left = {.spacing = 0.1f, .count = COUNT, .vx = slow, .vy = still, .vz = still}, right = left;
    right.vx = fast;
    SharedRange range = {0}, turned = {0};
    float lo, hi, other_lo, other_hi;
    Result result = shared_range_follow(&range, &left, &right, FIELD_SPEED, &lo, &hi);
    assert_true(result_is_ok(&result));
    assert_true(lo == 0 && hi > 8.8f && hi <= 9); // the faster side's
    result = shared_range_follow(&turned, &right, &left, FIELD_SPEED, &other_lo, &other_hi);
    assert_true(result_is_ok(&result));
    assert_true(other_lo == lo && other_hi == hi);
    // Another field starts over, below and above what one side has.
    left.z = slow;
    right.z = fast;
    left.origin.z = -2;
    result = shared_range_follow(&range, &left, &right, FIELD_HEIGHT, &lo, &hi);
    assert_true(result_is_ok(&result));
    assert_true(lo < -1.9f && hi > 8.8f);
    shared_range_free(&range);
    shared_range_free(&turned);
}

// Counts the declarations of uniforms in a shader by their place in gl_uniforms.h.
static void count_uniforms(const char *path, int declared[GL_UNIFORM_COUNT])
{
#define NAME(name) #name,
    static const char *const names[] = {GL_UNIFORMS(NAME)};
#undef NAME
    char line[512], name[64];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        int k = 0;
        if (sscanf(line, "uniform %*s %63[a-z_0-9]", name) != 1) continue;
        if (!strstr(line, ";")) continue; // a block
        while (k < GL_UNIFORM_COUNT && strcmp(names[k], name) != 0) k++;
        if (k == GL_UNIFORM_COUNT) fail_msg("%s declares %s, which gl_uniforms.h does not list", path, name);
        declared[k]++;
    }
    fclose(file);
}

static void shaders_declare_the_uniforms_that_are_listed_and_no_others(void **state)
{
    (void)state;
    int declared[GL_UNIFORM_COUNT] = {0}, files = 0;
    DIR *folder = opendir("shaders");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[300];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "shaders/%s", entry->d_name);
        count_uniforms(path, declared);
        files++;
    }
    closedir(folder);
    assert_true(files > 40);
    for (int k = 0; k < GL_UNIFORM_COUNT; k++) assert_true(declared[k] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_colormaps_lightness_rises_evenly),
        cmocka_unit_test(oklab_of_known_colours_is_right),
        cmocka_unit_test(maps_rise_in_lightness_or_meet_in_white),
        cmocka_unit_test(the_colormap_is_clamped_and_its_table_agrees),
        cmocka_unit_test(the_automatic_camera_shows_every_box_whole_and_large),
        cmocka_unit_test(a_given_camera_has_its_target_in_the_middle),
        cmocka_unit_test(what_is_left_out_of_a_picture_cannot_be_seen),
        cmocka_unit_test(what_is_left_out_of_a_shadow_map_gets_no_sun),
        cmocka_unit_test(two_sides_share_a_range_that_holds_both),
        cmocka_unit_test(a_range_ignores_single_wild_particles_and_does_not_jump),
        cmocka_unit_test(numbers_are_as_short_as_their_scale_allows),
        cmocka_unit_test(every_letter_stays_in_its_cell),
        cmocka_unit_test(shaders_declare_the_uniforms_that_are_listed_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
