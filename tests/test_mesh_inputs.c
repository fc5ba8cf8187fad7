// What other programs write, and many files at once, as `pbf mesh` takes them.
#include "case_helpers.h"
#include "command_helpers.h"
#include "export/export.h"
#include "export/file_sequence.h"
#include "export/particle_file.h"
#include "export/particle_names.h"
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
#include <zlib.h>

#include <cmocka.h>

// Positions (1 2 3), (4 5 6); velocities (7 8 9), (-1 0 0.5).
static const float rows[2][6] = {{1, 2, 3, 7, 8, 9}, {4, 5, 6, -1, 0, 0.5f}};

static void expect_two_particles(const char *path, const char *velocity)
{
    ParticleFile file;
    Result result = particle_file_read(path, &file);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    assert_int_equal(file.count, 2);
    assert_string_equal(file.velocity, velocity);
    assert_int_equal(file.vx != NULL, *velocity != '\0');
    for (int k = 0; k < (*velocity ? 6 : 3); k++) {
        for (int i = 0; i < 2; i++) assert_true(file.stream[k][i] == rows[i][k]);
    }
    particle_file_free(&file);
}

static void names_of_other_programs_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int column;
    } cases[] = {{"x", 0},          {"Y", 1},      {"Pos.z [m]", 2},   {"\"Points:0\"", 0}, {"Points_2", 2},
                 {"position_y", 1}, {"vx", 3},     {"Vel.y [m/s]", 4}, {"velocity:2", 5},   {"v_z", 5},
                 {"Ux", 3},         {"index", -1}, {"density", -1},    {"v1", -1},          {"2", -1},
                 {"", -1},          {"nx", -1},    {"max", -1},        {"velocity", -1},    {"red", -1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int column = particle_name_column(cases[k].name, strlen(cases[k].name));
        if (column != cases[k].column) fail_msg("\"%s\": column %d", cases[k].name, column);
    }
    static const char *const velocities[] = {"velocity", "Vel", "velocities", "v", "U", NULL};
    for (int k = 0; velocities[k]; k++)
        assert_true(particle_name_is_velocity(velocities[k], strlen(velocities[k])));
    assert_false(particle_name_is_velocity("vorticity", 9));
    assert_false(particle_name_is_velocity("", 0));
}

