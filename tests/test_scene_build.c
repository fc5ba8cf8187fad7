// From a scene to a fluid: where particles are put, what is left out, and what is refused.
#include "core/mat3.h"
#include "core/memory.h"
#include "scene/mesh_columns.h"
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

#define PI 3.14159265358979323846

static Fluid *build(const SceneDef *scene)
{
    Fluid *fluid;
    SceneCount count;
    Result result = scene_count(scene, &count);
    assert_string_equal(result.text, "");
    result = scene_build(scene, &fluid);
    assert_string_equal(result.text, "");
    assert_int_equal(fluid_view(fluid).count, count.initial); // the count promises what the build makes
    return fluid;
}

static Vec3 scene_position(const FrameView *view, uint32_t i)
{
    return vec3_add(view->origin, vec3_make(view->x[i], view->y[i], view->z[i]));
}

static void boxes_are_filled_with_layers_half_a_spacing_from_their_lower_corner(void **state)
{
    (void)state;
    SceneDef scene =
        scene_from_text("spacing: 0.1\ntank: {corner: [-5, 2, 1], size: [3, 3, 3]}\n"
                        "water:\n- box: {min: [-5, 2, 1], max: [-4.7, 2.2, 1.4]}\n  velocity: [1, 2, 3]\n",
                        NULL);
    Fluid *fluid = build(&scene);
    FrameView view = fluid_view(fluid);
    assert_int_equal(view.count, 3 * 2 * 4);
    assert_true(view.origin.x == -5 && view.origin.y == 2 && view.origin.z == 1);
    bool found[24] = {false};
    for (uint32_t p = 0; p < view.count; p++) {
        int i = (int)(view.x[p] / 0.1f), j = (int)(view.y[p] / 0.1f), k = (int)(view.z[p] / 0.1f);
        assert_true(fabsf(view.x[p] - 0.1f * ((float)i + 0.5f)) < 1e-6f);
        assert_true(fabsf(view.y[p] - 0.1f * ((float)j + 0.5f)) < 1e-6f);
        assert_true(fabsf(view.z[p] - 0.1f * ((float)k + 0.5f)) < 1e-6f);
        assert_true(view.vx[p] == 1 && view.vy[p] == 2 && view.vz[p] == 3);
        found[(k * 2 + j) * 3 + i] = true;
    }
    for (int n = 0; n < 24; n++) assert_true(found[n]);
    fluid_destroy(fluid);
    scene_free(&scene);
}

// Extents that are whole multiples of the spacing on paper are not in binary.
static void whole_numbers_of_layers_survive_rounding(void **state)
{
    (void)state;
    for (int n = 1; n <= 300; n += 7) {
        for (int step = 1; step <= 13; step += 3) {
            char text[160];
            double spacing = step / 100.0, at = -3.3;
            snprintf(text, sizeof text,
                     "spacing: %.2f\nwater: [{box: {min: [%.2f, 0, 0], max: [%.2f, %.2f, %.2f]}}]\n", spacing,
                     at, at + n * spacing, spacing, 2 * spacing);
            SceneDef scene = scene_from_text(text, NULL);
            SceneCount count;
            Result result = scene_count(&scene, &count);
            assert_true(result_is_ok(&result));
            assert_int_equal(count.initial, 2 * n);
            scene_free(&scene);
        }
    }
}

static void layers_that_do_not_fit_are_left_out_and_nothing_reaches_beyond_the_box(void **state)
{
    (void)state;
    SceneDef scene = scene_from_text(
        "spacing: 0.4\ntank: {size: [1, 1, 1]}\nwater: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n", NULL);
    Fluid *fluid = build(&scene);
    FrameView view = fluid_view(fluid);
    assert_int_equal(view.count, 8);
    for (uint32_t i = 0; i < view.count; i++)
        assert_true(fmaxf(view.x[i], fmaxf(view.y[i], view.z[i])) < 0.8f);
    fluid_destroy(fluid);
    scene_free(&scene);
}

