// What the window remembers: states to return to, runs that were given up, within a bound of memory.
#include "fluid_helpers.h"

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
#include "viewer/simulation.h"

static Result read_scene(const char *path, float spacing, const void *context, SceneDef *out)
{
    (void)context;
    SceneOverride coarse = {"spacing", "0.5"};
    Result result = scene_read(path, &coarse, 1, out);
    if (spacing > 0) out->fluid.spacing = spacing;
    return result;
}

static void wake(void)
{
}

static Simulation *start_scene(const char *path, float spacing, size_t budget)
{
    SceneDef scene;
    SharedScene *shared;
    Simulation *simulation;
    SimulationDef def = {.read = read_scene, .speed = INFINITY, .budget = budget, .wake = wake};
    assert_string_equal(read_scene(path, spacing, NULL, &scene).text, "");
    assert_string_equal(shared_scene_create(&scene, &shared).text, "");
    assert_string_equal(simulation_start(&def, shared, &simulation).text, "");
    shared_scene_release(shared);
    return simulation;
}

static Simulation *start_at(float spacing, size_t budget)
{
    return start_scene("scenes/dam_break.yaml", spacing, budget);
}

static Simulation *start_within(size_t budget)
{
    return start_at(0, budget);
}

static Simulation *start(void)
{
    return start_within(0);
}

// The snapshot that shows a frame of a run in which nothing waits any more.
static const SimSnapshot *wait_for_frame(Simulation *simulation, uint32_t frame)
{
    bool fresh;
    for (double until = clock_seconds() + 60;;) {
        bool loading = simulation_status(simulation).loading;
        const SimSnapshot *snapshot = simulation_take(simulation, &fresh);
        if (!loading && snapshot->on_frame && snapshot->frame == frame) return snapshot;
        if (clock_seconds() > until) fail_msg("frame %u does not come", frame);
        usleep(1000);
    }
}

static uint64_t hash_at(Simulation *simulation, uint32_t frame)
{
    return fluid_hash_view(&wait_for_frame(simulation, frame)->side[0].view);
}

// Steps on to a frame, one after the other.
static void go_to_frame(Simulation *simulation, uint32_t from, uint32_t to)
{
    for (uint32_t frame = from + 1; frame <= to; frame++) {
        simulation_frame(simulation);
        wait_for_frame(simulation, frame);
    }
}

static void any_remembered_state_goes_on_as_the_run_did(void **state)
{
    (void)state;
    Simulation *simulation = start();
    uint64_t hash[13];
    for (uint32_t frame = 0; frame <= 12; frame++) {
        if (frame > 0) go_to_frame(simulation, frame - 1, frame);
        hash[frame] = hash_at(simulation, frame);
    }
    for (uint32_t frame = 11; frame > 3; frame -= 4) {
        simulation_scrub(simulation, wait_for_frame(simulation, 12)->timeline.begin + frame / 30.0);
        assert_true(hash_at(simulation, frame) == hash[frame]);
        go_to_frame(simulation, frame, 12); // steps, not remembered states
        assert_true(hash_at(simulation, 12) == hash[12]);
        assert_int_equal(wait_for_frame(simulation, 12)->timeline.count, 13);
        assert_false(wait_for_frame(simulation, 12)->timeline.undo);
    }
    simulation_scrub(simulation, 12 / 30.0); // where it is already
    wait_for_frame(simulation, 12);          // and loads no longer
    simulation_back(simulation);
    assert_true(hash_at(simulation, 11) == hash[11]);
    // Played again from the start, without a step, up to where the water goes on by itself.
    simulation_scrub(simulation, 0);
    wait_for_frame(simulation, 0);
    simulation_play(simulation, true);
    for (uint64_t steps = 0; steps < 1;) steps = simulation_status(simulation).steps;
    simulation_stop(simulation);
}

