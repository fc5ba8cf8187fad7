// Where the viewer's controls lie, for windows of all sizes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "render/split.h"
#include "viewer/apart.h"
#include "viewer/controls.h"

static const float TEXT = 13;

static LayoutWish window(float width, float height, bool panel, bool hud, bool bar)
{
    return (LayoutWish){.width = width,
                        .height = height,
                        .bar_width = width,
                        .bar_bottom = height,
                        .text = TEXT,
                        .rows = 10,
                        .phases = 8,
                        .panel = panel,
                        .hud = hud,
                        .bar = bar};
}

// No more than the numbers take, so that this does not repeat what the layout computes: a line is as high as
// its text.
static float least_height(const Layout *layout, const LayoutWish *wish)
{
    uint32_t lines = layout->hud == HUD_NONE    ? 0
                     : layout->hud == HUD_SHORT ? 4
                     : layout->hud == HUD_ROWS  ? wish->rows
                     : layout->hud == HUD_BARS  ? wish->rows + 1
                                                : wish->rows + 1 + wish->phases;
    return (float)lines * TEXT + (layout->hud >= HUD_BARS ? LAYOUT_BARS_HEIGHT : 0);
}

static void assert_apart(const LayoutWish *wish)
{
    Layout layout = layout_make(wish);
    float margin = LAYOUT_MARGIN, panel_left = wish->width - margin - layout.panel;
    if (wish->panel) assert_true(layout.panel > 0 && (panel_left >= margin || layout.panel <= 1));
    if (!wish->panel) assert_true(layout.panel == 0 && layout.hi == wish->width);
    if (!wish->hud) assert_true(layout.hud == HUD_NONE);
    if (!wish->bar) assert_true(layout.bar == 0);
    float limit = layout.panel > 0 ? panel_left : wish->width, lower = wish->height;
    if (layout.bar > 0) {
        lower -= margin + layout_bar_height(TEXT);
        assert_true(margin + layout.bar + 2 * margin <= limit);
        assert_true(layout.bar >= 100 && layout.bar < wish->bar_width && lower > 0);
    }
    float picture = wish->width - layout.left - (layout.docked ? layout.panel + margin : 0);
    if (layout.docked || layout.left > 0) assert_true(picture >= 400 && picture <= wish->width);
    if (layout.hud == HUD_NONE) return;
    assert_true(margin + layout.hud_width <= limit);
    assert_true(margin + least_height(&layout, wish) <= lower);
    assert_true(layout.lo == layout.hud_width + margin && layout.lo <= layout.hi);
}

static void nothing_covers_anything_whatever_the_windows_size(void **state)
{
    (void)state;
    for (float width = 1; width < 4000; width = width * 1.07f + 1) {
        for (float height = 1; height < 2400; height = height * 1.07f + 1) {
            for (unsigned k = 0; k < 8; k++) {
                LayoutWish wish = window(width, height, k & 1, k & 2, k & 4);
                assert_apart(&wish);
            }
        }
    }
}

static void a_common_window_shows_everything_at_its_full_size(void **state)
{
    (void)state;
    LayoutWish wish = window(1280, 720, true, true, true);
    Layout layout = layout_make(&wish), alone;
    assert_true(layout.hud == HUD_ALL && layout.panel == 330 && layout.bar == 240);
    wish.panel = false;
    alone = layout_make(&wish);
    assert_true(alone.hud == layout.hud && alone.hud_width == layout.hud_width && alone.bar == layout.bar);
}

static void a_smaller_window_never_shows_more_numbers(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        HudForm before = HUD_ALL;
        for (float side = 1600; side >= 1; side -= 1) {
            LayoutWish wish = window(side, side * 0.6f, k, true, false);
            Layout layout = layout_make(&wish);
            assert_true(layout.hud <= before);
            before = layout.hud;
        }
        assert_true(before == HUD_NONE);
    }
    // Small windows still have the panel, and those with room some numbers beside it.
    LayoutWish wish = window(500, 400, true, true, true);
    Layout layout = layout_make(&wish);
    assert_true(layout.hud == HUD_SHORT && layout.panel >= 250);
}

// By id, whatever the order in memory; what only one of them has is as far as can be.
static void particles_are_as_far_apart_as_they_are(void **state)
{
    (void)state;
    float x[2][3] = {{0, 1, 2}, {2, 0, 7}}, y[2][3] = {{0, 0, 0}, {3, 0, 0}},
          z[2][3] = {{0, 0, 0}, {4, 0, 0}};
    uint32_t id[2][3] = {{4, 5, 9}, {9, 4, 6}};
    FrameView view[2] = {{.count = 3}, {.count = 3}};
    for (int side = 0; side < 2; side++) {
        view[side].x = x[side], view[side].y = y[side], view[side].z = z[side];
        view[side].id = id[side];
    }
    Apart apart = {0};
    assert_string_equal(apart_measure(&apart, &view[0], &view[1]).text, "");
    assert_true(apart.distance[0] == 0 && apart.distance[2] == 5);
    assert_true(isinf(apart.distance[1]));
    assert_true(fabsf(apart.rms - 5 / sqrtf(2)) < 1e-6f);
    apart_free(&apart);
}

static void two_halves_without_room_for_captions_fill_the_window(void **state)
{
    (void)state;
    uint32_t width, height;
    assert_false(split_has_captions(500, 400));
    split_picture_size(SPLIT_BESIDE, 500, 400, &width, &height);
    assert_true(width == 250 && height == 400);
    assert_true(split_has_captions(1280, 720));
    split_picture_size(SPLIT_BESIDE, 1280, 720, &width, &height);
    assert_true(width == 640 && height < 720 && height > 400);
    split_picture_size(SPLIT_WIPE, 1280, 720, &width, &height);
    assert_true(width == 1280 && height < 720 && height > 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_covers_anything_whatever_the_windows_size),
        cmocka_unit_test(a_common_window_shows_everything_at_its_full_size),
        cmocka_unit_test(a_smaller_window_never_shows_more_numbers),
        cmocka_unit_test(particles_are_as_far_apart_as_they_are),
        cmocka_unit_test(two_halves_without_room_for_captions_fill_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
