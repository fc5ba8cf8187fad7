// Particles from VTK's XML files: every way in which arrays can be written, and every way in which they can
// be wrong.
#include "case_helpers.h"
#include "export/export.h"
#include "export/particle_file.h"
#include "export_helpers.h"

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

#define FILE_BYTES 8192
#define BLOCK_BYTES 32 // of packed arrays

// How arrays are written.
typedef struct Coding {
    enum { ASCII, INLINE, APPENDED } place;
    bool raw, packed, big, wide; // wide: doubles instead of floats
    int header;                  // bytes of a header's word
} Coding;

typedef struct Bytes {
    uint8_t at[FILE_BYTES];
    size_t count;
} Bytes;

static void put(Bytes *to, const void *bytes, size_t count)
{
    assert_true(to->count + count <= FILE_BYTES);
    memcpy(to->at + to->count, bytes, count);
    to->count += count;
}

static void put_text(Bytes *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_text(Bytes *to, const char *format, ...)
{
    char text[1000];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    put(to, text, (size_t)length);
}

static void put_number(Bytes *to, uint64_t number, int bytes, bool big)
{
    for (int k = 0; k < bytes; k++) {
        uint8_t byte = (uint8_t)(number >> 8 * (big ? bytes - 1 - k : k));
        put(to, &byte, 1);
    }
}

static void put_real(Bytes *to, double value, Coding coding)
{
    float single = (float)value;
    uint64_t bits = 0;
    uint32_t word;
    memcpy(&bits, &value, 8);
    memcpy(&word, &single, 4);
    put_number(to, coding.wide ? bits : word, coding.wide ? 8 : 4, coding.big);
}

// One stream of base64, with its filling.
static void put_encoded(Bytes *to, const Bytes *from, Coding coding)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (coding.raw) {
        put(to, from->at, from->count);
        return;
    }
    for (size_t k = 0; k < from->count; k += 3) {
        uint32_t bits = 0;
        size_t left = from->count - k;
        for (size_t j = 0; j < 3; j++) bits = bits << 8 | (j < left ? from->at[k + j] : 0u);
        for (size_t j = 0; j < 4; j++)
            put_text(to, "%c", j <= left ? digits[bits >> (18 - 6 * j) & 63] : '=');
    }
}

// An array's header and numbers, as VTK writes them: packed ones with the header encoded for itself.
static void put_array(Bytes *to, const double *values, int count, Coding coding)
{
    Bytes *numbers = calloc(1, sizeof *numbers), *head = calloc(1, sizeof *head),
          *data = calloc(1, sizeof *data);
    for (int k = 0; k < count; k++) put_real(numbers, values[k], coding);
    if (!coding.packed) {
        put_number(head, numbers->count, coding.header, coding.big);
        put(head, numbers->at, numbers->count);
        put_encoded(to, head, coding);
    } else {
        size_t blocks = (numbers->count + BLOCK_BYTES - 1) / BLOCK_BYTES;
        put_number(head, blocks, coding.header, coding.big);
        put_number(head, BLOCK_BYTES, coding.header, coding.big);
        put_number(head, numbers->count % BLOCK_BYTES, coding.header, coding.big);
        for (size_t from = 0; from < numbers->count; from += BLOCK_BYTES) {
            uint8_t packed[200];
            uLongf length = sizeof packed;
            size_t left = numbers->count - from;
            assert_int_equal(
                compress(packed, &length, numbers->at + from, left < BLOCK_BYTES ? left : BLOCK_BYTES), Z_OK);
            put_number(head, length, coding.header, coding.big);
            put(data, packed, length);
        }
        put_encoded(to, head, coding);
        put_encoded(to, data, coding);
    }
    free(numbers);
    free(head);
    free(data);
}

// A DataArray; what is appended goes to `appended`.
static void put_data_array(Bytes *to, Bytes *appended, const char *name, int components, const double *values,
                           int count, Coding coding)
{
    static const char *const formats[] = {"ascii", "binary", "appended"};
    put_text(to, "<DataArray type='Float%d' Name=\"%s\" NumberOfComponents=\"%d\" format=\"%s\"",
             coding.wide ? 64 : 32, name, components, formats[coding.place]);
    if (coding.place == APPENDED) {
        put_text(to, " offset = \"%zu\"/>\n", appended->count);
        put_array(appended, values, count, coding);
        return;
    }
    put_text(to, ">\n  ");
    for (int k = 0; k < count && coding.place == ASCII; k++)
        put_text(to, "%s%.17g", k > 0 ? " " : "", values[k]);
    if (coding.place == INLINE) put_array(to, values, count, coding);
    put_text(to, "%s<InformationKey name=\"L2\" location=\"vtkDataArray\"/></DataArray>\n",
             coding.place == ASCII ? "" : "\n");
}

