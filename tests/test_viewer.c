// The viewer's parts that need no window: the thread of the simulation, the camera, the keys.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/clock.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "fluid_helpers.h"
#include "viewer/actions.h"
#include "viewer/camera.h"
#include "viewer/clip.h"
#include "viewer/parameters.h"
#include "viewer/simulation.h"

#define PATIENCE 600 // s; the water's thread is nice, and on a busy machine slow

static const char *const SCENE = "scenes/dam_break.yaml";

static Result read_scene(const char *path, float spacing, const void *context, SceneDef *out)
{
    (void)context;
    Result result = scene_read(path, NULL, 0, out);
    if (!result_is_ok(&result)) return result;
    out->fluid.spacing = spacing > 0 ? spacing : 0.5f;
    strcpy(out->fluid.neighbor, "uniform_grid"); // states are compared with those of other methods over lists
    if (strstr(path, "wave")) out->fluid.iterations = 7; // some scene has to
    return result;
}

// The simulation's thread stands still where it calls the window: what is asked for meanwhile waits.
static atomic_bool held, holding;

static void wake(void)
{
    while (held) {
        holding = true;
        usleep(1000);
    }
    holding = false;
}

static void wait_until_held(void)
{
    double until = clock_seconds() + PATIENCE;
    while (!holding && clock_seconds() < until) usleep(1000);
    assert_true(holding);
}

static Result read_sides(const char *path, float spacing, const void *context, SceneDef out[2],
                         char names[2][80])
{
    for (int side = 0; side < 2; side++) {
        Result result = read_scene(path, spacing, context, &out[side]);
        if (!result_is_ok(&result)) return result;
        out[side].fluid.iterations = side == 0 ? 2 : 6;
        snprintf(names[side], 80, "solver.iterations = %u", out[side].fluid.iterations);
    }
    return result_ok();
}

static Simulation *start(uint32_t frames, bool playing)
{
    SceneDef scene;
    Simulation *simulation;
    SimulationDef def = {.read = read_scene,
                         .read_sides = read_sides,
                         .frames = frames,
                         .playing = playing,
                         .speed = INFINITY,
                         .wake = wake};
    Result result = read_scene(SCENE, 0, NULL, &scene);
    assert_true(result_is_ok(&result));
    SharedScene *shared;
    result = shared_scene_create(&scene, &shared);
    assert_true(result_is_ok(&result));
    result = simulation_start(&def, shared, &simulation);
    assert_true(result_is_ok(&result));
    shared_scene_release(shared);
    return simulation;
}

// The newest snapshot as soon as it shows at least so many steps.
static const SimSnapshot *wait_for_step(Simulation *simulation, uint64_t step)
{
    bool fresh;
    double until = clock_seconds() + PATIENCE;
    for (;;) {
        const SimSnapshot *snapshot = simulation_take(simulation, &fresh);
        if (snapshot->side[0].view.report.step >= step) return snapshot;
        if (clock_seconds() > until) fail_msg("step %llu was not reached", (unsigned long long)step);
        usleep(1000);
    }
}

static void wait_for_method(Simulation *simulation, const char *name)
{
    bool fresh;
    SceneFacts facts = {0};
    double until = clock_seconds() + PATIENCE;
    while (strcmp(facts.fluid.neighbor, name) != 0) {
        simulation_take(simulation, &fresh);
        simulation_facts(simulation, &facts);
        if (clock_seconds() > until) fail_msg("the method is %s, not %s", facts.fluid.neighbor, name);
        usleep(1000);
    }
}

static void compare_methods(Simulation *simulation, const char *left, const char *right)
{
    simulation_compare(simulation, parameter_of_methods(), (float)parameter_method(left),
                       (float)parameter_method(right));
}

static uint32_t parameter_named(const char *label)
{
    for (uint32_t k = 0; parameter_at(k); k++) {
        if (strcmp(parameter_at(k)->label, label) == 0) return k;
    }
    fail_msg("no setting %s", label);
    return 0;
}

static void wait_until_finished(Simulation *simulation)
{
    double until = clock_seconds() + PATIENCE;
    while (!simulation_status(simulation).finished) {
        assert_true(clock_seconds() < until);
        usleep(2000);
    }
}

static uint64_t end_with_hash(Fluid *fluid, SceneDef *scene)
{
    FrameView view = fluid_view(fluid);
    uint64_t hash = fluid_hash_view(&view);
    fluid_destroy(fluid);
    scene_free(scene);
    return hash;
}

// As the frame loop of `pbf render` steps, to a frame or for so many steps.
static uint64_t hash_after(uint32_t frame, uint64_t steps)
{
    SceneDef scene;
    Fluid *fluid;
    Result result = read_scene(SCENE, 0, NULL, &scene);
    assert_true(result_is_ok(&result));
    result = scene_build(&scene, &fluid);
    assert_true(result_is_ok(&result));
    for (uint32_t k = 1; k <= frame && steps > 0; k++) {
        double until = k / scene.output.fps;
        for (; fluid_time(fluid) < until && steps > 0; steps--) {
            result = fluid_step(fluid, until, NULL);
            assert_true(result_is_ok(&result));
        }
    }
    return end_with_hash(fluid, &scene);
}

