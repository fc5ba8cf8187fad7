// Each call on files that pbf makes fails, is lost, or is the last one before a power cut: what was complete
// stays, nothing partial has a final name, the failure is told in one line, and the same call again makes
// everything as if nothing had happened. The calls go wrong in tests/faults/faulty_files.c, below the
// program. PBF_FAULTS_STEP=1 takes every call (so does PBF_TEST_LEVEL=full); the tests take steps.
#include "case_helpers.h"
#include "command_helpers.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char SCENE[] = "spacing: 0.2\n"
                            "tank: {size: [1.2, 1.2, 2], open: [top]}\n"
                            "water: [{box: {min: [0, 0, 0], max: [0.8, 1.2, 0.8]}}]\n"
                            "obstacles: [{name: ball, sphere: {radius: 0.2}, position: [0.9, 0.6, 0.3]}]\n"
                            "output: {fps: 50, size: [64, 36]}\n";

static char library[1000];

static int find_library(void **state)
{
    (void)state;
    const char *binary = getenv("PBF_BINARY");
    char path[900];
    snprintf(path, sizeof path, "%s", binary ? binary : "build/release/pbf");
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, "tests/faulty_files.so");
    if (!realpath(path, library)) return -1;
    // The sanitizer's own library would come first; Mesa's drivers leak.
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0", 1);
    return 0;
}

static int set_up(void **state)
{
    return make_folder_with_scene(state, SCENE);
}

// What one run of a call met.
typedef struct Fault {
    long count;     // calls up to the one that went wrong, or of all
    char call[16];  // "write"
    char path[300]; // what it was about
} Fault;

// Runs pbf in FOLDER/out with the nth call of a program going wrong. *fault is that call, or the last one if
// there are fewer.
static ChildRun run_with_fault(const char *program, const char *mode, long at, const char *arguments,
                               Fault *fault)
{
    char number[20];
    snprintf(number, sizeof number, "%ld", at);
    unlink(test_path(folder, "report"));
    setenv("PBF_FAULT_FOLDER", test_path(folder, "out"), 1);
    setenv("PBF_FAULT_PROGRAM", program, 1);
    setenv("PBF_FAULT_MODE", mode, 1);
    setenv("PBF_FAULT_AT", number, 1);
    setenv("PBF_FAULT_REPORT", test_path(folder, "report"), 1);
    child_setup.variable = "LD_PRELOAD";
    child_setup.setting = library;
    ChildRun run = child_run("%s", arguments);
    child_setup.variable = NULL;
    *fault = (Fault){.count = 0};
    char *report = test_read_file(test_path(folder, "report"), NULL);
    if (report && sscanf(report, "%ld %15s %299s", &fault->count, fault->call, fault->path) != 3)
        fail_msg("report: %s", report);
    free(report);
    return run;
}

static bool same_bytes(const char *a, const char *b)
{
    long size_a = 0, size_b = 0;
    char *bytes_a = test_read_file(a, &size_a), *bytes_b = test_read_file(b, &size_b);
    bool same = bytes_a && bytes_b && size_a == size_b && memcmp(bytes_a, bytes_b, (size_t)size_a) == 0;
    free(bytes_a);
    free(bytes_b);
    return same;
}

// A log grows by rows under its own name.
static bool begins_as(const char *path, const char *whole)
{
    long size = 0, all = 0;
    char *bytes = test_read_file(path, &size), *other = test_read_file(whole, &all);
    bool begins = bytes && other && size <= all && memcmp(bytes, other, (size_t)size) == 0;
    free(bytes);
    free(other);
    return begins;
}

