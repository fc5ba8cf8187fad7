// Pictures of the library, beside what the program's renderer draws.
#include "case_helpers.h"
#include "library_helpers.h"

#include "export/export.h"
#include "library/handles.h"
#include "render/gl_context.h"
#include "render/render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 64
#define HEIGHT 48

static void a_picture_is_the_programs_and_leaves_opengl_alone(void **state)
{
    (void)state;
    static uint8_t rgba[HEIGHT * (WIDTH * 4 + 8)], rgb[HEIGHT * WIDTH * 3];
    pbf_sim *sim = library_sim(NULL, NULL, 0);
    pbf_scene *scene = library_scene(NULL, NULL, 0);
    GlContext *gl;
    Renderer *renderer;
    Result opened = gl_context_open_headless(&gl);
    if (!result_is_ok(&opened)) skip();
    assert_int_equal(renderer_create(&scene->shared->def.output.render, &renderer).code, RESULT_OK);

    pbf_picture *picture;
    uint32_t width, height;
    ASSERT_PBF(pbf_picture_create(scene, NULL, 0, &picture));
    ASSERT_PBF(pbf_picture_size(picture, &width, &height));
    assert_true(width == WIDTH && height == HEIGHT);
    ASSERT_PBF(pbf_picture_draw(picture, sim, rgba, sizeof rgba, WIDTH * 4 + 8));
    ASSERT_REFUSED(pbf_picture_draw(picture, sim, rgba, WIDTH * HEIGHT * 4 - 1, 0), PBF_USAGE);
    ASSERT_REFUSED(pbf_picture_draw(picture, sim, rgba, sizeof rgba, WIDTH * 4 - 1), PBF_USAGE);
    ASSERT_REFUSED(pbf_picture_draw(picture, NULL, rgba, sizeof rgba, 0), PBF_USAGE);
    pbf_picture_destroy(picture);

    // This thread's own context is still current and draws the same.
    FrameView view = fluid_view(sim->fluid);
    assert_int_equal(renderer_draw(renderer, &view, NULL).code, RESULT_OK);
    assert_int_equal(renderer_read(renderer, rgb).code, RESULT_OK);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const uint8_t *pixel = rgba + y * (WIDTH * 4 + 8) + 4 * x;
            assert_memory_equal(pixel, rgb + 3 * (y * WIDTH + x), 3);
            assert_int_equal(pixel[3], 255);
        }
    }
    renderer_destroy(renderer);
    gl_context_close(gl);
    pbf_scene_destroy(scene);
    pbf_sim_destroy(sim);
}

static int stop_at_once(uint32_t samples, uint32_t of, double noise, void *user)
{
    uint32_t *told = user;
    assert_true(samples > 0 && samples < of && noise >= 0);
    *told = samples;
    return 1;
}

static void photographs_can_be_left(void **state)
{
    (void)state;
    static uint8_t rgba[HEIGHT * WIDTH * 4];
    const pbf_setting photo[] = {{"output.style", "photo"}, {"output.samples", "8"}, {"output.noise", "0"}};
    pbf_sim *sim = library_sim(NULL, NULL, 0);
    pbf_scene *scene = library_scene(NULL, NULL, 0);
    pbf_picture *picture;
    uint32_t told = 0;
    pbf_result made = pbf_picture_create(scene, photo, 3, &picture);
    if (made.code == PBF_FAILED) skip(); // no OpenGL, or no Embree
    ASSERT_PBF(made);
    ASSERT_PBF(pbf_picture_watch(picture, stop_at_once, &told));
    ASSERT_REFUSED(pbf_picture_draw(picture, sim, rgba, sizeof rgba, 0), PBF_STOPPED);
    assert_true(told > 0);
    ASSERT_PBF(pbf_picture_watch(picture, NULL, NULL));
    ASSERT_PBF(pbf_picture_draw(picture, sim, rgba, sizeof rgba, 0));
    // Whatever it is at, and however many photons there are to send.
    pbf_stop(1);
    ASSERT_REFUSED(pbf_picture_draw(picture, sim, rgba, sizeof rgba, 0), PBF_STOPPED);
    pbf_stop(0);
    ASSERT_PBF(pbf_picture_draw(picture, sim, rgba, sizeof rgba, 0));
    pbf_picture_destroy(picture);
    pbf_scene_destroy(scene);
    pbf_sim_destroy(sim);
}

