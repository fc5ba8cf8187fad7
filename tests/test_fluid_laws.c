// A step against the laws of mechanics: free fall, momentum, angular momentum, energy, surface tension.
#include "fluid_helpers.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <math.h>
#include <stdlib.h>

static FluidDef weightless(void)
{
    FluidDef def = fluid_def_default();
    def.gravity = vec3_make(0.0f, 0.0f, 0.0f);
    return def;
}

static void a_block_falls_by_g_t_squared_over_two(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 20), 8, 8, 8, 0.0f, vec3_make(1.5f, 0, 0));
    FluidSums before = fluid_sums(fluid, 9.81);
    double t = 1.0;
    fluid_run(fluid, t);
    FluidSums after = fluid_sums(fluid, 9.81);
    double fall = before.centre[2] - after.centre[2];
    // Symplectic Euler is first order: it adds g t dt / 2.
    assert_float_equal(fall, 0.5 * 9.81 * t * t, 9.81 * t * def.time_step);
    assert_float_equal(after.centre[0] - before.centre[0], 1.5 * t, 1e-3);
    fluid_destroy(fluid);
}

// Walls do not pull: water that hangs at the lid, wall to wall, or at a body falls as freely as any.
static void water_falls_from_a_lid(void **state)
{
    (void)state;
    static const struct {
        float spacing, roof; // m; the lid is that high, or the lower side of a body
        double step;
    } cases[] = {
        {0.1f, 0, 0.02}, {0.1f, 0, 0.002}, {0.05f, 0, 0.02}, {0.05f, 2.0f, 0.02}, {0.05f, 2.0f, 0.004}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += test_stride(3)) {
        FluidDef def = fluid_def_default();
        def.spacing = cases[k].spacing;
        def.time_step = cases[k].step;
        ObstacleDef plate = {.shape = {.kind = SHAPE_BOX, .half_extent = {0.45f, 0.45f, 0.15f}},
                             .position = {0.5f, 0.5f, 2.15f}};
        bool body = cases[k].roof > 0;
        Fluid *fluid = fluid_for_test(&def, vec3_make(1, 1, body ? 3 : 2), &plate, body);
        uint32_t n = (uint32_t)lroundf(1.0f / def.spacing);
        fluid_fill_lattice(fluid, vec3_make(0, 0, 1), n, n, n, 0.0f, vec3_make(0, 0, 0));
        FluidSums before = fluid_sums(fluid, 9.81);
        double t = 0.4;
        StepReport report = fluid_run(fluid, t);
        double fall = before.centre[2] - fluid_sums(fluid, 9.81).centre[2];
        print_message("d %g m, steps of %g s, %s: falls %.4f m\n", (double)def.spacing, report.dt,
                      body ? "a body" : "the lid", fall);
        assert_float_equal(fall, 0.5 * 9.81 * t * (t + report.dt), 0.004 * 9.81 * t * t);
        fluid_destroy(fluid);
    }
}

static void momentum_stays_under_constraint_tension_and_viscosity(void **state)
{
    (void)state;
    FluidDef def = weightless();
    def.surface_tension = 50.0f;
    def.xsph = 20.0f;
    Fluid *fluid = fluid_collision(&def);
    FluidSums before = fluid_sums(fluid, 0.0);
    fluid_run(fluid, 0.5);
    FluidSums after = fluid_sums(fluid, 0.0);
    double scale = 1024 * 2.0; // of all speeds added up
    for (int a = 0; a < 3; a++) assert_float_equal(after.momentum[a], before.momentum[a], 1e-4 * scale);
    fluid_destroy(fluid);
}

static void angular_momentum_stays_under_the_density_constraint(void **state)
{
    (void)state;
    FluidDef def = weightless();
    def.surface_tension = def.viscosity = def.xsph = 0.0f;
    Fluid *fluid = fluid_collision(&def);
    FluidSums before = fluid_sums(fluid, 0.0);
    double size = 0.0;
    for (int a = 0; a < 3; a++) size += before.angular_momentum[a] * before.angular_momentum[a];
    fluid_run(fluid, 0.3);
    FluidSums after = fluid_sums(fluid, 0.0);
    for (int a = 0; a < 3; a++)
        assert_float_equal(after.angular_momentum[a], before.angular_momentum[a], 0.02 * sqrt(size));
    fluid_destroy(fluid);
}

