// Pictures of a state that the renderer has been told it knows: they are those of one that knows nothing, and
// nothing is taken over twice.
#include "case_helpers.h"
#include "core/memory.h"
#include "fluid/fluid.h"
#include "render/spray.h"
#include "render_helpers.h"
#include "scene/scene.h"
#include "surface/surface.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 120, HEIGHT = 80 };

static SceneDef scene;
static Fluid *fluid;
static SurfaceMesh mesh;
static Renderer *told, *untold; // the second one never hears that it knows anything

// Water in a tank with bodies, after a few steps.
static int make_water(void **state)
{
    (void)state;
    Result result = scene_read("scenes/mixer.yaml", NULL, 0, &scene);
    if (result_is_ok(&result)) {
        scene.fluid.spacing *= 2;
        result = scene_build(&scene, &fluid);
    }
    // Some that fly alone: screen space draws them as drops.
    const Vec3 lone[3] = {{0.4f, 0.4f, 1.9f}, {1.6f, 0.5f, 2.0f}, {0.8f, 1.2f, 2.1f}};
    if (result_is_ok(&result)) result = fluid_add(fluid, lone, 3, vec3_make(0.5f, 0, 0));
    for (int k = 0; k < 5 && result_is_ok(&result); k++) result = fluid_step(fluid, 1, NULL);
    if (!result_is_ok(&result)) return -1;
    FrameView view = fluid_view(fluid);
    SurfacePoints points = {.x = view.x, .y = view.y, .z = view.z, .count = view.count};
    SurfaceDef def = scene.surface;
    def.spacing = view.spacing;
    result = surface_reconstruct(&def, points, &mesh);
    if (result_is_ok(&result)) result = spray_replace(&mesh, &view);
    return result_is_ok(&result) ? 0 : -1;
}

static int drop_water(void **state)
{
    (void)state;
    renderer_destroy(told);
    renderer_destroy(untold);
    surface_mesh_free(&mesh);
    fluid_destroy(fluid);
    scene_free(&scene);
    render_test_context_close();
    return 0;
}

static RenderDef def_of(RenderStyle style)
{
    RenderDef def = scene.output.render;
    def.style = style;
    def.width = WIDTH;
    def.height = HEIGHT;
    def.auto_range = false;
    def.range_lo = 0;
    def.range_hi = 2;
    def.legend = false;
    return def;
}

static bool open_renderers(void)
{
    if (told) return true;
    if (!render_test_context()) return false;
    RenderDef def = def_of(STYLE_PARTICLES);
    ASSERT_OK(renderer_create(&def, &told));
    ASSERT_OK(renderer_create(&def, &untold));
    return true;
}

typedef struct Picture {
    uint8_t rgb[2 * WIDTH * HEIGHT * 3];
    size_t bytes;
} Picture;

static void draw(Renderer *renderer, const RenderDef *def, const FrameView *view, const SurfaceMesh *surface,
                 Picture *out)
{
    ASSERT_OK(renderer_set(renderer, def));
    ASSERT_OK(renderer_draw(renderer, view, surface));
    ASSERT_OK(renderer_read(renderer, out->rgb));
    out->bytes = (size_t)def->width * def->height * 3;
}

static bool same(const Picture *a, const Picture *b)
{
    return a->bytes == b->bytes && memcmp(a->rgb, b->rgb, a->bytes) == 0;
}

static void assert_as_if_new(const RenderDef *def, const FrameView *view)
{
    static Picture known, unknown;
    FrameView unnamed = *view;
    unnamed.content_id = 0;
    draw(told, def, view, &mesh, &known);
    draw(untold, def, &unnamed, &mesh, &unknown);
    assert_true(same(&known, &unknown));
}

static void a_known_state_looks_as_one_that_is_drawn_for_the_first_time(void **state)
{
    (void)state;
    if (!open_renderers()) skip();
    RenderDef def = def_of(STYLE_PARTICLES);
    FrameView view = fluid_view(fluid);
    view.content_id = 7;
    // From style to style and back, and whatever light and shadow depend on changes in between.
    for (int style = 0; style < STYLE_LIVE_COUNT; style++) {
        def = def_of((RenderStyle)style);
        assert_as_if_new(&def, &view);
        def.camera.eye.x += 0.3f;
        if (style != STYLE_SCREEN_SPACE) assert_as_if_new(&def, &view);
        def.width += 20;
        def.hide_obstacles = def.hide_tank = true;
        def.color_by = FIELD_HEIGHT;
        assert_as_if_new(&def, &view);
    }
    def = def_of(STYLE_SURFACE);
    assert_as_if_new(&def, &view);
}

static void another_state_is_seen_whatever_was_known(void **state)
{
    (void)state;
    if (!open_renderers()) skip();
    static Picture pictures[3];
    for (int style = 0; style < STYLE_LIVE_COUNT; style++) {
        RenderDef def = def_of((RenderStyle)style);
        FrameView view = fluid_view(fluid), empty = view;
        empty.count = 0;
        view.content_id = 100;
        empty.content_id = 101;
        draw(told, &def, &view, &mesh, &pictures[0]);
        draw(told, &def, &empty, NULL, &pictures[1]);
        draw(told, &def, &view, &mesh, &pictures[2]);
        assert_false(same(&pictures[0], &pictures[1]));
        assert_true(same(&pictures[0], &pictures[2]));
    }
}

// What changes behind the renderer's back is not seen under the old number: it has kept what it had.
static void the_surface_of_a_known_state_is_not_taken_over_again(void **state)
{
    (void)state;
    if (!open_renderers()) skip();
    static Picture first, again, other;
    RenderDef def = def_of(STYLE_SURFACE);
    FrameView view = fluid_view(fluid);
    view.content_id = 1;
    draw(told, &def, &view, &mesh, &first);
    for (uint32_t k = 0; k < mesh.vertex_count; k++) mesh.vertex[k].z += 0.2f;
    draw(told, &def, &view, &mesh, &again);
    view.content_id = 2;
    draw(told, &def, &view, &mesh, &other);
    for (uint32_t k = 0; k < mesh.vertex_count; k++) mesh.vertex[k].z -= 0.2f;
    assert_true(same(&first, &again));
    assert_false(same(&first, &other));
}

static void colours_of_a_known_state_are_not_computed_again(void **state)
{
    (void)state;
    if (!open_renderers()) skip();
    static Picture first, again, other;
    RenderDef def = def_of(STYLE_PARTICLES);
    def.color_by = FIELD_SPEED;
    FrameView view = fluid_view(fluid);
    view.content_id = 1;
    draw(told, &def, &view, NULL, &first);
    FrameView faster = view;
    faster.vx = view.x; // any larger numbers
    draw(told, &def, &faster, NULL, &again);
    faster.content_id = 2;
    draw(told, &def, &faster, NULL, &other);
    assert_true(same(&first, &again));
    assert_false(same(&first, &other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_state_looks_as_one_that_is_drawn_for_the_first_time),
        cmocka_unit_test(another_state_is_seen_whatever_was_known),
        cmocka_unit_test(the_surface_of_a_known_state_is_not_taken_over_again),
        cmocka_unit_test(colours_of_a_known_state_are_not_computed_again),
    };
    return cmocka_run_group_tests(tests, make_water, drop_water);
}
