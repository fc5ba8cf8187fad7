// Runs that were stopped, killed or finished go on to the very same frames; pictures and meshes of stored
// states; folders that never mix two runs. PBF_KILLS and PBF_STOPS set the length of the kill campaign.
#include "case_helpers.h"
#include "command_helpers.h"
#include "export_helpers.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "command/checkpoint.h"
#include "core/cpu.h"
#include "export/block_file.h"

// Everything that moves: a jet, a drain, a body on a path, water that falls. No tank, so the first picture
// frames the others.
static const char SCENE[] =
    "spacing: 0.2\n"
    "water: [{box: {min: [0, 0, 0.4], max: [1.2, 1.2, 1.6]}}]\n"
    "emitters: [{disc: {radius: 0.3}, position: [0.6, 0.6, 3], rotation: [180, 0, 0], speed: 3}]\n"
    "drains: [{box: {size: [9, 9, 9]}, position: [0.6, 0.6, 4], outside: true}]\n"
    "obstacles: [{sphere: {radius: 0.4}, position: [0.6, 0.6, 0], motion: {oscillation: "
    "{amplitude: [0.3, 0, 0], period: 0.7}}}]\n"
    "output: {fps: 20, size: [64, 36]}\n";

static char call[500]; // the run without its output folder
static char bare[500]; // the same without pictures, which takes a fraction of the time

static int write_scene(void **state)
{
    if (make_folder_with_scene(state, SCENE) != 0) return -1;
    snprintf(call, sizeof call,
             "render %s/scene.yaml --frames 9 --export ply,vtk --threads 1 --neighbor uniform_grid", folder);
    snprintf(bare, sizeof bare, "run%s", call + strlen("render"));
    return 0;
}

// What a run said on standard error; the run must have ended with that status. Good until the next call.
static const char *run(int status, const char *format, ...)
{
    static char said[4000];
    char arguments[2000];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    ChildRun child = child_run("%s", arguments);
    snprintf(said, sizeof said, "%s", child.err);
    if (child.status != status)
        fail_msg("\"%s\": status %d, not %d: %s", arguments, child.status, status, said);
    child_free(&child);
    return said;
}

static void assert_says(const char *said, const char *words)
{
    if (!strstr(said, words)) fail_msg("\"%s\" does not say \"%s\"", said, words);
}

static bool exists(const char *sub, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%.80s/%.100s", sub, name);
    return access(test_path(folder, path), F_OK) == 0;
}

static bool same_file(const char *sub_a, const char *sub_b, const char *name)
{
    char a[200], b[200];
    long size_a = 0, size_b = 0;
    snprintf(a, sizeof a, "%.80s/%.100s", sub_a, name);
    snprintf(b, sizeof b, "%.80s/%.100s", sub_b, name);
    char *bytes_a = test_read_file(test_path(folder, a), &size_a);
    char *bytes_b = test_read_file(test_path(folder, b), &size_b);
    if (!bytes_a || !bytes_b) fail_msg("%s is missing in %s or %s", name, sub_a, sub_b);
    bool same = size_a == size_b && memcmp(bytes_a, bytes_b, (size_t)size_a) == 0;
    free(bytes_a);
    free(bytes_b);
    return same;
}

static void assert_same_file(const char *sub_a, const char *sub_b, const char *name)
{
    if (!same_file(sub_a, sub_b, name)) fail_msg("%s differs between %s and %s", name, sub_a, sub_b);
}

static void assert_same_particles(const char *sub_a, const char *sub_b, int first, int count)
{
    for (int k = first; k < count; k++) {
        char name[40];
        snprintf(name, sizeof name, "particles_%04d.ply", k);
        assert_same_file(sub_a, sub_b, name);
    }
}

static void assert_same_frames(const char *sub_a, const char *sub_b, int first, int count)
{
    assert_same_particles(sub_a, sub_b, first, count);
    for (int k = first; k < count; k++) {
        char name[40];
        snprintf(name, sizeof name, "frame_%04d.png", k);
        assert_same_file(sub_a, sub_b, name);
    }
}

// Ends a run with a signal after its first frames; how many there are.
static int stop_run(const char *sub)
{
    char arguments[700], frame[100];
    snprintf(arguments, sizeof arguments, "%s --out %s/%s --frames 5000", call, folder, sub);
    snprintf(frame, sizeof frame, "%s/frame_0002.png", sub);
    pid_t child = child_start(arguments);
    assert_true(child_wait_for_file(test_path(folder, frame), 60));
    kill(child, SIGTERM);
    ChildRun ended = child_finish(child);
    snprintf(frame, sizeof frame, "pbf render --resume %s/%s goes on)\n", folder, sub);
    assert_says(ended.err, frame);
    return child_assert_stopped(ended, 143);
}

// --- going on ---

static void a_stopped_run_goes_on_to_the_same_frames(void **state)
{
    (void)state;
    int frames = stop_run("part") + 5;
    run(0, "%s --out %s/whole --frames %d", call, folder, frames);
    // With other threads and another search; the rest is as it was.
    const char *said =
        run(0, "render --resume %s/part --frames %d --threads 2 --neighbor octree", folder, frames);
    assert_says(said, "going on from ");
    assert_says(said, "changed: --neighbor: uniform_grid in the checkpoint, octree now\n");
    assert_same_frames("whole", "part", 0, frames);
    assert_same_file("whole", "part", "particles.vtk.series");
    // What the interruption left has gone; the end can be gone on from.
    char text[300];
    snprintf(text, sizeof text, "ls %s/part/checkpoint_*_between.pbf >/dev/null 2>&1", folder);
    assert_int_not_equal(system(text), 0);
    snprintf(text, sizeof text, "checkpoint_%04d.pbf", frames - 1);
    assert_true(exists("part", text));
    snprintf(text, sizeof text, "all %d frames are in ", frames);
    assert_says(run(0, "render --resume %s/part --frames %d", folder, frames), text);
}