// A film, an index of frames or a file that plays, of a run that was cut short, ends as any other does.
static bool ends_well(const char *path, const char *name)
{
    long size = 0;
    char *bytes = test_read_file(path, &size);
    bool well = false;
    if (bytes && strstr(name, ".mp4")) {
        // ISO 14496-12: boxes of a size and a name fill the file.
        long at = 0;
        bool described = false;
        while (at + 8 <= size) {
            const uint8_t *box = (const uint8_t *)bytes + at;
            described |= memcmp(box + 4, "moov", 4) == 0;
            at += (long)((uint32_t)box[0] << 24 | (uint32_t)box[1] << 16 | (uint32_t)box[2] << 8 | box[3]);
        }
        well = at == size && described;
    } else if (bytes && strstr(name, ".pvd")) {
        well = size > 11 && strcmp(bytes + size - 11, "</VTKFile>\n") == 0;
    } else if (bytes && strstr(name, ".series")) {
        well = size > 2 && strcmp(bytes + size - 2, "}\n") == 0;
    } else if (bytes && strstr(name, ".usda")) {
        well = size > 3 && strcmp(bytes + size - 3, "\n}\n") == 0;
    } else if (bytes && strstr(name, ".abc")) {
        // Byte 5 says that all is there, the number behind the version where the root is.
        uint64_t root;
        well = size > 16 && memcpy(&root, bytes + 8, 8) && (uint8_t)bytes[5] == 0xff && root < (uint64_t)size;
    }
    free(bytes);
    return well;
}

// What is under a final name is what the folder held before, or what the whole run makes.
static void assert_whole(const char *what)
{
    DIR *entries = opendir(test_path(folder, "out"));
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        const char *name = entry->d_name;
        char out[200], before[200], whole[200];
        snprintf(out, sizeof out, "%s/out/%.80s", folder, name);
        snprintf(before, sizeof before, "%s/before/%.80s", folder, name);
        snprintf(whole, sizeof whole, "%s/whole/%.80s", folder, name);
        if (name[0] == '.' || strstr(name, ".tmp") || same_bytes(out, whole) || same_bytes(out, before))
            continue;
        if (!ends_well(out, name) && !(strstr(name, ".csv") && begins_as(out, whole)))
            fail_msg("%s: %s is partial", what, name);
    }
    if (entries) closedir(entries);
}

static void assert_no_temporary_file(const char *what)
{
    DIR *entries = opendir(test_path(folder, "out"));
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (strstr(entry->d_name, ".tmp")) fail_msg("%s: %s is left", what, entry->d_name);
    }
    if (entries) closedir(entries);
}

static void assert_same_folders(const char *what)
{
    char command[300];
    // The record and checkpoints also say how the run was called.
    snprintf(command, sizeof command, "diff -rq -x run.yaml -x 'checkpoint_*' %s/whole %s/out", folder,
             folder);
    if (system(command) != 0) fail_msg("%s: not the same in the end", what);
}

// Nothing that was complete is gone, but for checkpoints, whose last two stay.
static void assert_nothing_lost(const char *what)
{
    DIR *entries = opendir(test_path(folder, "before"));
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char out[200];
        snprintf(out, sizeof out, "%s/out/%.80s", folder, entry->d_name);
        if (strncmp(entry->d_name, "checkpoint", 10) != 0 && access(out, F_OK) != 0)
            fail_msg("%s: %s is gone", what, entry->d_name);
    }
    if (entries) closedir(entries);
}

// The failure of one call is told, unless nothing was lost by it: what is read may be read from elsewhere,
// and what should go may stay.
static void assert_told(ChildRun *run, const Fault *fault, const char *what)
{
    const char *line = strncmp(run->err, "pbf: ", 5) == 0 ? run->err : strstr(run->err, "\npbf: ");
    bool one = line && strchr(line + 1, '\n') == line + strlen(line) - 1;
    bool linked = strcmp(fault->call, "rename") == 0 && strstr(fault->path, "/obstacles_");
    bool must = strcmp(fault->call, "write") == 0 || strcmp(fault->call, "fsync") == 0 ||
                (strcmp(fault->call, "rename") == 0 && !linked);
    if (run->status > 1 || (run->status == 1 && !one) || (run->status == 0 && must))
        fail_msg("%s: status %d: %s", what, run->status, run->err);
}

static long stride(void)
{
    const char *given = getenv("PBF_FAULTS_STEP");
    return given ? atol(given) : test_is_full() ? 1 : test_is_quick() ? 97 : 37;
}

// The first of the calls that go wrong when one in `step` does: another one in each way, so that together
// they are spread over all.
static long first_call(const char *mode, long step)
{
    static const char *const modes[] = {"fail", "gone", "power", "lose"};
    long k = 0;
    while (strcmp(modes[k], mode) != 0) k++;
    return 1 + k * step / 4;
}

static long calls; // that make FOLDER/whole of FOLDER/before

