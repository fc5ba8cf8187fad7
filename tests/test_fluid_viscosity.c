// Viscosity against the flows that have it in a formula, at several spacings and lengths of a step.
#include "fluid_helpers.h"

#include "core/memory.h"

#include "core/parallel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

// Nothing acts but pressure and viscosity.
static FluidDef plain_def(float spacing, double dt, double viscosity)
{
    FluidDef def = fluid_def_default();
    def.spacing = spacing;
    def.gravity = vec3_make(0, 0, 0);
    def.time_step = dt;
    def.max_substeps = 1; // a step is as long as it is asked to be
    def.viscosity = (float)viscosity;
    def.xsph = def.scorr_strength = def.surface_tension = 0.0f;
    def.global_pressure = false;
    return def;
}

static void assert_within(double found, double expected, double share, const char *what)
{
    if (!(fabs(found - expected) <= share * fabs(expected)))
        fail_msg("%s: %.7g, should be %.7g (%.2g off, %.2g allowed)", what, found, expected,
                 fabs(found / expected - 1.0), share);
}

// --- shear waves ---

// Along x so long that its ends are not felt, where the flow's shear stress meets none.
#define LENGTH 41 // particles along x
#define WIDTH 9   // along y
#define HEIGHT 33 // along z

typedef struct Wave {
    double amplitude, wave_number; // m/s, 1/m
} Wave;

typedef struct Site {
    int x, y, z; // spacings from the middle
} Site;
static Site site_of(int id)
{
    return (Site){id % LENGTH - LENGTH / 2, id / LENGTH % WIDTH - WIDTH / 2,
                  id / LENGTH / WIDTH - HEIGHT / 2};
}

// A block of the lattice at rest, moving as v_x = amplitude cos(wave_number z) around its middle.
static Fluid *shear_wave(const FluidDef *def, Wave wave)
{
    Fluid *fluid = fluid_for_test(def, vec3_make(0, 0, 0), NULL, 0);
    for (int k = 0; k < LENGTH * WIDTH * HEIGHT; k++) {
        Site site = site_of(k);
        Vec3 at = vec3_scale(vec3_make((float)site.x, (float)site.y, (float)site.z), def->spacing);
        double v = wave.amplitude * cos(wave.wave_number * (double)at.z);
        ASSERT_OK(fluid_add(fluid, &at, 1, vec3_make((float)v, 0, 0)));
    }
    return fluid;
}

// The wave's amplitude, by projection of what was around the middle at the start.
static double amplitude_of(const Fluid *fluid, Wave wave)
{
    FrameView view = fluid_view(fluid);
    double along = 0.0, square = 0.0;
    for (uint32_t i = 0; i < view.count; i++) {
        Site site = site_of((int)view.id[i]);
        if (abs(site.x) > 4 || abs(site.y) > 2 || abs(site.z) > HEIGHT / 4) continue;
        double shape = cos(wave.wave_number * (double)view.z[i]);
        along += shape * (double)view.vx[i];
        square += shape * shape;
    }
    return along / square;
}

// v_x decays as exp(-nu k^2 t). Around the middle, so early that the faces are not felt.
static double measured_viscosity(const FluidDef *def)
{
    double d = (double)def->spacing, dt = def->time_step, k = 2.0 * PI / (24.0 * d);
    double nu = fluid_acting_viscosity(def), steps = fmin(fmax(ceil(0.03 / (nu * k * k * dt)), 2.0), 40.0);
    Wave wave = {0.2 * d / dt / steps, k};
    Fluid *fluid = shear_wave(def, wave);
    fluid_run(fluid, dt);
    double before = amplitude_of(fluid, wave);
    fluid_run(fluid, (1.0 + steps) * dt);
    double rate = log(before / amplitude_of(fluid, wave)) / (steps * dt);
    fluid_destroy(fluid);
    return rate / (k * k);
}

