// The viewer's simulation, opened with a stored state instead of a scene's beginning.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/clock.h"
#include "core/memory.h"
#include "viewer/parameters.h"
#include "viewer/sides.h"
#include "viewer/simulation.h"

enum { STORED = 4 }; // frame

static Result read_scene(const char *path, float spacing, const void *context, SceneDef *out)
{
    (void)context;
    SceneOverride coarse = {"spacing", "0.5"};
    Result result = scene_read(path, &coarse, 1, out);
    if (spacing > 0) out->fluid.spacing = spacing;
    strcpy(out->fluid.neighbor, "uniform_grid"); // has the same bits as other lists
    return result;
}

static void wake(void)
{
}

static void compare_methods(Simulation *simulation, const char *left, const char *right)
{
    simulation_compare(simulation, parameter_of_methods(), (float)parameter_method(left),
                       (float)parameter_method(right));
}

static void run_to_frame(Fluid *fluid, uint32_t frame, double fps)
{
    while (fluid_time(fluid) < frame / fps) {
        Result result = fluid_step(fluid, (floor(fluid_time(fluid) * fps + 1e-6) + 1) / fps, NULL);
        assert_string_equal(result.text, "");
    }
}

// The scene, with the state of a fluid that has reached frame STORED; *at_start: its hash. Frees the fluid
// only later, as the state's blocks are its own.
static Fluid *store_frame(SceneDef *scene, uint64_t *at_start)
{
    Fluid *fluid;
    StateBlocks blocks = {0};
    assert_string_equal(read_scene("scenes/wave.yaml", 0, NULL, scene).text, "");
    assert_string_equal(scene_build(scene, &fluid).text, "");
    run_to_frame(fluid, STORED, scene->output.fps);
    *at_start = fluid_state_hash(fluid);
    fluid_store(fluid, &blocks);
    assert_string_equal(scene_start_from(scene, &blocks, STORED, "stored.pbf").text, "");
    return fluid;
}

// Positions of all particles by id, summed with weights, so that any that moved shows.
static double weigh(const FrameView *view)
{
    double sum = 0;
    for (uint32_t k = 0; k < view->count; k++)
        sum +=
            (1 + view->id[k] % 101) * ((double)view->x[k] + 2 * (double)view->y[k] + 3 * (double)view->z[k]);
    return sum / view->count;
}

static double weigh_fluid(const Fluid *fluid)
{
    FrameView view = fluid_view(fluid);
    return weigh(&view);
}

static Simulation *open_stored(SceneDef *scene, uint32_t frames)
{
    Simulation *simulation;
    SimulationDef def = {
        .read = read_scene, .frames = frames, .playing = frames > 0, .speed = INFINITY, .wake = wake};
    SharedScene *shared;
    assert_string_equal(shared_scene_create(scene, &shared).text, "");
    assert_string_equal(simulation_start(&def, shared, &simulation).text, "");
    shared_scene_release(shared);
    return simulation;
}

// The newest snapshot of another fluid than number `fluid`, or of a frame.
static const SimSnapshot *wait_for_snapshot(Simulation *simulation, uint64_t other_than, uint32_t frame)
{
    bool fresh;
    double until = clock_seconds() + 60;
    for (;;) {
        const SimSnapshot *snapshot = simulation_take(simulation, &fresh);
        if (snapshot->fluid != other_than && snapshot->frame >= frame) return snapshot;
        if (clock_seconds() > until) fail_msg("frame %u does not come", frame);
        usleep(1000);
    }
}

static void the_window_goes_on_from_a_stored_state_as_the_run_would_have(void **state)
{
    (void)state;
    SceneDef scene;
    uint64_t hash;
    Fluid *fluid = store_frame(&scene, &hash);
    double fps = scene.output.fps;
    Simulation *simulation = open_stored(&scene, STORED + 4);
    const SimSnapshot *snapshot = wait_for_snapshot(simulation, 0, STORED + 3);
    run_to_frame(fluid, STORED + 3, fps);
    assert_true(snapshot->on_frame);
    assert_true(snapshot->side[0].view.time == fluid_time(fluid));
    assert_true(weigh(&snapshot->side[0].view) == weigh_fluid(fluid));
    simulation_stop(simulation);
    fluid_destroy(fluid);
}

