#include "export_helpers.h"
#include "case_helpers.h"
#include "vtp_file_helpers.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestPicture test_read_png(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    TestPicture picture = {0};
    if (!png_image_begin_read_from_file(&image, path)) return picture;
    bool right = image.format == PNG_FORMAT_RGB;
    picture.width = image.width;
    picture.height = image.height;
    image.format = PNG_FORMAT_RGB;
    picture.rgb = malloc(PNG_IMAGE_SIZE(image));
    if (!png_image_finish_read(&image, NULL, picture.rgb, 0, NULL) || !right) {
        free(picture.rgb);
        picture.rgb = NULL;
    }
    png_image_free(&image);
    return picture;
}

// A place in a file that is read front to back.
typedef struct Cursor {
    const char *at, *end;
    bool failed;
} Cursor;

static void take(Cursor *cursor, void *to, size_t bytes)
{
    if ((size_t)(cursor->end - cursor->at) < bytes) cursor->failed = true;
    if (cursor->failed) return;
    memcpy(to, cursor->at, bytes);
    cursor->at += bytes;
}

static uint32_t take_word(Cursor *cursor, bool big_endian)
{
    uint32_t word = 0;
    take(cursor, &word, 4);
    return big_endian ? ntohl(word) : word;
}

static float take_float(Cursor *cursor, bool big_endian)
{
    uint32_t word = take_word(cursor, big_endian);
    float value;
    memcpy(&value, &word, 4);
    return value;
}

// The text must come next.
static void expect(Cursor *cursor, const char *text)
{
    size_t length = strlen(text);
    if (cursor->failed || (size_t)(cursor->end - cursor->at) < length ||
        memcmp(cursor->at, text, length) != 0)
        cursor->failed = true;
    else
        cursor->at += length;
}

static void skip_line(Cursor *cursor)
{
    const char *newline =
        cursor->failed ? NULL : memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));
    if (newline)
        cursor->at = newline + 1;
    else
        cursor->failed = true;
}

static uint32_t take_number(Cursor *cursor)
{
    char *end;
    uint32_t number = cursor->failed ? 0 : (uint32_t)strtoul(cursor->at, &end, 10);
    if (!cursor->failed) cursor->at = end;
    return number;
}

static TestParticles finish(TestParticles read, Cursor *cursor, char *text)
{
    if (cursor->failed || cursor->at != cursor->end) {
        free(read.particle);
        read.particle = NULL;
    }
    free(text);
    return read;
}

TestParticles test_read_ply(const char *path)
{
    long size;
    char *text = test_read_file(path, &size);
    TestParticles read = {0};
    if (!text) return read;
    Cursor cursor = {text, text + size, false};
    expect(&cursor, "ply\nformat binary_little_endian 1.0\ncomment ");
    skip_line(&cursor);
    expect(&cursor, "element vertex ");
    read.count = take_number(&cursor);
    expect(&cursor,
           "\nproperty float x\nproperty float y\nproperty float z\nproperty float vx\nproperty float vy\n"
           "property float vz\nproperty float density\nproperty uint id\nproperty float vorticity\n"
           "property float age\nproperty uint neighbors\nproperty float pressure\nend_header\n");
    read.particle = calloc(read.count + 1, sizeof *read.particle);
    for (uint32_t k = 0; k < read.count && !cursor.failed; k++) {
        TestParticle *particle = &read.particle[k];
        for (int axis = 0; axis < 3; axis++) particle->position[axis] = take_float(&cursor, false);
        for (int axis = 0; axis < 3; axis++) particle->velocity[axis] = take_float(&cursor, false);
        particle->density = take_float(&cursor, false);
        particle->id = take_word(&cursor, false);
        particle->vorticity = take_float(&cursor, false);
        particle->age = take_float(&cursor, false);
        particle->neighbors = take_word(&cursor, false);
        particle->pressure = take_float(&cursor, false);
    }
    return finish(read, &cursor, text);
}

