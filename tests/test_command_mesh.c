// Files of particles in, meshes out: what is read, what is refused, and what is written.
#include "case_helpers.h"
#include "command_helpers.h"
#include "export/export.h"
#include "export/particle_file.h"
#include "mesh_file_helpers.h"
#include "surface_helpers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void put_float(char **to, float value, bool big)
{
    uint8_t bytes[4];
    memcpy(bytes, &value, 4);
    for (int k = 0; k < 4; k++) *(*to)++ = (char)bytes[big ? 3 - k : k];
}

// Positions (1 2 3), (4 5 6); velocities (7 8 9), (-1 0 0.5).
static const float rows[2][6] = {{1, 2, 3, 7, 8, 9}, {4, 5, 6, -1, 0, 0.5f}};

static void expect_two_particles(const char *path, bool moving)
{
    ParticleFile file;
    Result result = particle_file_read(path, &file);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    assert_int_equal(file.count, 2);
    const float *streams[6] = {file.x, file.y, file.z, file.vx, file.vy, file.vz};
    assert_int_equal(file.vx != NULL, moving);
    for (int k = 0; k < (moving ? 6 : 3); k++) {
        for (int i = 0; i < 2; i++) assert_true(streams[k][i] == rows[i][k]);
    }
    particle_file_free(&file);
}

static void ply_files_are_read_as_text_and_in_both_byte_orders(void **state)
{
    (void)state;
    const char *text = "ply\r\nformat ascii 1.0\r\ncomment from elsewhere\r\nelement face 1\r\n"
                       "property list uchar int vertex_indices\r\nelement vertex 2\r\nproperty double x\r\n"
                       "property float y\r\nproperty uchar red\r\nproperty float z\r\nend_header\r\n"
                       "3 0 1 1\r\n1 2 255 3\r\n4 5 0 6";
    expect_two_particles(test_write_file("text.ply", text, strlen(text)), false);
    for (int big = 0; big < 2; big++) {
        char bytes[1000], *at = bytes;
        at += sprintf(at, "ply\nformat binary_%s_endian 1.0\nelement vertex 2\n", big ? "big" : "little");
        for (int k = 0; k < 6; k++)
            at += sprintf(at, "property float %s\n", &"x\0\0y\0\0z\0\0vx\0vy\0vz"[3 * k]);
        at += sprintf(at, "end_header\n");
        for (int k = 0; k < 12; k++) put_float(&at, rows[k / 6][k % 6], big);
        expect_two_particles(test_write_file("binary.ply", bytes, (size_t)(at - bytes)), true);
    }
}

static void vtk_files_are_read_as_text_and_binary_in_old_and_new_versions(void **state)
{
    (void)state;
    const char *text =
        "# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET POLYDATA\nPOINTS 2 double\n1 2 3\n4 5 6\n"
        "METADATA\nINFORMATION 0\n\nVERTICES 3 2\nOFFSETS vtktypeint64\n0 1 2\n"
        "CONNECTIVITY vtktypeint64\n0 1\n\nPOINT_DATA 2\nSCALARS density float\n"
        "LOOKUP_TABLE default\n1000 1000\nFIELD FieldData 2\npressure 1 2 float\n5 5\n"
        "velocity 3 2 float\n7 8 9 -1 0 0.5\n";
    expect_two_particles(test_write_file("text.vtk", text, strlen(text)), true);
    const char *cells_first =
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 2 float\n1 2 3\n4 5 6\n"
        "VERTICES 3 6\n1 0\n1 1\n1 0\nCELL_DATA 3\nVECTORS velocity float\n1 1 1 2 2 2 3 3 3\n"
        "SCALARS part int\nLOOKUP_TABLE default\n1 2 3\nFIELD FieldData 1\nvelocity 3 3 float\n"
        "1 1 1 2 2 2 3 3 3\nPOINT_DATA 2\nVECTORS velocity float\n7 8 9 -1 0 0.5\n"
        "CELL_DATA 3\nSCALARS more bit\n1 0 1\n";
    expect_two_particles(test_write_file("cells.vtk", cells_first, strlen(cells_first)), true);
    char bytes[1000], *at = bytes;
    at += sprintf(at, "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 2 float\n");
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) put_float(&at, rows[i][k], true);
    }
    at += sprintf(at, "\nCELLS 2 4\n");
    const char cells[16] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(at, cells, 16);
    at += 16;
    at += sprintf(at, "\nCELL_TYPES 2\n");
    memcpy(at, cells, 8);
    at += 8;
    at += sprintf(at, "\nPOINT_DATA 2\nVECTORS velocity float\n");
    for (int i = 0; i < 2; i++) {
        for (int k = 3; k < 6; k++) put_float(&at, rows[i][k], true);
    }
    size_t size = (size_t)(at - bytes);
    expect_two_particles(test_write_file("binary.vtk", bytes, size), true);
    // Cut anywhere, it is refused or lacks only the velocities.
    for (size_t cut = 0; cut < size; cut++) {
        ParticleFile file;
        Result result = particle_file_read(test_write_file("cut.vtk", bytes, cut), &file);
        if (result_is_ok(&result))
            assert_true(file.count == 2 && file.vx == NULL);
        else
            assert_non_null(strstr(result.text, "cut.vtk"));
        particle_file_free(&file);
    }
}