static void a_shear_wave_decays_by_the_viscosity_at_every_spacing(void **state)
{
    (void)state;
    static const struct {
        double viscosity;
        float spacing;
    } cases[] = {{1e-3, 0.02f}, {0.01, 0.05f}, {0.1, 0.1f}, {1.0, 0.1f}};
    for (int k = 0; k < 16; k++) {
        if (test_is_sanitized() ? k != 1 && k != 9 : test_is_quick() && k % 4 != 1) continue;
        float spacing = cases[k / 4].spacing * (k & 1 ? 0.5f : 1.0f);
        double dt = k & 2 ? 0.0015 : 0.006, nu = cases[k / 4].viscosity;
        FluidDef def = plain_def(spacing, dt, nu);
        double found = measured_viscosity(&def);
        print_message("nu %g, spacing %g, steps of %g ms: %.4f of it\n", nu, (double)spacing, 1e3 * dt,
                      found / nu);
        assert_within(found, nu, 0.03, "viscosity");
    }
}

#define ACROSS 6 // particles along x and y of a space without sides

// Space without sides, 1 m high, whose water moves along x as sin(2 pi z).
static Fluid *endless_wave(const FluidDef *def, double amplitude)
{
    double d = (double)def->spacing;
    float side = (float)(ACROSS * d);
    TankDef tank = {.present = true, .size = {side, side, 1.0f}, .periodic = {true, true, true}};
    for (int face = 0; face < TANK_FACE_COUNT; face++) tank.open[face] = true;
    Obstacles *obstacles;
    Fluid *fluid;
    ASSERT_OK(obstacles_create(tank, 0.0f, NULL, 0, &obstacles));
    ASSERT_OK(fluid_create(def, obstacles, NULL, 0, NULL, 0, &fluid));
    for (int k = 0; k < ACROSS * ACROSS * (int)lround(1.0 / d); k++) {
        double at[3] = {(k % ACROSS + 0.5) * d, (k / ACROSS % ACROSS + 0.5) * d,
                        (k / (ACROSS * ACROSS) + 0.5) * d};
        Vec3 place = {(float)at[0], (float)at[1], (float)at[2]};
        ASSERT_OK(fluid_add(fluid, &place, 1, vec3_make((float)(amplitude * sin(2.0 * PI * at[2])), 0, 0)));
    }
    return fluid;
}

static double endless_amplitude(const Fluid *fluid)
{
    FrameView view = fluid_view(fluid);
    double sum = 0.0;
    for (uint32_t i = 0; i < view.count; i++) sum += sin(2.0 * PI * (double)view.z[i]) * (double)view.vx[i];
    return 2.0 * sum / view.count;
}

// With all that is on by default, while particles pass each other: what else smooths is no more than that.
static void thin_water_is_as_thin_as_it_is_set_with_every_term_on(void **state)
{
    (void)state;
    if (test_is_sanitized()) skip(); // other tests come through the same code
    const double viscosity = 1e-3, k = 2.0 * PI, begin = 0.2, end = 1.2;
    parallel_set_workers(1); // too little water to share
    for (int n = 0; n < (test_is_quick() ? 1 : test_is_full() ? 4 : 3); n++) {
        FluidDef def = fluid_def_default();
        def.spacing = n & 1 ? 0.025f : 0.05f;
        def.time_step = n & 2 ? 0.0015 : 0.006;
        def.gravity = vec3_make(0, 0, 0);
        def.viscosity = (float)viscosity;
        Fluid *fluid = endless_wave(&def, 0.3);
        fluid_run(fluid, begin);
        double before = endless_amplitude(fluid);
        fluid_run(fluid, end);
        double found = log(before / endless_amplitude(fluid)) / ((end - begin) * k * k);
        print_message("spacing %g, steps of %g ms: %.4f of it\n", (double)def.spacing, 1e3 * def.time_step,
                      found / viscosity);
        assert_within(found, viscosity, 0.03, "viscosity");
        fluid_destroy(fluid);
    }
    parallel_set_workers(0);
}

