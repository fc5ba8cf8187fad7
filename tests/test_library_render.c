// Pictures of the library, beside what the program's renderer draws.
#include "case_helpers.h"
#include "library_helpers.h"

#include "library/handles.h"
#include "render/gl_context.h"
#include "render/render.h"

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

static const LibraryRow rows[] = {
    {"pbf_picture_create", wrong_create, right_create, false},
    {"pbf_picture_size", wrong_size, right_size, false},
    {"pbf_picture_draw", wrong_draw, right_draw, false},
};

static void wrong_calls_and_failing_allocations_cost_nothing_but_the_call(void **state)
{
    (void)state;
    GlContext *gl;
    Result opened = gl_context_open_headless(&gl);
    if (!result_is_ok(&opened)) skip();
    gl_context_close(gl);
    const LibraryRows list = {rows, sizeof rows / sizeof *rows};
    library_check_rows(&list, 1, "pbf_picture_", "pbf_picture_destroy"); // every row calls that
    for (size_t k = 0; k < list.count; k++) library_try_row(&rows[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_is_the_programs_and_leaves_opengl_alone),
        cmocka_unit_test_setup_teardown(wrong_calls_and_failing_allocations_cost_nothing_but_the_call,
                                        make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("library pictures", tests, NULL, NULL);
}
