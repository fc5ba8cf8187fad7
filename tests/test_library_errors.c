// The library under bad calls: every function of pbf.h has a row of wrong calls, which are refused with a
// text and change nothing, and of a right one, in which any allocation may fail. Pictures have their rows in
// test_library_render.c.
#include "case_helpers.h"
#include "library_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const pbf_result good = {PBF_OK, ""};

// --- contexts ---

static bool wrong_context(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_context *made;
    pbf_context_def def = {.size = sizeof def}, some;
    (void)kit;
    WRONG(pbf_context_create(&def, NULL));
    for (size_t n = 0; n < 3; n++) {
        some = def, some.size = (const size_t[]){0, 3, SIZE_MAX}[n];
        WRONG(pbf_context_create(&some, &made));
    }
    some = def, some.threads = 100000;
    WRONG(pbf_context_create(&some, &made));
    some = def, some.simd = "mmx";
    WRONG(pbf_context_create(&some, &made));
    some = def, some.release = (void (*)(void *, void *))abort;
    WRONG(pbf_context_create(&some, &made));
    some = def, some.run = (void (*)(void (*)(uint32_t, void *), uint32_t, void *, void *))abort;
    WRONG(pbf_context_create(&some, &made));
    return false;
}

static pbf_result right_context(LibraryKit *kit)
{
    pbf_context *made;
    pbf_context_def def = library_heap_def(&kit->heap);
    pbf_result result = pbf_context_create(&def, &made);
    assert_true(!made == (result.code != PBF_OK));
    pbf_context_destroy(made);
    pbf_context_destroy(NULL);
    return result;
}

static pbf_result right_stop(LibraryKit *kit)
{
    (void)kit;
    pbf_stop(1);
    pbf_stop(0);
    return good;
}

static pbf_result right_version(LibraryKit *kit)
{
    (void)kit;
    assert_true(strchr(pbf_version(), '.') != NULL);
    return good;
}

// --- scenes ---

static bool wrong_scene_load(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    static char longest[6000];
    const pbf_setting *settings;
    size_t count;
    pbf_scene *made;
    memset(longest, 'a', sizeof longest - 1);
    WRONG(pbf_scene_load(kit->context, "dam_break", NULL, 0, NULL));
    WRONG(pbf_scene_load(kit->context, NULL, NULL, 0, &made));
    WRONG(pbf_scene_load(NULL, NULL, NULL, 0, &made));
    WRONG(pbf_scene_load(kit->context, "", NULL, 0, &made));
    WRONG(pbf_scene_load(kit->context, "no such scene", NULL, 0, &made));
    WRONG(pbf_scene_load(kit->context, "scenes", NULL, 0, &made));
    WRONG(pbf_scene_load(kit->context, longest, NULL, 0, &made));
    WRONG(pbf_scene_load(kit->context, kit->particles, NULL, 0, &made));
    BAD_SETTINGS(pbf_scene_load(kit->context, "scenes/dam_break.yaml", settings, count, &made));
    return false;
}

static pbf_result destroyed(pbf_scene *made, pbf_result result)
{
    assert_true(!made == (result.code != PBF_OK));
    pbf_scene_destroy(made);
    pbf_scene_destroy(NULL);
    return result;
}

static pbf_result right_scene_load(LibraryKit *kit)
{
    pbf_scene *made;
    pbf_result result = pbf_scene_load(kit->context, "scenes/dam_break.yaml", NULL, 0, &made);
    return destroyed(made, result);
}

