// Scenes that are right: the examples, defaults, overrides, and the documentation of every key.
#include "core/memory.h"
#include "scene/scene.h"
#include "scene/shared_scene.h"
#include "scene_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BOX "water:\n  - box: {min: [0, 0, 0], max: [1, 1, 1]}\n"

// --- examples ---

static const char *const examples[] = {"dam_break",   "falling_chunks", "plates",   "wave",       "cylinders",
                                       "still_water", "mixer",          "fountain", "spheres",    "waterfall",
                                       "honey",       "harbor",         "glass",    "lighthouse", "kelp",
                                       "hair",        "vortex"};
#define EXAMPLES (sizeof examples / sizeof examples[0])

static SceneDef read_example(const char *name, const char *spacing)
{
    char path[100];
    SceneOverride override = {"spacing", spacing};
    SceneDef scene;
    snprintf(path, sizeof path, "scenes/%s.yaml", name);
    Result result = scene_read(path, &override, spacing ? 1 : 0, &scene);
    assert_string_equal(result.text, "");
    return scene;
}

static void assert_example_count(const char *name, const char *spacing, uint64_t initial, uint64_t emitted)
{
    SceneDef scene = read_example(name, spacing);
    SceneCount count;
    Result result = scene_count(&scene, &count);
    assert_string_equal(result.text, "");
    assert_int_equal(count.initial, initial);
    assert_int_equal(count.emitted, emitted);
    scene_free(&scene);
}

static void the_five_scenes_hold_exactly_the_published_numbers_of_particles(void **state)
{
    (void)state;
    assert_example_count("dam_break", "0.05", 1000000, 0);
    assert_example_count("falling_chunks", "0.05", 1277760, 0);
    assert_example_count("plates", "0.05", 0, 1084800);
    assert_example_count("wave", "0.05", 1000000, 0);
    assert_example_count("cylinders", "0.05", 0, 1044000);
}

static void twice_the_spacing_leaves_an_eighth_of_the_particles(void **state)
{
    (void)state;
    assert_example_count("dam_break", "0.1", 125000, 0);
    assert_example_count("falling_chunks", "0.1", 159720, 0);
    assert_example_count("plates", "0.1", 0, 135600);
    assert_example_count("wave", "0.1", 125000, 0);
    assert_example_count("cylinders", "0.1", 0, 130500);
}

static void the_five_scenes_last_as_long_as_published_with_every_term(void **state)
{
    (void)state;
    static const double duration[] = {6.0, 9.0, 8.0, 5.56, 3.76};
    for (size_t k = 0; k < 5; k++) {
        SceneDef scene = read_example(examples[k], NULL);
        assert_true(fabs(scene.output.duration - duration[k]) < 1e-12);
        assert_true(scene.fluid.viscosity > 0 && scene.fluid.xsph > 0);
        assert_true(scene.fluid.surface_tension > 0 && scene.fluid.scorr_strength > 0);
        double frames = scene.output.duration * scene.output.fps;
        assert_true(fabs(frames - round(frames)) < 1e-9);
        scene_free(&scene);
    }
}

static void the_dam_breaks_in_a_tank_of_92_by_64_by_50_influence_radii(void **state)
{
    (void)state;
    SceneDef scene = read_example("dam_break", "0.05");
    float radius = scene.fluid.radius_factor * scene.fluid.spacing;
    assert_true(fabsf(scene.tank.size.x / radius - 92) < 1e-3f);
    assert_true(fabsf(scene.tank.size.y / radius - 64) < 1e-3f);
    assert_true(fabsf(scene.tank.size.z / radius - 50) < 1e-3f);
    scene_free(&scene);
}

static void every_example_is_read_framed_and_small_enough_to_play_with(void **state)
{
    (void)state;
    for (size_t k = 0; k < EXAMPLES; k++) {
        SceneDef scene = read_example(examples[k], NULL);
        SceneCount count;
        Result result = scene_count(&scene, &count);
        assert_true(result_is_ok(&result));
        assert_string_equal(scene.name, examples[k]);
        assert_true(scene.description[0] != 0);
        assert_false(scene.output.render.camera.automatic);
        assert_in_range(count.initial + count.emitted, 10000, 140000);
        scene_free(&scene);
    }
}

// --- values and defaults ---

