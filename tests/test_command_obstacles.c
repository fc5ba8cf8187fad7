// `--export obstacles_...` from the outside: bodies where their scene puts them at each frame, in every
// format, the same however the run came there.
#include "case_helpers.h"
#include "command_helpers.h"
#include "mesh_file_helpers.h"
#include "solid_file_helpers.h"
#include "surface_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PI 3.14159265358979323846
#define SMALL " --size 160x90 --spacing 0.5 "
#define ALL "obstacles_ply,obstacles_obj,obstacles_vtk,obstacles_vtp,obstacles_usda"

static const char *numbered(const char *sub, uint32_t frame, const char *suffix)
{
    char name[80];
    snprintf(name, sizeof name, "%s/obstacles_%04u.%s", sub, frame, suffix);
    return test_path(folder, name);
}

// The file of a frame, closed and of that volume.
static SolidFile read_frame(const char *sub, uint32_t frame, const char *suffix, double volume)
{
    SolidFile file = solid_file_read(numbered(sub, frame, suffix));
    SurfaceMesh mesh = solid_file_mesh(&file, -1);
    MeshVerdict verdict = mesh_judge(&mesh);
    assert_int_equal(verdict.open_edges, 0);
    assert_int_equal(verdict.degenerate, 0);
    assert_true(fabs(verdict.volume / volume - 1) < 1e-5);
    test_mesh_free(&mesh);
    return file;
}

// The wall of wave.yaml: a box of 2 x 4.1 x 6.1 m about (0.7 r sin(2 pi t / 2.2), 2, 3), where r grows from 0
// to 1 in 1.1 s as 3 s^2 - 2 s^3. It is whole, also behind the tank's wall.
static void check_wall(const SolidFile *file, double time)
{
    double s = fmin(time / 1.1, 1), omega = 2 * PI / 2.2;
    double ramp = s * s * (3 - 2 * s), slope = time < 1.1 ? 6 * s * (1 - s) / 1.1 : 0;
    double at = 0.7 * ramp * sin(omega * time);
    double speed = 0.7 * (slope * sin(omega * time) + ramp * omega * cos(omega * time));
    assert_int_equal(file->count, 12);
    for (uint32_t k = 0; k < 36; k++) {
        const SolidCorner *corner = &file->corner[k / 3][k % 3];
        Vec3 p = corner->position;
        assert_true(fabs(fabs(p.x - at) - 1) < 1e-6);
        assert_true(fabs(fabs(p.y - 2.0) - 2.05) < 1e-6 && fabs(fabs(p.z - 3.0) - 3.05) < 1e-6);
        if (file->moving)
            assert_true(vec3_length(vec3_sub(corner->velocity, (Vec3){(float)speed, 0, 0})) < 1e-5f);
    }
}

static void the_wall_of_the_wave_is_where_its_formula_says_in_every_format(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"ply", "obj", "vtk", "vtp", "usda"};
    uint32_t frames = test_is_quick() ? 4 : 9;
    child_assert_done(child_run(
        "render scenes/wave.yaml --size 160x90 --spacing 1 --frames %u --fps 5 --out %s/a --export " ALL,
        frames, folder));
    // Pictures, files, three series, what they were made of.
    assert_int_equal(test_folder_entries(test_path(folder, "a")), (int)frames * 6 + 3 + 1);
    for (uint32_t frame = 0; frame < frames; frame++) {
        for (int k = 0; k < 5; k++) {
            SolidFile file = read_frame("a", frame, suffixes[k], 2 * 4.1 * 6.1);
            check_wall(&file, frame / 5.0);
            if (file.names > 0) assert_string_equal(file.name[0], "piston");
            solid_file_free(&file);
        }
    }
    char *pvd = test_read_file(test_path(folder, "a/obstacles.pvd"), NULL);
    assert_non_null(strstr(pvd, "timestep=\"0.2\" part=\"0\" file=\"obstacles_0001.vtp\""));
    free(pvd);
    char *series = test_read_file(test_path(folder, "a/obstacles.vtk.series"), NULL);
    assert_non_null(strstr(series, "{\"name\": \"obstacles_0001.vtk\", \"time\": 0.2}"));
    free(series);
    char *stage = test_read_file(test_path(folder, "a/obstacles.usda"), NULL);
    assert_non_null(strstr(stage, "defaultPrim = \"obstacles\""));
    assert_non_null(strstr(stage, "timeCodesPerSecond = 5\n"));
    assert_non_null(strstr(stage, "prepend payload = @./obstacles_0001.usda@"));
    free(stage);
}