static bool wrong_scene_parse(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    const pbf_file files[] = {{NULL, "x", 1}, {"x", NULL, 1}};
    const pbf_setting *settings;
    size_t count;
    pbf_scene *made;
    WRONG(pbf_scene_parse(kit->context, "a", "{}", 2, NULL, 0, NULL, 0, NULL));
    WRONG(pbf_scene_parse(kit->context, NULL, "{}", 2, NULL, 0, NULL, 0, &made));
    WRONG(pbf_scene_parse(kit->context, "a", NULL, 7, NULL, 0, NULL, 0, &made));
    WRONG(pbf_scene_parse(kit->context, "a", "{}", 2, NULL, 1, NULL, 0, &made));
    WRONG(pbf_scene_parse(kit->context, "a", "{}", 2, files, 1, NULL, 0, &made));
    WRONG(pbf_scene_parse(kit->context, "a", "{}", 2, files + 1, 1, NULL, 0, &made));
    WRONG(pbf_scene_parse(kit->context, "a", "a: \xff", 4, NULL, 0, NULL, 0, &made));
    WRONG(pbf_scene_parse(kit->context, "a", "a\0b", 3, NULL, 0, NULL, 0, &made));
    WRONG(pbf_scene_parse(kit->context, "a", "[[[[", 4, NULL, 0, NULL, 0, &made));
    BAD_SETTINGS(pbf_scene_parse(kit->context, "a", "{}", 2, NULL, 0, settings, count, &made));
    return false;
}

static pbf_result right_scene_parse(LibraryKit *kit)
{
    static const char text[] = "spacing: 0.1\nobstacles: [{mesh: {file: a.obj}}]\n";
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    const pbf_file file = {"a.obj", obj, sizeof obj - 1};
    const pbf_setting cfl = {"solver.cfl", "0.2"};
    pbf_scene *made;
    pbf_result result = pbf_scene_parse(kit->context, "a", text, sizeof text - 1, &file, 1, &cfl, 1, &made);
    return destroyed(made, result);
}

static bool wrong_scene_set(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    const pbf_setting *settings;
    size_t count;
    WRONG(pbf_scene_set(NULL, NULL, 0));
    BAD_SETTINGS(pbf_scene_set(kit->scene, settings, count));
    return false;
}

static pbf_result right_scene_set(LibraryKit *kit)
{
    return pbf_scene_set(kit->scene, &(pbf_setting){"solver.cfl", "0.2"}, 1);
}

static bool wrong_scene_get(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    char text[10];
    WRONG(pbf_scene_get(NULL, "spacing", text, sizeof text));
    WRONG(pbf_scene_get(kit->scene, NULL, text, sizeof text));
    WRONG(pbf_scene_get(kit->scene, "", text, sizeof text));
    WRONG(pbf_scene_get(kit->scene, "water", text, sizeof text));
    WRONG(pbf_scene_get(kit->scene, "no.such.key", text, sizeof text));
    WRONG(pbf_scene_get(kit->scene, "spacing", NULL, sizeof text));
    WRONG(pbf_scene_get(kit->scene, "spacing", text, 0));
    return false;
}

static pbf_result right_scene_get(LibraryKit *kit)
{
    char text[3];
    pbf_result result = pbf_scene_get(kit->scene, "spacing", text, sizeof text);
    if (result.code == PBF_OK) assert_string_equal(text, "0.");
    return result;
}

static bool wrong_scene_count(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_count count;
    WRONG(pbf_scene_count(NULL, &count));
    WRONG(pbf_scene_count(kit->scene, NULL));
    return false;
}

static pbf_result right_scene_count(LibraryKit *kit)
{
    pbf_count count;
    pbf_result result = pbf_scene_count(kit->scene, &count);
    if (result.code == PBF_OK)
        assert_true(count.particles == 512 && count.bodies == 1 && count.memory > 10000);
    return result;
}

static pbf_result right_key(LibraryKit *kit)
{
    pbf_key_info key;
    (void)kit;
    assert_true(!pbf_key(0, NULL) && !pbf_key(UINT32_MAX, &key) && pbf_key(0, &key) && *key.key);
    return good;
}

// --- simulations ---

static bool wrong_sim_create(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_sim *made;
    WRONG(pbf_sim_create(NULL, &made));
    WRONG(pbf_sim_create(kit->scene, NULL));
    WRONG(pbf_sim_create(NULL, NULL));
    return false;
}

static pbf_result right_sim_create(LibraryKit *kit)
{
    pbf_sim *made;
    pbf_result result = pbf_sim_create(kit->scene, &made);
    assert_true(!made == (result.code != PBF_OK));
    pbf_sim_destroy(made);
    pbf_sim_destroy(NULL);
    return result;
}

