// The length of steps, and steps that fail.
#include "fluid_helpers.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "fluid/fluid_state.h"
#include "fluid/particles.h"
#include "fluid/pressure_free.h"
#include "fluid/steer.h"
#include "fluid/step_run.h"

#include <math.h>
#include <string.h>

enum { STEPS = 4 };

// Lengths (s) of the first steps.
static void take_steps(Fluid *fluid, double dt[STEPS])
{
    for (int k = 0; k < STEPS; k++) {
        StepReport report;
        ASSERT_OK(fluid_step(fluid, 1000.0, &report)); // far away, so that no step ends there
        dt[k] = report.dt;
    }
    fluid_destroy(fluid);
}

static void check_same(const double *low, const double *high)
{
    for (int k = 0; k < STEPS; k++) {
        print_message("step %d: %.3f ms, 20 m higher %.3f ms\n", k + 1, 1e3 * low[k], 1e3 * high[k]);
        assert_float_equal(low[k], high[k], 1e-4 * low[k]);
    }
}

// The wave on water as deep as the cube is high bounds all steps but the first, wherever the cube is.
static void a_cube_of_water_steps_by_its_depth_at_any_height(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.global_pressure = false;
    def.spacing = 0.05f;
    double dt[2][STEPS];
    for (int high = 0; high < 2; high++) {
        Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
        Vec3 corner = {0, 0, high ? 20.0f : 0.0f};
        fluid_fill_lattice(fluid, corner, 20, 20, 20, 0.0f, vec3_make(0, 0, 0));
        take_steps(fluid, dt[high]);
    }
    check_same(dt[0], dt[1]);
    assert_float_equal(dt[0][0], fluid_wave_step(&def, 0.0), 1e-6);
    assert_float_equal(dt[0][1], fluid_wave_step(&def, 1.0), 0.01 * fluid_wave_step(&def, 1.0));
}

static void the_first_water_of_an_emitter_steps_by_its_depth_at_any_height(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.global_pressure = false;
    def.spacing = 0.05f;
    double dt[2][STEPS];
    for (int high = 0; high < 2; high++) {
        // Upright, 1 m high.
        EmitterDef emitter = {.position = {0, 0, high ? 20.0f : 0.0f},
                              .rotation = {0, 90, 0},
                              .width = 1.0f,
                              .height = 0.5f,
                              .speed = 1.0f,
                              .stop = INFINITY,
                              .volume = INFINITY};
        Obstacles *obstacles;
        Fluid *fluid;
        ASSERT_OK(obstacles_create((TankDef){0}, 0.0f, NULL, 0, &obstacles));
        ASSERT_OK(fluid_create(&def, obstacles, &emitter, 1, NULL, 0, &fluid));
        take_steps(fluid, dt[high]);
    }
    check_same(dt[0], dt[1]);
    assert_float_equal(dt[0][1], fluid_wave_step(&def, 1.0), 0.01 * fluid_wave_step(&def, 1.0));
}

// Of about 8,000 particles without gravity `number` fly off at 30 m/s and `slower` more at 25 m/s; the
// first step.
static double step_beside_fast_ones(uint32_t number, uint32_t slower)
{
    FluidDef def = fluid_def_default();
    def.spacing = 0.05f;
    def.gravity = vec3_make(0, 0, 0);
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 20, 20, (8000 - number - slower) / 400, 0.0f,
                       vec3_make(0, 0, 0));
    if (slower) fluid_fill_lattice(fluid, vec3_make(3, 0, 0), slower, 1, 1, 0.0f, vec3_make(0, 25, 0));
    fluid_fill_lattice(fluid, vec3_make(0, 0, 3), number, 1, 1, 0.0f, vec3_make(0, 0, 30));
    StepReport report;
    ASSERT_OK(fluid_step(fluid, 1000.0, &report));
    fluid_destroy(fluid);
    return report.dt;
}

