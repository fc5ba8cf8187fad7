// Two fluids side by side: what they cost, and when and where their states part.
#include "core/memory.h"
#include "fluid/lockstep.h"
#include "fluid_helpers.h"
#include "scene/lockstep_text.h"
#include "scene_helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DAM                                                                                                  \
    "name: dam\n"                                                                                            \
    "spacing: 0.25\n"                                                                                        \
    "tank: {size: [4, 2, 3]}\n"                                                                              \
    "water:\n"                                                                                               \
    "  - box: {min: [0, 0, 0], max: [2, 2, 2]}\n"
#define LOCAL_DAM DAM "solver: {global_pressure: false}\n"
#define DAM_PARTICLES 512u

// Two scenes that differ in one key.
static Lockstep *make(const char *text, const char *a, const char *b)
{
    SceneDef scene_a = scene_from_text(text, a), scene_b = scene_from_text(text, b);
    Lockstep *lockstep;
    Fluid *fluids[2];
    ASSERT_OK(scene_build_pair((const SceneDef *[2]){&scene_a, &scene_b},
                               (const FluidDef *[2]){&scene_a.fluid, &scene_b.fluid}, fluids));
    ASSERT_OK(lockstep_create(fluids, &lockstep));
    scene_free(&scene_a);
    scene_free(&scene_b);
    return lockstep;
}

static Fluid *make_fluid(const char *text, const char *set)
{
    SceneDef scene = scene_from_text(text, set);
    Fluid *fluid;
    ASSERT_OK(scene_build(&scene, &fluid));
    scene_free(&scene);
    return fluid;
}

static void run_to(Lockstep *lockstep, double until)
{
    while (lockstep_time(lockstep) < until) ASSERT_OK(lockstep_step(lockstep, until, NULL));
}

// How far particle `id` of two fluids is apart in position and velocity. Looks through all particles.
typedef struct Apart {
    double distance, velocity;
} Apart;

static Apart apart_of(const Fluid *a, const Fluid *b, uint32_t id)
{
    const Fluid *fluid[2] = {a, b};
    double at[2][6];
    for (int side = 0; side < 2; side++) {
        FrameView view = fluid_view(fluid[side]);
        const float *streams[6] = {view.x, view.y, view.z, view.vx, view.vy, view.vz};
        uint32_t i = 0;
        while (view.id[i] != id) i++;
        for (int k = 0; k < 6; k++) at[side][k] = streams[k][i];
    }
    double square[6];
    for (int k = 0; k < 6; k++) square[k] = (at[0][k] - at[1][k]) * (at[0][k] - at[1][k]);
    return (Apart){sqrt(square[0] + square[1] + square[2]), sqrt(square[3] + square[4] + square[5])};
}

// --- two methods ---

static void two_methods_meet_after_every_step_in_the_same_state(void **state)
{
    (void)state;
    Lockstep *lockstep = make(DAM, "solver.neighbor=uniform_grid", "solver.neighbor=aabb_grid");
    Fluid *lone = make_fluid(DAM, "solver.neighbor=octree");
    uint32_t rounds = 0;
    double end = 0;
    for (int frame = 1; frame <= 4; frame++) {
        while (lockstep_time(lockstep) < frame * 0.05) {
            bool met;
            StepReport report;
            ASSERT_OK(lockstep_step(lockstep, frame * 0.05, &met));
            ASSERT_OK(fluid_step(lone, frame * 0.05, &report));
            const LockstepRound *round = lockstep_round(lockstep);
            assert_true(met);
            assert_int_equal(round->number, ++rounds);
            assert_true(round->start == end && round->end == report.time);
            end = round->end;
            assert_true(round->difference.identical);
            for (int side = 0; side < 2; side++) {
                assert_int_equal(round->cost[side].steps, 1);
                assert_int_equal(round->cost[side].neighbors, report.neighbor.neighbors);
                assert_int_equal(round->cost[side].particles, DAM_PARTICLES);
            }
            // The boxes leave candidates out, never neighbors.
            assert_true(round->cost[1].candidates < round->cost[0].candidates);
            assert_true(round->cost[1].candidates >= round->cost[1].neighbors);
        }
    }
    assert_true(rounds > 8);
    assert_int_equal(fluid_state_hash(lockstep_fluid(lockstep, 0)), fluid_state_hash(lone));
    assert_int_equal(fluid_state_hash(lockstep_fluid(lockstep, 1)), fluid_state_hash(lone));
    assert_false(lockstep_parting(lockstep)->parted);
    assert_true(lockstep_largest(lockstep, NULL)->identical);
    fluid_destroy(lone);
    lockstep_destroy(lockstep);
}