static bool wrong_sim_step(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    WRONG(pbf_sim_step(NULL, 1, NULL));
    WRONG(pbf_sim_step(kit->sim, 0.001, NULL)); // it is later than that
    for (size_t n = 0; n < LIBRARY_ODD; n++) WRONG(pbf_sim_step(kit->sim, library_odd[n], NULL));
    return false;
}

static pbf_result right_sim_step(LibraryKit *kit)
{
    return pbf_sim_step(kit->sim, 1, NULL);
}

static bool wrong_sim_settle(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    (void)kit;
    WRONG(pbf_sim_settle(NULL));
    return false;
}

static pbf_result right_sim_settle(LibraryKit *kit)
{
    pbf_sim *made = NULL;
    pbf_result result = pbf_sim_create(kit->scene, &made);
    if (result.code == PBF_OK) result = pbf_sim_settle(made);
    pbf_sim_destroy(made);
    return result;
}

static bool wrong_sim_advance(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    WRONG(pbf_sim_advance(NULL, 1, NULL, NULL));
    WRONG(pbf_sim_advance(kit->sim, 0.001, NULL, NULL));
    for (size_t n = 0; n < LIBRARY_ODD; n++) WRONG(pbf_sim_advance(kit->sim, library_odd[n], NULL, NULL));
    return false;
}

static pbf_result right_sim_advance(LibraryKit *kit)
{
    return pbf_sim_advance(kit->sim, 0.0101, NULL, NULL); // a step
}

static bool wrong_sim_set(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    const pbf_setting *settings, friction = {"obstacles.0.friction", "1"};
    size_t count;
    WRONG(pbf_sim_set(NULL, NULL, 0));
    WRONG(pbf_sim_set(kit->sim, &friction, 1));
    BAD_SETTINGS(pbf_sim_set(kit->sim, settings, count));
    return false;
}

static pbf_result right_sim_set(LibraryKit *kit)
{
    const pbf_setting settings[] = {{"solver.iterations", "4"}, {"solver.neighbor", "kd_tree"}};
    return pbf_sim_set(kit->sim, settings, 2);
}

static bool wrong_sim_info(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_info info;
    WRONG(pbf_sim_info(NULL, &info));
    WRONG(pbf_sim_info(kit->sim, NULL));
    return false;
}

static pbf_result right_sim_info(LibraryKit *kit)
{
    pbf_info info;
    pbf_result result = pbf_sim_info(kit->sim, &info);
    assert_int_equal(info.particles, 512);
    return result;
}

static pbf_result right_sim_hash(LibraryKit *kit)
{
    assert_true(pbf_sim_hash(NULL) == 0);
    return (pbf_result){pbf_sim_hash(kit->sim) ? PBF_OK : PBF_NO_MEMORY, ""};
}

// --- particles ---

static pbf_result right_field_info(LibraryKit *kit)
{
    pbf_field field;
    (void)kit;
    assert_true(!pbf_field_info(0, NULL) && !pbf_field_info(UINT32_MAX, &field) && pbf_field_info(0, &field));
    return good;
}

static bool wrong_sim_field(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_field field;
    WRONG(pbf_sim_field(NULL, "vx", &field));
    WRONG(pbf_sim_field(kit->sim, NULL, &field));
    WRONG(pbf_sim_field(kit->sim, "", &field));
    WRONG(pbf_sim_field(kit->sim, "colour", &field));
    WRONG(pbf_sim_field(kit->sim, "vx", NULL));
    return false;
}

static pbf_result right_sim_field(LibraryKit *kit)
{
    pbf_field field;
    pbf_result result = pbf_sim_field(kit->sim, "velocity", &field);
    assert_true(field.count == 512 && field.data[0]);
    return result;
}

