// The set as a whole: tank, broad phase, ownership.
#include "core/memory.h"
#include "obstacle/reference/size_hash.h"
#include "obstacle_helpers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MANY 700

static Obstacles *make_many(ShapeRandom *random, uint32_t count, float half_width)
{
    static ObstacleDef defs[MANY];
    for (uint32_t k = 0; k < count; k++) {
        defs[k] = obstacle_test_body(shape_random(random, (ShapeKind)(k % ANALYTIC_SHAPES)));
        defs[k].position = shape_random_vector(random, half_width);
        defs[k].rotation = shape_random_vector(random, 180);
        if (k % 5 == 0)
            defs[k].motion = (MotionDef){.kind = MOTION_OSCILLATION,
                                         .amplitude = shape_random_vector(random, 2),
                                         .period = 1,
                                         .stop = INFINITY};
    }
    return obstacle_test_set(defs, count);
}

// What a look at all bodies finds.
static void check_touching(const Obstacles *obstacles, Box3 box, uint32_t capacity)
{
    uint32_t found[MANY], expected = 0;
    uint32_t count = obstacles_touching(obstacles, box, found, capacity);
    for (uint32_t k = 0; k < obstacles_count(obstacles); k++) {
        Box3 b = obstacles_bounds(obstacles, k);
        if (b.lo.x > box.hi.x || b.lo.y > box.hi.y || b.lo.z > box.hi.z || b.hi.x < box.lo.x ||
            b.hi.y < box.lo.y || b.hi.z < box.lo.z)
            continue;
        if (expected < capacity) assert_int_equal(found[expected], k);
        expected++;
    }
    assert_int_equal(count, expected);
}

static void touching_finds_the_same_bodies_as_a_look_at_all_of_them(void **state)
{
    (void)state;
    ShapeRandom random = {21};
    const uint32_t counts[] = {0, 1, 2, 3, 50, MANY};
    for (uint32_t kind = 0; broad_phase_name(kind); kind++) {
        for (int c = 0; c < 6; c++) {
            Obstacles *obstacles = make_many(&random, counts[c], 8);
            Result result = obstacles_set_broad_phase(obstacles, (BroadPhaseKind)kind);
            assert_true(result_is_ok(&result));
            for (int query = 0; query < 300; query++) {
                if (query % 30 == 0) result = obstacles_move(obstacles, 0.01 * query, 0.01 * query + 0.01);
                assert_true(result_is_ok(&result));
                float size = powf(10, shape_random_between(&random, -2, 1));
                Vec3 lo = shape_random_vector(&random, 9);
                Box3 box = {lo, vec3_add(lo, vec3_make(size, size, size))};
                check_touching(obstacles, box, query % 3 ? MANY : (uint32_t)query % 7);
            }
            obstacles_destroy(obstacles);
        }
    }
}

// Balls from a tenth of a millimetre to kilometres, and boxes whose sides are cells' exactly, at corners of
// cells, far out and at the origin.
static void bodies_of_any_size_are_found_anywhere(void **state)
{
    (void)state;
    static ObstacleDef defs[MANY];
    for (uint32_t kind = 0; broad_phase_name(kind); kind++) {
        ShapeRandom random = {24};
        for (uint32_t k = 0; k < MANY; k++) {
            float size = exp2f(shape_random_between(&random, -14, 12));
            Shape shape = {.kind = SHAPE_SPHERE, .radius = size};
            if (k % 3 == 0) {
                size = exp2f(floorf(log2f(size)));
                shape = (Shape){.kind = SHAPE_BOX, .half_extent = {size, size, 0.25f * size}};
            }
            defs[k] = obstacle_test_body(shape);
            defs[k].position = shape_random_vector(&random, k % 5 ? 30 * size : 90000);
            if (k % 3 == 0) defs[k].position = vec3_scale(vec3_make(1, -2, 3), size);
        }
        Obstacles *obstacles = obstacle_test_set(defs, MANY);
        Result result = obstacles_set_broad_phase(obstacles, (BroadPhaseKind)kind);
        assert_true(result_is_ok(&result));
        for (int query = 0; query < 1500; query++) {
            Box3 bounds = obstacles_bounds(obstacles, (uint32_t)query % MANY);
            Vec3 size =
                vec3_scale(vec3_sub(bounds.hi, bounds.lo), exp2f(shape_random_between(&random, -9, 1)));
            Vec3 lo = query % 2 ? bounds.hi : vec3_sub(bounds.lo, size); // touches it
            check_touching(obstacles, (Box3){lo, vec3_add(lo, size)}, MANY);
        }
        Vec3 far_out = {3e9f, -3e30f, 1e12f};
        check_touching(obstacles, (Box3){far_out, far_out}, MANY);
        obstacles_destroy(obstacles);
    }
}