static void keys_that_are_missing_keep_the_defaults(void **state)
{
    (void)state;
    SceneDef scene = scene_from_text(BOX, NULL);
    FluidDef fluid = fluid_def_default();
    assert_string_equal(scene.name, "scene");
    assert_true(scene.fluid.spacing == fluid.spacing && scene.fluid.viscosity == fluid.viscosity);
    assert_string_equal(scene.fluid.neighbor, fluid.neighbor);
    assert_false(scene.tank.present);
    assert_true(scene.output.render.camera.automatic);
    assert_int_equal(scene.water_count, 1);
    assert_int_equal(scene.obstacle_count + scene.emitter_count + scene.drain_count, 0);
    assert_int_equal(scene.water[0].line, 2);
    assert_int_equal(scene.water[0].column, 5);
    scene_free(&scene);
}

static void values_go_where_their_keys_say(void **state)
{
    (void)state;
    uint64_t before = memory_bytes_in_use();
    SceneDef s = scene_from_text(
        "name: full\n"
        "description: |\n  two\n  lines\n"
        "spacing: 2.5e-1\n"
        "tank: {corner: [-1, -2, -3], size: [10, 11, 12], open: [top, left], friction: 0.25}\n"
        "fluid: {rest_density: 900, gravity: [1, 2, -3]}\n"
        "solver: {iterations: 7, scorr: {power: 6}, boundary: penalty, neighbor: brute_force}\n"
        "water:\n- sphere: {center: [3, 3, 3], radius: 1}\n  velocity: [0, 0, -1]\n"
        "obstacles:\n"
        "- {plate: {size: [2, 4], thickness: 0.5}, rotation: [0, 90, 0], color: [1, 0.5, 0]}\n"
        "- {name: pill, capsule: {radius: 0.5, height: 3}, motion: {oscillation: {period: 2, amplitude: [1, "
        "0, 0]}}}\n"
        "- {box: {size: [1, 2, 3]}, motion: {keyframes: [{time: 1, position: [1, 2, 3]},\n"
        "    {time: 2, position: [4, 5, 6], rotation: [0, 0, 720]}]}}\n"
        "emitters:\n- {disc: {radius: 0.5}, position: [1, 1, 1], speed: 2, volume: 3}\n"
        "drains:\n- {box: {size: [2, 2, 2]}, position: [0, 0, 0], outside: true, stop: 9}\n"
        "surface: {cell: 0.3, anisotropic: false, isovalue: 0.5, smoothing: 0}\n"
        "camera: {fov: 50, eye: [1, 2, 3], target: [4, 5, 6]}\n"
        "output: {fps: 25, size: [640, 480], color_by: vorticity, range: [-1, 1], legend: false}\n",
        NULL);
    assert_string_equal(s.name, "full");
    assert_string_equal(s.description, "two lines");
    assert_true(s.fluid.spacing == 0.25f && s.fluid.rest_density == 900 && s.fluid.gravity.z == -3);
    assert_true(s.tank.present && s.tank.open[TANK_Z_HI] && s.tank.open[TANK_X_LO] &&
                !s.tank.open[TANK_Z_LO]);
    assert_true(s.tank_corner.y == -2 && s.tank.size.z == 12 && s.wall_friction == 0.25f);
    assert_int_equal(s.fluid.iterations, 7);
    assert_true(s.surface.cell == 0.3f && !s.surface.anisotropic && s.surface.isovalue == 0.5f);
    assert_true(s.surface.smoothing == 0 && s.surface.spacing == 0.25f && s.surface.speck_volume == 0.25f);
    assert_int_equal(s.fluid.scorr_power, 6);
    assert_int_equal(s.fluid.boundary, BOUNDARY_PENALTY);
    assert_string_equal(s.fluid.neighbor, "brute_force");
    assert_int_equal(s.water[0].kind, WATER_SPHERE);
    assert_true(s.water[0].center.x == 3 && s.water[0].radius == 1 && s.water[0].velocity.z == -1);
    const ObstacleDef *plate = &s.obstacles[0], *pill = &s.obstacles[1], *box = &s.obstacles[2];
    assert_int_equal(plate->shape.kind, SHAPE_BOX);
    assert_true(plate->shape.half_extent.x == 1 && plate->shape.half_extent.y == 2);
    assert_true(plate->shape.half_extent.z == 0.25f && plate->rotation.y == 90);
    assert_string_equal(plate->name, "plate");
    assert_true(plate->color[0] == 1 && fabsf(plate->color[1] - 0.214f) < 0.001f && plate->color[2] == 0);
    assert_int_equal(pill->shape.kind, SHAPE_CAPSULE);
    assert_true(pill->shape.half_height == 1 && pill->shape.radius == 0.5f); // 3 m with both caps
    assert_int_equal(pill->motion.kind, MOTION_OSCILLATION);
    assert_true(pill->motion.ramp == 1 && isinf(pill->motion.stop) && pill->motion.amplitude.x == 1);
    assert_int_equal(box->motion.kind, MOTION_KEYFRAMES);
    assert_int_equal(box->motion.keyframe_count, 2);
    assert_true(box->motion.keyframes[1].rotation.z == 720 && box->motion.keyframes[1].position.x == 4);
    assert_true(s.emitters[0].disc && s.emitters[0].volume == 3 && isinf(s.emitters[0].stop));
    assert_true(s.drains[0].outside && s.drains[0].half_extent.x == 1 && s.drains[0].stop == 9);
    assert_false(s.output.render.camera.automatic);
    assert_true(s.output.render.camera.fov == 50 && s.output.render.camera.target.z == 6);
    assert_int_equal(s.output.render.width, 640);
    assert_int_equal(s.output.render.color_by, FIELD_VORTICITY);
    assert_true(!s.output.render.auto_range && s.output.render.range_lo == -1 && !s.output.render.legend);
    scene_free(&s);
    assert_int_equal(memory_bytes_in_use(), before);
}

