// Limits of memory, disks that fill up, folders that change under a run: one clear line, the right
// status, whole files, no leak.
#include "command_helpers.h"
#include "export_helpers.h"
#include "fluid_helpers.h"
#include "scene_helpers.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "export/block_file.h"
#include "export/export.h"
#include "export/particle_file.h"
#include "scene/scene.h"
#include "surface/surface.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int set_up(void **state)
{
    setenv("ASAN_OPTIONS", "detect_leaks=0",
           1); // of children that draw: Mesa's drivers leak, tests/run says how
    return make_folder(state);
}

// --- what a child says ---

// One line, "pbf: ..." and nothing after it.
static void assert_one_line(const ChildRun *run)
{
    const char *line = strstr(run->err, "pbf: ");
    if (!line || strchr(line, '\n') != line + strlen(line) - 1)
        fail_msg("no single error line: %s", run->err);
}

static void assert_failed(ChildRun run, int status, const char *words)
{
    if (run.status != status) fail_msg("status %d, not %d: %s", run.status, status, run.err);
    assert_one_line(&run);
    if (!strstr(run.err, words)) fail_msg("\"%s\" does not say \"%s\"", run.err, words);
    child_free(&run);
}

// Less memory than any run needs, up to enough: never a crash. Programs without pictures, as OpenGL drivers
// have ways of their own to end.
static void a_limit_of_memory_ends_in_a_message(void **state)
{
    (void)state;
    int refused = 0, done = 0;
    if (test_is_quick()) skip();                         // sanitizers need terabytes of addresses
    for (long mb = 20; mb < 160 && done < 2; mb += 12) { // with more it does the same
        child_setup.address_bytes_max = mb << 20;
        ChildRun run =
            child_run("bench scenes/dam_break.yaml --spacing 0.1 --steps 1 --warmup 0 --threads 1");
        if (mb < 45 && run.status == 127) {
            child_free(&run);
            continue; // the libraries themselves did not fit
        }
        if (run.status == 0) done++;
        if (run.status != 0) {
            if (run.status != 1) fail_msg("%ld MB: status %d: %s", mb, run.status, run.err);
            assert_one_line(&run);
            refused++;
        }
        child_free(&run);
    }
    child_setup.address_bytes_max = 0;
    print_message("%d refused, %d done\n", refused, done);
    assert_true(refused > 0 && done > 0);
}

// --- disks ---

#define CALL                                                                                                 \
    "render scenes/dam_break.yaml --spacing 0.5 --size 64x36 --fps 50 --export ply --checkpoint-every 2 "    \
    "--threads 1"

// temporary: whether unfinished files may be left.
static void check_whole(const char *sub, bool temporary)
{
    char path[400];
    DIR *entries = opendir(sub);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        const char *name = entry->d_name, *dot = strrchr(name, '.');
        snprintf(path, sizeof path, "%.100s/%.200s", sub, name);
        if (!dot || dot == name) continue;
        if (strcmp(dot, ".tmp") == 0 && !temporary) fail_msg("%s is left", name);
        if (strcmp(dot, ".png") == 0) {
            TestPicture picture = test_read_png(path);
            if (!picture.rgb) fail_msg("%s is not a whole picture", name);
            free(picture.rgb);
        } else if (strcmp(dot, ".ply") == 0) {
            TestParticles particles = test_read_ply(path);
            if (!particles.particle) fail_msg("%s is not whole", name);
            free(particles.particle);
        } else if (strcmp(dot, ".pbf") == 0) {
            StateBlocks blocks;
            ASSERT_OK(block_file_read(path, &blocks));
            blocks_free(&blocks);
        }
    }
    if (entries) closedir(entries);
}

