// Settings written into a scene's text: it means what it did with them beside it, and looks as it did.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"
#include "scene/scene_edit.h"

typedef struct Case {
    const char *before, *key, *value, *after; // after: NULL for an error
} Case;

static const Case cases[] = {
    {"spacing: 0.1 # m\ntank: {size: [1, 2, 3]}\n", "spacing", "0.05",
     "spacing: 0.05 # m\ntank: {size: [1, 2, 3]}\n"},
    {"solver:\n  # why three\n  iterations: 3   # few\n  xsph: 0.1\n", "solver.iterations", "20",
     "solver:\n  # why three\n  iterations: 20   # few\n  xsph: 0.1\n"},
    {"fluid: {viscosity: 1e-6, gravity: [0, 0, -9.81]} # earth\n", "fluid.gravity", "[0, 0, -1.62]",
     "fluid: {viscosity: 1e-6, gravity: [0, 0, -1.62]} # earth\n"},
    {"fluid: {viscosity: 1e-6, gravity: [0, 0, -9.81]}\n", "fluid.viscosity", "0.5",
     "fluid: {viscosity: 0.5, gravity: [0, 0, -9.81]}\n"},
    {"output: {range: auto, fps: 30}\n", "output.range", "[0, 8]", "output: {range: [0, 8], fps: 30}\n"},
    {"output:\n  range: [0, 8] # m/s\n", "output.range", "auto", "output:\n  range: auto # m/s\n"},
    {"name: \"a: b # c\" # d\n", "name", "e", "name: e # d\n"},
    {"name: \"ab\" # \"\n", "name", "e", "name: e # \"\n"},
    {"name: \"a\\\"\" # \"\n", "name", "e", "name: e # \"\n"},
    {"name: 'a\\' # '\n", "name", "e", "name: e # '\n"},
    {"name: 'it''s' # '\n", "name", "e", "name: e # '\n"},
    {"name: \"a\n  b\" # c\n", "name", "e", "name: e # c\n"},
    {"spacing: 0.1\r\nname: x\r\n", "spacing", "0.2", "spacing: 0.2\r\nname: x\r\n"},
    {"\xc3\xa4: {\xc3\xbc: 1, b: 2}\n", "\xc3\xa4.b", "3", "\xc3\xa4: {\xc3\xbc: 1, b: 3}\n"},
    // New keys.
    {"solver:\n  # first\n  xsph: 0.1\nspacing: 1\n", "solver.cfl", "0.4",
     "solver:\n  # first\n  cfl: 0.4\n  xsph: 0.1\nspacing: 1\n"},
    {"tank: {size: [1, 1, 1]}\n", "tank.friction", "0.5", "tank: {friction: 0.5, size: [1, 1, 1]}\n"},
    {"whitewater: {}\n", "whitewater.enabled", "true", "whitewater: {enabled: true}\n"},
    {"spacing: 1\n", "fluid.gravity", "[0, 0, -9]", "spacing: 1\nfluid:\n  gravity: [0, 0, -9]\n"},
    {"spacing: 1", "name", "x", "spacing: 1\nname: x\n"},
    {"a: {b: 1}\n", "a.c.d", "2", "a: {c: {d: 2}, b: 1}\n"},
    // Items of lists.
    {"water: # w\n  - box: {min: [0, 0, 0]} # a\n  - sphere:\n      radius: 2\n", "water.1.sphere.radius",
     "3", "water: # w\n  - box: {min: [0, 0, 0]} # a\n  - sphere:\n      radius: 3\n"},
    {"a:\n  - b: 1\n    # why\n    c: 2 # c\n# next\nd: 3\n", "a.0.e.f", "5",
     "a:\n  - b: 1\n    # why\n    c: 2 # c\n    e:\n      f: 5\n# next\nd: 3\n"},
    {"a:\n- b: 1\n\n# next\nd: 3\n", "a.1", "{b: 2}", "a:\n- b: 1\n- {b: 2}\n\n# next\nd: 3\n"},
    {"a:\n  - {b: 1, c: 2} # c", "a.1", "{b: 2}", "a:\n  - {b: 1, c: 2} # c\n  - {b: 2}\n"},
    {"a: [{b: 1}, {b: 2}] # c\n", "a.2", "{b: 3}", "a: [{b: 1}, {b: 2}, {b: 3}] # c\n"},
    {"a: []\nb: 1\n", "a.0", "{b: 3}", "a: [{b: 3}]\nb: 1\n"},
    {"b: 1\n", "a.0", "{b: 3}", "b: 1\na:\n  - {b: 3}\n"},
    {"a: [{b: 1}]\n", "a.0.c", "3", "a: [{b: 1, c: 3}]\n"},
    {"a: &l\n  - {b: 1}\nc: *l\n", "a.0.b", "4", NULL},
    // What cannot be written without a change of more than the value.
    {"description: |\n  two\n  lines\n", "description", "x", NULL},
    {"a: &n 3\nb: *n\n", "b", "4", NULL},
    {"a: &n 3\nb: *n\n", "a", "4", NULL},
    {"spacing: 1\n...\n", "name", "x", NULL},
    {"gravity:\n  - 0\n  - 1\n", "gravity", "[0, 2]", NULL},
};

