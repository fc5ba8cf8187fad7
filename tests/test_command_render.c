// `pbf render` from the outside: whole files when all goes well, and when it does not.
#include "case_helpers.h"
#include "command_helpers.h"
#include "export_helpers.h"
#include "mesh_file_helpers.h"
#include "surface_helpers.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

// 1,000 particles in small pictures.
#define SMALL "render scenes/dam_break.yaml --spacing 0.5 --size 160x90 --fps 10"
#define PARTICLES 1000

static const char *numbered(const char *sub, const char *pattern, int number)
{
    char name[120];
    int used = snprintf(name, sizeof name, "%.60s/", sub);
    snprintf(name + used, sizeof name - (size_t)used, pattern, number);
    return test_path(folder, name);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

// The picture has this size and is not one flat colour.
static TestPicture assert_picture(const char *path, uint32_t width, uint32_t height)
{
    TestPicture picture = test_read_png(path);
    if (!picture.rgb) fail_msg("%s is not a valid picture", path);
    assert_int_equal(picture.width, width);
    assert_int_equal(picture.height, height);
    int different = 0;
    for (size_t k = 1; k < (size_t)width * height; k++)
        different += memcmp(picture.rgb, picture.rgb + 3 * k, 3) != 0;
    assert_true(different > (int)(width * height / 50));
    return picture;
}

static int count_pictures(const char *sub)
{
    int count = 0;
    while (exists(numbered(sub, "frame_%04d.png", count))) {
        free(assert_picture(numbered(sub, "frame_%04d.png", count), 160, 90).rgb);
        count++;
    }
    return count;
}

// --- when all goes well ---

static void frames_are_pictures_that_change(void **state)
{
    (void)state;
    child_assert_done(child_run(SMALL " --frames 3 --out %s/a/b", folder));
    assert_int_equal(count_pictures("a/b"), 3);
    assert_int_equal(test_folder_entries(test_path(folder, "a/b")), 3 + 1); // and what they were made of
    TestPicture first = assert_picture(numbered("a/b", "frame_%04d.png", 0), 160, 90);
    TestPicture last = assert_picture(numbered("a/b", "frame_%04d.png", 2), 160, 90);
    assert_memory_not_equal(first.rgb, last.rgb, 160 * 90 * 3);
    free(first.rgb);
    free(last.rgb);
}

static void the_same_call_gives_the_same_files_for_any_threads(void **state)
{
    (void)state;
    child_assert_done(child_run(SMALL " --frames 3 --out %s/a --export ply --threads 1", folder));
    child_assert_done(child_run(SMALL " --frames 3 --out %s/b --export ply --threads 3", folder));
    for (int frame = 0; frame < 3; frame++) {
        for (int kind = 0; kind < 2; kind++) {
            const char *pattern = kind == 0 ? "frame_%04d.png" : "particles_%04d.ply";
            long sizes[2];
            char *a = test_read_file(numbered("a", pattern, frame), &sizes[0]);
            char *b = test_read_file(numbered("b", pattern, frame), &sizes[1]);
            assert_int_equal(sizes[0], sizes[1]);
            assert_memory_equal(a, b, (size_t)sizes[0]);
            free(a);
            free(b);
        }
    }
}

static void a_second_run_replaces_the_frames_of_the_first(void **state)
{
    (void)state;
    child_assert_done(child_run(SMALL " --frames 2 --out %s/a --camera top", folder));
    child_assert_done(child_run(SMALL " --frames 2 --out %s/a/ --size 64x48 --overwrite", folder));
    free(assert_picture(numbered("a", "frame_%04d.png", 1), 64, 48).rgb);
    assert_int_equal(test_folder_entries(test_path(folder, "a")), 2 + 1);
}

static void exports_agree_and_start_on_the_lattice(void **state)
{
    (void)state;
    child_assert_done(
        child_run(SMALL " --frames 2 --no-pictures --out %s/a --export ply,vtk --export vtp", folder));
    assert_int_equal(test_folder_entries(test_path(folder, "a")), 6 + 2 + 1);
    for (int frame = 0; frame < 2; frame++) {
        TestParticles ply = test_read_ply(numbered("a", "particles_%04d.ply", frame));
        TestParticles vtk = test_read_vtk(numbered("a", "particles_%04d.vtk", frame));
        TestParticles vtp = test_read_vtp(numbered("a", "particles_%04d.vtp", frame));
        assert_true(ply.particle && vtk.particle && vtp.particle);
        assert_int_equal(ply.count, PARTICLES);
        assert_int_equal(vtk.count, PARTICLES);
        assert_int_equal(vtp.count, PARTICLES);
        assert_memory_equal(ply.particle, vtk.particle, PARTICLES * sizeof *ply.particle);
        assert_memory_equal(ply.particle, vtp.particle, PARTICLES * sizeof *ply.particle);
        bool seen[PARTICLES] = {false};
        int turning = 0;
        for (uint32_t k = 0; k < ply.count; k++) {
            assert_true(ply.particle[k].id < PARTICLES && !seen[ply.particle[k].id]);
            seen[ply.particle[k].id] = true;
            // Water at rest at the start; a frame later it has fallen or been pushed.
            float speed = 0;
            for (int axis = 0; axis < 3; axis++)
                speed += ply.particle[k].velocity[axis] * ply.particle[k].velocity[axis];
            if (frame == 0) assert_true(speed == 0);
            assert_true(ply.particle[k].density > 100 && ply.particle[k].density < 1500);
            // Made at the start; at rest nothing turns, and later something does.
            assert_true(fabsf(ply.particle[k].age - 0.1f * (float)frame) < 1e-6f);
            assert_true(frame == 0 ? ply.particle[k].vorticity == 0 : ply.particle[k].vorticity >= 0);
            if (frame == 1) {
                turning += ply.particle[k].vorticity > 0.01f;
                assert_true(ply.particle[k].neighbors > 5 && ply.particle[k].neighbors < 120);
            }
        }
        if (frame == 1) assert_true(turning > PARTICLES / 10);
        free(ply.particle);
        free(vtk.particle);
        free(vtp.particle);
    }
    char *pvd = test_read_file(test_path(folder, "a/particles.pvd"), NULL);
    assert_non_null(strstr(pvd, "timestep=\"0.1\" part=\"0\" file=\"particles_0001.vtp\""));
    free(pvd);
}

// The same mesh in every format, in scene coordinates, with the velocities of a block that falls.
static void exported_meshes_are_sound_agree_and_carry_velocities(void **state)
{
    (void)state;
    const char *scene = test_path(folder, "ball.yaml");
    FILE *file = fopen(scene, "w");
    assert_non_null(file);
    fputs("spacing: 0.1\ntank: {corner: [5, 6, 7], size: [2, 2, 2]}\n"
          "water:\n- sphere: {center: [6, 7, 8], radius: 0.6}\n  velocity: [1, 0, -2]\n",
          file);
    assert_int_equal(fclose(file), 0);
    child_assert_done(child_run("run %s --frames 2 --fps 50 --set surface.cell=0.4 --out %s/a "
                                "--export mesh_ply,mesh_obj,mesh_vtk,mesh_vtp,mesh_usda",
                                scene, folder));
    assert_int_equal(test_folder_entries(test_path(folder, "a")), 10 + 3 + 1);
    static const char *const suffixes[] = {"ply", "obj", "vtk", "vtp", "usda"};
    for (int frame = 0; frame < 2; frame++) {
        SurfaceMesh first = {0};
        for (int k = 0; k < 5; k++) {
            char name[40];
            snprintf(name, sizeof name, "a/mesh_%04d.%s", frame, suffixes[k]);
            SurfaceMesh mesh = test_read_mesh(test_path(folder, name));
            mesh_assert_sound(&mesh);
            if (k == 0) {
                first = mesh;
                continue;
            }
            assert_int_equal(mesh.vertex_count, first.vertex_count);
            assert_int_equal(mesh.triangle_count, first.triangle_count);
            assert_memory_equal(mesh.vertex, first.vertex, mesh.vertex_count * sizeof(Vec3));
            assert_memory_equal(mesh.triangle, first.triangle, mesh.triangle_count * sizeof *mesh.triangle);
            assert_int_equal(mesh.velocity == NULL, k == 1); // OBJ has no place for them
            if (mesh.velocity)
                assert_memory_equal(mesh.velocity, first.velocity, mesh.vertex_count * sizeof(Vec3));
            test_mesh_free(&mesh);
        }
        Vec3 centre = vec3_make(6 + 0.02f * (float)frame, 7, 8 - 0.042f * (float)frame);
        for (uint32_t v = 0; v < first.vertex_count; v++) {
            assert_true(fabsf(vec3_length(vec3_sub(first.vertex[v], centre)) - 0.6f) < 0.1f);
            Vec3 velocity = vec3_make(1, 0, -2 - 0.1962f * (float)frame);
            assert_true(vec3_length(vec3_sub(first.velocity[v], velocity)) < 0.3f);
        }
        test_mesh_free(&first);
    }
    char *pvd = test_read_file(test_path(folder, "a/mesh.pvd"), NULL);
    assert_non_null(strstr(pvd, "timestep=\"0.02\" part=\"0\" file=\"mesh_0001.vtp\""));
    free(pvd);
    char *stage = test_read_file(test_path(folder, "a/mesh.usda"), NULL);
    assert_non_null(strstr(stage, "timeCodesPerSecond = 50\n"));
    assert_non_null(strstr(stage, "prepend payload = @./mesh_0001.usda@"));
    free(stage);
    char *series = test_read_file(test_path(folder, "a/mesh.vtk.series"), NULL);
    assert_non_null(strstr(series, "{\"name\": \"mesh_0001.vtk\", \"time\": 0.02}"));
    free(series);
}

static void a_film_needs_no_folder(void **state)
{
    (void)state;
    if (system("ffmpeg -version >/dev/null 2>&1") != 0) skip();
    child_assert_done(child_run(SMALL " --frames 3 --video %s/a.mp4 --quiet", folder));
    struct stat status;
    assert_int_equal(stat(test_path(folder, "a.mp4"), &status), 0);
    assert_true(status.st_size > 500);
    assert_int_equal(test_folder_entries(folder), 1);
}

static void quiet_runs_say_nothing_and_others_say_where(void **state)
{
    (void)state;
    ChildRun quiet = child_run(SMALL " --frames 1 --out %s/a --quiet", folder);
    assert_int_equal(quiet.status, 0);
    assert_string_equal(quiet.err, "");
    assert_string_equal(quiet.out, "");
    ChildRun loud = child_run(SMALL " --frames 1 --out %s/a", folder);
    assert_non_null(strstr(loud.err, "1 of 1 frames"));
    assert_non_null(strstr(loud.err, "1 frame in"));
    assert_non_null(
        strstr(loud.err, "too small for it (at least 216x324)\n")); // the legend, as the scene has it
    child_free(&quiet);
    child_free(&loud);
}

static void named_and_placed_cameras_show_different_sides(void **state)
{
    (void)state;
    static const char *const views[] = {"auto", "front",           "side",
                                        "top",  "20,-20,10,5,5,2", "20,-20,10,5,5,2,20"};
    TestPicture pictures[6] = {0};
    int count = test_is_quick() ? 3 : 6;
    for (int k = 0; k < count; k++) {
        child_assert_done(
            child_run(SMALL " --frames 1 --out %s/a --overwrite --camera %s", folder, views[k]));
        pictures[k] = assert_picture(numbered("a", "frame_%04d.png", 0), 160, 90);
        for (int other = 0; other < k; other++)
            assert_memory_not_equal(pictures[k].rgb, pictures[other].rgb, 160 * 90 * 3);
    }
    for (int k = 0; k < count; k++) free(pictures[k].rgb);
}

// How much of a picture is in the colours of slow particles.
static double blue_share(const TestPicture *picture)
{
    uint32_t blue = 0;
    for (int k = 0; k < 160 * 90; k++) blue += picture->rgb[3 * k + 2] > picture->rgb[3 * k] + 40;
    return blue / (160.0 * 90.0);
}

// Without a tank pictures are about all that there is: also about streams that begin later, far from bodies,
// and at any scale.
static void scenes_without_a_tank_are_framed_with_their_streams(void **state)
{
    (void)state;
    const char *scene = test_path(folder, "open.yaml");
    for (int k = 0; k < 2; k++) {
        double scale = k == 0 ? 1.0 : 0.01;
        FILE *file = fopen(scene, "w");
        assert_non_null(file);
        fprintf(file,
                "spacing: %g\nfluid: {gravity: [0, 0, 0], surface_tension: 0}\n"
                "emitters: [{rectangle: {width: %g, height: %g}, position: [0, 0, %g], speed: %g}]\n"
                "obstacles: [{sphere: {radius: %g}, color: [0.5, 0.5, 0.5]}]\n"
                "output: {fps: 5, size: [160, 90], legend: false, range: [0, %g]}\n",
                0.1 * scale, scale, scale, 4 * scale, 4 * scale, 0.5 * scale, 1000 * scale);
        assert_int_equal(fclose(file), 0);
        static const char *const views[] = {"auto", "front", "side"};
        for (int view = 0; view < 3; view++) {
            child_assert_done(child_run("render %s --frames 2 --out %s/a --overwrite --camera %s", scene,
                                        folder, views[view]));
            TestPicture picture = assert_picture(numbered("a", "frame_%04d.png", 1), 160, 90);
            double share = blue_share(&picture);
            if (!(share > 0.002)) fail_msg("scale %g, %s: %.2f %% is water", scale, views[view], 100 * share);
            free(picture.rgb);
            if (test_is_quick()) break;
        }
    }
}

static void every_field_can_colour_the_particles(void **state)
{
    (void)state;
    static const char *const fields[] = {"speed",     "density_error", "density", "neighbors",
                                         "vorticity", "height",        "age",     "id"};
    for (int k = 0; k < 8; k += test_is_quick() ? 7 : 3) {
        child_assert_done(
            child_run(SMALL " --frames 2 --fps 40 --out %s/a --overwrite --color-by %s", folder, fields[k]));
        free(assert_picture(numbered("a", "frame_%04d.png", 1), 160, 90).rgb);
    }
}

// --- when the world says no ---

static void folders_that_cannot_be_written_fail_at_once(void **state)
{
    (void)state;
    // A run of a million frames would not end within the test's time.
    child_assert_failed(child_run(SMALL " --frames 1000000 --out /proc/nowhere"), 1, "/proc/nowhere");
    child_assert_failed(child_run(SMALL " --frames 1000000 --out /dev/null/a"), 2, "/dev/null");
    FILE *file = fopen(test_path(folder, "file"), "w");
    fclose(file);
    child_assert_failed(child_run(SMALL " --frames 1000000 --out %s/file", folder), 2,
                        "is a file, not a folder");
    shell_or_fail("ln -s nowhere %s/link", folder);
    child_assert_failed(child_run(SMALL " --frames 1 --out %s/link/out", folder), 2,
                        "link: is a link to nothing, not a folder");
    unlink(test_path(folder, "link"));
    child_assert_failed(child_run(SMALL " --frames 1000000 --video %s/no/a.mp4", folder), 2,
                        "no/a.mp4: cannot write: its folder is missing");
    assert_int_equal(test_folder_entries(folder), 1);
}

static void a_disk_that_fills_up_leaves_whole_files_only(void **state)
{
    (void)state;
    child_setup.file_bytes_max = 40000; // pictures fit, 1,000 particles do not
    child_assert_failed(child_run(SMALL " --frames 3 --out %s/a --export ply", folder), 1,
                        "particles_0000.ply: cannot write: File too large (0 of 3 frames are complete)");
    free(assert_picture(numbered("a", "frame_%04d.png", 0), 160, 90).rgb);
    assert_int_equal(test_folder_entries(test_path(folder, "a")), 1 + 1);
}

static void a_missing_opengl_is_named_before_the_simulation(void **state)
{
    (void)state;
    child_setup.variable = "__EGL_VENDOR_LIBRARY_FILENAMES";
    child_setup.setting = "/nonexistent.json";
    ChildRun run = child_run(SMALL " --frames 1000000 --out %s/a", folder);
    if (run.status == 0) skip(); // another EGL than that of glvnd
    child_assert_failed(run, 1, "EGL");
    assert_false(exists(numbered("a", "frame_%04d.png", 0)));
}

static void a_missing_ffmpeg_is_named_before_the_simulation(void **state)
{
    (void)state;
    child_setup.variable = "PATH";
    child_setup.setting = "/nonexistent";
    child_assert_failed(child_run(SMALL " --frames 1000000 --video %s/a.mp4", folder), 1,
                        "ffmpeg was not found");
    assert_int_equal(test_folder_entries(folder), 0);
}

static void more_particles_than_memory_holds_are_refused_with_their_need(void **state)
{
    (void)state;
    ChildRun run = child_run("render scenes/dam_break.yaml --spacing 0.0005 --out %s/a --frames 1", folder);
    assert_true(run.status == 1 || run.status == 2);
    assert_non_null(strstr(run.err, "pbf: "));
    child_free(&run);
}

static void stop_a_run(int signal_number, int status)
{
    char arguments[400];
    bool film = system("ffmpeg -version >/dev/null 2>&1") == 0;
    snprintf(arguments, sizeof arguments, SMALL " --frames 100000 --out %s/a --export vtp%s%s%s", folder,
             film ? " --video " : "", film ? folder : "", film ? "/a.mp4" : "");
    pid_t child = child_start(arguments);
    assert_true(child_wait_for_file(numbered("a", "frame_%04d.png", 2), 60));
    kill(child, signal_number);
    ChildRun run = child_finish(child);
    child_assert_failed(run, status, "interrupted by SIG");

    int frames = count_pictures("a");
    assert_true(frames >= 3);
    // Frames, their particles and the list of them, what they were made of, a checkpoint: nothing else.
    assert_int_equal(test_folder_entries(test_path(folder, "a")), 2 * frames + 3);
    char *pvd = test_read_file(test_path(folder, "a/particles.pvd"), NULL);
    int listed = 0;
    for (const char *at = pvd; (at = strstr(at, "<DataSet")); at++) listed++;
    assert_int_equal(listed, frames);
    free(pvd);
    assert_int_equal(test_folder_entries(folder), film ? 2 : 1);
    if (film) assert_true(exists(test_path(folder, "a.mp4")));
}

static void an_interrupted_run_ends_with_whole_files(void **state)
{
    (void)state;
    stop_a_run(SIGINT, 130);
}

static void a_terminated_run_ends_with_whole_files(void **state)
{
    (void)state;
    stop_a_run(SIGTERM, 143);
}

static void a_lost_terminal_and_a_used_up_quota_end_a_run_as_well(void **state)
{
    (void)state;
    static const int numbers[] = {SIGHUP, SIGXCPU, SIGPIPE, SIGUSR1};
    char arguments[400], sub[16];
    for (int k = 0; k < 4; k++) {
        snprintf(sub, sizeof sub, "s%d", k);
        snprintf(arguments, sizeof arguments, SMALL " --no-pictures --export ply --frames 100000 --out %s/%s",
                 folder, sub);
        pid_t child = child_start(arguments);
        assert_true(child_wait_for_file(numbered(sub, "particles_%04d.ply", 1), 60));
        kill(child, numbers[k]);
        child_assert_failed(child_finish(child), 128 + numbers[k], "--resume");
        int frames = 0;
        for (; exists(numbered(sub, "particles_%04d.ply", frames)); frames++) {
            TestParticles particles = test_read_ply(numbered(sub, "particles_%04d.ply", frames));
            assert_int_equal(particles.count, PARTICLES);
            free(particles.particle);
        }
        // Frames, what they were made of, a checkpoint.
        assert_int_equal(test_folder_entries(test_path(folder, sub)), frames + 2);
    }
}

// Whoever read our output went away: what is then still said must not end the run before its state is kept.
static void a_run_whose_output_nobody_reads_can_go_on_later(void **state)
{
    (void)state;
    char command[500];
    snprintf(command, sizeof command,
             "(${PBF_BINARY:-build/release/pbf} " SMALL
             " --no-pictures --export ply --frames 100000 --out %s/a; "
             "echo $? >%s/status) 2>&1 | true",
             folder, folder);
    assert_int_equal(system(command), 0);
    assert_true(child_wait_for_file(test_path(folder, "status"), 60));
    ChildRun run = child_run("render --resume %s/a --dry-run", folder);
    if (run.status != 0 || !strstr(run.err, "going on from "))
        fail_msg("%d: %s%s", run.status, run.out, run.err);
    child_free(&run);
}

// A process is gone with its last thread, which gives its memory back: one of the lowest priority, as Mesa's
// keeper of shaders would be, takes a minute for that on a busy machine.
static void no_thread_waits_for_a_quiet_machine_to_end(void **state)
{
    (void)state;
    char arguments[300], path[300];
    snprintf(arguments, sizeof arguments, SMALL " --frames 100000 --out %s/a", folder);
    pid_t child = child_start(arguments);
    assert_true(child_wait_for_file(numbered("a", "frame_%04d.png", 1), 60));
    snprintf(path, sizeof path, "/proc/%d/task", (int)child);
    DIR *threads = opendir(path);
    assert_non_null(threads);
    int count = 0, slow = 0, own = getpriority(PRIO_PROCESS, 0);
    for (struct dirent *entry; (entry = readdir(threads));) {
        if (entry->d_name[0] == '.') continue;
        count++, slow += getpriority(PRIO_PROCESS, (id_t)atoi(entry->d_name)) > own;
    }
    closedir(threads);
    kill(child, SIGTERM);
    child_assert_failed(child_finish(child), 143, "interrupted by SIG");
    assert_true(count > 0);
    assert_int_equal(slow, 0);
}

// Nothing asks between steps while a scene is built: one signal is enough, and what was begun is removed.
static void what_is_no_loop_ends_at_the_first_signal(void **state)
{
    (void)state;
    char arguments[400];
    snprintf(arguments, sizeof arguments,
             "bench scenes/dam_break.yaml --spacing 0.03 --steps 1 --plot %s/b.png", folder);
    pid_t child = child_start(arguments);
    usleep(300000);
    kill(child, SIGTERM);
    ChildRun run = child_finish(child);
    assert_int_equal(run.status, 143);
    child_free(&run);
    assert_int_equal(test_folder_entries(folder), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(frames_are_pictures_that_change),
        TEST(the_same_call_gives_the_same_files_for_any_threads),
        TEST(a_second_run_replaces_the_frames_of_the_first),
        TEST(exports_agree_and_start_on_the_lattice),
        TEST(exported_meshes_are_sound_agree_and_carry_velocities),
        TEST(a_film_needs_no_folder),
        TEST(quiet_runs_say_nothing_and_others_say_where),
        TEST(named_and_placed_cameras_show_different_sides),
        TEST(scenes_without_a_tank_are_framed_with_their_streams),
        TEST(every_field_can_colour_the_particles),
        TEST(folders_that_cannot_be_written_fail_at_once),
        TEST(a_disk_that_fills_up_leaves_whole_files_only),
        TEST(a_missing_opengl_is_named_before_the_simulation),
        TEST(a_missing_ffmpeg_is_named_before_the_simulation),
        TEST(more_particles_than_memory_holds_are_refused_with_their_need),
        TEST(an_interrupted_run_ends_with_whole_files),
        TEST(a_terminated_run_ends_with_whole_files),
        TEST(a_lost_terminal_and_a_used_up_quota_end_a_run_as_well),
        TEST(a_run_whose_output_nobody_reads_can_go_on_later),
        TEST(no_thread_waits_for_a_quiet_machine_to_end),
        TEST(what_is_no_loop_ends_at_the_first_signal),
    };
    return cmocka_run_group_tests_name("render command", tests, NULL, NULL);
}