// Sizes that let the disk fill up in the first file, in later ones, in a checkpoint; with room the run goes
// on.
static void a_full_disk_leaves_whole_files_and_the_run_goes_on_when_there_is_room(void **state)
{
    (void)state;
    static const int sizes[] = {20, 60, 110, 170, 240, 330};
    // A drain that drains nothing: without one the run is refused before it starts.
    static const char drain[] = "--set drains=[{\"sphere\":{\"radius\":0.1},\"position\":[99,9,9]}]";
    char disk[100], whole[100];
    snprintf(disk, sizeof disk, "%s", test_path(folder, "disk"));
    if (!mount_small(disk, 10)) skip(); // not root
    umount(disk);
    snprintf(whole, sizeof whole, "%s", test_path(folder, "whole/frame_0009.png"));
    ChildRun run = child_run(CALL " --frames 10 --out %s/whole %s", folder, drain);
    assert_int_equal(run.status, 0);
    child_free(&run);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k += test_stride(3)) {
        assert_true(mount_small(disk, sizes[k]));
        run = child_run(CALL " --frames 10 --out %s %s", disk, drain);
        int status = run.status;
        if (status == 1) assert_one_line(&run);
        if (status > 1 || (status == 1 && !strstr(run.err, "No space left on device")))
            fail_msg("%d kB: status %d: %s", sizes[k], status, run.err);
        child_free(&run);
        check_whole(disk, false);
        bool more = mount("tmpfs", disk, "tmpfs", MS_REMOUNT, "size=10m") == 0;
        run = child_run(CALL " --frames 10 --out %s %s", disk, drain);
        char last[120];
        snprintf(last, sizeof last, "%s/frame_0009.png", disk);
        if (run.status == 0 && more) test_assert_same_files(last, whole);
        if (run.status != 0) print_error("%s", run.err);
        int again = run.status;
        child_free(&run);
        umount(disk);
        assert_int_equal(again, 0);
        assert_int_equal(status, 1);
    }
}

static void a_disk_that_is_too_small_for_the_run_is_refused_before_it_starts(void **state)
{
    (void)state;
    char disk[100];
    snprintf(disk, sizeof disk, "%s", test_path(folder, "disk"));
    if (!mount_small(disk, 100)) skip();
    assert_failed(child_run(CALL " --frames 1000 --out %s", disk), 1, "/disk: the run writes 44.");
    assert_failed(child_run(CALL " --frames 1000 --out %s/a/b", disk), 1, "0.1 MB are free (fewer --frames");
    assert_int_equal(test_folder_entries(disk), 0);
    ChildRun run = child_run(CALL " --frames 1 --out %s --dry-run", disk);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "0.1 MB are free"));
    assert_int_equal(test_folder_entries(disk), 0);
    child_free(&run);
}

// Starts a run and waits for its second frame.
static pid_t start_run(const char *out)
{
    char arguments[400], frame[200];
    snprintf(arguments, sizeof arguments, CALL " --frames 2000 --out %s", out);
    snprintf(frame, sizeof frame, "%s/frame_0001.png", out);
    pid_t child = child_start(arguments);
    assert_true(child_wait_for_file(frame, 60));
    return child;
}

static void a_disk_that_turns_read_only_ends_the_run(void **state)
{
    (void)state;
    char disk[100];
    snprintf(disk, sizeof disk, "%s", test_path(folder, "disk"));
    if (!mount_small(disk, 100000)) skip();
    pid_t child = start_run(disk);
    bool done = false; // a file that is open for writing keeps it from turning
    for (int k = 0; k < 1000 && !done; k++) {
        done = mount("tmpfs", disk, "tmpfs", MS_REMOUNT | MS_RDONLY, "") == 0;
        if (!done) usleep(500);
    }
    if (!done) kill(child, SIGKILL);
    ChildRun run = child_finish(child);
    check_whole(disk, true); // one that was about to get its name can no longer be removed
    umount(disk);
    if (done)
        assert_failed(run, 1, "Read-only file system");
    else
        child_free(&run);
}