// However strong, and however many particles are summed up: a block whose halves, `layers` high, slide past
// each other, whose swirls confinement feeds.
static void check_confinement(float strength, uint32_t layers)
{
    FluidDef def = weightless();
    def.surface_tension = def.scorr_strength = 0.0f;
    def.vorticity_confinement = strength;
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
    float middle = 0.1f * (float)layers;
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 14, 10, layers, 0.1f, vec3_make(1, 0, 0));
    fluid_fill_lattice(fluid, vec3_make(0, 0, middle), 14, 10, layers, 0.1f, vec3_make(-1, 0, 0.2f));
    fluid_run(fluid, 0.02);
    FluidSums before = fluid_sums(fluid, 0.0);
    fluid_run(fluid, layers > 7 ? 0.2 : 0.6);
    FluidSums after = fluid_sums(fluid, 0.0);
    print_message("confinement %g of %u layers: %.3f of the energy\n", (double)strength, 2 * layers,
                  after.kinetic / before.kinetic);
    assert_true(after.kinetic < 1.001 * before.kinetic);
    double most = 1e-4 * 280.0 * layers;
    for (int a = 0; a < 3; a++) assert_float_equal(after.momentum[a], before.momentum[a], most);
    fluid_destroy(fluid);
}

static void vorticity_confinement_keeps_momentum_and_gives_no_energy(void **state)
{
    (void)state;
    if (!test_is_sanitized()) {
        check_confinement(0.1f, 7);
        check_confinement(10.0f, 7);
    }
    check_confinement(10.0f, 16); // more than are summed up at a time
}

// Sums after a step of two blocks that slide past each other and are not alike.
static FluidSums sums_after_step(float xsph, float confinement)
{
    FluidDef def = weightless();
    def.surface_tension = def.scorr_strength = def.viscosity = 0.0f;
    def.xsph = xsph;
    def.vorticity_confinement = confinement;
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 14, 10, 24, 0.1f, vec3_make(1.5f, 0.3f, 0));
    fluid_fill_lattice(fluid, vec3_make(0.2f, 0, 2.4f), 10, 14, 24, 0.1f, vec3_make(-0.5f, 0, 0.2f));
    ASSERT_OK(fluid_step(fluid, 0.004, NULL));
    FluidSums sums = fluid_sums(fluid, 0.0);
    fluid_destroy(fluid);
    return sums;
}

// Confinement that would give more gives what XSPH has taken, all of it, and no momentum; in sums of several
// blocks.
static void strong_confinement_gives_back_what_viscosity_took(void **state)
{
    (void)state;
    FluidSums free = sums_after_step(0, 0), slowed = sums_after_step(20, 0), fed = sums_after_step(20, 100);
    double taken = free.kinetic - slowed.kinetic, back = fed.kinetic - slowed.kinetic;
    print_message("XSPH takes %.3g of the energy, confinement gives back %.5f of it\n", taken / free.kinetic,
                  back / taken);
    assert_true(taken > 0.001 * free.kinetic);
    ASSERT_WITHIN(back, taken, 1e-3 * taken);
    double most = 1e-7 * 6720; // of a particle at 1 m/s each
    for (int a = 0; a < 3; a++) ASSERT_WITHIN(fed.momentum[a], slowed.momentum[a], most);
}

static void energy_does_not_grow_without_inflow(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    Fluid *fluid = fluid_for_test(&def, vec3_make(4.0f, 1.0f, 4.0f), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 15, 10, 20, 0.0f, vec3_make(0, 0, 0));
    FluidSums start = fluid_sums(fluid, 9.81);
    double all = start.kinetic + start.potential, last = all;
    for (double t = 0.1; t < (test_is_quick() ? 0.6 : 3.0); t += 0.1) {
        fluid_run(fluid, t);
        FluidSums now = fluid_sums(fluid, 9.81);
        double energy = now.kinetic + now.potential;
        assert_true(energy <= last + 0.005 * all);
        last = energy;
    }
    assert_true(last < all);
    fluid_destroy(fluid);
}

