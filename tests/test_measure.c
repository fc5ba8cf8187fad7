// Measurements against analytic values: energies and momenta of rigid motion and free fall, the divergence of
// linear flows, the level of still water, the flux of a nozzle, the force on a body in water.
#include "fluid_helpers.h"
#include "reference_fluid.h"
#include "scene_helpers.h"

#include "core/cpu.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "measure/measure.h"
#include "measure/quantities.h"
#include "measure/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- views made by hand ---

#define SIDE 20u // more than one block of clusters
#define COUNT (SIDE * SIDE * SIDE)
#define SPACING 0.1

// A cube of particles on a lattice about (3, 2, 1), off the origin of the domain; velocities are a linear
// function of the place from there: v = drift + gradient x.
typedef struct Lattice {
    float number[PARTICLE_STREAM_COUNT][COUNT + 16];
    FrameView view;
} Lattice;

static Lattice *lattice_make(const double drift[3], const double gradient[3][3])
{
    Lattice *lattice = memory_allocate_zeroed(sizeof *lattice); // aligned, as streams are
    assert_non_null(lattice);
    FrameView *view = &lattice->view;
    *view = (FrameView){.origin = {2, 1.5, 0.75},
                        .spacing = (float)SPACING,
                        .radius = (float)(2.5 * SPACING),
                        .rest_density = 1000,
                        .count = COUNT};
    for (int k = 0; k < PARTICLE_STREAM_COUNT; k++) view->stream[k] = lattice->number[k];
    ParticleStreams streams;
    memcpy(&streams, (const void *)view->stream, sizeof streams);
    for (uint32_t i = 0; i < COUNT; i++) {
        double at[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)}, v[3];
        for (int a = 0; a < 3; a++) at[a] = (at[a] - 0.5 * (SIDE - 1)) * SPACING;
        for (int a = 0; a < 3; a++)
            v[a] = drift[a] + gradient[a][0] * at[0] + gradient[a][1] * at[1] + gradient[a][2] * at[2];
        streams.x[i] = (float)(at[0] + 1), streams.y[i] = (float)(at[1] + 0.5),
        streams.z[i] = (float)(at[2] + 0.25);
        streams.vx[i] = (float)v[0], streams.vy[i] = (float)v[1], streams.vz[i] = (float)v[2];
        bool inside = true; // two and a half spacings and more from the surface
        for (int a = 0; a < 3; a++) inside &= fabs(at[a]) < (0.5 * SIDE - 2.5) * SPACING;
        streams.density[i] = inside ? 1000 : 900;
        streams.id[i] = i;
        double curl[3] = {gradient[2][1] - gradient[1][2], gradient[0][2] - gradient[2][0],
                          gradient[1][0] - gradient[0][1]};
        streams.vorticity[i] = (float)hypot(hypot(curl[0], curl[1]), curl[2]);
    }
    return lattice;
}

static FluidTotals sums_of(const Lattice *lattice)
{
    QuantityWork *work;
    FluidTotals sums;
    ASSERT_OK(quantities_create(&work));
    ASSERT_OK(quantities_measure(work, &lattice->view, vec3_make(0, 0, -9.81f), &sums));
    quantities_free(work);
    return sums;
}

static void rigid_motion_has_its_analytic_energy_and_momenta(void **state)
{
    (void)state;
    const double w = 2.5, drift[3] = {1, -2, 0.5}, turn[3][3] = {{0, -w, 0}, {w, 0, 0}, {0, 0, 0}};
    Lattice *lattice = lattice_make(drift, turn);
    FluidTotals sums = sums_of(lattice);
    double mass = COUNT * 1000 * pow(SPACING, 3), inertia = mass * SPACING * SPACING * (SIDE * SIDE - 1) / 6;
    ASSERT_WITHIN(sums.kinetic, 0.5 * mass * 5.25 + 0.5 * inertia * w * w, 1e-4 * mass);
    ASSERT_WITHIN(sums.potential, mass * 9.81 * 1, 1e-4 * mass); // the center is at z = 1
    for (int a = 0; a < 3; a++) ASSERT_WITHIN(sums.momentum[a], mass * drift[a], 1e-4 * mass);
    ASSERT_WITHIN(sums.angular_momentum[0], 0, 1e-4 * inertia);
    ASSERT_WITHIN(sums.angular_momentum[1], 0, 1e-4 * inertia);
    ASSERT_WITHIN(sums.angular_momentum[2], inertia * w, 1e-4 * inertia);
    double volume = COUNT * pow(SPACING, 3);
    ASSERT_WITHIN(sums.enstrophy, 0.5 * volume * 4 * w * w, 1e-4 * volume);
    ASSERT_WITHIN(sums.center[0], 3, 1e-6);
    ASSERT_WITHIN(sums.center[1], 2, 1e-6);
    ASSERT_WITHIN(sums.center[2], 1, 1e-6);
    for (int a = 0; a < 3; a++) ASSERT_WITHIN(sums.spread[a], SPACING * sqrt((SIDE * SIDE - 1) / 12.0), 1e-6);
    ASSERT_WITHIN(sums.volume, COUNT * pow(SPACING, 3), 1e-6);
    ASSERT_WITHIN(sums.divergence, 0, 1e-4); // nothing is compressed
    memory_free(lattice);
}