// Frames that are there stay, and so does the state between two that the others are made from.
static void a_stopped_run_goes_on_otherwise_if_asked_to(void **state)
{
    (void)state;
    char arguments[700];
    snprintf(arguments, sizeof arguments,
             "%s --frames 2 --fps 0.5 --set solver.time_step=0.0005 --log %s/log.csv --log-every step "
             "--out %s/part",
             bare, folder, folder);
    pid_t child = child_start(arguments);
    assert_true(child_wait_for_file(test_path(folder, "part/particles_0000.ply"), 60));
    assert_true(child_wait_for_text(test_path(folder, "log.csv"), "\n0.0005,1,", 60)); // of 4,000 steps
    kill(child, SIGTERM);
    assert_int_equal(child_assert_stopped(child_finish(child), 143), 1);
    assert_true(exists("part", "checkpoint_0000_between.pbf"));
    const char *said = run(0, "run --resume %s/part --overwrite --set solver.time_step=0.02", folder);
    assert_says(said, "_between.pbf: 0.0");
    assert_says(said, "changed: solver.time_step: 0.0005 in the checkpoint, 0.02 now");
    assert_true(exists("part", "particles_0001.ply"));
}

static void a_finished_run_is_extended(void **state)
{
    (void)state;
    run(0, "%s --out %s/whole", bare, folder);
    run(0, "%s --out %s/part --frames 5 --checkpoint-every 3", bare, folder);
    assert_true(exists("part", "checkpoint_0003.pbf") && exists("part", "checkpoint_0004.pbf"));
    run(0, "run --resume %s/part --frames 9", folder);
    assert_same_particles("whole", "part", 0, 9);
    // Nothing is left to do.
    assert_says(run(0, "run --resume %s/part --frames 9", folder), "all 9 frames are in ");
}

static void the_same_call_goes_on_where_a_run_stopped(void **state)
{
    (void)state;
    if (test_is_sanitized()) skip(); // so do runs that were killed
    run(0, "%s --out %s/whole", bare, folder);
    run(0, "%s --out %s/part --frames 5 --checkpoint-every 2", bare, folder);
    assert_says(run(0, "%s --out %s/part", bare, folder), "checkpoint_0004.pbf: 0.2000 s, 5 frames\n");
    assert_same_particles("whole", "part", 0, 9);
}

static void a_run_goes_on_in_another_folder_too(void **state)
{
    (void)state;
    run(0, "%s --out %s/whole --checkpoint-every 4", bare, folder);
    const char *said = run(0, "run --resume %s/whole/checkpoint_0004.pbf --out %s/other", folder, folder);
    assert_says(said, "\nframes 5 to 8 in ");
    assert_false(exists("other", "particles_0004.ply"));
    assert_same_particles("whole", "other", 5, 9);
    static const char FROM[] = "whole/checkpoint_0004.pbf";
    assert_says(run(2, "run --resume %s/%s --out %s/none --frames 5", folder, FROM, folder),
                "checkpoint_0004.pbf holds frame 4 already (more than 5 frames)");
    assert_int_equal(access(test_path(folder, "none"), F_OK), -1);
}

// What is refused is not what a folder's frames are made by, and takes the place of none.
static void a_state_that_the_scene_does_not_fit_leaves_the_folder_as_it_is(void **state)
{
    (void)state;
    static const char WORDS[] = "spacing: the particles are 0.2";
    run(0, "%s --out %s/a --frames 3 --checkpoint-every 1", bare, folder);
    char wrong[300];
    snprintf(wrong, sizeof wrong,
             "run --resume %s/a/checkpoint_0001.pbf --out %s/b --set spacing=0.1 --frames 4", folder, folder);
    assert_says(run(2, "%s", wrong), WORDS);
    run(0, "run --resume %s/a/checkpoint_0001.pbf --out %s/b --frames 4", folder, folder);
    assert_says(run(2, "%s --overwrite", wrong), WORDS);
    assert_true(exists("b", "particles_0002.ply") && exists("b", "checkpoint_0003.pbf"));
    run(0, "run --resume %s/b --frames 5", folder);
}

// Frame 4 of 20 a second is at 0.2 s, frame 41 of 200 the first one after it, frame 2 of 12 is before it.
static void a_run_that_goes_on_at_another_rate_counts_frames_by_it(void **state)
{
    (void)state;
    run(0, "%s --out %s/a --frames 5 --checkpoint-every 4", bare, folder);
    const char *said = run(0, "run --resume %s/a --out %s/fine --fps 200 --frames 43", folder, folder);
    assert_says(said, "at 200 frames a second, the first one after 0.2000 s is frame 41\n");
    assert_says(said, "\nframes 41 to 42 in ");
    assert_false(exists("fine", "particles_0040.ply"));
    assert_true(exists("fine", "particles_0041.ply"));
    char command[300];
    snprintf(command, sizeof command, "cmp -s %s/fine/particles_0041.ply %s/fine/particles_0042.ply", folder,
             folder);
    assert_int_not_equal(system(command), 0);
    said = run(0, "run --resume %s/a --out %s/coarse --fps 12 --frames 4", folder, folder);
    assert_says(said, "\nframes 3 to 3 in ");
    // Those before in the folder are of the old rate.
    assert_says(run(2, "run --resume %s/a --fps 200 --frames 43 --overwrite", folder),
                "/a: its frames are not those of 200 a second (another --out goes on with these)");
}