static uint64_t hash_of_frame(uint32_t frame)
{
    return hash_after(frame, UINT64_MAX);
}

static uint64_t hash_of_steps(uint64_t steps)
{
    return hash_after(UINT32_MAX, steps);
}

static void frame_60_has_the_same_bits_as_in_a_headless_run(void **state)
{
    (void)state;
    Simulation *simulation = start(61, true);
    wait_until_finished(simulation);
    const SimSnapshot *snapshot = wait_for_step(simulation, 60);
    assert_int_equal(snapshot->frame, 60);
    assert_true(fluid_hash_view(&snapshot->side[0].view) == hash_of_frame(60));
    simulation_stop(simulation);
}

static void pausing_in_between_does_not_change_the_states(void **state)
{
    (void)state;
    Simulation *simulation = start(6, false);
    simulation_step(simulation);
    simulation_step(simulation);
    wait_for_step(simulation, 2);
    assert_false(simulation_status(simulation).playing);
    simulation_frame(simulation);
    simulation_play(simulation, true);
    wait_until_finished(simulation);
    assert_true(fluid_hash_view(&wait_for_step(simulation, 5)->side[0].view) == hash_of_frame(5));
    simulation_stop(simulation);
}

static void a_snapshot_stays_as_it_is_while_the_water_moves_on(void **state)
{
    (void)state;
    Simulation *simulation = start(0, true);
    const SimSnapshot *snapshot = wait_for_step(simulation, 3);
    const FrameView *view = &snapshot->side[0].view;
    uint64_t step = view->report.step;
    float *copy = memory_allocate(view->count * sizeof *copy);
    memcpy(copy, view->x, view->count * sizeof *copy);
    double until = clock_seconds() + PATIENCE;
    while (simulation_status(simulation).steps < step + 10 && clock_seconds() < until) usleep(1000);
    assert_int_equal(view->report.step, step);
    assert_memory_equal(copy, view->x, view->count * sizeof *copy);
    memory_free(copy);
    simulation_stop(simulation);
}

static void a_file_that_cannot_be_read_leaves_the_old_scene(void **state)
{
    (void)state;
    Simulation *simulation = start(0, true);
    simulation_load(simulation, "scenes/there_is_none.yaml", 0, LOAD_OTHER);
    double until = clock_seconds() + PATIENCE;
    while (simulation_status(simulation).errors == 0 && clock_seconds() < until) usleep(1000);
    SimulationStatus status = simulation_status(simulation);
    assert_int_equal(status.errors, 1);
    assert_non_null(strstr(status.error.text, "there_is_none.yaml"));
    assert_true(status.playing); // and it goes on
    uint64_t steps = status.steps;
    while (simulation_status(simulation).steps < steps + 3 && clock_seconds() < until) usleep(1000);
    assert_true(simulation_status(simulation).steps >= steps + 3);
    SceneFacts facts = {0};
    assert_true(simulation_facts(simulation, &facts));
    assert_string_equal(facts.path, SCENE);
    simulation_step(simulation);
    wait_for_step(simulation, 1);
    simulation_stop(simulation);
}

static void two_methods_in_lockstep_stay_identical_and_follow_changes(void **state)
{
    (void)state;
    Simulation *simulation = start(0, false);
    SceneFacts facts = {0};
    simulation_facts(simulation, &facts);
    compare_methods(simulation, "uniform_grid", "octree");
    simulation_step(simulation);
    simulation_set(simulation, parameter_named("viscosity"), facts.fluid.viscosity + 0.3f);
    simulation_drop_ball(simulation, vec3_make(8, 3, 3), 1);
    simulation_step(simulation);
    simulation_step(simulation);
    const SimSnapshot *snapshot = wait_for_step(simulation, 3);
    assert_int_equal(snapshot->sides, 2);
    assert_int_equal(snapshot->text.mood, SPLIT_GOOD);
    assert_string_equal(snapshot->name[1], "octree");
    assert_true(snapshot->side[0].view.count > 1000); // the dam, and the ball
    assert_int_equal(snapshot->side[0].view.count, snapshot->side[1].view.count);
    simulation_stop(simulation);
}