static void settings_of_the_surface_need_no_scene(void **state)
{
    (void)state;
    SurfaceDef surface = surface_def_default(0.1f);
    const SceneOverride good[] = {{"surface.cell", "0.3"}, {"surface.isovalue", "auto"}};
    Result result = scene_set_surface(good, 2, &surface);
    assert_string_equal(result.text, "");
    assert_true(surface.cell == 0.3f && surface.isovalue == 0 && surface.spacing == 0.1f);
    const SceneOverride bad[] = {{"surface.cell", "3"}, {"surface.sell", "1"}, {"solver.iterations", "3"}};
    const char *const messages[] = {
        "--set surface.cell: 3 is out of range (0.1 to 2 spacings)",
        "--set surface.sell: unknown key (did you mean cell?)",
        "--set solver.iterations: is not a setting of the surface (as surface.cell=0.3 is)",
    };
    uint64_t before = memory_bytes_in_use();
    for (int k = 0; k < 3; k++) {
        result = scene_set_surface(&bad[k], 1, &surface);
        assert_int_equal(result.code, RESULT_USAGE);
        assert_string_equal(result.text, messages[k]);
    }
    assert_int_equal(memory_bytes_in_use(), before);
}

static void aliases_stand_for_what_their_anchors_mark(void **state)
{
    (void)state;
    SceneDef scene = scene_from_text(BOX "obstacles:\n- {sphere: &s {radius: 2}, position: &p [7, 8, 9]}\n"
                                         "- {sphere: *s, position: *p}\n",
                                     "obstacles.0.position.0=1");
    assert_int_equal(scene.obstacle_count, 2);
    assert_true(scene.obstacles[1].shape.radius == 2 && scene.obstacles[1].position.z == 9);
    assert_true(scene.obstacles[0].position.x == 1 &&
                scene.obstacles[1].position.x == 7); // copies, not the same
    scene_free(&scene);
}

// --- overrides ---

static void overrides_replace_values_add_keys_and_reach_into_lists(void **state)
{
    (void)state;
    SceneDef scene = scene_from_text("spacing: 0.2\n" BOX, "spacing=0.5");
    assert_true(scene.fluid.spacing == 0.5f);
    scene_free(&scene);
    scene = scene_from_text(BOX, "solver.scorr.power=3");
    assert_int_equal(scene.fluid.scorr_power, 3);
    scene_free(&scene);
    scene = scene_from_text(BOX, "water.0.velocity=[1, 2, 3]");
    assert_true(scene.water[0].velocity.y == 2);
    scene_free(&scene);
    scene = scene_from_text(BOX, "water.0.box.max.2=3");
    assert_true(scene.water[0].hi.z == 3);
    scene_free(&scene);
    scene = scene_from_text(BOX, "tank={size: [2, 2, 2]}");
    assert_true(scene.tank.present);
    scene_free(&scene);
}

