// Rows of the functions of pbf_output.h for sequences of files and whitewater of stored particles.
#include "case_helpers.h"
#include "library_helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- sequences ---

static bool wrong_sequence_find(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    static const char *const bad[][2] = {{NULL, NULL},
                                         {"", NULL},
                                         {"no/such/file_{}.ply", NULL},
                                         {"no/such/*.ply", NULL},
                                         {"src/library", NULL}, // a folder without particles
                                         {"no/such/index.pvd", "a.ply"}};
    const char *own = kit->particles;
    pbf_sequence *made;
    WRONG(pbf_sequence_find(kit->context, &own, 1, NULL));
    WRONG(pbf_sequence_find(kit->context, NULL, 1, &made));
    WRONG(pbf_sequence_find(kit->context, &own, 0, &made));
    for (size_t n = 0; n < 5; n++) WRONG(pbf_sequence_find(kit->context, bad[n], 1, &made));
    const char *second[] = {kit->particles, NULL};
    WRONG(pbf_sequence_find(kit->context, second, 2, &made));
    return false;
}

static pbf_result find_sequence(LibraryKit *kit, pbf_sequence **made)
{
    char pattern[320];
    snprintf(pattern, sizeof pattern, "%s/kit.p*", folder); // kit.pbf and kit.ply
    const char *path = pattern;
    return pbf_sequence_find(kit->context, &path, 1, made);
}

static pbf_result right_sequence_find(LibraryKit *kit)
{
    pbf_sequence *made;
    pbf_result result = find_sequence(kit, &made);
    assert_true(!made == (result.code != PBF_OK));
    pbf_sequence_destroy(made);
    pbf_sequence_destroy(NULL);
    return result;
}

static bool wrong_sequence_get(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_sequence_data data;
    pbf_sequence *made;
    WRONG(pbf_sequence_get(NULL, &data));
    ASSERT_PBF(find_sequence(kit, &made));
    if (k == 0) *out = pbf_sequence_get(made, NULL);
    pbf_sequence_destroy(made);
    return k == 0;
}

static pbf_result right_sequence_get(LibraryKit *kit)
{
    pbf_sequence_data data = {0};
    pbf_sequence *made;
    pbf_result result = find_sequence(kit, &made);
    if (result.code == PBF_OK) result = pbf_sequence_get(made, &data);
    if (result.code == PBF_OK) {
        assert_true(data.count == 2 && !data.alone && isnan(data.files[0].time));
        assert_string_equal(data.files[1].path, kit->particles);
        assert_int_equal(data.files[1].number, 1); // names without numbers
    }
    pbf_sequence_destroy(made);
    return result;
}

static const char *const listed[] = {"a_0.vtp", "a_1.vtp"};
static const double times[] = {0, 0.5};

static bool wrong_index_write(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    const char *const missing[] = {"a_0.vtp", NULL}, *const empty[] = {"", "a_1.vtp"};
    char path[320];
    snprintf(path, sizeof path, "%s/wrong.pvd", folder);
    WRONG(pbf_index_write(kit->context, NULL, listed, times, 2, NULL));
    WRONG(pbf_index_write(kit->context, "", listed, times, 2, NULL));
    WRONG(pbf_index_write(kit->context, "-", listed, times, 2, NULL));
    WRONG(pbf_index_write(kit->context, "index.txt", listed, times, 2, NULL));
    WRONG(pbf_index_write(kit->context, ".pvd", listed, times, 2, NULL));
    WRONG(pbf_index_write(kit->context, "no/such/folder/a.pvd", listed, times, 2, NULL));
    WRONG(pbf_index_write(kit->context, path, NULL, times, 2, NULL));
    WRONG(pbf_index_write(kit->context, path, listed, NULL, 2, NULL));
    WRONG(pbf_index_write(kit->context, path, missing, times, 2, NULL));
    WRONG(pbf_index_write(kit->context, path, empty, times, 2, NULL));
    WRONG(pbf_index_write(kit->context, path, listed, times, 2, "x"));
    for (size_t n = 0; n < 3; n++) { // those that are not finite
        const double odd[] = {0, library_odd[n]};
        WRONG(pbf_index_write(kit->context, path, listed, odd, 2, NULL));
    }
    return false;
}

static pbf_result right_index_write(LibraryKit *kit)
{
    static const char *const endings[] = {"pvd", "vtk.series", "usda"};
    pbf_result result = {PBF_OK, ""};
    for (size_t k = 0; k < 3 && result.code == PBF_OK; k++) {
        char path[320];
        snprintf(path, sizeof path, "%s/right.%s", folder, endings[k]);
        result = pbf_index_write(kit->context, path, listed, times, k < 2 ? 2 : 0, "z");
    }
    return result;
}

// --- whitewater ---

enum { SIDE = 5, POINTS = SIDE * SIDE * SIDE };