static void comparing_goes_on_from_here_and_leaves_the_left_side_as_it_would_have_been(void **state)
{
    (void)state;
    bool fresh;
    double time = 0;
    uint32_t split = 0;
    Simulation *simulation = start(31, false);
    for (uint32_t k = 0; k < 20; k++) {
        if (k % 2 == 0)
            compare_methods(simulation, "uniform_grid", k % 4 ? "octree" : "kd_tree");
        else
            simulation_compare_end(simulation);
        simulation_step(simulation);
        const SimSnapshot *snapshot = wait_for_step(simulation, k + 1);
        assert_true(snapshot->side[0].view.time > time);
        time = snapshot->side[0].view.time;
        split += snapshot->sides == 2 && snapshot->text.mood == SPLIT_GOOD;
        if (snapshot->sides == 2)
            assert_true(fluid_hash_view(&snapshot->side[0].view) == fluid_hash_view(&snapshot->side[1].view));
    }
    assert_int_equal(split, 10);
    simulation_play(simulation, true);
    for (uint32_t k = 0; !simulation_status(simulation).finished; k++) {
        if (k % 2 == 0)
            compare_methods(simulation, "uniform_grid", "octree");
        else
            simulation_compare_end(simulation);
        uint64_t steps = simulation_status(simulation).steps;
        usleep(20000);
        // Where the water's thread gets little time, each step would be left for the next request.
        while (simulation_status(simulation).steps == steps && !simulation_status(simulation).finished)
            usleep(1000);
    }
    const SimSnapshot *last;
    do last = simulation_take(simulation, &fresh);
    while (last->frame < 30 || !last->on_frame);
    assert_true(fluid_hash_view(&last->side[0].view) == hash_of_frame(30));
    simulation_stop(simulation);
}

// Bodies that were moved by hand are where they were in the state that both sides begin with.
static void moved_obstacles_and_all_that_a_state_holds_are_taken_over(void **state)
{
    (void)state;
    SceneDef scene;
    Fluid *fluid, *copy;
    Vec3 shifts[2][2];
    assert_string_equal(scene_read("scenes/mixer.yaml", NULL, 0, &scene).text, "");
    scene.fluid.spacing *= 2;
    assert_string_equal(scene_build(&scene, &fluid).text, "");
    assert_string_equal(fluid_shift_obstacle(fluid, 0, vec3_make(0.1f, 0, 0.05f), 1).text, "");
    for (int k = 0; k < 4; k++) assert_string_equal(fluid_step(fluid, 10, NULL).text, "");
    StateBlocks blocks = {0};
    fluid_store(fluid, &blocks);
    assert_string_equal(scene_restore(&scene, &blocks, &copy).text, "");
    for (int k = 0; k < 40; k++) {
        assert_string_equal(fluid_step(fluid, 10, NULL).text, "");
        assert_string_equal(fluid_step(copy, 10, NULL).text, "");
    }
    obstacles_shifts(fluid_view(fluid).obstacles, 0, shifts[0]);
    obstacles_shifts(fluid_view(copy).obstacles, 0, shifts[1]);
    assert_true(shifts[0][1].x > 0.09f);
    assert_memory_equal(shifts[0], shifts[1], sizeof shifts[0]);
    assert_true(fluid_state_hash(fluid) == fluid_state_hash(copy));
    fluid_destroy(fluid);
    fluid_destroy(copy);
    scene_free(&scene);
}

// What a fluid with so many iterations is like after two steps.
static uint64_t hash_with_iterations(uint32_t iterations)
{
    SceneDef scene;
    Fluid *fluid;
    Result result = read_scene(SCENE, 0, NULL, &scene);
    scene.fluid.iterations = iterations;
    if (result_is_ok(&result)) result = scene_build(&scene, &fluid);
    assert_true(result_is_ok(&result));
    for (int k = 0; k < 2; k++) {
        result = fluid_step(fluid, 1 / scene.output.fps, NULL);
        assert_true(result_is_ok(&result));
    }
    return end_with_hash(fluid, &scene);
}

static void the_compared_setting_is_the_left_sides_and_its_name_follows(void **state)
{
    (void)state;
    Simulation *simulation = start(0, false);
    simulation_compare_sides(simulation);
    simulation_step(simulation);
    assert_string_equal(wait_for_step(simulation, 1)->name[0], "solver.iterations = 2");
    simulation_set(simulation, parameter_named("iterations"), 4);
    simulation_set(simulation, parameter_of_methods(), (float)parameter_method("octree"));
    simulation_reset(simulation);
    simulation_step(simulation);
    const SimSnapshot *snapshot;
    do {
        snapshot = wait_for_step(simulation, 1); // the next fluids' after the first ones'
    } while (snapshot->fluid < 3);
    simulation_step(simulation);
    snapshot = wait_for_step(simulation, 2);
    assert_string_equal(snapshot->name[0], "solver.iterations = 4");
    assert_string_equal(snapshot->name[1], "solver.iterations = 6");
    assert_string_equal(snapshot->method[0], "octree"); // what is not compared is changed on both sides
    assert_string_equal(snapshot->method[1], "octree");
    assert_true(fluid_hash_view(&snapshot->side[0].view) == hash_with_iterations(4));
    assert_true(fluid_hash_view(&snapshot->side[1].view) == hash_with_iterations(6));
    simulation_stop(simulation);
}