static void costs_are_the_sums_of_the_rounds(void **state)
{
    (void)state;
    Lockstep *lockstep = make(DAM, "solver.neighbor=octree", "solver.neighbor=kd_tree");
    LockstepCost sum[2] = {0};
    while (lockstep_time(lockstep) < 0.1) {
        ASSERT_OK(lockstep_step(lockstep, 0.1, NULL));
        for (int side = 0; side < 2; side++)
            lockstep_cost_add(&sum[side], &lockstep_round(lockstep)->cost[side]);
    }
    for (int side = 0; side < 2; side++) {
        const LockstepCost *cost = lockstep_cost(lockstep, side);
        assert_int_equal(cost->steps, sum[side].steps);
        assert_int_equal(cost->candidates, sum[side].candidates);
        assert_int_equal(cost->structure_bytes, sum[side].structure_bytes);
        assert_true(fabs(cost->total_ms - sum[side].total_ms) < 1e-9);
        assert_true(cost->construction_ms > 0 && cost->search_ms > 0 && cost->behavior_ms > 0);
        double parts = cost->construction_ms + cost->search_ms + cost->behavior_ms, phases = 0;
        for (int phase = 0; phase < PHASE_COUNT; phase++) phases += cost->phase_ms[phase];
        assert_true(fabs(parts - cost->total_ms) < 1e-6 * parts);
        assert_true(phases > 0 && phases <= 1.001 * cost->total_ms);
    }
    lockstep_destroy(lockstep);
}

// Times and counts add up, memory is the most that was in use, and particles are those of the last step.
static void costs_of_steps_add_up(void **state)
{
    (void)state;
    LockstepCost sum = {0}, one = {.steps = 1,
                                   .construction_ms = 1,
                                   .search_ms = 2,
                                   .behavior_ms = 4,
                                   .total_ms = 8,
                                   .phase_ms = {1, 2, 3},
                                   .candidates = 100,
                                   .neighbors = 30,
                                   .structure_bytes = 500,
                                   .list_bytes = 600,
                                   .particles = 70};
    LockstepCost two = one, none = {.particles = 9};
    two.structure_bytes = 400, two.list_bytes = 700, two.particles = 60;
    lockstep_cost_add(&sum, &one);
    assert_memory_equal(&sum, &one, sizeof sum);
    lockstep_cost_add(&sum, &two);
    lockstep_cost_add(&sum, &none);
    assert_true(sum.steps == 2 && sum.candidates == 200 && sum.neighbors == 60);
    assert_true(sum.construction_ms == 2 && sum.search_ms == 4 && sum.behavior_ms == 8 && sum.total_ms == 16);
    assert_true(sum.phase_ms[0] == 2 && sum.phase_ms[1] == 4 && sum.phase_ms[2] == 6);
    assert_true(sum.structure_bytes == 500 && sum.list_bytes == 700 && sum.particles == 60);
}

static void a_reduction_is_a_share_of_the_first_side(void **state)
{
    (void)state;
    LockstepCost a = {.construction_ms = 1, .search_ms = 9, .total_ms = 50},
                 b = {.construction_ms = 2, .search_ms = 6, .total_ms = 60}, none = {0};
    assert_true(fabs(lockstep_reduction(&a, &b) - 0.2) < 1e-12);
    assert_true(fabs(lockstep_reduction_total(&a, &b) + 0.2) < 1e-12);
    assert_true(lockstep_reduction(&none, &b) == 0);
}