// What one implicit step does is what many explicit ones do, even to a wave as short as 6 spacings.
static void an_implicit_step_does_what_many_explicit_ones_do(void **state)
{
    (void)state;
    double end[2], d = 0.05;
    Wave wave = {0.1 * d / 0.006, 2.0 * PI / (6.0 * d)};
    for (int k = 0; k < 2; k++) {
        FluidDef def = plain_def((float)d, k ? 0.006 / 64 : 0.006, 0.1);
        def.viscosity_error = 1e-5;
        Fluid *fluid = shear_wave(&def, wave);
        StepReport report = fluid_run(fluid, 0.006);
        assert_true((report.viscosity_iterations > 0) == (k == 0));
        assert_true(report.viscosity_error <= 1e-5);
        end[k] = amplitude_of(fluid, wave);
        fluid_destroy(fluid);
    }
    print_message("amplitude %.5f implicit, %.5f explicit\n", end[0] / wave.amplitude,
                  end[1] / wave.amplitude);
    assert_true(end[1] < 0.8 * wave.amplitude);
    assert_within(end[0], end[1], 0.01, "amplitude");
}

static void implicit_viscosity_keeps_momentum_and_takes_energy(void **state)
{
    (void)state;
    FluidDef def = plain_def(0.1f, 0.006, 1.0);
    Fluid *fluid = fluid_collision(&def);
    fluid_run(fluid, 0.006);
    FluidSums before = fluid_sums(fluid, 0.0), last = before;
    double spin = 0.0;
    for (int axis = 0; axis < 3; axis++) spin = fmax(spin, fabs(before.angular_momentum[axis]));
    for (int k = 2; k < 50; k++) {
        fluid_run(fluid, k * 0.006);
        FluidSums now = fluid_sums(fluid, 0.0);
        assert_true(now.kinetic < 1.001 * last.kinetic);
        last = now;
    }
    for (int axis = 0; axis < 3; axis++) {
        assert_float_equal(last.momentum[axis], before.momentum[axis], 1e-4 * 1024 * 2.0);
        assert_float_equal(last.angular_momentum[axis], before.angular_momentum[axis], 0.02 * spin);
    }
    assert_true(last.kinetic < 0.5 * before.kinetic);
    fluid_destroy(fluid);
}

static void implicit_viscosity_gives_the_same_bits_for_all_lists_and_threads(void **state)
{
    (void)state;
    static const char *const methods[] = {"uniform_grid", "octree", "kd_tree", "cluster_grid",
                                          "cluster_grid"};
    static const uint32_t threads[] = {1, 2, 5, 1, 3};
    uint64_t hashes[5];
    for (int k = 0; k < 5; k++) {
        FluidDef def = plain_def(0.1f, 0.006, 0.7);
        snprintf(def.neighbor, sizeof def.neighbor, "%s", methods[k]);
        parallel_set_workers(threads[k]);
        Fluid *fluid = fluid_collision(&def);
        // Several blocks of the sums.
        fluid_fill_lattice(fluid, vec3_make(-2, -2, -3), 30, 30, 10, 0.1f, vec3_make(0, 0, 1));
        fluid_run(fluid, test_is_sanitized() ? 0.012 : 0.03);
        hashes[k] = fluid_state_hash(fluid);
        fluid_destroy(fluid);
    }
    parallel_set_workers(0);
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
    assert_true(hashes[3] == hashes[4]);
}

// --- walls that water sticks to ---

typedef struct Channel {
    int length, width, height; // particles
    double viscosity, acceleration;
} Channel;

// A slab between two walls, z = 0 and z = height, that it sticks to, pushed along x. Its ends are free.
static Fluid *channel_of(const FluidDef *def, const Channel *c)
{
    double d = (double)def->spacing;
    TankDef tank = {.present = true, .no_slip = true, .size = {100, 100, (float)(c->height * d)}};
    for (int face = TANK_X_LO; face <= TANK_Y_HI; face++) tank.open[face] = true;
    Obstacles *obstacles;
    Fluid *fluid;
    ASSERT_OK(obstacles_create(tank, 0.0f, NULL, 0, &obstacles));
    ASSERT_OK(fluid_create(def, obstacles, NULL, 0, NULL, 0, &fluid));
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), (uint32_t)c->length, (uint32_t)c->width,
                       (uint32_t)c->height, 0.0f, vec3_make(0, 0, 0));
    return fluid;
}

