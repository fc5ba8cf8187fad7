// Measurements of the library beside the particles themselves, and in stored states.
#include "case_helpers.h"
#include "library_helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS_MAX 64

// Weighs the ball, sees water pass, and asks for a level where there is none.
static const pbf_setting probes[] = {
    {"probes.0", "{name: lift, force: {obstacle: ball}}"},
    {"probes.1",
     "{name: gate, flux: {position: [1.9, 2.4, 3.4], rotation: [0, 90, 0], width: 2, height: 2}}"},
    {"probes.2", "{name: dry, level: {position: [2.58, 2.05]}}"}};

static uint32_t count_columns(const pbf_sim *sim)
{
    pbf_column column;
    uint32_t count = 0;
    while (pbf_sim_column(sim, count, &column)) count++;
    assert_true(count <= COLUMNS_MAX);
    return count;
}

static double measured(const pbf_sim *sim, const double *row, const char *name, const char *unit)
{
    pbf_column column;
    for (uint32_t k = 0; pbf_sim_column(sim, k, &column); k++) {
        if (strcmp(column.name, name) != 0) continue;
        assert_string_equal(column.unit, unit);
        return row[k];
    }
    fail_msg("there is no column %s", name);
    return 0;
}

static void rows_are_of_the_particles_and_the_water_that_passed(void **state)
{
    (void)state;
    pbf_sim *sim = library_sim(NULL, probes, 3);
    static float before[512][3], after[512][3], v[512][3];
    double row[COLUMNS_MAX], kinetic = 0, impulse = 0;
    pbf_info info;
    pbf_body ball;
    int passed = 0;
    ASSERT_PBF(pbf_sim_watch(sim, 1));
    ASSERT_PBF(pbf_sim_watch(sim, 1));
    ASSERT_PBF(pbf_sim_measure(sim, 1));
    ASSERT_PBF(pbf_sim_row(sim, row, count_columns(sim)));
    assert_true(isnan(measured(sim, row, "dry_level", "m")));
    ASSERT_PBF(pbf_sim_info(sim, &info));
    ASSERT_PBF(pbf_sim_advance(sim, 0.3, NULL, NULL));
    ASSERT_PBF(pbf_sim_body(sim, 0, &ball));
    ASSERT_PBF(pbf_sim_row(sim, row, count_columns(sim)));
    assert_float_equal(measured(sim, row, "lift_fx", "N"), ball.force[0], 1e-6 * fabs(ball.force[0]) + 1e-9);
    ASSERT_PBF(pbf_sim_measure(sim, 0)); // the probe still needs them
    ASSERT_PBF(pbf_sim_read(sim, "position", before, sizeof before, 0));
    ASSERT_PBF(pbf_sim_advance(sim, 0.4, NULL, NULL));
    ASSERT_PBF(pbf_sim_row(sim, row, count_columns(sim)));
    assert_true(measured(sim, row, "lift_fx", "N") > 0); // the wave pushes the ball along
    ASSERT_PBF(pbf_sim_read(sim, "velocity", v, sizeof v, 0));
    ASSERT_PBF(pbf_sim_read(sim, "position", after, sizeof after, 0));
    for (int i = 0; i < 512; i++) {
        for (int k = 0; k < 3; k++) kinetic += 0.5 * info.particle_mass * (double)v[i][k] * (double)v[i][k];
        impulse += info.particle_mass * (double)v[i][0];
        passed += (after[i][0] >= 1.9f) - (before[i][0] >= 1.9f);
    }
    assert_true(kinetic > 10 && passed > 5);
    assert_float_equal(measured(sim, row, "time", "s"), 0.4, 1e-9);
    assert_float_equal(measured(sim, row, "particles", ""), 512, 0);
    assert_float_equal(measured(sim, row, "kinetic_energy", "J"), kinetic, 1e-5 * kinetic);
    assert_float_equal(measured(sim, row, "momentum_x", "kg m/s"), impulse, 1e-4 * impulse);
    assert_float_equal(measured(sim, row, "gate_flux", "m^3/s"), passed * 0.001 / 0.1, 1e-6);
    ASSERT_PBF(pbf_sim_watch(sim, 0));
    assert_int_equal(count_columns(sim), 0);
    ASSERT_REFUSED(pbf_sim_row(sim, row, 0), PBF_USAGE);
    pbf_sim_destroy(sim);
}

static void potential_energy_follows_gravity_that_changes_under_way(void **state)
{
    (void)state;
    pbf_sim *sim = library_sim(NULL, NULL, 0);
    const pbf_setting half = {"fluid.gravity", "[0, 0, -4.905]"};
    double whole[COLUMNS_MAX], row[COLUMNS_MAX];
    ASSERT_PBF(pbf_sim_watch(sim, 1));
    ASSERT_PBF(pbf_sim_row(sim, whole, count_columns(sim)));
    ASSERT_PBF(pbf_sim_set(sim, &half, 1));
    ASSERT_PBF(pbf_sim_row(sim, row, count_columns(sim)));
    double energy = measured(sim, whole, "potential_energy", "J");
    assert_true(energy > 1000);
    assert_float_equal(measured(sim, row, "potential_energy", "J"), energy / 2, 1e-5 * energy);
    pbf_sim_destroy(sim);
}

