// Every command when memory runs out or the disk fills up: one line, the right status, nothing half written.
// PBF_FAULTS_STEP=1 lets every allocation fail in turn; the tests take steps.
#include "case_helpers.h"
#include "command_helpers.h"
#include "export_helpers.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "command/command.h"
#include "core/memory.h"

static const char SCENE[] = "spacing: 0.2\n"
                            "tank: {size: [1.2, 1.2, 2], open: [top]}\n"
                            "water: [{box: {min: [0, 0, 0], max: [0.8, 1.2, 0.8]}}]\n"
                            "drains: [{sphere: {radius: 0.1}, position: [9, 9, 9]}]\n" // no disk is foretold
                            "solver: {neighbor: octree}\n"
                            "output: {fps: 50, size: [64, 36]}\n";

static bool quick(void)
{
    return test_is_quick();
}

static int set_up(void **state)
{
    if (make_folder_with_scene(state, SCENE) != 0) return -1;
    ChildRun run = child_run("render %s/scene.yaml --frames 3 --export ply --checkpoint-every 1 --out %s/run "
                             "--threads 1",
                             folder, folder);
    if (run.status != 0) print_error("%s", run.err);
    int status = run.status;
    child_free(&run);
    return status;
}

// What the commands write, into OUT; IN is the folder with a scene and a run of it.
static const char *const calls[] = {
    "render IN/scene.yaml --frames 2 --export ply,vtk,vtp,bgeo,mesh_ply,mesh_obj,mesh_vtk,mesh_vtp,mesh_usda "
    "--checkpoint-every 1 --out OUT",
    "render --resume IN/run/checkpoint_0001.pbf --frames 3 --style surface --export vtk,mesh_usda --out OUT",
    "frames IN/run/checkpoint_0001.pbf IN/run/checkpoint_0002.pbf --size 200x100 --export ply,mesh_obj --out "
    "OUT",
    "compare IN/scene.yaml --frames 2 --neighbor kd_tree,uniform_grid --size 100x64 --out OUT",
    "mesh IN/run/checkpoint_0002.pbf --out OUT/mesh.obj",
    "mesh IN/run/particles_0002.ply --out OUT/mesh.usda",
    "mesh IN/run/particles_0002.ply IN/run/checkpoint_0002.pbf --out OUT/mesh.vtp",
    "bench IN/scene.yaml --steps 1 --warmup 0 --json OUT/times.json --quiet",
};
#define CALLS (sizeof calls / sizeof *calls)

// The call with its folders in place of IN and OUT.
static void fill_in(const char *call, const char *out, char *text)
{
    while (*call) {
        bool in = strncmp(call, "IN/", 3) == 0, to = strncmp(call, "OUT", 3) == 0;
        if (in || to)
            text = stpcpy(text, in ? folder : out);
        else
            *text++ = *call;
        call += in ? 2 : to ? 3 : 1;
    }
    *text = '\0';
}

static void remove_tree(const char *path)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf %.150s", path);
    assert_int_equal(system(command), 0);
}

static void assert_no_temporary_file(const char *path)
{
    DIR *entries = opendir(path);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (strstr(entry->d_name, ".tmp")) fail_msg("%s is left in %s", entry->d_name, path);
    }
    if (entries) closedir(entries);
}

// --- memory ---

// Runs a command in this process; standard output and error go nowhere.
static Result run_here(const char *text)
{
    char copy[1100], *words[60];
    int count = 0;
    const Command *command;
    Options *options = malloc(sizeof *options);
    snprintf(copy, sizeof copy, "%s --threads 1 --quiet", text);
    for (char *word = strtok(copy, " "); word && count < 60; word = strtok(NULL, " ")) words[count++] = word;
    Result result = command_find(words[0], &command);
    if (result_is_ok(&result)) result = options_parse(count - 1, words + 1, command->bit, options);
    if (result_is_ok(&result)) result = command->run(options);
    free(options);
    return result;
}

static void fail_allocations(const char *text, const char *out, uint64_t step)
{
    uint64_t before = memory_bytes_in_use(), n = 1, runs = 0;
    for (bool reached = true; reached; n += step, runs++) {
        remove_tree(out);
        assert_int_equal(mkdir(out, 0700), 0);
        memory_fail_at(n);
        Result result = run_here(text);
        reached = memory_fail_at(0);
        if (!reached && !result_is_ok(&result)) fail_msg("%s: %s", text, result.text);
        if (reached && !result_is_ok(&result) && !strstr(result.text, "memory"))
            fail_msg("%s, allocation %llu: %s", text, (unsigned long long)n, result.text);
        if (reached && (result_exit_status(&result) == 2 || strchr(result.text, '\n')))
            fail_msg("%s, allocation %llu: \"%s\"", text, (unsigned long long)n, result.text);
        if (memory_bytes_in_use() != before)
            fail_msg("%s, allocation %llu: %lld bytes leaked", text, (unsigned long long)n,
                     (long long)(memory_bytes_in_use() - before));
        assert_no_temporary_file(out);
    }
    print_message("%llu of %llu allocations: %s\n", (unsigned long long)runs - 1,
                  (unsigned long long)(n - step), text);
    assert_true(runs > 2);
}

