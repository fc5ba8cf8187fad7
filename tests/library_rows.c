// Rows of the functions of pbf.h that take the caller's own points, of those that read and write files, and
// of measurements.
#include "case_helpers.h"
#include "library_helpers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const pbf_result good = {PBF_OK, ""};

// --- surfaces ---

static const float corners[3][3] = {{0, 0, 0}, {0.1f, 0, 0}, {0, 0.1f, 0}};

static bool wrong_surface(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_points bad, few = pbf_points_of(&corners[0][0], 3), one = pbf_points_of(&corners[0][0], 1);
    const pbf_setting *settings, cfl = {"solver.cfl", "0.3"};
    size_t count;
    pbf_mesh *made;
    WRONG(pbf_surface(kit->context, &few, NULL, 0.1, NULL, 0, NULL));
    WRONG(pbf_surface(kit->context, NULL, NULL, 0.1, NULL, 0, &made));
    WRONG(pbf_surface(kit->context, &few, &one, 0.1, NULL, 0, &made));
    WRONG(pbf_surface(kit->context, &one, NULL, 0, NULL, 0, &made));
    WRONG(pbf_surface(kit->context, &few, NULL, 0.1, &cfl, 1, &made));
    WRONG(pbf_surface(kit->context, &few, NULL, 1e308, NULL, 0, &made));
    for (size_t n = 0; n < LIBRARY_ODD; n++)
        WRONG(pbf_surface(kit->context, &few, NULL, library_odd[n], NULL, 0, &made));
    BAD_POINTS(pbf_surface(kit->context, &bad, NULL, 0.1, NULL, 0, &made));
    BAD_POINTS(pbf_surface(kit->context, bad.count == 1 ? &one : &few, &bad, 0.1, NULL, 0, &made));
    BAD_SETTINGS(pbf_surface(kit->context, &few, NULL, 0.1, settings, count, &made));
    return false;
}

static pbf_result right_surface(LibraryKit *kit)
{
    pbf_points few = pbf_points_of(&corners[0][0], 3);
    const pbf_setting cell = {"surface.cell", "1"};
    pbf_mesh *made;
    pbf_result result = pbf_surface(kit->context, &few, &few, 0, &cell, 1, &made);
    assert_true(!made == (result.code != PBF_OK));
    pbf_mesh_destroy(made);
    pbf_mesh_destroy(NULL);
    return result;
}

static bool wrong_spacing(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_points bad, few = pbf_points_of(&corners[0][0], 3), one = pbf_points_of(&corners[0][0], 1);
    double spacing;
    int certain;
    WRONG(pbf_spacing(kit->context, NULL, &spacing, &certain));
    WRONG(pbf_spacing(kit->context, &few, NULL, &certain));
    WRONG(pbf_spacing(kit->context, &one, &spacing, &certain));
    BAD_POINTS(pbf_spacing(kit->context, &bad, &spacing, NULL));
    return false;
}

static pbf_result right_spacing(LibraryKit *kit)
{
    pbf_points few = pbf_points_of(&corners[0][0], 3);
    double spacing;
    return pbf_spacing(kit->context, &few, &spacing, NULL);
}

static bool wrong_sim_surface(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_mesh *made;
    WRONG(pbf_sim_surface(NULL, &made));
    WRONG(pbf_sim_surface(kit->sim, NULL));
    return false;
}

static pbf_result right_sim_surface(LibraryKit *kit)
{
    pbf_mesh *made;
    pbf_result result = pbf_sim_surface(kit->sim, &made);
    assert_true(!made == (result.code != PBF_OK));
    pbf_mesh_destroy(made);
    return result;
}

static bool wrong_mesh_get(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_mesh_data data;
    WRONG(pbf_mesh_get(NULL, &data));
    WRONG(pbf_mesh_get(kit->mesh, NULL));
    return false;
}

static pbf_result right_mesh_get(LibraryKit *kit)
{
    pbf_mesh_data data;
    pbf_result result = pbf_mesh_get(kit->mesh, &data);
    assert_true(data.vertices && data.triangle_count > 10 && data.spacing == (double)0.1f);
    return result;
}

// --- slices ---

static pbf_slice_def slice_def(void)
{
    return (pbf_slice_def){.size = sizeof(pbf_slice_def), .normal = {0, 0, 1}, .spacing = 0.1, .contours = 4};
}