// Positions (1 2 3), (4 5 6), (-7 8.5 9); velocities a tenth of them.
#define COUNT 3
static const double positions[3 * COUNT] = {1, 2, 3, 4, 5, 6, -7, 8.5, 9};
static const double velocities[3 * COUNT] = {0.125, 0.25, 0.375, 0.5, 0.625, 0.75, -0.875, 1, 1.125};

static void put_file(Bytes *to, Coding coding)
{
    Bytes *appended = calloc(1, sizeof *appended);
    const double density[COUNT] = {1000, 990, 1010}, apart = 0.5;
    put_text(
        to,
        "<?xml version=\"1.0\"?>\n<!-- <Piece NumberOfPoints=\"9\"> -->\n"
        "<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"%s\" header_type=\"%s\"%s>\n<PolyData>\n",
        coding.big ? "BigEndian" : "LittleEndian", coding.header == 8 ? "UInt64" : "UInt32",
        coding.packed ? " compressor=\"vtkZLibDataCompressor\"" : "");
    put_text(
        to,
        "<FieldData>\n<DataArray type=\"Float64\" Name=\"spacing\" NumberOfTuples=\"1\" format=\"ascii\">"
        "%g</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\">\n<PointData>\n",
        apart, COUNT);
    put_data_array(to, appended, "density", 1, density, COUNT, coding);
    put_data_array(to, appended, "Velocity", 3, velocities, 3 * COUNT, coding);
    put_text(to, "</PointData>\n<CellData></CellData><Points>\n");
    put_data_array(to, appended, "Points", 3, positions, 3 * COUNT, coding);
    put_text(to, "</Points>\n</Piece>\n</PolyData>\n");
    if (coding.place == APPENDED) {
        put_text(to, "<AppendedData encoding=\"%s\">\n   _", coding.raw ? "raw" : "base64");
        put(to, appended->at, appended->count);
        put_text(to, "\n</AppendedData>\n");
    }
    put_text(to, "</VTKFile>\n");
    free(appended);
}

static Result parse(const void *bytes, size_t count, ParticleFile *out)
{
    // As the program has it: a NUL behind the last byte, and nothing else.
    char *copy = malloc(count + 1);
    memcpy(copy, bytes, count);
    copy[count] = '\0';
    *out = (ParticleFile){0};
    Result result = particle_file_parse_vtp("a.vtp", copy, count, out);
    free(copy);
    return result;
}

static void assert_rows(const ParticleFile *file, uint32_t first, bool moving)
{
    const float *streams[6] = {file->x, file->y, file->z, file->vx, file->vy, file->vz};
    assert_int_equal(file->vx != NULL, moving);
    for (uint32_t k = 0; k < 3 * COUNT; k++) {
        assert_true((double)streams[k % 3][first + k / 3] == positions[k]);
        if (moving) assert_true((double)streams[3 + k % 3][first + k / 3] == velocities[k]);
    }
}

static Coding coding_of(int k)
{
    return (Coding){.place = k & 3,
                    .raw = k & 4,
                    .packed = k & 8,
                    .big = k & 16,
                    .wide = k & 32,
                    .header = k & 64 ? 8 : 4};
}

static bool is_possible(Coding coding)
{
    return coding.place <= APPENDED && (!coding.raw || coding.place == APPENDED);
}

static void arrays_are_read_however_they_are_written(void **state)
{
    (void)state;
    int count = 0;
    for (int k = 0; k < 128; k++) {
        Coding coding = coding_of(k);
        if (!is_possible(coding)) continue;
        Bytes *bytes = calloc(1, sizeof *bytes);
        put_file(bytes, coding);
        ParticleFile file;
        Result result = parse(bytes->at, bytes->count, &file);
        if (!result_is_ok(&result)) fail_msg("coding %d: %s", k, result.text);
        assert_int_equal(file.count, COUNT);
        assert_true(file.spacing == 0.5);
        assert_rows(&file, 0, true);
        particle_file_free(&file);
        free(bytes);
        count++;
    }
    assert_int_equal(count, 64);
}

