// Handles: rays against axes, planes, rings and bodies; drags, with and without a grid.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "viewer/handles.h"

static const float PI = 3.14159265f;

// From (0, -10, 0) along y, 90 degrees upwards: at the depth of the origin the picture is 20 m high and wide.
static View make_view(void)
{
    CameraDef camera = {.eye = {0, -10, 0}, .target = {0, 0, 0}, .fov = 90};
    Box3 bounds = {vec3_make(-4, -4, -4), vec3_make(4, 4, 4)};
    return view_of_camera(&camera, vec3_make(0, 0, 0), bounds, 1);
}

static Vec3 random_unit(unsigned *seed)
{
    float v[3];
    for (int k = 0; k < 3; k++) v[k] = 2 * (float)rand_r(seed) / (float)RAND_MAX - 1;
    return vec3_normalize_or(vec3_make(v[0], v[1], v[2]), vec3_make(0, 0, 1));
}

static float between(Vec3 a, Vec3 b)
{
    return vec3_length(vec3_sub(a, b));
}

static void the_nearest_place_on_an_axis_is_where_the_connection_is_square_to_both(void **state)
{
    (void)state;
    unsigned seed = 3;
    float t;
    Ray ray = {{0, -10, 1}, {0, 2, 0}};
    // A ray along y at the height of 1 passes the axis z at z = 1, 3 m above the center.
    assert_true(ray_near_axis(&ray, vec3_make(0, 5, -2), vec3_make(0, 0, 1), &t));
    assert_true(fabsf(t - 3) < 1e-6f);
    assert_false(ray_near_axis(&ray, vec3_make(0, 5, -2), vec3_make(0, 1, 0), &t));
    for (int k = 0; k < 1000; k++) {
        Vec3 axis = random_unit(&seed), center = random_unit(&seed);
        Ray any = {vec3_scale(random_unit(&seed), 3), random_unit(&seed)};
        if (fabsf(vec3_dot(axis, any.along)) > 0.98f) continue;
        assert_true(ray_near_axis(&any, center, axis, &t));
        Vec3 away = vec3_sub(vec3_add(center, vec3_scale(axis, t)), any.from);
        Vec3 gap = vec3_sub(away, vec3_scale(any.along, vec3_dot(away, any.along)));
        assert_true(fabsf(vec3_dot(gap, axis)) < 1e-4f);
    }
}

static void a_ray_meets_a_plane_in_front_of_it_only(void **state)
{
    (void)state;
    Vec3 point;
    Ray ray = {{1, -10, 0}, {0, 1, 1}};
    assert_true(ray_meets_plane(&ray, vec3_make(7, 2, 7), vec3_make(0, 1, 0), &point));
    assert_true(between(point, vec3_make(1, 2, 12)) < 1e-5f);
    assert_false(ray_meets_plane(&ray, vec3_make(0, -11, 0), vec3_make(0, 1, 0), &point));
    assert_false(ray_meets_plane(&ray, vec3_make(0, 0, 0), vec3_make(1, 0, 0), &point));
}

static void angles_about_an_axis_grow_right_handed(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        float first = 0, angle;
        Vec3 normal = vec3_make(axis == 0, axis == 1, axis == 2);
        Vec3 u = vec3_make(axis == 2, axis == 0, axis == 1), v = vec3_cross(normal, u);
        for (int k = 0; k < 8; k++) {
            float wanted = 0.25f * PI * (float)k;
            Vec3 point = vec3_add(vec3_scale(u, 2 * cosf(wanted)), vec3_scale(v, 2 * sinf(wanted)));
            Vec3 from = vec3_make(3, -4, 5);
            Ray ray = {from, vec3_sub(point, from)};
            assert_true(ray_around_axis(&ray, vec3_make(0, 0, 0), normal, &angle));
            if (k == 0) first = angle;
            float error = remainderf(angle - first - wanted, 2 * PI);
            assert_true(fabsf(error) < 1e-5f);
        }
    }
}

static void a_ray_enters_a_box_and_a_ball_at_their_surface(void **state)
{
    (void)state;
    float t;
    Mat3 turned = mat3_from_euler_degrees(vec3_make(0, 0, 45)), none = mat3_from_euler_degrees((Vec3){0});
    Ray ray = {{0, -10, 0}, {0, 2, 0}};
    assert_true(ray_meets_box(&ray, vec3_make(0, 0, 0), none, vec3_make(1, 3, 1), &t));
    assert_true(fabsf(t - 3.5f) < 1e-6f);
    // An edge of a cube that stands turned by 45 degrees is sqrt(2) half lengths before its center.
    assert_true(ray_meets_box(&ray, vec3_make(0, 0, 0), turned, vec3_make(1, 1, 1), &t));
    assert_true(fabsf(2 * t - (10 - sqrtf(2))) < 1e-5f);
    assert_false(ray_meets_box(&ray, vec3_make(1.1f, 0, 0), none, vec3_make(1, 1, 1), &t));
    assert_false(ray_meets_box(&ray, vec3_make(0, -15, 0), none, vec3_make(1, 1, 1), &t));
    assert_true(ray_meets_box(&ray, vec3_make(0, -10, 0), none, vec3_make(1, 1, 1), &t));
    assert_true(t == 0);
    assert_true(ray_meets_ball(&ray, vec3_make(0.6f, 0, 0), none, vec3_make(1, 1, 1), &t));
    assert_true(fabsf(2 * t - 9.2f) < 1e-5f); // 0.6, 0.8, 1
    assert_true(ray_meets_ball(&ray, vec3_make(0, 0, 0), turned, vec3_make(1, 1, 4), &t));
    assert_true(fabsf(2 * t - 9) < 1e-5f);
    assert_false(ray_meets_ball(&ray, vec3_make(1.01f, 0, 0), none, vec3_make(1, 1, 1), &t));
    assert_false(ray_meets_ball(&ray, vec3_make(0, -15, 0), none, vec3_make(1, 1, 1), &t));
}

