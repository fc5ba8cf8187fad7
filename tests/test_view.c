// The viewer's window, driven for real.
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

#include "command_helpers.h"
#include "core/clock.h"
#include "export_helpers.h"
#include "photo/ray_scene.h"
#include "view_helpers.h"

// The part of the screen between the numbers on the left and the panel on the right.
enum { LEFT = 320, TOP = 60, RIGHT = 480, BOTTOM = 400 };
enum { PANEL = 448 };  // from here on the panel covers it, whose sliders are blue, too
enum { LABEL = 3000 }; // dark pixels of one of a particle's numbers, at least
#define PATIENCE 60.0  // s; a loaded machine with sanitizers is slow
#define SHARP 1.6      // s without change after which the picture is sharp

static int tear_down(void **state)
{
    view_display_close();
    return remove_folder(state);
}

static void write_scene(const char *name, const char *text)
{
    char path[200], aside[210];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(aside, sizeof aside, "%s.tmp", path);
    FILE *file = fopen(aside, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(aside, path), 0);
}

// A tank of 2 m with a block of water that is so long; the command line sets a spacing of 0.4 m.
static void write_block(const char *name, double length)
{
    char text[600];
    snprintf(text, sizeof text,
             "spacing: 0.2\ntank: {size: [4, 2, 2]}\n"
             "water:\n  - box: {min: [0, 0, 0], max: [%g, 1, 1]}\n",
             length);
    write_scene(name, text);
}

static void skip_without_display(void)
{
    if (!view_display_open()) skip();
}

static void without_a_display_one_line_names_render_and_the_status_is_1(void **state)
{
    (void)state;
    char *display = getenv("DISPLAY") ? strdup(getenv("DISPLAY")) : NULL;
    unsetenv("DISPLAY");
    ChildRun run = child_run("view scenes/dam_break.yaml --spacing 0.4");
    if (display) setenv("DISPLAY", display, 1);
    free(display);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "pbf: window: no display"));
    assert_non_null(strstr(run.err, "pbf render SCENE"));
    assert_ptr_equal(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
    child_free(&run);
}

static void a_broken_scene_on_the_command_line_is_a_wrong_call(void **state)
{
    (void)state;
    write_scene("broken.yaml", "tank: {size: [1, 1, 1]}\nspacing: nonsense\n");
    ChildRun run = child_run("view %s/broken.yaml", folder);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "broken.yaml:2:"));
    child_free(&run);
}

static void after_so_many_frames_the_window_closes_by_itself(void **state)
{
    (void)state;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --frames 3 --size 320x240");
    assert_int_equal(view_end(PATIENCE), 0);
}

// Is it no longer the black screen that a window is before anything was drawn into it?
static bool is_lit(const uint8_t *screen)
{
    uint32_t lit = 0;
    for (size_t pixel = 0; pixel < (size_t)VIEW_WIDTH * VIEW_HEIGHT; pixel++) lit += screen[4 * pixel] > 20;
    return lit > VIEW_WIDTH * VIEW_HEIGHT / 2;
}

static void the_window_is_not_black_while_shaders_are_compiled(void **state)
{
    (void)state;
    skip_without_display();
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1); // as on the first start
    view_start("scenes/dam_break.yaml --spacing 0.4 --paused --size 800x600");
    unsetenv("MESA_SHADER_CACHE_DISABLE");
    uint8_t *screen = view_screen();
    double until = clock_seconds() + PATIENCE;
    while (!is_lit(screen) && clock_seconds() < until) {
        free(screen);
        usleep(5000);
        screen = view_screen();
    }
    assert_true(is_lit(screen));
    assert_int_equal(view_watery(screen, 0, 0, VIEW_WIDTH, VIEW_HEIGHT), 0); // that takes longer
    view_wait_change(screen, LEFT, TOP, RIGHT, BOTTOM, 500, PATIENCE);
    free(screen);
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