// --- states that part ---

// A wall a little further away is noticed only when water comes near it: not at the start, and not everywhere
// at once. Lone fluids and a slow comparison say when and where.
// Medians over the last rounds, of counts that do not depend on the machine.
static void figures_are_medians_over_the_last_rounds(void **state)
{
    (void)state;
    enum { ROUNDS = PAIRS_MAX + 23 };
    Lockstep *lockstep = make(DAM, "solver.neighbor=uniform_grid", "solver.neighbor=octree");
    double tested[2][ROUNDS];
    PairFigure figure;
    for (uint32_t k = 0; k < ROUNDS;) {
        bool met;
        ASSERT_OK(lockstep_step(lockstep, 100, &met));
        if (!met) continue;
        const LockstepRound *round = lockstep_round(lockstep);
        for (int side = 0; side < 2; side++)
            tested[side][k] = (double)round->cost[side].candidates / round->cost[side].steps;
        k++;
        if (k != 1 && k != 40 && k != ROUNDS) continue;
        uint32_t first = k > PAIRS_MAX ? k - PAIRS_MAX : 0;
        double pairs[PAIRS_MAX][2];
        for (int side = 0; side < 2; side++) {
            for (uint32_t r = first; r < k; r++) pairs[r - first][side] = tested[side][r];
            ASSERT_WITHIN(lockstep_median(lockstep, LOCKSTEP_CANDIDATES, side),
                          pair_median(tested[side] + first, k - first), 0);
            assert_true(lockstep_median(lockstep, LOCKSTEP_TOTAL, side) >=
                        lockstep_median(lockstep, LOCKSTEP_BEHAVIOR, side));
        }
        PairFigure expected = pair_figure((const double(*)[2])pairs, k - first);
        figure = lockstep_figure(lockstep, LOCKSTEP_CANDIDATES);
        assert_int_equal(figure.pairs, k - first);
        ASSERT_WITHIN(figure.change, expected.change, 1e-12); // one step a round
    }
    lockstep_start_figures(lockstep);
    assert_int_equal(lockstep_figure(lockstep, LOCKSTEP_CANDIDATES).pairs, 0);
    // What is kept goes on alone.
    double before = lockstep_time(lockstep);
    uint64_t hash = fluid_state_hash(lockstep_fluid(lockstep, 1));
    Fluid *kept = lockstep_keep(lockstep, 1);
    assert_true(fluid_state_hash(kept) == hash && fluid_time(kept) == before);
    assert_string_equal(fluid_settings(kept)->neighbor, "octree");
    fluid_destroy(kept);
}

static void the_first_difference_is_where_a_lone_comparison_finds_it(void **state)
{
    (void)state;
    // Without the grid of the global pressure, whose cells would differ from the start.
    static const char near[] = "tank.size=[3.0,2,3]", far[] = "tank.size=[3.05,2,3]";
    Lockstep *lockstep = make(LOCAL_DAM, near, far);
    Fluid *a = make_fluid(LOCAL_DAM, near), *b = make_fluid(LOCAL_DAM, far);
    const LockstepParting *parting = lockstep_parting(lockstep);
    for (int k = 1; !parting->parted && k < 1000; k++) {
        StepReport report;
        ASSERT_OK(lockstep_step(lockstep, 10, NULL));
        ASSERT_OK(fluid_step(a, 10, &report));
        ASSERT_OK(fluid_step(b, 10, NULL));
        assert_int_equal(parting->parted, fluid_state_hash(a) != fluid_state_hash(b));
        if (parting->parted) assert_int_equal(parting->step, report.step);
    }
    assert_true(parting->parted && parting->step > 5);
    const ViewDifference *difference = &parting->difference;
    assert_true(difference->differing > 0 && difference->differing < DAM_PARTICLES);
    Apart named = apart_of(a, b, difference->particle);
    assert_true(named.distance > 0 || named.velocity > 0);
    assert_true(fabs(difference->distance - named.distance) < 1e-12);
    assert_true(fabs(difference->velocity - named.velocity) < 1e-12);
    double sum = 0;
    for (uint32_t id = 0; id < DAM_PARTICLES; id++) {
        Apart other = apart_of(a, b, id);
        sum += other.distance * other.distance;
        assert_true(other.distance < named.distance + 1e-12);
        if (other.distance == named.distance) assert_true(other.velocity < named.velocity + 1e-12);
    }
    assert_true(fabs(difference->distance_rms - sqrt(sum / DAM_PARTICLES)) < 1e-12);

    // From then on the difference is followed.
    LockstepParting first = *parting;
    run_to(lockstep, lockstep_time(lockstep) + 0.5);
    double when;
    assert_true(lockstep_largest(lockstep, &when)->distance > 10 * first.difference.distance + 1e-4);
    assert_true(when > first.time);
    assert_memory_equal(&first, lockstep_parting(lockstep), sizeof first);
    fluid_destroy(a);
    fluid_destroy(b);
    lockstep_destroy(lockstep);
}