static void a_turned_rotation_turns_every_vector_about_the_axis(void **state)
{
    (void)state;
    unsigned seed = 11;
    static const Vec3 special[] = {{0, 90, 0}, {30, -90, 50}, {180, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 400; k++) {
        Vec3 axis = k % 2 ? random_unit(&seed) : vec3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
        Vec3 old = k < 40 ? special[k % 4] : vec3_scale(random_unit(&seed), 200), v = random_unit(&seed);
        float angle = 3 * random_unit(&seed).x;
        Vec3 before = mat3_apply(mat3_from_euler_degrees(old), v);
        Vec3 after = mat3_apply(mat3_from_euler_degrees(rotation_turned(old, axis, angle)), v);
        // What is along the axis stays; what is across it turns by the angle.
        assert_true(fabsf(vec3_dot(before, axis) - vec3_dot(after, axis)) < 2e-3f);
        Vec3 a = vec3_sub(before, vec3_scale(axis, vec3_dot(before, axis)));
        Vec3 b = vec3_sub(after, vec3_scale(axis, vec3_dot(after, axis)));
        float length2 = vec3_dot(a, a);
        assert_true(fabsf(vec3_dot(a, b) - cosf(angle) * length2) < 2e-3f);
        assert_true(fabsf(vec3_dot(vec3_cross(a, b), axis) - sinf(angle) * length2) < 2e-3f);
    }
    Vec3 quarter = rotation_turned(vec3_make(0, 0, 0), vec3_make(0, 0, 1), PI / 2);
    assert_true(between(quarter, vec3_make(0, 0, 90)) < 1e-4f);
}

static Handles make_handles(void)
{
    return (Handles){.center = {0, 0, 0},
                     .rotation = mat3_from_euler_degrees(vec3_make(0, 90, 0)), // its x points down
                     .half = {1, 2, 3},
                     .turns = true,
                     .scales = {true, true, true},
                     .size = 5};
}

// At a place of the picture, which is not in the window's corner.
static Handle pick(const Handles *handles, float x, float y)
{
    View view = make_view();
    return handles_pick(handles, &view, (Frame){30, 10, 400, 400}, 30 + x, 10 + y, 6);
}

static void the_handle_under_the_mouse_is_found(void **state)
{
    (void)state;
    Handles handles = make_handles();
    const float px = 20; // 400 px for 20 m
    Handle found = pick(&handles, 200 + 4.5f * px, 200);
    assert_true(found.kind == HANDLE_MOVE && found.axis == 0);
    found = pick(&handles, 202, 200 - 4.6f * px);
    assert_true(found.kind == HANDLE_MOVE && found.axis == 2);
    // Rings have a radius of 4; that about y faces the eye.
    found = pick(&handles, 200 + 4 * px * 0.70711f, 200 + 4 * px * 0.70711f);
    assert_true(found.kind == HANDLE_TURN && found.axis == 1);
    // The thing's x end is a meter below its center, its z end three meters to the right.
    found = pick(&handles, 200, 200 + px);
    assert_true(found.kind == HANDLE_SCALE && found.axis == 0 && found.side == 1);
    found = pick(&handles, 200 - 3 * px, 200);
    assert_true(found.kind == HANDLE_SCALE && found.axis == 2 && found.side == -1);
    found = pick(&handles, 200, 200); // the end that faces the eye
    assert_true(found.kind == HANDLE_SCALE && found.axis == 1);
    handles.scales[1] = false;
    found = pick(&handles, 200, 200);
    assert_true(found.kind == HANDLE_MOVE && found.axis == 3);
    assert_int_equal(pick(&handles, 20, 20).kind, HANDLE_NONE);
    handles.turns = handles.scales[0] = false;
    assert_int_equal(pick(&handles, 200 - 57, 200 + 57).kind, HANDLE_NONE);
    uint32_t count = 0;
    while (handles_at(&handles, count).kind) count++;
    assert_int_equal(count, 6);
}

// Drags from one place to another (m at the depth of the origin, right and up).
static HandleMove drag(const Handles *handles, Handle handle, float x0, float y0, float x1, float y1,
                       float step)
{
    HandleDrag now;
    HandleMove move;
    View view = make_view();
    Ray from = ray_through(&view, 0.1f * x0, 0.1f * y0), to = ray_through(&view, 0.1f * x1, 0.1f * y1);
    assert_true(handle_drag_begin(&now, handles, handle, &view, &from));
    assert_true(handle_drag_to(&now, &view, &to, step, step > 0 ? 15 : 0, &move));
    return move;
}

static void a_drag_moves_turns_and_scales_by_what_the_mouse_has_moved(void **state)
{
    (void)state;
    Handles handles = make_handles();
    handles.half = vec3_make(1, 2, 3);
    HandleMove move = drag(&handles, (Handle){HANDLE_MOVE, 0, 0}, 4, 0, 6.3f, 0, 0);
    assert_true(between(move.offset, vec3_make(2.3f, 0, 0)) < 1e-4f);
    move = drag(&handles, (Handle){HANDLE_MOVE, 2, 0}, 0, 3, 0, -1, 0);
    assert_true(between(move.offset, vec3_make(0, 0, -4)) < 1e-4f);
    move = drag(&handles, (Handle){HANDLE_MOVE, 3, 0}, 0, 0, 1.5f, -2, 0);
    assert_true(between(move.offset, vec3_make(1.5f, 0, -2)) < 1e-4f);
    // Seen along y, from x to z is a turn about -y.
    move = drag(&handles, (Handle){HANDLE_TURN, 1, 0}, 4, 0, 0, 4, 0);
    assert_true(fabsf(move.angle + 0.5f * PI) < 1e-5f);
    // The end at the bottom goes down by 1.5 m.
    move = drag(&handles, (Handle){HANDLE_SCALE, 0, 1}, 0, -1, 0, -2.5f, 0);
    assert_true(fabsf(move.half - 2.5f) < 1e-5f);
    move = drag(&handles, (Handle){HANDLE_SCALE, 2, -1}, -3, 0, -2, 0, 0);
    assert_true(fabsf(move.half - 2) < 1e-5f);
    move = drag(&handles, (Handle){HANDLE_SCALE, 2, -1}, -3, 0, 9, 0, 0);
    assert_true(move.half > 0 && move.half < 0.01f);
}

static void a_grid_takes_the_center_lengths_and_angles(void **state)
{
    (void)state;
    Handles handles = make_handles();
    handles.center = vec3_make(0.1f, 0, 0.3f);
    HandleMove move = drag(&handles, (Handle){HANDLE_MOVE, 0, 0}, 4, 0, 5.3f, 0, 0.5f);
    assert_true(between(vec3_add(handles.center, move.offset), vec3_make(1.5f, 0, 0.3f)) < 1e-5f);
    handles.center = vec3_make(0, 0, 0);
    move = drag(&handles, (Handle){HANDLE_SCALE, 2, 1}, 3, 0, 3.3f, 0, 0.5f);
    assert_true(fabsf(2 * move.half - 6.5f) < 1e-5f);
    move = drag(&handles, (Handle){HANDLE_TURN, 1, 0}, 4, 0, 4, 1.2f, 0.5f); // by 16.7 degrees
    assert_true(fabsf(move.angle + PI / 12) < 1e-5f);
    assert_true(snapped(-0.74f, 0.5f) == -0.5f && snapped(0.76f, 0.5f) == 1 && snapped(0.74f, 0) == 0.74f);
}

static void what_is_seen_from_its_end_cannot_be_dragged(void **state)
{
    (void)state;
    HandleDrag now;
    View view = make_view();
    Handles handles = make_handles();
    Ray middle = ray_through(&view, 0, 0);
    assert_false(handle_drag_begin(&now, &handles, (Handle){HANDLE_MOVE, 1, 0}, &view, &middle));
    assert_int_equal(now.handle.kind, HANDLE_NONE);
    assert_false(handle_drag_begin(&now, &handles, (Handle){HANDLE_TURN, 0, 0}, &view, &middle));
    assert_false(handle_drag_begin(&now, &handles, (Handle){0}, &view, &middle));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_place_on_an_axis_is_where_the_connection_is_square_to_both),
        cmocka_unit_test(a_ray_meets_a_plane_in_front_of_it_only),
        cmocka_unit_test(angles_about_an_axis_grow_right_handed),
        cmocka_unit_test(a_ray_enters_a_box_and_a_ball_at_their_surface),
        cmocka_unit_test(a_turned_rotation_turns_every_vector_about_the_axis),
        cmocka_unit_test(the_handle_under_the_mouse_is_found),
        cmocka_unit_test(a_drag_moves_turns_and_scales_by_what_the_mouse_has_moved),
        cmocka_unit_test(a_grid_takes_the_center_lengths_and_angles),
        cmocka_unit_test(what_is_seen_from_its_end_cannot_be_dragged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