static void tables_are_read_by_the_names_of_their_columns(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *velocity;
    } cases[] = {
        {"a.csv", "x,y,z\n1,2,3\n4,5,6\n", ""},
        {"a.csv", "id, z, y, x ,vz,vy,vx\n0,3,2,1,9,8,7\r\n1,6,5,4,0.5,0,-1", "vx"},
        // DualSPHysics
        {"a.csv",
         "Np;Time\n2;0.5\n\nPos.x [m];Pos.y [m];Pos.z [m];Idp;Vel.x [m/s];Vel.y [m/s];Vel.z [m/s]\n"
         "1;2;3;0;7;8;9\n4;5;6;1;-1;0;0.5\n",
         "Vel.x [m/s]"},
        // ParaView
        {"a.csv",
         "\"velocity:0\",\"velocity:1\",\"velocity:2\",\"Points:0\",\"Points:1\",\"Points:2\"\n"
         "7,8,9,1,2,3\n-1,0,0.5,4,5,6\n",
         "velocity:0"},
        {"a.csv", "\"label\",\"x\",\"y\",\"z\"\n\"7,8\",\"1\",2,3\n\"a, \"\"b\"\"\",4,5,6\n", ""},
        {"a.xyz", "1 2 3\n  4\t5 6  \n", ""},
        {"a.xyz", "2\nwater\nO 1 2 3\nO 4 5 6\n", ""},
        {"a.xyz", "# comment\n1 2 3 99\n\n4 5 6 98\n", ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_two_particles(test_write_file(cases[k].name, cases[k].text, strlen(cases[k].text)),
                             cases[k].velocity);
    const float bare[6] = {1, 2, 3, 4, 5, 6}; // as splashsurf writes them
    expect_two_particles(test_write_file("bare.xyz", bare, sizeof bare), "");
}

// --- bgeo ---

typedef struct Bytes {
    char at[2000000];
    size_t used;
} Bytes;

static void put(Bytes *to, const void *bytes, size_t count)
{
    assert_true(to->used + count <= sizeof to->at);
    memcpy(to->at + to->used, bytes, count);
    to->used += count;
}

static void put_big(Bytes *to, uint64_t number, int bytes)
{
    for (int k = bytes; k-- > 0;) put(to, &(char){(char)(number >> 8 * k)}, 1);
}

static void put_float(Bytes *to, float value)
{
    uint32_t word;
    memcpy(&word, &value, 4);
    put_big(to, word, 4);
}

static void put_head(Bytes *to, uint32_t points, uint32_t attributes)
{
    put(to, "BgeoV", 5);
    put_big(to, 5, 4);
    put_big(to, points, 4);
    for (int k = 0; k < 3; k++) put_big(to, 0, 4);
    put_big(to, attributes, 4);
    for (int k = 0; k < 3; k++) put_big(to, 0, 4);
}

static void put_definition(Bytes *to, const char *name, int words, int type)
{
    put_big(to, strlen(name), 2);
    put(to, name, strlen(name));
    put_big(to, (uint64_t)words, 2);
    put_big(to, (uint64_t)type, 4);
    for (int k = 0; k < words && type != 4; k++) put_big(to, 0, 4);
    if (type != 4) return;
    put_big(to, 2, 4); // two texts to choose from
    for (int k = 0; k < 2; k++) put_big(to, 3, 2), put(to, "abc", 3);
}

// As SPlisHSPlasH writes its particles, with a text beside.
static void put_two_particles(Bytes *to)
{
    to->used = 0;
    put_head(to, 2, 3);
    put_definition(to, "id", 1, 1);
    put_definition(to, "name", 1, 4);
    put_definition(to, "velocity", 3, 5);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) put_float(to, rows[i][k]);
        put_float(to, 1);
        put_big(to, (uint64_t)i, 4);
        put_big(to, 1, 4);
        for (int k = 3; k < 6; k++) put_float(to, rows[i][k]);
    }
    put(to, "\0\xff", 2);
}

static const char *write_packed(const char *name, const Bytes *bytes)
{
    const char *path = test_path(folder, name);
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes->at, (unsigned)bytes->used), (int)bytes->used);
    assert_int_equal(gzclose(file), Z_OK);
    return path;
}

static Bytes bytes;

static void bgeo_files_are_read_plain_and_packed_and_refused_where_they_are_cut(void **state)
{
    (void)state;
    put_two_particles(&bytes);
    expect_two_particles(test_write_file("two.bgeo", bytes.at, bytes.used), "velocity");
    expect_two_particles(write_packed("two.bgeo", &bytes), "velocity");
    for (size_t cut = 0; cut < bytes.used - 2; cut++) { // the last two bytes say nothing
        ParticleFile file;
        Result result = particle_file_read(test_write_file("cut.bgeo", bytes.at, cut), &file);
        assert_int_equal(result.code, RESULT_USAGE);
        assert_non_null(strstr(result.text, "cut.bgeo: "));
        particle_file_free(&file);
    }
}