// Every nth call of `arguments` on FOLDER/out goes wrong in that way; `again` then makes it good.
static void fail_calls(const char *program, const char *mode, long step, const char *arguments,
                       const char *again)
{
    bool power = strcmp(mode, "power") == 0, lose = strcmp(mode, "lose") == 0,
         gone = strcmp(mode, "gone") == 0;
    long last = 0, runs = 0;
    for (long at = first_call(mode, step); at <= calls; at += step) {
        Fault fault;
        char what[600];
        shell_or_fail("rm -rf %s/out; cp -a %s/before %s/out", folder, folder, folder);
        ChildRun run = run_with_fault(program, mode, at, arguments, &fault);
        bool reached = fault.count == at;
        snprintf(what, sizeof what, "%s, call %ld of %s: %s %s", mode, at, program, fault.call, fault.path);
        if (reached && power && run.status != 137) fail_msg("%s: status %d: %s", what, run.status, run.err);
        if (reached && !power && !lose) assert_told(&run, &fault, what);
        if (!lose) assert_whole(what);
        if (!lose) assert_nothing_lost(what);
        if (!power && !lose && !gone && strcmp(fault.call, "unlink") != 0) assert_no_temporary_file(what);
        child_free(&run);
        // A name that could not be removed stays, until a run into the same folder comes across it.
        if (strcmp(fault.call, "unlink") == 0) shell_or_fail("rm -f %s/out/*.tmp", folder);
        run = child_run("%s", again);
        // A record that a lying disk left empty is refused, as frames of an unknown run are.
        if (lose && run.status == 2 && strstr(fault.path, "/run.yaml.")) {
            child_free(&run);
            continue;
        }
        if (run.status != 0) fail_msg("%s: not made good: status %d: %s", what, run.status, run.err);
        child_free(&run);
        assert_same_folders(what);
        if (reached) runs++, last = at;
    }
    print_message("%s: %ld of %ld calls: %s\n", mode, runs, last, arguments);
    assert_true(runs > 0);
}

// FOLDER/before is what the folder holds when the call comes, FOLDER/whole what it holds afterwards.
static void make_before_and_whole(const char *first, const char *call)
{
    Fault last;
    if (first)
        child_assert_done(child_run("%s", first));
    else
        shell_or_fail("mkdir -p %s/out", folder);
    shell_or_fail("cp -a %s/out %s/before", folder, folder);
    child_assert_done(run_with_fault("pbf", "fail", 0, call, &last));
    calls = last.count;
    shell_or_fail("cp -a %s/out %s/whole", folder, folder);
}

#define EXPORTS "--export ply,vtk,vtp,mesh_ply,obstacles_ply"

// What goes wrong from here on leaves FOLDER/before and FOLDER/whole as they are: all tests of a group use
// them.
static int make_folder_of_group(void **state)
{
    return find_library(state) != 0 || set_up(state) != 0 ? -1 : 0;
}

static void render_call(char call[300])
{
    snprintf(call, 300, "render --resume %s/out --frames 4 --threads 1 --quiet", folder);
}

static int prepare_render(void **state)
{
    char first[400], call[300];
    if (make_folder_of_group(state) != 0) return -1;
    snprintf(first, sizeof first,
             "render %s/scene.yaml --out %s/out --frames 2 --checkpoint-every 1 --threads 1 --quiet " EXPORTS
             " --video %s/out/film.mp4",
             folder, folder, folder);
    render_call(call);
    make_before_and_whole(first, call);
    return 0;
}

static void test_render(const char *program, const char *mode)
{
    char call[300];
    render_call(call);
    fail_calls(program, mode, stride(), call, call);
}

static void a_call_that_fails_ends_a_run_with_one_line_and_whole_files(void **state)
{
    (void)state;
    test_render("pbf", "fail");
}

static void a_disk_that_is_gone_ends_a_run_with_one_line_and_whole_files(void **state)
{
    (void)state;
    test_render("pbf", "gone");
}

static void a_power_cut_leaves_whole_files_and_a_run_that_goes_on(void **state)
{
    (void)state;
    test_render("pbf", "power");
}

static void what_a_disk_swallows_is_made_again(void **state)
{
    (void)state;
    test_render("pbf", "lose");
}

static void run_call(char call[300])
{
    snprintf(call, 300, "run --resume %s/out --frames 4 --threads 1 --quiet", folder);
}

