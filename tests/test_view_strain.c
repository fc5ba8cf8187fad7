// The viewer under strain: odd sizes, many keys, sudden ends. PBF_TEST_LEVEL=full takes the large numbers.
#include "case_helpers.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "view_helpers.h"

#define PATIENCE 60.0 // s; a loaded machine with sanitizers is slow

static int tear_down(void **state)
{
    view_display_close();
    return remove_folder(state);
}

static void skip_without_display(void)
{
    if (!view_display_open()) skip();
}

static int how_many(int quick, int common, int full)
{
    return test_is_quick() ? quick : test_is_full() ? full : common;
}

static unsigned drawn = 12345;

static unsigned draw(unsigned below)
{
    drawn = drawn * 1103515245u + 12345u;
    return (drawn >> 8) % below;
}

static void press_random_keys(int count)
{
    // All but those that leave, open other scenes or fill the disk with recordings.
    static const char *const keys[] = {"space",   "n",          "shift+n",   "r",           "less",
                                       "greater", "v",          "c",         "C",           "m",
                                       "b",       "x",          "X",         "bracketleft", "bracketright",
                                       "t",       "k",          "l",         "Tab",         "u",
                                       "h",       "F1",         "semicolon", "apostrophe",  "minus",
                                       "equal",   "Return",     "e",         "g",           "j",
                                       "J",       "i",          "Left",      "Right",       "Up",
                                       "Down",    "shift+Left", "shift+Up",  "ctrl+Left",   "ctrl+Prior",
                                       "Prior",   "Next",       "Home",      "f",           "s",
                                       "S",       "z",          "F5"};
    while (count > 0) {
        char chain[2000] = "key --delay 1";
        for (int k = 0; k < 50 && count > 0; k++, count--) {
            strcat(chain, " ");
            strcat(chain, keys[draw(sizeof keys / sizeof *keys)]);
        }
        view_do("%s", chain);
    }
}

// The program still does what it is told.
static void assert_alive(void)
{
    view_resize(700, 500);
    view_forget();
    // While the window still has another size the pointer is beside it, and the key goes elsewhere.
    for (int k = 0; k < 20 && !view_has_said("colour by"); k++) {
        view_do("mousemove 350 470 key c");
        usleep(500000);
    }
    view_wait_said("colour by", PATIENCE);
}

static void it_survives_many_keys(void **state)
{
    (void)state;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --size 400x320 --out %s/out", folder);
    press_random_keys(how_many(60, 200, 1000));
    assert_alive();
    view_close_window();
    assert_int_equal(view_end(PATIENCE), 0);
}

static void it_survives_odd_sizes(void **state)
{
    (void)state;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --size 400x320");
    for (int k = 0; k < how_many(8, 25, 200); k++) {
        view_resize(1 + draw(700), 1 + draw(500));
        usleep(20000);
    }
    view_resize(1, 1);
    usleep(300000);
    view_resize(1, 400);
    view_resize(600, 1);
    if (!test_is_quick()) {
        view_resize(3840, 2160);
        usleep(500000);
    }
    view_do("key s"); // two halves
    for (int k = 0; k < how_many(3, 8, 50); k++) {
        view_resize(1 + draw(700), 1 + draw(500));
        usleep(20000);
    }
    view_resize(1, 1);
    usleep(300000);
    assert_alive();
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

static void it_may_be_closed_at_any_moment(void **state)
{
    (void)state;
    static const char *const doings[] = {"", "--style surface --show-cells", "--paused",
                                         "--compare solver.iterations=2,3"};
    skip_without_display();
    for (int k = 0; k < how_many(2, 5, 40); k++) {
        // 15,625 particles: a step takes a while.
        view_start("scenes/dam_break.yaml --spacing 0.2 --size 400x320 %s", doings[k % 4]);
        usleep(draw(600) * 1000);
        if (k % 3 == 1) view_do("key --delay 0 r s n r s 1");
        view_close_window();
        assert_int_equal(view_end(PATIENCE), 0);
    }
}

static void a_lost_display_is_told_and_the_status_is_1(void **state)
{
    (void)state;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --size 400x320");
    view_display_kill();
    assert_int_equal(view_end(PATIENCE), 1);
    assert_true(view_has_said("pbf: display: the connection was lost\n"));
}

static void reading_scenes_again_takes_no_more_memory(void **state)
{
    (void)state;
    // Warm when both scenes were there several times.
    int loads = how_many(6, 30, 1000), warm = loads / 2;
    double before = 0;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --size 400x320 --paused --scene-dir scenes");
    view_do("key Tab u"); // small things take no time
    view_forget();
    for (int k = 0; k < loads; k++) {
        if (k == warm) before = view_memory();
        view_do("key %d", 2 + k % 2 * 2); // the dam break and the fountain
        view_wait_said(" particles\n", PATIENCE);
        view_forget();
    }
    double after = view_memory();
    print_message("%d scenes: %.1f MB, then %.1f MB\n", loads, 1e-6 * before, 1e-6 * after);
    // Few loads say little: the allocator's first pages are still being touched. Quick runs have a sanitizer,
    // which holds back what is freed.
    if (!test_is_quick()) assert_true(after < before * (test_is_full() ? 1.01 : 1.2));
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_survives_many_keys),
        cmocka_unit_test(it_survives_odd_sizes),
        cmocka_unit_test(it_may_be_closed_at_any_moment),
        cmocka_unit_test(reading_scenes_again_takes_no_more_memory),
        cmocka_unit_test(a_lost_display_is_told_and_the_status_is_1),
    };
    return cmocka_run_group_tests(tests, make_folder, tear_down);
}