static void a_folder_that_vanishes_ends_the_run(void **state)
{
    (void)state;
    char out[100], moved[100], command[300];
    snprintf(out, sizeof out, "%s", test_path(folder, "out"));
    snprintf(moved, sizeof moved, "%s", test_path(folder, "moved"));
    pid_t child = start_run(out);
    assert_int_equal(rename(out, moved), 0);
    assert_failed(child_finish(child), 1, "No such file or directory");
    check_whole(moved, true); // nobody finds the one that was being written
    snprintf(command, sizeof command, "rm -rf %s", moved);
    assert_int_equal(system(command), 0);
}

static void files_that_vanish_do_not_stop_a_run(void **state)
{
    (void)state;
    char out[100];
    snprintf(out, sizeof out, "%s", test_path(folder, "out"));
    pid_t child = start_run(out);
    unlink(test_path(folder, "out/frame_0000.png"));
    unlink(test_path(folder, "out/checkpoint_0000.pbf"));
    unlink(test_path(folder, "out/run.yaml"));
    kill(child, SIGTERM);
    assert_failed(child_finish(child), 143, "goes on)");
    check_whole(out, false);
}

// --- what asks for too much ---

#define REFUSED_BYTES 200000000

static void assert_refused(const char *text, size_t bytes, const char *set, const char *words)
{
    FILE *file = fopen(test_path(folder, "scene.yaml"), "w");
    fwrite(text, 1, strlen(text), file);
    fclose(file);
    if (bytes > 0) assert_int_equal(truncate(test_path(folder, "scene.yaml"), (off_t)bytes), 0);
    child_setup.address_bytes_max = test_is_quick() ? 0 : 700L << 20; // libraries take 500 MB of addresses
    ChildRun run = child_run("check %s/scene.yaml %s --threads 1", folder, set);
    child_setup.address_bytes_max = 0;
    if (!test_is_quick() && (run.cpu_seconds > TEST_HANG_SECONDS || run.rss_bytes > REFUSED_BYTES))
        fail_msg("%.2f s, %.0f MB: %s", run.cpu_seconds, (double)run.rss_bytes / 1e6, run.err);
    assert_failed(run, 2, words);
}

#define WATER "spacing: 1\nwater: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n"

// Lists of ten names of the list before: 10^30 values.
static void make_alias_bomb(char *at)
{
    at += sprintf(at, "a0: &a0 [x]\n");
    for (int k = 1; k <= 30; k++) {
        at += sprintf(at, "a%d: &a%d [", k, k);
        for (int j = 0; j < 10; j++) at += sprintf(at, "*a%d, ", k - 1);
        at += sprintf(at, "]\n");
    }
}

static void scenes_that_would_exhaust_the_machine_are_refused_with_the_limit(void **state)
{
    (void)state;
    char *text = calloc(1, 3000000);
    assert_refused("spacing: 0.001\nwater: [{box: {min: [0, 0, 0], max: [10, 10, 10]}}]\n", 0, "",
                   "holds 1e+12 particles at a spacing of 0.001 m (at most 2147483647)");
    assert_refused("spacing: 1\n", 1000000000, "",
                   "is too large for a scene: 1000.0 MB (at most 1000000 bytes)");
    memset(text, '[', 100000);
    assert_refused(text, 0, "", "nested too deeply (at most 24 levels)");
    for (int k = 0; k < 100000; k++) memcpy(text + 4 * k, "{a: ", 4);
    assert_refused(text, 0, "", "nested too deeply (at most 24 levels)");
    make_alias_bomb(text);
    assert_refused(text, 0, "", "too much content (at most 500000 values, aliases resolved)");
    char *at = stpcpy(text, WATER "obstacles:\n- &b {sphere: {radius: 1}}\n");
    for (int k = 0; k < 190000; k++) at = stpcpy(at, "- *b\n");
    assert_refused(text, 0, "", "too much content (at most 500000 values, aliases resolved)");
    assert_refused(
        "spacing: 0.1\ntank: {size: [20000, 1, 1]}\nwater: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n", 0,
        "", "the tank is 2e+05 spacings long (at most 100000)");
    free(text);
}