// cfl allows 0.8 x 2.5 x 0.05 m = 0.1 m, and 1.5 times as much to one in a hundred.
static void a_few_fast_drops_do_not_hold_up_the_water(void **state)
{
    (void)state;
    assert_float_equal(step_beside_fast_ones(1, 0), 0.15 / 30, 1e-6);
    assert_float_equal(step_beside_fast_ones(70, 0), 0.15 / 30, 1e-6);
    assert_float_equal(step_beside_fast_ones(90, 0), 0.1 / 30, 1e-6);
    double between = step_beside_fast_ones(70, 400);
    assert_true(between <= 0.1 / 25 && between >= 0.1 / (1.045 * 25));
}

// What is too near for a step counts as reached; the step after it makes up for it, so that water that is
// asked for a hundred times on the way falls as water that is not.
static void times_too_near_for_a_step_are_owed(void **state)
{
    (void)state;
    const double least = 1e-4 * sqrt(0.05 / 9.81); // s
    FluidDef def = fluid_def_default();
    def.spacing = 0.05f;
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
    ASSERT_OK(fluid_add(fluid, &(Vec3){0}, 1, vec3_make(1, 0, 0)));
    StepReport report;
    ASSERT_OK(fluid_step(fluid, 0.004, &report));
    for (int k = 1; k <= 100; k++) {
        double until = 0.004 + 1e-4 * k;
        ASSERT_OK(fluid_step(fluid, until - 0.9 * least, &report));
        StepReport owed = {0};
        ASSERT_OK(fluid_step(fluid, until, &owed));
        assert_true(fluid_time(fluid) == until && owed.time == until && owed.dt == 0.0);
        assert_true(owed.step == report.step && owed.particles == 1 && owed.speed_max == report.speed_max);
        assert_int_equal(fluid_step(fluid, until, NULL).code, RESULT_USAGE);
    }
    FrameView view = fluid_view(fluid);
    assert_int_equal(view.report.step, 101);
    assert_true(view.time == 0.014 && view.report.time == 0.014 - 0.9 * least);
    ASSERT_OK(fluid_step(fluid, 0.014 + 0.15 * least, &report)); // further from the last step than that
    assert_float_equal(report.dt, 1.05 * least, 1e-12);
    view = fluid_view(fluid);
    assert_float_equal(view.x[0], 0.014 + 0.15 * least, 1e-7);
    ASSERT_OK(fluid_step(fluid, 0.02, &report));
    def.time_step = 0.9 * least; // two steps of less would reach what is so near
    ASSERT_OK(fluid_change(fluid, &def));
    ASSERT_OK(fluid_step(fluid, 0.02 + 1.9 * least, &report));
    assert_float_equal(report.dt, 1.9 * least, 1e-12);
    ASSERT_OK(fluid_step(fluid, 0.03, &report));
    assert_true(report.dt >= least && report.dt < 1.01 * least);
    def.time_step = 0.02;
    ASSERT_OK(fluid_change(fluid, &def));
    ASSERT_OK(fluid_step(fluid, 0.04, &report));
    double end = fluid_time(fluid);
    StateBlocks blocks = {0}; // which do not know of it
    ASSERT_OK(fluid_step(fluid, end + 0.5 * least, &report));
    fluid_store(fluid, &blocks);
    ASSERT_OK(fluid_restore(fluid, &blocks));
    assert_true(fluid_time(fluid) == end);
    fluid_destroy(fluid);
}

// More particles than are summed up at a time, some of them pressed, some flying.
static void a_report_sums_up_its_particles(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    def.global_pressure = false;
    def.spacing = 0.05f;
    Fluid *fluid = fluid_for_test(&def, vec3_make(0.85f, 0.85f, 2), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 17, 17, 17, 0.1f, vec3_make(0, 0, 0));
    fluid_fill_lattice(fluid, vec3_make(0.2f, 0.2f, 1.2f), 3, 3, 3, 0, vec3_make(1, 2, -6));
    double time = 0;
    for (uint64_t step = 1; step <= 6; step++) {
        StepReport report;
        ASSERT_OK(fluid_step(fluid, 10, &report));
        FrameView view = fluid_view(fluid);
        double sum = 0, most = 0, fastest = 0;
        uint64_t neighbors = 0;
        for (uint32_t i = 0; i < view.count; i++) {
            double error = fmax((double)view.density[i] / (double)def.rest_density - 1, 0);
            sum += error;
            most = fmax(most, error);
            fastest = fmax(fastest, (double)vec3_length(vec3_make(view.vx[i], view.vy[i], view.vz[i])));
            neighbors += view.neighbors[i];
        }
        assert_true(report.step == step && report.particles == view.count && view.count > 4096);
        assert_true(fabs(report.density_error_mean - sum / view.count) < 1e-6 && most > 1e-4);
        assert_true(fabs(report.density_error_max - most) < 1e-6);
        assert_true(fabs(report.speed_max - fastest) < 1e-5 * fastest && fastest > 5);
        assert_int_equal(report.neighbor.neighbors, neighbors);
        assert_true(report.dt > 0 && fabs(report.time - time - report.dt) < 1e-12);
        time = report.time;
    }
    fluid_destroy(fluid);
}

