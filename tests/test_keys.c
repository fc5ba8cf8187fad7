// Every key of scenes, row by row: no door takes a value that its row does not allow, and the page about the
// keys says what the rows say.
#include "command/help_keys.h"
#include "fluid/fluid_params.h"
#include "fluid_helpers.h"
#include "render/render_params.h"
#include "scene/scene_schema.h"
#include "scene_helpers.h"
#include "surface/surface.h"
#include "surface/surface_params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOX "water:\n  - box: {min: [0, 0, 0], max: [1, 1, 1]}\n"
#define TANK "size: [9, 9, 9]"

static bool is_number(const ParamRow *row)
{
    return row->kind == PARAM_FLOAT || row->kind == PARAM_DOUBLE || row->kind == PARAM_COUNT;
}

// Values that a row of numbers does not allow: below, above, and what is not finite. The number of
// them.
static uint32_t bad_values(const ParamRow *row, double values[5])
{
    uint32_t count = 0;
    bool whole = row->kind == PARAM_COUNT;
    double below = row->above_lo ? row->lo : whole ? row->lo - 1 : row->lo - 1e-3 * (1 + fabs(row->lo));
    double above = whole ? row->hi + 1 : row->hi + 1e-3 * (1 + fabs(row->hi));
    bool zero = row->word && below == 0; // what the word is stored as
    if (!zero && !(whole && row->lo == 0)) values[count++] = below;
    if (!(whole && above > UINT32_MAX)) values[count++] = above;
    if (whole) return count;
    values[count++] = NAN;
    values[count++] = INFINITY;
    values[count++] = -INFINITY;
    return count;
}

// --- structs ---

static void expect_key(const char *door, Result result, const ParamRow *row)
{
    if (result.code != RESULT_USAGE) fail_msg("%s takes a wrong %s", door, row->key);
    size_t length = strlen(row->key);
    if (strncmp(result.text, row->key, length) != 0 || result.text[length] != ':')
        fail_msg("%s: \"%s\" does not begin with %s", door, result.text, row->key);
}

static void expect_fluid_refused(Fluid *fluid, const FluidDef *def, const ParamRow *row)
{
    Obstacles *obstacles;
    Fluid *none;
    ASSERT_OK(obstacles_create((TankDef){0}, 0, NULL, 0, &obstacles));
    expect_key("fluid_create", fluid_create(def, obstacles, NULL, 0, NULL, 0, &none), row);
    assert_null(none);
    obstacles_destroy(obstacles);
    expect_key("fluid_change", fluid_change(fluid, def), row);
}

static void fluids_take_no_value_that_a_row_forbids(void **state)
{
    (void)state;
    const FluidDef good = fluid_def_default();
    Fluid *fluid = fluid_for_test(&good, vec3_make(1, 1, 1), NULL, 0);
    uint32_t tried = 0;
    for (const ParamRow *row = FLUID_ROWS; row->key; row++) {
        FluidDef def = good;
        char *member = (char *)&def + row->offset;
        double values[5];
        uint32_t count = is_number(row) ? bad_values(row, values) : 0;
        for (uint32_t k = 0; k < count * (row->length > 0 ? row->length : 1); k++) {
            def = good;
            param_set(row, member, k / count, values[k % count]);
            expect_fluid_refused(fluid, &def, row);
        }
        if (row->kind == PARAM_CHOICE) *(int *)(void *)member = 99;
        if (row->kind == PARAM_TEXT) snprintf(member, row->size, "octre");
        if (row->kind == PARAM_CHOICE || row->kind == PARAM_TEXT) expect_fluid_refused(fluid, &def, row);
        tried += row->kind != PARAM_SECTION;
    }
    assert_true(tried >= 20);
    fluid_fill_lattice(fluid, vec3_make(0, 0, 0), 3, 3, 3, 0, vec3_make(0, 0, 0));
    ASSERT_OK(fluid_step(fluid, 1, NULL)); // nothing of it was taken
    fluid_destroy(fluid);
}

static void fluids_take_what_the_rows_allow_up_to_their_ends(void **state)
{
    (void)state;
    for (const ParamRow *row = FLUID_ROWS; row->key; row++) {
        bool kept = strcmp(row->key, "spacing") == 0 || strcmp(row->key, "solver.radius_factor") == 0;
        for (int end = 0; end < 2 && is_number(row) && !kept; end++) {
            FluidDef def = fluid_def_default();
            Fluid *fluid = fluid_for_test(&def, vec3_make(1, 1, 1), NULL, 0);
            double value = end ? row->hi : row->above_lo ? row->lo + 1e-6 : row->lo;
            param_set(row, (char *)&def + row->offset, 0, value);
            ASSERT_OK(fluid_change(fluid, &def));
            fluid_destroy(fluid);
        }
    }
}