// mixer.yaml at 1.5 s: both paddles turned by 60 degrees about the axis at (1.5, 1.5), as its keyframe says,
// at the speed of the keyframes around it, 180 degrees in 2 s.
static void the_paddles_of_the_mixer_are_turned_as_their_keyframe_says(void **state)
{
    (void)state;
    child_assert_done(child_run("run scenes/mixer.yaml --spacing 0.3 --frames 4 --fps 2 --out %s/a "
                                "--export obstacles_ply",
                                folder));
    SolidFile file = solid_file_read(numbered("a", 3, "ply"));
    assert_int_equal(file.count, 24);
    double c = cos(PI / 3), s = sin(PI / 3), rate = PI / 2;
    for (uint32_t k = 0; k < 72; k++) {
        const SolidCorner *corner = &file.corner[k / 3][k % 3];
        double x = corner->position.x - 1.5, y = corner->position.y - 1.5, z = corner->position.z - 0.85;
        double along = fabs(c * x + s * y), across = fabs(c * y - s * x);
        bool crossing = file.body[k / 3] == 1;
        assert_true(fabs((crossing ? across : along) - 1.1) < 1e-6);
        assert_true(fabs((crossing ? along : across) - 0.1) < 1e-6 && fabs(fabs(z) - 0.65) < 1e-6);
        assert_true(fabs(corner->velocity.x + rate * y) < 1e-4 && fabs(corner->velocity.y - rate * x) < 1e-4);
    }
    solid_file_free(&file);
}

