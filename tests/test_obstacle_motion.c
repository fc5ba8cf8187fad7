// Prescribed paths against their formulas, and the velocities and boxes that follow from them.
#include "core/memory.h"
#include "obstacle_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static const Shape small_box = {.kind = SHAPE_BOX, .half_extent = {0.3f, 0.2f, 0.1f}};

static void oscillation_follows_its_formula_and_rests_before_and_after(void **state)
{
    (void)state;
    ObstacleDef def = obstacle_test_body(small_box);
    def.position = vec3_make(1, 2, 3);
    def.motion = (MotionDef){.kind = MOTION_OSCILLATION,
                             .amplitude = vec3_make(0.5f, 0, -0.25f),
                             .period = 1.6,
                             .phase = 30,
                             .start = 0.5,
                             .stop = 4};
    Obstacles *obstacles = obstacle_test_set(&def, 1);
    for (double t = 0; t < 6; t += 0.07) {
        double moved = fmin(fmax(t, 0.5), 4) - 0.5, angle = 2 * PI * moved / 1.6 + PI / 6;
        double speed = t - 1e-4 > 0.5 && t < 4 ? cos(angle) * 2 * PI / 1.6 : 0;
        obstacles_move(obstacles, t - 1e-4, t);
        Vec3 expected = vec3_make(1 + 0.5f * (float)sin(angle), 2, 3 - 0.25f * (float)sin(angle));
        obstacle_assert_near(obstacles_pose(obstacles, 0).position, expected, 1e-6);
        if (t > 0.5 && t - 1e-4 <= 0.5) continue; // the jump from rest
        SurfacePoint at = obstacle_surface(obstacles, 0, vec3_make(1, 2, 9));
        obstacle_assert_near(at.velocity, vec3_make(0.5f * (float)speed, 0, -0.25f * (float)speed), 1e-3);
    }
    obstacles_destroy(obstacles);
}

static void a_ramp_starts_the_swing_without_a_jump_in_position_or_velocity(void **state)
{
    (void)state;
    ObstacleDef def = obstacle_test_body(small_box);
    def.motion = (MotionDef){.kind = MOTION_OSCILLATION,
                             .amplitude = vec3_make(1, 0, 0),
                             .period = 2,
                             .phase = 90,
                             .start = 1,
                             .stop = INFINITY,
                             .ramp = 2};
    Obstacles *obstacles = obstacle_test_set(&def, 1);
    const double step = 1e-3;
    float before = 0;
    for (double t = 0.9; t < 4; t += step) {
        obstacles_move(obstacles, t - step, t);
        float speed = obstacle_surface(obstacles, 0, vec3_make(0, 0, 5)).velocity.x;
        assert_true(fabsf(speed - before) < 0.02f); // acceleration under 20 m/s^2
        before = speed;
    }
    obstacles_move(obstacles, 1, 1);
    obstacle_assert_near(obstacles_pose(obstacles, 0).position, vec3_make(0, 0, 0), 0);
    obstacles_move(obstacles, 5, 5);
    obstacle_assert_near(obstacles_pose(obstacles, 0).position, vec3_make(1, 0, 0), 1e-6);
    obstacles_destroy(obstacles);
}

// A plate that turns about z: its velocity is omega x r, by hand, on its surface and wherever else is asked.
static void a_turning_body_moves_by_omega_cross_r(void **state)
{
    (void)state;
    ObstacleDef def = obstacle_test_body((Shape){.kind = SHAPE_BOX, .half_extent = {1, 0.05f, 0.5f}});
    def.position = vec3_make(2, 2, 2);
    def.motion = (MotionDef){
        .kind = MOTION_OSCILLATION, .rotation_amplitude = vec3_make(0, 0, 40), .period = 1, .stop = INFINITY};
    Obstacles *obstacles = obstacle_test_set(&def, 1);
    for (double t = 0.013; t < 1.2; t += 0.05) {
        const double step = 1e-5;
        obstacles_move(obstacles, t - step, t);
        double angle = 40 * PI / 180 * sin(2 * PI * t), rate = 40 * PI / 180 * 2 * PI * cos(2 * PI * t);
        Vec3 r = vec3_make(0.7f * (float)cos(angle), 0.7f * (float)sin(angle), 0.1f);
        Vec3 point = vec3_add(def.position, r);
        SurfacePoint at = obstacle_surface(obstacles, 0, point);
        assert_true(at.distance > 0.03f || at.distance < -0.03f);
        obstacle_assert_near(at.velocity, vec3_make((float)-rate * r.y, (float)rate * r.x, 0), 2e-3f);
    }
    obstacles_move(obstacles, 0.3, 0.3);
    obstacle_assert_near(obstacle_surface(obstacles, 0, vec3_make(0, 0, 0)).velocity, vec3_make(0, 0, 0), 0);
    obstacles_destroy(obstacles);
}