static bool wrong_sim_read(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    static float room[512];
    WRONG(pbf_sim_read(NULL, "vx", room, sizeof room, 0));
    WRONG(pbf_sim_read(kit->sim, NULL, room, sizeof room, 0));
    WRONG(pbf_sim_read(kit->sim, "colour", room, sizeof room, 0));
    WRONG(pbf_sim_read(kit->sim, "vx", NULL, sizeof room, 0));
    WRONG(pbf_sim_read(kit->sim, "vx", NULL, 0, 0));
    WRONG(pbf_sim_read(kit->sim, "vx", room, sizeof room - 1, 0));
    WRONG(pbf_sim_read(kit->sim, "vx", room, sizeof room, 3));
    WRONG(pbf_sim_read(kit->sim, "vx", room, sizeof room, 5));
    WRONG(pbf_sim_read(kit->sim, "vx", room, sizeof room, SIZE_MAX));
    WRONG(pbf_sim_read(kit->sim, "velocity", room, sizeof room, 0));
    WRONG(pbf_sim_read(kit->sim, "velocity", room, sizeof room, (SIZE_MAX >> 9) + 1)); // wraps round to 0
    return false;
}

static pbf_result right_sim_read(LibraryKit *kit)
{
    static float room[512];
    return pbf_sim_read(kit->sim, "height", room, sizeof room, 0);
}

static bool wrong_sim_add(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    const float inside[5][3] = {{1.5f, 2.4f, 3.9f}}, outside[3] = {9, 9, 9}, fast[3] = {0, 2000, 0};
    pbf_points bad, one = pbf_points_of(&inside[0][0], 1), two = pbf_points_of(&inside[0][0], 2);
    pbf_points away = pbf_points_of(outside, 1), quick = pbf_points_of(fast, 1);
    WRONG(pbf_sim_add(NULL, &one, NULL, NULL));
    WRONG(pbf_sim_add(kit->sim, NULL, NULL, NULL));
    WRONG(pbf_sim_add(kit->sim, &two, &one, NULL));
    WRONG(pbf_sim_add(kit->sim, &away, NULL, NULL));
    WRONG(pbf_sim_add(kit->sim, &one, &quick, NULL));
    BAD_POINTS(pbf_sim_add(kit->sim, &bad, NULL, NULL));
    BAD_POINTS(pbf_sim_add(kit->sim, &one, &bad, NULL));
    return false;
}

static pbf_result right_sim_add(LibraryKit *kit)
{
    const float at[2][3] = {{2, 2.4f, 3.9f}, {2.1f, 2.4f, 3.9f}};
    pbf_points points = pbf_points_of(&at[0][0], 2);
    return pbf_sim_add(kit->sim, &points, &points, NULL);
}

static bool wrong_sim_remove(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    const uint32_t ids[] = {0, 512, UINT32_MAX};
    WRONG(pbf_sim_remove(NULL, ids, 1));
    WRONG(pbf_sim_remove(kit->sim, NULL, 2));
    WRONG(pbf_sim_remove(kit->sim, ids, 2)); // the first is there, the second is not
    WRONG(pbf_sim_remove(kit->sim, ids + 2, 1));
    return false;
}

static pbf_result right_sim_remove(LibraryKit *kit)
{
    return pbf_sim_remove(kit->sim, (const uint32_t[]){3, 9, 3}, 3);
}

static bool wrong_sim_change(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    const uint32_t ids[] = {0, 512};
    const float at[2][3] = {{1.5f, 2.4f, 3.3f}, {1.6f, 2.4f, 3.3f}};
    pbf_points bad, one = pbf_points_of(&at[0][0], 1), two = pbf_points_of(&at[0][0], 2);
    WRONG(pbf_sim_change(NULL, ids, &one, NULL));
    WRONG(pbf_sim_change(kit->sim, ids, NULL, NULL));
    WRONG(pbf_sim_change(kit->sim, ids, &two, NULL));
    WRONG(pbf_sim_change(kit->sim, ids, &one, &two));
    WRONG(pbf_sim_change(kit->sim, NULL, &one, NULL)); // all of them
    BAD_POINTS(pbf_sim_change(kit->sim, ids, &bad, NULL));
    BAD_POINTS(pbf_sim_change(kit->sim, ids, NULL, &bad));
    return false;
}