// Cut anywhere, or with any byte changed: refused in one line that names the file, or read.
static void damaged_files_are_refused_or_read_but_never_more(void **state)
{
    (void)state;
    int refused = 0;
    for (int k = 0; k < 128; k += test_is_quick() ? 7 : 1) {
        Coding coding = coding_of(k);
        if (!is_possible(coding)) continue;
        Bytes *bytes = calloc(1, sizeof *bytes);
        put_file(bytes, coding);
        for (size_t at = 0; at < 2 * bytes->count; at++) {
            ParticleFile file;
            size_t place = at / 2;
            uint8_t kept = bytes->at[place];
            bytes->at[place] ^= (uint8_t)(1 + 37 * at);
            Result result = parse(bytes->at, at % 2 ? bytes->count : place, &file);
            bytes->at[place] = kept;
            if (!result_is_ok(&result)) {
                assert_int_equal(result.code, RESULT_USAGE);
                assert_non_null(strstr(result.text, "a.vtp: "));
                refused++;
            }
            particle_file_free(&file);
        }
        free(bytes);
    }
    assert_true(refused > 1000);
}

static void our_own_files_are_read_back(void **state)
{
    (void)state;
    enum { N = 1000 };
    FrameView view = test_particles_view(N);
    Vec3 o = view.origin;
    view.spacing = 0.03125f;
    const char *path = test_path(folder, "a.vtp");
    Result result = test_export_particles(path, export_vtp, &view);
    assert_true(result_is_ok(&result));
    ParticleFile file;
    result = particle_file_read(path, &file);
    if (!result_is_ok(&result)) fail_msg("%s", result.text);
    assert_int_equal(file.count, N);
    assert_true(file.spacing == 0.03125);
    for (int i = 0; i < N; i++) {
        assert_true(file.x[i] == o.x + view.x[i] && file.y[i] == o.y + view.y[i] &&
                    file.z[i] == o.z + view.z[i]);
        assert_true(file.vx[i] == view.vx[i] && file.vy[i] == view.vy[i] && file.vz[i] == view.vz[i]);
    }
    particle_file_free(&file);
}

static void pieces_follow_each_other_and_need_not_all_have_velocities(void **state)
{
    (void)state;
    for (int moving = 0; moving < 2; moving++) {
        Bytes *bytes = calloc(1, sizeof *bytes), *none = calloc(1, sizeof *none);
        Coding coding = {.place = INLINE, .header = 4};
        put_text(bytes, "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>\n");
        for (int piece = 0; piece < 3; piece++) {
            int count = piece == 1 ? 0 : COUNT; // the second one is empty
            put_text(bytes, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"0\"><Points>", count);
            put_data_array(bytes, none, "Points", 3, positions, 3 * count, coding);
            put_text(bytes, "</Points><PointData>");
            if (moving || piece == 0)
                put_data_array(bytes, none, "velocity", 3, velocities, 3 * count, coding);
            put_text(bytes, "</PointData></Piece>");
        }
        put_text(bytes, "</UnstructuredGrid></VTKFile>");
        ParticleFile file;
        Result result = parse(bytes->at, bytes->count, &file);
        if (!result_is_ok(&result)) fail_msg("%s", result.text);
        assert_int_equal(file.count, 2 * COUNT);
        assert_rows(&file, 0, moving);
        assert_rows(&file, COUNT, moving);
        particle_file_free(&file);
        free(bytes);
        free(none);
    }
}

#define OPEN "<VTKFile type=\"PolyData\"><PolyData>"
#define PIECE(n) OPEN "<Piece NumberOfPoints=\"" n "\"><Points>"
#define ARRAY "<DataArray Name=\"Points\" NumberOfComponents=\"3\" type="