static void malformed_files_are_refused_in_one_line(void **state)
{
    (void)state;
    static const struct {
        const char *name, *bytes;
        size_t size;
        const char *wanted;
    } cases[] = {
        {"a.csv", "1;2\n", 4, "has no columns x, y and z"},
        {"a.csv", "x,y,z\n1,2,3\n4,,6\n", 16, "a.csv:3: y is \"\" (a number is needed)"},
        {"a.csv", "x,y,z\n1,2\n", 10, "a.csv:2: z is missing"},
        {"a.csv", "x,y,z\n1,2,inf\n", 14, "z = inf (must be finite)"},
        {"a.xyz", "1 2 3\n1 two 3\n", 14, "a.xyz:2: y is \"two\""},
        {"a.xyz", "\0\0\0\0\0", 5, "neither text nor made of three floats"},
        {"a.csv", "", 0, "the file is empty"},
        {"a", "x,y,z\n1,2,3\n", 12,
         "the format is unknown (allowed: PLY, VTK, bgeo, .csv, .xyz, a checkpoint)"},
        {"a.bgeo", "\x7fNSJb", 5, "Houdini's newer format"},
        {"a.bgeo", "BgeoV\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 41,
         "version 1"},
        {"a.bgeo", "\x1f\x8b\x08 and no more", 16, "is packed with gzip, and damaged or not complete"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ParticleFile file;
        Result result =
            particle_file_read(test_write_file(cases[k].name, cases[k].bytes, cases[k].size), &file);
        assert_int_equal(result.code, RESULT_USAGE);
        if (!strstr(result.text, cases[k].wanted))
            fail_msg("case %zu: \"%s\" lacks \"%s\"", k, result.text, cases[k].wanted);
        particle_file_free(&file);
    }
}

// Details of those names that are not one float each mean something else.
static void bgeo_files_say_time_and_spacing_in_single_floats(void **state)
{
    (void)state;
    ParticleFile file;
    put_two_particles(&bytes);
    bytes.at[40] = 4; // details
    bytes.used -= 2;
    put_definition(&bytes, "time", 1, 0);
    put_definition(&bytes, "spacing", 1, 0);
    put_definition(&bytes, "spacing", 3, 0);
    put_definition(&bytes, "time", 1, 1);
    put_float(&bytes, 0.5f);
    for (int k = 0; k < 4; k++) put_float(&bytes, 0.25f + (float)k);
    put_big(&bytes, 0x40000000, 4);
    ASSERT_OK(particle_file_read(test_write_file("details.bgeo", bytes.at, bytes.used), &file));
    assert_true(file.time == 0.5 && file.spacing == 0.25);
    particle_file_free(&file);
}

// Whatever the bytes are, a file is read or refused in one line that names it; sanitizers watch.
static void random_damage_is_refused_or_read(void **state)
{
    (void)state;
    static const char *const names[] = {"d.bgeo", "d.csv", "d.xyz", "d.pvd", "d.vtk.series"};
    static const char *const texts[] = {
        NULL, "id,x,y,z,vel.x,vel.y,vel.z\n1,2,3,4,5,6,7\n8,9,1e3,-2,3,4,5\n", "2\nwater\nO 1 2 3\nO 4 5 6\n",
        "<?xml version=\"1.0\"?><VTKFile type=\"Collection\"><Collection><DataSet "
        "timestep=\"3.5\" file=\"a_1.ply\"/></Collection></VTKFile>",
        "{\"files\": [{\"name\": \"a_1.vtk\", \"time\": 0.2}, {\"name\": \"b\"}]}"};
    uint64_t random = 1;
    for (int k = 0; k < 5000; k += test_is_quick() ? 7 : 1) {
        int kind = k % 5;
        put_two_particles(&bytes);
        if (texts[kind]) bytes.used = strlen(strcpy(bytes.at, texts[kind]));
        for (int n = 0; n < 1 + k % 3; n++) {
            size_t at = (size_t)((test_cloud_random(&random) + 1) / 2 * (double)bytes.used);
            bytes.at[at] = (char)(128 * test_cloud_random(&random));
        }
        const char *path = test_write_file(names[kind], bytes.at, bytes.used);
        ParticleFile file = {0};
        FileSequence sequence = {0};
        Result result = kind < 3 ? particle_file_read(path, &file)
                                 : file_sequence_find((char *[]){(char *)path}, 1, &sequence);
        assert_true(result_is_ok(&result) ||
                    (result.code == RESULT_USAGE && strstr(result.text, names[kind])));
        assert_null(strchr(result.text, '\n'));
        particle_file_free(&file);
        file_sequence_free(&sequence);
    }
}

// --- a splash ---

// A drop of the given radius, in spacings, cut from a lattice with jitter.
static void add_drop(TestCloud *cloud, Vec3 center, float radius)
{
    int reach = (int)ceilf(radius);
    for (int i = -reach; i <= reach; i++)
        for (int j = -reach; j <= reach; j++)
            for (int k = -reach; k <= reach; k++) {
                if (i * i + j * j + k * k > (int)(radius * radius)) continue;
                Vec3 at = vec3_add(center, vec3_make((float)i, (float)j, (float)k));
                test_cloud_add(cloud, (double)at.x + 0.15 * test_cloud_random(&cloud->random),
                               (double)at.y + 0.15 * test_cloud_random(&cloud->random),
                               (double)at.z + 0.15 * test_cloud_random(&cloud->random));
            }
}

// 25,000 particles in units of their spacing: half of them a pool, the rest a sheet, strands, drops and
// spray.
static void make_splash(TestCloud *cloud)
{
    test_cloud_add_box(cloud, vec3_make(0, 0, 0), 40, 40, 8, 0.2);   // 12,800
    test_cloud_add_box(cloud, vec3_make(0, 0, 12), 2, 60, 40, 0.15); // 4,800
    for (int k = 0; k < 20; k++)                                     // 20 * 4 * 60 = 4,800
        test_cloud_add_box(cloud, vec3_make((float)(60 + 12 * (k % 5)), 0, (float)(12 * (k / 5))), 2, 60, 2,
                           0.15);
    for (int k = 0; cloud->count < 24000; k++)
        add_drop(cloud, vec3_make((float)(-20 - 14 * (k % 6)), (float)(14 * (k / 6)), 30), 2.3f);
    for (int k = 0; cloud->count < 25000; k++)
        test_cloud_add(cloud, 4.5 * (k % 30), 80 + 4.5 * (k / 30), 20 * test_cloud_random(&cloud->random));
}

// SPlisHSPlasH gives a particle of radius r the mass of 0.8 (2 r)^3 of water, which is what it fills at rest.
static void the_volume_of_a_splash_is_kept_without_a_spacing(void **state)
{
    (void)state;
    const double radius = 0.025, volume_of_one = 0.8 * 8 * radius * radius * radius;
    TestCloud cloud = test_cloud_make(25600);
    make_splash(&cloud);
    bytes.used = 0;
    put_head(&bytes, cloud.count, 1);
    put_definition(&bytes, "velocity", 3, 5);
    for (uint32_t i = 0; i < cloud.count; i++) {
        const float at[3] = {cloud.x[i], cloud.y[i], cloud.z[i]};
        for (int k = 0; k < 3; k++) put_float(&bytes, at[k] * (float)cbrt(volume_of_one));
        put_float(&bytes, 1);
        for (int k = 0; k < 3; k++) put_float(&bytes, 1);
    }
    put(&bytes, "\0\xff", 2);
    const char *path = test_path(folder, "splash.ply");
    ChildRun run = child_run("mesh %s --out %s", write_packed("splash.bgeo", &bytes), path);
    if (run.status != 0) fail_msg("%s", run.err);
    assert_non_null(strstr(run.out, "velocities from \"velocity\""));
    SurfaceMesh mesh = test_read_mesh(path);
    double wanted = cloud.count * volume_of_one, volume = mesh_judge(&mesh).volume;
    if (!(fabs(volume / wanted - 1) < 0.05)) fail_msg("%g m^3 of %g m^3: %s", volume, wanted, run.out);
    const char *said = strstr(run.out, "volume     ");
    assert_true(fabs(strtod(said + 11, NULL) / volume - 1) < 1e-4);
    assert_true(fabs(strtod(strstr(said, "of the particles ") + 17, NULL) / wanted - 1) < 0.05);
    test_mesh_free(&mesh);
    child_free(&run);
    test_cloud_free(&cloud);
}

// --- sequences ---

// A block of particles that sinks; n: its number in the sequence.
static void write_block(const char *name, int n)
{
    char *text = malloc(20000), *at = text;
    at += sprintf(at, "x,y,z,vel.x,vel.y,vel.z\n");
    for (int k = 0; k < 216; k++)
        at += sprintf(at, "%g,%g,%g,0,0,-1\n", k % 6 * 0.1, k / 6 % 6 * 0.1, k / 36 * 0.1 - 0.1 * n);
    test_write_file(name, text, strlen(text));
    free(text);
}

static void expect_meshes(const char *stem, const int *numbers, int count)
{
    for (int k = 0; k < count; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%04d.ply", stem, numbers[k]);
        SurfaceMesh mesh = test_read_mesh(test_path(folder, name));
        MeshVerdict verdict = mesh_judge(&mesh);
        assert_true(fabs(verdict.volume / 0.216 - 1) < 0.05);
        float lowest = INFINITY;
        for (uint32_t i = 0; i < mesh.vertex_count; i++) lowest = fminf(lowest, mesh.vertex[i].z);
        assert_true(fabsf(lowest - (-0.05f - 0.1f * (float)numbers[k])) < 0.03f); // the block of that number
        assert_non_null(mesh.velocity);
        test_mesh_free(&mesh);
    }
}

static void expect_index(const char *name, const char *const *words)
{
    char *text = test_read_file(test_path(folder, name), NULL);
    assert_non_null(text);
    for (; *words; words++) {
        if (!strstr(text, *words)) fail_msg("\"%s\" lacks \"%s\"", text, *words);
    }
    free(text);
}

static void sequences_become_sequences_with_an_index(void **state)
{
    (void)state;
    static const int numbers[] = {2, 9, 10};
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "block.%d.csv", numbers[k]); // sorted as texts 10 would come first
        write_block(name, numbers[k]);
    }
    const char *const rated[] = {"{\"name\": \"a_0002.ply\", \"time\": 0.2}",
                                 "\"a_0009.ply\", \"time\": 0.9}", "\"a_0010.ply\", \"time\": 1}", NULL};
    child_assert_done(
        child_run("mesh %s/block.{}.csv --out %s/a.ply --fps 10 --radius 0.05", folder, folder));
    expect_meshes("a", numbers, 3);
    expect_index("a.ply.series", rated);
    // The index of that one, of meshes as it is; a folder; files one by one; all say the same.
    const char *index =
        "{\"files\": [{\"name\": \"block.2.csv\", \"time\": 0.2}, {\"name\": \"block.10.csv\", "
        "\"time\": 1e0}]}";
    test_write_file("in.csv.series", index, strlen(index));
    child_assert_done(child_run("mesh %s/in.csv.series --out %s/b_{}.ply --spacing 0.1", folder, folder));
    expect_meshes("b", (const int[]){2, 10}, 2);
    expect_index("b.ply.series", (const char *const[]){"b_0010.ply\", \"time\": 1}", NULL});
    const char *pvd = "<?xml version=\"1.0\"?><VTKFile type=\"Collection\"><Collection>"
                      "<DataSet timestep=\"3.5\" file=\"block.9.csv\"/></Collection></VTKFile>";
    test_write_file("in.pvd", pvd, strlen(pvd));
    child_assert_done(child_run("mesh %s/in.pvd --out %s/c.ply --spacing 0.1", folder, folder));
    expect_index("c.ply.series", (const char *const[]){"c_0009.ply\", \"time\": 3.5}", NULL});
    child_assert_done(child_run("mesh %s/block.9.csv %s/block.2.csv --out %s/d.vtp", folder, folder, folder));
    expect_index("d.pvd",
                 (const char *const[]){"file=\"d_0002.vtp\"/>\n    <DataSet", "file=\"d_0009.vtp\"", NULL});
}