// --- steps that find no memory ---

// Water poured on a block of it in a tank with a drain, a body on a path and one that commands shift.
static Fluid *busy_fluid(const char *method, bool dense)
{
    FluidDef def = fluid_def_default();
    def.global_pressure = !dense; // which leaves nothing to search again for
    strcpy(def.neighbor, method);
    return fluid_poured(&def, 6, dense);
}

static void command(Fluid *fluid, int step)
{
    FluidForce force = {.center = {0.6f, 0.5f, 0.3f}, .radius = 0.4f, .toward = 20.0f, .along = {0, 3, 0}};
    if (step % 2 == 0) fluid_set_forces(fluid, &force, 1);
    if (step == 2) ASSERT_OK(fluid_shift_obstacle(fluid, 1, vec3_make(0, 0, -0.1f), 2.0f));
}

// Where a point of the body stands, and how fast it is.
static void look_at_bodies(const Fluid *fluid, float out[8])
{
    const Obstacles *obstacles = fluid_view(fluid).obstacles;
    for (uint32_t k = 0; k < 2; k++) {
        Pose pose = obstacles_pose(obstacles, k);
        out[4 * k] = pose.position.x;
        out[4 * k + 1] = pose.position.y;
        out[4 * k + 2] = pose.position.z;
        out[4 * k + 3] = pose.rotation.row[0].x;
    }
}

// Hash of the state, ids included.
static uint64_t busy_hash(const Fluid *fluid)
{
    FrameView view = fluid_view(fluid);
    uint64_t ids = 0;
    for (uint32_t i = 0; i < view.count; i++) ids += (view.id[i] + 1ull) * (view.id[i] + 1ull);
    return fluid_state_hash(fluid) ^ ids;
}

enum { BUSY_STEPS = 6 };

// Fails the nth allocation of the step numbered `failing` and repeats the step; hashes are those of an
// undisturbed run. False if the step has fewer allocations.
static bool fail_in_step(const char *method, int failing, uint64_t nth, const uint64_t hashes[BUSY_STEPS])
{
    Fluid *fluid = busy_fluid(method, false);
    bool reached = false;
    ASSERT_OK(fluid_settle(fluid));
    for (int step = 0; step < BUSY_STEPS; step++) {
        command(fluid, step);
        float bodies[2][8];
        FrameView before = fluid_view(fluid);
        uint64_t hash = busy_hash(fluid);
        look_at_bodies(fluid, bodies[0]);
        if (step == failing) {
            memory_fail_at(nth);
            Result result = fluid_step(fluid, 10.0, NULL);
            reached = memory_fail_at(0);
            if (!reached) break;
            assert_int_equal(result.code, RESULT_NO_MEMORY);
            FrameView after = fluid_view(fluid);
            look_at_bodies(fluid, bodies[1]);
            assert_true(busy_hash(fluid) == hash);
            assert_int_equal(after.count, before.count);
            assert_true(after.time == before.time && after.report.step == before.report.step);
            assert_memory_equal(bodies[0], bodies[1], sizeof bodies[0]);
        }
        ASSERT_OK(fluid_step(fluid, 10.0, NULL));
        if (busy_hash(fluid) != hashes[step])
            fail_msg("%s: step %d after allocation %llu of step %d failed", method, step + 1,
                     (unsigned long long)nth, failing + 1);
    }
    fluid_destroy(fluid);
    return reached;
}