// Water that fills a corner is a few percent too dense there. What makes room must not throw it, however
// short the steps are: nothing is faster than by falling, but for a fiftieth of sqrt(g d).
static void water_starts_at_rest_with_steps_of_every_length(void **state)
{
    (void)state;
    static const struct {
        float spacing, step;
    } cases[] = {{0.1f, 4e-3f}, {0.1f, 1e-3f}, {0.1f, 2e-4f}, {0.1f, 2e-5f}, {10.0f, 2e-3f}, {0.001f, 1e-4f}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k += test_stride(3)) {
        float d = cases[k].spacing;
        FluidDef def = fluid_def_default();
        def.spacing = d;
        def.time_step = cases[k].step;
        def.surface_tension = 0.0f;
        Fluid *fluid = fluid_for_test(&def, vec3_make(24 * d, 8 * d, 24 * d), NULL, 0);
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 8, 8, 8, 0.0f, vec3_make(0, 0, 0));
        StepReport report = {0};
        for (int step = 0; step < 5; step++) ASSERT_OK(fluid_step(fluid, 1.0, &report));
        double rms = fluid_sums(fluid, 9.81).rms_speed, unit = sqrt(9.81 * (double)d);
        print_message("spacing %g m, steps of %g s: %.5f sqrt(g d) after %.4f sqrt(d / g)\n", (double)d,
                      (double)cases[k].step, rms / unit, report.time * unit / (double)d);
        assert_true(rms < 0.02 * unit + 9.81 * report.time);
        fluid_destroy(fluid);
    }
}

// A step may end as soon as its caller likes. What the steps before have left too dense is not thrown apart
// by one that is short, nor by many of them.
static void short_steps_after_long_ones_give_no_energy(void **state)
{
    (void)state;
    static const struct {
        float spacing;
        double step; // s; 0: to the next number
        uint32_t count;
        bool far;
    } cases[] = {{0.1f, 0, 3, true},      {0.1f, 1e-9, 3, true},   {0.1f, 1e-7, 20, true},
                 {0.1f, 1e-5, 20, true},  {0.1f, 2e-4, 100, true}, {0.1f, 1e-3, 30, true},
                 {0.05f, 1e-4, 50, true}, {0.05f, 1e-3, 20, true}, {0.1f, 1e-9, 3, false},
                 {0.1f, 1e-5, 20, false}, {0.1f, 2e-4, 50, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += test_stride(5)) {
        FluidDef def = fluid_def_default();
        uint32_t n = (uint32_t)lroundf(0.8f / cases[k].spacing);
        def.spacing = cases[k].spacing;
        def.global_pressure = cases[k].far;
        Fluid *fluid = fluid_for_test(&def, vec3_make(1.6f, 0.4f, 3.0f), NULL, 0);
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), n, n / 2, n, 0.0f, vec3_make(0, 0, 0));
        StepReport report = fluid_run(fluid, 0.4); // it has just met the other wall
        FluidSums before = fluid_sums(fluid, 9.81);
        double energy = before.kinetic + before.potential, fastest = report.speed_max;
        for (uint32_t step = 0; step < cases[k].count; step++) {
            double now = fluid_time(fluid);
            ASSERT_OK(
                fluid_step(fluid, cases[k].step > 0 ? now + cases[k].step : nextafter(now, 1), &report));
        }
        FluidSums after = fluid_sums(fluid, 9.81);
        double gained = (after.kinetic + after.potential) / energy - 1;
        print_message("d %g m, %u steps of %g s%s: energy %+.2f %%, fastest %.2f, was %.2f m/s\n",
                      (double)cases[k].spacing, cases[k].count, cases[k].step,
                      cases[k].far ? "" : ", iterations alone", 100 * gained, report.speed_max, fastest);
        assert_true(gained < 0.03);
        assert_true(report.speed_max < 2 * fastest);
        fluid_destroy(fluid);
    }
}

// Sweeps over velocities take energy from them at every influence radius, in long steps and in short ones.
static void the_projection_of_velocities_gives_no_energy(void **state)
{
    (void)state;
    static const float factors[] = {1.5f, 2.5f, 3.75f}, steps[] = {6e-3f, 1e-3f};
    for (size_t k = 0; k < 6; k += test_stride(3)) {
        FluidDef def = fluid_def_default();
        def.radius_factor = factors[k / 2];
        def.time_step = steps[k % 2];
        def.divergence_iterations = 3;
        Fluid *fluid = fluid_for_test(&def, vec3_make(1.6f, 0.8f, 1.6f), NULL, 0);
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 8, 8, 8, 0.0f, vec3_make(0, 0, 0));
        double all = 0.0, most = 0.0;
        while (fluid_time(fluid) < 0.1) {
            ASSERT_OK(fluid_step(fluid, 0.1, NULL));
            FluidSums now = fluid_sums(fluid, 9.81);
            if (all == 0.0) all = now.kinetic + now.potential; // room was made before the first step
            most = fmax(most, (now.kinetic + now.potential) / all);
        }
        print_message("radius %.2f d, steps of %g ms: at most %.4f of the energy\n", (double)factors[k / 2],
                      1e3 * (double)steps[k % 2], most);
        assert_true(most < 1.005);
        fluid_destroy(fluid);
    }
}