// Two pictures in a row; the second one also by another picture that goes on with what the first carried on.
static void a_picture_goes_on_with_what_another_carried(void **state)
{
    (void)state;
    static uint8_t one[HEIGHT * WIDTH * 4], other[HEIGHT * WIDTH * 4], fresh[HEIGHT * WIDTH * 4];
    pbf_sim *sim = library_sim(NULL, NULL, 0);
    pbf_scene *scene = library_scene(NULL, NULL, 0);
    pbf_picture *picture, *next, *alone;
    double memory[PBF_PICTURE_NUMBERS];
    if (pbf_picture_create(scene, NULL, 0, &picture).code == PBF_FAILED) skip();
    ASSERT_PBF(pbf_picture_create(scene, NULL, 0, &next));
    ASSERT_PBF(pbf_picture_create(scene, NULL, 0, &alone));
    ASSERT_PBF(pbf_sim_advance(sim, 0.3, NULL, NULL));
    ASSERT_PBF(pbf_picture_draw(picture, sim, one, sizeof one, 0));
    ASSERT_PBF(pbf_picture_memory(picture, memory));
    assert_true(memory[0] == 0.3 && memory[2] > memory[1]);
    ASSERT_PBF(pbf_picture_remember(next, memory));
    ASSERT_PBF(pbf_sim_advance(sim, 0.4, NULL, NULL));
    ASSERT_PBF(pbf_picture_draw(picture, sim, one, sizeof one, 0));
    ASSERT_PBF(pbf_picture_draw(next, sim, other, sizeof other, 0));
    ASSERT_PBF(pbf_picture_draw(alone, sim, fresh, sizeof fresh, 0));
    assert_memory_equal(one, other, sizeof one);
    assert_memory_not_equal(one, fresh, sizeof one);
    pbf_picture_destroy(alone);
    pbf_picture_destroy(next);
    pbf_picture_destroy(picture);
    pbf_scene_destroy(scene);
    pbf_sim_destroy(sim);
}

// Frames have the picture that pbf_picture_draw makes, in a folder that is locked, and one surface for all.
static void frames_have_pictures_and_files(void **state)
{
    (void)state;
    static uint8_t rgba[HEIGHT * WIDTH * 4], rgb[HEIGHT * WIDTH * 3];
    static const char *const formats[] = {"mesh_ply", "obstacles_ply"};
    const pbf_setting style = {"output.style", "surface"};
    char path[400];
    pbf_scene *scene = library_scene(NULL, &style, 1);
    pbf_sim *sim = library_sim(NULL, &style, 1);
    pbf_frames_def def = {.size = sizeof def, .folder = folder, .formats = formats, .format_count = 2};
    pbf_frames *frames, *second;
    pbf_picture *alone;
    pbf_result made = pbf_frames_create(scene, &def, &frames);
    if (made.code == PBF_FAILED) skip();
    ASSERT_PBF(made);
    ASSERT_REFUSED(pbf_frames_create(scene, &def, &second), PBF_FAILED); // another run has the folder
    ASSERT_PBF(pbf_picture_create(scene, NULL, 0, &alone));
    for (uint32_t k = 0; k < 3; k++) {
        ASSERT_PBF(pbf_sim_advance(sim, 0.01 * k, NULL, NULL));
        ASSERT_PBF(pbf_frames_add(frames, k, sim));
        ASSERT_PBF(pbf_picture_draw(alone, sim, rgba, sizeof rgba, 0));
        snprintf(path, sizeof path, "%s/frame_%04u.png", folder, k);
        assert_int_equal(export_png_read(path, WIDTH, HEIGHT, rgb).code, RESULT_OK);
        for (int p = 0; p < WIDTH * HEIGHT; p++) assert_memory_equal(rgba + 4 * p, rgb + 3 * p, 3);
    }
    snprintf(path, sizeof path, "%s/surface.ply", folder);
    ASSERT_PBF(pbf_sim_write(sim, "mesh_ply", path, NULL));
    test_assert_same_files(path, test_path(folder, "mesh_0002.ply"));
    assert_non_null(pbf_frames_picture(frames));
    pbf_picture_destroy(pbf_frames_picture(frames)); // which is theirs: nothing happens
    ASSERT_PBF(pbf_frames_finish(frames));
    pbf_picture_destroy(alone);
    pbf_frames_destroy(frames);
    uint32_t frame;
    ASSERT_PBF(pbf_frames_missing(scene, &def, 0, 4, &frame, path, sizeof path));
    assert_true(frame == 3 && strstr(path, "frame_0003.png"));
    pbf_scene_destroy(scene);
    pbf_sim_destroy(sim);
}

// --- wrong calls, and memory that runs out ---

static bool wrong_create(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    const pbf_setting *settings;
    size_t count;
    pbf_picture *made;
    WRONG(pbf_picture_create(NULL, NULL, 0, &made));
    WRONG(pbf_picture_create(kit->scene, NULL, 0, NULL));
    BAD_SETTINGS(pbf_picture_create(kit->scene, settings, count, &made));
    return false;
}

static pbf_result right_create(LibraryKit *kit)
{
    pbf_picture *made;
    pbf_result result = pbf_picture_create(kit->scene, NULL, 0, &made);
    assert_true(!made == (result.code != PBF_OK));
    pbf_picture_destroy(made);
    pbf_picture_destroy(NULL);
    return result;
}