static void divergence_is_that_of_linear_flows(void **state)
{
    (void)state;
    const double none[3] = {0}, out[3][3] = {{0.3, 0, 0}, {0, 0.2, 0}, {0, 0, 0.5}},
                 shear[3][3] = {{0, 0, 4}, {0, 0, 0}, {0, 0, 0}};
    Lattice *spread = lattice_make(none, out), *sheared = lattice_make(none, shear);
    ASSERT_WITHIN(sums_of(spread).divergence, 1.0, 0.02); // of the kernel's sums over a lattice
    ASSERT_WITHIN(sums_of(sheared).divergence, 0.0, 0.05);
    memory_free(spread);
    memory_free(sheared);
}

static double divergence_of(const FrameView *view, uint32_t i)
{
    double h = (double)view->radius, sum = 0;
    RefFluid kernel = {.h = h, .norm = 8 / (3.14159265358979 * pow(h, 3))};
    for (uint32_t j = 0; j < view->count; j++) {
        double d[3] = {(double)view->x[i] - (double)view->x[j], (double)view->y[i] - (double)view->y[j],
                       (double)view->z[i] - (double)view->z[j]};
        double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (j == i || r2 >= h * h) continue;
        double along = ((double)view->vx[j] - (double)view->vx[i]) * d[0] +
                       ((double)view->vy[j] - (double)view->vy[i]) * d[1] +
                       ((double)view->vz[j] - (double)view->vz[i]) * d[2];
        double volume = pow(SPACING, 3) * 1000 / (double)view->density[j];
        sum += volume * along * reference_slope(&kernel, sqrt(r2)) / sqrt(r2);
    }
    return sum;
}

// Of water that is not the same anywhere, against the sum over all pairs.
static void divergence_is_the_sum_over_all_pairs(void **state)
{
    (void)state;
    const double drift[3] = {0.1, 0.2, 0.3}, mixed[3][3] = {{0.3, 1, 2}, {-3, 0.2, 1}, {2, 1, 0.5}};
    Lattice *lattice = lattice_make(drift, mixed);
    ParticleStreams streams;
    memcpy(&streams, (const void *)lattice->view.stream, sizeof streams);
    for (uint32_t i = 0; i < COUNT; i++) {
        streams.density[i] += 40 * sinf((float)i);
        streams.x[i] += 0.01f * sinf(3 * (float)i), streams.z[i] += 0.01f * sinf(5 * (float)i);
        streams.vx[i] += 0.2f * sinf(7 * (float)i), streams.vy[i] += 0.2f * sinf(11 * (float)i);
    }
    double squares = 0;
    uint32_t inside = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        if (!(lattice->view.density[i] >= 0.95f * 1000)) continue;
        squares += pow(divergence_of(&lattice->view, i), 2);
        inside++;
    }
    double expected = sqrt(squares / inside);
    assert_true(inside > 1000 && inside < COUNT && expected > 1);
    ASSERT_WITHIN(sums_of(lattice).divergence, expected, 1e-5 * expected);
    memory_free(lattice);
}

// Of whole blocks of clusters, and of clusters that are not full.
static void divergence_is_that_of_so_many_particles(void **state)
{
    (void)state;
    const double none[3] = {0}, out[3][3] = {{0.3, 0, 0}, {0, 0.2, 0}, {0, 0, 0.5}};
    Lattice *lattice = lattice_make(none, out);
    ParticleStreams streams;
    memcpy(&streams, (const void *)lattice->view.stream, sizeof streams);
    for (uint32_t i = 0; i < COUNT; i++) streams.density[i] = 1000;
    const uint32_t counts[] = {1024, 1023, 1009, 4096};
    for (int k = 0; k < 4; k++) {
        double squares = 0;
        lattice->view.count = counts[k];
        for (uint32_t i = 0; i < counts[k]; i++) squares += pow(divergence_of(&lattice->view, i), 2);
        double expected = sqrt(squares / counts[k]);
        ASSERT_WITHIN(sums_of(lattice).divergence, expected, 1e-5 * expected);
    }
    memory_free(lattice);
}