static bool wrong_slice_create(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_points bad, few = pbf_points_of(&corners[0][0], 3), one = pbf_points_of(&corners[0][0], 1);
    pbf_slice *made;
    pbf_slice_def def = slice_def(), some;
    WRONG(pbf_slice_create(kit->context, &few, NULL, &def, NULL));
    WRONG(pbf_slice_create(kit->context, NULL, NULL, &def, &made));
    WRONG(pbf_slice_create(kit->context, &few, NULL, NULL, &made));
    WRONG(pbf_slice_create(kit->context, &few, &one, &def, &made));
    for (size_t n = 0; n < 3; n++) {
        some = def, some.size = (const size_t[]){0, 3, SIZE_MAX}[n];
        WRONG(pbf_slice_create(kit->context, &few, NULL, &some, &made));
    }
    for (size_t n = 0; n < LIBRARY_ODD; n++) {
        some = def, some.spacing = library_odd[n];
        WRONG(pbf_slice_create(kit->context, &few, NULL, &some, &made));
        some = def, some.cell = library_odd[n];
        WRONG(pbf_slice_create(kit->context, &few, NULL, &some, &made));
        some = def, some.sector = library_odd[n];
        WRONG(pbf_slice_create(kit->context, &few, NULL, &some, &made));
    }
    for (int axis = 0; axis < 3; axis++) {
        for (size_t n = 0; n < 3; n++) { // those that are not finite
            some = def, some.point[axis] = library_odd[n];
            WRONG(pbf_slice_create(kit->context, &few, NULL, &some, &made));
            some = def, some.normal[axis] = library_odd[n];
            WRONG(pbf_slice_create(kit->context, &few, NULL, &some, &made));
        }
    }
    some = def, some.normal[2] = 0;
    WRONG(pbf_slice_create(kit->context, &few, NULL, &some, &made));
    some = def, some.field = "temperature";
    WRONG(pbf_slice_create(kit->context, &few, NULL, &some, &made));
    some = def, some.field = "speed"; // without velocities
    WRONG(pbf_slice_create(kit->context, &few, NULL, &some, &made));
    some = def, some.cell = 1e-6; // too many nodes
    WRONG(pbf_slice_create(kit->context, &few, NULL, &some, &made));
    some = def, some.spacing = 0; // of a single one
    WRONG(pbf_slice_create(kit->context, &one, NULL, &some, &made));
    BAD_POINTS(pbf_slice_create(kit->context, &bad, NULL, &def, &made));
    BAD_POINTS(pbf_slice_create(kit->context, bad.count == 1 ? &one : &few, &bad, &def, &made));
    return false;
}

static pbf_result right_slice_create(LibraryKit *kit)
{
    pbf_points few = pbf_points_of(&corners[0][0], 3);
    pbf_slice_def def = slice_def();
    pbf_slice *made;
    def.field = "speed";
    pbf_result result = pbf_slice_create(kit->context, &few, &few, &def, &made);
    assert_true(!made == (result.code != PBF_OK));
    pbf_slice_destroy(made);
    pbf_slice_destroy(NULL);
    return result;
}

static pbf_slice *sliced(LibraryKit *kit, double z)
{
    pbf_points few = pbf_points_of(&corners[0][0], 3);
    pbf_slice_def def = slice_def();
    pbf_slice *made;
    def.point[2] = z;
    ASSERT_PBF(pbf_slice_create(kit->context, &few, NULL, &def, &made));
    return made;
}

static bool wrong_slice_get(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_slice_data data;
    pbf_slice *made = sliced(kit, 0);
    if (k < 2) *out = pbf_slice_get(k == 0 ? NULL : made, k == 0 ? &data : NULL);
    pbf_slice_destroy(made);
    return k < 2;
}

static pbf_result right_slice_get(LibraryKit *kit)
{
    pbf_points few = pbf_points_of(&corners[0][0], 3);
    pbf_slice_def def = slice_def();
    pbf_slice *made;
    pbf_slice_data data;
    pbf_result result = pbf_slice_create(kit->context, &few, NULL, &def, &made);
    if (result.code == PBF_OK) result = pbf_slice_get(made, &data);
    if (result.code == PBF_OK)
        assert_true(data.particles == 3 && data.columns > 4 && data.rows > 4 && data.fractions[0] == 0);
    pbf_slice_destroy(made);
    return result;
}