static void allocations_that_fail_end_every_command_with_a_message(void **state)
{
    (void)state;
    char out[100], text[1000];
    const char *given = getenv("PBF_FAULTS_STEP");
    snprintf(out, sizeof out, "%s", test_path(folder, "out"));
    for (size_t k = 0; k < CALLS; k++) {
        bool draws = k < 4;
        fill_in(calls[k], out, text);
        fail_allocations(text, out,
                         given   ? strtoull(given, NULL, 10)
                         : draws ? (test_is_sanitized() ? 197
                                    : quick()           ? 97
                                                        : 53)
                                 : 23);
    }
}

// --- disks ---

// "pbf: ..." is the last line of what was said, and the only such.
static bool ends_in_one_line(const char *said)
{
    const char *line = strncmp(said, "pbf: ", 5) == 0 ? said : strstr(said, "\npbf: ");
    return line && strchr(line + 1, '\n') == line + strlen(line) - 1;
}

static int run_on_disk(const char *call, const char *disk, int kilobytes)
{
    char text[1000];
    fill_in(call, disk, text);
    assert_true(mount_small(disk, kilobytes));
    ChildRun run = child_run("%s --threads 1", text);
    assert_no_temporary_file(disk);
    umount(disk);
    if (run.status > 1 ||
        (run.status == 1 && (!ends_in_one_line(run.err) || !strstr(run.err, "No space left on device"))))
        fail_msg("%s with %d kB: status %d: %s", call, kilobytes, run.status, run.err);
    int status = run.status;
    child_free(&run);
    return status;
}

static void a_full_disk_ends_every_command_with_a_message(void **state)
{
    (void)state;
    static const int sizes[] = {4, 16, 60};
    char disk[100];
    snprintf(disk, sizeof disk, "%s", test_path(folder, "disk"));
    if (!mount_small(disk, 10)) skip(); // not root
    umount(disk);
    for (size_t k = 0; k < CALLS; k++) {
        int failed = 0;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s += quick() ? 2 : 1)
            failed += run_on_disk(calls[k], disk, sizes[s]);
        bool tells_little = strncmp(calls[k], "bench", 5) == 0; // half a kilobyte
        if (failed == 0 && !tells_little) fail_msg("%s fitted", calls[k]);
    }
}

// What was there stays, whole, when its successor does not fit.
static void a_mesh_that_does_not_fit_leaves_the_old_one(void **state)
{
    (void)state;
    char disk[100], path[120];
    snprintf(disk, sizeof disk, "%s", test_path(folder, "disk"));
    if (!mount_small(disk, 8)) skip();
    snprintf(path, sizeof path, "%s/mesh.obj", disk);
    FILE *file = fopen(path, "w");
    fputs("old", file);
    fclose(file);
    ChildRun run = child_run("mesh %s/run/checkpoint_0002.pbf --out %s", folder, path);
    long size = 0;
    char *bytes = test_read_file(path, &size);
    umount(disk);
    assert_int_equal(run.status, 1);
    assert_true(size == 3 && memcmp(bytes, "old", 3) == 0);
    free(bytes);
    child_free(&run);
}

// A device without an end does not take all memory.
static void what_is_no_file_of_ours_is_refused_by_its_beginning(void **state)
{
    (void)state;
    static const char *const calls_of_nonsense[] = {"mesh /dev/zero --out OUT/x.obj",
                                                    "frames /dev/zero --out OUT", "render --resume /dev/zero",
                                                    "mesh IN/ --out OUT/x.obj"};
    static const char *const says[] = {
        "/dev/zero: is a device, not a file", "/dev/zero: is a device, not a file",
        "/dev/zero: is a device, not a file", "holds no numbered files of particles"};
    char text[1000];
    for (int k = 0; k < 4; k++) {
        fill_in(calls_of_nonsense[k], folder, text);
        child_setup.address_bytes_max = quick() ? 0 : 1000L << 20;
        ChildRun run = child_run("%s", text);
        child_setup.address_bytes_max = 0;
        if (run.status != 2 || !ends_in_one_line(run.err) || !strstr(run.err, says[k]))
            fail_msg("%s: status %d: %s", text, run.status, run.err);
        child_free(&run);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(allocations_that_fail_end_every_command_with_a_message),
        TEST(a_full_disk_ends_every_command_with_a_message),
        TEST(a_mesh_that_does_not_fit_leaves_the_old_one),
        TEST(what_is_no_file_of_ours_is_refused_by_its_beginning),
    };
    return cmocka_run_group_tests_name("every command", tests, NULL, NULL);
}