// Bodies that turn fast may have bounds of any size.
static void bodies_larger_than_any_scene_are_found(void **state)
{
    (void)state;
    const float sizes[] = {0.5f, 3e5f, 4e9f, 2e19f, 1e38f, 3e38f};
    ObstacleDef defs[6];
    for (int k = 0; k < 6; k++) {
        defs[k] = obstacle_test_body((Shape){.kind = SHAPE_SPHERE, .radius = sizes[k]});
        defs[k].position = vec3_make(-sizes[k], 0.5f * sizes[k], 0);
    }
    Obstacles *obstacles = obstacle_test_set(defs, 6);
    for (uint32_t kind = 0; broad_phase_name(kind); kind++) {
        Result result = obstacles_set_broad_phase(obstacles, (BroadPhaseKind)kind);
        assert_true(result_is_ok(&result));
        for (int k = 0; k < 6; k++) {
            Vec3 at = {-sizes[k], sizes[k], 0.1f};
            check_touching(obstacles, (Box3){at, at}, 6);
            check_touching(obstacles, (Box3){at, vec3_make(1, sizes[k] + 1, 1)}, 6);
        }
    }
    obstacles_destroy(obstacles);
}

static float *axis_of(Vec3 *vector, int axis)
{
    return axis == 0 ? &vector->x : axis == 1 ? &vector->y : &vector->z;
}

static void bodies_in_a_plane_are_found_along_either_axis(void **state)
{
    (void)state;
    static ObstacleDef defs[MANY];
    for (int thin = 0; thin < 3; thin++) {
        ShapeRandom random = {26};
        for (uint32_t k = 0; k < MANY; k++) {
            float size = exp2f(shape_random_between(&random, -9, 1));
            Shape shape = {.kind = SHAPE_BOX, .half_extent = {size, size, size}};
            *axis_of(&shape.half_extent, thin) = 0.001f;
            defs[k] = obstacle_test_body(shape);
            defs[k].position = shape_random_vector(&random, 20);
            *axis_of(&defs[k].position, thin) = -0.3f;
        }
        Obstacles *obstacles = obstacle_test_set(defs, MANY);
        for (uint32_t kind = 0; broad_phase_name(kind); kind++) {
            Result result = obstacles_set_broad_phase(obstacles, (BroadPhaseKind)kind);
            assert_true(result_is_ok(&result));
            for (uint32_t query = 0; query < 600; query++) {
                Box3 box = obstacles_bounds(obstacles, query % MANY);
                if (query % 2) box.lo = box.hi; // its corner
                check_touching(obstacles, box, MANY);
            }
        }
        obstacles_destroy(obstacles);
    }
}

static void a_hierarchical_hash_takes_at_most_half_as_much_memory_again_as_a_multilevel_one(void **state)
{
    (void)state;
    ShapeRandom random = {25};
    Obstacles *obstacles = make_many(&random, MANY, 20);
    Box3 boxes[MANY];
    uint64_t bytes[2];
    for (uint32_t k = 0; k < MANY; k++) boxes[k] = obstacles_bounds(obstacles, k);
    for (int hierarchical = 0; hierarchical < 2; hierarchical++) {
        SizeHash hash = {0};
        Result result = size_hash_build(&hash, hierarchical, SIZE_CLASS_STEP, boxes, MANY);
        assert_true(result_is_ok(&result));
        bytes[hierarchical] = size_hash_bytes(&hash);
        size_hash_free(&hash);
    }
    assert_true(bytes[1] >= bytes[0]);
    assert_true(2 * bytes[1] <= 3 * bytes[0]);
    obstacles_destroy(obstacles);
}