// A state of the left side at the frame, remembered while the right one is still on its way there.
static void a_side_that_is_ahead_is_remembered_with_the_frame_it_has_reached(void **state)
{
    (void)state;
    bool fresh;
    double until = clock_seconds() + PATIENCE;
    Simulation *simulation = start(0, false);
    simulation_set(simulation, parameter_named("wave cfl"), 10);
    simulation_compare(simulation, parameter_named("longest step"), 1, 1e-5f);
    const SimSnapshot *snapshot = simulation_take(simulation, &fresh);
    for (useconds_t wait = 50000; !snapshot->on_frame || snapshot->frame != 1; wait *= 2) {
        assert_true(clock_seconds() < until);
        simulation_frame(simulation);
        usleep(wait); // of a frame that takes seconds
        simulation_scrub(simulation, 0);
        simulation_scrub(simulation, 1); // the last one
        usleep(wait);
        snapshot = simulation_take(simulation, &fresh);
    }
    simulation_compare_end(simulation);
    simulation_frame(simulation);
    while (snapshot->frame != 2) {
        assert_true(clock_seconds() < until);
        usleep(1000);
        snapshot = simulation_take(simulation, &fresh);
    }
    assert_true(snapshot->on_frame);
    simulation_stop(simulation);
}

static void wait_for_spacing(Simulation *simulation, float spacing, SceneFacts *facts)
{
    bool fresh;
    double until = clock_seconds() + PATIENCE;
    while (facts->fluid.spacing != spacing) {
        simulation_take(simulation, &fresh);
        simulation_facts(simulation, facts);
        assert_true(clock_seconds() < until);
        usleep(1000);
    }
}

static void another_spacing_keeps_changed_settings_and_a_changed_file_does_not(void **state)
{
    (void)state;
    Simulation *simulation = start(0, false);
    SceneFacts facts = {0};
    wait_for_spacing(simulation, 0.5f, &facts);
    float own = facts.fluid.viscosity;
    simulation_set(simulation, parameter_named("viscosity"), own + 0.3f);
    simulation_load(simulation, SCENE, 0.625f, LOAD_RESPACED);
    wait_for_spacing(simulation, 0.625f, &facts);
    assert_true(facts.fluid.viscosity == own + 0.3f);
    simulation_compare_sides(simulation);
    simulation_set(simulation, parameter_named("iterations"), 4);
    simulation_load(simulation, SCENE, 1, LOAD_RESPACED);
    wait_for_spacing(simulation, 1, &facts);
    simulation_step(simulation);
    assert_true(facts.fluid.viscosity == own + 0.3f && facts.fluid.iterations == 4);
    const SimSnapshot *snapshot = wait_for_step(simulation, 1);
    assert_string_equal(snapshot->name[0], "solver.iterations = 4");
    assert_string_equal(snapshot->name[1], "solver.iterations = 6");
    simulation_load(simulation, SCENE, 0.5f, LOAD_AGAIN);
    wait_for_spacing(simulation, 0.5f, &facts);
    assert_true(facts.fluid.viscosity == own && facts.fluid.iterations == 2);
    simulation_stop(simulation);
}

static void after_a_comparison_the_left_side_goes_on(void **state)
{
    (void)state;
    Simulation *simulation = start(0, false);
    SceneFacts facts = {0};
    simulation_set(simulation, parameter_of_methods(), (float)parameter_method("cluster_grid"));
    compare_methods(simulation, "octree", "cluster_grid");
    simulation_step(simulation);
    const SimSnapshot *snapshot = wait_for_step(simulation, 1);
    assert_string_equal(snapshot->name[0], "octree");
    // Another order of sums is told apart from another result.
    assert_int_equal(snapshot->text.mood, SPLIT_PLAIN);
    assert_string_equal(snapshot->text.notes[3], "cluster_grid sums in another order");
    simulation_facts(simulation, &facts);
    assert_string_equal(facts.fluid.neighbor, "octree");
    compare_methods(simulation, "octree", "uniform_grid");
    simulation_load(simulation, SCENE, 0, LOAD_AGAIN);
    simulation_compare_end(simulation);
    wait_for_method(simulation, "octree");
    simulation_stop(simulation);
}

static void a_storm_of_requests_leaves_the_last_word(void **state)
{
    (void)state;
    Simulation *simulation = start(0, false);
    FluidForce up = {.center = {1, 1, 1}, .radius = 4, .along = {0, 0, 500}};
    held = true;
    simulation_step(simulation);
    wait_until_held();
    for (int k = 0; k < 200; k++) {
        simulation_force(simulation, &up, INFINITY);
        simulation_step(simulation);
        simulation_shift_obstacle(simulation, (uint32_t)k, up.center, 1); // there are none
    }
    simulation_force(simulation, NULL, 0);
    simulation_want_mesh(simulation, true);
    held = false;
    const SimSnapshot *snapshot = wait_for_step(simulation, 2);
    assert_true(snapshot->side[0].has_mesh);
    assert_true(fluid_hash_view(&snapshot->side[0].view) ==
                hash_of_steps(snapshot->side[0].view.report.step));
    simulation_stop(simulation);
}

