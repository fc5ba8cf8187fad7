// Clouds of balls: where they lie, of which sizes they are, that a seed repeats them, and what is refused.
#include "scene/scene.h"
#include "scene_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define WATER "water:\n  - box: {min: [0, 0, 9], max: [1, 1, 10]}\n"
#define CLOUD                                                                                                \
    WATER "obstacles:\n  - {name: plate, plate: {size: [1, 1], thickness: 0.2}, position: [50, 0, 0]}\n"     \
          "scatter:\n  - {name: stone, count: 600, seed: 3, min: [-2, -1, -3], max: [2, 3, 1],"              \
          " radius: [0.05, 0.4], gap: 0.03, friction: 0.25}\n"                                               \
          "  - {count: 40, min: [10, 10, 10], max: [11, 11, 11], radius: [0.2, 0.2], overlap: true}\n"

static void balls_lie_in_their_box_apart_and_behind_the_obstacles_of_the_list(void **state)
{
    (void)state;
    SceneDef scene = scene_from_text(CLOUD, NULL);
    assert_int_equal(scene.obstacle_count, 641);
    assert_string_equal(scene.obstacles[0].name, "plate");
    assert_string_equal(scene.obstacles[1].name, "stone 0");
    assert_string_equal(scene.obstacles[640].name, "ball 39");
    for (uint32_t k = 1; k <= 600; k++) {
        const ObstacleDef *body = &scene.obstacles[k];
        float r = body->shape.radius;
        assert_int_equal(body->shape.kind, SHAPE_SPHERE);
        assert_int_equal(body->motion.kind, MOTION_NONE);
        assert_true(body->friction == 0.25f && r >= 0.05f && r <= 0.4f);
        assert_true(body->position.x - r >= -2.0001f && body->position.x + r <= 2.0001f);
        assert_true(body->position.y - r >= -1.0001f && body->position.y + r <= 3.0001f);
        assert_true(body->position.z - r >= -3.0001f && body->position.z + r <= 1.0001f);
        for (uint32_t other = 1; other < k; other++) {
            float way = vec3_length(vec3_sub(body->position, scene.obstacles[other].position));
            assert_true(way >= r + scene.obstacles[other].shape.radius + 0.0299f);
        }
    }
    for (uint32_t k = 601; k <= 640; k++) assert_true(scene.obstacles[k].shape.radius == 0.2f);
    scene_free(&scene);
}

// Numbers that fall as r^-4 put (1/a^3 - 1/b^3) / (1/lo^3 - 1/hi^3) of all between a and b.
static void each_doubling_of_the_size_holds_its_share_of_the_balls(void **state)
{
    (void)state;
    SceneDef scene = scene_from_text(WATER "scatter:\n  - {count: 20000, seed: 5, min: [0, 0, 0],"
                                           " max: [50, 50, 50], radius: [0.1, 0.8], overlap: true}\n",
                                     NULL);
    uint32_t octave[3] = {0};
    for (uint32_t k = 0; k < scene.obstacle_count; k++) {
        float r = scene.obstacles[k].shape.radius;
        octave[r < 0.2f ? 0 : r < 0.4f ? 1 : 2]++;
    }
    const double all = 1000 - 1 / 0.512;
    const double expected[3] = {(1000 - 125) / all, (125 - 15.625) / all, (15.625 - 1 / 0.512) / all};
    for (int k = 0; k < 3; k++) {
        double deviation = sqrt(20000 * expected[k] * (1 - expected[k]));
        assert_true(fabs(octave[k] - 20000 * expected[k]) < 5 * deviation);
    }
    scene_free(&scene);
}

static bool same_balls(const SceneDef *a, const SceneDef *b)
{
    if (a->obstacle_count != b->obstacle_count) return false;
    for (uint32_t k = 0; k < a->obstacle_count; k++) {
        Vec3 p = a->obstacles[k].position, q = b->obstacles[k].position;
        if (p.x != q.x || p.y != q.y || p.z != q.z) return false;
        if (a->obstacles[k].shape.radius != b->obstacles[k].shape.radius) return false;
    }
    return true;
}

static void a_seed_repeats_its_cloud_and_another_makes_another(void **state)
{
    (void)state;
    SceneDef first = scene_from_text(CLOUD, NULL), again = scene_from_text(CLOUD, NULL);
    SceneDef other = scene_from_text(CLOUD, "scatter.0.seed=4");
    assert_true(same_balls(&first, &again));
    assert_false(same_balls(&first, &other));
    scene_free(&first);
    scene_free(&again);
    scene_free(&other);
}

static void clouds_without_room_are_refused_with_their_place(void **state)
{
    (void)state;
    assert_scene_refused(WATER "scatter:\n  - {count: 900, min: [0, 0, 0], max: [1, 1, 1],"
                               " radius: [0.05, 0.2], gap: 0.1}\n",
                         NULL,
                         "scene.yaml:4:5: scatter.0: 900 balls find no room (fewer or smaller ones, a "
                         "smaller gap, or overlap: true)");
    assert_scene_refused(WATER "scatter:\n  - {count: 9, min: [0, 0, 0], max: [1, 0, 1], radius: [1, 2]}\n",
                         NULL, "scene.yaml:4:5: scatter.0: min must be below max on every axis");
    assert_scene_refused(WATER "scatter:\n  - {count: 9, min: [0, 0, 0], max: [1, 1, 1], radius: [1, 2]}\n",
                         NULL,
                         "scene.yaml:4:56: scatter.0.radius: the largest ball is 4 m across (less than the "
                         "box's shortest side, 1 m)");
    assert_scene_refused(WATER "scatter:\n  - {count: 9, min: [0, 0, 0], max: [1, 1, 1], radius: [2, 1]}\n",
                         NULL, "scene.yaml:4:56: scatter.0.radius: the smallest comes first");
    assert_scene_refused(WATER "scatter:\n"
                               "  - {count: 60000, min: [0, 0, 0], max: [9, 9, 9], radius: [1, 1]}\n"
                               "  - {count: 60000, min: [0, 0, 0], max: [9, 9, 9], radius: [1, 1]}\n",
                         NULL, "scene.yaml:4:3: scatter: makes 120000 obstacles in all (at most 100000)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_lie_in_their_box_apart_and_behind_the_obstacles_of_the_list),
        cmocka_unit_test(each_doubling_of_the_size_holds_its_share_of_the_balls),
        cmocka_unit_test(a_seed_repeats_its_cloud_and_another_makes_another),
        cmocka_unit_test(clouds_without_room_are_refused_with_their_place),
    };
    return cmocka_run_group_tests_name("scene_scatter", tests, scene_folder_make, scene_folder_remove);
}