// A block that falls apart: half of it moves up, the other half down.
static pbf_points block(float at[POINTS][3], float velocity[POINTS][3], pbf_points *moving)
{
    for (int k = 0; k < POINTS; k++) {
        const int place[3] = {k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)};
        for (int axis = 0; axis < 3; axis++) at[k][axis] = 0.1f * (float)place[axis];
        velocity[k][0] = velocity[k][1] = 0;
        velocity[k][2] = place[0] < 2 ? 3.0f : -3.0f;
    }
    *moving = pbf_points_of(&velocity[0][0], POINTS);
    return pbf_points_of(&at[0][0], POINTS);
}

static const pbf_setting water[] = {{"tank.size", "[4, 4, 4]"},
                                    {"tank.corner", "[-2, -2, -2]"},
                                    {"whitewater.max", "400"},
                                    {"fluid.gravity", "[0, 0, -1]"}};

static pbf_result create_foam(LibraryKit *kit, pbf_foam **made)
{
    return pbf_foam_create(kit->context, 0, water, 4, made);
}

static bool wrong_foam_create(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    const pbf_setting *settings, others[] = {{"surface.cell", "0.5"},
                                             {"whitewater.max", "0"},
                                             {"tank.corner", "[0, 0, 0]"}, // without a size
                                             {"fluid.rest_density", "900"}};
    size_t count;
    pbf_foam *made;
    WRONG(pbf_foam_create(kit->context, 0.1, NULL, 0, NULL));
    WRONG(pbf_foam_create(kit->context, 1e308, NULL, 0, &made));
    for (size_t n = 0; n < LIBRARY_ODD; n++)
        WRONG(pbf_foam_create(kit->context, library_odd[n], NULL, 0, &made));
    for (size_t n = 0; n < 4; n++) WRONG(pbf_foam_create(kit->context, 0.1, &others[n], 1, &made));
    BAD_SETTINGS(pbf_foam_create(kit->context, 0.1, settings, count, &made));
    return false;
}

static pbf_result right_foam_create(LibraryKit *kit)
{
    pbf_foam *made;
    pbf_result result = pbf_foam_create(kit->context, 0.1, water, 4, &made);
    assert_true(!made == (result.code != PBF_OK));
    pbf_foam_destroy(made);
    pbf_foam_destroy(NULL);
    return result;
}

static pbf_foam_data data_of(const pbf_foam *foam)
{
    pbf_foam_data data;
    ASSERT_PBF(pbf_foam_get(foam, &data));
    return data;
}

// Those that no call takes, of whitewater that has come to 0.1 s. Returns false past the last.
static bool add_wrongly(pbf_foam *foam, uint32_t k, pbf_result *out)
{
    float at[POINTS][3], velocity[POINTS][3];
    pbf_points bad, moving, points = block(at, velocity, &moving), one = pbf_points_of(&at[0][0], 1);
    const double odd[] = {0.1, 0.05, NAN, INFINITY, -INFINITY};
    WRONG(pbf_foam_add(foam, NULL, &moving, 0.2));
    WRONG(pbf_foam_add(foam, &points, NULL, 0.2));
    WRONG(pbf_foam_add(foam, &points, &one, 0.2));
    for (size_t n = 0; n < 5; n++) WRONG(pbf_foam_add(foam, &points, &moving, odd[n]));
    BAD_POINTS(pbf_foam_add(foam, &bad, &moving, 0.2));
    BAD_POINTS(pbf_foam_add(foam, bad.count == 1 ? &one : &points, &bad, 0.2));
    return false;
}

static bool wrong_foam_add(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    float at[POINTS][3], velocity[POINTS][3];
    pbf_points moving, points = block(at, velocity, &moving);
    pbf_foam *made;
    WRONG(pbf_foam_add(NULL, &points, &moving, 0.2));
    ASSERT_PBF(create_foam(kit, &made));
    // The spacing of a single particle cannot be estimated; nothing is left of the attempt.
    pbf_points alone = pbf_points_of(&at[0][0], 1), still = pbf_points_of(&velocity[0][0], 1);
    ASSERT_REFUSED(pbf_foam_add(made, &alone, &still, 0.05), PBF_USAGE);
    ASSERT_PBF(pbf_foam_add(made, &points, &moving, 0.1));
    pbf_foam_data before = data_of(made);
    bool more = add_wrongly(made, k, out);
    pbf_foam_data after = data_of(made);
    assert_memory_equal(&before, &after, sizeof before);
    pbf_foam_destroy(made);
    return more;
}

// The whitewater of three times, the first of which has no particles.
static pbf_result make_foam(LibraryKit *kit, pbf_foam **made)
{
    float at[POINTS][3], velocity[POINTS][3];
    pbf_points moving, points = block(at, velocity, &moving), none = pbf_points_of(NULL, 0);
    pbf_result result = create_foam(kit, made);
    if (result.code == PBF_OK) result = pbf_foam_add(*made, &none, NULL, -1);
    if (result.code == PBF_OK) result = pbf_foam_add(*made, &points, &moving, 0);
    if (result.code == PBF_OK) result = pbf_foam_add(*made, &points, &moving, 0.2);
    return result;
}