static void balls_have_the_volume_and_the_centre_that_the_scene_says(void **state)
{
    (void)state;
    SceneDef scene =
        scene_from_text("spacing: 0.1\nwater: [{sphere: {center: [10, -20, 30], radius: 1.5}}]\n", NULL);
    Fluid *fluid = build(&scene);
    FrameView view = fluid_view(fluid);
    double expected = 4.0 / 3 * PI * 1.5 * 1.5 * 1.5 / 1e-3, sum[3] = {0};
    assert_true(fabs(view.count / expected - 1) < 0.02);
    for (uint32_t i = 0; i < view.count; i++) {
        Vec3 p = vec3_sub(scene_position(&view, i), vec3_make(10, -20, 30));
        assert_true(vec3_length(p) < 1.5001f);
        sum[0] += p.x, sum[1] += p.y, sum[2] += p.z;
    }
    for (int a = 0; a < 3; a++) assert_true(fabs(sum[a] / view.count) < 1e-4);
    fluid_destroy(fluid);
    scene_free(&scene);
}

// Counting goes by columns, filling by places.
static void balls_of_any_size_are_counted_as_they_are_filled(void **state)
{
    (void)state;
    static const double radii[] = {0.15, 0.49, 0.5, 0.5001, 0.77, 1.0, 1.414214};
    for (size_t k = 0; k < sizeof radii / sizeof *radii; k++) {
        char text[200];
        snprintf(text, sizeof text,
                 "spacing: 0.1\nwater: [{sphere: {center: [0.03, 7.2, %g], radius: %g}}]\n",
                 0.017 * (double)k, radii[k]);
        SceneDef scene = scene_from_text(text, NULL);
        SceneCount count;
        assert_int_equal(scene_count(&scene, &count).code, RESULT_OK);
        Fluid *fluid = build(&scene);
        assert_int_equal(count.initial, fluid_view(fluid).count);
        fluid_destroy(fluid);
        scene_free(&scene);
    }
}

// The faces' diagonals and edges run exactly through columns of the lattice: each must be counted once.
static void an_upright_cube_of_a_mesh_holds_what_the_box_holds(void **state)
{
    (void)state;
    scene_write("cube.obj", CUBE_OBJ, strlen(CUBE_OBJ));
    SceneDef scene = scene_from_text(
        "spacing: 0.125\nwater: [{mesh: {file: cube.obj, position: [3, 4, 5], scale: [1, 2, 1]}}]\n", NULL);
    Fluid *fluid = build(&scene);
    FrameView view = fluid_view(fluid);
    assert_int_equal(view.count, 8 * 16 * 8);
    for (uint32_t i = 0; i < view.count; i++) {
        Vec3 p = scene_position(&view, i);
        assert_true(p.x > 3.06f && p.x < 3.94f && p.y > 4.06f && p.y < 5.94f && p.z > 5.06f && p.z < 5.94f);
    }
    fluid_destroy(fluid);
    scene_free(&scene);
}

static void a_turned_cube_of_a_mesh_is_filled_inside_and_only_there(void **state)
{
    (void)state;
    scene_write("cube.obj", CUBE_OBJ, strlen(CUBE_OBJ));
    SceneDef scene = scene_from_text(
        "spacing: 0.1\n"
        "water: [{mesh: {file: cube.obj, scale: 2, rotation: [20, 30, 40], position: [1, 2, 3]}}]\n",
        NULL);
    Fluid *fluid = build(&scene);
    FrameView view = fluid_view(fluid);
    assert_true(fabs(view.count / 8000.0 - 1) < 0.01);
    Mat3 rotation = mat3_from_euler_degrees(vec3_make(20, 30, 40));
    for (uint32_t i = 0; i < view.count; i++) {
        Vec3 p = mat3_apply_transposed(rotation, vec3_sub(scene_position(&view, i), vec3_make(1, 2, 3)));
        assert_true(p.x > -1e-4f && p.x < 2.0001f && p.y > -1e-4f && p.y < 2.0001f && p.z > -1e-4f &&
                    p.z < 2.0001f);
    }
    fluid_destroy(fluid);
    scene_free(&scene);
}

