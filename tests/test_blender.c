// The Blender add-on in Blender itself, without a window; skipped where Blender is not installed.
#include "case_helpers.h"
#include "command_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A block that falls onto a moving box.
static const char SCENE[] =
    "spacing: 0.2\n"
    "tank: {corner: [0, 0, 0], size: [3, 2, 3]}\n"
    "water: [{box: {min: [0.2, 0.2, 1], max: [1.6, 1.6, 2.4]}}]\n"
    "obstacles: [{box: {size: [0.5, 0.8, 0.4]}, position: [1, 1, 0.4], color: [0.8, 0.5, 0.3], motion: "
    "{oscillation: {amplitude: [0.1, 0, 0], period: 1}}}]\n"
    "camera: {eye: [5, -4, 3], target: [1.5, 1, 0.7], fov: 36}\n"
    "whitewater: {}\n"
    "output: {fps: 50, size: [64, 36]}\n";

static void the_add_on_shows_every_frame_with_velocities_that_explain_the_motion(void **state)
{
    (void)state;
    char command[400], said[4000] = "";
    if (system("command -v blender >/dev/null 2>&1") != 0) skip();
    test_write_file("scene.yaml", SCENE, strlen(SCENE));
    child_assert_done(child_run(
        "render %s/scene.yaml --frames 20 --out %s/run --export ply,mesh_ply,obstacles_ply,diffuse_ply",
        folder, folder));
    snprintf(command, sizeof command,
             "blender -b --factory-startup --python tests/blender_check.py -- %s/run 2>&1", folder);
    FILE *blender = popen(command, "r");
    assert_non_null(blender);
    size_t used = fread(said, 1, sizeof said - 1, blender);
    said[used] = '\0';
    pclose(blender);
    if (!strstr(said, "blender: 20 frames agree")) fail_msg("%s", said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_add_on_shows_every_frame_with_velocities_that_explain_the_motion,
                                        make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("the Blender add-on", tests, NULL, NULL);
}
