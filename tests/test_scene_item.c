// Things of a scene changed in memory and written into its text: the file is as a person would write it, and
// reads as the scene that was meant.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"
#include "scene/scene_edit.h"
#include "scene/scene_item.h"

static const char BEFORE[] = "spacing: 0.1\n"
                             "tank: {size: [8, 8, 8]}\n"
                             "water: # all of it\n"
                             "  - box: {min: [0, 0, 0], max: [2, 2, 2]} # a cube\n"
                             "  - sphere: {center: [5, 5, 5], radius: 1}\n"
                             "obstacles:\n"
                             "  - name: bar # of iron\n"
                             "    box: {size: [1, 2, 3]}\n"
                             "    position: [4, 4, 4]\n"
                             "  - cylinder: {radius: 0.5, height: 2}\n"
                             "    position: [6, 2, 2]\n"
                             "    rotation: [90, 0, 0]\n"
                             "emitters:\n"
                             "  - {name: jet, disc: {radius: 0.4}, position: [1, 1, 7], speed: 2}\n"
                             "camera: {eye: [20, -19, 11], target: [4, 2, 5.6], fov: 34} # from the left\n";

// What a person would write for the changes below.
static const char AFTER[] = "spacing: 0.1\n"
                            "tank: {size: [8, 8, 8]}\n"
                            "water: # all of it\n"
                            "  - box: {min: [0, 0, 0], max: [2.5, 2, 2]} # a cube\n"
                            "  - sphere: {center: [5, 5, 6], radius: 1.5}\n"
                            "obstacles:\n"
                            "  - name: \"a: bar\" # of iron\n"
                            "    box: {size: [1, 2, 4]}\n"
                            "    position: [4.5, 4, 4]\n"
                            "    rotation: [0, 0, 90]\n"
                            "  - cylinder: {radius: 0.25, height: 3}\n"
                            "    position: [6, 2, 2]\n"
                            "    rotation: [90, 0, 0]\n"
                            "emitters:\n"
                            "  - {name: jet, disc: {radius: 0.4}, position: [1, 1, 6.5], speed: 2.5}\n"
                            "camera: {eye: [20, -19, 12], target: [4, 2, 5.6], fov: 34} # from the left\n";

enum { BOX, BALL, BAR, CYLINDER, JET, EYE, TARGET, THINGS };

static void change(SceneItem *items)
{
    scene_item_scale(&items[BOX], 0, 1, 1.46f, 0.5f); // 0.46 m further, on a grid of 0.5 m
    scene_item_move(&items[BALL], vec3_make(0, 0, 1));
    scene_item_scale(&items[BALL], 1, -1, 1.5f, 0);
    strcpy(items[BAR].def.obstacle.def.name, "a: bar");
    scene_item_move(&items[BAR], vec3_make(0.5f, 0, 0));
    scene_item_scale(&items[BAR], 2, 1, 2, 0);
    scene_item_turn(&items[BAR], vec3_make(0, 0, 90));
    scene_item_scale(&items[CYLINDER], 1, 1, 0.25f, 0);
    scene_item_scale(&items[CYLINDER], 2, 1, 1.5f, 0);
    scene_item_move(&items[JET], vec3_make(0, 0, -0.5f));
    items[JET].def.emitter.speed = 2.5f;
    scene_item_move(&items[EYE], vec3_make(0, 0, 1));
}

static void changes_are_written_as_a_person_would(void **state)
{
    (void)state;
    SceneItem *items, *changed;
    uint32_t count, differ, all = 0;
    char *text;
    SceneSource source;
    SceneDef scene;
    assert_string_equal(scene_source_from_text("a.yaml", BEFORE, strlen(BEFORE), &source).text, "");
    assert_string_equal(scene_items_read(&source, &items, &count).text, "");
    assert_string_equal(scene_items_read(&source, &changed, &count).text, "");
    assert_int_equal(count, THINGS);
    change(changed);
    for (uint32_t k = 0; k < count; k++) {
        assert_string_equal(scene_item_set(&items[k], &changed[k], &source, &differ).text, "");
        all += differ;
    }
    assert_int_equal(all, 12);
    assert_string_equal(scene_edited_text(&source, &text).text, "");
    assert_string_equal(text, AFTER);
    scene_source_free(&source);
    // And the scene is that of the file.
    assert_string_equal(scene_source_from_text("a.yaml", text, strlen(text), &source).text, "");
    assert_string_equal(scene_read_source(&source, &scene).text, "");
    assert_true(scene.water[0].hi.x == 2.5f && scene.water[1].radius == 1.5f && scene.water[1].center.z == 6);
    assert_true(scene.obstacles[0].shape.half_extent.z == 2 && scene.obstacles[0].rotation.z == 90);
    assert_true(scene.obstacles[1].shape.radius == 0.25f && scene.obstacles[1].shape.half_height == 1.5f);
    assert_true(scene.emitters[0].position.z == 6.5f && scene.output.render.camera.eye.z == 12);
    scene_free(&scene);
    memory_free(text);
    memory_free(items);
    memory_free(changed);
}