static void columns_through_vertices_and_edges_enter_and_leave_a_mesh_once(void **state)
{
    (void)state;
    // A double pyramid over a square; the lattices hit its axis, its edges and its rim exactly. The first
    // column of one misses it, that of the other is its axis.
    Vec3 vertices[] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    uint32_t triangles[] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4, 1, 0, 5, 2, 1, 5, 3, 2, 5, 0, 3, 5};
    TriangleMesh mesh = {
        .vertices = vertices, .triangles = triangles, .vertex_count = 6, .triangle_count = 8};
    for (double first = -1; first <= 0; first++) {
        MeshColumns columns;
        Result result = mesh_columns_build(&mesh, first, first, 0.25, 9, 9, &columns);
        assert_true(result_is_ok(&result));
        for (uint32_t j = 0; j < 9; j++) {
            for (uint32_t i = 0; i < 9; i++) {
                double reach = 1 - fabs(first + 0.25 * i) - fabs(first + 0.25 * j);
                uint64_t cuts = columns.begin[j * 9 + i + 1] - columns.begin[j * 9 + i];
                if (reach != 0)
                    assert_int_equal(cuts, reach > 0 ? 2 : 0);
                else
                    assert_true(cuts == 0 || cuts == 2);
                for (double z = -1.1; z < 1.2; z += 0.2) {
                    if (fabs(fabs(z) - reach) > 1e-9)
                        assert_int_equal(mesh_columns_inside(&columns, i, j, z), fabs(z) < reach);
                }
            }
        }
        mesh_columns_free(&columns);
    }
}

// The grid of distances around a mesh, two influence radii wider than it along each axis.
static void cells_of_a_mesh_are_counted_before_they_are_made(void **state)
{
    (void)state;
    scene_write("cube.obj", CUBE_OBJ, strlen(CUBE_OBJ));
    assert_scene_refused(
        "spacing: 0.1\nwater: [{box: {min: [8, 8, 8], max: [9, 9, 9]}}]\n"
        "obstacles: [{mesh: {file: cube.obj, scale: [1.5, 0.5, 3.5], cell: 0.002}}]\n",
        "solver.radius_factor=2.5",
        "scene.yaml:3:67: obstacles.0.mesh.cell: makes a grid of 1e+09 cells (at most 16777216; a "
        "larger cell)");
}

// From cut to cut as many as point by point: in a turned block, and in a cube whose faces lie on the lattice.
static void columns_count_as_many_points_as_are_inside(void **state)
{
    (void)state;
    scene_write("cube.obj", CUBE_OBJ, strlen(CUBE_OBJ));
    SceneDef scene = scene_from_text(
        "spacing: 0.1\nwater:\n"
        "- mesh: {file: cube.obj, scale: [2, 1, 3], rotation: [20, 30, 40], position: [1, 2, 3]}\n"
        "- mesh: {file: cube.obj, scale: 1, position: [9, 9, 9]}\n",
        NULL);
    for (uint32_t k = 0; k < 2; k++) {
        const TriangleMesh *mesh = &scene.water[k].mesh;
        const double z0 = mesh->bounds.lo.z, spacing = k == 0 ? 0.07 : 0.125;
        const uint32_t n[3] = {30, 31, 50}, begin = 3, end = 41;
        MeshColumns columns;
        Result result =
            mesh_columns_build(mesh, mesh->bounds.lo.x, mesh->bounds.lo.y, spacing, n[0], n[1], &columns);
        assert_true(result_is_ok(&result));
        uint64_t inside = 0, all = 0;
        for (uint32_t j = 0; j < n[1]; j++) {
            for (uint32_t i = 0; i < n[0]; i++) {
                uint64_t column = 0, part = 0;
                for (uint32_t z = 0; z < n[2]; z++) {
                    bool in = mesh_columns_inside(&columns, i, j, z0 + (z + 0.5) * spacing);
                    column += in;
                    part += in && z >= begin && z < end;
                }
                assert_int_equal(mesh_columns_count(&columns, i, j, z0, spacing, 0, n[2]), column);
                assert_int_equal(mesh_columns_count(&columns, i, j, z0, spacing, begin, end), part);
                inside += part;
                all += column;
            }
        }
        assert_true(inside > 100 && inside < all);
        mesh_columns_free(&columns);
    }
    scene_free(&scene);
}