// Largest distance from the centre over the radius of the ball of the same volume: 1 for a ball, 1.40 for a
// cube.
static double roundness(const Fluid *fluid)
{
    FrameView view = fluid_view(fluid);
    FluidSums sums = fluid_sums(fluid, 0.0);
    double largest = 0.0;
    for (uint32_t i = 0; i < view.count; i++) {
        double x = view.x[i] - sums.centre[0], y = view.y[i] - sums.centre[1], z = view.z[i] - sums.centre[2];
        largest = fmax(largest, sqrt(x * x + y * y + z * z));
    }
    double d = view.spacing;
    return (largest + 0.5 * d) / cbrt(view.count * d * d * d * 3.0 / (4.0 * 3.14159265));
}

static void a_weightless_cube_of_water_turns_into_a_sphere(void **state)
{
    (void)state;
    FluidDef def = weightless();
    def.surface_tension = 100.0f;
    def.xsph = 10.0f;
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 12, 12, 12, 0.0f, vec3_make(0, 0, 0));
    assert_true(roundness(fluid) > 1.3);
    fluid_run(fluid, test_is_quick() ? 0.1 : 6.0);
    double now = roundness(fluid);
    FluidSums sums = fluid_sums(fluid, 0.0);
    print_message("roundness %.3f (cube 1.40, sphere 1.00), rms speed %.4f m/s\n", now, sums.rms_speed);
    if (!test_is_quick()) assert_true(now < 1.1);
    fluid_destroy(fluid);
}

// Whatever the tension, water that is at rest has no more to move with than the energy of its surface.
static void tension_of_fine_water_gives_no_more_speed_than_its_surface_holds(void **state)
{
    (void)state;
    static const struct {
        float spacing, tension, factor;
        uint32_t max_substeps;
    } cases[] = {
        {0.0005f, 0.07f, 2.5f, 1000}, // real water: steps become short enough
        {0.0005f, 5.0f, 2.5f, 8},     // they may not: the tension is weakened
        {0.0005f, 5.0f, 1.5f, 8},
        {0.01f, 20.0f, 2.5f, 8},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += test_stride(3)) {
        FluidDef def = weightless();
        def.global_pressure = false; // the tension and the iterations alone
        def.viscosity = def.xsph = 0.0f;
        def.spacing = cases[k].spacing;
        def.radius_factor = cases[k].factor;
        def.surface_tension = cases[k].tension;
        def.max_substeps = cases[k].max_substeps;
        Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 8, 8, 8, 0.0f, vec3_make(0, 0, 0));
        double edge = 8.0 * def.spacing,
               step = fmax(fluid_tension_step(&def), def.time_step / def.max_substeps);
        double borne = def.surface_tension * fmin(1.0, pow(fluid_tension_step(&def) / step, 2.0));
        fluid_run(fluid, 200 * step);
        // m v^2 / 2 of a cube of edge a against sigma 6 a^2
        double rms = fluid_sums(fluid, 0.0).rms_speed, most = sqrt(12.0 * borne / (def.rest_density * edge));
        if (!(rms > 0.02 * most && rms < most)) fail_msg("case %zu: %g m/s, at most %g", k, rms, most);
        fluid_destroy(fluid);
    }
}