static bool wrong_slice_write(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    static const char *const paths[] = {NULL, "", "-", "slice.ply", "no/such/folder/slice.svg"};
    char path[400];
    snprintf(path, sizeof path, "%s/far.svg", folder);
    WRONG(pbf_slice_write(NULL, path));
    pbf_slice *made = sliced(kit, k < 5 ? 0 : 99); // the last plane meets no particle
    if (k < 6) *out = pbf_slice_write(made, k < 5 ? paths[k] : path);
    pbf_slice_destroy(made);
    return k < 6;
}

static pbf_result right_slice_write(LibraryKit *kit)
{
    pbf_points few = pbf_points_of(&corners[0][0], 3);
    pbf_slice_def def = slice_def();
    char path[400];
    pbf_slice *made;
    pbf_result result = pbf_slice_create(kit->context, &few, NULL, &def, &made);
    snprintf(path, sizeof path, "%s/slice.vtp", folder);
    if (result.code == PBF_OK) result = pbf_slice_write(made, path);
    snprintf(path, sizeof path, "%s/slice.svg", folder);
    if (result.code == PBF_OK) result = pbf_slice_write(made, path);
    pbf_slice_destroy(made);
    return result;
}

static pbf_result right_slice_field(LibraryKit *kit)
{
    (void)kit;
    assert_string_equal(pbf_slice_field(0), "density");
    assert_null(pbf_slice_field(UINT32_MAX));
    return good;
}

// --- searches ---

static pbf_result right_method(LibraryKit *kit)
{
    (void)kit;
    assert_true(pbf_method(0) != NULL && pbf_method(UINT32_MAX) == NULL);
    return good;
}

static bool wrong_search_create(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_search *made;
    WRONG(pbf_search_create(kit->context, NULL, 0.1, NULL));
    WRONG(pbf_search_create(kit->context, "no such method", 0.1, &made));
    WRONG(pbf_search_create(kit->context, "", 0.1, &made));
    WRONG(pbf_search_create(kit->context, NULL, 0, &made));
    WRONG(pbf_search_create(kit->context, NULL, 1e308, &made));
    WRONG(pbf_search_create(kit->context, NULL, 1e-40, &made));
    for (size_t n = 0; n < LIBRARY_ODD; n++)
        WRONG(pbf_search_create(kit->context, NULL, library_odd[n], &made));
    return false;
}

static pbf_result right_search_create(LibraryKit *kit)
{
    pbf_search *made;
    pbf_result result = pbf_search_create(kit->context, "octree", 0.1, &made);
    assert_true(!made == (result.code != PBF_OK));
    pbf_search_destroy(made);
    pbf_search_destroy(NULL);
    return result;
}

static bool wrong_search_run(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_points bad, few = pbf_points_of(&corners[0][0], 3);
    pbf_rows rows;
    WRONG(pbf_search_run(NULL, &few, &rows));
    WRONG(pbf_search_run(kit->search, NULL, &rows));
    WRONG(pbf_search_run(kit->search, &few, NULL));
    BAD_POINTS(pbf_search_run(kit->search, &bad, &rows));
    return false;
}

static pbf_result right_search_run(LibraryKit *kit)
{
    pbf_points few = pbf_points_of(&corners[0][0], 3);
    pbf_rows rows;
    pbf_result result = pbf_search_run(kit->search, &few, &rows);
    if (result.code == PBF_OK) assert_true(rows.rows == 3 && rows.neighbors == 6);
    return result;
}

// --- files ---

static bool wrong_cloud_load(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_cloud *made;
    WRONG(pbf_cloud_load(kit->context, kit->particles, NULL));
    WRONG(pbf_cloud_load(kit->context, NULL, &made));
    WRONG(pbf_cloud_load(kit->context, "", &made));
    WRONG(pbf_cloud_load(kit->context, "no/such/file.ply", &made));
    WRONG(pbf_cloud_load(kit->context, folder, &made));
    WRONG(pbf_cloud_load(kit->context, "scenes/dam_break.yaml", &made));
    return false;
}

static pbf_result right_cloud_load(LibraryKit *kit)
{
    pbf_cloud *made;
    pbf_result result = pbf_cloud_load(kit->context, kit->particles, &made);
    assert_true(!made == (result.code != PBF_OK));
    pbf_cloud_destroy(made);
    pbf_cloud_destroy(NULL);
    return result;
}

static bool wrong_cloud_get(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_cloud_data data;
    WRONG(pbf_cloud_get(NULL, &data));
    WRONG(pbf_cloud_get(kit->cloud, NULL));
    return false;
}