static void places_in_or_near_obstacles_stay_empty(void **state)
{
    (void)state;
    SceneDef scene = scene_from_text("spacing: 0.1\ntank: {corner: [-3, -3, -3], size: [6, 6, 6]}\n"
                                     "water: [{box: {min: [-1, -1, -1], max: [1, 1, 1]}}]\n"
                                     "obstacles: [{sphere: {radius: 0.5}, position: [0.2, 0.1, 0]}]\n",
                                     NULL);
    Fluid *fluid = build(&scene);
    FrameView view = fluid_view(fluid);
    uint32_t expected = 0;
    for (int n = 0; n < 8000; n++) {
        double x = -0.95 + 0.1 * (n % 20), y = -0.95 + 0.1 * (n / 20 % 20), z = -0.95 + 0.1 * (n / 400);
        expected += hypot(hypot(x - 0.2, y - 0.1), z) >= 0.5495;
    }
    assert_int_equal(view.count, expected);
    for (uint32_t i = 0; i < view.count; i++)
        assert_true(vec3_length(vec3_sub(scene_position(&view, i), vec3_make(0.2f, 0.1f, 0))) > 0.549f);
    fluid_destroy(fluid);
    scene_free(&scene);
}

static void water_may_touch_walls_and_obstacles_without_losing_a_layer(void **state)
{
    (void)state;
    SceneDef scene = scene_from_text(
        "spacing: 0.1\ntank: {size: [3, 1, 1]}\nwater: [{box: {min: [0.7, 0, 0], max: [3, 1, 1]}}]\n"
        "obstacles: [{box: {size: [1, 2, 2]}, position: [0.2, 0.5, 0.5]}]\n",
        NULL);
    Fluid *fluid = build(&scene);
    assert_int_equal(fluid_view(fluid).count, 2300);
    fluid_destroy(fluid);
    scene_free(&scene);
}

static void everything_moves_from_scene_to_domain_coordinates_together(void **state)
{
    (void)state;
    SceneDef scene =
        scene_from_text("spacing: 0.1\ntank: {corner: [10, 20, 30], size: [4, 4, 4]}\n"
                        "water: [{box: {min: [10, 20, 30], max: [11, 21, 31]}}]\n"
                        "obstacles:\n- {sphere: {radius: 0.5}, position: [13, 23, 33]}\n"
                        "- {box: {size: [1, 1, 1]}, motion: {keyframes: [{time: 0, position: [12, 22, 32]},\n"
                        "    {time: 1, position: [12, 22, 33]}]}}\n",
                        NULL);
    Fluid *fluid = build(&scene);
    FrameView view = fluid_view(fluid);
    Vec3 ball = obstacles_pose(view.obstacles, 0).position, box = obstacles_pose(view.obstacles, 1).position;
    assert_true(vec3_length(vec3_sub(ball, vec3_make(3, 3, 3))) < 1e-5f);
    assert_true(vec3_length(vec3_sub(box, vec3_make(2, 2, 2))) < 1e-5f);
    assert_true(scene.obstacles[0].position.x == 13); // the scene itself is untouched
    Fluid *again = build(&scene);
    assert_true(fluid_state_hash(again) == fluid_state_hash(fluid));
    fluid_destroy(again);
    fluid_destroy(fluid);
    scene_free(&scene);
}