static void sums_do_not_depend_on_threads_and_instruction_sets(void **state)
{
    (void)state;
    const double drift[3] = {0.1, 0.2, 0.3}, mixed[3][3] = {{0.3, 1, 2}, {-3, 0.2, 1}, {2, 1, 0.5}};
    Lattice *lattice = lattice_make(drift, mixed);
    FluidTotals one, other;
    parallel_set_workers(1);
    one = sums_of(lattice);
    parallel_set_workers(4);
    other = sums_of(lattice);
    assert_memory_equal(&one, &other, sizeof one);
    parallel_set_workers(0);
    for (CpuLevel level = CPU_PLAIN; level < cpu_best_level(CPU_AVX512); level++) {
        cpu_set_level(level);
        other = sums_of(lattice);
        assert_memory_equal(&one, &other, sizeof one);
    }
    cpu_set_level(CPU_AVX512);
    memory_free(lattice);
}

// --- fluids ---

static uint32_t column_of(const Measure *measure, const char *name)
{
    uint32_t k = 0;
    while (strcmp(measure_column(measure, k), name) != 0) k++;
    return k;
}

static double value_of(const Measure *measure, const double *row, const char *name)
{
    return row[column_of(measure, name)];
}

typedef struct Gauged {
    SceneDef scene;
    Fluid *fluid;
    Measure *measure;
    double row[64];
} Gauged;

static Gauged gauged_start(const char *text)
{
    Gauged gauged = {.scene = scene_from_text(text, "fluid.rest_density=1000")};
    ASSERT_OK(scene_build(&gauged.scene, &gauged.fluid));
    ASSERT_OK(measure_create(gauged.fluid, gauged.scene.fluid.gravity, gauged.scene.probes,
                             gauged.scene.probe_count, &gauged.measure));
    assert_true(measure_column_count(gauged.measure) <= 64);
    return gauged;
}

static void gauged_run(Gauged *gauged, double until)
{
    while (fluid_time(gauged->fluid) < until) {
        ASSERT_OK(fluid_step(gauged->fluid, until, NULL));
        ASSERT_OK(measure_step(gauged->measure));
    }
    ASSERT_OK(measure_row(gauged->measure, gauged->row));
}

static double gauged_value(const Gauged *gauged, const char *name)
{
    return value_of(gauged->measure, gauged->row, name);
}

// Means of columns over so many rows from a time on, 0.05 s apart.
static void gauged_means(Gauged *gauged, double from, int rows, int columns, const char *const names[],
                         double means[])
{
    gauged_run(gauged, from);
    for (int c = 0; c < columns; c++) means[c] = 0.0;
    for (int k = 1; k <= rows; k++) {
        gauged_run(gauged, from + 0.05 * k);
        for (int c = 0; c < columns; c++) means[c] += gauged_value(gauged, names[c]) / rows;
    }
}

// Root mean square, m/s, of this kinetic energy, J.
static double gauged_speed(const Gauged *gauged, double energy)
{
    return sqrt(2.0 * energy / (1000.0 * gauged_value(gauged, "volume")));
}

static void gauged_end(Gauged *gauged)
{
    measure_free(gauged->measure);
    fluid_destroy(gauged->fluid);
    scene_free(&gauged->scene);
}

// With sanitizers some steps bring the same code to work: then true, and what was gauged is freed. What
// averages over longer times say is tested as released.
static bool gauged_shortly(Gauged *gauged)
{
    if (!test_is_sanitized()) return false;
    gauged_run(gauged, 0.05);
    gauged_end(gauged);
    return true;
}