static void overrides_add_items_behind_the_last_of_a_list(void **state)
{
    (void)state;
    static const SceneOverride overrides[] = {{"water.1.sphere.center", "[8, 8, 8]"},
                                              {"water.1.sphere.radius", "0.5"},
                                              {"drains.0.sphere.radius", "3"},
                                              {"drains.0.position", "[1, 2, 3]"},
                                              {"drains.1", "{box: {size: [1, 1, 1]}, position: [0, 0, 0]}"}};
    SceneDef scene;
    Result result = scene_read(scene_write("scene.yaml", BOX, strlen(BOX)), overrides, 5, &scene);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    assert_int_equal(scene.water_count, 2);
    assert_int_equal(scene.water[1].kind, WATER_SPHERE);
    assert_true(scene.water[1].radius == 0.5f);
    assert_int_equal(scene.drain_count, 2);
    assert_true(scene.drains[0].sphere && scene.drains[0].position.z == 3.0f);
    assert_false(scene.drains[1].sphere);
    scene_free(&scene);
}

static void the_last_of_two_overrides_wins_and_earlier_ones_can_be_built_on(void **state)
{
    (void)state;
    const SceneOverride overrides[] = {
        {"tank.size", "[2, 2, 2]"}, {"tank.size.0", "3"}, {"tank.size.0", "4"}};
    SceneDef scene;
    Result result = scene_read(scene_write("scene.yaml", BOX, strlen(BOX)), overrides, 3, &scene);
    assert_string_equal(result.text, "");
    assert_true(scene.tank.size.x == 4 && scene.tank.size.y == 2);
    scene_free(&scene);
}

static void a_byte_order_mark_and_windows_line_ends_are_read(void **state)
{
    (void)state;
    SceneDef scene = scene_from_text(
        "\xef\xbb\xbfspacing: 0.2\r\nwater:\r\n- box: {min: [0, 0, 0], max: [1, 1, 1]}\r\n", NULL);
    assert_true(scene.fluid.spacing == 0.2f);
    scene_free(&scene);
}

static void a_shared_scene_lives_as_long_as_somebody_holds_it(void **state)
{
    (void)state;
    uint64_t before = memory_bytes_in_use();
    SceneDef scene = scene_from_text("name: held\n" BOX, NULL);
    SharedScene *shared;
    assert_string_equal(shared_scene_create(&scene, &shared).text, "");
    SharedScene *same = shared_scene_hold(shared);
    uint64_t both = memory_bytes_in_use();
    shared_scene_release(shared);
    assert_true(memory_bytes_in_use() == both);
    assert_string_equal(same->def.name, "held");
    shared_scene_release(same);
    assert_true(memory_bytes_in_use() == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_five_scenes_hold_exactly_the_published_numbers_of_particles),
        cmocka_unit_test(twice_the_spacing_leaves_an_eighth_of_the_particles),
        cmocka_unit_test(the_five_scenes_last_as_long_as_published_with_every_term),
        cmocka_unit_test(the_dam_breaks_in_a_tank_of_92_by_64_by_50_influence_radii),
        cmocka_unit_test(every_example_is_read_framed_and_small_enough_to_play_with),
        cmocka_unit_test(keys_that_are_missing_keep_the_defaults),
        cmocka_unit_test(values_go_where_their_keys_say),
        cmocka_unit_test(settings_of_the_surface_need_no_scene),
        cmocka_unit_test(aliases_stand_for_what_their_anchors_mark),
        cmocka_unit_test(overrides_replace_values_add_keys_and_reach_into_lists),
        cmocka_unit_test(overrides_add_items_behind_the_last_of_a_list),
        cmocka_unit_test(the_last_of_two_overrides_wins_and_earlier_ones_can_be_built_on),
        cmocka_unit_test(a_byte_order_mark_and_windows_line_ends_are_read),
        cmocka_unit_test(a_shared_scene_lives_as_long_as_somebody_holds_it),
    };
    return cmocka_run_group_tests_name("scene", tests, scene_folder_make, scene_folder_remove);
}
