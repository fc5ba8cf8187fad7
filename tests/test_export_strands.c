// Strands in files, read back as lines by readers of the tests' own, by VTK, and as particles by the program.
#include "case_helpers.h"
#include "core/random.h"
#include "core/srgb.h"
#include "export/export.h"
#include "export/particle_file.h"
#include "export/whole_file.h"
#include "vtp_file_helpers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Two groups: three strands of four segments, and two of six.
#define STRANDS 5
#define POINTS 29
static const uint32_t first_of[STRANDS + 1] = {0, 5, 10, 15, 22, 29};

static Strands *make_strands(void)
{
    StrandDef defs[2] = {STRAND_DEF_DEFAULT, STRAND_DEF_DEFAULT};
    for (int k = 0; k < 2; k++) {
        defs[k].layout = STRAND_MEADOW;
        defs[k].hi = vec3_make(1, 2, 0.5f);
        defs[k].count = k == 0 ? 3 : 2;
        defs[k].segments = k == 0 ? 4 : 6;
        defs[k].radius = k == 0 ? 0.01f : 0.125f;
        defs[k].self_contact = false;
        defs[k].seed = (uint32_t)k;
    }
    defs[1].color[0] = 1.0f, defs[1].color[1] = 0.5f, defs[1].color[2] = 0.25f;
    Strands *strands;
    Vec3 kick[POINTS];
    uint64_t random = 3;
    ASSERT_OK(strands_create(defs, 2, NULL, &strands));
    for (int k = 0; k < POINTS; k++) kick[k] = vec3_make(random_between(&random, -1, 1), 0.5f, 1);
    ASSERT_OK(strands_step(strands, &(StrandStep){.dt = 0.01, .kick = kick}));
    return strands;
}

static FrameView view_of(const Strands *strands)
{
    return (FrameView){.strands = strands, .spacing = 0.1f, .time = 1.5, .origin = {1, -2, 3}};
}

// What a file says of lines.
typedef struct Lines {
    uint32_t count, points;
    uint32_t first[STRANDS + 2];
    Vec3 position[POINTS], velocity[POINTS];
    bool moving;
} Lines;

// A line follows of so many points.
static void add_line(Lines *lines, uint32_t points)
{
    assert_true(lines->count < STRANDS);
    lines->first[lines->count + 1] = lines->first[lines->count] + points;
    lines->count++;
}

static void compare(const Lines *lines, const FrameView *view, UpAxis up)
{
    StrandView strands = strands_view(view->strands);
    assert_int_equal(lines->count, STRANDS);
    assert_int_equal(lines->points, POINTS);
    assert_memory_equal(lines->first, first_of, sizeof first_of);
    for (uint32_t k = 0; k < POINTS; k++) {
        Vec3 at = geometry_turn(up, vec3_add(strands.position[k], view->origin));
        Vec3 v = geometry_turn(up, strands.velocity[k]);
        assert_true(vec3_length(vec3_sub(lines->position[k], at)) < 1e-6f);
        if (lines->moving) assert_true(vec3_length(vec3_sub(lines->velocity[k], v)) < 1e-6f);
    }
}

// --- readers ---

static Lines read_ply(const char *text, const char *end, const FrameView *view)
{
    static const char header[] = "element vertex 29\nproperty float x\nproperty float y\nproperty float z\n"
                                 "property float vx\nproperty float vy\nproperty float vz\n"
                                 "property float radius\nproperty uchar red\nproperty uchar green\n"
                                 "property uchar blue\nproperty uint strand\nproperty uint group\n"
                                 "element edge 24\nproperty int vertex1\nproperty int vertex2\nend_header\n";
    const char *at = strstr(text, header);
    if (!at) fail_msg("%.400s", text);
    at += sizeof header - 1;
    Lines lines = {.points = POINTS, .moving = true};
    StrandView strands = strands_view(view->strands);
    uint32_t strand = 0;
    for (uint32_t k = 0; k < POINTS; k++, at += 24 + 4 + 3 + 8) {
        uint32_t numbers[2];
        float radius;
        memcpy(&lines.position[k], at, 12);
        memcpy(&lines.velocity[k], at + 12, 12);
        memcpy(&radius, at + 24, 4);
        memcpy(numbers, at + 31, 8);
        strand += k == first_of[strand + 1];
        const StrandDef *def = &strands.defs[strands.group[strand]];
        assert_true(radius == def->radius);
        assert_int_equal(numbers[0], strand);
        assert_int_equal(numbers[1], strand < 3 ? 0 : 1);
        for (int c = 0; c < 3; c++)
            assert_int_equal((uint8_t)at[28 + c], lrintf(255 * srgb_of_linear(def->color[c])));
    }
    for (uint32_t k = 0; k < STRANDS; k++) {
        add_line(&lines, first_of[k + 1] - first_of[k]);
        for (uint32_t i = first_of[k]; i + 1 < first_of[k + 1]; i++, at += 8) {
            const uint32_t pair[2] = {i, i + 1};
            assert_memory_equal(at, pair, 8);
        }
    }
    assert_ptr_equal(at, end);
    return lines;
}