static void a_million_obstacles_and_grids_of_a_billion_cells_are_refused(void **state)
{
    (void)state;
#define SCATTER WATER "scatter: [{min: [0, 0, 0], max: [%s, 90, 90], radius: [0.1, 0.2], count: %s}]\n"
    char text[1000];
    snprintf(text, sizeof text, SCATTER, "90", "1000000");
    assert_refused(text, 0, "", "scatter.0.count: 1000000 is out of range (1 to 100000)");
    snprintf(text, sizeof text, SCATTER, "0.5", "100000"); // more than find room at random
    assert_refused(text, 0, "", "100000 balls find no room");
    FILE *file = fopen(test_path(folder, "cube.obj"), "w");
    fputs(CUBE_OBJ, file);
    fclose(file);
    assert_refused(WATER "obstacles: [{mesh: {file: cube.obj, scale: 10, cell: 0.01}}]\n", 0, "",
                   "cells (at most 16777216; a larger cell)");
}

// 1e15 cells would be around water that fills a thousand.
static void a_huge_tank_costs_no_memory(void **state)
{
    (void)state;
    FILE *file = fopen(test_path(folder, "scene.yaml"), "w");
    fputs("spacing: 0.1\ntank: {size: [9000, 9000, 9000]}\nwater: [{box: {min: [0, 0, 0], max: [1, 1, 1]}},\n"
          "  {box: {min: [8999, 8999, 8999], max: [9000, 9000, 9000]}}]\n",
          file);
    fclose(file);
    child_setup.address_bytes_max = test_is_quick() ? 0 : 900L << 20;
    ChildRun run = child_run("bench %s/scene.yaml --steps 1 --warmup 0 --threads 1", folder);
    child_setup.address_bytes_max = 0;
    if (run.status != 0) fail_msg("%s", run.err);
    child_free(&run);
}

#define PICTURE "render scenes/dam_break.yaml --spacing 0.5 --size 64x36 --frames 2 --overwrite --out %s/p"

static void a_small_stack_is_enough_for_pictures(void **state)
{
    (void)state;
    if (test_is_quick()) skip(); // sanitizers make frames of functions larger
    child_setup.stack_bytes_max = 128L << 10;
    child_assert_done(child_run(PICTURE, folder));
    child_setup.stack_bytes_max = 88L << 10;
    assert_failed(child_run(PICTURE, folder), 1, "the stack may grow to 88 kB: 128 are needed (ulimit -s)");
}

// Mesa crashes where it gets no memory.
static void pictures_with_too_few_addresses_are_refused(void **state)
{
    (void)state;
    if (test_is_quick()) skip(); // sanitizers need terabytes of addresses
    for (long mb = 100; mb < 700; mb += 100) {
        child_setup.address_bytes_max = mb << 20;
        assert_failed(child_run(PICTURE, folder), 1, mb < 200 ? "memory" : "not enough memory: drivers need");
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_limit_of_memory_ends_in_a_message),
        TEST(a_full_disk_leaves_whole_files_and_the_run_goes_on_when_there_is_room),
        TEST(a_disk_that_is_too_small_for_the_run_is_refused_before_it_starts),
        TEST(a_disk_that_turns_read_only_ends_the_run),
        TEST(a_folder_that_vanishes_ends_the_run),
        TEST(files_that_vanish_do_not_stop_a_run),
        TEST(scenes_that_would_exhaust_the_machine_are_refused_with_the_limit),
        TEST(a_million_obstacles_and_grids_of_a_billion_cells_are_refused),
        TEST(a_small_stack_is_enough_for_pictures),
        TEST(pictures_with_too_few_addresses_are_refused),
        TEST(a_huge_tank_costs_no_memory),
    };
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