static Keyframe *copy_keys(const Keyframe *keys, uint32_t count)
{
    Keyframe *copy = memory_allocate(count * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, keys, count * sizeof *copy);
    return copy;
}

static void keyframes_are_passed_smoothly_and_the_path_starts_and_ends_at_rest(void **state)
{
    (void)state;
    const Keyframe keys[] = {{1, {0, 0, 0}, {0, 0, 0}},
                             {2, {1, 0, 0}, {0, 0, 90}},
                             {4, {1, 2, 0}, {0, 0, 90}},
                             {5, {0, 2, 1}, {45, 0, 0}}};
    ObstacleDef def = obstacle_test_body(small_box);
    def.position = vec3_make(9, 9, 9);
    def.motion = (MotionDef){.kind = MOTION_KEYFRAMES, .keyframes = copy_keys(keys, 4), .keyframe_count = 4};
    Obstacles *obstacles = obstacle_test_set(&def, 1);
    for (int k = 0; k < 4; k++) {
        obstacles_move(obstacles, keys[k].time, keys[k].time);
        Pose pose = obstacles_pose(obstacles, 0);
        obstacle_assert_near(pose.position, keys[k].position, 1e-6);
        Mat3 rotation = mat3_from_euler_degrees(keys[k].rotation);
        for (int row = 0; row < 3; row++)
            obstacle_assert_near(pose.rotation.row[row], rotation.row[row], 1e-6);
    }
    // Velocities from differences of positions: continuous, zero at both ends, and at the third key the
    // Catmull-Rom slope ((0, 2, 1) - (1, 0, 0)) / 3 s.
    Vec3 before = vec3_make(0, 0, 0);
    for (int k = 0; k <= 4400; k++) {
        double t = 0.8 + 1e-3 * k;
        obstacles_move(obstacles, t, t + 1e-6);
        // The pose's own origin does not move with the rotation: look at the drift through two opposite
        // points.
        Vec3 center = obstacles_pose(obstacles, 0).position;
        Vec3 a = obstacle_surface(obstacles, 0, vec3_add(center, vec3_make(0, 0, 5))).velocity;
        Vec3 b = obstacle_surface(obstacles, 0, vec3_sub(center, vec3_make(0, 0, 5))).velocity;
        Vec3 drift = vec3_scale(vec3_add(a, b), 0.5f);
        obstacle_assert_near(drift, before, 0.02f);
        if (k == 200 || k == 4199) obstacle_assert_near(drift, vec3_make(0, 0, 0), 0.02f);
        if (k == 3200) obstacle_assert_near(drift, vec3_make(-1.0f / 3, 2.0f / 3, 1.0f / 3), 5e-3f);
        before = drift;
    }
    obstacles_move(obstacles, 0, 100);
    obstacle_assert_near(obstacles_pose(obstacles, 0).position, keys[3].position, 0);
    obstacles_destroy(obstacles);
}

static MotionDef random_motion(ShapeRandom *random)
{
    MotionDef motion = {.kind = MOTION_OSCILLATION,
                        .amplitude = shape_random_vector(random, 1),
                        .rotation_amplitude = shape_random_vector(random, 90),
                        .period = shape_random_between(random, 0.3f, 3),
                        .phase = shape_random_between(random, 0, 360),
                        .start = shape_random_between(random, 0, 1),
                        .stop = shape_random_between(random, 2, 4),
                        .ramp = shape_random_between(random, -1, 1)};
    if (motion.ramp < 0) motion.ramp = 0;
    if (shape_random_between(random, 0, 1) < 0.5f) return motion;
    Keyframe keys[4];
    double time = 0;
    for (int k = 0; k < 4; k++) {
        time += shape_random_between(random, 0.2f, 1.5f);
        keys[k] = (Keyframe){time, shape_random_vector(random, 1), shape_random_vector(random, 180)};
    }
    return (MotionDef){.kind = MOTION_KEYFRAMES, .keyframes = copy_keys(keys, 4), .keyframe_count = 4};
}