static void time_pauses_steps_plays_and_starts_over(void)
{
    view_wait_title("PAUSED", PATIENCE);
    assert_true(view_title_number("step") == 0);
    view_do("key n");
    view_wait_title("step 1,", PATIENCE);
    view_do("key period");
    view_wait_title("step 2,", PATIENCE);
    view_do("key space");
    view_wait_no_title("PAUSED", PATIENCE);
    view_wait_no_title("step 2,", PATIENCE);
    view_do("key space");
    view_wait_title("PAUSED", PATIENCE);
    // The step that was under way still ends.
    // The picture may sharpen a little later; then it stays as it is, and so does the time.
    uint32_t differing = 1;
    double step = 0;
    for (int attempt = 0; attempt < 8 && differing > 0; attempt++) {
        uint8_t *before = view_settled_screen(SHARP, PATIENCE);
        step = view_title_number("step");
        usleep(500000);
        uint8_t *after = view_screen();
        differing = view_differing(before, after, LEFT, TOP, RIGHT, BOTTOM);
        free(before);
        free(after);
    }
    assert_int_equal(differing, 0);
    assert_true(step > 2 && view_title_number("step") == step);
    view_do("key r");
    view_wait_title("step 0,", PATIENCE);
}

// A click on the water shows the numbers of a particle, one beside it none; the key puts them away, too.
static void a_click_asks_for_a_particles_numbers(void)
{
    view_do("key r Home");
    uint8_t *plain = view_settled_screen(SHARP, PATIENCE);
    int x = LEFT, y = TOP;
    while (view_watery(plain, x, y, x + 8, y + 8) < 64 && y < BOTTOM)
        if ((x += 8) >= PANEL) x = LEFT, y += 8;
    assert_true(y < BOTTOM);
    // Its label is dark. The picture may sharpen meanwhile.
    for (int k = 0; k < 2; k++) {
        view_do("mousemove %d %d click 1", x + 4, y + 4);
        view_wait_dark(LEFT, TOP, PANEL, BOTTOM, LABEL, UINT32_MAX, PATIENCE);
        view_do("mousemove 400 590 click 1");
        view_wait_dark(LEFT, TOP, PANEL, BOTTOM, 0, LABEL / 4, PATIENCE);
    }
    view_do("mousemove %d %d click 1", x + 4, y + 4);
    view_wait_dark(LEFT, TOP, PANEL, BOTTOM, LABEL, UINT32_MAX, PATIENCE);
    view_forget();
    view_do("key q");
    view_wait_said("particle numbers off", PATIENCE);
    view_wait_dark(LEFT, TOP, PANEL, BOTTOM, 0, LABEL / 4, PATIENCE);
    free(plain);
}

// What is done must change the picture.
static void changes_picture(const char *what)
{
    uint8_t *before = view_settled_screen(0.4, PATIENCE);
    view_do("%s", what);
    view_wait_change(before, LEFT, TOP, RIGHT, BOTTOM, 500, PATIENCE);
    free(before);
}

static void camera_and_styles_change_the_picture(void)
{
    changes_picture("key Right Right Right");
    changes_picture("key Prior Prior Prior"); // Page Up
    changes_picture("mousemove 400 300 mousedown 1 mousemove 420 320 mousemove 460 330 mouseup 1");
    changes_picture("key c");
    changes_picture("key v");
    view_wait_said("style surface", PATIENCE);
    changes_picture("key x");
    changes_picture("key ctrl+x"); // a slice in the cut
    view_wait_said("slice in the cut: density", PATIENCE);
    view_do("key x");
    changes_picture("key F1");
    view_do("key Escape");
    changes_picture("key l"); // the cells of the search
    view_do("key l e");
    // In the hand mode a ring tells where it would act, a double click drops a ball of water, and a drag
    // pulls.
    uint8_t *bare = view_settled_screen(SHARP, PATIENCE);
    view_do("mousemove 300 300");
    view_wait_change(bare, LEFT, TOP, PANEL, BOTTOM, 100, PATIENCE);
    free(bare);
    changes_picture("mousemove 400 330 click --repeat 2 --delay 60 1");
    view_wait_said("a ball of water", PATIENCE);
    view_do("mousemove 390 330 sleep 0.5 mousedown 1 sleep 0.2 mousemove 420 300");
    view_wait_said("pulling water", PATIENCE);
    view_do("mouseup 1 key e");
    changes_picture("key Home");
    view_do("key v v");
}

static void colours_have_their_fields_range_or_keep_the_frames(void)
{
    view_forget();
    view_do("key shift+c"); // back to the scene's field
    view_wait_said("color by speed", PATIENCE);
    view_do("key m");
    view_wait_said("color range of the frame on", PATIENCE);
    free(view_settled_screen(0.4, PATIENCE));
    view_do("key m");
    view_wait_said("colors from 0 to 8", PATIENCE); // the file's
    view_forget();
    view_do("key c");
    view_wait_said("color by density_error", PATIENCE);
    free(view_settled_screen(SHARP, PATIENCE));
    view_do("key m");
    view_wait_said("colors from ", PATIENCE);
    assert_false(view_has_said("from 0 to 8")); // that was the speed's
}

