// What a scene is read from: kept whole, packed, compared.
#include "scene_helpers.h"

#include "core/memory.h"
#include "fluid_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WITH_MESH                                                                                            \
    "spacing: 0.1\n"                                                                                         \
    "tank: {size: [3, 3, 3]}\n"                                                                              \
    "water: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n"                                                     \
    "obstacles: [{mesh: {file: cube.obj}, position: [2, 2, 1]}]\n"

static SceneSource copy_of(const SceneSource *source)
{
    char *bytes;
    size_t size;
    SceneSource copy;
    ASSERT_OK(scene_source_pack(source, &bytes, &size));
    ASSERT_OK(scene_source_unpack(bytes, size, &copy));
    memory_free(bytes);
    return copy;
}

static void a_packed_scene_is_read_again_without_its_files(void **state)
{
    (void)state;
    char mesh[200];
    snprintf(mesh, sizeof mesh, "%s", scene_write("cube.obj", CUBE_OBJ, strlen(CUBE_OBJ)));
    SceneDef first = scene_from_text(WITH_MESH, "solver.iterations=7"), second;
    SceneSource copy = copy_of(&first.source);
    unlink(mesh);
    ASSERT_OK(scene_read_source(&copy, &second));
    assert_int_equal(second.fluid.iterations, 7);
    assert_string_equal(second.source.path, first.source.path);
    assert_int_equal(second.obstacles[0].shape.mesh.triangle_count, 12);
    assert_memory_equal(second.obstacles[0].shape.mesh.vertices, first.obstacles[0].shape.mesh.vertices,
                        first.obstacles[0].shape.mesh.vertex_count * sizeof(Vec3));
    scene_free(&first);
    scene_free(&second);
}

static void bytes_that_are_no_packed_scene_are_refused(void **state)
{
    (void)state;
    scene_write("cube.obj", CUBE_OBJ, strlen(CUBE_OBJ));
    SceneDef scene = scene_from_text(WITH_MESH, "solver.iterations=7");
    uint64_t in_use = memory_bytes_in_use();
    char *bytes;
    size_t size;
    SceneSource copy;
    ASSERT_OK(scene_source_pack(&scene.source, &bytes, &size));
    for (size_t cut = 0; cut < size; cut++) {
        // A cut between two records leaves a source with less in it.
        Result result = scene_source_unpack(bytes, cut, &copy);
        assert_true(result_is_ok(&result) || result.code == RESULT_USAGE);
        if (result_is_ok(&result)) assert_true(copy.override_count + copy.file_count < 2);
        scene_source_free(&copy);
    }
    for (int k = 1; k < 17; k++) { // lengths that pass the end
        char kept = bytes[k];
        bytes[k] = (char)0xff;
        Result result = scene_source_unpack(bytes, size, &copy);
        assert_int_equal(result.code, RESULT_USAGE);
        bytes[k] = kept;
    }
    memory_free(bytes);
    assert_int_equal(memory_bytes_in_use(), in_use);
    scene_free(&scene);
}

// --- differences ---

typedef struct Found {
    char text[1000];
} Found;

static Result note(const char *key, const char *a, const char *b, void *context)
{
    Found *found = context;
    size_t used = strlen(found->text);
    snprintf(found->text + used, sizeof found->text - used, "%s: %s -> %s\n", key, a, b);
    return result_ok();
}

static void assert_differences(const char *a, const char *set_a, const char *b, const char *set_b,
                               const char *expected)
{
    SceneDef first = scene_from_text(a, set_a);
    SceneSource kept = copy_of(&first.source);
    SceneDef second = scene_from_text(b, set_b);
    Found found = {""};
    ASSERT_OK(scene_source_compare(&kept, &second.source, note, &found));
    assert_string_equal(found.text, expected);
    scene_source_free(&kept);
    scene_free(&first);
    scene_free(&second);
}

#define DROP "spacing: 0.1\nwater: [{sphere: {center: [0, 0, 1], radius: 0.5}}]\n"

static void scenes_that_say_the_same_do_not_differ(void **state)
{
    (void)state;
    assert_differences(DROP, NULL, DROP, NULL, "");
    assert_differences(
        DROP, NULL, "# a comment\nwater:\n  - sphere: {radius: 5e-1, center: [0, 0.0, 1]}\nspacing: 0.10\n",
        NULL, "");
    assert_differences(DROP, "spacing=0.2",
                       "spacing: 0.2\nwater: [{sphere: {center: [0, 0, 1], radius: 0.5}}]\n", NULL, "");
}

static void differences_are_named_by_key(void **state)
{
    (void)state;
    assert_differences(DROP, "solver.iterations=4", DROP, "solver.iterations=5",
                       "solver.iterations: 4 -> 5\n");
    assert_differences(DROP, NULL, DROP, "solver.iterations=5", "solver.iterations: not given -> 5\n");
    assert_differences(DROP, "fluid={viscosity: 0.3, gravity: [0, 0, -1]}", DROP, "fluid.viscosity=0.2",
                       "fluid.viscosity: 0.3 -> 0.2\nfluid.gravity: [0, 0, -1] -> not given\n");
    assert_differences(DROP, NULL, DROP, "water.0.sphere.radius=0.6", "water.0.sphere.radius: 0.5 -> 0.6\n");
    // A long value ends in dots where it is cut.
    assert_differences(
        DROP, NULL, DROP,
        "water=[{sphere: {center: [0, 0, 1], radius: 0.5}}, {sphere: {center: [2, 0, 1], radius: 0.5}}, "
        "{sphere: {center: [4, 0, 1], radius: 0.5}}, {sphere: {center: [6, 0, 1], radius: 0.5}}]",
        "water: [{sphere: {center: [0, 0, 1], radius: 0.5}}] -> [{sphere: {center: [0, 0, 1], radius: 0.5}}, "
        "{sphere: {center: [2, 0, 1], ra...\n");
}

static void a_mesh_that_was_changed_is_a_difference(void **state)
{
    (void)state;
    scene_write("cube.obj", CUBE_OBJ, strlen(CUBE_OBJ));
    SceneDef first = scene_from_text(WITH_MESH, NULL);
    char other[2000];
    snprintf(other, sizeof other, "# longer\n%s", CUBE_OBJ);
    scene_write("cube.obj", other, strlen(other));
    SceneDef second = scene_from_text(WITH_MESH, NULL);
    Found found = {""};
    ASSERT_OK(scene_source_compare(&first.source, &second.source, note, &found));
    assert_non_null(strstr(found.text, "cube.obj: "));
    scene_free(&first);
    scene_free(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packed_scene_is_read_again_without_its_files),
        cmocka_unit_test(bytes_that_are_no_packed_scene_are_refused),
        cmocka_unit_test(scenes_that_say_the_same_do_not_differ),
        cmocka_unit_test(differences_are_named_by_key),
        cmocka_unit_test(a_mesh_that_was_changed_is_a_difference),
    };
    return cmocka_run_group_tests_name("sources of scenes", tests, scene_folder_make, scene_folder_remove);
}
