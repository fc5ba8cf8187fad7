// Particles that are added, changed and removed one by one, and what is refused.
#include "core/blocks.h"
#include "fluid/edit.h"
#include "fluid_helpers.h"

#include <math.h>
#include <string.h>

// With four particles of ids 0 to 3, at x = id + 1/2 in a tank open at the top and moving with z = id.
static Fluid *make_fluid(void)
{
    FluidDef def = fluid_def_default();
    def.origin = vec3_make(10, 0, 0);
    Fluid *fluid = fluid_for_test(&def, vec3_make(4, 5, 6), NULL, 0);
    Vec3 at[4], speed[4];
    uint32_t first = 7;
    for (int k = 0; k < 4; k++) {
        at[k] = vec3_make((float)k + 0.5f, 1, 1);
        speed[k] = vec3_make(0, 0, (float)k);
    }
    ASSERT_OK(fluid_add_each(fluid, at, speed, 4, &first));
    assert_int_equal(first, 0);
    return fluid;
}

static void assert_particle(const Fluid *fluid, uint32_t slot, uint32_t id, Vec3 at, Vec3 speed)
{
    FrameView view = fluid_view(fluid);
    assert_true(slot < view.count && view.id[slot] == id);
    assert_true(vec3_equal(vec3_make(view.x[slot], view.y[slot], view.z[slot]), at));
    assert_true(vec3_equal(vec3_make(view.vx[slot], view.vy[slot], view.vz[slot]), speed));
}

static void assert_refused(Result result, const char *part)
{
    assert_int_equal(result.code, RESULT_USAGE);
    if (!strstr(result.text, part)) fail_msg("\"%s\" does not say \"%s\"", result.text, part);
}

static void particles_are_added_with_their_velocities(void **state)
{
    (void)state;
    Fluid *fluid = make_fluid();
    for (uint32_t k = 0; k < 4; k++)
        assert_particle(fluid, k, k, vec3_make((float)k + 0.5f, 1, 1), vec3_make(0, 0, (float)k));
    Vec3 more[2] = {{0, 0, 0}, {4, 5, 99}}; // on walls, and above the open top
    uint32_t first;
    ASSERT_OK(fluid_add_each(fluid, more, NULL, 2, &first));
    assert_int_equal(first, 4);
    assert_particle(fluid, 5, 5, more[1], vec3_make(0, 0, 0));
    ASSERT_OK(fluid_add_each(fluid, more, more, 1, NULL));
    assert_int_equal(fluid_view(fluid).count, 7);
    fluid_destroy(fluid);
}

// Where no particle was, there is no memory for any either.
static void nothing_can_be_added_to_a_fluid_without_particles(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    Fluid *fluid = fluid_for_test(&def, vec3_make(4, 5, 6), NULL, 0);
    uint32_t first = 7;
    ASSERT_OK(fluid_add(fluid, NULL, 0, vec3_make(1, 0, 0)));
    ASSERT_OK(fluid_add_each(fluid, NULL, NULL, 0, &first));
    assert_int_equal(first, 0);
    assert_int_equal(fluid_view(fluid).count, 0);
    fluid_destroy(fluid);
}

static void places_behind_walls_and_wild_numbers_are_refused(void **state)
{
    (void)state;
    Fluid *fluid = make_fluid();
    const Vec3 behind[] = {{-0.01f, 1, 1}, {4.01f, 1, 1}, {1, -0.01f, 1}, {1, 5.01f, 1}, {1, 1, -0.01f}};
    for (int k = 0; k < 5; k++) {
        Vec3 places[2] = {{1, 1, 1}, behind[k]};
        assert_refused(fluid_add_each(fluid, places, NULL, 2, NULL), "position 1 is [");
        assert_refused(fluid_change_particles(fluid, (uint32_t[]){2, 3}, 2, places, NULL), "behind a wall");
    }
    const float wild[] = {NAN, INFINITY, -INFINITY, 1.1e5f, -1.1e5f};
    for (int k = 0; k < 15; k++) {
        Vec3 place = {1, 1, 1}, speed = {0, 0, 0};
        float *at[] = {&place.x, &place.y, &place.z}, *v[] = {&speed.x, &speed.y, &speed.z};
        *at[k % 3] = *v[k % 3] = wild[k / 3];
        assert_refused(fluid_add_each(fluid, &place, NULL, 1, NULL), "position 0");
        assert_refused(fluid_add_each(fluid, (Vec3[]){{1, 1, 1}}, &speed, 1, NULL), "velocity 0");
        *v[k % 3] = k % 2 ? 1000.5f : -1000.5f;
        assert_refused(fluid_change_particles(fluid, (uint32_t[]){1}, 1, NULL, &speed), "at most 1000 m/s");
    }
    Vec3 slant = {800, 0, -800}, fast = {0, 1000, 0};
    assert_refused(fluid_change_particles(fluid, (uint32_t[]){1}, 1, NULL, &slant), "velocity 0");
    assert_int_equal(fluid_view(fluid).count, 4);
    assert_particle(fluid, 3, 3, vec3_make(3.5f, 1, 1), vec3_make(0, 0, 3));
    ASSERT_OK(fluid_change_particles(fluid, (uint32_t[]){1}, 1, NULL, &fast));
    assert_particle(fluid, 1, 1, vec3_make(1.5f, 1, 1), fast);
    fluid_destroy(fluid);
}

