// pbf run and --log: a table that is the same however a run was interrupted, without OpenGL, and one line
// where it cannot be written.
#include "case_helpers.h"
#include "command_helpers.h"

#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

// With every kind of probe, whose means a checkpoint has to carry.
static const char SCENE[] =
    "spacing: 0.2\n"
    "tank: {size: [2, 1.2, 3]}\n"
    "water: [{box: {min: [0, 0, 0], max: [1, 1.2, 1]}}]\n"
    "emitters: [{disc: {radius: 0.3}, position: [0.6, 0.6, 2.5], rotation: [180, 0, 0], speed: 3}]\n"
    "obstacles: [{name: ball, sphere: {radius: 0.3}, position: [1.6, 0.6, 0.3]}]\n"
    "probes: [{name: gauge, level: {position: [1.5, 0.6]}}, {name: p, pressure: {position: [0.5, 0.6, "
    "0.2]}},\n"
    "  {name: gate, flux: {width: 3, height: 3, position: [0.6, 0.6, 2]}}, {name: pull, force: {obstacle: "
    "ball}},\n"
    "  {name: walls, force: {obstacle: tank}}, {name: v, velocity: {position: [0.5, 0.6, 0.5]}}]\n"
    "output: {fps: 20, size: [64, 36]}\n";

static int set_up(void **state)
{
    return make_folder_with_scene(state, SCENE);
}