static pbf_result right_cloud_get(LibraryKit *kit)
{
    pbf_cloud_data data;
    pbf_result result = pbf_cloud_get(kit->cloud, &data);
    assert_true(data.positions.count == 512 && data.velocities.count == 512);
    assert_true(fabs(data.spacing - 0.1) < 1e-6);
    return result;
}

static bool wrong_mesh_write(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    WRONG(pbf_mesh_write(NULL, kit->file, NULL, NAN));
    WRONG(pbf_mesh_write(kit->mesh, NULL, NULL, NAN));
    WRONG(pbf_mesh_write(kit->mesh, "", NULL, NAN));
    WRONG(pbf_mesh_write(kit->mesh, "-", NULL, NAN));
    WRONG(pbf_mesh_write(kit->mesh, "mesh.stl", NULL, NAN));
    WRONG(pbf_mesh_write(kit->mesh, "no/such/folder/mesh.ply", NULL, NAN));
    WRONG(pbf_mesh_write(kit->mesh, kit->file, "x", NAN));
    WRONG(pbf_mesh_write(kit->mesh, kit->file, "", NAN));
    return false;
}

static pbf_result right_mesh_write(LibraryKit *kit)
{
    return pbf_mesh_write(kit->mesh, kit->file, "y", 1.5);
}

static bool wrong_mesh_probe(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    WRONG(pbf_mesh_probe(kit->context, NULL));
    WRONG(pbf_mesh_probe(kit->context, ""));
    WRONG(pbf_mesh_probe(kit->context, "-"));
    WRONG(pbf_mesh_probe(kit->context, "mesh.stl"));
    WRONG(pbf_mesh_probe(kit->context, "mesh"));
    return false;
}

static pbf_result right_mesh_probe(LibraryKit *kit)
{
    char path[320];
    snprintf(path, sizeof path, "%s/probed.vtp", folder);
    pbf_result result = pbf_mesh_probe(kit->context, path);
    assert_null(fopen(path, "r"));
    return result;
}

static pbf_result right_format(LibraryKit *kit)
{
    (void)kit;
    assert_string_equal(pbf_format(0), "ply");
    assert_null(pbf_format(UINT32_MAX));
    return good;
}

static bool wrong_sim_write(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    WRONG(pbf_sim_write(NULL, "ply", kit->file, NULL));
    WRONG(pbf_sim_write(kit->sim, NULL, kit->file, NULL));
    WRONG(pbf_sim_write(kit->sim, "", kit->file, NULL));
    WRONG(pbf_sim_write(kit->sim, "stl", kit->file, NULL));
    WRONG(pbf_sim_write(kit->sim, "abc", kit->file, NULL)); // of many frames
    WRONG(pbf_sim_write(kit->sim, "diffuse_ply", kit->file, NULL));
    WRONG(pbf_sim_write(kit->sim, "strands_ply", kit->file, NULL));
    WRONG(pbf_sim_write(kit->sim, "ply", NULL, NULL));
    WRONG(pbf_sim_write(kit->sim, "ply", "-", NULL));
    WRONG(pbf_sim_write(kit->sim, "ply", "no/such/folder/a.ply", NULL));
    WRONG(pbf_sim_write(kit->sim, "ply", kit->file, "north"));
    return false;
}

static pbf_result right_sim_write(LibraryKit *kit)
{
    pbf_result result = pbf_sim_write(kit->sim, "obstacles_ply", kit->file, "z");
    return result.code == PBF_OK ? pbf_sim_write(kit->sim, "vtp", kit->file, NULL) : result;
}

// --- measurements ---

static bool wrong_sim_watch(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    (void)kit;
    WRONG(pbf_sim_watch(NULL, 1));
    return false;
}

static pbf_result right_sim_watch(LibraryKit *kit)
{
    pbf_result result = pbf_sim_watch(kit->sim, -1);
    pbf_result ended = pbf_sim_watch(kit->sim, 0);
    return result.code == PBF_OK ? ended : result;
}

static pbf_result right_sim_column(LibraryKit *kit)
{
    pbf_column column = {.name = NULL};
    assert_false(pbf_sim_column(kit->sim, 0, &column)); // nothing is measured
    assert_true(column.name && column.unit);
    pbf_result result = pbf_sim_watch(kit->sim, 1);
    assert_int_equal(pbf_sim_column(kit->sim, 0, &column), result.code == PBF_OK);
    assert_false(pbf_sim_column(kit->sim, UINT32_MAX, &column) || pbf_sim_column(NULL, 0, &column) ||
                 pbf_sim_column(kit->sim, 0, NULL));
    pbf_sim_watch(kit->sim, 0);
    return result;
}