static void malformed_files_are_refused_in_one_line(void **state)
{
    (void)state;
#define HEAD "ply\nformat ascii 1.0\nelement vertex "
#define XYZ "\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
#define VTK "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n"
    static const char *const cases[][2] = {
        {"", "the file is empty"},
        {"solid cube\n", "the format is unknown"},
        {"ply\nformat ascii 1.0\nelement vertex 2\n", "end_header is missing"},
        {"ply\nend_header\n", "names no format"},
        {"ply\nformat pdp11 1.0\n", ":2: unknown format"},
        {"ply\nformat ascii 1.0\nproperty float x\n", ":3: a property before any element"},
        {"ply\nformat ascii 1.0\nelement vertex -1\n", "not a count"},
        {HEAD "2\nproperty quad x\n", "unknown type"},
        {HEAD "1\nproperty float x\nproperty float y\nend_header\n1 2\n", "no property z"},
        {"ply\nformat ascii 1.0\nelement face 0\nend_header\n", "no element \"vertex\""},
        {HEAD "2" XYZ "1 2 3\n4.25 5", "z is missing"},
        {HEAD "2000000000" XYZ "1 2 3\n", "need at least 12000000000 bytes, 6 follow"},
        {HEAD "1" XYZ "1 two 3\n", "vertex 0 of 1: y is missing or not a number"},
        {HEAD "2" XYZ "1 2 3\n4 nan 6\n", "particle 1: y = nan (must be finite)"},
        {HEAD "1" XYZ "1 2 1e999\n", "particle 0: z = inf"},
        {HEAD "1" XYZ "1 2 1e39\n", "particle 0: z = inf"},
        {"# vtk DataFile Version 3.0\nt\nMORSE\n", "neither ASCII nor BINARY"},
        {"# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n", "STRUCTURED_POINTS"},
        {VTK, "no points"},
        {VTK "POINTS 2\n", "a count and a type"},
        {VTK "POINTS 2000000000 float\n1 2 3\n", "6000000000 numbers are announced"},
        {VTK "POINTS 2 float\n1 2 3 4 5 six", "the file ends or has no number"},
        {VTK "POINTS 1 float\n1 2 3\nPOINT_DATA 7\n", "another number of points"},
        {VTK "POINTS 1 float\n1 2 3\nCELL_DATA\n", "data of cells need a count"},
        {VTK "POINTS 1 float\n1 2 3\nCELL_DATA 2\nSCALARS a float\n1", "the file ends or has no number"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ParticleFile file;
        Result result = particle_file_read(test_write_file("bad", cases[k][0], strlen(cases[k][0])), &file);
        assert_int_equal(result.code, RESULT_USAGE);
        if (!strstr(result.text, cases[k][1]))
            fail_msg("case %zu: \"%s\" lacks \"%s\"", k, result.text, cases[k][1]);
        assert_non_null(strstr(result.text, "/bad:"));
        particle_file_free(&file);
    }
    ParticleFile file;
    Result result = particle_file_read(test_path(folder, "absent.ply"), &file);
    assert_int_equal(result.code, RESULT_USAGE);
    particle_file_free(&file);
}

// A block of 6 x 6 x 6 particles as text.
static const char *write_block(void)
{
    char *text = malloc(20000), *at = text;
    at += sprintf(at, HEAD "216" XYZ);
    for (int k = 0; k < 216; k++) at += sprintf(at, "%g %g %g\n", k % 6 * 0.1, k / 6 % 6 * 0.1, k / 36 * 0.1);
    const char *path = test_write_file("block.ply", text, strlen(text));
    free(text);
    return path;
}

static void meshes_are_written_in_every_format_and_are_sound(void **state)
{
    (void)state;
    const char *input = write_block();
    for (uint32_t k = 0; file_format(k); k++) {
        char name[32];
        if (file_format(k)->kind != GEOMETRY_SURFACE) continue;
        snprintf(name, sizeof name, "mesh.%s", file_format(k)->suffix);
        const char *path = test_path(folder, name);
        ChildRun run = child_run("mesh %s --out %s%s", input, path, k % 2 ? " --spacing 0.1" : "");
        if (run.status != 0) fail_msg("status %d: %s", run.status, run.err);
        child_free(&run);
        SurfaceMesh mesh = test_read_mesh(path);
        mesh_assert_sound(&mesh);
        MeshVerdict verdict = mesh_judge(&mesh);
        assert_int_equal(verdict.euler, 2);
        assert_true(verdict.volume > 0.15 && verdict.volume < 0.28); // 0.216, the estimate of so few is rough
        test_mesh_free(&mesh);
    }
}

static void results_are_reported_and_settings_change_them(void **state)
{
    (void)state;
    const char *input = write_block(), *path = test_path(folder, "mesh.ply");
    uint32_t triangles[2];
    for (int k = 0; k < 2; k++) {
        ChildRun run = child_run("mesh %s --out %s --spacing 0.1 --set surface.cell=%s", input, path,
                                 k == 0 ? "0.5" : "0.25");
        assert_int_equal(run.status, 0);
        assert_string_equal(run.err, "");
        SurfaceMesh mesh = test_read_mesh(path);
        char wanted[80];
        snprintf(wanted, sizeof wanted, "mesh       %u,%03u triangles", mesh.triangle_count / 1000,
                 mesh.triangle_count % 1000);
        if (!strstr(run.out, wanted)) fail_msg("\"%s\" lacks \"%s\"", run.out, wanted);
        double volume = strtod(strstr(run.out, "volume     ") + 11, NULL);
        assert_true(fabs(volume / mesh_judge(&mesh).volume - 1) < 1e-4);
        assert_non_null(strstr(run.out, "particles  216, spacing 0.1 m (from --spacing)"));
        assert_non_null(strstr(run.out, "MB beyond the particles"));
        triangles[k] = mesh.triangle_count;
        test_mesh_free(&mesh);
        child_free(&run);
    }
    assert_true(triangles[1] > 3 * triangles[0] && triangles[1] < 5 * triangles[0]);
    ChildRun quiet = child_run("mesh %s --out %s --quiet", input, path);
    assert_int_equal(quiet.status, 0);
    assert_string_equal(quiet.out, "");
    assert_string_equal(quiet.err, "");
    child_free(&quiet);
}

static void expect_refusal(const char *words, int status, const char *arguments)
{
    ChildRun run = child_run("%s", arguments);
    if (run.status != status) fail_msg("pbf %s: status %d: %s", arguments, run.status, run.err);
    if (!strstr(run.err, words)) fail_msg("pbf %s: \"%s\" lacks \"%s\"", arguments, run.err, words);
    const char *newline = strchr(run.err, '\n');
    assert_true(newline && newline[1] == '\0');
    child_free(&run);
}

static void wrong_calls_and_files_are_refused(void **state)
{
    (void)state;
    char call[600];
    const char *input = write_block();
    expect_refusal("a file of particles is missing", 2, "mesh --out a.ply");
    snprintf(call, sizeof call, "mesh %s", input);
    expect_refusal("--out is missing", 2, call);
    snprintf(call, sizeof call, "mesh %s --out %s/mesh.stl", input, folder);
    expect_refusal("is not a name of a mesh file (.ply, .obj, .vtk, .vtp, .usda, .vdb)", 2, call);
    snprintf(call, sizeof call, "mesh %s/absent.vtk --out %s/mesh.ply", folder, folder);
    expect_refusal("absent.vtk: cannot be opened: No such file", 2, call);
    // Before anything is read.
    snprintf(call, sizeof call, "mesh %s/absent.vtk --out %s/none/mesh.ply", folder, folder);
    expect_refusal("none/mesh.ply: cannot write: its folder is missing", 2, call);
    snprintf(call, sizeof call, "mesh %s --out %s/mesh.ply --set surface.cell=3", input, folder);
    expect_refusal("--set surface.cell: 3 is out of range (0.1 to 2 spacings)", 2, call);
    snprintf(call, sizeof call, "mesh %s --out %s/mesh.ply --set solver.iterations=3", input, folder);
    expect_refusal("--set solver.iterations: has no effect here (surface.*)", 2, call);
    const char *lone = HEAD "1" XYZ "1 2 3\n";
    snprintf(call, sizeof call, "mesh %s --out %s/mesh.ply", test_write_file("lone.ply", lone, strlen(lone)),
             folder);
    expect_refusal("the spacing cannot be estimated (--spacing METERS gives it)", 2, call);
    const char *far = HEAD "2" XYZ "1 2 3\n1e30 0 0\n";
    snprintf(call, sizeof call, "mesh %s --out %s/mesh.ply", test_write_file("far.ply", far, strlen(far)),
             folder);
    expect_refusal("far.ply: the spacing cannot be estimated (--spacing METERS gives it)", 2, call);
}

// Georeferenced water: doubles of the file that floats cannot tell apart.
static void particles_too_far_from_the_origin_for_floats_are_told(void **state)
{
    (void)state;
    static const struct {
        double y;
        const char *spacing;
        bool told;
        int status;
    } cases[] = {{4e6, "0.1", true, 2}, {4e6, "10", false, 0}, {3e4, "0.1", false, 0}, {1e5, "0.1", true, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[300];
        snprintf(text, sizeof text, HEAD "2" XYZ "1 %.3f 3\n1.1 %.3f 3\n", cases[k].y, cases[k].y);
        const char *input = test_write_file("far.ply", text, strlen(text));
        ChildRun run = child_run("mesh %s --spacing %s --out %s/mesh.ply", input, cases[k].spacing, folder);
        assert_int_equal(run.status, cases[k].status);
        bool told = strstr(run.err, "coordinates go in steps of") != NULL;
        if (told != cases[k].told) fail_msg("%zu: %s", k, run.err);
        child_free(&run);
    }
}

static void particles_of_every_format_give_the_same_mesh_at_the_spacing_of_their_run(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"ply", "vtk", "vtp", "bgeo"};
    ChildRun run = child_run("render scenes/dam_break.yaml --spacing 0.625 --size 64x48 --frames 2 --fps 4 "
                             "--out %s/run --export ply,vtk,vtp,bgeo",
                             folder);
    if (run.status != 0) fail_msg("status %d: %s", run.status, run.err);
    child_free(&run);
    char *first = NULL;
    long sizes[2];
    for (int k = 0; k < 4; k++) {
        const char *path = test_path(folder, "same.ply");
        run = child_run("mesh %s/run/particles_0001.%s --out %s", folder, suffixes[k], path);
        if (run.status != 0) fail_msg("status %d: %s", run.status, run.err);
        assert_non_null(strstr(run.out, "spacing 0.625 m (from the file)"));
        child_free(&run);
        char *text = test_read_file(path, &sizes[k > 0]);
        assert_true(k == 0 || (sizes[0] == sizes[1] && memcmp(text, first, (size_t)sizes[0]) == 0));
        if (k == 0) first = text;
        if (k > 0) free(text);
    }
    assert_true(sizes[0] > 10000);
    free(first);
}

static void a_file_without_particles_gives_a_mesh_without_triangles(void **state)
{
    (void)state;
    const char *none = HEAD "0" XYZ, *path = test_path(folder, "none-mesh.obj");
    ChildRun run = child_run("mesh %s --out %s", test_write_file("none.ply", none, strlen(none)), path);
    if (run.status != 0) fail_msg("status %d: %s", run.status, run.err);
    child_free(&run);
    char *text = test_read_file(path, NULL);
    assert_string_equal(text, "# pbf surface: 0 vertices, 0 triangles\n");
    free(text);
}

// The call is refused and leaves the file that it would write over as it is.
static void expect_kept(const char *call, const char *input, const char *output, const char *path)
{
    char *before = test_read_file(path, NULL);
    child_assert_failed(child_run("%s %s/%s --spacing 1 --out %s/%s", call, folder, input, folder, output), 2,
                        "is one of the files that are read");
    char *after = test_read_file(path, NULL);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void particles_are_not_replaced_by_what_is_made_of_them(void **state)
{
    (void)state;
    const char *
        text = HEAD "2" XYZ "0 0 0\n1 0 0\n",
       *index = "{\"file-series-version\": \"1.0\", \"files\": "
                "[{\"name\": \"keep_0000.ply\", \"time\": 0}, {\"name\": \"keep_0001.ply\", \"time\": 1}]}\n";
    test_write_file("keep_0000.ply", text, strlen(text));
    const char *path = test_write_file("keep_0001.ply", text, strlen(text));
    expect_kept("mesh", "keep_0001.ply", "./keep_0001.ply", path);
    expect_kept("mesh", "keep_{}.ply", "keep.ply", path);
    shell_or_fail("ln -sf keep_0001.ply %s/latest.ply", folder);
    expect_kept("mesh", "latest.ply", "keep_0001.ply", path);
    expect_kept("mesh", "keep_0001.ply", "latest.ply", path);
    text = HEAD "1\nproperty float vx\nproperty float vy\nproperty float vz" XYZ "0 0 0 0 0 0\n";
    path = test_write_file("diffuse_0000.ply", text, strlen(text));
    expect_kept("foam --overwrite", "diffuse_0000.ply", "", path);
    text =
        "<VTKFile type=\"PolyData\" version=\"0.1\"><PolyData><Piece NumberOfPoints=\"1\"><Points><DataArray "
        "type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0</DataArray></Points></Piece>"
        "</PolyData></VTKFile>";
    path = test_write_file("keep.vtp", text, strlen(text));
    expect_kept("slice --plane 0,0,0,0,0,1", "keep.vtp", "keep.vtp", path);
    expect_kept("mesh", "keep.ply.series", "keep{}.ply",
                test_write_file("keep.ply.series", index, strlen(index)));
}

static void control_characters_in_names_do_not_reach_the_terminal(void **state)
{
    (void)state;
    static const char *const calls[][2] = {
        {"mesh %s/n\033\n_0000.ply --spacing 1 --out %s/o\033\n.obj", "/o??.obj\n"},
        {"mesh %s/n\033\n_{}.ply --spacing 1 --out %s/o\033\n.obj", "\no??_0000.obj  1 particles"},
        {"mesh %s/n\033\n_{}.ply --spacing 1 --out %s/o\033\n.obj", "/o??.obj.series\n"},
        {"foam %s/n\033\n_{}.ply --spacing 1 --out %s/foam", "/n??_0000.ply  1 particles"},
        {"run scenes/dam_break.yaml --dry-run --spacing 1 --out %s/o\033\n", "/o??\n"},
    };
    const char *text = HEAD "1\nproperty float vx\nproperty float vy\nproperty float vz" XYZ "0 0 0 0 0 0\n";
    test_write_file("n\033\n_0000.ply", text, strlen(text));
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        char call[300];
        snprintf(call, sizeof call, calls[k][0], folder, folder);
        ChildRun run = child_run("%s", call);
        if (run.status != 0) fail_msg("%s", run.err);
        if (strchr(run.out, '\033') || !strstr(run.out, calls[k][1])) fail_msg("%s", run.out);
        child_free(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ply_files_are_read_as_text_and_in_both_byte_orders),
        cmocka_unit_test(vtk_files_are_read_as_text_and_binary_in_old_and_new_versions),
        cmocka_unit_test(malformed_files_are_refused_in_one_line),
        cmocka_unit_test(meshes_are_written_in_every_format_and_are_sound),
        cmocka_unit_test(results_are_reported_and_settings_change_them),
        cmocka_unit_test(wrong_calls_and_files_are_refused),
        cmocka_unit_test(particles_too_far_from_the_origin_for_floats_are_told),
        cmocka_unit_test(particles_of_every_format_give_the_same_mesh_at_the_spacing_of_their_run),
        cmocka_unit_test(a_file_without_particles_gives_a_mesh_without_triangles),
        cmocka_unit_test(particles_are_not_replaced_by_what_is_made_of_them),
        cmocka_unit_test(control_characters_in_names_do_not_reach_the_terminal),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