static void starting_over_and_comparing_begin_with_the_stored_state(void **state)
{
    (void)state;
    SceneDef scene;
    uint64_t hash, number;
    Fluid *fluid = store_frame(&scene, &hash);
    double there = weigh_fluid(fluid), time = fluid_time(fluid);
    Simulation *simulation = open_stored(&scene, 0);
    const SimSnapshot *snapshot = wait_for_snapshot(simulation, 0, STORED);
    assert_true(weigh(&snapshot->side[0].view) == there);
    simulation_step(simulation);
    for (double until = clock_seconds() + 60; snapshot->side[0].view.time == time;) {
        assert_true(clock_seconds() < until);
        snapshot = wait_for_snapshot(simulation, 0, STORED);
    }
    assert_true(weigh(&snapshot->side[0].view) != there);
    number = snapshot->fluid;
    simulation_reset(simulation);
    snapshot = wait_for_snapshot(simulation, number, STORED);
    assert_true(weigh(&snapshot->side[0].view) == there && snapshot->side[0].view.time == time);
    number = snapshot->fluid;
    compare_methods(simulation, "uniform_grid", "octree");
    snapshot = wait_for_snapshot(simulation, number, STORED);
    assert_int_equal(snapshot->sides, 2);
    for (int side = 0; side < 2; side++) assert_true(weigh(&snapshot->side[side].view) == there);
    simulation_frame(simulation); // both go on from there
    snapshot = wait_for_snapshot(simulation, number, STORED + 1);
    assert_int_equal(snapshot->text.mood, SPLIT_GOOD);
    simulation_stop(simulation);
    fluid_destroy(fluid);
}

static void another_scene_begins_with_its_water_and_nothing_is_left(void **state)
{
    (void)state;
    uint64_t before = memory_bytes_in_use();
    SceneDef scene;
    uint64_t hash;
    Fluid *fluid = store_frame(&scene, &hash);
    Simulation *simulation = open_stored(&scene, 0);
    const SimSnapshot *snapshot = wait_for_snapshot(simulation, 0, STORED);
    simulation_load(simulation, "scenes/wave.yaml", 0, LOAD_OTHER);
    snapshot = wait_for_snapshot(simulation, snapshot->fluid, 0);
    assert_int_equal(snapshot->frame, 0);
    assert_true(snapshot->side[0].view.time == 0);
    simulation_stop(simulation);
    fluid_destroy(fluid);
    assert_int_equal(memory_bytes_in_use(), before);
}

static void a_scene_is_stored_with_the_settings_that_the_fluid_has(void **state)
{
    (void)state;
    const float viscosity = 0.0123456789f;
    SceneDef scene, now, again;
    SharedScene *shared;
    Sides sides = {.read = read_scene};
    uint32_t k = 0;
    while (strcmp(parameter_at(k)->key, "fluid.viscosity") != 0) k++;
    assert_string_equal(read_scene("scenes/wave.yaml", 0, NULL, &scene).text, "");
    assert_string_equal(shared_scene_create(&scene, &shared).text, "");
    assert_string_equal(sides_start(&sides, shared).text, "");
    assert_string_equal(sides_set(&sides, k, viscosity).text, "");
    assert_string_equal(sides_scene_now(&sides, &now).text, "");
    assert_string_equal(scene_read_source(&now.source, &again).text, "");
    assert_true(sides.side[0].fluid.viscosity == viscosity && again.fluid.viscosity == viscosity);
    scene_free(&again);
    sides_free(&sides);
    shared_scene_release(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_goes_on_from_a_stored_state_as_the_run_would_have),
        cmocka_unit_test(starting_over_and_comparing_begin_with_the_stored_state),
        cmocka_unit_test(another_scene_begins_with_its_water_and_nothing_is_left),
        cmocka_unit_test(a_scene_is_stored_with_the_settings_that_the_fluid_has),
    };
    return cmocka_run_group_tests_name("viewer_stored", tests, NULL, NULL);
}