static void folders_may_be_called_as_patterns_are(void **state)
{
    (void)state;
    shell_or_fail("mkdir '%s/a{}b' '%s/[a]*'", folder, folder);
    write_block("a{}b/block.1.csv", 1);
    write_block("a{}b/block.2.csv", 2);
    write_block("[a]*/block.1.csv", 1);
    child_assert_done(child_run("mesh %s/a{}b --out %s/a{}b/c_{}.ply --radius 0.05", folder, folder));
    child_assert_done(
        child_run("mesh %s/a{}b/block.{}.csv --out %s/a{}b/d.ply --radius 0.05", folder, folder));
    child_assert_done(child_run("mesh %s/[a]* --out %s/a{}b/{}.ply --radius 0.05", folder, folder));
    expect_meshes("a{}b/c", (const int[]){1, 2}, 2);
    expect_meshes("a{}b/d", (const int[]){1, 2}, 2);
    expect_index("a{}b/c.ply.series", (const char *const[]){"\"c_0002.ply\"", NULL});
    expect_index("a{}b/mesh.ply.series", (const char *const[]){"\"0001.ply\"", NULL});
    assert_int_equal(access(test_path(folder, "a{}b/0002.ply"), F_OK), -1); // of the folder a{}b
}

static void sequences_that_are_not_there_are_refused(void **state)
{
    (void)state;
    child_assert_failed(child_run("mesh %s/none_{}.vtk --out %s/a.ply", folder, folder), 2, "no such file");
    child_assert_failed(child_run("mesh %s --out %s/a.ply", folder, folder), 2, "holds no numbered files");
    write_block("a_1.csv", 1);
    write_block("b_1.csv", 1);
    child_assert_failed(child_run("mesh %s --out %s/a.ply", folder, folder), 2, "holds several sequences");
    test_write_file("bad.pvd", "<VTKFile><", 10);
    child_assert_failed(child_run("mesh %s/bad.pvd --out %s/a.ply", folder, folder), 2, "a tag is malformed");
    test_write_file("bad.series", "[]", 2);
    child_assert_failed(child_run("mesh %s/bad.series --out %s/a.ply", folder, folder), 2,
                        "lists no \"files\"");
    child_assert_failed(child_run("mesh %s/a_1.csv --out %s/a.ply --radius 1 --spacing 2", folder, folder), 2,
                        "--radius: --spacing is given as well");
}