// The steady profile g z (H - z) / (2 nu), of the layers in the middle of the slab. Starts are over after H^2
// / nu; ends are felt half a height deep.
static double profile_error(const FluidDef *def, const Channel *c)
{
    double d = (double)def->spacing, height = c->height * d;
    Fluid *fluid = channel_of(def, c);
    fluid_measure_loads(fluid, true);
    double dt = fluid_run(fluid, 0.8 * height * height / c->viscosity).dt;
    FrameView view = fluid_view(fluid);
    double most = c->acceleration * height * height / (8.0 * c->viscosity), error = 0.0;
    double sum[64] = {0};
    int count[64] = {0};
    for (uint32_t i = 0; i < view.count; i++) {
        int x = (int)view.id[i] % c->length, z = (int)view.id[i] / c->length / c->width;
        if (abs(x - c->length / 2) > 2) continue;
        double level = (double)view.z[i];
        sum[z] += (double)view.vx[i] - c->acceleration * level * (height - level) / (2.0 * c->viscosity);
        count[z]++;
    }
    for (int z = 0; z < c->height; z++) error = fmax(error, fabs(sum[z] / count[z]) / most);
    double centre = 1.0 + sum[c->height / 2] / count[c->height / 2] / most;
    print_message("nu %g, spacing %g, steps of %g ms: middle %.4f of theory, profile within %.4f\n",
                  c->viscosity, d, 1e3 * def->time_step, centre, error);
    // The walls carry all that pushes the slab.
    double push = view.count * (double)def->rest_density * d * d * d * c->acceleration;
    assert_within(fluid_load(fluid, FLUID_TANK).impulse[0] / dt, push, 0.03, "force on the walls");
    fluid_destroy(fluid);
    return error;
}

static void flow_between_plates_has_poiseuilles_profile(void **state)
{
    (void)state;
    if (test_is_sanitized()) skip(); // water sticks to walls in the next test, too
    static const struct {
        double viscosity;
        float spacing;
    } cases[] = {{1e-3, 0.01f}, {0.01, 0.025f}, {0.1, 0.05f}, {1.0, 0.1f}};
    for (int k = 0; k < 16; k++) {
        float spacing = cases[k / 4].spacing * (k & 1 ? 0.5f : 1.0f);
        double dt = k & 2 ? 0.0015 : 0.006, d = (double)spacing;
        if (!test_is_full() && (test_is_quick() ? k != 8 : k % 4 != 0)) continue;
        Channel c = {36, 7, k & 1 ? 20 : 10, cases[k / 4].viscosity, 0.0};
        if (k & 1) c.length = 72;
        // So fast that the middle moves by a spacing or so.
        c.acceleration = 8.0 * pow(c.viscosity, 2) * d / pow(c.height * d, 4);
        FluidDef def = plain_def(spacing, dt, c.viscosity);
        def.gravity = vec3_make((float)c.acceleration, 0, 0);
        assert_true(profile_error(&def, &c) < 0.03);
    }
}

// Weight is held up before walls drag at what falls: else each step drives a roll of g dt along them.
static void still_water_that_sticks_to_its_walls_stays_still(void **state)
{
    (void)state;
    const float spacings[] = {0.05f, 0.025f};
    for (int k = 0; k < (test_is_full() ? 4 : 1); k++) {
        float spacing = spacings[k & 1], side = 10.0f * spacing;
        FluidDef def = fluid_def_default();
        def.spacing = spacing;
        def.viscosity = 0.1f;
        if (k & 2) def.time_step = 0.002;
        TankDef tank = {.present = true, .no_slip = true, .size = {side, side, 2.0f * side}};
        tank.open[TANK_Z_HI] = true;
        Obstacles *obstacles;
        Fluid *fluid;
        ASSERT_OK(obstacles_create(tank, 0.0f, NULL, 0, &obstacles));
        ASSERT_OK(fluid_create(&def, obstacles, NULL, 0, NULL, 0, &fluid));
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 10, 10, 10, 0.0f, vec3_make(0, 0, 0));
        fluid_measure_loads(fluid, true);
        double dt = fluid_run(fluid, 1.0).dt;
        double rms = fluid_sums(fluid, 0.0).rms_speed / sqrt(9.81 * (double)side);
        double volume = fluid_view(fluid).count * pow((double)spacing, 3.0);
        assert_within(fluid_load(fluid, FLUID_TANK).impulse[2] / dt,
                      -(double)def.rest_density * volume * 9.81, 0.02, "force on the tank");
        print_message("spacing %g, steps of at most %g ms: %.2f %% of sqrt(g H)\n", (double)spacing,
                      1e3 * def.time_step, 100.0 * rms);
        assert_true(rms < 0.003);
        fluid_destroy(fluid);
    }
}