static uint32_t lines_of(const char *text)
{
    uint32_t count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

static void assert_same_log(const char *a, const char *b)
{
    test_assert_same_files(test_path(folder, a), test_path(folder, b));
}

static void run_done(const char *command, const char *arguments)
{
    child_assert_done(child_run("%s %s --quiet", command, arguments));
}

static const char *call(const char *format, const char *more)
{
    static char text[600];
    snprintf(text, sizeof text, format, folder, folder, folder, more);
    return text;
}

static void a_log_has_a_row_a_frame_or_a_step(void **state)
{
    (void)state;
    run_done("run", call("%s/scene.yaml --out %s/a --log %s/frames.csv %s", "--frames 5 --threads 1"));
    run_done("run", call("%s/scene.yaml --out %s/b --log %s/steps.csv %s", "--frames 5 --log-every step"));
    run_done("render", call("%s/scene.yaml --out %s/c --log %s/drawn.csv %s", "--frames 5 --threads 2"));
    char *frames = test_folder_file("frames.csv", NULL), *steps = test_folder_file("steps.csv", NULL);
    assert_int_equal(lines_of(frames), 1 + 5);
    assert_true(lines_of(steps) > 1 + 4 * 2);
    assert_ptr_equal(strstr(frames, "time,step,dt,"), frames);
    assert_non_null(strstr(frames, ",gauge_level,p_pressure,gate_flux,pull_fx,"));
    free(frames);
    free(steps);
    assert_same_log("frames.csv", "drawn.csv"); // pictures and threads change nothing
}

static void run_needs_no_opengl(void **state)
{
    (void)state;
    child_setup.variable = "__EGL_VENDOR_LIBRARY_FILENAMES";
    child_setup.setting = "/nonexistent";
    run_done("run", call("%s/scene.yaml --out %s/a --log %s/log.csv %s", "--frames 2 --export ply,mesh_ply"));
    assert_int_equal(access(test_path(folder, "a/mesh_0001.ply"), F_OK), 0);
    assert_int_equal(access(test_path(folder, "a/frame_0000.png"), F_OK), -1);
    // A log may lie in the folder that the run makes.
    run_done("render", call("%s/scene.yaml --out %s/b --log %s/b/log.csv %s", "--frames 2 --no-pictures"));
    assert_int_equal(access(test_path(folder, "b/log.csv"), F_OK), 0);
}

// The step of a log's last row.
static uint32_t last_step(const char *name)
{
    char *text = test_folder_file(name, NULL), *end = text + strlen(text) - 1;
    assert_int_equal(*end, '\n');
    *end = '\0';
    uint32_t step = (uint32_t)strtoul(strchr(strrchr(text, '\n'), ',') + 1, NULL, 10);
    free(text);
    return step;
}

// Stops a run in the middle, wherever that is, and lets it go on for some frames; how many there are then.
static int stop_and_resume(const char *every, const char *out)
{
    char arguments[600], frame[80];
    snprintf(arguments, sizeof arguments,
             "run %s/scene.yaml --out %s/%s --log %s/%s.csv --log-every %s --frames 5000 "
             "--export ply --checkpoint-every 3 --threads 1 --set solver.time_step=0.001",
             folder, folder, out, folder, out, every);
    snprintf(frame, sizeof frame, "%s/particles_0004.ply", out); // behind the first checkpoint
    pid_t child = child_start(arguments);
    assert_true(child_wait_for_file(test_path(folder, frame), 60));
    kill(child, SIGTERM);
    ChildRun ended = child_finish(child);
    assert_non_null(strstr(ended.err, "pbf run --resume"));
    int frames = child_assert_stopped(ended, 143) + 10;
    // Rows that a killed run has written after its last checkpoint, and half of one.
    char log[40];
    snprintf(log, sizeof log, "%s.csv", out);
    uint32_t next = last_step(log) + 1;
    FILE *file = fopen(test_path(folder, log), "a");
    // With rows a frame the state is later than the last row.
    fprintf(file, "9.9,%u,1,1\n9.91,100", strcmp(every, "step") == 0 ? next : next + 1000);
    fclose(file);
    child_assert_done(child_run("run --resume %s/%s --frames %d --quiet --threads 2", folder, out, frames));
    return frames;
}

static void a_resumed_log_is_that_of_a_run_that_never_stopped(void **state)
{
    (void)state;
    static const char *const everys[] = {"frame", "step"};
    for (size_t k = 0; k < 2; k += test_stride(2)) {
        char arguments[600], whole[30], log[30];
        int frames = stop_and_resume(everys[k], everys[k]);
        snprintf(whole, sizeof whole, "whole_%s.csv", everys[k]);
        snprintf(log, sizeof log, "%s.csv", everys[k]);
        snprintf(arguments, sizeof arguments,
                 "%s/scene.yaml --log %s/%s --log-every %s --frames %d --threads 1 --set "
                 "solver.time_step=0.001",
                 folder, folder, whole, everys[k], frames);
        run_done("run", arguments);
        assert_same_log(log, whole);
    }
}

// The terminal would be silent for seconds, of a million particles.
static void what_comes_before_the_first_step_is_told(void **state)
{
    (void)state;
    if (test_is_quick()) skip();
    static const char *const spacings[] = {"0.1", "0.2"};
    for (int k = 0; k < 2; k++) {
        ChildRun run = child_run("run scenes/dam_break.yaml --frames 1 --spacing %s --log %s/log.csv",
                                 spacings[k], folder);
        assert_int_equal(run.status, 0);
        assert_true((strstr(run.err, "giving 125,000 particles room before the first step\n") != NULL) ==
                    (k == 0));
        child_free(&run);
    }
}

// Removes the log's last bytes: -1: the file.
static void shorten_log(long bytes)
{
    const char *path = test_path(folder, "log.csv");
    long size = 0;
    free(test_read_file(path, &size));
    if (bytes < 0)
        assert_int_equal(unlink(path), 0);
    else
        assert_int_equal(truncate(path, size - (bytes < size ? bytes : size)), 0);
}

// Rows of frames that are there are made again like the frames, also when there is nothing else to do.
static void a_log_that_is_gone_or_short_is_made_again(void **state)
{
    (void)state;
    run_done("run", call("%s/scene.yaml --out %s/a --log %s/log.csv %s", "--frames 8 --checkpoint-every 2"));
    long size = 0;
    char *whole = test_read_file(test_path(folder, "log.csv"), &size);
    static const long lost[] = {-1, 1 << 20, 300, 1};
    for (size_t k = 0; k < 4; k += test_stride(2)) {
        shorten_log(lost[k]);
        child_assert_done(child_run("run --resume %s/a --quiet --threads 1", folder));
        long found = 0;
        char *now = test_read_file(test_path(folder, "log.csv"), &found);
        assert_true(now && found == size && memcmp(now, whole, (size_t)size) == 0);
        free(now);
    }
    shorten_log(-1);
    child_assert_done(child_run("run --resume %s/a --frames 10 --quiet --threads 1", folder));
    char *longer = test_read_file(test_path(folder, "log.csv"), NULL);
    assert_true(longer && memcmp(longer, whole, (size_t)size) == 0);
    free(longer);
    free(whole);
}

static void go_to(const char *path)
{
    assert_int_equal(chdir(path), 0);
}

// From another folder a run does not begin again for a log that it cannot find.
static void a_log_elsewhere_is_asked_for(void **state)
{
    (void)state;
    char here[PATH_MAX], program[PATH_MAX];
    const char *binary = getenv("PBF_BINARY");
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(realpath(binary ? binary : "build/release/pbf", program));
    setenv("PBF_BINARY", program, 1);
    go_to(folder);
    child_assert_done(child_run("run scene.yaml --out moved --log moved.csv --frames 2 --quiet "
                                "--checkpoint-every 1 --threads 1"));
    assert_int_equal(mkdir("beside", 0777), 0);
    go_to("beside");
    ChildRun run = child_run("run --resume ../moved --frames 3 --threads 1");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "its log moved.csv is not to be found from this folder"));
    assert_int_equal(access("moved.csv", F_OK), -1);
    child_free(&run);
    child_assert_done(child_run("run --resume ../moved --log ../moved.csv --frames 3 --quiet --threads 1"));
    child_assert_done(child_run("run ../scene.yaml --log whole.csv --frames 3 --quiet --threads 1"));
    char *longer = test_read_file("../moved.csv", NULL), *whole = test_read_file("whole.csv", NULL);
    assert_true(longer && whole && strcmp(longer, whole) == 0);
    free(longer);
    free(whole);
    go_to(here);
}

