// Paths of points against moving bodies, compared with small steps along the same paths.
#include "core/memory.h"
#include "obstacle_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct SweepCase {
    Obstacles *obstacles;
    Vec3 from, to; // domain, at t0 and at t1
    Pose pose0, pose1;
} SweepCase;

// Poses at both times, then the move between them.
static void move_case(SweepCase *sweep, double t0, double t1)
{
    obstacles_move(sweep->obstacles, t0, t0);
    sweep->pose0 = obstacles_pose(sweep->obstacles, 0);
    obstacles_move(sweep->obstacles, t0, t1);
    sweep->pose1 = obstacles_pose(sweep->obstacles, 0);
}

// Where the point is after a part s of the way, carried along to t1.
static Vec3 seen_from_body(const SweepCase *sweep, float s)
{
    Vec3 a = pose_to_local(sweep->pose0, sweep->from), b = pose_to_local(sweep->pose1, sweep->to);
    return pose_to_domain(sweep->pose1, vec3_add(a, vec3_scale(vec3_sub(b, a), s)));
}

// The first part of the way at which small steps come within `level`, or 2.
static float first_within(const SweepCase *sweep, float level, int steps)
{
    for (int k = 0; k <= steps; k++) {
        float s = (float)k / (float)steps;
        if (obstacle_distance(sweep->obstacles, 0, seen_from_body(sweep, s)) <= level) return s;
    }
    return 2;
}

// Checks one sweep against steps; returns whether it was a hit.
static bool check_sweep(const SweepCase *sweep, float clearance, float tolerance)
{
    const int steps = 3000;
    float start = obstacle_distance(sweep->obstacles, 0, seen_from_body(sweep, 0));
    float level = start > clearance ? clearance : 0;
    float way = vec3_length(vec3_sub(seen_from_body(sweep, 1), seen_from_body(sweep, 0)));
    Vec3 stop, normal;
    bool hit = obstacle_sweep(sweep->obstacles, 0, sweep->from, sweep->to, clearance, &stop, &normal);
    if (start <= 0) {
        assert_false(hit);
        return false;
    }
    if (!hit) {
        assert_true(first_within(sweep, level - tolerance, steps) > 1);
        return false;
    }
    assert_true(fabsf(vec3_length(normal) - 1) < 1e-5f);
    float distance = obstacle_distance(sweep->obstacles, 0, stop);
    assert_true(fabsf(distance - level) < 2 * tolerance);
    float s = vec3_length(vec3_sub(stop, seen_from_body(sweep, 0))) / way;
    assert_true(vec3_length(vec3_sub(stop, seen_from_body(sweep, s))) < 1e-4f);
    assert_true(first_within(sweep, level - tolerance, steps) >= s - 1.5f / (float)steps);
    assert_true(first_within(sweep, level + 2 * tolerance, steps) <= s + 1.5f / (float)steps);
    SurfacePoint at = obstacle_surface(sweep->obstacles, 0, stop);
    if (at.distance > 10 * tolerance) assert_true(vec3_dot(at.normal, normal) > 0.9f);
    return true;
}

static ObstacleDef random_moving_body(ShapeRandom *random, ShapeKind kind)
{
    ObstacleDef def = obstacle_test_body(shape_random(random, kind));
    def.position = shape_random_vector(random, 0.5f);
    def.rotation = shape_random_vector(random, 180);
    def.motion = (MotionDef){.kind = MOTION_OSCILLATION,
                             .amplitude = shape_random_vector(random, 0.5f),
                             .rotation_amplitude = shape_random_vector(random, 60),
                             .period = 1,
                             .stop = INFINITY};
    return def;
}