// A gravity wave on deep water and the tension of fine water as the formulas say.
static void steps_are_as_short_as_waves_and_tension_ask(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.spacing = 0.01f;
    def.surface_tension = 10.0f;
    // With global pressure gravity moves water 0.0144 spacings in a step.
    assert_float_equal(fluid_wave_step(&def, 4.0), 0.12 * sqrt(0.01 / 9.81), 1e-7);
    def.global_pressure = false;
    // A wave of sqrt(9.81 x 4) m/s moves 0.1 x 2.5 spacings; 0.1 sqrt(998 x 1e-6 / 10) s.
    assert_float_equal(fluid_wave_step(&def, 4.0), 0.0025 / sqrt(9.81 * 4.0), 1e-7);
    assert_float_equal(fluid_tension_step(&def), 0.1 * sqrt(0.998e-3 / 10.0), 1e-8);
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 2, 2, 2, 0.0f, vec3_make(0, 0, 0));
    StepReport report;
    ASSERT_OK(fluid_step(fluid, 1.0, &report));
    assert_float_equal(report.dt, fluid_tension_step(&def), 1e-6);
    fluid_destroy(fluid);
    def.surface_tension = 0.0f;
    def.gravity = vec3_make(0, 0, 0);
    assert_true(isinf(fluid_tension_step(&def)));
    assert_float_equal(fluid_wave_step(&def, 4.0), 0.12 * sqrt(0.01 / 9.81), 1e-7);
}

static void warm_steps_ask_the_heap_for_nothing(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    Fluid *fluid = fluid_for_test(&def, vec3_make(1.2f, 1.2f, 4.0f), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 12, 12, 12, 0.0f, vec3_make(0, 0, 0));
    fluid_run(fluid, 0.3);
    uint64_t before = memory_allocation_count();
    fluid_run(fluid, 0.4);
    assert_int_equal(memory_allocation_count(), before);
    fluid_destroy(fluid);
}

static void a_fluid_of_nothing_steps(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    Fluid *fluid = fluid_for_test(&def, vec3_make(1, 1, 1), NULL, 0);
    StepReport report = fluid_run(fluid, 0.1);
    assert_int_equal(report.particles, 0);
    assert_true(fluid_time(fluid) == 0.1);
    fluid_destroy(fluid);
}

static void emitters_pour_their_volume_at_their_speed_and_drains_take_it_away(void **state)
{
    (void)state;
    FluidDef def = weightless();
    def.viscosity = def.xsph = def.surface_tension = def.scorr_strength = 0.0f;
    TankDef tank = {.present = false};
    Obstacles *obstacles;
    Fluid *fluid;
    // 8 x 4 particles a layer, 40 layers
    EmitterDef emitter = {.position = {0, 0, 0},
                          .rotation = {0, 90, 0},
                          .width = 0.8f,
                          .height = 0.4f,
                          .speed = 2.0f,
                          .start = 0.1,
                          .stop = INFINITY,
                          .volume = 1.28};
    DrainDef drain = {.position = {6.0f, 0, 0}, .half_extent = {1.0f, 1, 1}, .stop = INFINITY};
    assert_int_equal(emitter_layer_particles(&emitter, 0.1f), 32);
    assert_int_equal(emitter_total_particles(&emitter, 0.1f, 100.0), 1280);
    ASSERT_OK(obstacles_create(tank, 0.0f, NULL, 0, &obstacles));
    ASSERT_OK(fluid_create(&def, obstacles, &emitter, 1, &drain, 1, &fluid));
    fluid_run(fluid, 1.1); // one second of pouring at 20 layers a second
    FluidSums sums = fluid_sums(fluid, 0.0);
    assert_int_equal(fluid_view(fluid).count, emitter_total_particles(&emitter, 0.1f, 1.1));
    assert_int_equal(fluid_view(fluid).count, 640);
    assert_float_equal(sums.momentum[0] / 640, 2.0, 0.05); // along +x: +z turned by 90 degrees about y
    assert_float_equal(sums.bounds.hi.x, 2.0, 0.1);
    fluid_run(fluid, 2.3);
    assert_int_equal(fluid_view(fluid).count, 1280);
    fluid_run(fluid, 6.0);
    assert_int_equal(fluid_view(fluid).count, 0);
    fluid_destroy(fluid);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void a_falling_stream_gains_what_it_falls_and_has_no_layers(void **state)
{
    (void)state;
    FluidDef def = weightless();
    const double speed = 1.5, gravity = 9.81;
    def.gravity = vec3_make(0, 0, -(float)gravity);
    def.viscosity = def.xsph = def.surface_tension = def.scorr_strength = 0.0f;
    Obstacles *obstacles;
    Fluid *fluid;
    EmitterDef emitter = {.rotation = {180, 0, 0},
                          .width = 0.8f,
                          .height = 0.8f,
                          .speed = (float)speed,
                          .stop = INFINITY,
                          .volume = INFINITY};
    ASSERT_OK(obstacles_create((TankDef){.present = false}, 0.0f, NULL, 0, &obstacles));
    ASSERT_OK(fluid_create(&def, obstacles, &emitter, 1, NULL, 0, &fluid));
    fluid_run(fluid, 1.0);
    FrameView view = fluid_view(fluid);
    float heights[2000];
    size_t count = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        float z = view.z[i];
        if (z > -1 || z < -3) continue;
        Vec3 v = vec3_make(view.vx[i], view.vy[i], view.vz[i]);
        assert_float_equal((double)vec3_dot(v, v) / (speed * speed - 2 * gravity * (double)z), 1.0, 0.03);
        assert_true(count < 2000);
        heights[count++] = z;
    }
    // What the nozzle gives while it falls from 1 to 3 m: layers of 64, of which one may be half in.
    double time = (sqrt(speed * speed + 6 * gravity) - sqrt(speed * speed + 2 * gravity)) / gravity;
    assert_float_equal((double)count, 64 * speed / 0.1 * time, 33);
    qsort(heights, count, sizeof heights[0], compare_floats);
    // Layers a spacing apart at the nozzle would be three and more apart here.
    for (size_t k = 1; k < count; k++) assert_true(heights[k] - heights[k - 1] < def.spacing);
    fluid_destroy(fluid);
}