static void bounds_hold_every_point_of_the_body_at_every_moment_of_a_move(void **state)
{
    (void)state;
    ShapeRandom random = {4};
    for (int round = 0; round < 80; round++) {
        ObstacleDef def = obstacle_test_body(shape_random(&random, (ShapeKind)(round % ANALYTIC_SHAPES)));
        Shape shape = def.shape;
        def.motion = random_motion(&random);
        Obstacles *obstacles = obstacle_test_set(&def, 1);
        double t0 = shape_random_between(&random, 0, 4),
               t1 = t0 + shape_random_between(&random, 0, round % 2 ? 0.02f : 1);
        obstacles_move(obstacles, t0, t1);
        Box3 box = obstacles_bounds(obstacles, 0);
        for (int k = 0; k <= 100; k++) {
            double t = t0 + (t1 - t0) * k / 100;
            obstacles_move(obstacles, t, t);
            for (int n = 0; n < 50; n++) {
                Vec3 p = pose_to_domain(obstacles_pose(obstacles, 0), shape_random_surface(&random, &shape));
                assert_true(p.x >= box.lo.x && p.y >= box.lo.y && p.z >= box.lo.z);
                assert_true(p.x <= box.hi.x && p.y <= box.hi.y && p.z <= box.hi.z);
            }
        }
        obstacles_destroy(obstacles);
    }
}

// From x = 0 to x = 5 in no time: what lies between has never met it.
static void a_body_that_is_put_elsewhere_sweeps_over_nothing(void **state)
{
    (void)state;
    ObstacleDef def = obstacle_test_body(small_box);
    Obstacles *obstacles = obstacle_test_set(&def, 1);
    Vec3 between = vec3_make(2.5f, 0, 0), stop, normal;
    obstacles_shift(obstacles, 0, vec3_make(5, 0, 0));
    obstacles_move(obstacles, 1, 1);
    for (int step = 0; step < 3; step++) {
        obstacle_assert_near(obstacles_pose(obstacles, 0).position, vec3_make(5, 0, 0), 0);
        obstacle_assert_near(obstacle_surface(obstacles, 0, between).velocity, vec3_make(0, 0, 0), 0);
        assert_false(obstacle_sweep(obstacles, 0, between, between, 0, &stop, &normal));
        assert_false(obstacle_sweep(obstacles, 0, between, vec3_make(2.6f, 0, 0), 0, &stop, &normal));
        obstacles_move(obstacles, 1 + 0.1 * step, 1.1 + 0.1 * step);
    }
    // Put there in a second, it does sweep over it.
    obstacles_shift(obstacles, 0, vec3_make(-5, 0, 0));
    obstacles_move(obstacles, 2, 3);
    assert_true(obstacle_sweep(obstacles, 0, between, between, 0, &stop, &normal));
    obstacles_destroy(obstacles);
}

static void bounds_of_small_steps_are_tight(void **state)
{
    (void)state;
    ObstacleDef def = obstacle_test_body((Shape){.kind = SHAPE_SPHERE, .radius = 0.5f});
    def.motion = (MotionDef){.kind = MOTION_OSCILLATION,
                             .amplitude = vec3_make(1, 0, 0),
                             .period = 2,
                             .stop = INFINITY,
                             .ramp = 1};
    Obstacles *obstacles = obstacle_test_set(&def, 1);
    obstacles_move(obstacles, 0.300, 0.305);
    float x0 = obstacles_pose(obstacles, 0).position.x;
    Box3 box = obstacles_bounds(obstacles, 0);
    assert_true(box.hi.x - (x0 + 0.5f) < 1e-4f && box.hi.y - 0.5f < 1e-4f);
    obstacles_destroy(obstacles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillation_follows_its_formula_and_rests_before_and_after),
        cmocka_unit_test(a_ramp_starts_the_swing_without_a_jump_in_position_or_velocity),
        cmocka_unit_test(a_turning_body_moves_by_omega_cross_r),
        cmocka_unit_test(keyframes_are_passed_smoothly_and_the_path_starts_and_ends_at_rest),
        cmocka_unit_test(bounds_hold_every_point_of_the_body_at_every_moment_of_a_move),
        cmocka_unit_test(a_body_that_is_put_elsewhere_sweeps_over_nothing),
        cmocka_unit_test(bounds_of_small_steps_are_tight),
    };
    return cmocka_run_group_tests_name("obstacle: motion", tests, NULL, NULL);
}