static pbf_result right_sim_change(LibraryKit *kit)
{
    const float v[3] = {0, 0, 1};
    pbf_points one = pbf_points_of(v, 1);
    return pbf_sim_change(kit->sim, &(uint32_t){5}, NULL, &one);
}

// --- bodies ---

static bool wrong_sim_body(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_body body;
    WRONG(pbf_sim_body(NULL, 0, &body));
    WRONG(pbf_sim_body(kit->sim, 0, NULL));
    WRONG(pbf_sim_body(kit->sim, 1, &body));
    WRONG(pbf_sim_body(kit->sim, UINT32_MAX - 1, &body));
    return false;
}

static pbf_result right_sim_body(LibraryKit *kit)
{
    pbf_body body;
    pbf_result result = pbf_sim_body(kit->sim, 0, &body);
    assert_string_equal(body.name, "ball");
    return result;
}

static bool wrong_sim_measure(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    (void)kit;
    WRONG(pbf_sim_measure(NULL, 1));
    return false;
}

static pbf_result right_sim_measure(LibraryKit *kit)
{
    return pbf_sim_measure(kit->sim, 1);
}

static bool wrong_sim_lead(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    const double here[3] = {1.5, 2.4, 3.3}, none[4] = {0};
    WRONG(pbf_sim_lead(NULL, 0, here, NULL, 1));
    WRONG(pbf_sim_lead(kit->sim, 1, here, NULL, 1));
    WRONG(pbf_sim_lead(kit->sim, PBF_TANK, here, NULL, 1));
    WRONG(pbf_sim_lead(kit->sim, 0, NULL, NULL, 1));
    WRONG(pbf_sim_lead(kit->sim, 0, here, none, 1));
    WRONG(pbf_sim_lead(kit->sim, 0, here, NULL, 0.001)); // it is later than that
    for (size_t n = 0; n < LIBRARY_ODD; n++) {
        double place[3] = {1.5, 2.4, n == 3 ? 1e6 : library_odd[n]},
               turn[4] = {1, n == 3 ? 1e200 : library_odd[n], 0, 0};
        WRONG(pbf_sim_lead(kit->sim, 0, place, NULL, 1));
        WRONG(pbf_sim_lead(kit->sim, 0, here, turn, 1));
        WRONG(pbf_sim_lead(kit->sim, 0, here, NULL, library_odd[n]));
    }
    return false;
}

static pbf_result right_sim_lead(LibraryKit *kit)
{
    return pbf_sim_lead(kit->sim, 0, (const double[]){1.5, 2.4, 3.3}, (const double[]){2, 0, 0, 2}, 1);
}

// --- stored states ---

static bool wrong_sim_save(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    void *data;
    size_t bytes;
    WRONG(pbf_sim_save(NULL, &data, &bytes));
    WRONG(pbf_sim_save(kit->sim, NULL, &bytes));
    WRONG(pbf_sim_save(kit->sim, &data, NULL));
    return false;
}

static pbf_result right_sim_save(LibraryKit *kit)
{
    void *data;
    size_t bytes;
    pbf_result result = pbf_sim_save(kit->sim, &data, &bytes);
    assert_true(!data == (result.code != PBF_OK));
    pbf_free(data);
    pbf_free(NULL);
    return result;
}

static bool wrong_sim_restore(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    char *bad = kit->stored;
    size_t bytes = kit->stored_bytes;
    WRONG(pbf_sim_restore(NULL, bad, bytes));
    WRONG(pbf_sim_restore(kit->sim, NULL, bytes));
    WRONG(pbf_sim_restore(kit->sim, bad, 0));
    WRONG(pbf_sim_restore(kit->sim, bad, 10));
    WRONG(pbf_sim_restore(kit->sim, bad, bytes - 1));
    for (size_t at = 0; at < bytes; at += bytes / 40 + 1) {
        if (k-- != 0) continue;
        bad[at] ^= 1;
        *out = pbf_sim_restore(kit->sim, bad, bytes);
        bad[at] ^= 1;
        return true;
    }
    return false;
}

static pbf_result right_sim_restore(LibraryKit *kit)
{
    return pbf_sim_restore(kit->sim, kit->stored, kit->stored_bytes);
}