// Particles without gravity, one a side; of the second side: where it is and how fast along x.
static Lockstep *make_lone_pair(float x, float vx)
{
    FluidDef def = fluid_def_default();
    def.gravity = vec3_make(0, 0, 0);
    Fluid *fluids[2];
    for (int side = 0; side < 2; side++) {
        Vec3 at = vec3_make(x * (float)side, 0, 0), velocity = vec3_make(vx * (float)side, 0, 0);
        fluids[side] = fluid_for_test(&def, vec3_make(0, 0, 0), NULL, 0);
        fluid_fill_lattice(fluids[side], at, 1, 1, 1, 0, velocity);
    }
    Lockstep *lockstep;
    ASSERT_OK(lockstep_create(fluids, &lockstep));
    return lockstep;
}

// Two particles at rest, 1.5 m apart from the first meeting on: that is when they were as far apart as ever.
static void the_largest_difference_is_the_first_of_equals(void **state)
{
    (void)state;
    Lockstep *lockstep = make_lone_pair(1.5f, 0);
    double when = -1;
    run_to(lockstep, 0.05);
    assert_true(lockstep_round(lockstep)->number > 1);
    double apart = lockstep_round(lockstep)->difference.distance;
    ASSERT_WITHIN(apart, 1.5, 1e-6);
    assert_true(lockstep_largest(lockstep, &when)->distance == apart);
    assert_true(when == 0);
    lockstep_destroy(lockstep);
}

static void sides_with_different_steps_meet_at_the_frames(void **state)
{
    (void)state;
    Lockstep *lockstep = make(DAM, "solver.time_step=0.002", "solver.time_step=0.005");
    double ahead = 0;
    for (int frame = 1; frame <= 3; frame++) {
        double until = frame * 0.02;
        bool met = false;
        while (!met) {
            ASSERT_OK(lockstep_step(lockstep, until, &met));
            double apart = fluid_time(lockstep_fluid(lockstep, 0)) - fluid_time(lockstep_fluid(lockstep, 1));
            ahead = fmax(ahead, fabs(apart));
            assert_true(met == (apart == 0));
        }
        run_to(lockstep, until);
        assert_true(lockstep_time(lockstep) == until);
        assert_true(fluid_time(lockstep_fluid(lockstep, 1)) == until);
    }
    assert_true(ahead > 0 && ahead <= 0.005);
    assert_int_equal(lockstep_cost(lockstep, 0)->steps, 30);
    assert_int_equal(lockstep_cost(lockstep, 1)->steps, 12);
    assert_true(lockstep_parting(lockstep)->parted);
    lockstep_destroy(lockstep);
}