static void calls_that_a_fluid_cannot_follow_are_refused(void **state)
{
    (void)state;
    FluidDef def = fluid_def_default();
    Fluid *none, *fluid = fluid_for_test(&def, vec3_make(1, 1, 1), NULL, 0);
    assert_int_equal(fluid_create(&def, NULL, NULL, 0, NULL, 0, &none).code, RESULT_USAGE);
    ASSERT_OK(fluid_step(fluid, 0.5, NULL));
    uint64_t hash = fluid_state_hash(fluid);
    double time = fluid_time(fluid);
    const double past[] = {time, 0, -1, NAN, -INFINITY};
    for (size_t k = 0; k < sizeof past / sizeof *past; k++)
        assert_int_equal(fluid_step(fluid, past[k], NULL).code, RESULT_USAGE);
    def.spacing = 0.2f;
    assert_int_equal(fluid_change(fluid, &def).code, RESULT_USAGE);
    def = fluid_def_default(), def.radius_factor = 3;
    assert_int_equal(fluid_change(fluid, &def).code, RESULT_USAGE);
    def = fluid_def_default(), def.origin.y = NAN;
    assert_int_equal(fluid_change(fluid, &def).code, RESULT_USAGE);
    assert_true(fluid_time(fluid) == time && fluid_state_hash(fluid) == hash);
    fluid_destroy(fluid);
}

static void surfaces_take_no_value_that_a_row_forbids(void **state)
{
    (void)state;
    const float zero[1] = {0};
    const SurfacePoints point = {.x = zero, .y = zero, .z = zero, .count = 1};
    for (const ParamRow *row = SURFACE_ROWS; row->key; row++) {
        double values[5];
        uint32_t count = is_number(row) ? bad_values(row, values) : 0;
        for (uint32_t k = 0; k < count; k++) {
            SurfaceDef def = surface_def_default(1);
            SurfaceMesh mesh;
            param_set(row, (char *)&def + row->offset, 0, values[k]);
            expect_key("surface_reconstruct", surface_reconstruct(&def, point, &mesh), row);
        }
    }
}

// --- texts ---

// "a.b: v" as {a: {b: v}}, without the outer braces.
static void write_nested(const char *key, const char *value, char *out, size_t size)
{
    size_t used = 0, depth = 0;
    for (const char *dot; (dot = strchr(key, '.')); key = dot + 1, depth++)
        used += (size_t)snprintf(out + used, size - used, "%.*s: {", (int)(dot - key), key);
    used += (size_t)snprintf(out + used, size - used, "%s: %s", key, value);
    while (depth-- > 0) used += (size_t)snprintf(out + used, size - used, "}");
}

// The value is refused in a file and in --set, and the message names the key.
static void expect_text_refused(const ParamRow *row, const char *value)
{
    char text[400], nested[200], set[200], whole[200];
    bool tank =
        strncmp(row->key, "tank.", 5) == 0 && strcmp(row->key, "tank.size") != 0; // which needs a size
    SceneDef scene;
    snprintf(whole, sizeof whole, "%s%s", value, tank ? ", " TANK : "");
    write_nested(row->key, whole, nested, sizeof nested);
    snprintf(text, sizeof text, "%s\n" BOX, nested);
    Result result = scene_read_text(text, NULL, &scene);
    if (result.code != RESULT_USAGE || !strstr(result.text, row->key))
        fail_msg("%s: a scene says \"%s\"", nested, result.text);
    snprintf(set, sizeof set, "%s=%s", row->key, value);
    result = scene_read_text(BOX "tank: {" TANK "}\n", set, &scene);
    if (result.code != RESULT_USAGE || !strstr(result.text, row->key))
        fail_msg("--set %s: \"%s\"", set, result.text);
}

static void expect_number_refused(const ParamRow *row, const char *number)
{
    char value[200];
    if (row->length == 0)
        snprintf(value, sizeof value, "%s", number);
    else if (row->length == 2)
        snprintf(value, sizeof value, "[1, %s]", number);
    else
        snprintf(value, sizeof value, "[1, 1, %s]", number);
    expect_text_refused(row, value);
}

static void scenes_take_no_value_that_a_row_forbids(void **state)
{
    (void)state;
    uint32_t numbers = 0;
    for (ParamCursor at = param_first(SCENE_ROWS); at.row; param_next(&at)) {
        const ParamRow *row = at.row;
        double values[5];
        uint32_t count = is_number(row) ? bad_values(row, values) : 0;
        for (uint32_t k = 0; k < count; k++) {
            char text[40];
            snprintf(text, sizeof text, "%.17g", values[k]);
            expect_number_refused(row, text);
        }
        if (is_number(row)) {
            static const char *const others[] = {".nan", ".inf", "-.inf", "wide", "'1'",
                                                 "",     "{}",   "0x1",   "1 5"};
            for (size_t k = 0; k < sizeof others / sizeof *others; k++) expect_number_refused(row, others[k]);
            numbers++;
        } else {
            if (row->kind != PARAM_TEXT || row->names) expect_text_refused(row, "nothing such");
            expect_text_refused(row, row->kind == PARAM_LIST || row->kind == PARAM_NAMES ? "{a: 1}" : "[1]");
        }
    }
    assert_true(numbers > 25);
}