static void a_value_is_replaced_where_it_stands(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *text;
        SceneSource source;
        const Case *test = &cases[k];
        const char *before = test->before;
        assert_string_equal(scene_source_from_text("a.yaml", before, strlen(before), &source).text, "");
        assert_string_equal(scene_source_set(&source, &(SceneOverride){test->key, test->value}, 1).text, "");
        Result result = scene_edited_text(&source, &text);
        if (test->after) {
            assert_string_equal(result.text, "");
            assert_string_equal(text, test->after);
        } else {
            assert_int_equal(result.code, RESULT_USAGE);
            assert_null(text);
        }
        memory_free(text);
        scene_source_free(&source);
    }
}

typedef struct ItemCase {
    const char *before;
    uint32_t index;
    const char *without, *repeated; // NULL for an error
} ItemCase;

static const ItemCase item_cases[] = {
    {"a:\n  # one\n  - b: 1 # x\n    c: 2\n\n  # two\n  - b: 2\nd: 1\n", 0,
     "a:\n  # one\n\n  # two\n  - b: 2\nd: 1\n",
     "a:\n  # one\n  - b: 1 # x\n    c: 2\n  - b: 1 # x\n    c: 2\n\n  # two\n  - b: 2\nd: 1\n"},
    {"a:\n  - b: 1\n  - b: 2 # end", 1, "a:\n  - b: 1\n", "a:\n  - b: 1\n  - b: 2 # end\n  - b: 2 # end"},
    {"a: # all\n  - b: 1\nc: 2\n", 0, "a: [] # all\nc: 2\n", "a: # all\n  - b: 1\n  - b: 1\nc: 2\n"},
    {"a: [{b: 1}, {b: \"],\"}, {b: 3}]\n", 1, "a: [{b: 1}, {b: 3}]\n",
     "a: [{b: 1}, {b: \"],\"}, {b: \"],\"}, {b: 3}]\n"},
    {"a: [{b: 1}, {b: \"\\\"],\"}, {b: ']'}]\n", 1, "a: [{b: 1}, {b: ']'}]\n",
     "a: [{b: 1}, {b: \"\\\"],\"}, {b: \"\\\"],\"}, {b: ']'}]\n"},
    {"a: [{b: 1}, {b: 2}]\n", 1, "a: [{b: 1}]\n", "a: [{b: 1}, {b: 2}, {b: 2}]\n"},
    {"a: [{b: 1}]\n", 0, "a: []\n", "a: [{b: 1}, {b: 1}]\n"},
    {"a:\n  - b: &n 1\n  - b: *n\n", 0, NULL, "a:\n  - b: &n 1\n  - b: &n 1\n  - b: *n\n"},
    {"a:\n  - b: 1\n", 1, NULL, NULL},
    {"b:\n  - b: 1\n", 0, NULL, NULL},
};

static void an_item_is_taken_out_or_repeated_with_its_comments(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof item_cases / sizeof *item_cases; k++) {
        const ItemCase *test = &item_cases[k];
        SceneSource source;
        assert_string_equal(
            scene_source_from_text("a.yaml", test->before, strlen(test->before), &source).text, "");
        for (int repeat = 0; repeat < 2; repeat++) {
            char *text;
            const char *wanted = repeat ? test->repeated : test->without;
            Result result = scene_item_text(&source, "a", test->index, repeat, &text);
            assert_string_equal(wanted ? result.text : "", "");
            assert_int_equal(result.code, wanted ? RESULT_OK : RESULT_USAGE);
            if (wanted) assert_string_equal(text, wanted);
            if (!wanted) assert_null(text);
            memory_free(text);
        }
        scene_source_free(&source);
    }
}

static Result none(const char *key, const char *a, const char *b, void *context)
{
    (void)a, (void)b, (void)context;
    return result_error(RESULT_USAGE, "%s differs", key);
}

// Every scene of the program, with several settings at once.
static void examples_keep_all_their_comments(void **state)
{
    static const char *const names[] = {"dam_break", "wave",           "plates",
                                        "cylinders", "falling_chunks", "harbor"};
    static const SceneOverride set[] = {{"spacing", "0.31"},
                                        {"solver.iterations", "7"},
                                        {"camera.eye", "[1, 2, 3]"},
                                        {"camera.target", "[0, 0, 0]"},
                                        {"output.color_by", "density"},
                                        {"spacing", "0.3"}};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[100], *text;
        SceneSource source, again;
        snprintf(path, sizeof path, "scenes/%s.yaml", names[k]);
        assert_string_equal(scene_source_read(path, &source).text, "");
        assert_string_equal(scene_source_set(&source, set, sizeof set / sizeof *set).text, "");
        assert_string_equal(scene_edited_text(&source, &text).text, "");
        assert_string_equal(scene_source_from_text(path, text, strlen(text), &again).text, "");
        assert_string_equal(scene_source_compare(&source, &again, none, NULL).text, "");
        size_t hashes[2] = {0, 0};
        for (const char *at = source.text; *at; at++) hashes[0] += *at == '#';
        for (const char *at = text; *at; at++) hashes[1] += *at == '#';
        assert_int_equal(hashes[0], hashes[1]);
        memory_free(text);
        scene_source_free(&source);
        scene_source_free(&again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_replaced_where_it_stands),
        cmocka_unit_test(an_item_is_taken_out_or_repeated_with_its_comments),
        cmocka_unit_test(examples_keep_all_their_comments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
