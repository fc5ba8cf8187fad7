// Pushes, balls of water and moved bodies, against what they promise.
#include "core/parallel.h"
#include "fluid/steer.h"
#include "fluid_helpers.h"

#include <math.h>
#include <string.h>

#define SPACING 0.1f

static FluidDef definition(Vec3 gravity)
{
    FluidDef def = fluid_def_default();
    def.spacing = SPACING;
    def.gravity = gravity;
    return def;
}

static const Vec3 NO_TANK = {0, 0, 0}, NO_GRAVITY = {0, 0, 0}, GRAVITY = {0, 0, -9.81f};

// --- forces ---

// The header's formula, in double and by components.
static void acceleration(const FluidForce *force, const double at[3], double out[3])
{
    const double center[3] = {force->center.x, force->center.y, force->center.z};
    const double along[3] = {force->along.x, force->along.y, force->along.z};
    double way[3], length = 0;
    for (int k = 0; k < 3; k++) way[k] = center[k] - at[k], length += way[k] * way[k];
    length = sqrt(length);
    double s = length / force->radius, share = s < 1 ? pow(1 - s * s, 2) : 0;
    for (int k = 0; k < 3; k++) {
        out[k] = along[k] * share;
        if (length > 0) out[k] += way[k] / length * force->toward * 3.4938562 * s * share;
    }
}

static void momentum_gained_is_force_times_time(void **state)
{
    (void)state;
    FluidDef def = definition(NO_GRAVITY);
    Fluid *fluid = fluid_for_test(&def, NO_TANK, NULL, 0);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 10, 8, 9, 0.1f, vec3_make(0.3f, 0, 0));
    fluid_run(fluid, 0.02);
    const FluidForce forces[2] = {
        {.center = {0.4f, 0.4f, 0.3f}, .radius = 0.5f, .along = {2, -5, 8}},
        {.center = {0.9f, 0.1f, 0.6f}, .radius = 0.6f, .toward = 20},
    };
    double before[3], expected[3] = {0}, gained[3], size = 0;
    FluidSums sums = fluid_sums(fluid, 0);
    for (int k = 0; k < 3; k++) before[k] = sums.momentum[k];
    FrameView view = fluid_view(fluid);
    for (uint32_t i = 0; i < view.count; i++) {
        const double at[3] = {view.x[i], view.y[i], view.z[i]};
        for (int f = 0; f < 2; f++) {
            double a[3];
            acceleration(&forces[f], at, a);
            for (int k = 0; k < 3; k++) expected[k] += a[k];
        }
    }
    StepReport report;
    fluid_set_forces(fluid, forces, 2);
    ASSERT_OK(fluid_step(fluid, 1, &report));
    sums = fluid_sums(fluid, 0);
    for (int k = 0; k < 3; k++) size = fmax(size, fabs(expected[k] * report.dt));
    assert_true(size > 1);
    for (int k = 0; k < 3; k++) {
        gained[k] = sums.momentum[k] - before[k];
        assert_true(fabs(gained[k] - expected[k] * report.dt) < 2e-3 * size);
    }

    // One step only.
    ASSERT_OK(fluid_step(fluid, 1, NULL));
    FluidSums after = fluid_sums(fluid, 0);
    for (int k = 0; k < 3; k++) assert_true(fabs(after.momentum[k] - sums.momentum[k]) < 2e-3 * size);
    fluid_destroy(fluid);
}

// Sum of distance from the center times the speed away from it.
static double spreading(const Fluid *fluid, Vec3 center)
{
    FrameView view = fluid_view(fluid);
    double sum = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        Vec3 from = vec3_sub(vec3_make(view.x[i], view.y[i], view.z[i]), center);
        sum += (double)vec3_dot(from, vec3_make(view.vx[i], view.vy[i], view.vz[i]));
    }
    return sum;
}