static void free_fall_is_logged_as_it_falls(void **state)
{
    (void)state;
    Gauged g = gauged_start("spacing: 0.1\nwater: [{box: {min: [1, 2, 3], max: [1.8, 2.8, 3.8]}, velocity: "
                            "[2, 0.5, 1]}]\nsolver: {time_step: 0.001}\n");
    double mass = 512, t = 0.4, fall = 9.81 * t;
    gauged_run(&g, 0);
    ASSERT_WITHIN(gauged_value(&g, "particles"), 512, 0);
    ASSERT_WITHIN(gauged_value(&g, "center_z"), 3.4, 1e-5);
    double energy = gauged_value(&g, "energy");
    ASSERT_WITHIN(energy, mass * (9.81 * 3.4 + 2.625), 0.05);
    gauged_run(&g, t);
    ASSERT_WITHIN(gauged_value(&g, "time"), t, 1e-12);
    ASSERT_WITHIN(gauged_value(&g, "momentum_x"), mass * 2, 2);
    ASSERT_WITHIN(gauged_value(&g, "momentum_y"), mass * 0.5, 2);
    ASSERT_WITHIN(gauged_value(&g, "momentum_z"), mass * (1 - fall), 2);
    ASSERT_WITHIN(gauged_value(&g, "kinetic_energy"), 0.5 * mass * (4.25 + pow(1 - fall, 2)), 10);
    // Steps of the first order lose g^2 t dt / 2 of a unit mass.
    ASSERT_WITHIN(gauged_value(&g, "energy"), energy, 0.005 * energy);
    ASSERT_WITHIN(gauged_value(&g, "speed_max"), sqrt(4.25 + pow(1 - fall, 2)), 0.3);
    gauged_end(&g);
}

static void level_of_still_water_is_where_its_top_is(void **state)
{
    (void)state;
    // At the middle, at a wall, in a corner, beside the water; a drop in the air is not the surface.
    Gauged g = gauged_start(
        "spacing: 0.1\ntank: {size: [3, 2, 4]}\n"
        "water: [{box: {min: [0, 0, 0], max: [2, 2, 0.8]}},\n"
        "        {box: {min: [1, 1, 3], max: [1.1, 1.1, 3.1]}}]\n"
        "probes: [{name: a, level: {position: [1, 1]}}, {name: b, level: {position: [0, 1]}},\n"
        "         {name: c, level: {position: [0, 2]}}, {name: d, level: {position: [2.6, 1]}},\n"
        "         {name: e, level: {position: [1.03, 0.47]}}]\n");
    gauged_run(&g, 0);
    ASSERT_WITHIN(gauged_value(&g, "a_level"), 0.8, 0.002);
    ASSERT_WITHIN(gauged_value(&g, "b_level"), 0.8, 0.002);
    ASSERT_WITHIN(gauged_value(&g, "c_level"), 0.8, 0.002);
    assert_true(isnan(gauged_value(&g, "d_level")));
    ASSERT_WITHIN(gauged_value(&g, "e_level"), 0.8, 0.002);
    gauged_end(&g);
}

static void flux_of_a_nozzle_is_its_area_times_its_speed(void **state)
{
    (void)state;
    // Turned to the left, so the flux through a gate whose normal points right is negative.
    Gauged g =
        gauged_start("spacing: 0.05\nfluid: {gravity: [0, 0, 0]}\n"
                     "emitters: [{rectangle: {width: 0.4, height: 0.3}, position: [2, 0, 0], rotation: "
                     "[0, -90, 0], speed: 3}]\n"
                     "probes: [{name: gate, flux: {width: 1, height: 1, position: [1.7, 0, 0], rotation: "
                     "[0, 90, 0]}}, {name: pitot, velocity: {position: [1.7, 0, 0]}},\n"
                     "  {name: beside, flux: {width: 1, height: 1, position: [1.7, 2, 0], rotation: [0, "
                     "90, 0]}}]\n");
    gauged_run(&g, 0.2); // the jet has passed the gate
    gauged_run(&g, 0.6);
    ASSERT_WITHIN(gauged_value(&g, "gate_flux"), -0.4 * 0.3 * 3, 0.02 * 0.36);
    ASSERT_WITHIN(gauged_value(&g, "pitot_vx"), -3, 0.06);
    ASSERT_WITHIN(gauged_value(&g, "beside_flux"), 0, 0);
    gauged_end(&g);
}