// Nothing acts along the ground on a stream in the air.
static void a_stream_that_rises_askew_keeps_its_speed_along_the_ground(void **state)
{
    (void)state;
    static const float steps[] = {0.02f, 0.003f}, turns[] = {30, 45};
    for (int k = 0; k < 4; k++) {
        FluidDef def = weightless();
        def.gravity = vec3_make(0, 0, -9.81f);
        def.time_step = steps[k / 2];
        double turn = (double)turns[k % 2];
        Obstacles *obstacles;
        Fluid *fluid;
        EmitterDef emitter = {.rotation = {0, turns[k % 2], 0},
                              .width = 0.6f,
                              .height = 0.6f,
                              .speed = 5.6f,
                              .stop = 0.28,
                              .volume = INFINITY};
        ASSERT_OK(obstacles_create((TankDef){.present = false}, 0.0f, NULL, 0, &obstacles));
        ASSERT_OK(fluid_create(&def, obstacles, &emitter, 1, NULL, 0, &fluid));
        fluid_run(fluid, 1.1);
        FrameView view = fluid_view(fluid);
        double mean[2] = {0, 0};
        for (uint32_t i = 0; i < view.count; i++) {
            mean[0] += (double)view.vx[i] / view.count;
            mean[1] += (double)view.vy[i] / view.count;
        }
        mean[0] /= 5.6 * sin(turn * acos(-1.0) / 180.0);
        print_message("%g degrees, steps of %g s: %.4f of its speed\n", turn, (double)def.time_step, mean[0]);
        assert_true(view.count > 500);
        assert_float_equal(mean[0], 1, 0.02);
        assert_float_equal(mean[1], 0, 0.01);
        fluid_destroy(fluid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_falls_by_g_t_squared_over_two),
        cmocka_unit_test(water_falls_from_a_lid),
        cmocka_unit_test(momentum_stays_under_constraint_tension_and_viscosity),
        cmocka_unit_test(angular_momentum_stays_under_the_density_constraint),
        cmocka_unit_test(vorticity_confinement_keeps_momentum_and_gives_no_energy),
        cmocka_unit_test(strong_confinement_gives_back_what_viscosity_took),
        cmocka_unit_test(energy_does_not_grow_without_inflow),
        cmocka_unit_test(water_starts_at_rest_with_steps_of_every_length),
        cmocka_unit_test(short_steps_after_long_ones_give_no_energy),
        cmocka_unit_test(the_projection_of_velocities_gives_no_energy),
        cmocka_unit_test(a_weightless_cube_of_water_turns_into_a_sphere),
        cmocka_unit_test(tension_of_fine_water_gives_no_more_speed_than_its_surface_holds),
        cmocka_unit_test(steps_are_as_short_as_waves_and_tension_ask),
        cmocka_unit_test(warm_steps_ask_the_heap_for_nothing),
        cmocka_unit_test(a_fluid_of_nothing_steps),
        cmocka_unit_test(emitters_pour_their_volume_at_their_speed_and_drains_take_it_away),
        cmocka_unit_test(a_falling_stream_gains_what_it_falls_and_has_no_layers),
        cmocka_unit_test(a_stream_that_rises_askew_keeps_its_speed_along_the_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