static void pulled_water_gathers_and_pushed_water_spreads(void **state)
{
    (void)state;
    FluidDef def = definition(NO_GRAVITY);
    // A loose cloud: nothing but the force moves it together.
    for (int sign = -1; sign <= 1; sign += 2) {
        Fluid *fluid = fluid_for_test(&def, NO_TANK, NULL, 0);
        Vec3 center = {0.5f, 0.5f, 0.5f};
        FluidForce force = {.center = center, .radius = 2, .toward = 10.0f * (float)sign};
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 10, 10, 10, 0, vec3_make(0, 0, 0));
        for (int k = 0; k < 5; k++) {
            fluid_set_forces(fluid, &force, 1);
            ASSERT_OK(fluid_step(fluid, 1, NULL));
        }
        // Water at rest density lets itself be pushed apart more easily than squeezed.
        if (sign < 0) assert_true(spreading(fluid, center) > 1);
        if (sign > 0) assert_true(spreading(fluid, center) < 0);
        fluid_destroy(fluid);
    }
}

static uint64_t steered_hash(uint32_t workers)
{
    parallel_set_workers(workers);
    FluidDef def = definition(GRAVITY);
    ObstacleDef body = {.shape = {.kind = SHAPE_SPHERE, .radius = 0.15f}, .position = {1.3f, 0.4f, 0.2f}};
    Fluid *fluid = fluid_for_test(&def, vec3_make(1.6f, 0.8f, 1), &body, 1);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 8, 8, 8, 0, vec3_make(0, 0, 0));
    ASSERT_OK(fluid_shift_obstacle(fluid, 0, vec3_make(-0.3f, 0, 0), 1));
    ASSERT_OK(fluid_add_ball(fluid, vec3_make(1.2f, 0.4f, 0.7f), 0.2f, vec3_make(0, 0, -1), 1000, NULL));
    for (int k = 0; k < 8; k++) {
        FluidForce force = {.center = {0.4f, 0.4f, 0.4f}, .radius = 0.4f, .toward = 30};
        fluid_set_forces(fluid, &force, 1);
        ASSERT_OK(fluid_step(fluid, 1, NULL));
    }
    uint64_t hash = fluid_state_hash(fluid);
    fluid_destroy(fluid);
    parallel_set_workers(0);
    return hash;
}

static void the_same_commands_give_the_same_state_on_any_threads(void **state)
{
    (void)state;
    uint64_t hash = steered_hash(1);
    assert_int_equal(steered_hash(3), hash);
    assert_int_equal(steered_hash(1), hash);
}

// --- balls of water ---