// What is said on a stream that is closed goes nowhere, not into the file that would have its number.
static void closed_streams_leave_files_alone(void **state)
{
    (void)state;
    const char *arguments = call("%s/scene.yaml --out %s/a --log %s/log.csv %s", "--frames 3");
    child_assert_done(child_run("run %s", arguments));
    rename(test_path(folder, "log.csv"), test_path(folder, "before.csv"));
    for (unsigned closed = 1; closed < 8; closed += (unsigned)test_stride(3)) {
        child_setup.closed = closed;
        child_assert_done(child_run("run %s --overwrite", arguments));
        assert_same_log("before.csv", "log.csv");
    }
    child_setup.closed = 1u << STDOUT_FILENO;
    child_assert_failed(child_run("check %s/scene.yaml", folder), 1, "standard output: ");
}

static void two_runs_do_not_write_one_log(void **state)
{
    (void)state;
    char arguments[400];
    snprintf(arguments, sizeof arguments,
             "run %s/scene.yaml --out %s/a --frames 5000 --log %s/log.csv --export ply", folder, folder,
             folder);
    pid_t child = child_start(arguments);
    assert_true(child_wait_for_file(test_path(folder, "a/particles_0000.ply"), 60));
    child_assert_failed(child_run("run %s/scene.yaml --frames 2 --log %s/log.csv", folder, folder), 1,
                        "/log.csv: another run writes this log (wait for it, or another name)");
    kill(child, SIGKILL);
    ChildRun ended = child_finish(child);
    assert_int_equal(ended.status, 128 + SIGKILL);
    child_free(&ended);
    child_assert_done(child_run("run %s/scene.yaml --frames 2 --log %s/log.csv", folder, folder));
}

static void a_log_that_cannot_be_written_is_one_line(void **state)
{
    (void)state;
    child_assert_failed(child_run("run %s/scene.yaml --log %s/none/log.csv", folder, folder), 2,
                        "none/log.csv: cannot write: its folder is missing");
    child_assert_failed(child_run("render %s/scene.yaml --video %s/none/film.mp4", folder, folder), 2,
                        "none/film.mp4: cannot write: its folder is missing");
    child_assert_failed(child_run("run %s/scene.yaml --log %s/log.txt", folder, folder), 2, "--log");
    child_assert_failed(child_run("run %s/scene.yaml", folder), 2, "--out");
    child_assert_failed(child_run("run %s/scene.yaml --out %s/a --log-every second", folder, folder), 2,
                        "--log-every");
    child_assert_failed(child_run("render %s/scene.yaml --no-pictures --video %s/a.mp4", folder, folder), 2,
                        "--video");
    shell_or_fail("ln -s gone.csv %s/link.csv", folder);
    child_assert_failed(child_run("run %s/scene.yaml --log %s/link.csv", folder, folder), 2,
                        "/link.csv: is a link to nothing, not a file");
    shell_or_fail("test -L %s/link.csv && ! test -e %s/link.csv", folder, folder);
    // A table of other columns is not a log of this run.
    run_done("run", call("%s/scene.yaml --out %s/a --log %s/log.csv %s", "--frames 4 --checkpoint-every 1"));
    FILE *file = fopen(test_path(folder, "log.csv"), "w");
    fputs("a,b\n1,2\n", file);
    fclose(file);
    child_assert_failed(child_run("run --resume %s/a --frames 6 --quiet", folder), 2, "other columns");
}

static void a_scene_is_not_replaced_by_its_log_or_film(void **state)
{
    (void)state;
    test_write_file("scene.csv", SCENE, strlen(SCENE));
    const char *film = test_write_file("scene.mp4", SCENE, strlen(SCENE));
    shell_or_fail("ln -s scene.csv %s/link.csv", folder);
    static const char *const calls[] = {
        "run %s/scene.csv --log %s/scene.csv",
        "run %s/scene.csv --log %s/link.csv",
        "render %s/scene.mp4 --video %s/scene.mp4",
        "compare %s/scene.mp4 --neighbor octree,aabb_grid --video %s/scene.mp4",
    };
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        child_assert_failed(child_run("%s", call(calls[k], "")), 2, "is one of the files that are read");
    assert_same_log("scene.csv", "scene.mp4");
    char *left = test_read_file(film, NULL);
    assert_string_equal(left, SCENE);
    free(left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_log_has_a_row_a_frame_or_a_step, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(run_needs_no_opengl, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(a_resumed_log_is_that_of_a_run_that_never_stopped, set_up,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(what_comes_before_the_first_step_is_told, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(a_log_that_is_gone_or_short_is_made_again, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(a_log_elsewhere_is_asked_for, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(closed_streams_leave_files_alone, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(two_runs_do_not_write_one_log, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(a_log_that_cannot_be_written_is_one_line, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(a_scene_is_not_replaced_by_its_log_or_film, set_up, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