// Made for the first wrong call, and gone with the kit. Memory does not run out meanwhile.
static pbf_picture *picture_of(LibraryKit *kit)
{
    const pbf_setting style = {"output.style", "surface"};
    if (!kit->picture) ASSERT_PBF(pbf_picture_create(kit->scene, &style, 1, &kit->picture));
    return kit->picture;
}

static bool wrong_size(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    uint32_t width, height;
    WRONG(pbf_picture_size(NULL, &width, &height));
    WRONG(pbf_picture_size(picture_of(kit), NULL, &height));
    WRONG(pbf_picture_size(picture_of(kit), &width, NULL));
    return false;
}

static pbf_result right_size(LibraryKit *kit)
{
    uint32_t width, height;
    return pbf_picture_size(kit->picture, &width, &height);
}

static bool wrong_draw(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    static uint8_t rgba[HEIGHT * WIDTH * 4];
    pbf_picture *picture = picture_of(kit);
    WRONG(pbf_picture_draw(NULL, kit->sim, rgba, sizeof rgba, 0));
    WRONG(pbf_picture_draw(picture, NULL, rgba, sizeof rgba, 0));
    WRONG(pbf_picture_draw(picture, kit->sim, NULL, sizeof rgba, 0));
    WRONG(pbf_picture_draw(picture, kit->sim, rgba, sizeof rgba - 1, 0));
    WRONG(pbf_picture_draw(picture, kit->sim, rgba, 0, 0));
    WRONG(pbf_picture_draw(picture, kit->sim, rgba, sizeof rgba, WIDTH * 4 - 1));
    WRONG(pbf_picture_draw(picture, kit->sim, rgba, sizeof rgba, WIDTH * 4 + 1));
    WRONG(pbf_picture_draw(picture, kit->sim, rgba, sizeof rgba, SIZE_MAX));
    return false;
}

static pbf_result right_draw(LibraryKit *kit)
{
    static uint8_t rgba[HEIGHT * WIDTH * 4];
    return pbf_picture_draw(kit->picture, kit->sim, rgba, sizeof rgba, 0);
}

static bool wrong_cells(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    picture_of(kit); // for the right call
    WRONG(pbf_picture_cells(NULL, 1));
    return false;
}

static pbf_result right_cells(LibraryKit *kit)
{
    pbf_result result = pbf_picture_cells(kit->picture, 1);
    if (result.code == PBF_OK) result = right_draw(kit);
    ASSERT_PBF(pbf_picture_cells(kit->picture, 0));
    return result;
}

static bool wrong_watch(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    picture_of(kit); // for the right call
    WRONG(pbf_picture_watch(NULL, NULL, NULL));
    return false;
}

static pbf_result right_watch(LibraryKit *kit)
{
    return pbf_picture_watch(kit->picture, NULL, NULL);
}

static bool wrong_memory(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    double numbers[PBF_PICTURE_NUMBERS];
    WRONG(pbf_picture_memory(NULL, numbers));
    WRONG(pbf_picture_memory(picture_of(kit), NULL));
    return false;
}

static pbf_result right_memory(LibraryKit *kit)
{
    double numbers[PBF_PICTURE_NUMBERS];
    return pbf_picture_memory(kit->picture, numbers);
}

static bool wrong_remember(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    double numbers[PBF_PICTURE_NUMBERS] = {-1};
    WRONG(pbf_picture_remember(NULL, numbers));
    WRONG(pbf_picture_remember(picture_of(kit), NULL));
    for (int at = 0; at < PBF_PICTURE_NUMBERS; at++) {
        const double odd[] = {NAN, INFINITY, -INFINITY, 1e308};
        for (int n = 0; n < 4; n++) {
            numbers[at] = odd[n];
            WRONG(pbf_picture_remember(picture_of(kit), numbers));
        }
        numbers[at] = 0;
    }
    return false;
}

static pbf_result right_remember(LibraryKit *kit)
{
    const double none[PBF_PICTURE_NUMBERS] = {-1};
    return pbf_picture_remember(kit->picture, none);
}

// --- sheets ---

static pbf_result create_sheet(LibraryKit *kit, pbf_sheet **made)
{
    return pbf_sheet_create(kit->scene, kit->scene, "one", "other", 1, made);
}

static bool wrong_sheet_create(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_sheet *made;
    WRONG(pbf_sheet_create(NULL, kit->scene, "a", "b", 0, &made));
    WRONG(pbf_sheet_create(kit->scene, NULL, "a", "b", 0, &made));
    WRONG(pbf_sheet_create(kit->scene, kit->scene, NULL, "b", 0, &made));
    WRONG(pbf_sheet_create(kit->scene, kit->scene, "a", NULL, 0, &made));
    WRONG(pbf_sheet_create(kit->scene, kit->scene, "a", "b", 0, NULL));
    return false;
}

