// The states and meshes that tests/golden/states.txt records, bit for bit, on every instruction set that this
// machine has: whatever changes the physics, on purpose or not, shows here. `make golden` rewrites the file.
// PBF_TEST_LEVEL=quick: small scenes, on the best instruction set.
#include "fluid_helpers.h"

#include "core/cpu.h"
#include "scene/scene.h"
#include "surface_helpers.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN_PATH "tests/golden/states.txt"

typedef struct Outcome {
    uint32_t particles;
    uint64_t state, mesh; // hashes
} Outcome;

typedef struct GoldenRow {
    char scene[32], spacing[16]; // spacing: m, as the file spells it
    uint32_t steps;
    Outcome outcome;
} GoldenRow;

#define ROWS_MAX 64
static GoldenRow rows[ROWS_MAX];
static size_t row_count;
static char head[1024]; // the file's comment

static bool read_rows(void)
{
    FILE *file = fopen(GOLDEN_PATH, "r");
    if (!file) return false;
    char line[256];
    bool good = true;
    while (good && fgets(line, sizeof line, file)) {
        if (line[0] == '#') {
            good = strlen(head) + strlen(line) < sizeof head;
            if (good) strcat(head, line);
            continue;
        }
        GoldenRow *row = &rows[row_count];
        good = row_count < ROWS_MAX && sscanf(line, "%31s %15s %" SCNu32 " %" SCNu32 " %" SCNx64 " %" SCNx64,
                                              row->scene, row->spacing, &row->steps, &row->outcome.particles,
                                              &row->outcome.state, &row->outcome.mesh) == 6;
        row_count += good;
    }
    fclose(file);
    return good;
}

static Outcome run(const GoldenRow *row, CpuLevel level)
{
    cpu_set_level(level);
    char path[64];
    snprintf(path, sizeof path, "scenes/%s.yaml", row->scene);
    SceneOverride overrides[] = {{"spacing", row->spacing}, {"solver.neighbor", "uniform_grid"}};
    SceneDef scene;
    ASSERT_OK(scene_read(path, overrides, 2, &scene));
    Fluid *fluid;
    ASSERT_OK(scene_build(&scene, &fluid));
    for (uint32_t k = 0; k < row->steps; k++) ASSERT_OK(fluid_step(fluid, scene.output.duration, NULL));

    FrameView view = fluid_view(fluid);
    SurfacePoints points = {view.x, view.y, view.z, view.vx, view.vy, view.vz, view.count};
    SurfaceMesh mesh;
    ASSERT_OK(surface_reconstruct(&scene.surface, points, &mesh));
    Outcome outcome = {view.count, fluid_state_hash(fluid), test_mesh_hash(&mesh)};
    surface_mesh_free(&mesh);
    fluid_destroy(fluid);
    scene_free(&scene);
    cpu_set_level(CPU_AVX512);
    return outcome;
}

static void check_number(const GoldenRow *row, CpuLevel level, const char *what, uint64_t found,
                         uint64_t golden)
{
    if (found != golden)
        fail_msg("%s, %u steps, %s: %s %016" PRIx64 ", but " GOLDEN_PATH " has %016" PRIx64
                 " (make golden rewrites them on purpose)",
                 row->scene, row->steps, cpu_level_name(level), what, found, golden);
}

static void check(const GoldenRow *row, CpuLevel level)
{
    Outcome found = run(row, level);
    check_number(row, level, "count of particles", found.particles, row->outcome.particles);
    check_number(row, level, "hash of the state", found.state, row->outcome.state);
    check_number(row, level, "hash of the mesh", found.mesh, row->outcome.mesh);
}

static void states_and_meshes_are_the_golden_ones_on_every_instruction_set(void **state)
{
    (void)state;
    cpu_set_level(CPU_AVX512);
    CpuLevel best = cpu_level(), least = test_is_quick() ? best : CPU_PLAIN;
    for (CpuLevel level = best; level >= least; level--) {
        for (const GoldenRow *row = rows; row < rows + row_count; row++) {
            if (!test_is_quick() || row->outcome.particles < 1000) check(row, level);
        }
    }
}

static void every_scene_has_a_golden_state(void **state)
{
    (void)state;
    DIR *scenes = opendir("scenes");
    assert_non_null(scenes);
    for (const struct dirent *entry; (entry = readdir(scenes));) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (!suffix || strcmp(suffix, ".yaml") != 0) continue;
        size_t length = (size_t)(suffix - entry->d_name), k = 0;
        while (k < row_count &&
               (strlen(rows[k].scene) != length || strncmp(rows[k].scene, entry->d_name, length) != 0))
            k++;
        if (k == row_count) fail_msg("%s has no row in " GOLDEN_PATH, entry->d_name);
    }
    closedir(scenes);
}

// `make golden`: the same rows with what they give now.
static void golden_file_is_rewritten(void **state)
{
    (void)state;
    for (GoldenRow *row = rows; row < rows + row_count; row++) row->outcome = run(row, CPU_AVX512);
    FILE *file = fopen(GOLDEN_PATH, "w");
    assert_non_null(file);
    fputs(head, file);
    for (const GoldenRow *row = rows; row < rows + row_count; row++)
        fprintf(file, "%-16s %-7s %5u %9u %016" PRIx64 " %016" PRIx64 "\n", row->scene, row->spacing,
                row->steps, row->outcome.particles, row->outcome.state, row->outcome.mesh);
    assert_int_equal(fclose(file), 0);
}

int main(int argc, char **argv)
{
    if (!read_rows()) {
        fprintf(stderr, GOLDEN_PATH ": row %zu is not SCENE SPACING STEPS PARTICLES STATE MESH\n",
                row_count + 1);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_and_meshes_are_the_golden_ones_on_every_instruction_set),
        cmocka_unit_test(every_scene_has_a_golden_state),
    };
    const struct CMUnitTest rewrite[] = {cmocka_unit_test(golden_file_is_rewritten)};
    if (argc > 1 && strcmp(argv[1], "--rewrite") == 0) return cmocka_run_group_tests(rewrite, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