static double nearest_pair(const FrameView *view, uint32_t from_id)
{
    double nearest = INFINITY;
    for (uint32_t i = 0; i < view->count; i++) {
        if (view->id[i] < from_id) continue;
        for (uint32_t k = 0; k < view->count; k++) {
            if (k == i) continue;
            double d[3] = {view->x[i] - view->x[k], view->y[i] - view->y[k], view->z[i] - view->z[k]};
            nearest = fmin(nearest, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
        }
    }
    return nearest;
}

static void a_ball_in_the_air_holds_its_volume(void **state)
{
    (void)state;
    FluidDef def = definition(GRAVITY);
    Fluid *fluid = fluid_for_test(&def, vec3_make(3, 3, 3), NULL, 0);
    Vec3 center = {1.43f, 1.52f, 1.61f};
    uint32_t added;
    ASSERT_OK(fluid_add_ball(fluid, center, 0.8f, vec3_make(1, 2, -3), 100000, &added));
    FrameView view = fluid_view(fluid);
    double volume = 4.0 / 3 * 3.14159265 * pow(0.8, 3) / pow(0.1, 3);
    assert_int_equal(view.count, added);
    assert_true(fabs(added - volume) < 0.03 * volume);
    assert_true(nearest_pair(&view, 0) > 0.999 * (double)SPACING);
    for (uint32_t i = 0; i < view.count; i++) {
        Vec3 at = {view.x[i], view.y[i], view.z[i]};
        assert_true(vec3_length(vec3_sub(at, center)) <= 0.8001f);
        assert_true(view.vx[i] == 1 && view.vy[i] == 2 && view.vz[i] == -3);
    }
    FluidSums sums = fluid_sums(fluid, 0);
    assert_true(fabs(sums.centre[0] - 1.43) < 0.005 && fabs(sums.centre[2] - 1.61) < 0.005);

    // Until it lands it falls as a stone does, by half of what it falls in a step further.
    fluid_run(fluid, 0.05);
    FluidSums later = fluid_sums(fluid, 0);
    assert_true(fabs(later.centre[2] - (sums.centre[2] - 3 * 0.05 - 0.5 * 9.81 * 0.05 * 0.05)) < 0.004);
    assert_true(fabs(later.centre[0] - (sums.centre[0] + 0.05)) < 0.003);
    fluid_destroy(fluid);
}

static void a_ball_takes_only_what_room_there_is(void **state)
{
    (void)state;
    FluidDef def = definition(GRAVITY);
    ObstacleDef body = {.shape = {.kind = SHAPE_BOX, .half_extent = {0.2f, 0.2f, 0.2f}},
                        .position = {0.4f, 0.4f, 0.7f}};
    Fluid *fluid = fluid_for_test(&def, vec3_make(1, 1, 2), &body, 1);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 10, 10, 4, 0.05f, vec3_make(0, 0, 0));
    fluid_run(fluid, 0.05);
    uint32_t added, before = fluid_view(fluid).count;
    ASSERT_OK(fluid_add_ball(fluid, vec3_make(0.6f, 0.6f, 0.6f), 0.7f, vec3_make(0, 0, 0), 100000, &added));
    FrameView view = fluid_view(fluid);
    assert_true(added > 100 && view.count == before + added);
    assert_true(nearest_pair(&view, before) >= 0.899 * (double)SPACING);
    for (uint32_t i = 0; i < view.count; i++) {
        Vec3 at = {view.x[i], view.y[i], view.z[i]};
        if (view.id[i] >= before) assert_true(obstacles_distance(view.obstacles, at) >= 0.499f * SPACING);
    }
    // A second ball in the same place finds nearly none.
    uint32_t again;
    ASSERT_OK(fluid_add_ball(fluid, vec3_make(0.6f, 0.6f, 0.6f), 0.7f, vec3_make(0, 0, 0), 100000, &again));
    assert_int_equal(again, 0);
    // What was added does not explode: it cannot gain more than its fall.
    StepReport report = fluid_run(fluid, 0.2);
    assert_true(report.speed_max < 5);
    fluid_destroy(fluid);
}

static void a_ball_is_no_larger_than_its_limit(void **state)
{
    (void)state;
    FluidDef def = definition(GRAVITY);
    Fluid *fluid = fluid_for_test(&def, NO_TANK, NULL, 0);
    uint32_t added;
    ASSERT_OK(fluid_add_ball(fluid, vec3_make(0, 0, 0), 1e6f, vec3_make(0, 0, 0), 500, &added));
    assert_true(added > 400 && added <= 500);
    FluidSums sums = fluid_sums(fluid, 0);
    assert_true(fabs(sums.centre[0]) < 0.02 && sums.bounds.hi.x < 0.6f);
    uint32_t full = 0;
    for (uint32_t limit = 0; limit < 120; limit++) {
        ASSERT_OK(
            fluid_add_ball(fluid, vec3_make(9, 3 * (float)limit, 0), 1, vec3_make(0, 0, 0), limit, &added));
        assert_true(added <= limit);
        full += added == limit;
    }
    assert_true(full > 10); // of those that would hold more
    fluid_destroy(fluid);
}

// --- bodies ---