static void scenes_without_a_tank_start_at_their_lowest_water(void **state)
{
    (void)state;
    SceneDef scene = scene_from_text("water:\n- box: {min: [100, 0, -50], max: [101, 1, -49]}\n"
                                     "- sphere: {center: [105, -3, 0], radius: 1}\n",
                                     NULL);
    Fluid *fluid = build(&scene);
    Vec3 origin = fluid_view(fluid).origin;
    assert_true(origin.x == 100 && origin.y == -4 && origin.z == -50);
    fluid_destroy(fluid);
    scene_free(&scene);
}

static void mesh_obstacles_keep_water_out(void **state)
{
    (void)state;
    scene_write("cube.obj", CUBE_OBJ, strlen(CUBE_OBJ));
    SceneDef scene = scene_from_text("spacing: 0.1\nwater: [{box: {min: [-1, -1, -1], max: [2, 2, 2]}}]\n"
                                     "obstacles: [{mesh: {file: cube.obj}}]\n",
                                     NULL);
    Fluid *fluid = build(&scene);
    FrameView view = fluid_view(fluid);
    assert_in_range(view.count, 27000 - 12 * 12 * 12, 27000 - 1000);
    for (uint32_t i = 0; i < view.count; i++) {
        Vec3 p = scene_position(&view, i);
        float outside = fmaxf(fmaxf(fmaxf(-p.x, p.x - 1), fmaxf(-p.y, p.y - 1)), fmaxf(-p.z, p.z - 1));
        assert_true(outside > 0.04f);
    }
    fluid_destroy(fluid);
    scene_free(&scene);
}

static void more_particles_than_memory_holds_are_refused_before_anything_is_allocated(void **state)
{
    (void)state;
    SceneDef scene = scene_from_text("water: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n", "spacing=0.0008");
    if (memory_available() > 2000ull * 1000 * 1000 * 1000) skip();
    uint64_t peak = memory_peak_rss();
    Fluid *fluid;
    Result result = scene_build(&scene, &fluid);
    assert_null(fluid);
    assert_int_equal(result.code, RESULT_NO_MEMORY);
    assert_non_null(strstr(result.text, "scene: 1953125000 particles need "));
    assert_non_null(strstr(result.text, " GB are free (a larger --spacing needs less)"));
    assert_true(memory_peak_rss() - peak < 10000000);
    scene_free(&scene);
}

// The third would bring a sum of 64 bits back to 1.
static void emitters_that_pour_more_than_can_be_counted_are_refused(void **state)
{
    (void)state;
    SceneDef scene =
        scene_from_text("spacing: 1.0e-5\noutput: {duration: 1000, fps: 1}\nemitters:\n"
                        "- {rectangle: {width: 0.02, height: 0.02}, position: [0, 0, 0], speed: 1000}\n"
                        "- {rectangle: {width: 0.02, height: 0.02}, position: [0.1, 0, 0], speed: 1000}\n"
                        "- {rectangle: {width: 0.02, height: 0.02}, position: [0.2, 0, 0], speed: 1000,"
                        " volume: 3.0e-15}\n",
                        NULL);
    SceneCount count;
    Result result = scene_count(&scene, &count);
    assert_string_equal(result.text, "");
    assert_true(count.emitted > INT32_MAX);
    Fluid *fluid;
    result = scene_build(&scene, &fluid);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, "at most 2147483647"));
    assert_null(fluid);
    scene_free(&scene);
}

static void building_leaves_nothing_behind(void **state)
{
    (void)state;
    uint64_t before = memory_bytes_in_use();
    SceneOverride coarse = {"spacing", "0.2"};
    SceneDef scene;
    Result result = scene_read("scenes/fountain.yaml", &coarse, 1, &scene);
    assert_string_equal(result.text, "");
    fluid_destroy(build(&scene));
    scene_free(&scene);
    assert_int_equal(memory_bytes_in_use(), before);
}