static double worst_of(const double *times, uint32_t count, double *median)
{
    double sorted[64];
    memcpy(sorted, times, count * sizeof *times);
    for (uint32_t k = 1; k < count; k++) {
        for (uint32_t j = k; j > 0 && sorted[j - 1] > sorted[j]; j--) {
            double swapped = sorted[j];
            sorted[j] = sorted[j - 1];
            sorted[j - 1] = swapped;
        }
    }
    *median = sorted[count / 2];
    return sorted[count - 1];
}

// 32,768 particles for 62 s within 1 GB: any time of the last 60 s is a state that is near, seen at once, and
// goes on as it did. How long that takes is told.
static void a_minute_of_30000_particles_is_remembered(void **state)
{
    (void)state;
    enum { LAST = 62 * 30, JUMPS = 40, BUDGET = 1000000000 };
    static uint64_t hash[LAST + 1];
    double seen[JUMPS], there[JUMPS], far = 0, median[2], worst[2];
    uint32_t drawn = 1;
    if (!test_is_full()) skip();
    Simulation *simulation = start_at(0.156f, BUDGET);
    for (uint32_t frame = 0; frame <= LAST; frame++) {
        if (frame > 0) go_to_frame(simulation, frame - 1, frame);
        hash[frame] = hash_at(simulation, frame);
    }
    Timeline timeline = wait_for_frame(simulation, LAST)->timeline;
    assert_true(timeline.bytes <= BUDGET);
    for (uint32_t k = 0; k < JUMPS; k++) {
        drawn = drawn * 1103515245u + 12345u;
        double time = timeline.end - 60 * (double)(drawn >> 8) / (1 << 24), began = clock_seconds();
        simulation_scrub(simulation, time);
        const SimSnapshot *glimpse = simulation_glimpse(simulation, time);
        seen[k] = clock_seconds() - began;
        assert_non_null(glimpse);
        uint32_t frame = glimpse->frame;
        far = fmax(far, fabs(frame / 30.0 - time));
        assert_true(fluid_hash_view(&glimpse->side[0].view) == hash[frame]);
        wait_for_frame(simulation, frame);
        there[k] = clock_seconds() - began;
        assert_true(hash_at(simulation, frame) == hash[frame]);
        if (frame == LAST || k % 4 > 0) continue;
        go_to_frame(simulation, frame, frame + 1); // steps
        assert_true(hash_at(simulation, frame + 1) == hash[frame + 1]);
    }
    worst[0] = worst_of(seen, JUMPS, &median[0]);
    worst[1] = worst_of(there, JUMPS, &median[1]);
    print_message(
        "%u particles, %u states in %.0f MB, at most %.3f s away; seen after %.3f s (worst %.3f s), the "
        "water's own state after %.3f s (worst %.3f s)\n",
        wait_for_frame(simulation, simulation_take(simulation, &(bool){0})->frame)->side[0].view.count,
        timeline.count, 1e-6 * (double)timeline.bytes, far, median[0], worst[0], median[1], worst[1]);
    assert_true(far < 0.1);
    simulation_stop(simulation);
}

// Where memory is short, states are packed: they are seen at once, and go on as they did.
static void packed_states_are_the_same_bit_for_bit(void **state)
{
    (void)state;
    enum { LAST = 24 };
    Simulation *simulation = start_within(450000);
    uint64_t hash[LAST + 1];
    for (uint32_t frame = 0; frame <= LAST; frame++) {
        if (frame > 0) go_to_frame(simulation, frame - 1, frame);
        hash[frame] = hash_at(simulation, frame);
    }
    Timeline timeline = wait_for_frame(simulation, LAST)->timeline;
    assert_true(timeline.bytes <= 450000);
    assert_true(timeline.count > 7 && timeline.count < LAST); // five where nothing is packed
    for (uint32_t k = 0; k < timeline.mark_count; k++) {
        uint32_t frame = (uint32_t)lround(30 * (double)timeline.marks[k]);
        simulation_scrub(simulation, (double)timeline.marks[k]);
        const SimSnapshot *glimpse = simulation_glimpse(simulation, (double)timeline.marks[k]);
        assert_non_null(glimpse);
        assert_int_equal(glimpse->frame, frame);
        assert_true(fluid_hash_view(&glimpse->side[0].view) == hash[frame]);
        assert_true(hash_at(simulation, frame) == hash[frame]);
    }
    simulation_scrub(simulation, 8 / 30.0);
    assert_true(hash_at(simulation, 8) == hash[8]);
    go_to_frame(simulation, 8, 12);
    assert_true(hash_at(simulation, 12) == hash[12]);
    simulation_stop(simulation);
}