static void settings_change_by_mouse_and_keys(void)
{
    view_forget();
    view_do("key apostrophe"); // the next setting after the viscosity
    view_wait_said("setting: surface tension 0.0728", PATIENCE);
    view_do("key semicolon");
    view_wait_said("setting: viscosity 1e-06", PATIENCE);
    view_do("key equal");
    view_wait_said("viscosity 1.25e-06", PATIENCE);
    // The slider of the viscosity is the first of the panel, on the right.
    view_forget();
    view_do("mousemove 520 130 sleep 0.3 mousedown 1 sleep 0.3 mouseup 1 mousemove 300 300");
    view_wait_said("viscosity ", PATIENCE);
    assert_false(view_has_said("viscosity 1.25e-06"));
    // A number is typed into the slider below it, between two of its steps.
    view_do("mousemove 520 154 sleep 0.3 keydown ctrl mousedown 1 sleep 0.3 mouseup 1 keyup ctrl sleep 0.3");
    view_do("type --delay 80 0.073");
    free(view_settled_screen(0.4, PATIENCE));
    assert_false(view_has_said("surface tension 0.0")); // it is not complete
    view_do("key Return mousemove 300 300");            // the slider's Enter
    view_wait_said("surface tension 0.0730", PATIENCE);
    free(view_settled_screen(0.4, PATIENCE));
    assert_false(view_has_said("restarting"));
}

static void scenes_open_by_drop_reload_and_survive_errors(void)
{
    char path[200];
    write_block("small.yaml", 1);
    write_scene("broken.yaml", "spacing: 0.2\ntank: {size: [1, 1, 1]}\nwatr: 1\n");
    snprintf(path, sizeof path, "%s/small.yaml", folder);
    view_drop(path);
    view_wait_title("small - 0.000 s, step 0, 8 particles", PATIENCE);
    uint8_t *original = view_settled_screen(SHARP, PATIENCE);
    changes_picture("key Left Left Left Left");
    uint8_t *moved = view_settled_screen(2 * SHARP, PATIENCE);

    view_forget();
    write_block("small.yaml", 2);
    view_wait_title("20 particles", PATIENCE);
    assert_true(view_has_said("reading"));
    view_do("key r");
    write_block("small.yaml", 1);
    view_wait_title("8 particles", PATIENCE);
    // The camera is where it was, as soon as the picture is sharp again.
    uint32_t by_keys = view_differing(original, moved, LEFT, TOP, RIGHT, BOTTOM), differing = by_keys;
    for (int attempt = 0; attempt < 8 && differing >= by_keys / 4; attempt++) {
        uint8_t *again = view_settled_screen(SHARP, PATIENCE);
        differing = view_differing(moved, again, LEFT, TOP, RIGHT, BOTTOM);
        free(again);
    }
    assert_true(differing < by_keys / 4);
    free(original);

    snprintf(path, sizeof path, "%s/broken.yaml", folder);
    view_drop(path);
    view_wait_said("broken.yaml:3:", PATIENCE);
    assert_non_null(strstr(view_title(), "small"));
    // The message is on the screen, at the top.
    view_wait_change(moved, 200, 10, 500, 80, 500, PATIENCE);
    free(moved);
    view_do("key 2"); // broken.yaml is the first of the folder, small.yaml the second
    view_wait_said("opening", PATIENCE);
}

// Pixels of the upper parts of two halves that do not agree.
static uint32_t differing_halves(const uint8_t *screen)
{
    uint32_t differing = 0;
    for (int y = 100; y < 350; y++) {
        for (int x = 20; x < 380; x++) {
            const uint8_t *left = screen + ((size_t)y * VIEW_WIDTH + (size_t)x) * 4, *right = left + 400 * 4;
            differing += abs(left[0] - right[0]) > 8 || abs(left[2] - right[2]) > 8;
        }
    }
    return differing;
}

static void two_methods_run_side_by_side(void)
{
    view_forget();
    view_do("key m r s"); // colours follow the frames, and mean the same on both sides
    view_wait_said("comparing from here with neighbor search uniform_grid", PATIENCE);
    view_wait_title("identical", PATIENCE);
    view_do("key n");
    view_wait_title("step 1,", PATIENCE);
    // Both halves show the same water, as soon as both are sharp: the pictures' upper parts agree, and are
    // not empty.
    uint32_t differing = 100;
    for (int attempt = 0; attempt < 8 && differing >= 100; attempt++) {
        uint8_t *screen = view_settled_screen(SHARP, PATIENCE);
        differing = differing_halves(screen);
        assert_true(view_watery(screen, 20, 100, 380, 350) > 1000);
        free(screen);
    }
    assert_true(differing < 100);
    view_do("key s");
    view_wait_said("the left side goes on", PATIENCE);
    view_wait_no_title("identical", PATIENCE);
}