static void malformed_files_are_refused_in_one_line(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"<?xml version=\"1.0\"?>", "is XML, but no VTKFile"},
        {"<?xml version=\"1.0\"", "a tag is malformed"},
        {"<html><body>", "is XML, but no VTKFile"},
        {"<VTKFile type=\"Collection\"><Collection>", "holds no points, but \"Collection\""},
        {"<VTKFile type=\"PolyData\" compressor=\"vtkLZ4DataCompressor\">",
         "is packed with vtkLZ4DataCompressor"},
        {OPEN "<Piece NumberOfPoints=\"-1\">", "NumberOfPoints is not a count"},
        {OPEN "<Piece NumberOfPoints=\"3000000000\">", "NumberOfPoints is not a count"},
        {OPEN "<Piece NumberOfPoints=\"1000000\">",
         "1000000 points are announced, more than the file can hold"},
        {OPEN "<Piece NumberOfPoints=\"1", "a tag is malformed"},
        {PIECE("1"), "a piece has no positions"},
        {PIECE("1") ARRAY "\"Float16\" format=\"ascii\">1 2 3", "array \"Points\": unknown type"},
        {PIECE("1") ARRAY "\"Float32\" format=\"morse\">1 2 3", "unknown format (ascii, binary, appended)"},
        {PIECE("2") ARRAY "\"Float32\" format=\"ascii\">1 2 3 4", "fewer numbers than are announced"},
        {PIECE("1") ARRAY "\"Float32\" format=\"ascii\">1 two 3 </DataArray>",
         "a number is missing or is not one"},
        {PIECE("1") ARRAY "\"Float32\" format=\"ascii\">111 22</DataArray>",
         "a number is missing or is not one"},
        {PIECE("1") ARRAY "\"Float32\" format=\"appended\" offset=\"0\"/>", "the appended data are missing"},
        {PIECE("1") ARRAY "\"Float32\" format=\"appended\"/><AppendedData>_", "its offset is outside of"},
        {PIECE("1") ARRAY "\"Float32\" format=\"appended\" offset=\"99\"/><AppendedData>_",
         "its offset is outside of"},
        {PIECE("1") ARRAY "\"Float32\" format=\"appended\" offset=\"0\"/><AppendedData>", "do not begin"},
        {PIECE("1") ARRAY "\"Float32\" format=\"binary\">DAAAAA==", "the file ends before its last number"},
        {PIECE("1") ARRAY "\"Float32\" format=\"binary\">DQAAAAAAAAAAAAAAAAAAAAAA</DataArray>",
         "holds another number of bytes"},
        {PIECE("1") ARRAY "\"Float32\" format=\"binary\">DAAAAAAAAAAAAAA*AAAAAAAA</DataArray>",
         "the file ends before its last number"},
        {PIECE("1") "<DataArray NumberOfComponents=\"2\" Name=\"P\" type=\"Float32\" format=\"ascii\">1 2 3",
         "array \"P\": positions have three components"},
        {PIECE("1") "<DataArray NumberOfComponents=\"three\" Name=\"P\" type=\"Float32\">",
         "its size is not a number"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ParticleFile file;
        Result result = parse(cases[k][0], strlen(cases[k][0]), &file);
        assert_int_equal(result.code, RESULT_USAGE);
        if (!strstr(result.text, cases[k][1]))
            fail_msg("case %zu: \"%s\" lacks \"%s\"", k, result.text, cases[k][1]);
        assert_non_null(strstr(result.text, "a.vtp: "));
        particle_file_free(&file);
    }
}

// --- VTK itself ---

// Debian's VTK 9.1 reads all of it: "POINTS CELLS TIME SPACING", then "NAME ROWS COMPONENTS SUM" of each
// array.
static const char LOOK[] =
    "import sys\n"
    "from vtkmodules.vtkIOXML import vtkXMLPolyDataReader as R\n"
    "from vtkmodules.util.numpy_support import vtk_to_numpy as n\n"
    "r = R()\n"
    "r.SetFileName(sys.argv[1])\n"
    "r.Update()\n"
    "d = r.GetOutput()\n"
    "f = d.GetFieldData()\n"
    "def s(a): return '%d %d %.9g' % (a.GetNumberOfTuples(), a.GetNumberOfComponents(), "
    "n(a).astype('f8').sum())\n"
    "print('points', s(d.GetPoints().GetData()), 'cells', d.GetNumberOfCells(), d.GetNumberOfVerts(), "
    "d.GetNumberOfPolys())\n"
    "print('last', d.GetCell(d.GetNumberOfCells() - 1).GetPointId(0))\n"
    "for g in (d.GetPointData(), d.GetCellData(), f):\n"
    "    for k in range(g.GetNumberOfArrays()): print(g.GetArrayName(k), s(g.GetArray(k)))\n";