static void a_glimpse_shows_strands_where_they_were(void **state)
{
    (void)state;
    enum { LAST = 4 };
    Simulation *simulation = start_scene("scenes/kelp.yaml", 0, 0);
    uint64_t hash[LAST + 1];
    for (uint32_t frame = 0; frame <= LAST; frame++) {
        if (frame > 0) go_to_frame(simulation, frame - 1, frame);
        hash[frame] = strands_hash(wait_for_frame(simulation, frame)->side[0].view.strands, 0);
    }
    for (uint32_t frame = 1; frame < LAST; frame++) {
        const SimSnapshot *glimpse = simulation_glimpse(simulation, frame / 25.0);
        assert_non_null(glimpse);
        assert_int_equal(glimpse->frame, frame);
        assert_true(hash[frame] != hash[LAST]);
        assert_true(strands_hash(glimpse->side[0].view.strands, 0) == hash[frame]);
    }
    simulation_stop(simulation);
}

// A row a frame while somebody looks, of the run that there is.
static void frames_are_measured_and_what_is_given_up_goes(void **state)
{
    (void)state;
    float times[40], values[40];
    uint32_t energy = 0, iterations = 0;
    Simulation *simulation = start();
    Measurements *measurements = simulation_measurements(simulation);
    while (strcmp(quantity_at(energy)->name, "energy") != 0) energy++;
    while (strcmp(parameter_at(iterations)->key, "solver.iterations") != 0) iterations++;
    measurements->wanted = true;
    go_to_frame(simulation, 0, 6);
    assert_int_equal(measurements_line(measurements, energy, 40, times, values), 6);
    for (uint32_t k = 0; k < 6; k++) {
        assert_true(fabsf(times[k] - (float)(k + 1) / 30) < 1e-6f);
        assert_true(values[k] > 2e6f && values[k] < 3.1e6f); // m g times 2.5 m, 125 t
        if (k > 0) assert_true(values[k] <= values[k - 1]);
    }
    assert_int_equal(measurements_line(measurements, energy, 3, times, values), 3);
    assert_true(times[0] < 0.04f && times[2] > 0.19f); // both ends
    simulation_scrub(simulation, 3 / 30.0);
    wait_for_frame(simulation, 3);
    assert_int_equal(measurements_line(measurements, energy, 40, times, values), 6);
    simulation_set(simulation, iterations, 9);
    go_to_frame(simulation, 3, 4);
    assert_int_equal(measurements_line(measurements, energy, 40, times, values), 4);
    simulation_reset(simulation);
    wait_for_frame(simulation, 0);
    assert_int_equal(measurements_line(measurements, energy, 40, times, values), 0);
    simulation_stop(simulation);
}

static void what_was_given_up_comes_back_with_its_settings(void **state)
{
    (void)state;
    SceneFacts facts = {0};
    Simulation *simulation = start();
    go_to_frame(simulation, 0, 4);
    uint64_t there = hash_at(simulation, 4);
    simulation_facts(simulation, &facts);
    uint32_t iterations = facts.fluid.iterations;
    simulation_reset(simulation);
    assert_true(hash_at(simulation, 0) != there);
    assert_true(wait_for_frame(simulation, 0)->timeline.undo);
    simulation_undo(simulation, -1);
    assert_true(hash_at(simulation, 4) == there);
    simulation_undo(simulation, 1);
    wait_for_frame(simulation, 0);
    simulation_load(simulation, "scenes/wave.yaml", 0, LOAD_OTHER);
    while (wait_for_frame(simulation, 0)->scene < 2) usleep(1000);
    simulation_undo(simulation, -1);
    simulation_undo(simulation, -1);
    assert_true(hash_at(simulation, 4) == there);
    simulation_facts(simulation, &facts);
    assert_string_equal(facts.name, "dam_break");

    // A change makes another future; the one that there was is a run that undo returns to.
    go_to_frame(simulation, 4, 6);
    uint64_t later = hash_at(simulation, 6);
    simulation_scrub(simulation, 4 / 30.0);
    wait_for_frame(simulation, 4);
    for (uint32_t k = 0; parameter_at(k); k++) {
        if (strcmp(parameter_at(k)->key, "solver.iterations") == 0)
            simulation_set(simulation, k, (float)iterations + 5);
    }
    go_to_frame(simulation, 4, 6);
    assert_true(hash_at(simulation, 6) != later);
    simulation_undo(simulation, -1);
    while (hash_at(simulation, 6) != later) usleep(1000);
    simulation_facts(simulation, &facts);
    assert_int_equal(facts.fluid.iterations, iterations);
    simulation_stop(simulation);
}