static void what_a_scene_is_comes_with_its_first_snapshot(void **state)
{
    (void)state;
    bool fresh;
    SceneFacts facts = {0};
    Simulation *simulation = start(0, false);
    assert_true(simulation_facts(simulation, &facts));
    held = true;
    simulation_load(simulation, "scenes/fountain.yaml", 0.2f, LOAD_OTHER);
    wait_until_held(); // it is loaded; its snapshot is still to be made
    assert_int_equal(simulation_take(simulation, &fresh)->scene, 1);
    assert_false(simulation_facts(simulation, &facts));
    held = false;
    double until = clock_seconds() + PATIENCE;
    while (simulation_take(simulation, &fresh)->scene == 1) {
        if (clock_seconds() > until) fail_msg("the snapshot has not come");
        usleep(1000);
    }
    assert_true(simulation_facts(simulation, &facts));
    assert_string_equal(facts.name, "fountain");
    simulation_stop(simulation);
}

static void a_setting_leaves_the_others_as_the_new_scene_has_them(void **state)
{
    (void)state;
    bool fresh;
    SceneDef other;
    SceneFacts facts = {0};
    Simulation *simulation = start(0, false);
    simulation_load(simulation, "scenes/wave.yaml", 0, LOAD_OTHER);
    simulation_set(simulation, parameter_named("viscosity"), 0.7f);
    double until = clock_seconds() + PATIENCE;
    while (facts.fluid.viscosity != 0.7f) {
        simulation_take(simulation, &fresh);
        simulation_facts(simulation, &facts);
        if (clock_seconds() > until) fail_msg("the setting was not changed");
        usleep(1000);
    }
    Result result = read_scene("scenes/wave.yaml", 0, NULL, &other);
    assert_true(result_is_ok(&result));
    assert_string_equal(facts.name, "wave");
    for (uint32_t k = 0; parameter_at(k); k++) {
        if (k != parameter_named("viscosity"))
            assert_true(parameter_get(&facts.fluid, k) == parameter_get(&other.fluid, k));
    }
    scene_free(&other);
    simulation_stop(simulation);
}

static void what_was_asked_for_is_told_before_the_step_ends(void **state)
{
    (void)state;
    Simulation *simulation = start(0, true);
    for (int k = 0; k < 20; k++) {
        bool playing = simulation_status(simulation).playing;
        simulation_play(simulation, !playing);
        assert_true(simulation_status(simulation).playing == !playing);
        simulation_set_speed(simulation, k + 1);
        assert_true(simulation_status(simulation).speed == k + 1);
    }
    simulation_stop(simulation);
}

// What is seen of a simulation over a second by the clock.
typedef struct Second {
    double steps, water; // steps and simulated seconds in a second
    SimulationStatus status;
} Second;

static Second watch_second(Simulation *simulation)
{
    bool fresh;
    double water = simulation_take(simulation, &fresh)->side[0].view.time, begun = clock_seconds();
    uint64_t steps = simulation_status(simulation).steps;
    usleep(1000000);
    water = simulation_take(simulation, &fresh)->side[0].view.time - water;
    Second second = {.water = water, .status = simulation_status(simulation)};
    double passed = clock_seconds() - begun;
    second.water /= passed;
    second.steps = (double)(second.status.steps - steps) / passed;
    return second;
}

// Whether some second of a minute is as it should be: other work on the machine may hold up many of them, yet
// what is wrong stays wrong.
static bool settles(Simulation *simulation, bool (*as_it_should_be)(const Second *second))
{
    for (int k = 0; k < 60; k++) {
        Second second = watch_second(simulation);
        if (as_it_should_be(&second)) return true;
    }
    return false;
}

static bool steps_are_counted_right(const Second *second)
{
    double rate = second->status.rate.steps;
    return second->steps > 0 && rate > 0.5 * second->steps && rate < 2 * second->steps;
}

// A sixteenth of the clock's pace; the status and the water itself say so.
static bool is_slow_and_leaves_time(const Second *second)
{
    const SimulationStatus *status = &second->status;
    double told = 16 * status->rate.time, seen = 16 * second->water;
    return told > 0.8 && told < 1.2 && seen > 0.8 && seen < 1.2 && status->rate.idle > 0.1 &&
           status->rate.idle < 1;
}

static bool leaves_no_time(const Second *second)
{
    return second->status.rate.steps > 0 && second->status.rate.idle < 0.05;
}

static void steps_are_counted_where_the_water_is_slower_than_the_clock(void **state)
{
    (void)state;
    Simulation *simulation = start(0, true);
    simulation_set_speed(simulation, 1e6);
    assert_true(settles(simulation, steps_are_counted_right));
    simulation_stop(simulation);
}

static void slow_motion_follows_the_clock_and_leaves_time(void **state)
{
    (void)state;
    Simulation *simulation = start(0, true);
    simulation_set_speed(simulation, 1.0 / 16);
    assert_true(settles(simulation, is_slow_and_leaves_time));
    simulation_set_speed(simulation, INFINITY);
    assert_true(settles(simulation, leaves_no_time));
    simulation_stop(simulation);
}