static void a_step_without_memory_leaves_the_fluid_as_it_was(void **state)
{
    (void)state;
    static const char *const methods[] = {"cluster_grid", "uniform_grid", "octree"};
    parallel_set_workers(1);
    for (size_t m = 0; m < (test_is_quick() ? 1 : sizeof methods / sizeof *methods); m++) {
        uint64_t hashes[BUSY_STEPS], failures = 0;
        Fluid *fluid = busy_fluid(methods[m], false);
        for (int step = 0; step < BUSY_STEPS; step++) {
            command(fluid, step);
            ASSERT_OK(fluid_step(fluid, 10.0, NULL));
            hashes[step] = busy_hash(fluid);
        }
        fluid_destroy(fluid);
        for (int step = 0; step < BUSY_STEPS; step++) {
            for (uint64_t n = 1; fail_in_step(methods[m], step, n, hashes); n++) failures++;
        }
        print_message("%s: %llu allocations failed\n", methods[m], (unsigned long long)failures);
        assert_true(failures > 30);
    }
    parallel_set_workers(0);
}

// Water that starts too dense is searched again while it gets its room: that is taken back, too, or done.
static void a_start_without_memory_is_tried_again(void **state)
{
    (void)state;
    uint64_t failures = 0;
    parallel_set_workers(1);
    Fluid *straight = busy_fluid("cluster_grid", true);
    uint64_t start = busy_hash(straight);
    ASSERT_OK(fluid_settle(straight));
    uint64_t settled = busy_hash(straight);
    assert_true(settled != start);
    ASSERT_OK(fluid_step(straight, 10.0, NULL));
    for (bool reached = true; reached; failures++) {
        Fluid *fluid = busy_fluid("cluster_grid", true);
        memory_fail_at(failures + 1);
        Result result = fluid_step(fluid, 10.0, NULL);
        reached = memory_fail_at(0);
        if (reached) {
            assert_int_equal(result.code, RESULT_NO_MEMORY);
            assert_true(busy_hash(fluid) == start || busy_hash(fluid) == settled);
            ASSERT_OK(fluid_step(fluid, 10.0, NULL));
        }
        assert_true(busy_hash(fluid) == busy_hash(straight));
        fluid_destroy(fluid);
    }
    fluid_destroy(straight);
    print_message("%llu allocations failed\n", (unsigned long long)failures - 1);
    assert_true(failures > 10);
    parallel_set_workers(0);
}

// Settling changes nothing for who does not ask for it, and a state that is stored after it goes on as it
// does.
static void water_gets_its_room_once_whoever_asks(void **state)
{
    (void)state;
    StateBlocks blocks = {0}, copy;
    Fluid *lazy = busy_fluid("cluster_grid", true), *asked = busy_fluid("cluster_grid", true),
          *restored = busy_fluid("cluster_grid", true);
    ASSERT_OK(fluid_settle(asked));
    uint64_t settled = busy_hash(asked);
    ASSERT_OK(fluid_settle(asked));
    assert_true(busy_hash(asked) == settled);
    fluid_store(asked, &blocks);
    ASSERT_OK(blocks_clone(&blocks, &copy));
    ASSERT_OK(fluid_restore(restored, &copy));
    blocks_free(&copy);
    FrameView view = fluid_view(asked);
    assert_true(view.time == 0 && view.report.step == 0 && view.density[0] == view.rest_density);
    Fluid *all[] = {lazy, asked, restored};
    for (int k = 0; k < 3; k++) {
        for (int step = 0; step < 3; step++) ASSERT_OK(fluid_step(all[k], 10.0, NULL));
        assert_true(busy_hash(all[k]) == busy_hash(lazy));
    }
    for (int k = 0; k < 3; k++) fluid_destroy(all[k]);
}

static void a_fluid_that_ran_away_refuses_to_go_on(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 2, 2, 2, 0.0f, vec3_make(1e6f, 0, 0));
    Result first = fluid_step(fluid, 1.0, NULL), second = fluid_step(fluid, 1.0, NULL);
    assert_int_equal(first.code, RESULT_FAILED);
    assert_non_null(strstr(first.text, "faster than"));
    assert_int_equal(second.code, RESULT_FAILED);
    assert_non_null(strstr(second.text, "cannot go on"));
    fluid_destroy(fluid);
}

