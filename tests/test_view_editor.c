// Scenes chosen from the window's list, and edited by hand: a handle dragged by so many pixels moves its
// thing by so many meters, the file keeps its comments, and what the scene's reader refuses is taken back.
#include "case_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command_helpers.h"
#include "view_helpers.h"

#define PATIENCE 60.0 // s

// Seen from the front, x to the right: at the pillar's depth of 10 m a picture of 600 px is
// 2 * 10 m * tan(18 degrees) = 6.498 m high.
static const char scene[] = "# by a person\n"
                            "spacing: 0.2 # coarse\n"
                            "tank: {size: [6, 4, 4]}\n"
                            "water:\n"
                            "  - box: {min: [0, 0, 0], max: [2, 4, 2]} # on the left\n"
                            "obstacles: # one of them\n"
                            "  - name: pillar # of stone\n"
                            "    cylinder: {radius: 0.4, height: 2}\n"
                            "    position: %s\n"
                            "camera: {eye: [4, -8, 1], target: [4, 2, 1], fov: 36} # from the front\n";
static const float METERS = 6.498f / 600; // a px

static int tear_down(void **state)
{
    view_display_close();
    return remove_folder(state);
}

// The saved scene of this number is the one above with some position.
static void assert_saved(int number, float x, float z)
{
    char path[200], text[2000], wanted[2000], position[100] = "", numbers[3][20] = {"", "", ""};
    snprintf(path, sizeof path, "%s/out/hand_%04d.yaml", folder, number);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *at = strstr(text, "position: ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "position: %99[^\n]", position), 1);
    snprintf(wanted, sizeof wanted, scene, position);
    assert_string_equal(text, wanted);
    assert_int_equal(sscanf(position, "[%19[^,], %19[^,], %19[^]]", numbers[0], numbers[1], numbers[2]), 3);
    assert_true(fabs(strtod(numbers[0], NULL) - (double)x) < 0.03);
    assert_string_equal(numbers[1], "2");
    assert_true(fabs(strtod(numbers[2], NULL) - (double)z) < 1e-6);
}

static void save(const char *name)
{
    view_do("key ctrl+shift+s");
    view_wait_said(name, PATIENCE);
}

static void a_dragged_handle_moves_a_thing_in_its_file(void **state)
{
    (void)state;
    char path[200];
    if (!view_display_open()) skip();
    snprintf(path, sizeof path, "%s/hand.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, scene, "[4, 2, 1]");
    assert_int_equal(fclose(file), 0);
    view_start("%s --paused --size 800x600 --out %s/out", path, folder);
    view_wait_title("PAUSED", PATIENCE);
    view_do("key Tab u w b");
    free(view_settled_screen(1.6, PATIENCE));
    view_do("key shift+e");
    view_wait_said("click a thing", PATIENCE);
    view_do("mousemove 400 300 click 1");
    view_wait_said("obstacle 1: pillar", PATIENCE);
    // The arrow along x ends 95 px beside the middle.
    view_forget();
    view_do("mousemove 485 300 mousedown 1 mousemove 510 300 mousemove 545 300 mouseup 1");
    view_wait_said("hand: ", PATIENCE);
    save("hand_0001.yaml");
    assert_saved(1, 4 + 60 * METERS, 1);
    view_do("key ctrl+Page_Up");
    save("hand_0002.yaml");
    assert_saved(2, 4 + 60 * METERS, 1.2f);
    // Undone, one by one.
    view_do("key ctrl+z");
    save("hand_0003.yaml");
    assert_saved(3, 4 + 60 * METERS, 1);
    view_do("key ctrl+z");
    view_wait_said("the water before", PATIENCE);
    save("hand_0004.yaml");
    assert_saved(4, 4, 1);
    // Nothing to simulate: refused in a line, and the scene stays as it was.
    view_forget();
    view_do("key i i i");
    view_wait_said("water 1: box", PATIENCE);
    view_do("key Delete");
    view_wait_said("no water", PATIENCE);
    save("hand_0005.yaml");
    assert_saved(5, 4, 1);
    // What is kept in no file is not left without a question.
    view_forget();
    view_do("key i i");
    view_wait_said("obstacle 1: pillar", PATIENCE);
    view_do("key ctrl+Page_Down");
    view_wait_said("hand: ", PATIENCE);
    view_do("key ctrl+q");
    save("hand_0006.yaml"); // it is still there
    assert_saved(6, 4, 0.8f);
    view_do("key Return");
    assert_int_equal(view_end(PATIENCE), 0);
}

// The picture that is clicked opens its scene.
static void without_a_scene_a_list_with_pictures_opens(void **state)
{
    (void)state;
    if (!view_display_open()) skip();
    view_start("--paused --size 800x600");
    view_wait_said("dam_break: ", PATIENCE);
    uint8_t *screen = view_settled_screen(1.6, PATIENCE);
    uint32_t bright = 0;
    for (int y = 40; y < 100; y++) {
        for (int x = 60; x < 200; x++) bright += screen[4 * (y * VIEW_WIDTH + x) + 1] > 120;
    }
    free(screen);
    assert_true(bright > 500); // the controls are dark
    view_click_until_said(120, 70, "cylinders: ", PATIENCE);
    view_wait_title("cylinders", PATIENCE);
    view_do("key Escape");
    assert_int_equal(view_end(PATIENCE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_scene_a_list_with_pictures_opens),
        cmocka_unit_test(a_dragged_handle_moves_a_thing_in_its_file),
    };
    return cmocka_run_group_tests(tests, make_folder, tear_down);
}