static void distance_is_the_smallest_of_all_bodies_and_closed_walls(void **state)
{
    (void)state;
    ShapeRandom random = {22};
    Obstacles *obstacles = make_many(&random, MANY, 2); // many overlap
    Result result = obstacles_move(obstacles, 0.1, 0.2);
    assert_true(result_is_ok(&result));
    for (int query = 0; query < 2000; query++) {
        Vec3 point = shape_random_vector(&random, query % 2 ? 3 : 30);
        float expected = INFINITY;
        for (uint32_t k = 0; k < MANY; k++)
            expected = fminf(expected, obstacle_distance(obstacles, k, point));
        assert_true(obstacles_distance(obstacles, point) == expected);
        float about = query % 3 ? 0.3f * (float)(query % 7) : fmaxf(expected, 0.0f);
        assert_true(obstacles_within(obstacles, point, about) == (expected <= about));
    }
    obstacles_destroy(obstacles);
}

static void tank_walls_count_where_they_are_closed(void **state)
{
    (void)state;
    Obstacles *obstacles;
    TankDef tank = {.present = true, .size = {4, 3, 2}, .open = {[TANK_Z_HI] = true}};
    Result result = obstacles_create(tank, 0.3f, NULL, 0, &obstacles);
    assert_true(result_is_ok(&result));
    assert_true(fabsf(obstacles_distance(obstacles, vec3_make(0.5f, 1, 1.9f)) - 0.5f) < 1e-6f);
    assert_true(fabsf(obstacles_distance(obstacles, vec3_make(3.9f, 1, 1)) - 0.1f) < 1e-6f);
    assert_true(fabsf(obstacles_distance(obstacles, vec3_make(2, 1.5f, 2.5f)) - 1.5f) < 1e-6f);
    assert_true(fabsf(obstacles_distance(obstacles, vec3_make(2, -0.25f, 1)) + 0.25f) < 1e-6f);
    assert_true(obstacles_wall_friction(obstacles) == 0.3f);
    uint32_t none;
    assert_int_equal(obstacles_touching(obstacles, (Box3){{0, 0, 0}, {9, 9, 9}}, &none, 1), 0);
    obstacles_destroy(obstacles);

    obstacles = obstacle_test_set(NULL, 0);
    assert_true(isinf(obstacles_distance(obstacles, vec3_make(0, 0, 0))));
    obstacles_destroy(obstacles);
    obstacles_destroy(NULL);
}

static void moves_and_queries_ask_the_heap_for_nothing(void **state)
{
    (void)state;
    ShapeRandom random = {23};
    Obstacles *obstacles = make_many(&random, 300, 8);
    uint32_t found[300];
    uint64_t before = memory_allocation_count();
    for (int step = 0; step < 10; step++) {
        Result result = obstacles_move(obstacles, 0.1 * step, 0.1 * step + 0.1);
        assert_true(result_is_ok(&result));
        obstacles_touching(obstacles, (Box3){{-9, -9, -9}, {9, 9, 9}}, found, 300);
        obstacles_distance(obstacles, vec3_make(1, 2, 3));
        obstacle_surface(obstacles, 7, vec3_make(1, 2, 3));
    }
    assert_int_equal(memory_allocation_count(), before);
    obstacles_destroy(obstacles);
}

static void definitions_move_into_the_set_and_copies_live_on(void **state)
{
    (void)state;
    uint64_t before = memory_bytes_in_use();
    ObstacleDef def = obstacle_test_body((Shape){.kind = SHAPE_SPHERE, .radius = 1}), copy;
    strcpy(def.name, "buoy");
    def.friction = 0.7f;
    def.motion = (MotionDef){.kind = MOTION_KEYFRAMES, .keyframe_count = 1};
    def.motion.keyframes = memory_allocate_zeroed(sizeof(Keyframe));
    assert_non_null(def.motion.keyframes);
    def.motion.keyframes[0].position = vec3_make(0, 0, 5);
    Result result = obstacle_def_copy(&def, &copy);
    assert_true(result_is_ok(&result));
    Obstacles *obstacles = obstacle_test_set(&def, 1);
    assert_null(def.motion.keyframes);
    obstacle_def_free(&def); // nothing is left to free
    assert_int_equal(obstacles_count(obstacles), 1);
    assert_string_equal(obstacles_body(obstacles, 0)->name, "buoy");
    assert_true(fabsf(obstacles_distance(obstacles, vec3_make(0, 0, 7)) - 1) < 1e-6f);
    obstacles_destroy(obstacles);
    assert_true(copy.motion.keyframes[0].position.z == 5);
    obstacle_def_free(&copy);
    assert_int_equal(memory_bytes_in_use(), before);
}