// Whatever else the run exports into it.
static void a_folder_of_a_run_stands_for_its_particles(void **state)
{
    (void)state;
    write_block("water_1.csv", 1);
    for (uint32_t k = 0; file_format(k); k++) {
        char name[60];
        if (file_format(k)->kind == GEOMETRY_PARTICLES) continue;
        snprintf(name, sizeof name, "%s_0001.%s", file_format(k)->stem, file_format(k)->suffix);
        test_write_file(name, "x", 1);
    }
    FileSequence sequence = {0};
    ASSERT_OK(file_sequence_find((char *[]){(char *)folder}, 1, &sequence));
    assert_int_equal(sequence.count, 1);
    assert_string_equal(sequence.files[0].path, test_path(folder, "water_1.csv"));
    file_sequence_free(&sequence);
}

// A mesh is not particles: in every format that has both it is told.
static void meshes_are_told_from_particles(void **state)
{
    (void)state;
    static const char *const files[][2] = {
        {"tri.ply",
         "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 "
         "2\n"},
        {"tri.vtk",
         "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\n"
         "POLYGONS 1 4\n3 0 1 2\n"},
        {"tri.vtp",
         "<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\"><PolyData><Piece "
         "NumberOfPoints=\"3\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
         "NumberOfPolys=\"1\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">"
         "0 0 0 1 0 0 0 1 0</DataArray></Points><Polys><DataArray type=\"Int32\" Name=\"connectivity\" "
         "format=\"ascii\">0 1 2</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3"
         "</DataArray></Polys></Piece></PolyData></VTKFile>\n"},
        {"points.vtk",
         "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 "
         "0\nVERTICES 1 4\n3 0 1 2\n"},
    };
    for (int k = 0; k < 4; k++) {
        const char *path = test_write_file(files[k][0], files[k][1], strlen(files[k][1]));
        ChildRun run = child_run("mesh %s --out %s/a.ply --spacing 1", path, folder);
        assert_int_equal(run.status, 0);
        if (!strstr(run.err, "warning: is a mesh of 1 faces; its 3 vertices are taken for particles") !=
            (k == 3))
            fail_msg("%s: %s", path, run.err);
        child_free(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_other_programs_are_known),
        cmocka_unit_test(tables_are_read_by_the_names_of_their_columns),
        cmocka_unit_test(bgeo_files_are_read_plain_and_packed_and_refused_where_they_are_cut),
        cmocka_unit_test(bgeo_files_say_time_and_spacing_in_single_floats),
        cmocka_unit_test(malformed_files_are_refused_in_one_line),
        cmocka_unit_test(random_damage_is_refused_or_read),
        cmocka_unit_test(the_volume_of_a_splash_is_kept_without_a_spacing),
        cmocka_unit_test_setup_teardown(sequences_become_sequences_with_an_index, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(meshes_are_told_from_particles, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_folder_of_a_run_stands_for_its_particles, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(folders_may_be_called_as_patterns_are, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(sequences_that_are_not_there_are_refused, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
