// The table of the particles' attributes: it covers every stream, and what it says holds for a fluid.
#include "fluid_helpers.h"

#include "core/lanes.h"
#include "fluid/particle_attributes.h"
#include "fluid/particles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void every_stream_belongs_to_one_attribute(void **state)
{
    (void)state;
    uint32_t components = 0;
    for (int k = 0; k < ATTRIBUTE_COUNT; k++) {
        const ParticleAttribute *attribute = particle_attribute((FieldKey)k);
        assert_true(attribute->name && attribute->label && attribute->unit);
        assert_true(attribute->stored || attribute->value);
        assert_true(attribute->components == 1 || attribute->components == 3);
        if (k < FIELD_COUNT) assert_true(attribute->components == 1 && attribute->least_span > 0);
        for (uint32_t c = 0; attribute->stored && c < attribute->components; c++, components++) {
            const char *name;
            assert_ptr_equal(particle_stream(attribute->stream + c, &name), attribute);
            assert_non_null(name);
        }
    }
    assert_int_equal(components, PARTICLE_STREAM_COUNT);
}

// Passes read whole vectors, also where the particles end within one.
static void streams_hold_numbers_to_the_end_of_a_vector(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 2 * LANES; count++) {
        Particles particles = {0};
        ASSERT_OK(particles_reserve(&particles, count));
        assert_true(particles.capacity >= count && particles.capacity % LANES == 0);
        for (int s = 0; s < PARTICLE_STREAM_COUNT; s++) {
            const float *numbers = particles.stream[s];
            for (uint32_t i = 0; i < particles.capacity; i++) assert_true(numbers[i] == 0.0f);
        }
        particles_free(&particles);
    }
}

static void room_that_is_there_is_not_taken_again(void **state)
{
    (void)state;
    Particles particles = {0};
    ASSERT_OK(particles_reserve(&particles, 3 * LANES));
    const float *x = particles.x;
    for (uint32_t count = 0; count <= particles.capacity; count++) {
        ASSERT_OK(particles_reserve(&particles, count));
        assert_ptr_equal(particles.x, x);
    }
    particles_free(&particles);
}

static void names_and_order_of_files_are_those_that_others_read(void **state)
{
    (void)state;
    static const char *const names[] = {"position",  "velocity", "density",   "id",
                                        "vorticity", "age",      "neighbors", "pressure"};
    static const char *const parts[] = {"x",     "y",  "z",          "vx",      "vy",        "vz",
                                        "birth", "id", "lambda_sum", "density", "vorticity", "neighbors"};
    uint32_t count = 0;
    for (; particle_file_attribute(count); count++) {
        if (count < sizeof names / sizeof *names)
            assert_string_equal(particle_file_attribute(count)->name, names[count]);
    }
    assert_true(count >= sizeof names / sizeof *names);
    for (uint32_t k = 0; k < PARTICLE_STREAM_COUNT; k++) {
        const char *name;
        particle_stream(k, &name);
        if (k < sizeof parts / sizeof *parts) assert_string_equal(name, parts[k]);
    }
}

static void values_are_those_of_the_view(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.origin = vec3_make(1, 2, 3);
    Fluid *fluid = fluid_for_test(&def, vec3_make(1, 1, 4), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 6, 6, 6, 0.1f, vec3_make(0.5f, 0, 0));
    fluid_run(fluid, 0.05);
    FrameView view = fluid_view(fluid);
    float position[3][3], age[3], speed[217], neighbors[217];
    uint32_t id[3];
    // From the middle: particles 100 to 102.
    particle_attribute_values(particle_attribute(ATTRIBUTE_POSITION), &view, 100, 103, position);
    particle_attribute_values(particle_attribute(FIELD_AGE), &view, 100, 103, age);
    particle_attribute_values(particle_attribute(FIELD_ID), &view, 100, 103, id);
    speed[216] = neighbors[216] = -7; // beyond the last particle
    frame_view_field(&view, FIELD_SPEED, speed);
    frame_view_field(&view, FIELD_NEIGHBORS, neighbors);
    assert_true(speed[216] == -7 && neighbors[216] == -7);
    for (uint32_t i = 0; i < view.count; i++) assert_true(neighbors[i] == (float)view.neighbors[i]);
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t i = 100 + k;
        assert_true(position[k][0] == 1 + view.x[i] && position[k][1] == 2 + view.y[i] &&
                    position[k][2] == 3 + view.z[i]);
        assert_int_equal(id[k], view.id[i]);
        assert_float_equal(age[k], 0.05, 1e-6);
        double v2 = (double)view.vx[i] * (double)view.vx[i] + (double)view.vy[i] * (double)view.vy[i] +
                    (double)view.vz[i] * (double)view.vz[i];
        assert_float_equal(speed[i], sqrt(v2), 1e-5);
    }
    fluid_destroy(fluid);
}