static void a_shifted_body_sweeps_the_water_and_stops_where_it_should(void **state)
{
    (void)state;
    FluidDef def = definition(GRAVITY);
    ObstacleDef body = {.shape = {.kind = SHAPE_BOX, .half_extent = {0.15f, 0.3f, 0.4f}},
                        .position = {0.3f, 0.4f, 0.3f}};
    Fluid *fluid = fluid_for_test(&def, vec3_make(2, 0.8f, 1.2f), &body, 1);
    fluid_fill_lattice(fluid, vec3_make(0.5f, 0, 0), 15, 8, 5, 0, vec3_make(0, 0, 0));
    uint32_t count = fluid_view(fluid).count;
    fluid_run(fluid, 0.05);
    ASSERT_OK(fluid_shift_obstacle(fluid, 0, vec3_make(0.5f, 0, 0), 2));
    ASSERT_OK(fluid_shift_obstacle(fluid, 0, vec3_make(0.3f, 0, 0.1f), 1.5f));
    double start = fluid_time(fluid), way = sqrt(0.8 * 0.8 + 0.1 * 0.1), arrived = 0;
    Vec3 at = {0.3f, 0.4f, 0.3f};
    while (fluid_time(fluid) < start + 1) {
        bool shifting = fluid_obstacle_shifting(fluid, 0);
        StepReport report;
        ASSERT_OK(fluid_step(fluid, start + 1, &report));
        FrameView view = fluid_view(fluid);
        Vec3 now = obstacles_pose(view.obstacles, 0).position, moved = vec3_sub(now, at);
        Vec3 velocity = obstacle_surface(view.obstacles, 0, vec3_make(1.9f, 0.4f, 0.4f)).velocity;
        // What the surface says of its speed is how far it came.
        assert_true(vec3_length(vec3_sub(moved, vec3_scale(velocity, (float)report.dt))) < 1e-5f);
        assert_true(shifting == (vec3_length(moved) > 1e-7f));
        assert_true((double)vec3_length(moved) <= 1.5 * report.dt + 1e-6);
        assert_true((double)vec3_length(moved) <= 0.41 * (double)view.radius);
        if (shifting) arrived = report.time - start;
        at = now;
        assert_int_equal(view.count, count);
        for (uint32_t i = 0; i < view.count; i++) {
            Vec3 p = {view.x[i], view.y[i], view.z[i]};
            assert_true(obstacle_distance(view.obstacles, 0, p) > -1e-4f);
            assert_true(p.x > -1e-4f && p.x < 2.0001f && p.y > -1e-4f && p.y < 0.8001f && p.z > -1e-4f);
        }
        // Pushed ahead, not swallowed: in front the water runs with the body.
        if (fabs(report.time - start - 0.4 * way / 1.5) < report.dt)
            assert_true(fluid_sums(fluid, 0).momentum[0] > 0.1 * count);
    }
    assert_true(vec3_length(vec3_sub(at, vec3_make(1.1f, 0.4f, 0.4f))) < 1e-5f);
    assert_true(fabs(arrived - way / 1.5) < 0.0125); // a step
    assert_false(fluid_obstacle_shifting(fluid, 0));
    fluid_destroy(fluid);
}

static void a_body_on_a_path_keeps_it_beside_its_shift(void **state)
{
    (void)state;
    FluidDef def = definition(NO_GRAVITY);
    ObstacleDef body = {
        .shape = {.kind = SHAPE_SPHERE, .radius = 0.2f},
        .position = {1, 1, 1},
        .motion = {.kind = MOTION_OSCILLATION, .amplitude = {0.3f, 0, 0}, .period = 1, .stop = INFINITY}};
    Fluid *fluid = fluid_for_test(&def, vec3_make(2, 2, 2), &body, 1);
    ASSERT_OK(fluid_shift_obstacle(fluid, 0, vec3_make(0, 0, 0.4f), 1));
    fluid_run(fluid, 1.25);
    FrameView view = fluid_view(fluid);
    Vec3 at = obstacles_pose(view.obstacles, 0).position;
    assert_true(vec3_length(vec3_sub(at, vec3_make(1.3f, 1, 1.4f))) < 1e-4f);
    fluid_destroy(fluid);
}