static void a_thing_stands_where_its_keys_say(void **state)
{
    (void)state;
    SceneItem *items;
    uint32_t count;
    char name[80];
    SceneSource source;
    assert_string_equal(scene_source_from_text("a.yaml", BEFORE, strlen(BEFORE), &source).text, "");
    assert_string_equal(scene_items_read(&source, &items, &count).text, "");
    ItemPlace place = scene_item_place(&items[BOX]);
    assert_true(place.shape == ITEM_BOX && place.center.x == 1 && place.half.y == 1 && !place.turns);
    place = scene_item_place(&items[BAR]);
    assert_true(place.half.x == 0.5f && place.half.y == 1 && place.half.z == 1.5f && place.turns);
    place = scene_item_place(&items[CYLINDER]);
    assert_true(place.shape == ITEM_CYLINDER && place.half.x == 0.5f && place.half.z == 1);
    // Turned by 90 degrees about x, its own z points to -y.
    assert_true(fabsf(mat3_apply(place.rotation, vec3_make(0, 0, 1)).y + 1) < 1e-6f);
    place = scene_item_place(&items[JET]);
    assert_true(place.half.x == 0.4f && place.half.z == 0 && !place.scales[2] && place.scales[1]);
    place = scene_item_place(&items[TARGET]);
    assert_true(place.shape == ITEM_POINT && place.center.x == 4 && place.center.z == 5.6f);
    scene_item_name(&items[BAR], name, sizeof name);
    assert_string_equal(name, "obstacle 1: bar");
    scene_item_name(&items[BALL], name, sizeof name);
    assert_string_equal(name, "water 2: sphere");
    assert_null(scene_item_row(&items[BALL], "box.min"));
    assert_non_null(scene_item_row(&items[BALL], "sphere.radius"));
    assert_null(scene_item_row(&items[BAR], "motion.oscillation.period"));
    memory_free(items);
    scene_source_free(&source);
}

// A side does not pass the other one.
static void a_box_cannot_be_turned_inside_out(void **state)
{
    (void)state;
    SceneItem *items;
    uint32_t count;
    SceneSource source;
    assert_string_equal(scene_source_from_text("a.yaml", BEFORE, strlen(BEFORE), &source).text, "");
    assert_string_equal(scene_items_read(&source, &items, &count).text, "");
    scene_item_scale(&items[BOX], 2, -1, 0.25f, 0);
    ItemPlace place = scene_item_place(&items[BOX]);
    assert_true(place.center.z == 1.375f && place.half.z == 0.625f);
    scene_item_scale(&items[BOX], 2, -1, 0.0625f, 2);
    place = scene_item_place(&items[BOX]);
    assert_true(place.center.z == 1.375f && place.half.z == 0.625f);
    memory_free(items);
    scene_source_free(&source);
}

// Every thing of every scene of the program, moved and put back: the text is the old one.
static void things_of_all_scenes_are_moved_and_put_back(void **state)
{
    static const char *const names[] = {"dam_break", "plates", "cylinders", "fountain", "harbor",
                                        "mixer",     "glass",  "hair",      "honey",    "lighthouse"};
    (void)state;
    uint32_t moved = 0;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char path[100], *text;
        SceneItem *items;
        uint32_t count, changed;
        SceneSource source;
        snprintf(path, sizeof path, "scenes/%s.yaml", names[n]);
        assert_string_equal(scene_source_read(path, &source).text, "");
        assert_string_equal(scene_items_read(&source, &items, &count).text, "");
        assert_true(count >= 3);
        for (uint32_t k = 0; k < count; k++) {
            SceneItem there = items[k];
            if (!there.placed) continue;
            ItemPlace before = scene_item_place(&there);
            scene_item_move(&there, vec3_make(1, -2, 3));
            ItemPlace place = scene_item_place(&there);
            assert_true(vec3_length(vec3_sub(vec3_sub(place.center, before.center), vec3_make(1, -2, 3))) <
                        1e-5f);
            assert_string_equal(scene_item_set(&items[k], &there, &source, &changed).text, "");
            assert_true(changed == 1 || (changed == 2 && before.shape == ITEM_BOX));
            assert_string_equal(scene_item_set(&there, &items[k], &source, &changed).text, "");
            moved++;
        }
        Result result = scene_edited_text(&source, &text);
        assert_string_equal(result.text, "");
        memory_free(text);
        memory_free(items);
        scene_source_free(&source);
    }
    assert_true(moved > 40);
}

static void a_thing_that_makes_no_sense_is_named_with_its_file(void **state)
{
    (void)state;
    const char *text = "water: [{box: {min: [0, 0], max: [1, 1, 1]}}]\n";
    SceneItem *items;
    uint32_t count;
    SceneSource source;
    assert_string_equal(scene_source_from_text("folder/pool.yaml", text, strlen(text), &source).text, "");
    assert_string_equal(scene_items_read(&source, &items, &count).text,
                        "folder/pool.yaml:1:21: water.0.box.min: must be a list of 3 numbers, found 2");
    assert_null(items);
    assert_int_equal(count, 0);
    scene_source_free(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_written_as_a_person_would),
        cmocka_unit_test(a_thing_stands_where_its_keys_say),
        cmocka_unit_test(a_thing_that_makes_no_sense_is_named_with_its_file),
        cmocka_unit_test(a_box_cannot_be_turned_inside_out),
        cmocka_unit_test(things_of_all_scenes_are_moved_and_put_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