static void damaged_checkpoints_are_passed_over(void **state)
{
    (void)state;
    run(0, "%s --out %s/a --checkpoint-every 2 --keep-checkpoints 9", bare, folder);
    FILE *file = fopen(test_path(folder, "a/checkpoint_0008.pbf"), "r+b");
    fseek(file, 300, SEEK_SET);
    fputc('!', file);
    fclose(file);
    assert_int_equal(truncate(test_path(folder, "a/checkpoint_0006.pbf"), 500), 0);
    const char *said = run(0, "run --resume %s/a --out %s/b", folder, folder);
    assert_says(said, "checkpoint_0008.pbf: is not a complete checkpoint: its checksum is wrong");
    assert_says(said, "going on from ");
    assert_says(said, "checkpoint_0004.pbf");
    assert_same_particles("a", "b", 5, 9);
    assert_says(run(2, "run --resume %s/a/checkpoint_0008.pbf", folder), "its checksum is wrong");
    assert_says(run(2, "run --resume %s", folder), "holds no checkpoint");
}

static void only_the_last_checkpoints_are_kept(void **state)
{
    (void)state;
    run(0, "%s --out %s/a --checkpoint-every 1 --keep-checkpoints 3", bare, folder);
    for (int k = 0; k < 9; k++) {
        char name[40];
        snprintf(name, sizeof name, "checkpoint_%04d.pbf", k);
        assert_int_equal(exists("a", name), k >= 6);
    }
}

// --- changes ---

static void what_the_command_line_changes_is_told(void **state)
{
    (void)state;
    run(0, "%s --out %s/a --frames 3 --checkpoint-every 2", bare, folder);
    const char *said =
        run(0, "run --resume %s/a --out %s/b --frames 4 --set solver.iterations=6 --set spacing=2e-1", folder,
            folder);
    assert_says(said, "changed: solver.iterations: not given in the checkpoint, 6 now\n");
    assert_says(said, "changed: --frames: 3 in the checkpoint, 4 now\n");
    assert_null(strstr(said, "spacing"));
    // Frames with another solver do not belong to those that are there.
    assert_says(run(2, "run --resume %s/a --frames 4 --set solver.iterations=6", folder),
                "/a: holds frames of another run: solver.iterations is not given there, 6 here (--overwrite "
                "replaces them)");
    assert_says(run(2, "run --resume %s/a --out %s/c --frames 4 --spacing 0.3", folder, folder),
                "checkpoint_0002.pbf: spacing: the particles are 0.2");
}

static void a_folder_with_another_run_is_refused_by_name(void **state)
{
    (void)state;
    run(0, "%s --out %s/a --frames 3", call, folder);
    assert_says(run(2, "%s --out %s/a --camera top", call, folder),
                "/a: holds frames of another run: --camera is not given there, top here");
    assert_says(run(2, "%s --out %s/a --set water.0.box.max.2=1.4", call, folder),
                "water.0.box.max.2 is 1.6 there, 1.4 here");
    assert_says(
        run(2, "render scenes/dam_break.yaml --spacing 0.5 --size 64x36 --frames 2 --out %s/a", folder),
        "holds frames of another run: ");
    // Other threads, another search and more frames make the same run.
    run(0, "%s --out %s/a --threads 2 --neighbor kd_tree --frames 4", call, folder);
    assert_says(run(2, "%s --out %s/a --neighbor cluster_grid", call, folder), "--neighbor is ");
    // Replaced is replaced: no frame of the first run is left.
    run(0, "%s --out %s/a --camera top --frames 2 --overwrite", call, folder);
    assert_true(exists("a", "frame_0001.png") && exists("a", "particles_0001.vtk"));
    assert_false(exists("a", "frame_0002.png") || exists("a", "particles_0002.ply"));
}

// Starts a run into FOLDER/a that would take long, and halts it once it has its first frame: what it holds it
// goes on holding, without taking the processor from the others.
static pid_t start_and_halt(const char *arguments)
{
    pid_t child = child_start(arguments);
    assert_true(child_wait_for_file(test_path(folder, "a/particles_0000.ply"), 60));
    kill(child, SIGSTOP);
    return child;
}

static void two_runs_do_not_write_into_one_folder(void **state)
{
    (void)state;
    char arguments[700];
    run(0, "%s --frames 2 --checkpoint-every 1 --out %s/b", bare, folder);
    snprintf(arguments, sizeof arguments, "%s --frames 5000 --out %s/a", bare, folder);
    pid_t child = start_and_halt(arguments); // what it says is lost to those that follow
    assert_says(run(1, "%s", arguments), "/a: another run writes into it (wait for it, or another folder)");
    assert_says(run(1, "%s --camera top --overwrite --out %s/a", call, folder), "another run writes into it");
    assert_says(run(1, "frames %s/b --overwrite --out %s/a", folder, folder), "another run writes into it");
    kill(child, SIGKILL);
    ChildRun ended = child_finish(child);
    assert_int_equal(ended.status, 128 + SIGKILL);
    child_free(&ended);
    run(0, "%s --frames 2 --out %s/a --overwrite", bare, folder); // nothing holds it any more
}