// --- smoothing ---

// A ball that spins, with every default on.
static void a_spinning_drop_keeps_its_angular_momentum(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        FluidDef def = fluid_def_default();
        def.gravity = vec3_make(0, 0, 0);
        def.viscosity = k ? 0.05f : def.viscosity;
        Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
        fluid_add_turning_ball(fluid, 0.0f, 10.0f, def.spacing, 0.5f);
        double before = fluid_sums(fluid, 0.0).angular_momentum[2];
        fluid_run(fluid, test_is_sanitized() ? 0.1 : test_is_quick() ? 1.0 : 4.0);
        double kept = fluid_sums(fluid, 0.0).angular_momentum[2] / before;
        print_message("viscosity %g: %.4f of the angular momentum\n", (double)def.viscosity, kept);
        // Pressure pulls inward where particles are about to be: the more, the less the drop gives way.
        assert_within(kept, 1.0, k ? 0.01 : 0.005, "angular momentum");
        fluid_destroy(fluid);
    }
}

// Water and a ball inside it turn as one: nothing shears, so that the ball that it sticks to neither drives
// nor holds it.
static void water_that_turns_with_a_body_feels_none_of_it(void **state)
{
    (void)state;
    static const struct {
        float spacing;
        double step;
    } cases[] = {{0.1f, 0.02}, {0.1f, 0.004}, {0.05f, 0.02}, {0.05f, 0.004}};
    const float rate = 0.5f, inner = 4.0f, outer = 9.0f; // rad/s; spacings
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += test_stride(3)) {
        float d = cases[k].spacing;
        FluidDef def = fluid_def_default();
        def.gravity = vec3_make(0, 0, 0);
        def.spacing = d;
        def.time_step = cases[k].step;
        def.viscosity = 0.5f * d;                                  // all of it feels the ball within a second
        Keyframe *keys = memory_allocate_zeroed(5 * sizeof *keys); // freed with the body
        assert_non_null(keys);
        for (int n = 0; n < 5; n++) {
            double t = n - 2.0;
            keys[n] = (Keyframe){.time = t, .rotation = {0, 0, (float)t * rate * 57.29578f}};
        }
        ObstacleDef ball = {.shape = {.kind = SHAPE_SPHERE, .radius = inner * d}, .no_slip = true};
        ball.motion = (MotionDef){.kind = MOTION_KEYFRAMES, .keyframes = keys, .keyframe_count = 5};
        Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), &ball, 1);
        fluid_add_turning_ball(fluid, inner + 0.5f, outer, d, rate);
        double before = fluid_sums(fluid, 0.0).angular_momentum[2];
        fluid_run(fluid, 1.0);
        double kept = fluid_sums(fluid, 0.0).angular_momentum[2] / before;
        print_message("d %g m, steps of %g s: %.4f of the angular momentum\n", (double)d, cases[k].step,
                      kept);
        assert_within(kept, 1.0, 0.018, "angular momentum");
        fluid_destroy(fluid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shear_wave_decays_by_the_viscosity_at_every_spacing),
        cmocka_unit_test(thin_water_is_as_thin_as_it_is_set_with_every_term_on),
        cmocka_unit_test(an_implicit_step_does_what_many_explicit_ones_do),
        cmocka_unit_test(implicit_viscosity_keeps_momentum_and_takes_energy),
        cmocka_unit_test(implicit_viscosity_gives_the_same_bits_for_all_lists_and_threads),
        cmocka_unit_test(flow_between_plates_has_poiseuilles_profile),
        cmocka_unit_test(still_water_that_sticks_to_its_walls_stays_still),
        cmocka_unit_test(a_spinning_drop_keeps_its_angular_momentum),
        cmocka_unit_test(water_that_turns_with_a_body_feels_none_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