static void read_vtk_arrays(Cursor *cursor, TestParticles *read)
{
    uint32_t n = read->count;
    expect(cursor, "\nPOINT_DATA ");
    if (take_number(cursor) != n) cursor->failed = true;
    expect(cursor, "\nSCALARS density float 1\nLOOKUP_TABLE default\n");
    for (uint32_t k = 0; k < n; k++) read->particle[k].density = take_float(cursor, true);
    expect(cursor, "\nSCALARS id unsigned_int 1\nLOOKUP_TABLE default\n");
    for (uint32_t k = 0; k < n; k++) read->particle[k].id = take_word(cursor, true);
    expect(cursor, "\nSCALARS vorticity float 1\nLOOKUP_TABLE default\n");
    for (uint32_t k = 0; k < n; k++) read->particle[k].vorticity = take_float(cursor, true);
    expect(cursor, "\nSCALARS age float 1\nLOOKUP_TABLE default\n");
    for (uint32_t k = 0; k < n; k++) read->particle[k].age = take_float(cursor, true);
    expect(cursor, "\nSCALARS neighbors unsigned_int 1\nLOOKUP_TABLE default\n");
    for (uint32_t k = 0; k < n; k++) read->particle[k].neighbors = take_word(cursor, true);
    expect(cursor, "\nSCALARS pressure float 1\nLOOKUP_TABLE default\n");
    for (uint32_t k = 0; k < n; k++) read->particle[k].pressure = take_float(cursor, true);
    expect(cursor, "\nVECTORS velocity float\n");
    for (uint32_t k = 0; k < n; k++) {
        for (int axis = 0; axis < 3; axis++) read->particle[k].velocity[axis] = take_float(cursor, true);
    }
    expect(cursor, "\n");
}

TestParticles test_read_vtk(const char *path)
{
    long size;
    char *text = test_read_file(path, &size);
    TestParticles read = {0};
    if (!text) return read;
    Cursor cursor = {text, text + size, false};
    expect(&cursor, "# vtk DataFile Version 3.0\n");
    skip_line(&cursor);
    expect(&cursor, "BINARY\nDATASET POLYDATA\nPOINTS ");
    read.count = take_number(&cursor);
    expect(&cursor, " float\n");
    read.particle = calloc(read.count + 1, sizeof *read.particle);
    for (uint32_t k = 0; k < read.count; k++) {
        for (int axis = 0; axis < 3; axis++) read.particle[k].position[axis] = take_float(&cursor, true);
    }
    expect(&cursor, "\nVERTICES ");
    if (take_number(&cursor) != read.count || take_number(&cursor) != 2 * read.count) cursor.failed = true;
    expect(&cursor, "\n");
    for (uint32_t k = 0; k < read.count; k++) {
        if (take_word(&cursor, true) != 1 || take_word(&cursor, true) != k) cursor.failed = true;
    }
    read_vtk_arrays(&cursor, &read);
    return finish(read, &cursor, text);
}

TestParticles test_read_vtp(const char *path)
{
    enum { STREAMS = 10 };
    static const char *const names[STREAMS] = {"Points", "velocity",  "density",  "id",           "vorticity",
                                               "age",    "neighbors", "pressure", "connectivity", "offsets"};
    long size;
    char *text = test_read_file(path, &size);
    TestParticles read = {0};
    if (!text) return read;
    const char *points = strstr(text, "NumberOfPoints=\"");
    static const char closing[] = "</PointData>\n</Piece>\n</PolyData>\n</VTKFile>\n";
    Cursor whole = {text + size, text + size, !points};
    if (whole.failed) return finish(read, &whole, text);
    read.count = (uint32_t)strtoul(points + 16, NULL, 10);
    whole.failed = strcmp(text + size - (sizeof closing - 1), closing) != 0;
    read.particle = calloc(read.count + 1, sizeof *read.particle);
    for (int s = 0; s < STREAMS; s++) {
        size_t bytes = s < 2 ? 12 : 4;
        uint8_t *stream = malloc(bytes * read.count + 1);
        whole.failed |= !test_vtp_array(text, names[s], bytes * read.count, stream);
        for (uint32_t k = 0; k < read.count && !whole.failed; k++) {
            TestParticle *particle = &read.particle[k];
            uint32_t word;
            memcpy(&word, stream + bytes * k, 4);
            void *const to[] = {particle->position,   particle->velocity,   &particle->density,
                                &particle->id,        &particle->vorticity, &particle->age,
                                &particle->neighbors, &particle->pressure};
            if (s < 8) memcpy(to[s], stream + bytes * k, bytes);
            if (s >= 8 && word != k + (s == 9)) whole.failed = true;
        }
        free(stream);
    }
    return finish(read, &whole, text);
}