// Passes read whole vectors: positions out of reach, which a stream held under another name, are not met
// again.
static void slots_behind_the_last_particle_are_zero_under_every_name(void **state)
{
    (void)state;
    Particles particles = {0};
    ASSERT_OK(particles_reserve(&particles, 32));
    for (particles.count = 21; particles.count > 18; particles.count--) {
        Streams3 at[4] = {0};
        for (int k = 0; k < 4; k++) particles_lease3(&particles, &at[k]);
        for (int k = 0; k < 4; k++) {
            const float *axes[3] = {at[k].x, at[k].y, at[k].z};
            for (int axis = 0; axis < 3; axis++) {
                for (uint32_t i = particles.count; i < 32; i++) assert_float_equal(axes[axis][i], 0.0f, 0.0f);
            }
            particles_pad(at[k], particles.count);
        }
        for (int k = 0; k < 4; k++) particles_release3(&particles, &at[k]);
    }
    particles_free(&particles);
}

// Places out of reach there would make the next step sort over the widest grid.
static void no_place_is_left_behind_the_last_particle(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    Fluid *fluid = fluid_for_test(&def, vec3_make(1, 1, 2), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 3, 3, 3, 0.0f, vec3_make(0, 0, 0));
    fluid_run(fluid, 0.02);
    const Particles *p = &fluid->particles;
    assert_int_equal(p->count, 27);
    for (uint32_t i = p->count; i < 32; i++) assert_true(p->x[i] == 0 && p->y[i] == 0 && p->z[i] == 0);
    fluid_destroy(fluid);
}

static void scratch_of_passes_is_zero_when_it_is_new(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    Fluid *fluid = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
    const NeighborPairs pairs[2] = {{0}, {.clustered = true, .clusters = {.block = 16}}};
    for (int k = 0; k < 2; k++) {
        ASSERT_OK(step_reserve_scratch(fluid, &pairs[k]));
        assert_true(fluid->scratch_capacity >= PASS_SCRATCH * (k ? 16 : 1));
        const unsigned char *bytes = (const unsigned char *)fluid->scratch;
        for (size_t b = 0; b < fluid->scratch_capacity * sizeof(float); b++) assert_int_equal(bytes[b], 0);
    }
    fluid_destroy(fluid);
}

// Also when particles came since, of which there are no contacts yet.
static void loads_are_those_of_the_last_step(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    Fluid *fluid = fluid_for_test(&def, vec3_make(4.0f, 1.0f, 4.0f), NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 6, 10, 5, 0.0f, vec3_make(0, 0, 0));
    fluid_measure_loads(fluid, true);
    fluid_run(fluid, 0.1);
    FluidLoad before = fluid_load(fluid, FLUID_TANK);
    assert_true(before.impulse[2] < 0.0);
    fluid_fill_lattice(fluid, vec3_make(1, 0, 0), 20, 10, 20, 0.0f, vec3_make(0, 0, 0));
    FluidLoad after = fluid_load(fluid, FLUID_TANK);
    assert_memory_equal(&after, &before, sizeof before);
    // What is asked for counts from the next step on.
    fluid_measure_loads(fluid, false);
    after = fluid_load(fluid, FLUID_TANK);
    assert_memory_equal(&after, &before, sizeof before);
    for (int asked = 0; asked < 2; asked++) {
        ASSERT_OK(fluid_step(fluid, fluid_time(fluid) + 0.001, NULL));
        fluid_measure_loads(fluid, asked == 0);
        assert_int_equal(fluid_load(fluid, FLUID_TANK).impulse[2] != 0.0, asked);
    }
    fluid_destroy(fluid);
}

// --- what held water is pushed by ---

enum { PUSHES = 700, HELD = 1, FREE = 2 };

// Particles whose positions the solver has moved as if by pushes of these velocities, in m/s, partly by
// tension. Every fifth one is in water that nothing holds.
typedef struct Pushed {
    Fluid fluid;
    Step step;
    Vec3 from[PUSHES], push[PUSHES], solved[PUSHES];
    uint32_t order[PUSHES];
} Pushed;