static void a_copy_has_the_shapes_of_its_original_and_another_set_has_not(void **state)
{
    (void)state;
    ShapeRandom random = {5};
    Obstacles *original = make_many(&random, 4, 8), *other = make_many(&random, 4, 8), *copy;
    Result result = obstacles_copy(original, &copy);
    assert_true(result_is_ok(&result));
    result = obstacles_move(copy, 0, 1);
    assert_true(result_is_ok(&result));
    assert_true(obstacles_shapes(original) != 0);
    assert_true(obstacles_shapes(copy) == obstacles_shapes(original));
    assert_true(obstacles_shapes(other) != obstacles_shapes(original));
    obstacles_destroy(copy);
    obstacles_destroy(other);
    obstacles_destroy(original);
}

static bool same_surface(SurfacePoint a, SurfacePoint b)
{
    return a.distance == b.distance && a.velocity.x == b.velocity.x && a.velocity.y == b.velocity.y &&
           a.velocity.z == b.velocity.z && a.normal.x == b.normal.x;
}

static void a_copy_moves_as_its_original_does(void **state)
{
    (void)state;
    const Vec3 point = {0.3f, 0.2f, 2};
    ObstacleDef def = obstacle_test_body((Shape){.kind = SHAPE_SPHERE, .radius = 1});
    def.motion = (MotionDef){.kind = MOTION_OSCILLATION, .period = 1, .stop = INFINITY};
    def.motion.amplitude = vec3_make(0.5f, 0, 0);
    def.motion.rotation_amplitude = vec3_make(0, 30, 0);
    Obstacles *original = obstacle_test_set(&def, 1), *copy;
    Result result = obstacles_move(original, 0.1, 0.15);
    assert_true(result_is_ok(&result));
    result = obstacles_copy(original, &copy);
    assert_true(result_is_ok(&result));
    SurfacePoint first = obstacle_surface(original, 0, point);
    assert_true(vec3_length(first.velocity) > 1);
    assert_true(same_surface(first, obstacle_surface(copy, 0, point)));
    obstacles_shift(original, 0, vec3_make(0, 0.1f, 0));
    result = obstacles_move(original, 0.15, 0.2);
    assert_true(result_is_ok(&result));
    obstacles_follow(copy, original);
    SurfacePoint second = obstacle_surface(original, 0, point);
    assert_false(same_surface(first, second));
    assert_true(same_surface(second, obstacle_surface(copy, 0, point)));
    obstacles_destroy(copy);
    obstacles_destroy(original);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touching_finds_the_same_bodies_as_a_look_at_all_of_them),
        cmocka_unit_test(bodies_of_any_size_are_found_anywhere),
        cmocka_unit_test(bodies_larger_than_any_scene_are_found),
        cmocka_unit_test(bodies_in_a_plane_are_found_along_either_axis),
        cmocka_unit_test(a_hierarchical_hash_takes_at_most_half_as_much_memory_again_as_a_multilevel_one),
        cmocka_unit_test(distance_is_the_smallest_of_all_bodies_and_closed_walls),
        cmocka_unit_test(tank_walls_count_where_they_are_closed),
        cmocka_unit_test(moves_and_queries_ask_the_heap_for_nothing),
        cmocka_unit_test(definitions_move_into_the_set_and_copies_live_on),
        cmocka_unit_test(a_copy_moves_as_its_original_does),
        cmocka_unit_test(a_copy_has_the_shapes_of_its_original_and_another_set_has_not),
    };
    return cmocka_run_group_tests_name("obstacle: set", tests, NULL, NULL);
}