static void two_runs_do_not_make_one_film(void **state)
{
    (void)state;
    char arguments[700];
    snprintf(arguments, sizeof arguments, "%s --frames 5000 --out %s/a --video %s/film.mp4", call, folder,
             folder);
    pid_t child = start_and_halt(arguments);
    assert_says(run(1, "%s --frames 2 --out %s/b --video %s/film.mp4", call, folder, folder),
                "/film.mp4: another run makes this film (wait for it, or another name)");
    run(0, "%s --frames 2 --out %s/b --video %s/other.mp4", call, folder, folder);
    kill(child, SIGKILL);
    ChildRun ended = child_finish(child);
    assert_int_equal(ended.status, 128 + SIGKILL);
    child_free(&ended);
    run(0, "%s --frames 2 --out %s/b --video %s/film.mp4", call, folder, folder);
    assert_true(exists(".", "film.mp4"));
}

static void frames_of_nobody_are_not_replaced(void **state)
{
    (void)state;
    run(0, "%s --out %s/a --frames 2", call, folder);
    unlink(test_path(folder, "a/run.yaml"));
    assert_says(run(2, "%s --out %s/a --frames 2", call, folder), "holds frames of an unknown run");
    run(0, "%s --out %s/a --frames 2 --overwrite", call, folder);
}

static void scenes_with_odd_line_ends_and_settings_are_recognized(void **state)
{
    (void)state;
    FILE *file = fopen(test_path(folder, "scene.yaml"), "w");
    fputs("# \\ \"quoted\"\r\n\r\n  \r\ndescription: \"a\\tb: |+\"\n", file);
    fputs(SCENE, file);
    fputs("name: last", file); // no newline
    fclose(file);
    run(0, "%s --out %s/a --frames 2 --set description=\"=\\n\"", bare, folder);
    run(0, "%s --out %s/a --frames 2 --set description=\"=\\n\"", bare, folder);
    assert_says(run(2, "%s --out %s/a --frames 2 --set name=other", bare, folder),
                "name is last there, other here");
}

// --- stored states ---

static void stored_states_give_the_same_pictures_again_and_others_on_request(void **state)
{
    (void)state;
    run(0, "%s --out %s/a --checkpoint-every 2 --keep-checkpoints 9", call, folder);
    run(0, "frames %s/a --out %s/b", folder, folder);
    assert_same_file("a", "b", "frame_0000.png");
    assert_same_file("a", "b", "frame_0004.png");
    assert_same_file("a", "b", "frame_0008.png");
    assert_false(exists("b", "frame_0003.png"));
    run(0,
        "frames %s/a/checkpoint_0004.pbf %s/a/checkpoint_0002.pbf --camera top --size 80x40 --out %s/c "
        "--export ply",
        folder, folder, folder);
    assert_same_file("a", "c", "particles_0002.ply");
    TestPicture picture = test_read_png(test_path(folder, "c/frame_0004.png"));
    assert_int_equal(picture.width, 80);
    free(picture.rgb);
    assert_says(run(2, "frames %s/a/checkpoint_0004.pbf %s/a --out %s/d", folder, folder, folder),
                "shows frame 4");
    assert_says(run(2, "frames %s/scene.yaml --out %s/d", folder, folder), "is not a complete checkpoint");
    assert_says(run(2, "frames %s/a --camera top --out %s/a", folder, folder), "holds frames of another run");
    char again[120]; // a state under the name of another one
    snprintf(again, sizeof again, "%s", test_path(folder, "a/checkpoint_0005.pbf"));
    assert_int_equal(link(test_path(folder, "a/checkpoint_0004.pbf"), again), 0);
    assert_says(run(2, "frames %s/a --out %s/e", folder, folder),
                "checkpoint_0005.pbf: holds frame 4, not 5 as its name says");
}

static void settings_that_no_picture_depends_on_are_refused_for_stored_states(void **state)
{
    (void)state;
    run(0, "%s --out %s/a --frames 2 --checkpoint-every 1", bare, folder);
    assert_says(run(2, "frames %s/a --out %s/b --set fluid.viscosity=0.3", folder, folder),
                "--set fluid.viscosity: has no effect here (surface.*, ");
    assert_says(run(2, "frames %s/a --out %s/b --set obstacles.0.position=[0,0,0]", folder, folder),
                "--set obstacles.0.position: has no effect here");
    assert_says(run(2, "frames %s/a --out %s/b --set surfaces=1", folder, folder),
                "--set surfaces: has no effect here");
    const char *said = run(0,
                           "frames %s/a --out %s/b --set camera.fov=50 --set obstacles.0.color=[1,0,0] --set "
                           "solver.neighbor=octree --set surface.cell=1",
                           folder, folder);
    assert_says(said, "2 frames in ");
}