static void particles_are_removed_and_changed_by_their_ids(void **state)
{
    (void)state;
    Fluid *fluid = make_fluid();
    Vec3 places[2] = {{1, 2, 3}, {3, 2, 1}}, speeds[2] = {{1, 1, 1}, {-2, 0, 0}};
    ASSERT_OK(fluid_change_particles(fluid, (uint32_t[]){3, 0}, 2, places, speeds));
    assert_particle(fluid, 3, 3, places[0], speeds[0]);
    assert_particle(fluid, 0, 0, places[1], speeds[1]);
    assert_refused(fluid_remove(fluid, (uint32_t[]){1, 4}, 2), "id 4");
    assert_int_equal(fluid_view(fluid).count, 4);
    ASSERT_OK(fluid_remove(fluid, (uint32_t[]){0, 2, 0}, 3));
    assert_int_equal(fluid_view(fluid).count, 2);
    assert_particle(fluid, 0, 1, vec3_make(1.5f, 1, 1), vec3_make(0, 0, 1));
    assert_particle(fluid, 1, 3, places[0], speeds[0]);
    assert_refused(fluid_change_particles(fluid, (uint32_t[]){2}, 1, places, NULL), "id 2");
    // All, in memory order.
    assert_refused(fluid_change_particles(fluid, NULL, 3, NULL, NULL), "3 values for 2 particles");
    Vec3 more[3] = {{2, 0, 0}, {0, 3, 0}, {7, 7, 7}};
    float behind = fluid_view(fluid).vx[2];
    ASSERT_OK(fluid_change_particles(fluid, NULL, 2, NULL, more));
    assert_true(fluid_view(fluid).vx[2] == behind && behind != 7);
    assert_particle(fluid, 0, 1, vec3_make(1.5f, 1, 1), more[0]);
    assert_particle(fluid, 1, 3, places[0], more[1]);
    ASSERT_OK(fluid_change_particles(fluid, NULL, 2, places, NULL));
    assert_particle(fluid, 0, 1, places[0], more[0]);
    assert_particle(fluid, 1, 3, places[1], more[1]);
    // Ids are not given again.
    uint32_t first;
    ASSERT_OK(fluid_remove(fluid, (uint32_t[]){3}, 1));
    ASSERT_OK(fluid_add_each(fluid, places, NULL, 1, &first));
    assert_int_equal(first, 4);
    fluid_destroy(fluid);
}

// A step is as short as the fastest particle asks, also where a call made it fast.
static void the_next_step_knows_the_new_speeds(void **state)
{
    (void)state;
    Fluid *fluid = make_fluid();
    StepReport report;
    ASSERT_OK(fluid_step(fluid, 1, &report));
    double before = report.dt;
    ASSERT_OK(fluid_change_particles(fluid, (uint32_t[]){2}, 1, NULL, (Vec3[]){{0, 300, 0}}));
    ASSERT_OK(fluid_step(fluid, 1, &report));
    assert_true(report.dt < 0.5 * before);
    fluid_destroy(fluid);
}

static FluidDef def_of_every_term(void)
{
    FluidDef def = fluid_def_default();
    def.spacing = 0.1f;
    def.viscosity = 0.5f; // implicit
    def.xsph = 5;
    def.angular_momentum = 2;
    def.divergence_iterations = 1;
    def.global_pressure = false; // the depth sets the step
    return def;
}

// Removes water until whole blocks of every kind are left: the sums of the blocks that were there before are
// still in memory, and a fluid that is restored from the same state has none of them.
static void sums_of_water_that_is_gone_do_not_count(void **state)
{
    (void)state;
    enum { BEFORE = 24 * 24 * 22, AFTER = 2 * 4096 };
    static uint32_t gone[BEFORE - AFTER];
    FluidDef def = def_of_every_term();
    Fluid *fluid = fluid_for_test(&def, vec3_make(2.4f, 2.4f, 4), NULL, 0);
    Fluid *other = fluid_for_test(&def, vec3_make(2.4f, 2.4f, 4), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 24, 24, 22, 0.1f, vec3_make(1, 0.5f, 0));
    for (int k = 0; k < 2; k++) ASSERT_OK(fluid_step(fluid, 1, NULL));
    for (uint32_t k = 0; k < BEFORE - AFTER; k++) gone[k] = BEFORE - 1 - k;
    ASSERT_OK(fluid_remove(fluid, gone, BEFORE - AFTER));
    StateBlocks blocks = {0};
    fluid_store(fluid, &blocks);
    ASSERT_OK(fluid_restore(other, &blocks));
    for (int k = 0; k < 2; k++) {
        StepReport reports[2];
        ASSERT_OK(fluid_step(fluid, 1, &reports[0]));
        ASSERT_OK(fluid_step(other, 1, &reports[1]));
        assert_true(reports[0].dt == reports[1].dt && reports[0].speed_max == reports[1].speed_max);
        assert_true(fluid_state_hash(fluid) == fluid_state_hash(other));
    }
    assert_int_equal(fluid_view(fluid).count, AFTER);
    fluid_destroy(fluid);
    fluid_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_are_added_with_their_velocities),
        cmocka_unit_test(nothing_can_be_added_to_a_fluid_without_particles),
        cmocka_unit_test(places_behind_walls_and_wild_numbers_are_refused),
        cmocka_unit_test(particles_are_removed_and_changed_by_their_ids),
        cmocka_unit_test(the_next_step_knows_the_new_speeds),
        cmocka_unit_test(sums_of_water_that_is_gone_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