// Bodies of all kinds in a tank that stands off the origin, and no more water than is needed.
static const char *write_scene(void)
{
    static char path[80];
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("spacing: 0.25\ntank: {corner: [-7, 5, 3], size: [4, 4, 4]}\n"
          "water:\n- box: {min: [-7, 5, 3], max: [-6, 6, 4]}\n"
          "obstacles:\n"
          "- {name: ball, sphere: {radius: 0.5}, position: [-4, 8, 6], color: [1, 0, 0.5]}\n"
          "- name: lid\n  box: {size: [1, 2, 0.5]}\n  position: [-5, 7, 4]\n"
          "  motion: {oscillation: {amplitude: [0.3, 0, 0.1], rotation: [0, 40, 0], period: 0.4}}\n"
          "scatter:\n- {count: 3, min: [-7, 8, 5], max: [-3, 9, 7], radius: [0.1, 0.2], color: [0, 1, 0]}\n"
          "output: {fps: 20, size: [160, 90], duration: 0.35}\n",
          file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void assert_same_file(const char *a, const char *b, uint32_t frame, const char *suffix)
{
    test_assert_same_files(numbered(a, frame, suffix), numbered(b, frame, suffix));
}

static void resumed_runs_and_stored_states_give_the_same_files(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"ply", "obj", "vtk", "vtp", "usda"};
    const char *scene = write_scene();
    child_assert_done(child_run("run %s --out %s/whole --export " ALL, scene, folder));
    child_assert_done(child_run("run %s --out %s/a --export " ALL
                                " --frames 4 --checkpoint-every 3 --keep-checkpoints 9",
                                scene, folder));
    child_assert_done(child_run("run --resume %s/a --frames 8 --out %s/a", folder, folder));
    child_assert_done(child_run("frames %s/a/checkpoint_0003.pbf --out %s/b --export " ALL, folder, folder));
    for (int k = 0; k < 5; k++) {
        for (uint32_t frame = 0; frame < 8; frame++) assert_same_file("whole", "a", frame, suffixes[k]);
        assert_same_file("whole", "b", 3, suffixes[k]);
    }
    assert_int_equal(access(numbered("b", 4, "ply"), F_OK), -1);
    char *pvd = test_read_file(test_path(folder, "b/obstacles.pvd"), NULL);
    assert_non_null(strstr(pvd, "timestep=\"0.15\" part=\"0\" file=\"obstacles_0003.vtp\""));
    free(pvd);
    // Shorter, another format: nothing of the old run stays.
    child_assert_done(
        child_run("render %s --out %s/a --export obstacles_vtp --frames 2 --overwrite", scene, folder));
    assert_int_equal(test_folder_entries(test_path(folder, "a")), 2 + 2 + 1 + 1);
}

static void scattered_balls_and_colours_are_in_the_files(void **state)
{
    (void)state;
    const char *scene = write_scene();
    child_assert_done(
        child_run("run %s --out %s/a --export obstacles_usda,obstacles_ply --frames 1", scene, folder));
    SolidFile file = solid_file_read(numbered("a", 0, "usda"));
    static const char *const names[] = {"ball", "lid", "ball_0", "ball_1", "ball_2"};
    assert_int_equal(file.names, 5);
    for (int k = 0; k < 5; k++) assert_string_equal(file.name[k], names[k]);
    solid_file_free(&file);
    file = solid_file_read(numbered("a", 0, "ply"));
    const uint8_t pink[] = {255, 0, 128}, green[] = {0, 255, 0};
    for (uint32_t t = 0; t < file.count; t++) {
        Vec3 p = file.corner[t][0].position;
        if (file.body[t] == 0) {
            assert_memory_equal(file.color[t], pink, 3);
            assert_true(fabsf(vec3_length(vec3_sub(p, vec3_make(-4, 8, 6))) - 0.5f) < 1e-5f);
        }
        if (file.body[t] < 2) continue;
        assert_memory_equal(file.color[t], green, 3);
        assert_true(p.x > -7 && p.x < -3 && p.y > 8 && p.y < 9 && p.z > 5 && p.z < 7);
    }
    solid_file_free(&file);
}

static ino_t file_number(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_ino;
}

// A file of VTK's says its time where bodies move, also while they rest; 0 frames a second: it says none.
static void assert_time(uint32_t frame, double fps)
{
    char *text = test_read_file(numbered("a", frame, "vtp"), NULL);
    const char *field = text ? strstr(text, "Name=\"TimeValue\"") : NULL;
    assert_true((field != NULL) == (fps > 0));
    if (field) assert_float_equal(strtod(strchr(field, '>') + 1, NULL), frame / fps, 1e-6);
    free(text);
}

// The lid swings or stands as a moving body does after its last keyframe; without it only balls at rest are
// left.
static void files_of_bodies_at_rest_take_their_room_once(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        bool linked, lid;
    } rows[] = {
        {"", false, true},
        {"--set obstacles.1.motion.oscillation.stop=0.02", false, true},
        {"--set obstacles=[{\"sphere\":{\"radius\":0.5},\"position\":[-4,8,6]}]", true, false},
    };
    const char *scene = write_scene();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        child_assert_done(
            child_run("run %s --frames 3 --out %s/a --overwrite --export obstacles_ply,obstacles_vtp "
                      "%s",
                      scene, folder, rows[k].set));
        assert_int_equal(test_folder_entries(test_path(folder, "a")), 3 * 2 + 1 + 1);
        for (uint32_t frame = 1; frame < 3; frame++) {
            ino_t before = file_number(numbered("a", frame - 1, "vtp"));
            assert_true((file_number(numbered("a", frame, "vtp")) == before) == rows[k].linked);
            assert_time(frame, rows[k].linked ? 0 : 20);
            SolidFile file = solid_file_read(numbered("a", frame, "ply"));
            assert_int_equal(file.count, 4 * 9024 + (rows[k].lid ? 12 : 0));
            solid_file_free(&file);
        }
    }
}