static Lines read_obj(char *text)
{
    Lines lines = {.points = 0};
    uint32_t next = 1;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        Vec3 v;
        if (sscanf(line, "v %f %f %f", &v.x, &v.y, &v.z) == 3) {
            assert_true(lines.points < POINTS);
            lines.position[lines.points++] = v;
        } else if (line[0] == 'l') {
            uint32_t points = 0;
            for (char *at = line + 1; *at; points++) assert_int_equal(strtoul(at, &at, 10), next++);
            add_line(&lines, points);
        } else
            assert_int_equal(line[0], '#');
    }
    return lines;
}

static uint32_t big(const char *at)
{
    const uint8_t *b = (const uint8_t *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static const char *take_vectors(const char *text, const char *word, Vec3 *to)
{
    const char *at = strstr(text, word);
    if (!at) fail_msg("no \"%s\"", word);
    at = strchr(at + 1, '\n') + 1;
    for (uint32_t k = 0; k < 3 * POINTS; k++, at += 4) {
        uint32_t number = big(at);
        memcpy((char *)to + 4 * (size_t)k, &number, 4);
    }
    return at;
}

// Binary, so that a word is looked for behind what was read.
static Lines read_vtk(const char *text)
{
    Lines lines = {.points = POINTS, .moving = true};
    const char *at = take_vectors(text, "POINTS 29 float", lines.position);
    assert_int_equal(strncmp(at, "\nLINES 5 34\n", 12), 0);
    at += 12;
    for (uint32_t k = 0, next = 0; k < STRANDS; k++) {
        uint32_t points = big(at);
        add_line(&lines, points);
        for (at += 4; points > 0; points--, at += 4) assert_int_equal(big(at), next++);
    }
    static const char data[] = "\n\nPOINT_DATA 29\nVECTORS velocity float\n";
    if (strncmp(at, data + 1, sizeof data - 2) != 0) fail_msg("%.60s", at);
    at = take_vectors(at, "VECTORS velocity float", lines.velocity);
    static const char cells[] = "\nCELL_DATA 5\nSCALARS radius float 1\nLOOKUP_TABLE default\n";
    if (strncmp(at, cells, sizeof cells - 1) != 0) fail_msg("%.60s", at);
    return lines;
}

static Lines read_vtp(const char *text, const FrameView *view)
{
    Lines lines = {.points = POINTS, .moving = true};
    uint32_t ends[STRANDS], numbers[POINTS], groups[STRANDS], strand[STRANDS];
    float radii[STRANDS];
    assert_non_null(strstr(text, "NumberOfPoints=\"29\" NumberOfVerts=\"0\" NumberOfLines=\"5\""));
    assert_true(test_vtp_array(text, "Points", sizeof lines.position, lines.position));
    assert_true(test_vtp_array(text, "velocity", sizeof lines.velocity, lines.velocity));
    assert_true(test_vtp_array(text, "connectivity", sizeof numbers, numbers));
    assert_true(test_vtp_array(text, "offsets", sizeof ends, ends));
    assert_true(test_vtp_array(text, "radius", sizeof radii, radii));
    assert_true(test_vtp_array(text, "group", sizeof groups, groups));
    assert_true(test_vtp_array(text, "strand", sizeof strand, strand));
    // What programs show at first.
    assert_non_null(strstr(text, "<PointData Vectors=\"velocity\">"));
    assert_non_null(strstr(text, "<CellData Scalars=\"radius\">"));
    for (uint32_t k = 0; k < POINTS; k++) assert_int_equal(numbers[k], k);
    StrandView strands = strands_view(view->strands);
    for (uint32_t k = 0; k < STRANDS; k++) {
        add_line(&lines, ends[k] - lines.first[k]);
        assert_int_equal(strand[k], k);
        assert_true(radii[k] == strands.defs[groups[k]].radius);
    }
    return lines;
}

static const char *list_after(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    if (!at) fail_msg("no \"%s\"", words);
    return at + strlen(words);
}

static uint32_t take_tuples(const char *at, Vec3 *to)
{
    uint32_t count = 0;
    for (; *at != ']'; count++) {
        int used = 0;
        assert_true(count < POINTS);
        assert_int_equal(sscanf(at, "(%f, %f, %f)%n", &to[count].x, &to[count].y, &to[count].z, &used), 3);
        at += used;
        if (*at == ',') at += 2;
    }
    return count;
}

static Lines read_usda(const char *text)
{
    Lines lines = {.moving = true};
    assert_non_null(strstr(text, "def BasisCurves \"strands\"\n{\n    uniform token type = \"linear\"\n"));
    const char *at = list_after(text, "int[] curveVertexCounts = [");
    for (char *next; *at != ']'; at = *next == ',' ? next + 2 : next)
        add_line(&lines, (uint32_t)strtoul(at, &next, 10));
    lines.points = take_tuples(list_after(text, "point3f[] points = ["), lines.position);
    assert_int_equal(take_tuples(list_after(text, "vector3f[] velocities = ["), lines.velocity), POINTS);
    Vec3 colors[POINTS];
    float width[5];
    at = list_after(text, "float[] widths = [");
    assert_int_equal(sscanf(at, "%f, %f, %f, %f, %f]", &width[0], &width[1], &width[2], &width[3], &width[4]),
                     5);
    assert_float_equal(width[2], 0.02f, 1e-6f);
    assert_float_equal(width[3], 0.25f, 1e-6f);
    assert_int_equal(take_tuples(list_after(text, "displayColor = ["), colors), STRANDS);
    assert_float_equal(colors[4].y, 0.5f, 0.01f);
    return lines;
}

// --- tests ---

static void lines_survive_every_format(void **state)
{
    (void)state;
    Strands *strands = make_strands();
    FrameView view = view_of(strands);
    for (int turned = 0; turned < 2; turned++) {
        Geometry geometry = geometry_of_strands(&view);
        geometry.up = turned ? UP_Y : UP_DEFAULT;
        int formats = 0;
        for (uint32_t k = 0; file_format(k); k++) {
            const FileFormat *format = file_format(k);
            char name[40];
            long size;
            if (format->kind != GEOMETRY_STRANDS) continue;
            snprintf(name, sizeof name, "%s.%s", format->stem, format->suffix);
            ASSERT_OK(format->write(test_path(folder, name), &geometry));
            char *text = test_read_file(test_path(folder, name), &size);
            Lines lines = strcmp(format->suffix, "ply") == 0   ? read_ply(text, text + size, &view)
                          : strcmp(format->suffix, "obj") == 0 ? read_obj(text)
                          : strcmp(format->suffix, "vtk") == 0 ? read_vtk(text)
                          : strcmp(format->suffix, "vtp") == 0 ? read_vtp(text, &view)
                                                               : read_usda(text);
            compare(&lines, &view, geometry.up);
            free(text);
            formats++;
        }
        assert_int_equal(formats, 5);
    }
    strands_destroy(strands);
}

static void a_scene_without_strands_has_files_without_lines(void **state)
{
    (void)state;
    FrameView view = {.spacing = 0.1f};
    Geometry geometry = geometry_of_strands(&view);
    for (uint32_t k = 0; file_format(k); k++) {
        const FileFormat *format = file_format(k);
        char name[40];
        if (format->kind != GEOMETRY_STRANDS) continue;
        snprintf(name, sizeof name, "none.%s", format->suffix);
        ASSERT_OK(format->write(test_path(folder, name), &geometry));
        assert_true(whole_file(test_path(folder, name)));
    }
}

static void files_that_are_cut_short_are_not_whole(void **state)
{
    (void)state;
    Strands *strands = make_strands();
    FrameView view = view_of(strands);
    Geometry geometry = geometry_of_strands(&view);
    for (uint32_t k = 0; file_format(k); k++) {
        const FileFormat *format = file_format(k);
        char name[40];
        long size;
        if (format->kind != GEOMETRY_STRANDS) continue;
        snprintf(name, sizeof name, "a.%s", format->suffix);
        const char *path = test_path(folder, name);
        ASSERT_OK(format->write(path, &geometry));
        assert_true(whole_file(path));
        free(test_read_file(path, &size));
        assert_int_equal(truncate(path, size - 1), 0);
        assert_false(whole_file(path));
    }
    strands_destroy(strands);
}

static void points_are_read_as_particles(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"ply", "vtk", "vtp"};
    static Result (*const writers[])(const char *path, const Geometry *geometry) = {export_ply, export_vtk,
                                                                                    export_vtp};
    Strands *strands = make_strands();
    FrameView view = view_of(strands);
    StrandView lines = strands_view(strands);
    Geometry geometry = geometry_of_strands(&view);
    for (int k = 0; k < 3; k++) {
        char name[40];
        ParticleFile file;
        snprintf(name, sizeof name, "a.%s", suffixes[k]);
        ASSERT_OK(writers[k](test_path(folder, name), &geometry));
        ASSERT_OK(particle_file_read(test_path(folder, name), &file));
        assert_int_equal(file.count, POINTS);
        for (uint32_t i = 0; i < POINTS; i++) {
            assert_true(file.x[i] == lines.position[i].x + view.origin.x);
            assert_true(file.vz[i] == lines.velocity[i].z);
        }
        particle_file_free(&file);
    }
    strands_destroy(strands);
}

// Debian's VTK 9.1: lines, their first and last points, and what belongs to them.
static const char LOOK[] =
    "import sys\n"
    "from vtkmodules.vtkIOXML import vtkXMLPolyDataReader as X\n"
    "from vtkmodules.vtkIOLegacy import vtkPolyDataReader as L\n"
    "r = X() if sys.argv[1].endswith('vtp') else L()\n"
    "if sys.argv[1].endswith('vtk'): r.ReadAllScalarsOn(); r.ReadAllFieldsOn()\n"
    "r.SetFileName(sys.argv[1])\n"
    "r.Update()\n"
    "d = r.GetOutput()\n"
    "print(d.GetNumberOfPoints(), d.GetNumberOfLines(), d.GetNumberOfCells())\n"
    "for k in range(d.GetNumberOfCells()):\n"
    "    c = d.GetCell(k)\n"
    "    print(c.GetPointId(0), c.GetNumberOfPoints(), c.GetPointId(c.GetNumberOfPoints() - 1),\n"
    "          '%.6g' % d.GetCellData().GetArray('radius').GetTuple(k)[0],\n"
    "          int(d.GetCellData().GetArray('strand').GetTuple(k)[0]))\n";

static void vtk_reads_our_lines(void **state)
{
    (void)state;
    static const char expected[] = "29 5 5\n0 5 4 0.01 0\n5 5 9 0.01 1\n10 5 14 0.01 2\n15 7 21 0.125 3\n"
                                   "22 7 28 0.125 4\n";
    static const char *const names[] = {"a.vtp", "a.vtk"};
    char call[600];
    test_write_file("look.py", LOOK, strlen(LOOK));
    if (test_shell("/usr/bin/python3 -c 'import vtkmodules.vtkIOXML, vtkmodules.vtkIOLegacy'") != 0) skip();
    Strands *strands = make_strands();
    FrameView view = view_of(strands);
    Geometry geometry = geometry_of_strands(&view);
    ASSERT_OK(export_vtp(test_path(folder, "a.vtp"), &geometry));
    ASSERT_OK(export_vtk(test_path(folder, "a.vtk"), &geometry));
    for (int k = 0; k < 2; k++) {
        snprintf(call, sizeof call, "/usr/bin/python3 %s %s", test_path(folder, "look.py"),
                 test_path(folder, names[k]));
        SHELL(call);
        assert_string_equal(test_shell_output, expected);
    }
    strands_destroy(strands);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_survive_every_format),
        TEST(a_scene_without_strands_has_files_without_lines),
        TEST(files_that_are_cut_short_are_not_whole),
        TEST(points_are_read_as_particles),
        TEST(vtk_reads_our_lines),
    };
    return cmocka_run_group_tests_name("strands in files", tests, NULL, NULL);
}