static void write_bytes(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static void expect_row(pbf_sim *sim, const double *wanted, uint32_t columns)
{
    double row[COLUMNS_MAX];
    ASSERT_PBF(pbf_sim_watch(sim, 1));
    ASSERT_PBF(pbf_sim_advance(sim, 0.2, NULL, NULL));
    assert_int_equal(count_columns(sim), columns);
    ASSERT_PBF(pbf_sim_row(sim, row, columns));
    assert_memory_equal(row, wanted, columns * sizeof *row);
    pbf_sim_destroy(sim);
}

static void means_go_on_from_a_stored_state(void **state)
{
    (void)state;
    pbf_scene *scene = library_scene(NULL, probes, 2);
    pbf_sim *sim, *watched, *fresh, *resumed;
    double wanted[COLUMNS_MAX], row[COLUMNS_MAX];
    const char *path = test_path(folder, "state.pbf");
    void *data;
    size_t bytes;
    ASSERT_PBF(pbf_sim_create(scene, &sim));
    ASSERT_PBF(pbf_sim_create(scene, &watched));
    ASSERT_PBF(pbf_sim_create(scene, &fresh));
    ASSERT_PBF(pbf_sim_watch(sim, 1));
    ASSERT_PBF(pbf_sim_advance(sim, 0.12, NULL, NULL));
    ASSERT_PBF(pbf_sim_save(sim, &data, &bytes));
    write_bytes(path, data, bytes);
    ASSERT_PBF(pbf_sim_advance(sim, 0.2, NULL, NULL));
    uint32_t columns = count_columns(sim);
    ASSERT_PBF(pbf_sim_row(sim, wanted, columns));
    ASSERT_PBF(pbf_sim_watch(watched, 1));
    ASSERT_PBF(pbf_sim_advance(watched, 0.05, NULL, NULL));
    ASSERT_PBF(pbf_sim_restore(watched, data, bytes));
    expect_row(watched, wanted, columns);
    ASSERT_PBF(pbf_sim_restore(fresh, data, bytes));
    expect_row(fresh, wanted, columns);
    ASSERT_PBF(pbf_sim_resume(scene, path, &resumed));
    expect_row(resumed, wanted, columns);
    // What is not watched by the next step starts anew when it is.
    ASSERT_PBF(pbf_sim_resume(scene, path, &resumed));
    assert_int_equal(count_columns(resumed), 0);
    ASSERT_PBF(pbf_sim_step(resumed, 1, NULL));
    ASSERT_PBF(pbf_sim_watch(resumed, 1));
    ASSERT_PBF(pbf_sim_row(resumed, row, columns));
    assert_true(measured(resumed, row, "gate_flux", "m^3/s") == 0);
    pbf_sim_destroy(resumed);
    pbf_free(data);
    pbf_sim_destroy(sim);
    pbf_scene_destroy(scene);
}

static void a_simulation_resumes_from_a_file_bit_for_bit(void **state)
{
    (void)state;
    pbf_scene *scene = library_scene(NULL, NULL, 0);
    pbf_sim *sim, *resumed;
    const char *path = test_path(folder, "state.pbf");
    void *data;
    size_t bytes;
    ASSERT_PBF(pbf_sim_create(scene, &sim));
    ASSERT_PBF(pbf_sim_advance(sim, 0.1, NULL, NULL));
    ASSERT_PBF(pbf_sim_save(sim, &data, &bytes));
    write_bytes(path, data, bytes);
    ASSERT_PBF(pbf_sim_resume(scene, path, &resumed));
    assert_true(pbf_sim_hash(resumed) == pbf_sim_hash(sim));
    ASSERT_PBF(pbf_sim_advance(sim, 0.2, NULL, NULL));
    ASSERT_PBF(pbf_sim_advance(resumed, 0.2, NULL, NULL));
    assert_true(pbf_sim_hash(resumed) == pbf_sim_hash(sim));
    write_bytes(path, data, bytes - 1);
    pbf_sim_destroy(resumed);
    ASSERT_REFUSED(pbf_sim_resume(scene, path, &resumed), PBF_USAGE);
    assert_null(resumed);
    pbf_free(data);
    pbf_sim_destroy(sim);
    pbf_scene_destroy(scene);
}

static void strands_are_written_as_lines(void **state)
{
    (void)state;
    const pbf_setting rope = {"strands.0",
                              "{rope: {from: [1.2, 2.4, 3.9], to: [1.2, 2.4, 3.4]}, segments: 7}"};
    pbf_sim *sim = library_sim(NULL, &rope, 1);
    char line[200] = "";
    bool edges = false;
    const char *path = test_path(folder, "strands.ply");
    ASSERT_PBF(pbf_sim_write(sim, "strands_ply", path, NULL));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    while (strncmp(line, "end_header", 10) != 0 && fgets(line, sizeof line, file))
        edges |= strcmp(line, "element edge 7\n") == 0;
    fclose(file);
    assert_true(edges);
    pbf_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_of_the_particles_and_the_water_that_passed),
        cmocka_unit_test(potential_energy_follows_gravity_that_changes_under_way),
        cmocka_unit_test_setup_teardown(means_go_on_from_a_stored_state, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_simulation_resumes_from_a_file_bit_for_bit, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(strands_are_written_as_lines, make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("library_measure", tests, NULL, NULL);
}
