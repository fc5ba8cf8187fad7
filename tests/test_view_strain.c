// The viewer under strain: odd sizes, many keys, sudden ends. PBF_TEST_LEVEL=full takes the large numbers.
#include "case_helpers.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/median.h"
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
    static const char *const keys[] = {"space",      "n",           "shift+n",
                                       "r",          "less",        "greater",
                                       "v",          "c",           "C",
                                       "m",          "b",           "x",
                                       "X",          "bracketleft", "bracketright",
                                       "t",          "k",           "l",
                                       "Tab",        "u",           "h",
                                       "F1",         "semicolon",   "apostrophe",
                                       "minus",      "equal",       "Return",
                                       "e",          "g",           "j",
                                       "J",          "i",           "Left",
                                       "Right",      "Up",          "Down",
                                       "shift+Left", "shift+Up",    "ctrl+Left",
                                       "ctrl+Prior", "Prior",       "Next",
                                       "Home",       "f",           "s",
                                       "S",          "z",           "F5",
                                       "V"};
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
    view_do("mousemove 350 470 key c");
    view_wait_said("color by", PATIENCE);
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

static void two_halves_survive_a_restart(void **state)
{
    (void)state;
    skip_without_display();
    // The surface comes later than the state: in between no picture shows the new water.
    view_start("scenes/dam_break.yaml --spacing 0.4 --size 400x320 --paused --style surface "
               "--compare solver.iterations=2,3");
    view_wait_title("identical", PATIENCE);
    for (int k = 0; k < how_many(2, 5, 40); k++) {
        view_forget();
        view_do("key Return");
        view_wait_said(" particles\n", PATIENCE);
    }
    assert_alive();
    view_do("key Escape");
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
    for (int k = 0; k < how_many(1, 3, 20); k++) {
        skip_without_display();
        view_start("scenes/dam_break.yaml --spacing 0.5 --size 400x320");
        usleep(draw(300) * 1000);
        view_display_kill();
        assert_int_equal(view_end(PATIENCE), 1);
        assert_true(view_has_said("pbf: display: the connection was lost\n"));
    }
}

static void a_film_outlives_the_display(void **state)
{
    (void)state;
    char path[200];
    struct stat status;
    if (system("ffmpeg -version >/dev/null 2>&1") != 0) skip();
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --size 400x320 --paused --out %s/film", folder);
    view_wait_title("PAUSED", PATIENCE);
    view_do("key shift+o");
    view_wait_title("REC", PATIENCE);
    view_do("key shift+n");
    view_wait_no_title("step 0,", PATIENCE);
    view_wait_title("PAUSED", PATIENCE);
    view_display_kill();
    assert_int_equal(view_end(PATIENCE), 1);
    snprintf(path, sizeof path, "%s/film/dam_break_01.mp4", folder);
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_size > 1000);
}

static void reading_scenes_again_takes_no_more_memory(void **state)
{
    (void)state;
    // After half of them the allocator has its pages. One look says little: scenes come and go meanwhile.
    static double memory[1000];
    int loads = how_many(8, 100, 1000);
    uint32_t quarter = (uint32_t)loads / 4;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --size 400x320 --paused --scene-dir scenes");
    view_do("key Tab u"); // small things take no time
    view_forget();
    for (int k = 0; k < loads; k++) {
        view_do("key %d", 2 + k % 2 * 2); // the dam break and the fountain
        view_wait_said(" particles\n", PATIENCE);
        view_forget();
        memory[k] = view_memory();
    }
    double before = median(memory + 2 * quarter, quarter), after = median(memory + 3 * quarter, quarter);
    print_message("%d scenes: %.1f MB, then %.1f MB\n", loads, 1e-6 * before, 1e-6 * after);
    // Quick runs have a sanitizer, which holds back what is freed.
    if (!test_is_quick()) assert_true(after < before * (test_is_full() ? 1.01 : 1.05));
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_survives_many_keys),
        cmocka_unit_test(two_halves_survive_a_restart),
        cmocka_unit_test(it_survives_odd_sizes),
        cmocka_unit_test(it_may_be_closed_at_any_moment),
        cmocka_unit_test(reading_scenes_again_takes_no_more_memory),
        cmocka_unit_test(a_lost_display_is_told_and_the_status_is_1),
        cmocka_unit_test(a_film_outlives_the_display),
    };
    return cmocka_run_group_tests(tests, make_folder, tear_down);
}
