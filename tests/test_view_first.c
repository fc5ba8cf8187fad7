// The window on a first run, and what it remembers until the next.
#include "case_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view_helpers.h"

#define PATIENCE 60.0 // s; a loaded machine with sanitizers is slow

// The upper part of the window's middle, where the hint is, over the panel if need be.
enum { LEFT = 200, TOP = 60, RIGHT = 440, BOTTOM = 160, HINT = 15000 };
// A part of the panel.
enum { PANEL_LEFT = 460, PANEL_TOP = 20, PANEL_RIGHT = 790, PANEL_BOTTOM = 580, PANEL = 40000 };

// 27,000 particles, 8000 with half as much again between them.
static const char SCENE[] = "spacing: 0.1\ntank: {size: [6, 3, 4]}\n"
                            "water:\n  - box: {min: [0, 0, 0], max: [3, 3, 3]}\n";

static int set_up(void **state)
{
    return make_folder_with_scene(state, SCENE);
}

static int tear_down(void **state)
{
    view_display_close();
    return remove_folder(state);
}

static void start_anew(const char *preferences)
{
    if (!view_display_open()) skip();
    view_set_preferences(preferences);
}

static void leave(void)
{
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

static void assert_remembered(const char *text)
{
    char *kept = view_preferences();
    assert_non_null(kept);
    assert_string_equal(kept, text);
    free(kept);
}

static void a_first_run_is_coarse_and_shows_keys_until_one_is_pressed(void **state)
{
    (void)state;
    start_anew(NULL);
    view_start("%s/scene.yaml --paused --size 800x600", folder);
    view_wait_title("8000 particles", PATIENCE);
    view_wait_said("coarse at first; Enter takes the scene's spacing of 0.1 m", PATIENCE);
    view_wait_dark(LEFT, TOP, RIGHT, BOTTOM, HINT, UINT32_MAX, PATIENCE);
    view_do("key b");
    view_wait_dark(LEFT, TOP, RIGHT, BOTTOM, 0, HINT / 3, PATIENCE);
    assert_remembered("theme: dark\nsize of controls: 1\n");
    view_do("key Return");
    view_wait_title("27000 particles", PATIENCE);
    leave();
    view_start("%s/scene.yaml --paused --size 800x600", folder);
    view_wait_title("27000 particles", PATIENCE);
    leave();
}

static void the_hint_goes_by_itself_and_never_comes_again(void **state)
{
    (void)state;
    start_anew(NULL);
    view_start("%s/scene.yaml --spacing 0.3 --paused --size 800x600", folder);
    view_wait_title("1000 particles", PATIENCE); // what was asked for
    view_wait_dark(LEFT, TOP, RIGHT, BOTTOM, HINT, UINT32_MAX, PATIENCE);
    view_wait_dark(LEFT, TOP, RIGHT, BOTTOM, 0, HINT / 3, PATIENCE);
    leave();
    view_start("%s/scene.yaml --spacing 0.3 --paused --size 800x600", folder);
    view_wait_title("1000 particles", PATIENCE);
    free(view_settled_screen(1, PATIENCE));
    view_wait_dark(LEFT, TOP, RIGHT, BOTTOM, 0, HINT / 3, 1);
    leave();
}

static void theme_and_size_are_remembered(void **state)
{
    (void)state;
    start_anew("theme: dark\n");
    view_start("%s/scene.yaml --spacing 0.3 --paused --size 800x600", folder);
    view_wait_dark(PANEL_LEFT, PANEL_TOP, PANEL_RIGHT, PANEL_BOTTOM, PANEL, UINT32_MAX, PATIENCE);
    view_do_until_said("key ctrl+t", "theme light", PATIENCE);
    view_wait_dark(PANEL_LEFT, PANEL_TOP, PANEL_RIGHT, PANEL_BOTTOM, 0, PANEL / 4, PATIENCE);
    view_do_until_said("key ctrl+minus", "controls 80 %", PATIENCE);
    leave();
    assert_remembered("theme: light\nsize of controls: 0.8\n");
    view_start("%s/scene.yaml --spacing 0.3 --paused --size 800x600", folder);
    view_wait_title("1000 particles", PATIENCE);
    view_wait_dark(PANEL_LEFT, PANEL_TOP, PANEL_RIGHT, PANEL_BOTTOM, 0, PANEL / 4, PATIENCE);
    view_do_until_said("key ctrl+equal", "controls 100 %", PATIENCE);
    leave();
}

static void lines_that_mean_nothing_are_told(void **state)
{
    (void)state;
    start_anew(
        "# a comment\n\ntheme: blue\nsize of controls: 0.8 # small\nsize of controls: 90\nshape: round\nx\n");
    view_start("%s/scene.yaml --spacing 0.3 --paused --size 800x600", folder);
    view_wait_said("window.yaml:3: theme: \"blue\" is not known (known: dark, light)", PATIENCE);
    view_wait_said("window.yaml:5: size of controls: 90 is out of range (0.6 to 3)", PATIENCE);
    view_wait_said("window.yaml:6: \"shape: round\" is not a setting of the window", PATIENCE);
    view_wait_said("window.yaml:7: \"x\" is not a setting of the window", PATIENCE);
    view_do_until_said("key ctrl+t", "theme light", PATIENCE);
    leave();
    assert_remembered("theme: light\nsize of controls: 0.8\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_run_is_coarse_and_shows_keys_until_one_is_pressed),
        cmocka_unit_test(the_hint_goes_by_itself_and_never_comes_again),
        cmocka_unit_test(theme_and_size_are_remembered),
        cmocka_unit_test(lines_that_mean_nothing_are_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
