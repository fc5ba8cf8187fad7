// Files of earlier releases (tests/releases/VERSION, which tests/releases/write makes) are read, and states
// of them gone on from: particles are those that a reader of its own found in them.
#include "case_helpers.h"
#include "command_helpers.h"
#include "export/particle_file.h"

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

#define RELEASES "tests/releases"
#define PARTICLES_MAX 1000

// Calls `check` with the folder of each release.
static void for_releases(void (*check)(const char *release))
{
    int releases = 0;
    DIR *entries = opendir(RELEASES);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        char release[300];
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        snprintf(release, sizeof release, RELEASES "/%s", entry->d_name);
        check(release);
        releases++;
    }
    closedir(entries);
    assert_true(releases > 0);
}

static uint32_t read_truth(const char *release, float rows[PARTICLES_MAX][6])
{
    uint32_t count = 0;
    FILE *file = fopen(test_path(release, "particles.txt"), "r");
    assert_non_null(file);
    for (float *row = rows[0]; count < PARTICLES_MAX; row = rows[++count]) {
        if (fscanf(file, "%f %f %f %f %f %f", &row[0], &row[1], &row[2], &row[3], &row[4], &row[5]) != 6)
            break;
    }
    fclose(file);
    assert_true(count > 50);
    return count;
}

static void check_particles(const char *release)
{
    static float rows[PARTICLES_MAX][6];
    static const char *const names[] = {"particles_0002.ply", "particles_0002.vtk", "particles_0002.vtp",
                                        "particles_0002.bgeo", "checkpoint_0002.pbf"};
    uint32_t count = read_truth(release, rows);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        ParticleFile file;
        Result result = particle_file_read(test_path(release, names[k]), &file);
        if (!result_is_ok(&result)) fail_msg("%s", result.text);
        assert_int_equal(file.count, count);
        assert_float_equal(file.spacing, 0.1, 1e-6);
        for (uint32_t i = 0; i < count; i++) {
            for (int s = 0; s < 6; s++) {
                if (file.stream[s][i] != rows[i][s])
                    fail_msg("%s/%s: particle %u: %g, not %g", release, names[k], i,
                             (double)file.stream[s][i], (double)rows[i][s]);
            }
        }
        particle_file_free(&file);
    }
}

static void particles_of_earlier_releases_are_read_bit_for_bit(void **state)
{
    (void)state;
    for_releases(check_particles);
}

// They may have been made by instructions that this processor lacks: any has the plain ones.
static void check_state(const char *release)
{
    child_setup = (ChildSetup){.variable = "PBF_SIMD", .setting = "plain"};
    child_assert_done(child_run("run --resume %s/checkpoint_0002.pbf --out %s/on --frames 5 --export ply",
                                release, folder));
    child_setup = (ChildSetup){0};
    ParticleFile file;
    Result result = particle_file_read(test_path(folder, "on/particles_0004.ply"), &file);
    assert_true(result_is_ok(&result));
    assert_true(file.count > 80); // the jet goes on
    assert_float_equal(file.time, 0.2, 1e-6);
    particle_file_free(&file);
}

static void states_of_earlier_releases_go_on(void **state)
{
    (void)state;
    for_releases(check_state);
}

// A folder of this version goes on; one of an earlier version is told, not mixed with.
static void check_folder(const char *release)
{
    char copy[1000];
    snprintf(copy, sizeof copy, "mkdir %s/run && cp %s/* %s/run", folder, release, folder);
    assert_int_equal(system(copy), 0);
    ChildRun run = child_run("run --resume %s/run --frames 4 --quiet", folder);
    if (run.status != 0 && (run.status != 2 || !strstr(run.err, "the program is pbf ")))
        fail_msg("%s: status %d: %s", release, run.status, run.err);
    child_free(&run);
}

static void folders_of_earlier_releases_are_gone_on_with_or_refused_by_name(void **state)
{
    (void)state;
    for_releases(check_folder);
}

static void check_mesh(const char *release)
{
    char cwd[500];
    FILE *file = fopen(test_path(folder, "mesh.yaml"), "w");
    assert_non_null(file);
    assert_non_null(getcwd(cwd, sizeof cwd));
    fprintf(file,
            "spacing: 0.1\nobstacles: [{mesh: {file: %s/%s/mesh_0002.obj}}]\n"
            "water: [{box: {min: [0, 0, 1], max: [1, 1, 2]}}]\n",
            cwd, release);
    assert_int_equal(fclose(file), 0);
    child_assert_done(child_run("check %s/mesh.yaml", folder));
}

static void surfaces_of_earlier_releases_are_closed_bodies(void **state)
{
    (void)state;
    for_releases(check_mesh);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(particles_of_earlier_releases_are_read_bit_for_bit),
        TEST(states_of_earlier_releases_go_on),
        TEST(folders_of_earlier_releases_are_gone_on_with_or_refused_by_name),
        TEST(surfaces_of_earlier_releases_are_closed_bodies),
    };
    return cmocka_run_group_tests_name("releases", tests, NULL, NULL);
}