// share: of the displaced water's weight, and of all water's.
static void check_forces(const char *set, double block_share, double total_share)
{
    char text[900];
    snprintf(text, sizeof text,
             "spacing: 0.05\ntank: {size: [1, 0.8, 1.2]}\n%s"
             "water: [{box: {min: [0, 0, 0], max: [1, 0.8, 0.9]}}]\n"
             "obstacles: [{name: block, box: {size: [0.4, 0.4, 0.4]}, position: [0.5, 0.4, 0.45]}]\n"
             "probes: [{name: block, force: {obstacle: block}}, {name: walls, force: {obstacle: tank}}, "
             "{name: p, pressure: {position: [0.15, 0.4, 0.4]}}]\n",
             set);
    Gauged g = gauged_start(text);
    if (gauged_shortly(&g)) return;
    gauged_run(&g, 1.0);
    double start = gauged_value(&g, "momentum_z");
    gauged_run(&g, 1.5);
    double weight = 9.81 * 1000 * gauged_value(&g, "volume"), displaced = 9810 * 0.064;
    double up = gauged_value(&g, "block_fz"), down = gauged_value(&g, "walls_fz");
    print_message("block %.1f N (displaced water %.1f N), walls %.1f N, water %.1f N, pressure %.0f Pa\n", up,
                  displaced, down, weight, gauged_value(&g, "p_pressure"));
    ASSERT_WITHIN(up, displaced, block_share * displaced); // water stays a part of a spacing away
    // All forces together are what the water's momentum gains.
    double gain = (gauged_value(&g, "momentum_z") - start) / 0.5;
    ASSERT_WITHIN(up + down, -(gain + weight), total_share * weight);
    ASSERT_WITHIN(gauged_value(&g, "block_fx"), 0, 0.03 * displaced);
    ASSERT_WITHIN(gauged_value(&g, "block_ty"), 0, 0.03 * displaced * 0.2);
    // Walls hold the water at the middle of the tank.
    ASSERT_WITHIN(gauged_value(&g, "walls_ty"), -0.5 * down, 0.02 * weight);
    ASSERT_WITHIN(gauged_value(&g, "p_pressure"), 9810 * 0.5, 0.1 * 9810 * 0.5);
    gauged_end(&g);
}

static void force_on_a_body_in_water_is_the_weight_that_it_displaces(void **state)
{
    (void)state;
    check_forces("solver: {global_pressure: false}\n", 0.05, 0.002);
}

// The grid's part acts through the faces of cells that bodies close, known to a quarter of a cell's edge.
static void force_by_the_far_pressure_is_that_too(void **state)
{
    (void)state;
    check_forces("", 0.02, 0.002);
}

typedef struct StillCase {
    const char *spacing, *step, *body;
    double displaced; // m^3
} StillCase;

// Everything is at rest, whatever the body is and however the cells cut it.
static void water_around_bodies_that_rest_stays_still_and_carries_them(void **state)
{
    (void)state;
    const StillCase cases[] = {
        {"0.05", "0.02", "box: {size: [0.6, 0.5, 0.05]}, rotation: [0, 15, 0]", 0.015},
        {"0.04", "0.02", "sphere: {radius: 0.2}", 4.0 / 3.0 * 3.14159265 * 0.008},
        {"0.04", "0.004", "cylinder: {radius: 0.15, height: 0.5}, rotation: [90, 0, 0]",
         0.5 * 3.14159265 * 0.0225},
        {"0.05", "0.004", "box: {size: [0.4, 0.3, 0.3]}, rotation: [20, 30, 0]", 0.036},
    };
    size_t count = test_is_quick() ? 1 : sizeof cases / sizeof *cases;
    for (const StillCase *c = cases; c < cases + count; c++) {
        char text[900];
        snprintf(text, sizeof text,
                 "spacing: %s\ntank: {size: [1.2, 0.8, 1.4]}\nsolver: {time_step: %s}\n"
                 "water: [{box: {min: [0, 0, 0], max: [1.2, 0.8, 1]}}]\n"
                 "obstacles: [{name: body, %s, position: [0.6, 0.4, 0.5]}]\n"
                 "probes: [{name: body, force: {obstacle: body}}]\n",
                 c->spacing, c->step, c->body);
        Gauged g = gauged_start(text);
        if (gauged_shortly(&g)) continue;
        double mean[2];
        gauged_means(&g, 1.4, 8, 2, (const char *[]){"body_fz", "kinetic_energy"}, mean);
        double up = mean[0], speed = gauged_speed(&g, mean[1]), weight = 9810.0 * c->displaced;
        print_message("%s, %s m: %.2f %% of sqrt(g H), %.3f of the displaced water's weight\n", c->body,
                      c->spacing, 100.0 * speed / sqrt(9.81), up / weight);
        assert_true(speed < 0.011 * sqrt(9.81)); // up to 0.07 with roofs that let water fall
        ASSERT_WITHIN(up, weight, 0.08 * weight);
        gauged_end(&g);
    }
}