// --- sliders ---

static void sliders_stay_within_their_rows(void **state)
{
    (void)state;
    for (const ParamRow *row = FLUID_ROWS; row->key; row++) {
        const ParamSlider *slider = row->slider;
        char tip[200];
        if (!slider) continue;
        assert_non_null(row->label);
        param_tip(row, tip, sizeof tip);
        assert_true(strlen(tip) > 0 && strlen(tip) < 160);
        if (row->names) continue;
        assert_true(slider->lo < slider->hi && slider->step > 0);
        assert_true((double)slider->hi <= row->hi);
        assert_true(row->above_lo ? slider->least > row->lo && slider->least <= slider->lo
                                  : (double)slider->lo >= row->lo);
        assert_true(slider->component < (row->length > 0 ? row->length : 1));
    }
}

// --- documentation ---

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(100000, 1);
    assert_non_null(text);
    assert_true(fread(text, 1, 99999, file) < 99999);
    fclose(file);
    return text;
}

static void the_page_about_scenes_says_what_the_rows_say(void **state)
{
    (void)state;
    char *page = read_whole("scenes/README.md"), *keys = NULL;
    size_t bytes;
    FILE *to = open_memstream(&keys, &bytes);
    ASSERT_OK(help_print_keys_markdown(to));
    fclose(to);
    char *begin = strstr(page, "\n<!-- keys:"), *end = strstr(page, "<!-- end of keys");
    assert_true(begin && end);
    *end = 0;
    begin = strchr(begin + 1, '\n') + 1;
    if (strcmp(begin, keys) != 0) fail_msg("scenes/README.md is out of date (make docs writes it)");
    free(page);
    free(keys);
}

static void every_key_has_a_line_and_says_what_it_allows(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    ASSERT_OK(help_print_keys(to, NULL));
    fclose(to);
    for (char *at; (at = strstr(text, "\n        ")) != NULL;) { // lines that go on
        *at = ' ';
        memmove(at + 1, at + 9, strlen(at + 9) + 1);
    }
    for (ParamCursor at = param_first(SCENE_ROWS); at.row; param_next(&at)) {
        char key[140], allowed[400];
        snprintf(key, sizeof key, "\n%s: ", at.row->key);
        const char *line = at.row == SCENE_ROWS ? text : strstr(text, key);
        if (!line) fail_msg("no line for %s", at.row->key);
        param_allowed(at.row, "", allowed, sizeof allowed);
        const char *found = strstr(line, allowed), *end = strchr(line + 1, '\n');
        if (!found || found > end) fail_msg("the line of %s does not say %s", at.row->key, allowed);
    }
    assert_non_null(strstr(text, "\nwater.N.sphere.radius: number, above 0, up to 100000 m; required\n"));
    assert_non_null(strstr(text, "\nsolver.cfl: number, above 0, up to 2 (0.8)\n    part of "));
    free(text);
}

static void help_of_a_key_tells_of_that_one_and_what_is_under_it(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int lines;
    } cases[] = {{"solver.scorr", 4}, {"solver.cfl", 1}, {"water", 13}, {"fluid", 6}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *text = NULL;
        size_t bytes;
        int lines = 0;
        FILE *to = open_memstream(&text, &bytes);
        ASSERT_OK(help_print_keys(to, cases[k].name));
        fclose(to);
        for (const char *line = text; *line; line = strchr(line, '\n') + 1) lines += *line != ' ';
        assert_int_equal(lines, cases[k].lines);
        free(text);
    }
    Result result = help_print_keys(stdout, "sovler");
    assert_int_equal(result.code, RESULT_USAGE);
    assert_non_null(strstr(result.text, "did you mean solver?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluids_take_no_value_that_a_row_forbids),
        cmocka_unit_test(fluids_take_what_the_rows_allow_up_to_their_ends),
        cmocka_unit_test(calls_that_a_fluid_cannot_follow_are_refused),
        cmocka_unit_test(surfaces_take_no_value_that_a_row_forbids),
        cmocka_unit_test(scenes_take_no_value_that_a_row_forbids),
        cmocka_unit_test(sliders_stay_within_their_rows),
        cmocka_unit_test(the_page_about_scenes_says_what_the_rows_say),
        cmocka_unit_test(every_key_has_a_line_and_says_what_it_allows),
        cmocka_unit_test(help_of_a_key_tells_of_that_one_and_what_is_under_it),
    };
    return cmocka_run_group_tests(tests, scene_folder_make, scene_folder_remove);
}