// A nozzle pours for half a second, and the state is of its middle.
static void a_stored_start_takes_the_waters_place_and_only_what_is_poured_later_is_counted(void **state)
{
    (void)state;
    SceneDef scene = scene_from_text("spacing: 0.1\ntank: {size: [2, 1, 1]}\n"
                                     "water: [{box: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}}]\n"
                                     "emitters: [{disc: {radius: 0.2}, position: [1, 0.5, 0.9],"
                                     " rotation: [180, 0, 0], speed: 2, stop: 0.5}]\noutput: {duration: 1}\n",
                                     NULL);
    SceneCount whole, rest;
    StateBlocks blocks = {0};
    assert_true(scene_count(&scene, &whole).code == RESULT_OK);
    Fluid *fluid = build(&scene), *again;
    while (fluid_time(fluid) < 0.25) assert_true(fluid_step(fluid, 0.25, NULL).code == RESULT_OK);
    fluid_store(fluid, &blocks);
    assert_true(scene_start_from(&scene, &blocks, 7, "a.pbf").code == RESULT_OK);
    assert_int_equal(blocks.count, 0);
    assert_true(scene_build(&scene, &again).code == RESULT_OK);
    assert_true(fluid_state_hash(again) == fluid_state_hash(fluid));
    assert_true(scene_count(&scene, &rest).code == RESULT_OK);
    assert_int_equal(rest.initial, fluid_view(fluid).count);
    assert_true(rest.emitted > 0 && rest.emitted < whole.emitted);
    while (fluid_time(again) < 0.75) assert_true(fluid_step(again, 0.75, NULL).code == RESULT_OK);
    assert_int_equal(fluid_view(again).count, rest.initial + rest.emitted);
    fluid_destroy(again);
    scene.fluid.spacing = 0.2f; // the state fits no other
    Result result = scene_build(&scene, &again);
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, "a.pbf: spacing: "));
    fluid_destroy(fluid);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_filled_with_layers_half_a_spacing_from_their_lower_corner),
        cmocka_unit_test(whole_numbers_of_layers_survive_rounding),
        cmocka_unit_test(layers_that_do_not_fit_are_left_out_and_nothing_reaches_beyond_the_box),
        cmocka_unit_test(balls_of_any_size_are_counted_as_they_are_filled),
        cmocka_unit_test(balls_have_the_volume_and_the_centre_that_the_scene_says),
        cmocka_unit_test(an_upright_cube_of_a_mesh_holds_what_the_box_holds),
        cmocka_unit_test(a_turned_cube_of_a_mesh_is_filled_inside_and_only_there),
        cmocka_unit_test(columns_through_vertices_and_edges_enter_and_leave_a_mesh_once),
        cmocka_unit_test(cells_of_a_mesh_are_counted_before_they_are_made),
        cmocka_unit_test(columns_count_as_many_points_as_are_inside),
        cmocka_unit_test(places_in_or_near_obstacles_stay_empty),
        cmocka_unit_test(water_may_touch_walls_and_obstacles_without_losing_a_layer),
        cmocka_unit_test(everything_moves_from_scene_to_domain_coordinates_together),
        cmocka_unit_test(scenes_without_a_tank_start_at_their_lowest_water),
        cmocka_unit_test(mesh_obstacles_keep_water_out),
        cmocka_unit_test(more_particles_than_memory_holds_are_refused_before_anything_is_allocated),
        cmocka_unit_test(emitters_that_pour_more_than_can_be_counted_are_refused),
        cmocka_unit_test(building_leaves_nothing_behind),
        cmocka_unit_test(a_stored_start_takes_the_waters_place_and_only_what_is_poured_later_is_counted),
    };
    return cmocka_run_group_tests_name("scene_build", tests, scene_folder_make, scene_folder_remove);
}