static pbf_result right_sheet_create(LibraryKit *kit)
{
    pbf_sheet *made;
    pbf_result result = create_sheet(kit, &made);
    assert_true(!made == (result.code != PBF_OK));
    pbf_sheet_destroy(made);
    pbf_sheet_destroy(NULL);
    return result;
}

static bool wrong_sheet_size(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_sheet *made;
    uint32_t width, height;
    WRONG(pbf_sheet_size(NULL, &width, &height));
    ASSERT_PBF(create_sheet(kit, &made));
    if (k < 2) *out = pbf_sheet_size(made, k == 0 ? NULL : &width, k == 0 ? &height : NULL);
    pbf_sheet_destroy(made);
    return k < 2;
}

static pbf_result right_sheet_size(LibraryKit *kit)
{
    pbf_sheet *made;
    uint32_t width = 0, height = 0;
    pbf_result result = create_sheet(kit, &made);
    if (result.code == PBF_OK) result = pbf_sheet_size(made, &width, &height);
    assert_true(result.code != PBF_OK || (width == WIDTH && height == HEIGHT));
    pbf_sheet_destroy(made);
    return result;
}

static uint8_t sheet_pixels[HEIGHT * WIDTH * 4];

static bool wrong_sheet_draw(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_sheet *made;
    pbf_pair *pair;
    WRONG(pbf_sheet_draw(NULL, NULL, sheet_pixels, sizeof sheet_pixels, 0));
    ASSERT_PBF(create_sheet(kit, &made));
    ASSERT_PBF(pbf_pair_create(kit->scene, kit->scene, NULL, &pair));
    if (k == 0) *out = pbf_sheet_draw(made, NULL, sheet_pixels, sizeof sheet_pixels, 0);
    if (k == 1) *out = pbf_sheet_draw(made, pair, NULL, sizeof sheet_pixels, 0);
    if (k == 2) *out = pbf_sheet_draw(made, pair, sheet_pixels, sizeof sheet_pixels - 1, 0);
    if (k == 3) *out = pbf_sheet_draw(made, pair, sheet_pixels, sizeof sheet_pixels, WIDTH * 4 - 1);
    pbf_pair_destroy(pair);
    pbf_sheet_destroy(made);
    return k < 4;
}

static pbf_result right_sheet_draw(LibraryKit *kit)
{
    pbf_sheet *made;
    pbf_pair *pair = NULL;
    pbf_result result = create_sheet(kit, &made);
    if (result.code == PBF_OK) result = pbf_pair_create(kit->scene, kit->scene, NULL, &pair);
    if (result.code == PBF_OK) result = pbf_sheet_draw(made, pair, sheet_pixels, sizeof sheet_pixels, 0);
    pbf_pair_destroy(pair);
    pbf_sheet_destroy(made);
    return result;
}

static const LibraryRow rows[] = {
    {"pbf_picture_create", wrong_create, right_create, false},
    {"pbf_picture_size", wrong_size, right_size, false},
    {"pbf_picture_draw", wrong_draw, right_draw, false},
    {"pbf_picture_cells", wrong_cells, right_cells, false},
    {"pbf_picture_watch", wrong_watch, right_watch, false},
    {"pbf_picture_memory", wrong_memory, right_memory, false},
    {"pbf_picture_remember", wrong_remember, right_remember, false},
    {"pbf_picture_destroy", NULL, right_create, false},
    {"pbf_sheet_create", wrong_sheet_create, right_sheet_create, false},
    {"pbf_sheet_size", wrong_sheet_size, right_sheet_size, false},
    {"pbf_sheet_draw", wrong_sheet_draw, right_sheet_draw, false},
    {"pbf_sheet_destroy", NULL, right_sheet_size, false},
};

static void wrong_calls_and_failing_allocations_cost_nothing_but_the_call(void **state)
{
    (void)state;
    GlContext *gl;
    Result opened = gl_context_open_headless(&gl);
    if (!result_is_ok(&opened)) skip();
    gl_context_close(gl);
    const LibraryRows list = {rows, sizeof rows / sizeof *rows};
    library_check_rows(&list, 1, true);
    for (size_t k = 0; k < list.count; k++) library_try_row(&rows[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_is_the_programs_and_leaves_opengl_alone),
        cmocka_unit_test(photographs_can_be_left),
        cmocka_unit_test(a_picture_goes_on_with_what_another_carried),
        cmocka_unit_test_setup_teardown(frames_have_pictures_and_files, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(wrong_calls_and_failing_allocations_cost_nothing_but_the_call,
                                        make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("library pictures", tests, NULL, NULL);
}