// Stored in the middle of its way, and taken up by a fluid that knows nothing of it.
static void a_shifted_body_goes_on_from_a_stored_state(void **state)
{
    (void)state;
    FluidDef def = definition(GRAVITY);
    strcpy(def.neighbor, "uniform_grid");
    ObstacleDef bodies[2] = {
        {.shape = {.kind = SHAPE_SPHERE, .radius = 0.2f}, .position = {1.6f, 0.4f, 0.3f}},
        {.shape = {.kind = SHAPE_BOX, .half_extent = {0.15f, 0.3f, 0.4f}}, .position = {0.3f, 0.4f, 0.4f}}};
    Fluid *fluid[2];
    for (int k = 0; k < 2; k++) fluid[k] = fluid_for_test(&def, vec3_make(2, 0.8f, 1.2f), bodies, 2);
    fluid_fill_lattice(fluid[0], vec3_make(0.5f, 0, 0), 9, 8, 4, 0, vec3_make(0, 0, 0));
    ASSERT_OK(fluid_shift_obstacle(fluid[0], 1, vec3_make(0.4f, 0, 0.1f), 2));
    fluid_run(fluid[0], 0.1);
    for (int again = 0; again < 2; again++) { // into one without shifts, and into one with others
        StateBlocks blocks = {0};
        fluid_store(fluid[0], &blocks);
        ASSERT_OK(fluid_restore(fluid[1], &blocks));
        for (int k = 0; k < 2; k++) fluid_run(fluid[k], 0.14 + 0.05 * again);
        assert_true(fluid_state_hash(fluid[0]) == fluid_state_hash(fluid[1]));
        for (uint32_t body = 0; body < 2; body++) {
            Pose poses[2] = {obstacles_pose(fluid_view(fluid[0]).obstacles, body),
                             obstacles_pose(fluid_view(fluid[1]).obstacles, body)};
            assert_memory_equal(&poses[0], &poses[1], sizeof poses[0]);
        }
        ASSERT_OK(fluid_shift_obstacle(fluid[1], 0, vec3_make(-0.2f, 0, 0), 1));
    }
    // A state from before anything was shifted takes all bodies back.
    StateBlocks unshifted = {0};
    Fluid *fresh = fluid_for_test(&def, vec3_make(2, 0.8f, 1.2f), bodies, 2);
    fluid_store(fresh, &unshifted);
    ASSERT_OK(fluid_restore(fluid[1], &unshifted));
    for (uint32_t body = 0; body < 2; body++)
        assert_true(
            vec3_equal(obstacles_pose(fluid_view(fluid[1]).obstacles, body).position, bodies[body].position));
    fluid_destroy(fresh);
    for (int k = 0; k < 2; k++) fluid_destroy(fluid[k]);
}

// --- settings ---

static void a_changed_broad_phase_is_taken_over_and_finds_the_same_bodies(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int changed = 0; changed < 2; changed++) {
        FluidDef def = definition(GRAVITY);
        ObstacleDef bodies[2] = {
            {.shape = {.kind = SHAPE_SPHERE, .radius = 0.2f}, .position = {0.5f, 0.4f, 0.2f}},
            {.shape = {.kind = SHAPE_SPHERE, .radius = 0.1f}, .position = {1, 0.4f, 0.1f}}};
        Fluid *fluid = fluid_for_test(&def, vec3_make(1.2f, 0.8f, 1.2f), bodies, 2);
        fluid_fill_lattice(fluid, vec3_make(0, 0, 0.5f), 12, 8, 4, 0, vec3_make(0, 0, 0));
        fluid_run(fluid, 0.1);
        if (changed) {
            def.broad_phase = BROAD_PHASE_HIERARCHICAL_HASH;
            ASSERT_OK(fluid_change(fluid, &def));
            assert_int_equal(obstacles_broad_phase(fluid_view(fluid).obstacles),
                             BROAD_PHASE_HIERARCHICAL_HASH);
        }
        fluid_run(fluid, 0.3);
        hash[changed] = fluid_state_hash(fluid);
        fluid_destroy(fluid);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_gained_is_force_times_time),
        cmocka_unit_test(pulled_water_gathers_and_pushed_water_spreads),
        cmocka_unit_test(the_same_commands_give_the_same_state_on_any_threads),
        cmocka_unit_test(a_ball_in_the_air_holds_its_volume),
        cmocka_unit_test(a_ball_takes_only_what_room_there_is),
        cmocka_unit_test(a_ball_is_no_larger_than_its_limit),
        cmocka_unit_test(a_shifted_body_sweeps_the_water_and_stops_where_it_should),
        cmocka_unit_test(a_body_on_a_path_keeps_it_beside_its_shift),
        cmocka_unit_test(a_shifted_body_goes_on_from_a_stored_state),
        cmocka_unit_test(a_changed_broad_phase_is_taken_over_and_finds_the_same_bodies),
    };
    return cmocka_run_group_tests_name("steering", tests, NULL, NULL);
}