FrameView test_particles_view(uint32_t count)
{
    static float streams[10][TEST_PARTICLES_MAX];
    static uint32_t ids[TEST_PARTICLES_MAX], neighbors[TEST_PARTICLES_MAX];
    uint32_t random = 12345;
    for (uint32_t i = 0; i < count; i++) {
        for (int s = 0; s < 10; s++) {
            random = random * 1664525u + 1013904223u;
            streams[s][i] = (float)(random >> 8) / 65536.0f - 128.0f;
        }
        ids[i] = count - 1 - i + (i == 0 ? 0xF0000000u : 0);
        neighbors[i] = random % 200;
    }
    return (FrameView){
        .time = 1.25,
        .origin = {10, -20, 0.5f},
        .spacing = 0.1f,
        .rest_density = 1000,
        .report = {.dt = 0.005},
        .count = count,
        .x = streams[0],
        .y = streams[1],
        .z = streams[2],
        .vx = streams[3],
        .vy = streams[4],
        .vz = streams[5],
        .density = streams[6],
        .vorticity = streams[7],
        .birth = streams[8],
        .lambda_sum = streams[9],
        .neighbors = neighbors,
        .id = ids,
    };
}

Result test_export_particles(const char *path, Result (*write)(const char *path, const Geometry *geometry),
                             const FrameView *view)
{
    Geometry geometry = geometry_of_particles(view);
    return write(path, &geometry);
}

// As Partio's reader goes through such a file: header, definitions, rows of words, details.
TestParticles test_read_bgeo(const char *path)
{
    static const char *const definitions[] = {
        "v", "density", "id", "vorticity", "age", "neighbors", "pressure", NULL, "time", "spacing", "pscale"};
    static const uint32_t types[] = {5, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0};
    long size;
    char *text = test_read_file(path, &size);
    TestParticles read = {0};
    if (!text) return read;
    Cursor cursor = {text, text + size, false};
    expect(&cursor, "BgeoV");
    uint32_t header[9];
    for (int k = 0; k < 9; k++) header[k] = take_word(&cursor, true);
    read.count = header[1];
    if (header[0] != 5 || header[5] != 7 || header[8] != 3 ||
        header[2] + header[3] + header[4] + header[6] + header[7] != 0)
        cursor.failed = true;
    read.particle = calloc(read.count + 1, sizeof *read.particle);
    for (int k = 0; k < 11; k++) {
        if (definitions[k]) {
            char head[] = {0, (char)strlen(definitions[k])}, width = k == 0 ? 3 : 1, ends[] = {0, width};
            for (int i = 0; i < 2; i++) cursor.failed |= *cursor.at++ != head[i];
            expect(&cursor, definitions[k]);
            for (int i = 0; i < 2; i++) cursor.failed |= *cursor.at++ != ends[i];
            cursor.failed |= take_word(&cursor, true) != types[k];
            for (int i = 0; i < width; i++) cursor.failed |= take_word(&cursor, true) != 0;
            continue;
        }
        for (uint32_t i = 0; i < read.count && !cursor.failed; i++) {
            TestParticle *particle = &read.particle[i];
            for (int axis = 0; axis < 3; axis++) particle->position[axis] = take_float(&cursor, true);
            cursor.failed |= take_float(&cursor, true) != 1; // w
            for (int axis = 0; axis < 3; axis++) particle->velocity[axis] = take_float(&cursor, true);
            particle->density = take_float(&cursor, true);
            particle->id = take_word(&cursor, true);
            particle->vorticity = take_float(&cursor, true);
            particle->age = take_float(&cursor, true);
            particle->neighbors = take_word(&cursor, true);
            particle->pressure = take_float(&cursor, true);
        }
    }
    for (int k = 0; k < 3; k++) take_float(&cursor, true);
    cursor.failed |= *cursor.at++ != 0 || *cursor.at++ != '\xff';
    return finish(read, &cursor, text);
}
