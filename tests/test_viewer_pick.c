// What is under the mouse: rays and places in the picture, particles, obstacles.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "viewer/pick.h"

static const ClipPlane WHOLE = {.on = false};

// From (0, -10, 0) along y, 60 degrees upwards from edge to edge.
static View make_view(void)
{
    CameraDef camera = {.eye = {0, -10, 0}, .target = {0, 0, 0}, .fov = 60};
    Box3 bounds = {vec3_make(-4, -4, -4), vec3_make(4, 4, 4)};
    return view_of_camera(&camera, vec3_make(0, 0, 0), bounds, 1.5f);
}

static void a_point_is_in_the_picture_where_its_ray_leaves_it(void **state)
{
    (void)state;
    unsigned seed = 7;
    float x, y, depth;
    View view = make_view();
    for (int k = 0; k < 1000; k++) {
        float at[3];
        for (int axis = 0; axis < 3; axis++) at[axis] = 8 * (float)rand_r(&seed) / (float)RAND_MAX - 4;
        Vec3 point = vec3_make(at[0], at[1], at[2]);
        assert_true(view_project(&view, point, &x, &y, &depth));
        Vec3 back = vec3_add(view.eye, vec3_scale(view_ray(&view, x, y), depth));
        assert_true(vec3_length(vec3_sub(back, point)) < 1e-4f);
        assert_true(fabsf(depth - (point.y + 10)) < 1e-4f);
        assert_true(fabsf(y - point.z / (depth * tanf(3.14159265f / 6))) < 1e-5f);
    }
    assert_false(view_project(&view, vec3_make(0, -10.5f, 0), &x, &y, &depth)); // behind the eye
}

static void the_nearest_particle_on_the_ray_is_met_unless_it_is_cut_away(void **state)
{
    (void)state;
    // Three on the line of sight, one beside it by two thirds of a spacing.
    const float x[] = {0, 0, 0, 0.067f}, y[] = {2, -1, 0.5f, -3}, z[] = {0, 0, 0, 0};
    FrameView frame = {.spacing = 0.1f, .count = 4, .x = x, .y = y, .z = z};
    View view = make_view();
    uint32_t found = 99;
    assert_true(pick_particle(&frame, &view, &WHOLE, 0, 0, &found));
    assert_int_equal(found, 1);
    ClipPlane cut = {.on = true, .axis = 1, .place = -2}; // what lies beyond it goes
    assert_false(pick_particle(&frame, &view, &cut, 0, 0, &found));
    frame.count = 1;
    assert_true(pick_particle(&frame, &view, &WHOLE, 0, 0, &found));
    assert_int_equal(found, 0);
    assert_false(pick_particle(&frame, &view, &WHOLE, 0.02f, 0, &found)); // 0.2 m beside it
}

static void a_ray_meets_a_ball_where_it_enters(void **state)
{
    (void)state;
    ObstacleDef bodies[2] = {{.shape = {.kind = SHAPE_SPHERE, .radius = 1}, .position = {0, 3, 0}},
                             {.shape = {.kind = SHAPE_SPHERE, .radius = 0.5f}, .position = {0, 0, 0}}};
    Obstacles *obstacles;
    Vec3 point;
    View view = make_view();
    Result result = obstacles_create((TankDef){.present = false}, 0, bodies, 2, &obstacles);
    assert_string_equal(result.text, "");
    assert_int_equal(pick_obstacle(obstacles, &view, 0, 0, &point), 1);
    assert_true(vec3_length(vec3_sub(point, vec3_make(0, -0.5f, 0))) < 0.01f);
    float x, y, depth; // past the small one, onto the large one's edge
    assert_true(view_project(&view, vec3_make(0, 3, 0.9f), &x, &y, &depth));
    assert_int_equal(pick_obstacle(obstacles, &view, x, y, &point), 0);
    assert_true(fabsf(vec3_length(vec3_sub(point, vec3_make(0, 3, 0))) - 1) < 0.01f);
    assert_int_equal(pick_obstacle(obstacles, &view, 0.9f, 0.9f, &point), -1);
    obstacles_destroy(obstacles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_is_in_the_picture_where_its_ray_leaves_it),
        cmocka_unit_test(the_nearest_particle_on_the_ray_is_met_unless_it_is_cut_away),
        cmocka_unit_test(a_ray_meets_a_ball_where_it_enters),
    };
    return cmocka_run_group_tests_name("viewer_pick", tests, NULL, NULL);
}
