// Signed distances of single shapes against samples of their surfaces and finite differences.
#include "obstacle_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static float nearest_sample(ShapeRandom *random, const Shape *shape, Vec3 point, int samples)
{
    float nearest = INFINITY;
    for (int k = 0; k < samples; k++)
        nearest = fminf(nearest, vec3_length(vec3_sub(shape_random_surface(random, shape), point)));
    return nearest;
}

static void distance_is_that_to_the_nearest_of_many_points_on_the_surface(void **state)
{
    (void)state;
    ShapeRandom random = {1};
    for (int round = 0; round < 40; round++) {
        Shape shape = shape_random(&random, (ShapeKind)(round % ANALYTIC_SHAPES));
        ObstacleDef def = obstacle_test_body(shape);
        Obstacles *obstacles = obstacle_test_set(&def, 1);
        for (int k = 0; k < 5; k++) {
            Vec3 point = shape_random_vector(&random, 0.9f);
            float distance = obstacle_distance(obstacles, 0, point);
            float sampled = nearest_sample(&random, &shape, point, 20000);
            assert_true(fabsf(distance) <= sampled + 1e-5f);
            // 20000 samples lie at most about 0.04 m apart, which matters less the farther the point is.
            assert_true(fabsf(distance) >= sampled - 0.05f * 0.05f / (2 * sampled + 0.05f) - 0.012f);
            assert_int_equal(distance < 0, shape_contains(&shape, point));
        }
        obstacles_destroy(obstacles);
    }
}

static void volume_is_the_share_of_random_points_inside(void **state)
{
    (void)state;
    ShapeRandom random = {7};
    for (int round = 0; round < 3 * ANALYTIC_SHAPES; round++) {
        ObstacleDef def = obstacle_test_body(shape_random(&random, (ShapeKind)(round % ANALYTIC_SHAPES)));
        Obstacles *obstacles = obstacle_test_set(&def, 1);
        Box3 box = obstacles_box(obstacles, 0);
        Vec3 extent = vec3_sub(box.hi, box.lo), middle = vec3_scale(vec3_add(box.lo, box.hi), 0.5f);
        int inside = 0, samples = 40000;
        for (int k = 0; k < samples; k++) {
            Vec3 part = shape_random_vector(&random, 0.5f);
            Vec3 at = vec3_make(part.x * extent.x, part.y * extent.y, part.z * extent.z);
            inside += obstacle_distance(obstacles, 0, vec3_add(middle, at)) < 0.0f;
        }
        double all = (double)extent.x * (double)extent.y * (double)extent.z, share = (double)inside / samples;
        assert_true(fabs(obstacle_volume(obstacles, 0) - share * all) < 0.012 * all);
        obstacles_destroy(obstacles);
    }
}

// Where the distance has several nearest surface points its slope jumps; such places are stepped over.
static void normal_is_the_unit_gradient_of_the_distance_and_leads_to_the_surface(void **state)
{
    (void)state;
    ShapeRandom random = {2};
    int compared = 0;
    for (int round = 0; round < 400; round++) {
        ObstacleDef def = obstacle_test_body(shape_random(&random, (ShapeKind)(round % ANALYTIC_SHAPES)));
        def.position = shape_random_vector(&random, 2);
        def.rotation = shape_random_vector(&random, 180);
        Obstacles *obstacles = obstacle_test_set(&def, 1);
        Vec3 point = vec3_add(def.position, shape_random_vector(&random, 0.9f));
        SurfacePoint at = obstacle_surface(obstacles, 0, point);
        assert_true(fabsf(vec3_length(at.normal) - 1) < 1e-5f);
        Vec3 foot = vec3_sub(point, vec3_scale(at.normal, at.distance));
        assert_true(fabsf(obstacle_distance(obstacles, 0, foot)) < 3e-6f);
        float step = 2e-3f;
        float along = obstacle_distance(obstacles, 0, vec3_add(point, vec3_scale(at.normal, step))) -
                      obstacle_distance(obstacles, 0, vec3_sub(point, vec3_scale(at.normal, step)));
        // A slope of 1 along the normal leaves none across it, since the distance's slope is at most 1.
        if (fabsf(along / (2 * step) - 1) < 2e-3f)
            compared++;
        else
            assert_true(at.distance < 0);
        obstacles_destroy(obstacles);
    }
    assert_true(compared > 380);
}

static void normals_are_finite_and_unit_where_the_nearest_point_is_not_unique(void **state)
{
    (void)state;
    Shape shape = {.half_extent = vec3_make(0.3f, 0.3f, 0.3f), .radius = 0.3f, .half_height = 0.3f};
    const Vec3 points[] = {
        {0, 0, 0},
        {0.3f, 0.3f, 0.3f},
        {0.3f, 0.3f, 0},
        {0.3f, 0, 0},
        {0, 0, 0.3f},
        {0, 0, -0.6f},
        {0.1f, 0.1f, 0.1f},
        {0, 0.3f, -0.3f},
        {1e-30f, 0, 0},
        {0.3f + 3e-8f, 0.3f + 3e-8f, 0.1f},
        {1e15f, 0, 0},
        {0, 0, 1e25f},
        {-1e-40f, 1e-40f, 0},
    };
    for (int kind = 0; kind < ANALYTIC_SHAPES; kind++) {
        shape.kind = (ShapeKind)kind;
        ObstacleDef def = obstacle_test_body(shape);
        Obstacles *obstacles = obstacle_test_set(&def, 1);
        for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
            SurfacePoint at = obstacle_surface(obstacles, 0, points[k]);
            assert_true(fabsf(vec3_length(at.normal) - 1) < 1e-5f);
            assert_true(isfinite(at.distance));
            assert_true(at.thickness > 0);
        }
        obstacles_destroy(obstacles);
    }
}

// Marches through the solid in small steps.
static void thickness_is_the_way_through_the_solid_against_the_normal(void **state)
{
    (void)state;
    ShapeRandom random = {3};
    for (int round = 0; round < 400; round++) {
        Shape shape = shape_random(&random, (ShapeKind)(round % ANALYTIC_SHAPES));
        ObstacleDef def = obstacle_test_body(shape);
        Obstacles *obstacles = obstacle_test_set(&def, 1);
        Vec3 point = vec3_scale(shape_random_direction(&random), 1.5f);
        SurfacePoint at = obstacle_surface(obstacles, 0, point);
        Vec3 foot = vec3_sub(point, vec3_scale(at.normal, at.distance));
        const float step = 1e-3f;
        float depth = step;
        while (depth < 3 && shape_contains(&shape, vec3_sub(foot, vec3_scale(at.normal, depth))))
            depth += step;
        assert_true(fabsf(at.thickness - depth) < 2 * step);
        obstacles_destroy(obstacles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_is_that_to_the_nearest_of_many_points_on_the_surface),
        cmocka_unit_test(volume_is_the_share_of_random_points_inside),
        cmocka_unit_test(normal_is_the_unit_gradient_of_the_distance_and_leads_to_the_surface),
        cmocka_unit_test(normals_are_finite_and_unit_where_the_nearest_point_is_not_unique),
        cmocka_unit_test(thickness_is_the_way_through_the_solid_against_the_normal),
    };
    return cmocka_run_group_tests_name("obstacle: shapes", tests, NULL, NULL);
}