static Vec3 random_way(uint64_t *random, double size)
{
    double at[3];
    for (int a = 0; a < 3; a++) at[a] = size * (2 * fluid_test_random(random) - 1);
    return vec3_make((float)at[0], (float)at[1], (float)at[2]);
}

// ordered: tension, which is there unless gravity is 0, is in another order. grid: whether water has names.
static void push_particles(Pushed *pushed, Vec3 gravity, bool ordered, bool grid)
{
    *pushed = (Pushed){.fluid = {.def = {.gravity = gravity}}};
    Fluid *fluid = &pushed->fluid;
    Particles *p = &fluid->particles;
    Step *step = &pushed->step;
    *step = (Step){.fluid = fluid, .dt = 0.01, .constants = {.tension_borne = 0.75f}};
    ASSERT_OK(particles_reserve(p, PUSHES));
    p->count = PUSHES;
    fluid->pressure.free_water = memory_allocate_zeroed(pressure_free_bytes());
    pressure_free_hold(&fluid->pressure, HELD);
    particles_lease3(p, &step->at), particles_lease3(p, &step->start.pull.at),
        particles_lease(p, &step->water);
    if (ordered) step->start.pull.order = pushed->order;
    uint64_t random = 5;
    for (uint32_t i = 0; i < PUSHES; i++) {
        // From half the weight downward to three times the weight upward.
        float along = -0.5f + 3.5f * (float)i / (PUSHES - 1);
        Vec3 aside = vec3_cross(random_way(&random, 0.3), vec3_make(0.2f, -0.6f, 0.8f)),
             place = random_way(&random, 1);
        Vec3 push = vec3_add(vec3_scale(gravity, -along * (float)step->dt), aside);
        Vec3 tension = random_way(&random, gravity.z == 0.0f ? 0 : 10);
        Vec3 solved = vec3_sub(push, vec3_scale(tension, (float)step->dt * step->constants.tension_borne));
        Vec3 v = random_way(&random, 1),
             at = vec3_add(place, vec3_scale(vec3_add(v, solved), (float)step->dt));
        uint32_t k = pushed->order[i] = ordered ? (i * 9 + 3) % PUSHES : i;
        p->x[i] = place.x, p->y[i] = place.y, p->z[i] = place.z;
        p->vx[i] = v.x, p->vy[i] = v.y, p->vz[i] = v.z;
        step->at.x[i] = at.x, step->at.y[i] = at.y, step->at.z[i] = at.z;
        step->start.pull.at.x[k] = tension.x, step->start.pull.at.y[k] = tension.y,
        step->start.pull.at.z[k] = tension.z;
        step->water[i] = i % 5 == 1 ? FREE : HELD;
        pushed->from[i] = v, pushed->push[i] = push, pushed->solved[i] = solved;
    }
    if (gravity.z == 0.0f) particles_release3(p, &step->start.pull.at);
    if (!grid) particles_release(p, &step->water);
    step_take_velocity(step);
}

static void pushed_free(Pushed *pushed)
{
    Particles *p = &pushed->fluid.particles;
    particles_release3(p, &pushed->step.pushes);
    particles_release3(p, &pushed->step.start.pull.at);
    particles_free(p);
    memory_free(pushed->fluid.pressure.free_water);
}

static void assert_same_velocity(Vec3 found, Vec3 expected)
{
    Vec3 off = vec3_sub(found, expected);
    ASSERT_WITHIN((double)vec3_length(off), 0, 1e-4);
}