static void particles_that_one_side_lacks_are_counted(void **state)
{
    (void)state;
    Lockstep *lockstep = make(DAM, "spacing=0.25", "spacing=0.5");
    const ViewDifference *start = &lockstep_parting(lockstep)->difference;
    assert_true(lockstep_parting(lockstep)->parted);
    assert_int_equal(lockstep_parting(lockstep)->step, 0);
    assert_int_equal(start->only[0], DAM_PARTICLES - DAM_PARTICLES / 8);
    assert_int_equal(start->only[1], 0);
    lockstep_destroy(lockstep);
}

static void a_side_that_fails_is_named(void **state)
{
    (void)state;
    Lockstep *lockstep = make(DAM, "solver.time_step=0.006", "fluid.gravity=[0,0,-1000]");
    Result result = result_ok();
    for (int k = 0; k < 300 && result_is_ok(&result); k++) result = lockstep_step(lockstep, 100, NULL);
    if (!result_is_ok(&result)) assert_non_null(strstr(result.text, "the second side: step "));
    lockstep_destroy(lockstep);
}

// --- the comparison of two views ---

typedef struct Four {
    float stream[6][4];
    uint32_t id[4];
} Four;

static FrameView view_of(const Four *four, uint32_t count)
{
    return (FrameView){.count = count,
                       .x = four->stream[0],
                       .y = four->stream[1],
                       .z = four->stream[2],
                       .vx = four->stream[3],
                       .vy = four->stream[4],
                       .vz = four->stream[5],
                       .id = four->id};
}

static Four four_particles(void)
{
    Four four = {.id = {10, 20, 30, 40}};
    for (int stream = 0; stream < 6; stream++) {
        for (int i = 0; i < 4; i++) four.stream[stream][i] = (float)(10 * stream + i);
    }
    return four;
}

static ViewDifference difference_of(const Four *a, uint32_t count_a, const Four *b, uint32_t count_b)
{
    DifferenceBuffers buffers = {0};
    ViewDifference difference;
    FrameView view_a = view_of(a, count_a), view_b = view_of(b, count_b);
    ASSERT_OK(view_difference(&view_a, &view_b, &buffers, &difference));
    difference_buffers_free(&buffers);
    return difference;
}

static void views_are_compared_particle_by_particle(void **state)
{
    (void)state;
    Four a = four_particles(), b = a;
    assert_true(difference_of(&a, 4, &b, 4).identical);
    assert_true(difference_of(&a, 0, &b, 0).identical);

    // Another order in memory does not count as a difference.
    for (int stream = 0; stream < 6; stream++) {
        b.stream[stream][0] = a.stream[stream][3];
        b.stream[stream][3] = a.stream[stream][0];
    }
    b.id[0] = 40, b.id[3] = 10;
    assert_true(difference_of(&a, 4, &b, 4).identical);

    // 3, 4, 12 along the axes; a smaller one elsewhere.
    b = a;
    b.stream[0][2] += 3, b.stream[1][2] -= 4, b.stream[2][2] += 12;
    b.stream[0][0] += 1;
    b.stream[4][2] += 0.5f;
    ViewDifference difference = difference_of(&a, 4, &b, 4);
    assert_false(difference.identical);
    assert_int_equal(difference.differing, 2);
    assert_int_equal(difference.particle, 30);
    assert_true(difference.distance == 13 && difference.velocity == 0.5);
    assert_true(fabs(difference.distance_rms - sqrt((169.0 + 1) / 4)) < 1e-12);

    // One of one.
    difference = difference_of(&a, 1, &b, 1);
    assert_true(difference.distance == 1 && difference.distance_rms == 1);

    // The sign of a zero is a bit too, though it has no size; a velocity counts where positions agree.
    b = a;
    a.stream[0][0] = 0, b.stream[0][0] = -0.0f;
    difference = difference_of(&a, 4, &b, 4);
    assert_false(difference.identical);
    assert_true(difference.particle == 10 && difference.distance == 0);
    b.stream[5][3] += 2;
    difference = difference_of(&a, 4, &b, 4);
    assert_true(difference.particle == 40 && difference.distance == 0 && difference.velocity == 2);

    // A particle that is gone, at the end and in the middle.
    b = a;
    difference = difference_of(&a, 4, &b, 3);
    assert_true(difference.only[0] == 1 && difference.only[1] == 0 && difference.differing == 0);
    assert_false(difference.identical);
    b.id[1] = 50;
    difference = difference_of(&a, 4, &b, 4);
    assert_true(difference.only[0] == 1 && difference.only[1] == 1 && difference.differing == 0);
    assert_int_equal(difference.particle, UINT32_MAX);
}