// A block on the floor in two parts: water pushes on the upper one from above, where it juts out also from
// below, and nowhere between the parts.
static void bodies_that_stand_on_others_feel_the_water_that_touches_them(void **state)
{
    (void)state;
    const struct {
        const char *spacing;
        double width; // m, of the upper part
    } cases[] = {{"0.05", 0.6}, {"0.04", 0.4}, {"0.05", 0.4}, {"0.04", 0.6}};
    size_t count = test_is_sanitized() ? 1 : test_is_quick() ? 2 : sizeof cases / sizeof *cases;
    for (size_t k = 0; k < count; k++) {
        char text[900];
        double width = cases[k].width, top = 9810 * 0.5 * width * width;
        snprintf(text, sizeof text,
                 "spacing: %s\ntank: {size: [1.2, 1, 1.4]}\n"
                 "water: [{box: {min: [0, 0, 0], max: [1.2, 1, 1]}}]\n"
                 "obstacles: [{name: foot, box: {size: [0.4, 0.4, 0.4]}, position: [0.6, 0.5, 0.2]},\n"
                 "  {name: cap, box: {size: [%g, %g, 0.1]}, position: [0.6, 0.5, 0.45]}]\n"
                 "probes: [{name: foot, force: {obstacle: foot}}, {name: cap, force: {obstacle: cap}}]\n",
                 cases[k].spacing, width, width);
        Gauged g = gauged_start(text);
        if (gauged_shortly(&g)) continue;
        double mean[2];
        gauged_means(&g, 0.6, 6, 2, (const char *[]){"cap_fz", "foot_fz"}, mean);
        double cap = mean[0], foot = mean[1];
        double below = 9810 * 0.6 * (width * width - 0.16);
        print_message("%s m, upper part %g m wide: %.0f of %.0f N, lower part %.0f of 0 N\n",
                      cases[k].spacing, width, cap, below - top, foot);
        ASSERT_WITHIN(cap, below - top, 0.05 * top);
        ASSERT_WITHIN(foot, 0, 0.05 * top);
        gauged_end(&g);
    }
}

// Also in the layers at the floor, below the lowest centers of the pressure's cells: at the tank's, and on a
// box that ends where cells do.
static void probes_read_the_pressure_of_every_layer(void **state)
{
    (void)state;
    const struct {
        double spacing, step, floor; // m, s, m
    } cases[] = {{0.05, 0.02, 0}, {0.05, 0.02, 0.3}, {0.025, 0.02, 0}, {0.05, 0.003, 0}};
    for (size_t k = 0; k < (test_is_quick() ? 2 : sizeof cases / sizeof *cases); k++) {
        char text[900];
        double d = cases[k].spacing, floor = cases[k].floor, mean[4];
        const int layer[4] = {0, 1, 4, 8};
        int n = snprintf(text, sizeof text,
                         "spacing: %g\ntank: {size: [%g, %g, 1]}\nsolver: {time_step: %g}\n"
                         "obstacles: [{name: floor, box: {size: [2, 2, 1]}, position: [0.2, 0.2, %g]}]\n"
                         "water: [{box: {min: [0, 0, %g], max: [%g, %g, %g]}}]\nprobes:\n",
                         d, 8 * d, 8 * d, cases[k].step, floor - 0.5, floor, 8 * d, 8 * d, floor + 10 * d);
        for (int p = 0; p < 4; p++)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "  - {name: p%d, pressure: {position: [%g, %g, %g]}}\n", p, 4 * d, 4 * d,
                          floor + (layer[p] + 0.5) * d);
        Gauged g = gauged_start(text);
        if (gauged_shortly(&g)) continue;
        gauged_means(&g, 1.0, 8, 4,
                     (const char *[]){"p0_pressure", "p1_pressure", "p2_pressure", "p3_pressure"}, mean);
        print_message("d %g m, steps of %g s, floor at %g m, in spacings of water:", d, cases[k].step, floor);
        for (int p = 0; p < 4; p++) print_message(" %.2f", mean[p] / (998 * 9.81 * d));
        print_message("\n");
        for (int p = 0; p < 4; p++)
            ASSERT_WITHIN(mean[p], 998 * 9.81 * d * (9.5 - layer[p]), 998 * 9.81 * d * 0.2);
        gauged_end(&g);
    }
}

// Water less deep than a cell of the pressure grid, where that has no pressure yet, and a little deeper.
static void shallow_water_lies_on_the_floor_with_its_weight(void **state)
{
    (void)state;
    for (int layers = 2; layers <= 4; layers++) {
        char text[300];
        snprintf(text, sizeof text,
                 "spacing: 0.1\ntank: {size: [1, 1, 1]}\nwater: [{box: {min: [0, 0, 0], max: [1, 1, %g]}}]\n"
                 "probes: [{name: t, force: {obstacle: tank}}]\n",
                 0.1 * layers);
        Gauged g = gauged_start(text);
        if (gauged_shortly(&g)) continue;
        double force, weight = 998 * 9.81 * 0.1 * layers;
        gauged_means(&g, 1.0, 5, 1, (const char *[]){"t_fz"}, &force);
        print_message("%d layers: %.3f of the weight\n", layers, -force / weight);
        ASSERT_WITHIN(force, -weight, 0.01 * weight);
        gauged_end(&g);
    }
}