// A range that is asked for belongs to the field that is asked for with it, and to no other.
static void the_range_of_the_colours_stays_with_its_field(void **state)
{
    (void)state;
    if (test_is_sanitized()) skip(); // the tests before show stored states, too
    static const char HEIGHT[] = "--color-by height", RANGE[] = "--set output.range=[0,9]";
    run(0, "%s --frames 1 --checkpoint-every 1 --out %s/a %s %s", call, folder, HEIGHT, RANGE);
    run(0, "%s --frames 1 --out %s/b --set output.color_by=height %s", call, folder, RANGE);
    run(0, "%s --frames 1 --out %s/follows %s", call, folder, HEIGHT);
    run(0, "frames %s/a --out %s/again", folder, folder);
    run(0, "frames %s/a --out %s/other --color-by density", folder, folder);
    run(0, "%s --frames 1 --out %s/density --color-by density", call, folder);
    assert_same_file("a", "b", "frame_0000.png");
    assert_same_file("a", "again", "frame_0000.png");
    assert_same_file("other", "density", "frame_0000.png");
    assert_false(same_file("a", "follows", "frame_0000.png"));
}

static void the_mesh_of_a_checkpoint_is_that_of_its_particles(void **state)
{
    (void)state;
    run(0, "%s --out %s/a --frames 3 --checkpoint-every 2", bare, folder);
    run(0, "mesh %s/a/checkpoint_0002.pbf --out %s/a/x.obj", folder, folder);
    run(0, "mesh %s/a/particles_0002.ply --out %s/a/y.obj", folder, folder);
    long size;
    char *x = test_read_file(test_path(folder, "a/x.obj"), &size),
         *y = test_read_file(test_path(folder, "a/y.obj"), NULL);
    assert_true(size > 1000);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

static void a_film_that_goes_on_has_all_frames(void **state)
{
    (void)state;
    if (system("ffmpeg -version >/dev/null 2>&1 && ffprobe -version >/dev/null 2>&1") != 0) skip();
    run(0, "%s --out %s/a --frames 5 --checkpoint-every 4 --video %s/film.mp4", call, folder, folder);
    run(0, "render --resume %s/a --frames 9", folder);
    char command[300];
    snprintf(command, sizeof command,
             "test 9 = $(ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 "
             "%s/film.mp4)",
             folder);
    assert_int_equal(system(command), 0);
    // What a killed run left of its film goes, also where nothing is left to do.
    char left[300];
    snprintf(left, sizeof left, "%s/film.mp4.2147483646-0.tmp", folder);
    fclose(fopen(left, "w"));
    assert_says(
        run(0, "%s --out %s/a --frames 9 --checkpoint-every 4 --video %s/film.mp4", call, folder, folder),
        "all 9 frames are in ");
    assert_int_equal(access(left, F_OK), -1);
    // Elsewhere the frames before are not there to film.
    const char *said =
        run(0, "render --resume %s/a/checkpoint_0004.pbf --frames 6 --out %s/b", folder, folder);
    assert_says(said, "no film: ");
    assert_int_equal(system(command), 0);
}

// Writes the checkpoint once more as if made with other instructions; NULL: as it was before they were
// recorded.
static void change_instructions(const char *path, const char *instructions)
{
    StateBlocks blocks, rest = {0};
    Result result = block_file_read(path, &blocks);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    for (uint32_t k = 0; k < blocks.count; k++) {
        const StateBlock *block = &blocks.block[k];
        if (strcmp(block->name, "instructions") != 0)
            blocks_add(&rest, block->name, block->type, block->count, block->data);
    }
    assert_int_equal(rest.count + 1, blocks.count);
    if (instructions) blocks_add(&rest, "instructions", BLOCK_BYTES, strlen(instructions), instructions);
    result = block_file_write(path, &rest);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    blocks_free(&blocks);
}

// Clusters add in an order that depends on the width of vectors, lists do not.
static void a_run_goes_on_with_its_instruction_set_where_that_changes_results(void **state)
{
    (void)state;
    static const char other[] = "made with plain instructions, goes on with avx2",
                      same[] = "with plain instructions, as before";
    if (cpu_level() < CPU_AVX2) skip();
    for (int clustered = test_is_sanitized(); clustered < 2; clustered++) {
        const char *method = clustered ? "cluster_grid" : "uniform_grid", *sub = clustered ? "a" : "b";
        const char *more[] = {"", " --neighbor cluster_grid", " --neighbor uniform_grid"};
        const bool told[] = {clustered, true, false};
        child_setup = (ChildSetup){.variable = "PBF_SIMD", .setting = "plain"};
        run(0,
            "run %s/scene.yaml --threads 1 --export ply --out %s/%s --frames 3 --checkpoint-every 2 "
            "--neighbor %s",
            folder, folder, sub, method);
        const char *said =
            run(0, "run --resume %s/%s --out %s/plain --frames 4 --overwrite", folder, sub, folder);
        assert_null(strstr(said, "instructions"));
        child_setup = (ChildSetup){0};
        for (int k = 0; k < 3; k++) {
            said = run(0, "run --resume %s/%s --out %s/c --frames 4 --overwrite%s", folder, sub, folder,
                       more[k]);
            if (!strstr(said, same) == told[k]) fail_msg("%s,%s: %s", method, more[k], said);
            if (k == 0) assert_same_file("plain", "c", "particles_0003.ply");
        }
        child_setup = (ChildSetup){.variable = "PBF_SIMD", .setting = "avx2"};
        said = run(0, "run --resume %s/%s --out %s/d --frames 4 --overwrite", folder, sub, folder);
        if (!strstr(said, other) == (bool)clustered) fail_msg("%s: %s", method, said);
        child_setup = (ChildSetup){0};
        assert_null(
            strstr(run(0, "frames %s/%s --out %s/d --overwrite", folder, sub, folder), "instructions"));
        // Made again from the start on.
        unlink(test_path(folder, clustered ? "a/particles_0001.ply" : "b/particles_0001.ply"));
        unlink(test_path(folder, clustered ? "a/checkpoint_0000.pbf" : "b/checkpoint_0000.pbf"));
        said = run(0, "run --resume %s/%s", folder, sub);
        assert_says(said, "from the start");
        if (!strstr(said, same) == (bool)clustered) fail_msg("%s: %s", method, said);
    }
    char *record = test_read_file(test_path(folder, "a/run.yaml"), NULL);
    assert_non_null(strstr(record, "\ninstructions: \"plain\"\n"));
    free(record);
    record = test_read_file(test_path(folder, "c/run.yaml"),
                            NULL); // of uniform_grid, whose bits do not depend on it
    assert_null(strstr(record, "\ninstructions: \"plain\"\n"));
    free(record);
    const char *checkpoint = test_path(folder, "a/checkpoint_0002.pbf");
    change_instructions(checkpoint, NULL);
    const char *said = run(0, "run --resume %s --out %s/e --frames 4", checkpoint, folder);
    assert_null(strstr(said, "instructions"));
}

static void instructions_that_the_processor_lacks_are_refused_unless_others_are_asked_for(void **state)
{
    (void)state;
    run(0, "run %s/scene.yaml --threads 1 --export ply --out %s/a --frames 3 --checkpoint-every 2", folder,
        folder);
    char checkpoint[200];
    snprintf(checkpoint, sizeof checkpoint, "%s", test_path(folder, "a/checkpoint_0002.pbf"));
    change_instructions(checkpoint, "avx9000");
    const char *said = run(2, "run --resume %s/a --frames 4", folder);
    assert_says(said, "made with avx9000 instructions, which this processor lacks");
    assert_says(run(0, "run --resume %s/a --frames 3", folder), "all 3 frames are in");
    child_setup = (ChildSetup){.variable = "PBF_SIMD", .setting = "plain"};
    assert_says(run(0, "run --resume %s/a --frames 4", folder), "goes on with plain");
}

// A state of a billion seconds, which bench once counted frame by frame.
static void late_states_go_on_at_once(void **state)
{
    (void)state;
    run(0, "%s --out %s/a --frames 3 --checkpoint-every 2", bare, folder);
    const char *path = test_path(folder, "a/checkpoint_0002.pbf");
    for (double time = 1e9; time > (test_is_sanitized() ? 2e8 : 1e5); time /= 10) {
        StateBlocks blocks, late = {0};
        Result result = block_file_read(path, &blocks);
        if (!result_is_ok(&result)) fail_msg("%s", result.text);
        for (uint32_t k = 0; k < blocks.count; k++) {
            const StateBlock *block = &blocks.block[k];
            bool timed = strcmp(block->name, "time") == 0;
            blocks_add(&late, block->name, block->type, block->count, timed ? &time : block->data);
        }
        result = block_file_write(path, &late);
        if (!result_is_ok(&result)) fail_msg("%s", result.text);
        blocks_free(&blocks);
        ChildRun child = child_run("bench --resume %s --steps 2 --warmup 0 --quiet", path);
        if (child.status != 0 || child.cpu_seconds > TEST_HANG_SECONDS)
            fail_msg("%g s: status %d after %g s: %s", time, child.status, child.cpu_seconds, child.err);
        child_free(&child);
    }
}

// --- what is gone, or broken, is made again ---

static void damage(const char *sub, const char *name, int how)
{
    char path[200];
    snprintf(path, sizeof path, "%.80s/%.100s", sub, name);
    long size = 0;
    char *bytes = test_read_file(test_path(folder, path), &size);
    if (!bytes) fail_msg("%s is missing", path);
    unlink(test_path(folder, path)); // never through a second name
    if (how > 0) {
        FILE *file = fopen(test_path(folder, path), "wb");
        fwrite(bytes, 1, how == 1 ? 0 : how == 2 ? (size_t)size * 3 / 4 : (size_t)size, file);
        if (how == 3) fseek(file, size / 2, SEEK_SET), fwrite("damaged", 1, 7, file);
        fclose(file);
    }
    free(bytes);
}

static void assert_same_run(const char *sub)
{
    static const char *const stems[] = {"frame_%04d.png",     "particles_%04d.ply", "particles_%04d.vtk",
                                        "particles_%04d.vtp", "mesh_%04d.obj",      "mesh_%04d.ply",
                                        "mesh_%04d.usda"};
    assert_same_frames("whole", sub, 0, 9);
    for (size_t k = 0; k < sizeof stems / sizeof *stems; k++) {
        for (int frame = 0; frame < 9; frame++) {
            char name[40];
            snprintf(name, sizeof name, stems[k], frame);
            assert_same_file("whole", sub, name);
        }
    }
    assert_same_file("whole", sub, "particles.vtk.series");
    assert_same_file("whole", sub, "particles.pvd");
}

static void what_is_missing_or_damaged_is_made_again(void **state)
{
    (void)state;
    // 0: removed, 1: empty, 2: cut. From: the newest state that the frame can be made from.
    static const struct {
        const char *name;
        int how;
        const char *from;
    } cases[] = {
        {"frame_0001.png", 0, "from 0 on are made again, from the start"},
        {"frame_0002.png", 1, "from 0 on are made again, from the start"},
        {"frame_0007.png", 2, "from 7 on are made again, from "},
        {"particles_0003.ply", 2, "from 0 on are made again, from the start"},
        {"particles_0006.vtk", 1, "from 6 on are made again, from "},
        {"particles_0007.vtp", 2, "from 7 on are made again, from "},
        {"mesh_0008.obj", 0, "from 8 on are made again, from "},
        {"mesh_0007.ply", 2, "from 7 on are made again, from "},
        {"mesh_0007.usda", 1, "from 7 on are made again, from "},
    };
    run(0, "%s --export vtp,mesh_obj,mesh_ply,mesh_usda --out %s/whole --checkpoint-every 2", call, folder);
    shell_or_fail("cp -a %s/whole %s/part", folder, folder);
    size_t count = sizeof cases / sizeof *cases;
    for (size_t k = 0; k < count; k += test_is_quick() ? 5 : 1) {
        damage("part", cases[k].name, cases[k].how);
        const char *said = k % 2 == 0 ? run(0, "render --resume %s/part", folder)
                                      : run(0,
                                            "%s --export vtp,mesh_obj,mesh_ply,mesh_usda --out %s/part "
                                            "--checkpoint-every 2",
                                            call, folder);
        char words[100];
        snprintf(words, sizeof words, "%s is missing or damaged: frames %s", cases[k].name, cases[k].from);
        assert_says(said, words);
        assert_same_run("part");
    }
    damage("part", "particles.vtk.series", 0);
    damage("part", "particles.pvd", 1);
    assert_says(run(0, "render --resume %s/part", folder), "all 9 frames are in ");
    assert_same_run("part");
    assert_true(exists("part", "checkpoint_0008.pbf") && exists("part", "checkpoint_0006.pbf"));
    assert_false(exists("part", "checkpoint_0004.pbf"));
}

static void a_film_of_missing_and_damaged_frames_is_whole(void **state)
{
    (void)state;
    run(0, "%s --out %s/whole --video %s/whole.mp4", call, folder, folder);
    run(0, "%s --out %s/part --checkpoint-every 4 --video %s/part.mp4", call, folder, folder);
    damage("part", "frame_0007.png", 3); // whole at both ends
    damage("part", "frame_0006.png", 0);
    unlink(test_path(folder, "part.mp4"));
    assert_says(run(0, "render --resume %s/part", folder), "frame_0006.png is missing or damaged: frames fr");
    assert_same_frames("whole", "part", 0, 9);
    long size_a = 0, size_b = 0;
    char *a = test_read_file(test_path(folder, "whole.mp4"), &size_a);
    char *b = test_read_file(test_path(folder, "part.mp4"), &size_b);
    assert_true(a && b && size_a == size_b && memcmp(a, b, (size_t)size_a) == 0);
    free(a);
    free(b);
    damage("part", "frame_0007.png", 3);
    assert_says(run(0, "render --resume %s/part", folder), "frame_0007.png is missing or damaged: frames fr");
    assert_same_frames("whole", "part", 0, 9);
}

// Frames before the first one of this folder are in another one, not missing.
static void frames_that_are_elsewhere_are_not_missing(void **state)
{
    (void)state;
    run(0, "%s --out %s/whole --checkpoint-every 4", call, folder);
    run(0, "run --resume %s/whole/checkpoint_0004.pbf --out %s/other --frames 8 --checkpoint-every 1", folder,
        folder);
    const char *said = run(0, "run --resume %s/other --frames 9", folder);
    assert_null(strstr(said, "missing"));
    assert_same_particles("whole", "other", 5, 9);
    assert_false(exists("other", "particles_0004.ply"));
    damage("other", "particles_0007.ply", 0);
    assert_says(run(0, "run --resume %s/other --frames 9", folder), "particles_0007.ply is missing");
    assert_same_particles("whole", "other", 5, 9);
    assert_false(exists("other", "particles_0004.ply"));
    assert_says(run(2, "render --resume %s/whole/checkpoint_0004.pbf --out %s/none --video %s/film.mp4",
                    folder, folder, folder),
                "--video: a film needs the frames from 0 on, which are in ");
    assert_int_equal(access(test_path(folder, "none"), F_OK), -1);
}

// --- killed at random moments ---

static void check_state(const char *path)
{
    StateBlocks blocks;
    Result result = block_file_read(path, &blocks);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    blocks_free(&blocks);
}

// Hash of the state that a folder's checkpoint of a frame holds.
static uint64_t state_hash(const char *sub, const char *name)
{
    Progress progress = progress_begin(true);
    static Checkpoint checkpoint; // large, for the stack
    char path[200];
    SceneDef scene;
    Fluid *fluid = NULL;
    snprintf(path, sizeof path, "%s/%s/%s", folder, sub, name);
    Result result = checkpoint_read(path, &progress, &checkpoint);
    if (result_is_ok(&result)) result = scene_read_source(&checkpoint.source, &scene);
    if (result_is_ok(&result)) result = scene_restore(&scene, &checkpoint.state, &fluid);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    uint64_t hash = fluid_state_hash(fluid);
    fluid_destroy(fluid);
    scene_free(&scene);
    checkpoint_free(&checkpoint);
    return hash;
}

// Every file that bears its final name is whole.
static int check_files(const char *sub)
{
    int count = 0;
    char path[400];
    DIR *entries = opendir(test_path(folder, sub));
    if (!entries) return 0;
    for (struct dirent *entry; (entry = readdir(entries));) {
        const char *name = entry->d_name, *dot = strrchr(name, '.');
        snprintf(path, sizeof path, "%s/%s/%.200s", folder, sub, name);
        if (!dot || dot == name) continue;
        TestPicture picture = {0};
        TestParticles particles = {0};
        if (strcmp(dot, ".png") == 0) {
            picture = test_read_png(path);
            if (!picture.rgb || picture.width != 64) fail_msg("%s is not a whole picture", name);
        } else if (strcmp(dot, ".ply") == 0 || strcmp(dot, ".vtk") == 0) {
            particles = dot[1] == 'p' ? test_read_ply(path) : test_read_vtk(path);
            if (!particles.particle) fail_msg("%s is not whole", name);
        } else if (strcmp(dot, ".pbf") == 0) {
            check_state(path);
        }
        free(picture.rgb);
        free(particles.particle);
        count++;
    }
    closedir(entries);
    return count;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int setting(const char *name, int normal)
{
    const char *text = getenv(name);
    return text ? atoi(text) : test_is_quick() ? 1 : normal;
}

static void runs_killed_at_random_moments_leave_whole_files_and_go_on(void **state)
{
    (void)state;
    int kills = setting("PBF_KILLS", 5), stops = test_is_sanitized() ? 0 : setting("PBF_STOPS", 1),
        resumed = 0, files = 0;
    unsigned seed = (unsigned)setting("PBF_SEED", 1);
    // With the search that is the default, as users have it.
    snprintf(call, sizeof call,
             "render %s/scene.yaml --frames 16 --export ply,vtk --threads 1 "
             "--checkpoint-every 3",
             folder);
    bool film = system("ffmpeg -version >/dev/null 2>&1") == 0;
    double started = now();
    run(0, film ? "%s --out %s/whole --video %s/whole/film.mp4" : "%s --out %s/whole", call, folder, folder);
    double took = now() - started;
    uint64_t hash = state_hash("whole", "checkpoint_0015.pbf");
    assert_true(hash != state_hash("whole", "checkpoint_0012.pbf")); // it sees what moves
    for (int k = 0; k < kills + stops; k++) {
        char arguments[700], sub[20];
        snprintf(sub, sizeof sub, "run%d", k);
        snprintf(arguments, sizeof arguments,
                 film ? "%s --out %s/%s --video %s/%s/film.mp4" : "%s --out %s/%s", call, folder, sub, folder,
                 sub);
        pid_t child = child_start(arguments);
        usleep((useconds_t)(1e6 * took * rand_r(&seed) / RAND_MAX));
        kill(child, k < kills ? SIGKILL : SIGTERM);
        ChildRun ended = child_finish(child);
        if (ended.status != 0 && ended.status != (k < kills ? 137 : 143))
            fail_msg("status %d: %s", ended.status, ended.err);
        child_free(&ended);
        files += check_files(sub);
        // The same call again: from a checkpoint where there is one.
        const char *said = run(0, "%s", arguments);
        resumed += strstr(said, "going on from ") != NULL;
        check_files(sub);
        assert_same_frames("whole", sub, 0, 16); // positions and velocities to the bit
        assert_same_file("whole", sub, "particles.vtk.series");
        if (film) assert_same_file("whole", sub, "film.mp4");
        assert_true(state_hash(sub, "checkpoint_0015.pbf") == hash);
        snprintf(arguments, sizeof arguments, "rm -rf %s/%s", folder, sub);
        assert_int_equal(system(arguments), 0);
    }
    print_message(
        "%d killed, %d stopped, %d went on from a checkpoint, %d files were whole, state_hash %016llx\n",
        kills, stops, resumed, files, (unsigned long long)hash);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, write_scene, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_stopped_run_goes_on_to_the_same_frames),
        TEST(a_stopped_run_goes_on_otherwise_if_asked_to),
        TEST(a_finished_run_is_extended),
        TEST(the_same_call_goes_on_where_a_run_stopped),
        TEST(a_run_goes_on_in_another_folder_too),
        TEST(a_state_that_the_scene_does_not_fit_leaves_the_folder_as_it_is),
        TEST(a_run_that_goes_on_at_another_rate_counts_frames_by_it),
        TEST(damaged_checkpoints_are_passed_over),
        TEST(only_the_last_checkpoints_are_kept),
        TEST(what_the_command_line_changes_is_told),
        TEST(a_folder_with_another_run_is_refused_by_name),
        TEST(two_runs_do_not_write_into_one_folder),
        TEST(two_runs_do_not_make_one_film),
        TEST(frames_of_nobody_are_not_replaced),
        TEST(scenes_with_odd_line_ends_and_settings_are_recognized),
        TEST(stored_states_give_the_same_pictures_again_and_others_on_request),
        TEST(settings_that_no_picture_depends_on_are_refused_for_stored_states),
        TEST(the_range_of_the_colours_stays_with_its_field),
        TEST(the_mesh_of_a_checkpoint_is_that_of_its_particles),
        TEST(a_film_that_goes_on_has_all_frames),
        TEST(a_run_goes_on_with_its_instruction_set_where_that_changes_results),
        TEST(instructions_that_the_processor_lacks_are_refused_unless_others_are_asked_for),
        TEST(late_states_go_on_at_once),
        TEST(what_is_missing_or_damaged_is_made_again),
        TEST(a_film_of_missing_and_damaged_frames_is_whole),
        TEST(frames_that_are_elsewhere_are_not_missing),
        TEST(runs_killed_at_random_moments_leave_whole_files_and_go_on),
    };
    return cmocka_run_group_tests_name("pbf render --resume", tests, NULL, NULL);
}