static void two_settings_that_differ_part(void **state)
{
    (void)state;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --size 400x300 --paused --compare solver.iterations=1,4");
    view_wait_title("identical", PATIENCE);
    view_do("key n n");
    view_wait_title("different", PATIENCE);
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

static void a_person_can_steer_everything(void **state)
{
    (void)state;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.4 --paused --size 800x600");
    time_pauses_steps_plays_and_starts_over();
    a_click_asks_for_a_particles_numbers();
    camera_and_styles_change_the_picture();
    colours_have_their_fields_range_or_keep_the_frames();
    settings_change_by_mouse_and_keys();
    two_methods_run_side_by_side();
    scenes_open_by_drop_reload_and_survive_errors();
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

// Are two pictures that were written the same?
static bool same_pictures(const char *a, const char *b)
{
    char path[2][200];
    long size[2] = {0, 0};
    snprintf(path[0], sizeof path[0], "%s/%s", folder, a);
    snprintf(path[1], sizeof path[1], "%s/%s", folder, b);
    char *bytes[2] = {test_read_file(path[0], &size[0]), test_read_file(path[1], &size[1])};
    assert_true(bytes[0] && bytes[1]);
    bool same = size[0] == size[1] && memcmp(bytes[0], bytes[1], (size_t)size[0]) == 0;
    free(bytes[0]);
    free(bytes[1]);
    return same;
}

static void picture_after_three_steps(const char *name)
{
    view_do("key n n n");
    view_wait_title("step 3,", PATIENCE);
    view_do("key p");
    view_wait_said(name, PATIENCE);
}

static void start_over(void)
{
    view_do("key r");
    view_wait_title("step 0,", PATIENCE);
}

// Digits and punctuation stand on other keys there, some of them behind AltGr or Shift.
static void keys_follow_characters_on_every_layout(void **state)
{
    (void)state;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --paused --size 400x300");
    view_wait_title("PAUSED", PATIENCE);
    static const char *const layouts[] = {"de", "fr", "us"};
    for (int k = 0; k < 3; k++) {
        char command[40];
        snprintf(command, sizeof command, "setxkbmap %s", layouts[k]);
        assert_int_equal(system(command), 0);
        view_forget();
        view_do("key bracketleft");
        view_wait_said("cut open at", PATIENCE);
        view_do("key x");
        view_wait_said("not cut", PATIENCE);
        view_do("key less");
        view_wait_said("speed:", PATIENCE);
        view_do("key apostrophe");
        view_wait_said("setting:", PATIENCE);
        view_do("key KP_7 KP_End KP_1"); // views; nothing is opened
        view_do("key z");                // no key of that name does anything
        assert_false(view_has_said("opening"));
        view_do("key ctrl+c");
        view_wait_said("copied: --camera", PATIENCE);
        view_do("key ctrl+minus");
        view_wait_said("controls 80 %", PATIENCE);
        view_do("key %s", k == 0 ? "ctrl+plus" : "ctrl+equal");
        view_wait_said("controls 100 %", PATIENCE);
    }
    view_do("key 3");
    view_wait_said("opening", PATIENCE);
    view_wait_no_title("dam_break", PATIENCE);
    view_do("key ctrl+z");
    view_wait_title("dam_break", PATIENCE);
    view_do("key ctrl+q");
    assert_int_equal(view_end(PATIENCE), 0);
}

static void a_saved_state_and_a_folder_of_them_are_shown_again(void **state)
{
    (void)state;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --paused --size 400x300 --out %s/kept", folder);
    view_wait_title("PAUSED", PATIENCE);
    view_do("key apostrophe apostrophe apostrophe apostrophe equal"); // one iteration more
    view_wait_said("iterations 3", PATIENCE);
    view_do("key shift+n");
    view_wait_title("0.033 s", PATIENCE);
    view_do("key ctrl+s");
    view_wait_said("kept/dam_break_state_01/checkpoint_0001.pbf", PATIENCE);
    view_do("key ctrl+q");
    assert_int_equal(view_end(PATIENCE), 0);
    // The changed setting goes with it.
    view_start("--resume %s/kept/dam_break_state_01 --paused --size 400x300", folder);
    view_wait_title("0.033 s", PATIENCE);
    view_do("key apostrophe apostrophe apostrophe apostrophe");
    view_wait_said("setting: iterations 3", PATIENCE);
    view_do("key ctrl+q");
    assert_int_equal(view_end(PATIENCE), 0);
    // A run's folder is shown from its first state on, to its last.
    char path[200];
    snprintf(path, sizeof path, "%s/kept/run", folder);
    child_assert_done(
        child_run("run scenes/dam_break.yaml --spacing 0.5 --frames 7 --checkpoint-every 2 --quiet "
                  "--keep-checkpoints 9 --out %s",
                  path));
    view_start("%s --paused --size 400x300", path);
    view_wait_title("PAUSED", PATIENCE);
    view_do("key space");
    view_wait_said("the last stored state", PATIENCE);
    view_wait_title("PAUSED", PATIENCE);
    view_do("key ctrl+q");
    assert_int_equal(view_end(PATIENCE), 0);
}

static void everything_is_framed_where_it_is_now(void **state)
{
    (void)state;
    skip_without_display();
    write_scene("fall.yaml", "spacing: 0.2\nwater:\n  - sphere: {center: [0, 0, 0], radius: 0.6}\n"
                             "output: {fps: 1, range: [0, 40]}\n");
    view_start("%s/fall.yaml --paused --size 640x480", folder);
    view_wait_title("PAUSED", PATIENCE);
    view_do("key Tab u");
    view_wait_watery(0, 0, 640, 400, 5000, UINT32_MAX, PATIENCE);
    uint8_t *screen = view_settled_screen(SHARP, PATIENCE);
    uint32_t before = view_watery(screen, 0, 0, 640, 400);
    free(screen);
    view_do("key shift+n");
    view_wait_title("1.000 s", PATIENCE);
    view_wait_watery(0, 0, 640, 400, 0, before / 10, PATIENCE); // it fell 5 m
    view_do("key f");
    view_wait_watery(0, 0, 640, 400, before / 3, UINT32_MAX, PATIENCE);
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

static void numbers_and_panel_do_not_cover_each_other_in_a_small_window(void **state)
{
    (void)state;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --paused --size 640x480");
    view_wait_title("PAUSED", PATIENCE);
    view_do("mousemove 300 470");
    uint8_t *both = view_settled_screen(3, PATIENCE); // without a message
    // A window that was tiny shows the panel where it belongs.
    view_resize(1, 1);
    usleep(500000);
    view_resize(640, 480);
    uint8_t *again = view_settled_screen(SHARP, PATIENCE);
    assert_int_equal(view_differing(both, again, 330, 40, 620, 300), 0);
    free(again);
    view_do("key Tab");
    view_wait_change(both, 340, 20, 620, 400, 10000, PATIENCE); // that was the panel
    uint8_t *numbers = view_settled_screen(SHARP, PATIENCE);
    assert_int_equal(view_differing(both, numbers, 14, 14, 310, 200), 0);
    view_do("key u");
    view_wait_change(numbers, 14, 14, 310, 200, 10000, PATIENCE); // and these the numbers
    free(both);
    free(numbers);
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

static void names_of_two_sides_do_not_cover_each_other_in_a_small_window(void **state)
{
    (void)state;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --paused --neighbor uniform_grid,octree --size 320x240");
    view_wait_title("PAUSED", PATIENCE);
    for (int k = 0; k < 3; k++) { // beside, wipe, difference
        view_wait_dark(20, 36, 110, 58, 500, 2000, PATIENCE);
        view_wait_dark(210, 36, 300, 58, 500, 2000, PATIENCE);
        view_do("key ctrl+d");
    }
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

static uint32_t light_pixels(const uint8_t *screen, int x0, int y0, int x1, int y1)
{
    uint32_t count = 0;
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) count += screen[4 * (y * VIEW_WIDTH + x) + 1] > 80;
    }
    return count;
}

// Also where these have come later, or were clicked.
static void the_help_lies_over_plots(void **state)
{
    (void)state;
    enum { X0 = 60, Y0 = 320, X1 = 580, Y1 = 440 }; // of both
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --paused --size 640x480");
    view_wait_title("PAUSED", PATIENCE);
    view_do("mousemove 300 470");
    uint8_t *bare = view_settled_screen(3, PATIENCE); // without a message
    view_do("key F1");
    view_wait_change(bare, X0, Y0, X1, Y1, 1000, PATIENCE);
    uint8_t *help = view_settled_screen(SHARP, PATIENCE);
    view_do("key F1 key d");
    view_wait_change(help, X0, Y0, X1, Y1, 1000, PATIENCE);
    view_do("mousemove 300 400 click 1 mousemove 300 470");
    uint8_t *plots = view_settled_screen(SHARP, PATIENCE);
    assert_true(view_differing(bare, plots, X0, Y0, X1, Y1) > 1000);
    // What an empty plot says has a line of its own, which it fits into.
    assert_true(light_pixels(plots, 10, 353, 160, 372) > 100);
    view_do("key F1");
    view_wait_change(plots, X0, 60, X1, 240, 1000, PATIENCE);
    uint8_t *again = view_settled_screen(SHARP, PATIENCE);
    assert_int_equal(view_differing(help, again, X0, Y0, X1, Y1), 0);
    free(bare);
    free(help);
    free(plots);
    free(again);
    view_do("key Escape key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

static void a_pull_ends_when_its_button_goes_up_whatever_another_one_does(void **state)
{
    (void)state;
    if (test_is_sanitized()) skip(); // a_person_can_steer_everything pulls, too
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --paused --size 800x600 --style surface --out %s/pull",
               folder);
    view_wait_title("PAUSED", PATIENCE);
    view_do("key e mousemove 400 330 click 3"); // the camera is now the user's
    picture_after_three_steps("dam_break_0001.png");
    start_over();
    view_do("mousedown 1 mousedown 3 mouseup 1 mouseup 3");
    view_wait_said("pulling water", PATIENCE);
    picture_after_three_steps("dam_break_0002.png");
    assert_true(same_pictures("pull/dam_break_0001.png", "pull/dam_break_0002.png"));
    start_over();
    view_do("mousedown 1");
    picture_after_three_steps("dam_break_0003.png");
    assert_false(same_pictures("pull/dam_break_0001.png", "pull/dam_break_0003.png"));
    view_do("mouseup 1 key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

// In some second the viewer uses little of a core; other work may stretch what it still had to do.
static bool comes_to_rest(void)
{
    for (int second = 0; second < (int)PATIENCE; second++) {
        double before = view_processor_seconds();
        sleep(1);
        if (view_processor_seconds() - before < 0.35) return true;
    }
    return false;
}

static void a_minimised_window_costs_nothing(void **state)
{
    (void)state;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --paused --size 320x240");
    view_wait_title("PAUSED", PATIENCE);
    view_minimise(true);
    view_do("key u n"); // controls and picture are out of date
    view_wait_title("step 1,", PATIENCE);
    assert_true(comes_to_rest());
    view_minimise(false);
    uint8_t *screen = view_settled_screen(0.4, PATIENCE);
    view_do("key Tab"); // the panel hides nearly all of so small a window
    view_wait_change(screen, 0, 0, 320, 240, 1000, PATIENCE);
    free(screen);
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

static void a_stored_state_opens_by_option_and_by_drop(void **state)
{
    (void)state;
    skip_without_display();
    write_block("block.yaml", 1);
    ChildRun run = child_run("render %s/block.yaml --spacing 0.4 --fps 20 --frames 7 --size 160x90 "
                             "--checkpoint-every 6 --out %s/run",
                             folder, folder);
    assert_int_equal(run.status, 0);
    child_free(&run);
    view_start("--resume %s/run --paused --out %s", folder, folder);
    view_wait_title("block - 0.300 s", PATIENCE);
    uint8_t *screen = view_settled_screen(SHARP, PATIENCE);
    const uint8_t *far = screen + 4 * (400 * VIEW_WIDTH + 600);
    assert_true(far[0] + far[1] + far[2] > 0); // the window is larger than the run's frames
    free(screen);
    view_do("key n");
    view_wait_no_title("0.300 s", PATIENCE);
    view_do("key r");
    view_wait_title("0.300 s", PATIENCE);
    view_drop(test_path(folder, "block.yaml"));
    view_wait_title("0.000 s", PATIENCE);
    view_drop(test_path(folder, "run/checkpoint_0006.pbf"));
    view_wait_title("0.300 s", PATIENCE);
    view_do("key s");
    view_wait_title("identical", PATIENCE);
    view_wait_title("0.300 s", PATIENCE);
    view_close_window();
    assert_int_equal(view_end(PATIENCE), 0);
    run = child_run("view %s/block.yaml --resume %s/run", folder, folder);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "a checkpoint has its own scene"));
    child_free(&run);
}

// Frame 6 of 20 a second is at 0.3 s, frame 6 of 250 long before it.
static void a_stored_state_moves_at_another_rate_of_frames(void **state)
{
    (void)state;
    skip_without_display();
    write_block("block.yaml", 1);
    child_assert_done(child_run("run %s/block.yaml --spacing 0.4 --fps 20 --frames 7 --checkpoint-every 6 "
                                "--keep-checkpoints 1 --export ply --out %s/rate",
                                folder, folder));
    static const char *const ways[] = {"--resume", ""}; // a state, and the states of a folder
    for (int k = 0; k < 2; k++) {
        view_start("%s %s/rate --fps 250 --paused --out %s", ways[k], folder, folder);
        view_wait_title("0.300 s", PATIENCE);
        view_do("key n");
        view_wait_no_title("0.300 s", PATIENCE);
        view_close_window();
        assert_int_equal(view_end(PATIENCE), 0);
    }
}

// The text of a file in the test's folder; to be freed.
static char *text_of(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 5000);
    assert_non_null(text);
    assert_true(fread(text, 1, 4999, file) > 0);
    fclose(file);
    return text;
}

static void what_is_kept_gets_files(void **state)
{
    (void)state;
    skip_without_display();
    write_scene("keep.yaml", "# a comment\nspacing: 0.4 # m\ntank: {size: [4, 2, 2]}\n"
                             "water:\n  - box: {min: [0, 0, 0], max: [1, 1, 1]}\n");
    view_start("%s/keep.yaml --paused --size 800x600 --out %s/kept", folder, folder);
    view_wait_title("PAUSED", PATIENCE);
    changes_picture("key d"); // plots, which take their room from the picture
    view_do("key shift+d");
    view_wait_said("nothing has been measured yet", PATIENCE);
    view_do("key shift+n");
    view_wait_no_title("step 0,", PATIENCE);
    // The title may tell of the step before it is measured.
    view_do_until_said("key shift+d", "kept/keep_log_0001.csv", PATIENCE);
    view_do("key ctrl+e");
    view_wait_said("kept/keep_particles_0001.ply", PATIENCE);
    view_do("key ctrl+p");
    view_wait_said("kept/keep_0001.png", PATIENCE);
    view_do("key equal"); // viscosity
    view_wait_said("viscosity 1.25e-06", PATIENCE);
    view_do("key ctrl+shift+s");
    view_wait_said("saved", PATIENCE);
    view_wait_said("kept/keep_0001.yaml", PATIENCE);
    char *log = text_of("kept/keep_log_0001.csv"), *scene = text_of("kept/keep_0001.yaml");
    assert_int_equal(strncmp(log, "time,step,dt,", 13), 0);
    assert_string_equal(scene, "# a comment\nspacing: 0.4 # m\ntank: {size: [4, 2, 2]}\n"
                               "water:\n  - box: {min: [0, 0, 0], max: [1, 1, 1]}\n"
                               "fluid:\n  viscosity: 1.25e-06\n");
    free(log);
    free(scene);
    view_do("key Delete");
    view_wait_said("viscosity 1e-06", PATIENCE);
    view_do("key Delete");
    view_wait_said("viscosity is as in the scene", PATIENCE);
    view_do("key shift+z Left Left Left z");
    view_wait_said("camera 1 of 1", PATIENCE);
    view_do("key ctrl+m ctrl+m");
    view_wait_said("colors: viridis", PATIENCE);
    view_do("key shift+m");
    view_wait_said("only speed from", PATIENCE);
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

static void pictures_and_recordings_get_free_names(void **state)
{
    (void)state;
    char path[200];
    struct stat status;
    skip_without_display();
    view_start("scenes/dam_break.yaml --spacing 0.5 --paused --size 320x240 --out %s/out", folder);
    view_wait_title("PAUSED", PATIENCE);
    view_do("key p");
    view_wait_said("dam_break_0001.png", PATIENCE);
    view_do("key p");
    view_wait_said("dam_break_0002.png", PATIENCE);
    view_do("key o");
    view_wait_title("REC", PATIENCE);
    view_do("key shift+n shift+n");
    view_wait_title("PAUSED", PATIENCE);
    snprintf(path, sizeof path, "%s/out/dam_break_01/frame_0002.png", folder);
    assert_true(child_wait_for_file(path, PATIENCE));
    view_do("key o");
    view_wait_said("recorded 3 frames", PATIENCE);
    // The next recording begins with the frame that is seen, as this one did; a picture is told by its own
    // name.
    view_do("key o");
    view_wait_title("REC", PATIENCE);
    snprintf(path, sizeof path, "%s/out/dam_break_02/frame_0000.png", folder);
    assert_true(child_wait_for_file(path, PATIENCE));
    view_forget();
    view_do("key p");
    view_wait_said("picture: ", PATIENCE);
    assert_true(view_has_said("out/dam_break_0003.png"));
    view_do("key o");
    view_wait_said("recorded 1 frame: ", PATIENCE);
    snprintf(path, sizeof path, "%s/out/dam_break_0003.png", folder);
    assert_int_equal(remove(path), 0);
    snprintf(path, sizeof path, "%s/out/dam_break_0002.png", folder);
    assert_int_equal(stat(path, &status), 0);
    // A picture waits for its water's surface: the next one is the same.
    view_do("key --delay 0 v p");
    view_wait_said("dam_break_0003.png", PATIENCE);
    free(view_settled_screen(SHARP, PATIENCE));
    view_do("key p");
    view_wait_said("dam_break_0004.png", PATIENCE);
    assert_true(same_pictures("out/dam_break_0003.png", "out/dam_break_0004.png"));
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

// Another thread takes them: the window goes on, and a picture is written when it has all its samples.
static void photographs_are_taken_while_the_window_answers(void **state)
{
    (void)state;
    Result able = ray_scene_check();
    if (!result_is_ok(&able)) skip();
    skip_without_display();
    write_scene("photo.yaml", "spacing: 0.4\ntank: {size: [4, 2, 2]}\n"
                              "water:\n  - box: {min: [0, 0, 0], max: [1, 1, 1]}\n"
                              "output: {samples: 2, style: surface}\nlook: {caustics: 0.01}\n");
    view_start("%s/photo.yaml --paused --size 160x120 --out %s/photo", folder, folder);
    view_wait_title("PAUSED", PATIENCE);
    view_do("key Tab u y");
    view_wait_said("style photo", PATIENCE);
    view_do("key p");
    view_wait_said("photo/photo_0001.png", PATIENCE);
    view_do("key p"); // the same picture: nothing is random
    view_wait_said("photo/photo_0002.png", PATIENCE);
    assert_true(same_pictures("photo/photo_0001.png", "photo/photo_0002.png"));
    view_do("key Left n p");
    view_wait_title("step 1,", PATIENCE);
    view_wait_said("photo/photo_0003.png", PATIENCE);
    assert_false(same_pictures("photo/photo_0001.png", "photo/photo_0003.png"));
    view_do("key shift+o"); // a film's frame waits for its photograph
    view_wait_title("REC", PATIENCE);
    view_do("key y space"); // style surface: it waits no longer
    view_wait_no_title("PAUSED", PATIENCE);
    view_do("key y Left Right space p ctrl+q Return"); // in the middle of one
    assert_int_equal(view_end(PATIENCE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_display_one_line_names_render_and_the_status_is_1),
        cmocka_unit_test(a_broken_scene_on_the_command_line_is_a_wrong_call),
        cmocka_unit_test(after_so_many_frames_the_window_closes_by_itself),
        cmocka_unit_test(the_window_is_not_black_while_shaders_are_compiled),
        cmocka_unit_test(a_person_can_steer_everything),
        cmocka_unit_test(two_settings_that_differ_part),
        cmocka_unit_test(keys_follow_characters_on_every_layout),
        cmocka_unit_test(a_saved_state_and_a_folder_of_them_are_shown_again),
        cmocka_unit_test(everything_is_framed_where_it_is_now),
        cmocka_unit_test(numbers_and_panel_do_not_cover_each_other_in_a_small_window),
        cmocka_unit_test(names_of_two_sides_do_not_cover_each_other_in_a_small_window),
        cmocka_unit_test(the_help_lies_over_plots),
        cmocka_unit_test(a_pull_ends_when_its_button_goes_up_whatever_another_one_does),
        cmocka_unit_test(a_minimised_window_costs_nothing),
        cmocka_unit_test(a_stored_state_opens_by_option_and_by_drop),
        cmocka_unit_test(a_stored_state_moves_at_another_rate_of_frames),
        cmocka_unit_test(what_is_kept_gets_files),
        cmocka_unit_test(pictures_and_recordings_get_free_names),
        cmocka_unit_test(photographs_are_taken_while_the_window_answers),
    };
    return cmocka_run_group_tests(tests, make_folder, tear_down);
}