static void a_sweep_finds_the_first_touch_that_small_steps_find(void **state)
{
    (void)state;
    ShapeRandom random = {11};
    int hits = 0;
    for (int round = 0; round < 1000; round++) {
        ObstacleDef def = random_moving_body(&random, (ShapeKind)(round % ANALYTIC_SHAPES));
        SweepCase sweep = {.obstacles = obstacle_test_set(&def, 1)};
        sweep.from = shape_random_vector(&random, 1.5f);
        sweep.to = round % 3 ? shape_random_vector(&random, 1.5f) : vec3_scale(sweep.from, -1);
        double t0 = shape_random_between(&random, 0, 1);
        move_case(&sweep, t0, t0 + shape_random_between(&random, 0, 0.2f));
        if (check_sweep(&sweep, round % 4 ? shape_random_between(&random, 0, 0.1f) : 0, 2e-5f)) hits++;
        obstacles_destroy(sweep.obstacles);
    }
    assert_true(hits > 200);
}

// Points that hardly leave a surface: along it, towards it, away from it.
static void points_at_the_clearance_slide_and_leave_freely(void **state)
{
    (void)state;
    ShapeRandom random = {12};
    const float clearance = 0.05f;
    for (int round = 0; round < 1000; round++) {
        Shape shape = shape_random(&random, (ShapeKind)(round % ANALYTIC_SHAPES));
        ObstacleDef def = obstacle_test_body(shape);
        SweepCase sweep = {.obstacles = obstacle_test_set(&def, 1)};
        move_case(&sweep, 0, 0);
        Vec3 surface = shape_random_surface(&random, &shape);
        SurfacePoint at = obstacle_surface(sweep.obstacles, 0, surface);
        float start = clearance + shape_random_between(&random, -0.02f, 0.02f) * (float)(round % 2);
        sweep.from = vec3_add(surface, vec3_scale(at.normal, start));
        Vec3 way = shape_random_vector(&random, 0.2f);
        sweep.to = vec3_add(sweep.from, way);
        bool hit = check_sweep(&sweep, clearance, 2e-5f);
        if (vec3_dot(way, at.normal) > 1e-3f) assert_false(hit);
        obstacles_destroy(sweep.obstacles);
    }
}

static void nothing_passes_a_plate_one_spacing_thick_however_far_it_flies(void **state)
{
    (void)state;
    ShapeRandom random = {13};
    const float spacing = 0.01f;
    ObstacleDef def = obstacle_test_body((Shape){.kind = SHAPE_BOX, .half_extent = {50, 50, spacing / 2}});
    Obstacles *obstacles = obstacle_test_set(&def, 1);
    for (int round = 0; round < 20000; round++) {
        float start = spacing * shape_random_between(&random, 0.51f, 1.5f);
        float end = spacing / 2 + powf(10, shape_random_between(&random, -2, 3));
        Vec3 from = vec3_make(shape_random_between(&random, -9, 9), 0, start);
        Vec3 to = vec3_make(from.x + shape_random_between(&random, -1, 1) * end, 0, -end);
        Vec3 stop, normal;
        assert_true(obstacle_sweep(obstacles, 0, from, to, spacing / 4, &stop, &normal));
        assert_true(stop.z > 0.49f * spacing && stop.z < start + 1e-6f);
        assert_true(normal.z > 0.999f);
    }
    obstacles_destroy(obstacles);
}