static void thinned_water_keeps_the_same_particles_and_fills_the_same_volume(void **state)
{
    (void)state;
    Simulation *simulation = start(0, false);
    bool kept[1000] = {false};
    ViewRows rows = {0};
    for (int step = 0; step < 3; step++) {
        FrameView whole = wait_for_step(simulation, (uint64_t)step)->side[0].view, view = whole;
        Result result = view_rows_thin(&rows, 4, &view);
        assert_true(result_is_ok(&result));
        assert_true(view.count > 190 && view.count < 310); // a quarter of 1000, within 4 deviations
        assert_true(fabsf(powf(view.spacing / whole.spacing, 3) - 4) < 1e-4f);
        for (uint32_t k = 0, at = 0; k < view.count; k++, at++) {
            while (at < whole.count && whole.id[at] != view.id[k]) at++; // in the same order
            assert_true(at < whole.count);
            assert_true(view.x[k] == whole.x[at] && view.vz[k] == whole.vz[at]);
            assert_true(view.density[k] == whole.density[at] && view.neighbors[k] == whole.neighbors[at]);
            assert_true(step == 0 || kept[view.id[k]]);
            kept[view.id[k]] = true;
        }
        simulation_step(simulation);
    }
    view_rows_free(&rows);
    simulation_stop(simulation);
}

static void a_force_moves_the_water_only_while_it_is_on(void **state)
{
    (void)state;
    Simulation *simulation = start(0, false);
    FluidForce up = {.center = {1, 1, 1}, .radius = 4, .along = {0, 0, 500}};
    simulation_force(simulation, &up, INFINITY);
    simulation_step(simulation);
    float fastest = 0;
    const FrameView *view = &wait_for_step(simulation, 1)->side[0].view;
    for (uint32_t k = 0; k < view->count; k++) fastest = fmaxf(fastest, view->vz[k]);
    assert_true(fastest > 0.5f); // gravity alone only pulls down
    simulation_force(simulation, NULL, 0);
    simulation_reset(simulation);
    simulation_step(simulation);
    bool fresh;
    double until = clock_seconds() + PATIENCE;
    const SimSnapshot *snapshot;
    do {
        assert_true(clock_seconds() < until);
        snapshot = simulation_take(simulation, &fresh);
    } while (snapshot->fluid < 2 || snapshot->side[0].view.report.step < 1);
    assert_true(fluid_hash_view(&snapshot->side[0].view) == hash_of_steps(1));
    simulation_stop(simulation);
}

// A request that owns memory.
static Request load_of(const char *path)
{
    Request request = {.kind = REQUEST_LOAD, .load = {.path = memory_allocate(strlen(path) + 1)}};
    assert_non_null(request.load.path);
    strcpy(request.load.path, path);
    return request;
}

static void of_requests_that_wait_only_the_last_of_a_kind_or_setting_is_kept(void **state)
{
    (void)state;
    uint64_t before = memory_bytes_in_use();
    RequestQueue queue = {.count = 0};
    Request request;
    for (int k = 0; k < 100; k++) request_queue_add(&queue, load_of(k < 99 ? "first" : "last"));
    assert_true(request_queue_starts_over(&queue));
    for (int k = 0; k < 3; k++)
        request_queue_add(&queue, (Request){.kind = REQUEST_SET, .set = {(uint32_t)k / 2, (float)k}});
    request_queue_add(&queue, (Request){.kind = REQUEST_SHIFT, .shift = {4, {1, 0, 0}, 2}});
    request_queue_add(&queue, (Request){.kind = REQUEST_SHIFT, .shift = {4, {0, 3, 0}, 2}});
    assert_true(request_queue_take(&queue, &request));
    assert_string_equal(request.load.path, "last");
    request_free(&request);
    assert_false(request_queue_starts_over(&queue));
    assert_true(request_queue_take(&queue, &request));
    assert_true(request.set.parameter == 0 && request.set.value == 1);
    assert_true(request_queue_take(&queue, &request));
    assert_true(request.set.parameter == 1 && request.set.value == 2);
    assert_true(request_queue_take(&queue, &request));
    assert_true(request.shift.offset.x == 1 && request.shift.offset.y == 3);
    assert_false(request_queue_take(&queue, &request));
    // A held key does not fill the queue; what sets something always finds room.
    for (int k = 0; k < 200; k++) request_queue_add(&queue, (Request){.kind = REQUEST_STEP});
    assert_true(queue.count < REQUESTS_MAX);
    request_queue_add(&queue, load_of("another"));
    assert_true(request_queue_starts_over(&queue));
    request_queue_free(&queue);
    assert_true(memory_bytes_in_use() == before);
}

static void nothing(void)
{
}

// Does a request end the step that is under way?
static bool ends_step(Request request)
{
    Exchange *exchange = calloc(1, sizeof *exchange);
    assert_non_null(exchange);
    exchange_open(exchange, nothing);
    exchange_ask(exchange, request);
    bool ends = exchange->hurry;
    Request taken;
    assert_true(exchange_next_request(exchange, 0, &taken));
    assert_false(exchange->hurry);
    exchange_close(exchange);
    free(exchange);
    return ends;
}