// --- memory ---

enum { MOMENT_BYTES = 1000, MOMENTS_KEPT = 300 };

static Moment *make_moment(SharedScene *scene, uint32_t frame)
{
    Moment *moment = memory_allocate_zeroed(sizeof *moment);
    moment->time = frame / 30.0;
    moment->frame = frame;
    moment->scene = shared_scene_hold(scene);
    moment->bytes = MOMENT_BYTES;
    return moment;
}

static void memory_is_bounded_and_the_last_minute_even(void **state)
{
    (void)state;
    uint64_t before = memory_bytes_in_use();
    SceneDef scene;
    SharedScene *shared;
    assert_string_equal(read_scene("scenes/dam_break.yaml", 0, NULL, &scene).text, "");
    assert_string_equal(shared_scene_create(&scene, &shared).text, "");
    History history;
    history_open(&history, MOMENTS_KEPT * MOMENT_BYTES);
    const uint32_t frames = 30 * 90; // 90 s
    for (uint32_t frame = 0; frame <= frames; frame++) {
        assert_string_equal(history_add(&history, make_moment(shared, frame)).text, "");
        assert_true(history.bytes <= history.budget);
    }
    assert_int_equal(history.count, MOMENTS_KEPT);
    assert_true(history.moments[0]->time == 0);
    assert_true(history.moments[history.count - 1]->time == frames / 30.0);
    for (uint32_t k = 1; k < history.count; k++) {
        double gap = history.moments[k]->time - history.moments[k - 1]->time;
        assert_true(gap > 0 && gap < 1.5);
        // 0.3 s if all 90 s were even; gaps are powers of two of a frame, of two sizes at most.
        if (history.moments[k - 1]->time > 30 && k + 1 < history.count) {
            double frames_apart = 30 * gap;
            assert_true(fabs(frames_apart - 8) < 1e-6 || fabs(frames_apart - 16) < 1e-6);
        }
    }
    // A run that was given up keeps its last state longest.
    history_begin_run(&history);
    for (uint32_t frame = 0; frame <= frames; frame++)
        assert_string_equal(history_add(&history, make_moment(shared, frame)).text, "");
    assert_true(history.moments[0]->run == 0 && history.moments[1]->run == 1);
    assert_true(history.moments[0]->time == frames / 30.0);
    assert_true(history_change_run(&history, -1) == history.moments[0]);
    assert_null(history_change_run(&history, -1));
    history_free(&history);
    shared_scene_release(shared);
    assert_int_equal(memory_bytes_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_remembered_state_goes_on_as_the_run_did),
        cmocka_unit_test(a_minute_of_30000_particles_is_remembered),
        cmocka_unit_test(packed_states_are_the_same_bit_for_bit),
        cmocka_unit_test(a_glimpse_shows_strands_where_they_were),
        cmocka_unit_test(frames_are_measured_and_what_is_given_up_goes),
        cmocka_unit_test(what_was_given_up_comes_back_with_its_settings),
        cmocka_unit_test(memory_is_bounded_and_the_last_minute_even),
    };
    return cmocka_run_group_tests_name("viewer_history", tests, NULL, NULL);
}