static int prepare_run(void **state)
{
    char first[400], call[300];
    if (make_folder_of_group(state) != 0) return -1;
    snprintf(first, sizeof first,
             "run %s/scene.yaml --out %s/out --frames 2 --checkpoint-every 1 --threads 1 --quiet "
             "--export usda,abc,bgeo,diffuse_ply --set whitewater={} --log %s/out/log.csv",
             folder, folder, folder);
    run_call(call);
    make_before_and_whole(first, call);
    return 0;
}

static void test_run(const char *mode)
{
    char call[300];
    run_call(call);
    fail_calls("pbf", mode, stride(), call, call);
}

static void files_that_play_and_logs_survive_every_failing_call(void **state)
{
    (void)state;
    test_run("fail");
}

static void files_that_play_and_logs_survive_a_power_cut(void **state)
{
    (void)state;
    test_run("power");
}

static void a_film_that_ffmpeg_cannot_write_ends_a_run_with_one_line(void **state)
{
    (void)state;
    char call[300];
    Fault fault;
    render_call(call);
    for (long at = 1; at <= 5; at += test_is_full() ? 1 : 3) {
        shell_or_fail("rm -rf %s/out; cp -a %s/before %s/out", folder, folder, folder);
        ChildRun run = run_with_fault("ffmpeg", "gone", at, call, &fault);
        if (fault.count < at) break;
        if (run.status != 1 || !strstr(run.err, "film.mp4: ffmpeg failed: "))
            fail_msg("call %ld of ffmpeg: status %d: %s", at, run.status, run.err);
        assert_whole("ffmpeg");
        assert_nothing_lost("ffmpeg");
        assert_no_temporary_file("ffmpeg");
        child_free(&run);
    }
}

static void a_new_run_survives_every_failing_call_too(void **state)
{
    (void)state;
    char call[300];
    snprintf(call, sizeof call,
             "run %s/scene.yaml --out %s/out --frames 2 --threads 1 --quiet --export "
             "mesh_vtp,mesh_obj",
             folder, folder);
    make_before_and_whole(NULL, call);
    fail_calls("pbf", "fail", stride(), call, call);
}

static void single_files_are_whole_or_absent_whichever_call_fails(void **state)
{
    (void)state;
    char call[300];
    child_assert_done(
        child_run("run %s/scene.yaml --out %s/run --frames 2 --checkpoint-every 1 --quiet", folder, folder));
    snprintf(call, sizeof call, "mesh %s/run/checkpoint_0001.pbf --out %s/out/mesh.obj --threads 1 --quiet",
             folder, folder);
    make_before_and_whole(NULL, call);
    fail_calls("pbf", "fail", test_is_quick() ? 3 : 1, call, call);
    shell_or_fail("rm -rf %s/out %s/before %s/whole", folder, folder, folder);
    snprintf(call, sizeof call, "frames %s/run --out %s/out --export ply --threads 1 --quiet", folder,
             folder);
    make_before_and_whole(NULL, call);
    fail_calls("pbf", "fail", stride(), call, call);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_folder)

int main(void)
{
    const struct CMUnitTest renders[] = {
        cmocka_unit_test(a_call_that_fails_ends_a_run_with_one_line_and_whole_files),
        cmocka_unit_test(a_disk_that_is_gone_ends_a_run_with_one_line_and_whole_files),
        cmocka_unit_test(a_power_cut_leaves_whole_files_and_a_run_that_goes_on),
        cmocka_unit_test(what_a_disk_swallows_is_made_again),
        cmocka_unit_test(a_film_that_ffmpeg_cannot_write_ends_a_run_with_one_line),
    };
    const struct CMUnitTest runs[] = {
        cmocka_unit_test(files_that_play_and_logs_survive_every_failing_call),
        cmocka_unit_test(files_that_play_and_logs_survive_a_power_cut),
    };
    const struct CMUnitTest others[] = {
        TEST(a_new_run_survives_every_failing_call_too),
        TEST(single_files_are_whole_or_absent_whichever_call_fails),
    };
    return cmocka_run_group_tests_name("files of pictures", renders, prepare_render, remove_folder) +
           cmocka_run_group_tests_name("files that play", runs, prepare_run, remove_folder) +
           cmocka_run_group_tests_name("other files", others, find_library, NULL);
}
