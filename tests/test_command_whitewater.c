// Whitewater from the command line: the same files for any threads and for a run that was stopped, pictures
// that show it, `pbf foam`, and calls that ask for what is not there.
#include "case_helpers.h"
#include "command_helpers.h"
#include "export_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Two blocks that collide.
static const char SCENE[] = "spacing: 0.25\n"
                            "tank: {size: [4, 1.6, 3]}\n"
                            "water: [{box: {min: [0, 0, 0], max: [1.2, 1.6, 1.6]}, velocity: [4, 0, 0]},\n"
                            "  {box: {min: [2.8, 0, 0], max: [4, 1.6, 1.6]}, velocity: [-4, 0, 0]}]\n"
                            "whitewater: {speed: 4}\n"
                            "output: {fps: 30, size: [64, 36], legend: false}\n";

static int set_up(void **state)
{
    return make_folder_with_scene(state, SCENE);
}

static void run(const char *command, const char *out, const char *more)
{
    child_assert_done(
        child_run("%s %s/scene.yaml --out %s/%s --quiet %s", command, folder, folder, out, more));
}

static void assert_same(const char *a, const char *b)
{
    test_assert_same_files(test_path(folder, a), test_path(folder, b));
}

static uint32_t vertices_of(const char *name)
{
    uint32_t count = 0;
    char *text = test_folder_file(name, NULL), *line = strstr(text, "element vertex ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "element vertex %u", &count), 1);
    free(text);
    return count;
}

static void files_do_not_depend_on_threads_or_stops(void **state)
{
    (void)state;
    const char *formats = "--export diffuse_ply,diffuse_vtp,ply";
    char more[160];
    snprintf(more, sizeof more, "--frames 13 --threads 1 --checkpoint-every 12 %s", formats);
    run("run", "one", more);
    snprintf(more, sizeof more, "--frames 13 --threads 2 %s", formats);
    run("run", "two", more);
    snprintf(more, sizeof more, "--frames 9 --threads 7 --checkpoint-every 8 %s", formats);
    run("run", "seven", more);
    child_assert_done(child_run("run --resume %s/seven --frames 13 --threads 7 --quiet", folder));
    assert_true(vertices_of("one/diffuse_0012.ply") > 500);
    for (int k = 1; k < 3; k++) {
        const char *other = k == 1 ? "two" : "seven";
        for (int frame = 9; frame < 13; frame += 3) {
            char a[40], b[40];
            snprintf(a, sizeof a, "one/diffuse_%04d.ply", frame);
            snprintf(b, sizeof b, "%s/diffuse_%04d.ply", other, frame);
            assert_same(a, b);
            strcpy(strrchr(a, '.'), ".vtp");
            strcpy(strrchr(b, '.'), ".vtp");
            assert_same(a, b);
        }
    }
}

// What a VTK file holds is what the PLY file does.
static void vtp_has_class_age_life_and_size(void **state)
{
    (void)state;
    static const char *const names[] = {"class", "age", "life", "size", "velocity", "id"};
    char *text = test_folder_file("one/diffuse_0012.vtp", NULL), points[40];
    for (int k = 0; k < 6; k++) {
        char name[24];
        snprintf(name, sizeof name, "Name=\"%s\"", names[k]);
        assert_non_null(strstr(text, name));
    }
    snprintf(points, sizeof points, "NumberOfPoints=\"%u\"", vertices_of("one/diffuse_0012.ply"));
    assert_non_null(strstr(text, points));
    free(text);
    free(test_folder_file("one/diffuse.pvd", NULL));
}

static double brightness(const char *name)
{
    TestPicture picture = test_read_png(test_path(folder, name));
    double sum = 0;
    assert_non_null(picture.rgb);
    for (uint32_t k = 0; k < 3 * picture.width * picture.height; k++) sum += picture.rgb[k];
    free(picture.rgb);
    return sum / (3.0 * picture.width * picture.height);
}

static double drawn(const char *run, const char *style)
{
    char name[60];
    snprintf(name, sizeof name, "%s/%s", run, style);
    child_assert_done(child_run("frames %s/%s/checkpoint_0012.pbf --out %s/%s --style %s --quiet", folder,
                                run, folder, name, style));
    strcat(name, "/frame_0012.png");
    return brightness(name);
}

static void pictures_show_it(void **state)
{
    (void)state;
    run("run", "dry", "--frames 13 --checkpoint-every 12 --set whitewater.enabled=false");
    if (!test_is_sanitized()) assert_true(drawn("one", "surface") > drawn("dry", "surface") + 5);
    assert_true(drawn("one", "screen_space") > drawn("dry", "screen_space") + 5);
}

// After the run there is about as much whitewater as during it.
static void foam_follows_stored_particles(void **state)
{
    (void)state;
    child_assert_done(child_run("foam %s/one/particles_{}.ply --out %s/foam --quiet --spacing 0.25 --set "
                                "tank.size=[4,1.6,3] --set whitewater.speed=4",
                                folder, folder));
    double during = vertices_of("one/diffuse_0012.ply"), after = vertices_of("foam/diffuse_0012.ply");
    assert_true(after > 0.6 * during && after < 1.6 * during);
    assert_int_equal(vertices_of("foam/diffuse_0000.ply"), 0);
    child_assert_done(child_run("foam %s/one --out %s/again --quiet --threads 2 --export diffuse_vtp --set "
                                "tank.size=[4,1.6,3] --set whitewater.speed=4",
                                folder, folder));
    free(test_folder_file("again/diffuse.pvd", NULL));
}

// What foam made itself, and what a run made without whitewater, is no matter.
static void foam_does_not_replace_the_whitewater_of_a_run(void **state)
{
    (void)state;
    const char *call = "--quiet --spacing 0.25 --set whitewater.speed=4";
    run("run", "own", "--frames 2 --export ply,diffuse_ply");
    run("run", "bare", "--frames 2 --export ply --set whitewater.enabled=false");
    long before = vertices_of("own/diffuse_0001.ply");
    child_assert_failed(child_run("foam %s/bare --out %s/own %s", folder, folder, call), 2,
                        "/own: holds diffuse_ply of a run (another --out; --overwrite replaces them)");
    assert_int_equal(vertices_of("own/diffuse_0001.ply"), before);
    child_assert_done(child_run("foam %s/bare --out %s/own %s --export diffuse_vtp", folder, folder, call));
    child_assert_done(child_run("foam %s/bare --out %s/own %s --overwrite", folder, folder, call));
    for (int k = 0; k < 2; k++)
        child_assert_done(child_run("foam %s/bare --out %s/bare %s", folder, folder, call));
}

static void calls_that_ask_for_what_is_not_there(void **state)
{
    (void)state;
    child_assert_failed(child_run("run %s/scene.yaml --out %s/x --export diffuse_ply --set "
                                  "whitewater.enabled=false",
                                  folder, folder),
                        2, "has no whitewater");
    child_assert_failed(child_run("check %s/scene.yaml --set whitewater.size=[0,1]", folder), 2,
                        "whitewater.size.0: 0 is out of range");
    child_assert_failed(child_run("check %s/scene.yaml --set whitewater.energy=[0.5,0.1]", folder), 2,
                        "whitewater.energy: 0.1 after 0.5 (the numbers ascend)");
    child_assert_failed(child_run("check %s/scene.yaml --set whitewater.max=0", folder), 2,
                        "whitewater.max: 0 is out of range");
    child_assert_failed(child_run("foam --out %s/x", folder), 2, "files of particles are missing");
    child_assert_failed(child_run("foam %s/one --out %s/x --export ply", folder, folder), 2,
                        "--export: ply is not written here (diffuse_ply, diffuse_vtp)");
    child_assert_failed(child_run("foam %s/one --out %s/x --set surface.cell=1", folder, folder), 2,
                        "has no effect here");
    FILE *file = fopen(test_path(folder, "still.xyz"), "w");
    fputs("0 0 0\n0.1 0 0\n", file);
    fclose(file);
    child_assert_failed(child_run("foam %s/still.xyz --out %s/x --spacing 0.1", folder, folder), 2,
                        "has no velocities");
    file = fopen(test_path(folder, "fast.csv"), "w");
    fputs("x,y,z,vx,vy,vz\n0,0,0,0,0,0\n0.1,0,0,1e7,0,0\n", file);
    fclose(file);
    child_assert_failed(child_run("foam %s/fast.csv --out %s/x --spacing 0.1", folder, folder), 2,
                        "fast.csv: velocities: number 1 is 1e+07 m/s (below ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_do_not_depend_on_threads_or_stops),
        cmocka_unit_test(vtp_has_class_age_life_and_size),
        cmocka_unit_test(pictures_show_it),
        cmocka_unit_test(foam_follows_stored_particles),
        cmocka_unit_test(foam_does_not_replace_the_whitewater_of_a_run),
        cmocka_unit_test(calls_that_ask_for_what_is_not_there),
    };
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