// Where memory was short, the same call goes on.
static pbf_result right_foam_add(LibraryKit *kit)
{
    float at[POINTS][3], velocity[POINTS][3];
    pbf_points moving, points = block(at, velocity, &moving);
    pbf_foam *made;
    pbf_result result = make_foam(kit, &made);
    if (made && result.code == PBF_NO_MEMORY) {
        ASSERT_PBF(pbf_foam_add(made, &points, &moving, 0.3));
        assert_true(data_of(made).time == 0.3 && data_of(made).steps > 0);
    }
    pbf_foam_destroy(made);
    return result;
}

static pbf_result right_foam_get(LibraryKit *kit)
{
    pbf_foam *made;
    pbf_result result = make_foam(kit, &made);
    if (result.code == PBF_OK) {
        pbf_foam_data data = data_of(made);
        assert_true(data.particles > 0 && data.particles == data.spray + data.foam + data.bubbles);
        // A first one, then 0.6 m in steps of at most 0.4 influence radii of 2.5 spacings.
        assert_true(data.steps == 1 + ceil(0.6 / data.spacing) && data.time == 0.2);
        assert_true(fabs(data.spacing - 0.1) < 0.01);
        assert_true(fabs(data.speed - sqrt(2.4)) <
                    1e-6); // a fall from the top of the water to the tank's floor
    }
    pbf_foam_destroy(made);
    return result;
}

static bool wrong_foam_get(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_foam_data data;
    pbf_foam *made;
    WRONG(pbf_foam_get(NULL, &data));
    ASSERT_PBF(create_foam(kit, &made));
    if (k == 0) *out = pbf_foam_get(made, NULL);
    pbf_foam_destroy(made);
    return k == 0;
}

static bool wrong_foam_read(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    static const char *const names[] = {"", "velocity", "whitewater.", "whitewater.colour", "strands.x"};
    float room[3];
    pbf_foam *made;
    WRONG(pbf_foam_read(NULL, "whitewater.age", room, sizeof room, 0));
    ASSERT_PBF(make_foam(kit, &made));
    bool more = k < 9;
    if (k < 5) *out = pbf_foam_read(made, names[k], room, sizeof room, 0);
    if (k == 5) *out = pbf_foam_read(made, NULL, room, sizeof room, 0);
    if (k == 6) *out = pbf_foam_read(made, "whitewater.age", NULL, sizeof room, 0);
    if (k == 7) *out = pbf_foam_read(made, "whitewater.age", room, 3, 0);
    if (k == 8) *out = pbf_foam_read(made, "whitewater.position", room, sizeof room, 4);
    pbf_foam_destroy(made);
    return more;
}

static pbf_result right_foam_read(LibraryKit *kit)
{
    static float at[400][3];
    pbf_foam *made;
    pbf_result result = make_foam(kit, &made);
    if (result.code == PBF_OK) result = pbf_foam_read(made, "whitewater.position", at, sizeof at, 0);
    // Scene coordinates: within what the block moves in 0.2 s.
    if (result.code == PBF_OK)
        assert_true(fabsf(at[0][0] - 0.2f) < 0.6f && fabsf(at[0][1] - 0.2f) < 0.6f && fabsf(at[0][2]) < 1.2f);
    pbf_foam_destroy(made);
    return result;
}

static bool wrong_foam_write(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    static const char *const paths[] = {NULL, "", "-", "a.obj", "no/such/folder/a.ply"};
    pbf_foam *made;
    WRONG(pbf_foam_write(NULL, kit->file, NULL));
    ASSERT_PBF(create_foam(kit, &made));
    if (k < 5) *out = pbf_foam_write(made, paths[k], NULL);
    if (k == 5) *out = pbf_foam_write(made, kit->file, "x");
    pbf_foam_destroy(made);
    return k < 6;
}

static pbf_result right_foam_write(LibraryKit *kit)
{
    char path[320];
    pbf_foam *made;
    snprintf(path, sizeof path, "%s/foam.vtp", folder);
    pbf_result result = make_foam(kit, &made);
    if (result.code == PBF_OK) result = pbf_foam_write(made, kit->file, NULL);
    if (result.code == PBF_OK) result = pbf_foam_write(made, path, "y");
    pbf_foam_destroy(made);
    return result;
}

static const LibraryRow rows[] = {
    {"pbf_sequence_find", wrong_sequence_find, right_sequence_find, false},
    {"pbf_sequence_get", wrong_sequence_get, right_sequence_get, false},
    {"pbf_sequence_destroy", NULL, right_sequence_find, false},
    {"pbf_index_write", wrong_index_write, right_index_write, false},
    {"pbf_foam_create", wrong_foam_create, right_foam_create, false},
    {"pbf_foam_add", wrong_foam_add, right_foam_add, false},
    {"pbf_foam_get", wrong_foam_get, right_foam_get, false},
    {"pbf_foam_read", wrong_foam_read, right_foam_read, false},
    {"pbf_foam_write", wrong_foam_write, right_foam_write, false},
    {"pbf_foam_destroy", NULL, right_foam_create, false},
};

LibraryRows library_rows_of_foam(void)
{
    return (LibraryRows){rows, sizeof rows / sizeof *rows};
}