static void assert_refused(ChildRun run, const char *words)
{
    assert_int_equal(run.status, 2);
    if (!strstr(run.err, words)) fail_msg("\"%s\" does not say \"%s\"", run.err, words);
    assert_ptr_equal(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
    child_free(&run);
}

static void scenes_without_bodies_have_files_without_triangles(void **state)
{
    (void)state;
    child_assert_done(child_run(
        "render scenes/dam_break.yaml" SMALL "--frames 2 --no-pictures --out %s/a --export " ALL, folder));
    for (uint32_t frame = 0; frame < 2; frame++) {
        SolidFile file = solid_file_read(numbered("a", frame, "ply"));
        assert_int_equal(file.count, 0);
        solid_file_free(&file);
        assert_int_equal(access(numbered("a", frame, "usda"), F_OK), 0);
    }
}

static void unknown_formats_are_refused(void **state)
{
    (void)state;
    assert_refused(child_run("render scenes/wave.yaml" SMALL "--out %s/a --export obstacle_ply", folder),
                   "did you mean obstacles_ply");
    assert_refused(
        child_run("render scenes/wave.yaml" SMALL "--video %s/a.mp4 --export obstacles_ply", folder),
        "--export: needs --out");
}

static void assert_needs(ChildRun run, const char *bytes)
{
    // Where they do not fit, the error says it.
    if (!strstr(run.status == 0 ? run.out : run.err, bytes))
        fail_msg("not %s: %s%s", bytes, run.out, run.err);
    child_free(&run);
}

static void a_dry_run_counts_what_obstacles_take(void **state)
{
    (void)state;
    // 2,000 balls of 728 triangles of 32 bytes at least, in one file, and 100 pictures of 1,440 bytes.
    assert_needs(child_run("render scenes/spheres.yaml" SMALL "--out %s/a --frames 100 --dry-run "
                           "--export obstacles_ply",
                           folder),
                 "46.7 MB");
    // 4 balls of 9,024 triangles and 12 of a lid that moves, in 1,000 files.
    assert_needs(child_run("render %s --out %s/a --frames 1000 --dry-run --export obstacles_ply",
                           write_scene(), folder),
                 "1.2 GB");
}

// Under the names that a run gives its own files.
static void a_scene_and_its_meshes_are_not_replaced(void **state)
{
    (void)state;
    static const char scene[] = "tank: {size: [2, 2, 2]}\nspacing: 0.25\n"
                                "water: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n"
                                "obstacles: [{mesh: {file: link.obj, cell: 0.1}, position: [1.5, 1.5, 1]}]\n";
    static const char *const calls[] = {
        "bench %s --json %s/mesh_0001.obj",
        "compare %s --neighbor octree,kd_tree --out %s",
        "run %s --frames 2 --export mesh_obj --out %s",
        "run %s --frames 2 --overwrite --out %s",
        "bench %s --json %s/run.yaml",
        "run %s --frames 2 --overwrite --out %s",
    };
    const char *record = test_write_file("run.yaml", scene, strlen(scene)),
               *other = test_write_file("other.yaml", scene, strlen(scene));
    shell_or_fail("cp assets/torus.obj %s/mesh_0001.obj; ln -s mesh_0001.obj %s/link.obj", folder, folder);
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        char call[300];
        snprintf(call, sizeof call, calls[k], k < 4 ? other : record, folder);
        child_assert_failed(child_run("%s", call), 2, "is one of the files that are read");
    }
    test_assert_same_files(record, other);
    remove(record);
    // Other files may lie beside it.
    child_assert_done(child_run("run %s --frames 2 --export mesh_ply --out %s", other, folder));
    test_assert_same_files(test_path(folder, "mesh_0001.obj"), "assets/torus.obj");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_wall_of_the_wave_is_where_its_formula_says_in_every_format),
        TEST(the_paddles_of_the_mixer_are_turned_as_their_keyframe_says),
        TEST(resumed_runs_and_stored_states_give_the_same_files),
        TEST(scattered_balls_and_colours_are_in_the_files),
        TEST(files_of_bodies_at_rest_take_their_room_once),
        TEST(scenes_without_bodies_have_files_without_triangles),
        TEST(unknown_formats_are_refused),
        TEST(a_dry_run_counts_what_obstacles_take),
        TEST(a_scene_and_its_meshes_are_not_replaced),
    };
    return cmocka_run_group_tests_name("obstacle files of runs", tests, NULL, NULL);
}