static void requests_for_other_water_end_a_step_and_those_of_a_slider_do_not(void **state)
{
    (void)state;
    static const RequestKind ending[] = {REQUEST_RESET, REQUEST_COMPARE, REQUEST_SCRUB,
                                         REQUEST_BACK,  REQUEST_UNDO,    REQUEST_SAVE},
                             waiting[] = {REQUEST_STEP,  REQUEST_FRAME, REQUEST_FORCE, REQUEST_BALL,
                                          REQUEST_SPEED, REQUEST_SHIFT, REQUEST_MESH};
    for (size_t k = 0; k < sizeof ending / sizeof *ending; k++)
        assert_true(ends_step((Request){.kind = ending[k]}));
    for (size_t k = 0; k < sizeof waiting / sizeof *waiting; k++)
        assert_false(ends_step((Request){.kind = waiting[k]}));
    assert_true(ends_step((Request){.kind = REQUEST_PLAY, .play = false}));
    assert_false(ends_step((Request){.kind = REQUEST_PLAY, .play = true}));
    for (uint32_t k = 0; parameter_at(k); k++)
        assert_true(ends_step((Request){.kind = REQUEST_SET, .set = {k, 1}}) ==
                    (k == parameter_of_methods()));
}

static void nothing_is_left_on_the_heap(void **state)
{
    (void)state;
    uint64_t before = memory_bytes_in_use();
    Simulation *simulation = start(0, true);
    compare_methods(simulation, "uniform_grid", "kd_tree");
    simulation_want_mesh(simulation, true);
    simulation_compare_end(simulation);
    wait_for_step(simulation, 2);
    simulation_stop(simulation);
    assert_true(memory_bytes_in_use() == before);
}

static void an_orbit_keeps_a_placed_camera_where_it_is(void **state)
{
    (void)state;
    CameraDef camera = {.eye = {3, -4, 5}, .target = {1, 2, 0.5f}, .fov = 35};
    Orbit orbit = orbit_of_camera(&camera);
    CameraDef again = orbit_camera(&orbit);
    assert_true(vec3_length(vec3_sub(camera.eye, again.eye)) < 1e-4f);
    assert_true(vec3_length(vec3_sub(camera.target, again.target)) < 1e-6f);
    orbit_turn(&orbit, 1, 0);
    orbit_turn(&orbit, -1, 5); // stops before straight above
    again = orbit_camera(&orbit);
    assert_true(fabsf(vec3_length(vec3_sub(again.eye, again.target)) - orbit.distance) < 1e-4f);
    assert_true(again.eye.z > again.target.z + 0.999f * orbit.distance);
}

static void zooming_keeps_the_point_under_the_mouse_on_its_line_of_sight(void **state)
{
    (void)state;
    CameraDef camera = {.eye = {0, -5, 2}, .target = {0, 0, 0}, .fov = 40};
    Vec3 at = vec3_make(0.7f, 0.3f, -0.2f);
    Orbit orbit = orbit_of_camera(&camera);
    Vec3 before = vec3_normalize_or(vec3_sub(at, camera.eye), vec3_make(0, 0, 0));
    orbit_zoom(&orbit, 0.4f, at);
    Vec3 eye = orbit_camera(&orbit).eye;
    Vec3 after = vec3_normalize_or(vec3_sub(at, eye), vec3_make(0, 0, 0));
    assert_true(vec3_length(vec3_sub(before, after)) < 1e-4f);
    assert_true(fabsf(vec3_length(vec3_sub(at, eye)) / vec3_length(vec3_sub(at, camera.eye)) - 0.4f) < 1e-4f);
}

static void every_action_has_keys_of_its_own(void **state)
{
    (void)state;
    for (uint32_t k = 0; action_at(k); k++) {
        const Action *action = action_at(k);
        bool does = action->run || action->flag; // a line of the help that tells of the mouse does nothing
        assert_true(does || action->text);
        assert_true(does == (action->bound[0].key != 0));
        for (int n = 0; n < ACTION_KEYS_MAX && action->bound[n].key; n++) {
            int argument;
            const ActionKey *bound = &action->bound[n];
            assert_ptr_equal(action_of_key(bound->key, bound->mods, &argument), action);
            assert_int_equal(argument, bound->argument);
        }
    }
    int argument;
    assert_null(action_of_key('Z', MOD_ALT, &argument));
    assert_null(action_of_key(0, 0, &argument));
}

static void every_setting_can_be_read_back_and_stays_in_range(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    for (uint32_t k = 0; parameter_at(k); k++) {
        float first = parameter_get(&def, k), value = first;
        for (int step = 0; step < 100; step++) {
            value = parameter_next(k, value, 1);
            parameter_set(&def, k, value);
            assert_true(fabsf(parameter_get(&def, k) - value) < 1e-6f * fmaxf(fabsf(value), 1));
            if (!parameter_at(k)->names) assert_true(value <= (float)parameter_at(k)->hi);
        }
        assert_true(parameter_next(k, first, 1) != first);
    }
}