// A paddle turns by 20 degrees and passes a point that rests.
static void a_plate_that_sweeps_over_a_resting_point_takes_it_along(void **state)
{
    (void)state;
    const Keyframe keys[] = {{0, {0, 0, 0}, {0, 0, -10}}, {1, {0, 0, 0}, {0, 0, 10}}};
    ObstacleDef def = obstacle_test_body((Shape){.kind = SHAPE_BOX, .half_extent = {1, 0.01f, 1}});
    def.motion = (MotionDef){.kind = MOTION_KEYFRAMES, .keyframe_count = 2};
    def.motion.keyframes = memory_allocate(sizeof keys);
    assert_non_null(def.motion.keyframes);
    for (int k = 0; k < 2; k++) def.motion.keyframes[k] = keys[k];
    Obstacles *obstacles = obstacle_test_set(&def, 1);
    obstacles_move(obstacles, 0, 1);
    Vec3 point = vec3_make(0.8f, 0, 0.1f), stop, normal;
    uint32_t number;
    assert_int_equal(obstacles_touching(obstacles, (Box3){point, point}, &number, 1), 1);
    assert_true(obstacle_sweep(obstacles, 0, point, point, 0.005f, &stop, &normal));
    assert_true(fabsf(obstacle_distance(obstacles, 0, stop) - 0.005f) < 1e-4f);
    assert_true(stop.y > 0.1f && normal.y > 0.9f); // ahead of the plate at its end
    obstacles_destroy(obstacles);
}

static void a_point_that_does_not_move_or_is_not_finite_is_no_hit(void **state)
{
    (void)state;
    ObstacleDef def = obstacle_test_body((Shape){.kind = SHAPE_SPHERE, .radius = 1});
    Obstacles *obstacles = obstacle_test_set(&def, 1);
    Vec3 stop, normal, out = vec3_make(2, 0, 0);
    assert_false(obstacle_sweep(obstacles, 0, out, out, 0.1f, &stop, &normal));
    assert_false(obstacle_sweep(obstacles, 0, vec3_make(NAN, 0, 0), out, 0.1f, &stop, &normal));
    assert_false(obstacle_sweep(obstacles, 0, out, vec3_make(0, INFINITY, 0), 0.1f, &stop, &normal));
    obstacles_destroy(obstacles);
}

static void sweeps_against_a_mesh_find_what_small_steps_find(void **state)
{
    (void)state;
    ObstacleFile file = obstacle_file_make("torus.obj");
    FILE *stream = fopen(file.path, "w");
    assert_non_null(stream);
    obstacle_write_torus(stream, 0.5f, 0.2f, 24, 12);
    fclose(stream);
    ObstacleDef def = obstacle_test_body((Shape){.kind = SHAPE_MESH});
    Result result = obstacle_read_mesh(file.path, &def.shape.mesh);
    assert_true(result_is_ok(&result));
    result = distance_grid_build(&def.shape.mesh, 0.05f, 0.1f, 1000000, &def.shape.grid);
    assert_true(result_is_ok(&result));
    def.motion = (MotionDef){.kind = MOTION_OSCILLATION,
                             .amplitude = vec3_make(0.2f, 0, 0.3f),
                             .rotation_amplitude = vec3_make(30, 0, 60),
                             .period = 1,
                             .stop = INFINITY};
    SweepCase sweep = {.obstacles = obstacle_test_set(&def, 1)};
    ShapeRandom random = {14};
    int hits = 0;
    for (int round = 0; round < 300; round++) {
        sweep.from = shape_random_vector(&random, 1.2f);
        sweep.to = shape_random_vector(&random, 1.2f);
        double t0 = shape_random_between(&random, 0, 1);
        move_case(&sweep, t0, t0 + 0.05);
        if (check_sweep(&sweep, shape_random_between(&random, 0, 0.05f), 6e-4f)) hits++;
    }
    assert_true(hits > 40);
    obstacles_destroy(sweep.obstacles);
    obstacle_file_remove(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_finds_the_first_touch_that_small_steps_find),
        cmocka_unit_test(points_at_the_clearance_slide_and_leave_freely),
        cmocka_unit_test(nothing_passes_a_plate_one_spacing_thick_however_far_it_flies),
        cmocka_unit_test(a_plate_that_sweeps_over_a_resting_point_takes_it_along),
        cmocka_unit_test(a_point_that_does_not_move_or_is_not_finite_is_no_hit),
        cmocka_unit_test(sweeps_against_a_mesh_find_what_small_steps_find),
    };
    return cmocka_run_group_tests_name("obstacle: sweeps", tests, NULL, NULL);
}