static void everything_is_given_back(void **state)
{
    (void)state;
    uint64_t before = memory_bytes_in_use();
    Lockstep *lockstep = make(DAM, "solver.iterations=2", "solver.iterations=4");
    run_to(lockstep, 0.05);
    lockstep_destroy(lockstep);
    assert_int_equal(memory_bytes_in_use(), before);
}

// What the sheets say of states that part: since when, which particle first, and which one most.
static void a_parting_is_told_in_three_lines(void **state)
{
    (void)state;
    Lockstep *lockstep = make(LOCAL_DAM, "fluid.gravity=[0, 0, -9.81]", "fluid.gravity=[0, 0, -9.8]");
    FluidDef left = fluid_def_default();
    const FluidTotals *const totals[2] = {NULL, NULL};
    SplitText text = {0};
    lockstep_text(lockstep, &left, &left, totals, &text);
    assert_string_equal(text.verdict, "states identical");
    for (int k = 0; k < SPLIT_NOTES_MAX; k++) assert_string_equal(text.notes[k], "");
    run_to(lockstep, 0.1);
    const LockstepParting *parting = lockstep_parting(lockstep);
    const ViewDifference *first = &parting->difference, *most = lockstep_largest(lockstep, NULL);
    unsigned long long step;
    unsigned particle;
    double number;
    text = (SplitText){0};
    lockstep_text(lockstep, &left, &left, totals, &text);
    assert_string_equal(text.verdict, "states differ");
    assert_int_equal(sscanf(text.notes[0], "since step %llu, %lf s", &step, &number), 2);
    assert_true(step == parting->step && fabs(number - parting->time) < 1e-4);
    assert_int_equal(sscanf(text.notes[1], "first particle %u by %lf m", &particle, &number), 2);
    assert_true(particle == first->particle && fabs(number / (double)first->distance - 1) < 0.05);
    assert_int_equal(sscanf(text.notes[2], "at most particle %u by %lf m", &particle, &number), 2);
    assert_true(particle == most->particle && fabs(number / (double)most->distance - 1) < 0.05);
    assert_string_equal(text.notes[3], "");
    lockstep_destroy(lockstep);

    // At one place, but not equally fast.
    lockstep = make_lone_pair(0, 0.5f);
    text = (SplitText){0};
    lockstep_text(lockstep, &left, &left, totals, &text);
    assert_string_equal(text.notes[1], "first particle 0 by 0.5 m/s");
    assert_string_equal(text.notes[2], "");
    lockstep_destroy(lockstep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parting_is_told_in_three_lines),
        cmocka_unit_test(two_methods_meet_after_every_step_in_the_same_state),
        cmocka_unit_test(costs_are_the_sums_of_the_rounds),
        cmocka_unit_test(costs_of_steps_add_up),
        cmocka_unit_test(a_reduction_is_a_share_of_the_first_side),
        cmocka_unit_test(figures_are_medians_over_the_last_rounds),
        cmocka_unit_test(the_first_difference_is_where_a_lone_comparison_finds_it),
        cmocka_unit_test(the_largest_difference_is_the_first_of_equals),
        cmocka_unit_test(sides_with_different_steps_meet_at_the_frames),
        cmocka_unit_test(particles_that_one_side_lacks_are_counted),
        cmocka_unit_test(a_side_that_fails_is_named),
        cmocka_unit_test(views_are_compared_particle_by_particle),
        cmocka_unit_test(everything_is_given_back),
    };
    return cmocka_run_group_tests_name("lockstep", tests, scene_folder_make, scene_folder_remove);
}