static void what_starts_over_is_loading_until_it_can_be_seen(void **state)
{
    (void)state;
    bool fresh;
    Simulation *simulation = start(0, false);
    assert_false(simulation_status(simulation).loading);
    held = true;
    simulation_step(simulation);
    wait_until_held(); // the thread tells of the step
    simulation_reset(simulation);
    assert_true(simulation_status(simulation).loading);
    uint64_t fluid = simulation_take(simulation, &fresh)->fluid;
    held = false;
    double until = clock_seconds() + PATIENCE;
    while (simulation_status(simulation).loading && clock_seconds() < until) usleep(1000);
    assert_false(simulation_status(simulation).loading);
    assert_true(simulation_take(simulation, &fresh)->fluid > fluid);
    // What fails is over, too.
    held = true;
    simulation_step(simulation);
    wait_until_held();
    simulation_load(simulation, "no such file", 0, LOAD_OTHER);
    assert_true(simulation_status(simulation).loading);
    held = false;
    until = clock_seconds() + PATIENCE;
    while (simulation_status(simulation).loading && clock_seconds() < until) usleep(1000);
    assert_false(simulation_status(simulation).loading);
    assert_int_equal(simulation_status(simulation).errors, 1);
    simulation_stop(simulation);
}

static void every_setting_can_be_changed_while_the_water_moves(void **state)
{
    (void)state;
    SceneDef scene;
    Fluid *fluid;
    Result result = read_scene("scenes/mixer.yaml", 0.15f, NULL, &scene);
    if (result_is_ok(&result)) result = scene_build(&scene, &fluid);
    assert_true(result_is_ok(&result));
    for (uint32_t k = 0; parameter_at(k); k++) {
        if (k == parameter_of_spacing()) continue;
        for (int direction = -1; direction <= 1; direction += 2) {
            FluidDef def = scene.fluid;
            parameter_set(&def, k, parameter_next(k, parameter_get(&def, k), direction));
            result = fluid_change(fluid, &def);
            if (result_is_ok(&result)) result = fluid_step(fluid, 100, NULL);
            assert_string_equal(result.text, "");
        }
    }
    fluid_destroy(fluid);
    scene_free(&scene);
}

int main(void)
{
    // One thread: the states are the same, and small scenes are done sooner.
    parallel_set_workers(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_60_has_the_same_bits_as_in_a_headless_run),
        cmocka_unit_test(pausing_in_between_does_not_change_the_states),
        cmocka_unit_test(a_snapshot_stays_as_it_is_while_the_water_moves_on),
        cmocka_unit_test(a_file_that_cannot_be_read_leaves_the_old_scene),
        cmocka_unit_test(two_methods_in_lockstep_stay_identical_and_follow_changes),
        cmocka_unit_test(comparing_goes_on_from_here_and_leaves_the_left_side_as_it_would_have_been),
        cmocka_unit_test(moved_obstacles_and_all_that_a_state_holds_are_taken_over),
        cmocka_unit_test(the_compared_setting_is_the_left_sides_and_its_name_follows),
        cmocka_unit_test(a_side_that_is_ahead_is_remembered_with_the_frame_it_has_reached),
        cmocka_unit_test(another_spacing_keeps_changed_settings_and_a_changed_file_does_not),
        cmocka_unit_test(after_a_comparison_the_left_side_goes_on),
        cmocka_unit_test(a_storm_of_requests_leaves_the_last_word),
        cmocka_unit_test(what_a_scene_is_comes_with_its_first_snapshot),
        cmocka_unit_test(a_setting_leaves_the_others_as_the_new_scene_has_them),
        cmocka_unit_test(what_was_asked_for_is_told_before_the_step_ends),
        cmocka_unit_test(steps_are_counted_where_the_water_is_slower_than_the_clock),
        cmocka_unit_test(slow_motion_follows_the_clock_and_leaves_time),
        cmocka_unit_test(thinned_water_keeps_the_same_particles_and_fills_the_same_volume),
        cmocka_unit_test(a_force_moves_the_water_only_while_it_is_on),
        cmocka_unit_test(of_requests_that_wait_only_the_last_of_a_kind_or_setting_is_kept),
        cmocka_unit_test(requests_for_other_water_end_a_step_and_those_of_a_slider_do_not),
        cmocka_unit_test(nothing_is_left_on_the_heap),
        cmocka_unit_test(an_orbit_keeps_a_placed_camera_where_it_is),
        cmocka_unit_test(zooming_keeps_the_point_under_the_mouse_on_its_line_of_sight),
        cmocka_unit_test(every_action_has_keys_of_its_own),
        cmocka_unit_test(what_starts_over_is_loading_until_it_can_be_seen),
        cmocka_unit_test(every_setting_can_be_changed_while_the_water_moves),
        cmocka_unit_test(every_setting_can_be_read_back_and_stays_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