// A step on the floor with water two, three and four layers deep above it, beside deeper water: the floor and
// the step have each the weight above them.
static void a_step_in_shallow_water_feels_what_is_above_it(void **state)
{
    (void)state;
    for (int layers = 2; layers <= 4; layers++) {
        char text[400];
        snprintf(text, sizeof text,
                 "spacing: 0.1\ntank: {size: [2.4, 0.6, 1.2]}\n"
                 "obstacles: [{name: step, box: {size: [1.2, 0.6, 0.3]}, position: [0.6, 0.3, 0.15]}]\n"
                 "water: [{box: {min: [0, 0, 0.3], max: [1.2, 0.6, %g]}},\n"
                 "  {box: {min: [1.2, 0, 0], max: [2.4, 0.6, %g]}}]\n"
                 "probes: [{name: s, force: {obstacle: step}}]\n",
                 0.3 + 0.1 * layers, 0.3 + 0.1 * layers);
        Gauged g = gauged_start(text);
        if (gauged_shortly(&g)) continue;
        double force, weight = 998 * 9.81 * 0.72 * 0.1 * layers;
        gauged_means(&g, 1.0, 5, 1, (const char *[]){"s_fz"}, &force);
        print_message("%d layers above a step: %.3f of the weight\n", layers, -force / weight);
        ASSERT_WITHIN(force, -weight, 0.03 * weight);
        gauged_end(&g);
    }
}

// Air behind a wall thinner than a cell of the pressure grid is not the water's: at rest it is still.
static void water_beside_air_behind_a_thin_wall_stays_still(void **state)
{
    (void)state;
    static const char *const scenes[] = {
        // a wall beside the water, a floor, and a box of plates
        "tank: {size: [1.05, 0.9, 1.5]}\nwater: [{box: {min: [0, 0, 0], max: [1.05, 0.3, 0.4]}}]\n"
        "obstacles: [{box: {size: [2, 0.1, 4]}, position: [0.5, 0.35, 0]}]\n",
        "tank: {size: [1, 0.3, 2]}\nwater: [{box: {min: [0, 0, 0.6], max: [1, 0.3, 1]}}]\n"
        "obstacles: [{box: {size: [2, 2, 0.1]}, position: [0.5, 0.15, 0.55]}]\n",
        "water: [{box: {min: [0, 0, 0], max: [0.9, 0.3, 0.4]}}]\nobstacles:\n"
        "  - {box: {size: [1.1, 0.5, 0.1]}, position: [0.45, 0.15, -0.05]}\n"
        "  - {box: {size: [0.1, 0.5, 1]}, position: [-0.05, 0.15, 0.4]}\n"
        "  - {box: {size: [0.1, 0.5, 1]}, position: [0.95, 0.15, 0.4]}\n"
        "  - {box: {size: [1.1, 0.1, 1]}, position: [0.45, -0.05, 0.4]}\n"
        "  - {box: {size: [1.1, 0.1, 1]}, position: [0.45, 0.35, 0.4]}\n",
        // four plates that stand askew in the cells; some viscosity ends the fall into the corners
        "fluid: {viscosity: 0.05}\ntank: {size: [1.5, 1.5, 1.2]}\n"
        "water: [{box: {min: [0.45, 0.45, 0], max: [1.05, 1.05, 0.7]}}]\nobstacles:\n"
        "  - {box: {size: [0.1, 1.1, 1.2]}, position: [1.1830, 1.0000, 0.5], rotation: [0, 0, 30]}\n"
        "  - {box: {size: [0.1, 1.1, 1.2]}, position: [0.3170, 0.5000, 0.5], rotation: [0, 0, 30]}\n"
        "  - {box: {size: [1.1, 0.1, 1.2]}, position: [0.5000, 1.1830, 0.5], rotation: [0, 0, 30]}\n"
        "  - {box: {size: [1.1, 0.1, 1.2]}, position: [1.0000, 0.3170, 0.5], rotation: [0, 0, 30]}\n",
    };
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        char text[900];
        snprintf(text, sizeof text, "spacing: 0.05\n%s", scenes[k]);
        Gauged g = gauged_start(text);
        if (gauged_shortly(&g)) continue;
        double energy;
        gauged_means(&g, k == 3 ? 2.0 : 1.35, 8, 1, (const char *[]){"kinetic_energy"}, &energy);
        double speed = gauged_speed(&g, energy);
        print_message("scene %zu: %.2f %% of sqrt(g H)\n", k, 100.0 * speed / sqrt(9.81 * 0.4));
        assert_true(speed < 0.012 * sqrt(9.81 * 0.4));
        gauged_end(&g);
    }
}