// What the window says of a value, and how wide a range of colors is at least in water of 0.1 m, 1000 kg/m^3.
static void fields_are_told_and_colored_as_users_see_them(void **state)
{
    (void)state;
    const double gravity = 9.81;
    static const struct Field {
        const char *name;
        double value;
        const char *told; // NULL: nothing
        bool from_zero;
    } fields[FIELD_COUNT] = {{"speed", 1.25, "1.250 m/s", true},
                             {"density_error", 0.0125, "+1.25 %", false},
                             {"density", 998.25, "998.2 kg/m^3", false},
                             {"neighbors", 31, "31", false},
                             {"vorticity", 2.5, "2.50 1/s", true},
                             {"height", 1, NULL, false},
                             {"age", 0.5, "0.500 s", true},
                             {"id", 1, NULL, false},
                             {"pressure", 1235, "1235 Pa", true}};
    const double spans[FIELD_COUNT] = {3 * sqrt(gravity * 0.1),  0.02, 20, 10, 1, 1, 0.1, 1,
                                       10 * gravity * 1000 * 0.1};
    FluidDef def = fluid_def_default();
    def.spacing = 0.1f;
    def.rest_density = 1000;
    Fluid *fluid = fluid_for_test(&def, vec3_make(1, 1, 4), NULL, 0);
    FrameView view = fluid_view(fluid);
    for (int k = 0; k < FIELD_COUNT; k++) {
        const ParticleAttribute *attribute = particle_attribute((FieldKey)k);
        assert_string_equal(attribute->name, fields[k].name);
        assert_float_equal(particle_least_span(attribute, &view), spans[k], 1e-5);
        assert_int_equal(attribute->from_zero, fields[k].from_zero);
        assert_int_equal(attribute->probe != NULL, fields[k].told != NULL);
        char told[64];
        snprintf(told, sizeof told, attribute->probe ? attribute->probe : "%g",
                 attribute->probe_scale * fields[k].value);
        if (fields[k].told) assert_string_equal(told, fields[k].told);
    }
    fluid_destroy(fluid);
}

static void before_the_first_step_there_is_no_pressure(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    Fluid *fluid = fluid_for_test(&def, vec3_make(1, 1, 4), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 2, 2, 2, 0, vec3_make(0, 0, 0));
    FrameView view = fluid_view(fluid);
    float pressure[8];
    frame_view_field(&view, FIELD_PRESSURE, pressure);
    for (int k = 0; k < 8; k++) assert_float_equal(pressure[k], 0, 0);
    fluid_destroy(fluid);
}

enum { POURED_MAX = 4000 };

// Water that leaves a nozzle one layer after another and is stirred: what each particle was born with.
static void births_and_releases_move_with_their_particles(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.spacing = 0.1f;
    EmitterDef emitter = {.position = {0.5f, 0.5f, 1.5f},
                          .rotation = {180, 0, 0},
                          .width = 0.5f,
                          .height = 0.5f,
                          .speed = 3,
                          .stop = INFINITY,
                          .volume = INFINITY};
    Obstacles *obstacles;
    Fluid *fluid;
    ASSERT_OK(
        obstacles_create((TankDef){.present = true, .size = {1, 1, 2}}, def.spacing, NULL, 0, &obstacles));
    ASSERT_OK(fluid_create(&def, obstacles, &emitter, 1, NULL, 0, &fluid));
    static float birth[POURED_MAX], release[POURED_MAX];
    uint32_t known = 0, moved = 0;
    for (int k = 0; k < 150; k++) {
        double before = fluid_time(fluid);
        ASSERT_OK(fluid_step(fluid, 10, NULL));
        FrameView view = fluid_view(fluid);
        for (uint32_t i = 0; i < view.count; i++) {
            uint32_t id = view.id[i];
            assert_true(id < POURED_MAX);
            if (id >= known) {
                birth[id] = view.birth[i], release[id] = view.release[i];
                assert_true((double)birth[id] > before - 1e-3 && (double)birth[id] < view.time + 1e-3);
            } else {
                moved += id != i;
                assert_float_equal(view.birth[i], birth[id], 0);
                assert_float_equal(view.release[i], release[id], 0);
            }
        }
        known = view.count;
    }
    print_message("%u particles\n", known);
    assert_true(known > 200 && moved > 1000);
    fluid_destroy(fluid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stream_belongs_to_one_attribute),
        cmocka_unit_test(streams_hold_numbers_to_the_end_of_a_vector),
        cmocka_unit_test(room_that_is_there_is_not_taken_again),
        cmocka_unit_test(names_and_order_of_files_are_those_that_others_read),
        cmocka_unit_test(values_are_those_of_the_view),
        cmocka_unit_test(fields_are_told_and_colored_as_users_see_them),
        cmocka_unit_test(before_the_first_step_there_is_no_pressure),
        cmocka_unit_test(births_and_releases_move_with_their_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