static bool look(const char *vtp, char *out, size_t capacity)
{
    char call[600];
    const char *script = test_path(folder, "look.py");
    FILE *file = fopen(script, "w");
    fputs(LOOK, file);
    fclose(file);
    if (system("/usr/bin/python3 -c 'import vtkmodules.vtkIOXML, numpy' 2>/dev/null") != 0) return false;
    snprintf(call, sizeof call, "/usr/bin/python3 %s %s 2>&1", script, vtp);
    FILE *pipe = popen(call, "r");
    out[fread(out, 1, capacity - 1, pipe)] = '\0';
    pclose(pipe);
    return true;
}

static double sum(const float *values, uint32_t count)
{
    double total = 0;
    for (uint32_t k = 0; k < count; k++) total += (double)values[k];
    return total;
}

static void expect_array(const char *said, const char *name, unsigned rows, unsigned components, double total)
{
    char words[80];
    unsigned r, c;
    double t;
    snprintf(words, sizeof words, "\n%s ", name);
    const char *at = strstr(said, words);
    if (!at || sscanf(at + strlen(words), "%u %u %lf", &r, &c, &t) != 3 || r != rows || c != components ||
        fabs(t - total) > 1e-7 * fabs(total) + 1e-9)
        fail_msg("%s is not %u %u %.9g in:%s", name, rows, components, total, said);
}

static void vtk_reads_our_particles(void **state)
{
    (void)state;
    char said[4000] = "\n", words[100];
    for (uint32_t count = 1000; count < 1003; count++) { // every filling of base64
        FrameView view = test_particles_view(count);
        Result result = test_export_particles(test_path(folder, "a.vtp"), export_vtp, &view);
        assert_int_equal(result.code, RESULT_OK);
        if (!look(test_path(folder, "a.vtp"), said + 1, sizeof said - 1)) skip();
        double total = 0;
        for (uint32_t k = 0; k < count; k++) total += (double)view.neighbors[k];
        expect_array(said, "points", count, 3,
                     sum(view.x, count) + sum(view.y, count) + sum(view.z, count) +
                         count * (double)(view.origin.x + view.origin.y + view.origin.z));
        expect_array(said, "velocity", count, 3,
                     sum(view.vx, count) + sum(view.vy, count) + sum(view.vz, count));
        expect_array(said, "density", count, 1, sum(view.density, count));
        expect_array(said, "neighbors", count, 1, total);
        expect_array(said, "TimeValue", 1, 1, 1.25);
        expect_array(said, "spacing", 1, 1, (double)view.spacing);
        snprintf(words, sizeof words, "cells %u %u 0\nlast %u\n", count, count, count - 1);
        if (!strstr(said, words)) fail_msg("no \"%s\" in:%s", words, said);
    }
}

// A tetrahedron's faces, with velocities.
static void vtk_reads_our_meshes(void **state)
{
    (void)state;
    Vec3 vertex[4] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 4}}, velocity[4] = {{1, 2, 3}}, normal[4] = {0};
    uint32_t triangle[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    SurfaceMesh mesh = {.vertex = vertex,
                        .normal = normal,
                        .velocity = velocity,
                        .triangle = triangle,
                        .vertex_count = 4,
                        .triangle_count = 4};
    char said[4000] = "\n";
    Geometry geometry = geometry_of_surface(&mesh);
    Result result = export_vtp(test_path(folder, "a.vtp"), &geometry);
    assert_int_equal(result.code, RESULT_OK);
    if (!look(test_path(folder, "a.vtp"), said + 1, sizeof said - 1)) skip();
    expect_array(said, "points", 4, 3, 7);
    expect_array(said, "velocity", 4, 3, 6);
    expect_array(said, "normals", 4, 3, 0);
    if (!strstr(said, "cells 4 0 4\nlast 1\n")) fail_msg("%s", said);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(arrays_are_read_however_they_are_written),
        TEST(damaged_files_are_refused_or_read_but_never_more),
        TEST(our_own_files_are_read_back),
        TEST(pieces_follow_each_other_and_need_not_all_have_velocities),
        TEST(vtk_reads_our_particles),
        TEST(vtk_reads_our_meshes),
        TEST(malformed_files_are_refused_in_one_line),
    };
    return cmocka_run_group_tests_name("particles from VTK's XML", tests, NULL, NULL);
}