static void measuring_changes_nothing(void **state)
{
    (void)state;
    const char *text =
        "spacing: 0.1\ntank: {size: [1, 1, 1]}\nwater: [{box: {min: [0, 0, 0], max: [0.5, 1, "
        "0.8]}}]\nobstacles: [{name: ball, sphere: {radius: 0.2}, position: [0.8, 0.5, 0.1]}]\n"
        "probes: [{name: ball, force: {obstacle: ball}}]\n";
    Gauged g = gauged_start(text);
    gauged_run(&g, 0.3);
    assert_true(fabs(gauged_value(&g, "ball_fx")) > 1);
    uint64_t measured = fluid_state_hash(g.fluid);
    gauged_end(&g);
    SceneDef scene = scene_from_text(text, "fluid.rest_density=1000");
    Fluid *fluid;
    ASSERT_OK(scene_build(&scene, &fluid));
    fluid_run(fluid, 0.3);
    assert_true(fluid_state_hash(fluid) == measured);
    fluid_destroy(fluid);
    scene_free(&scene);
}

// --- scenes ---

#define WATER "tank: {size: [1, 1, 1]}\nwater: [{box: {min: [0, 0, 0], max: [1, 1, 0.5]}}]\n"

static void probes_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    assert_scene_refused(WATER "probes: [{level: {position: [0, 0]}}]\n", NULL,
                         "scene.yaml:3:10: probes.0: needs the key name");
    assert_scene_refused(WATER "probes: [{name: 'a,b', level: {position: [0, 0]}}]\n", NULL,
                         "scene.yaml:3:18: probes.0.name: names columns of a table (letters, digits and _)");
    assert_scene_refused(
        WATER "probes: [{name: a}]\n", NULL,
        "scene.yaml:3:10: probes.0: needs one of the keys level, pressure, velocity, flux, force");
    assert_scene_refused(WATER "probes: [{name: a, level: {position: [0, 0, 0]}}]\n", NULL,
                         "scene.yaml:3:38: probes.0.level.position: must be a list of 2 numbers, found 3");
    assert_scene_refused(
        WATER "probes: [{name: a, force: {obstacle: ship}}]\n", NULL,
        "scene.yaml:3:38: probes.0.force.obstacle: \"ship\" is not the name of an obstacle (or "
        "tank, where there is one)");
    assert_scene_refused(
        WATER "probes: [{name: a, level: {position: [0, 0]}},\n  {name: a, level: {position: [0, 1]}}]\n",
        NULL, "scene.yaml:4:10: probes.1.name: is the name of probe 0, too");
    SceneDef scene = scene_from_text(WATER "probes: [{name: a, force: {obstacle: tank}}]\n", NULL);
    assert_int_equal(scene.probe_count, 1);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_motion_has_its_analytic_energy_and_momenta),
        cmocka_unit_test(divergence_is_that_of_linear_flows),
        cmocka_unit_test(divergence_is_the_sum_over_all_pairs),
        cmocka_unit_test(divergence_is_that_of_so_many_particles),
        cmocka_unit_test(sums_do_not_depend_on_threads_and_instruction_sets),
        cmocka_unit_test(free_fall_is_logged_as_it_falls),
        cmocka_unit_test(level_of_still_water_is_where_its_top_is),
        cmocka_unit_test(flux_of_a_nozzle_is_its_area_times_its_speed),
        cmocka_unit_test(force_on_a_body_in_water_is_the_weight_that_it_displaces),
        cmocka_unit_test(force_by_the_far_pressure_is_that_too),
        cmocka_unit_test(probes_read_the_pressure_of_every_layer),
        cmocka_unit_test(water_around_bodies_that_rest_stays_still_and_carries_them),
        cmocka_unit_test(bodies_that_stand_on_others_feel_the_water_that_touches_them),
        cmocka_unit_test(shallow_water_lies_on_the_floor_with_its_weight),
        cmocka_unit_test(a_step_in_shallow_water_feels_what_is_above_it),
        cmocka_unit_test(water_beside_air_behind_a_thin_wall_stays_still),
        cmocka_unit_test(measuring_changes_nothing),
        cmocka_unit_test(probes_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, scene_folder_make, scene_folder_remove);
}