static bool wrong_sim_load(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    WRONG(pbf_sim_load(NULL, kit->state));
    WRONG(pbf_sim_load(kit->sim, NULL));
    WRONG(pbf_sim_load(kit->sim, ""));
    WRONG(pbf_sim_load(kit->sim, "no/such/state.pbf"));
    WRONG(pbf_sim_load(kit->sim, folder));
    WRONG(pbf_sim_load(kit->sim, kit->particles));
    return false;
}

static pbf_result right_sim_load(LibraryKit *kit)
{
    return pbf_sim_load(kit->sim, kit->state);
}

static const LibraryRow rows[] = {
    {"pbf_version", NULL, right_version, false},
    {"pbf_stop", NULL, right_stop, false},
    {"pbf_context_create", wrong_context, right_context, true}, // there is nobody to tell
    {"pbf_context_destroy", NULL, right_context, true},
    {"pbf_scene_load", wrong_scene_load, right_scene_load, false},
    {"pbf_scene_parse", wrong_scene_parse, right_scene_parse, false},
    {"pbf_scene_set", wrong_scene_set, right_scene_set, false},
    {"pbf_scene_get", wrong_scene_get, right_scene_get, false},
    {"pbf_scene_count", wrong_scene_count, right_scene_count, false},
    {"pbf_scene_destroy", NULL, right_scene_parse, false},
    {"pbf_key", NULL, right_key, false},
    {"pbf_sim_create", wrong_sim_create, right_sim_create, false},
    {"pbf_sim_destroy", NULL, right_sim_create, false},
    {"pbf_sim_settle", wrong_sim_settle, right_sim_settle, false},
    {"pbf_sim_step", wrong_sim_step, right_sim_step, false},
    {"pbf_sim_advance", wrong_sim_advance, right_sim_advance, false},
    {"pbf_sim_set", wrong_sim_set, right_sim_set, false},
    {"pbf_sim_info", wrong_sim_info, right_sim_info, false},
    {"pbf_sim_hash", NULL, right_sim_hash, true},
    {"pbf_field_info", NULL, right_field_info, false},
    {"pbf_sim_field", wrong_sim_field, right_sim_field, false},
    {"pbf_sim_read", wrong_sim_read, right_sim_read, false},
    {"pbf_sim_add", wrong_sim_add, right_sim_add, false},
    {"pbf_sim_remove", wrong_sim_remove, right_sim_remove, false},
    {"pbf_sim_change", wrong_sim_change, right_sim_change, false},
    {"pbf_sim_body", wrong_sim_body, right_sim_body, false},
    {"pbf_sim_measure", wrong_sim_measure, right_sim_measure, false},
    {"pbf_sim_lead", wrong_sim_lead, right_sim_lead, false},
    {"pbf_sim_save", wrong_sim_save, right_sim_save, false},
    {"pbf_sim_restore", wrong_sim_restore, right_sim_restore, false},
    {"pbf_sim_load", wrong_sim_load, right_sim_load, false},
    {"pbf_free", NULL, right_sim_save, false},
};
#define ROWS (sizeof rows / sizeof *rows)

static void every_function_of_the_header_has_a_row(void **state)
{
    (void)state;
    const LibraryRows all[] = {
        {rows, ROWS}, library_rows_of_points(), library_rows_of_output(), library_rows_of_foam()};
    library_check_rows(all, 4, false); // those of pictures are in test_library_render.c
}

static void wrong_calls_and_failing_allocations_cost_nothing_but_the_call(void **state)
{
    (void)state;
    const LibraryRows all[] = {
        {rows, ROWS}, library_rows_of_points(), library_rows_of_output(), library_rows_of_foam()};
    for (size_t l = 0; l < 4; l++) {
        for (size_t k = 0; k < all[l].count; k++) library_try_row(&all[l].rows[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_of_the_header_has_a_row),
        cmocka_unit_test_setup_teardown(wrong_calls_and_failing_allocations_cost_nothing_but_the_call,
                                        make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("library errors", tests, NULL, NULL);
}