// Of a push, what carries the water's weight does not turn with the water: as much of the push as points
// against gravity, and no more than the weight.
static void a_push_turns_but_for_the_weight_that_it_carries(void **state)
{
    (void)state;
    const Vec3 gravities[] = {{0, 0, -9.81f}, {3, -20, 8}, {0, 0, 0}};
    for (int n = 0; n < 6; n++) {
        static Pushed pushed;
        Vec3 gravity = gravities[n % 3];
        bool grid = n < 3;
        push_particles(&pushed, gravity, n % 2, grid);
        const Particles *p = &pushed.fluid.particles;
        Streams3 left = pushed.step.pushes;
        assert_true(grid == (left.x != NULL));
        double g = sqrt((double)vec3_dot(gravity, gravity)), weight = g * pushed.step.dt;
        Vec3 up = vec3_scale(gravity, g > 0 ? (float)(-1 / g) : 0);
        for (uint32_t i = 0; i < PUSHES; i++) {
            bool held = i % 5 != 1;
            float carried = (float)fmin(fmax((double)vec3_dot(pushed.push[i], up), 0), weight);
            Vec3 turns = vec3_sub(pushed.push[i], vec3_scale(up, carried)), none = {0, 0, 0};
            if (grid) assert_same_velocity(vec3_make(left.x[i], left.y[i], left.z[i]), held ? turns : none);
            assert_same_velocity(vec3_make(p->vx[i], p->vy[i], p->vz[i]),
                                 vec3_add(pushed.from[i], pushed.solved[i]));
        }
        pushed_free(&pushed);
    }
}

// Pushes are turned back by what the water turns by in the step, half its curl times dt, as far as gradients
// are seen; by 0.1 rad at most.
static void pushes_are_turned_back_by_half_the_curl(void **state)
{
    (void)state;
    static Pushed pushed;
    push_particles(&pushed, vec3_make(0, 0, 0), false, true);
    Step *step = &pushed.step;
    Particles *p = &pushed.fluid.particles;
    pushed.fluid.lattice.gradient_seen = 0.8;
    particles_lease3(p, &step->curl), particles_lease3(p, &step->next);
    uint64_t random = 6;
    uint32_t bounded = 0;
    static Vec3 expected[PUSHES];
    for (uint32_t i = 0; i < PUSHES; i++) {
        Vec3 curl = random_way(&random, 16), next = random_way(&random, 1);
        Vec3 push = i % 5 == 1 ? vec3_make(0, 0, 0) : pushed.push[i];
        double angle = 0.5 * step->dt * (double)vec3_length(curl) / 0.8;
        double turned = fmin(angle, 0.1);
        bounded += turned < angle;
        Vec3 axis = vec3_scale(curl, 1 / vec3_length(curl));
        expected[i] = vec3_add(next, vec3_scale(vec3_cross(push, axis), (float)turned));
        step->curl.x[i] = curl.x, step->curl.y[i] = curl.y, step->curl.z[i] = curl.z;
        step->next.x[i] = next.x, step->next.y[i] = next.y, step->next.z[i] = next.z;
    }
    assert_true(bounded > 100 && bounded < PUSHES - 100);
    step_turn_pushes(step);
    for (uint32_t i = 0; i < PUSHES; i++)
        assert_same_velocity(vec3_make(step->next.x[i], step->next.y[i], step->next.z[i]), expected[i]);
    assert_null(step->pushes.x);
    particles_release3(p, &step->curl), particles_release3(p, &step->next);
    pushed_free(&pushed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_of_water_steps_by_its_depth_at_any_height),
        cmocka_unit_test(the_first_water_of_an_emitter_steps_by_its_depth_at_any_height),
        cmocka_unit_test(a_few_fast_drops_do_not_hold_up_the_water),
        cmocka_unit_test(times_too_near_for_a_step_are_owed),
        cmocka_unit_test(a_report_sums_up_its_particles),
        cmocka_unit_test(slots_behind_the_last_particle_are_zero_under_every_name),
        cmocka_unit_test(no_place_is_left_behind_the_last_particle),
        cmocka_unit_test(scratch_of_passes_is_zero_when_it_is_new),
        cmocka_unit_test(a_step_without_memory_leaves_the_fluid_as_it_was),
        cmocka_unit_test(a_start_without_memory_is_tried_again),
        cmocka_unit_test(water_gets_its_room_once_whoever_asks),
        cmocka_unit_test(a_fluid_that_ran_away_refuses_to_go_on),
        cmocka_unit_test(loads_are_those_of_the_last_step),
        cmocka_unit_test(a_push_turns_but_for_the_weight_that_it_carries),
        cmocka_unit_test(pushes_are_turned_back_by_half_the_curl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
