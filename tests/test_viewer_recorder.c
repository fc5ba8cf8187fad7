// Pictures and recordings of the window: where they go and what they are called.
#include "case_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "viewer/recorder.h"

enum { SIDE = 4 };
static const uint8_t rgb[3 * SIDE * SIDE];

static void assert_there(const char *name)
{
    if (access(test_path(folder, name), R_OK) != 0) fail_msg("%s is missing", name);
}

static Recorder *make(void)
{
    Recorder *recorder;
    char path[200];
    snprintf(path, sizeof path, "%s", test_path(folder, "pictures"));
    assert_string_equal(recorder_create(path, &recorder).text, "");
    return recorder;
}

static void pictures_are_numbered_and_none_is_replaced(void **state)
{
    (void)state;
    Recorder *recorder = make();
    for (int k = 0; k < 3; k++)
        assert_string_equal(recorder_picture(recorder, rgb, SIDE, SIDE, false, "wave").text, "");
    assert_there("pictures/wave_0001.png");
    assert_there("pictures/wave_0003.png");
    assert_non_null(strstr(recorder->picture, "pictures/wave_0003.png"));
    recorder_destroy(recorder);
}

static void whatever_a_scene_is_called_its_files_stay_in_the_folder(void **state)
{
    (void)state;
    Recorder *recorder = make();
    assert_string_equal(recorder_picture(recorder, rgb, SIDE, SIDE, false, "../a/b\tc").text, "");
    assert_there("pictures/.._a_b_c_0001.png");
    assert_string_equal(recorder_start(recorder, RECORD_PNG, "/tmp/x", SIDE, SIDE, 30).text, "");
    assert_string_equal(recorder_add(recorder, rgb).text, "");
    assert_string_equal(recorder_end(recorder).text, "");
    assert_there("pictures/_tmp_x_01/frame_0000.png");
    recorder_destroy(recorder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pictures_are_numbered_and_none_is_replaced, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(whatever_a_scene_is_called_its_files_stay_in_the_folder, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests_name("viewer_recorder", tests, NULL, NULL);
}