static bool wrong_sim_row(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    double numbers[64];
    WRONG(pbf_sim_row(NULL, numbers, 64));
    WRONG(pbf_sim_row(kit->sim, NULL, 64));
    WRONG(pbf_sim_row(kit->sim, numbers, 0)); // nothing is measured
    ASSERT_PBF(pbf_sim_watch(kit->sim, 1));
    const uint32_t counts[] = {0, 1, UINT32_MAX};
    bool made = k < 3;
    if (made) *out = pbf_sim_row(kit->sim, numbers, counts[k]);
    ASSERT_PBF(pbf_sim_watch(kit->sim, 0));
    return made;
}

static pbf_result right_sim_row(LibraryKit *kit)
{
    double numbers[64] = {0};
    uint32_t count = 0;
    pbf_column column;
    pbf_result result = pbf_sim_watch(kit->sim, 1);
    while (pbf_sim_column(kit->sim, count, &column)) count++;
    if (result.code == PBF_OK) result = pbf_sim_row(kit->sim, numbers, count);
    assert_true(result.code != PBF_OK || numbers[0] > 0);
    pbf_sim_watch(kit->sim, 0);
    return result;
}

static bool wrong_sim_resume(LibraryKit *kit, uint32_t k, pbf_result *out)
{
    pbf_sim *made;
    WRONG(pbf_sim_resume(kit->scene, kit->state, NULL));
    WRONG(pbf_sim_resume(NULL, kit->state, &made));
    WRONG(pbf_sim_resume(kit->scene, NULL, &made));
    WRONG(pbf_sim_resume(kit->scene, "", &made));
    WRONG(pbf_sim_resume(kit->scene, "no/such/state.pbf", &made));
    WRONG(pbf_sim_resume(kit->scene, folder, &made));
    WRONG(pbf_sim_resume(kit->scene, kit->particles, &made));
    return false;
}

static pbf_result right_sim_resume(LibraryKit *kit)
{
    pbf_sim *made;
    pbf_result result = pbf_sim_resume(kit->scene, kit->state, &made);
    assert_true(!made == (result.code != PBF_OK));
    pbf_sim_destroy(made);
    return result;
}

static const LibraryRow rows[] = {
    {"pbf_surface", wrong_surface, right_surface, false},
    {"pbf_spacing", wrong_spacing, right_spacing, false},
    {"pbf_sim_surface", wrong_sim_surface, right_sim_surface, false},
    {"pbf_mesh_get", wrong_mesh_get, right_mesh_get, false},
    {"pbf_mesh_destroy", NULL, right_surface, false},
    {"pbf_slice_field", NULL, right_slice_field, false},
    {"pbf_slice_create", wrong_slice_create, right_slice_create, false},
    {"pbf_slice_get", wrong_slice_get, right_slice_get, false},
    {"pbf_slice_write", wrong_slice_write, right_slice_write, false},
    {"pbf_slice_destroy", NULL, right_slice_create, false},
    {"pbf_method", NULL, right_method, false},
    {"pbf_search_create", wrong_search_create, right_search_create, false},
    {"pbf_search_run", wrong_search_run, right_search_run, false},
    {"pbf_search_destroy", NULL, right_search_create, false},
    {"pbf_cloud_load", wrong_cloud_load, right_cloud_load, false},
    {"pbf_cloud_get", wrong_cloud_get, right_cloud_get, false},
    {"pbf_cloud_destroy", NULL, right_cloud_load, false},
    {"pbf_mesh_write", wrong_mesh_write, right_mesh_write, false},
    {"pbf_mesh_probe", wrong_mesh_probe, right_mesh_probe, false},
    {"pbf_format", NULL, right_format, false},
    {"pbf_sim_write", wrong_sim_write, right_sim_write, false},
    {"pbf_sim_watch", wrong_sim_watch, right_sim_watch, false},
    {"pbf_sim_column", NULL, right_sim_column, false},
    {"pbf_sim_row", wrong_sim_row, right_sim_row, false},
    {"pbf_sim_resume", wrong_sim_resume, right_sim_resume, false},
};

LibraryRows library_rows_of_points(void)
{
    return (LibraryRows){rows, sizeof rows / sizeof *rows};
}
