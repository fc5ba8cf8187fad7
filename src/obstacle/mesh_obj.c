#include "core/c_locale.h"
#include "core/memory.h"
#include "core/regular_file.h"
#include "obstacle/mesh.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)1 << 30)
#define COORDINATE_MAX 1e9 // m; squares and products of three stay finite in float and double

typedef struct ObjReader {
    const char *path;
    char *text; // the whole file and a 0; lines are cut in place
    size_t text_bytes;
    char *at;      // the next line
    uint32_t line; // of the current line
    TriangleMesh mesh;
    size_t vertex_capacity, corner_capacity, line_capacity;
    uint32_t *lines; // of each triangle
} ObjReader;

static Result read_stream(const char *path, FILE *file, char **text, size_t *bytes)
{
    size_t capacity = 0;
    for (;;) {
        TRY(MEMORY_RESERVE(*text, capacity, *bytes, *bytes + 65536, "a mesh file"));
        size_t got = fread(*text + *bytes, 1, capacity - *bytes - 1, file);
        *bytes += got;
        (*text)[*bytes] = 0;
        if (ferror(file)) return result_error(RESULT_USAGE, "%s: %s", path, strerror(errno));
        if (got == 0) return result_ok();
        if (*bytes > FILE_BYTES_MAX)
            return result_error(RESULT_USAGE, "%s: the file is too large (at most 1 GiB)", path);
    }
}

Result mesh_file_load(const char *path, char **text, size_t *bytes)
{
    FILE *file;
    *text = NULL;
    *bytes = 0;
    TRY(regular_file_open_stream(path, path, &file));
    Result result = read_stream(path, file, text, bytes);
    fclose(file);
    if (result_is_ok(&result)) return result;
    memory_free(*text);
    *text = NULL;
    return result;
}

// Cuts the next line off at its newline or comment; false at the end of the file. A backslash before the
// newline joins two lines.
static bool next_line(ObjReader *reader, uint32_t *lines_joined, char **line)
{
    char *end = reader->text + reader->text_bytes, *at = reader->at;
    if (at == end) return false;
    *line = at;
    reader->line += 1 + *lines_joined;
    *lines_joined = 0;
    for (; at < end && *at != '\n'; at++) {
        if (*at == 0) *at = '?'; // a binary file: neither a number nor the end of the line
        size_t newline = at[0] != '\\' ? 0 : at[1] == '\n' ? 1 : at[1] == '\r' && at[2] == '\n' ? 2 : 0;
        if (newline == 0) continue;
        memset(at, ' ', newline + 1);
        at += newline;
        ++*lines_joined;
    }
    reader->at = at < end ? at + 1 : end;
    *at = 0;
    char *comment = strchr(*line, '#');
    if (comment) *comment = 0;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at)
{
    while (is_blank(*at)) at++;
    return at;
}

static Result read_vertex(ObjReader *reader, const char *at)
{
    double value[3];
    int count = 0;
    for (at = skip_blanks(at); *at; at = skip_blanks(at)) {
        char *after;
        double number = c_strtod(at, &after);
        bool hexadecimal = memchr(at, 'x', (size_t)(after - at)) || memchr(at, 'X', (size_t)(after - at));
        if (after == at || hexadecimal || (*after && !is_blank(*after)))
            return result_error(RESULT_USAGE, "%s:%u: a vertex has something that is not a number (v x y z)",
                                reader->path, reader->line);
        if (count < 3 && !(fabs(number) <= COORDINATE_MAX))
            return result_error(RESULT_USAGE, "%s:%u: a coordinate is not finite or too large (-1e9..1e9)",
                                reader->path, reader->line);
        if (count < 3) value[count] = number;
        count++; // a weight or a color may follow
        at = after;
    }
    if (count < 3)
        return result_error(RESULT_USAGE, "%s:%u: a vertex has %d coordinates (v x y z)", reader->path,
                            reader->line, count);
    TriangleMesh *mesh = &reader->mesh;
    TRY(MEMORY_RESERVE(mesh->vertices, reader->vertex_capacity, mesh->vertex_count,
                       (size_t)mesh->vertex_count + 1, "the vertices of a mesh"));
    // Adding 0 makes -0 into 0, so that equal places have equal bits.
    mesh->vertices[mesh->vertex_count++] =
        vec3_make((float)value[0] + 0.0f, (float)value[1] + 0.0f, (float)value[2] + 0.0f);
    return result_ok();
}

// Reads a whole number; NULL if there is none. Numbers beyond 2^31 stay there.
static const char *read_index(const char *at, int64_t *index)
{
    bool negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    if (*at < '0' || *at > '9') return NULL;
    *index = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*index <= INT32_MAX) *index = *index * 10 + (*at - '0');
    }
    if (negative) *index = -*index;
    return at;
}

// Reads v, v/vt, v//vn or v/vt/vn; NULL for anything else.
static const char *read_corner(const char *at, int64_t *vertex)
{
    at = read_index(at, vertex);
    for (int slash = 0; at && slash < 2 && *at == '/'; slash++) {
        int64_t ignored;
        at++;
        if (slash == 0 && *at == '/') continue;
        at = read_index(at, &ignored);
    }
    return at && (*at == 0 || is_blank(*at)) ? at : NULL;
}

static Result add_triangle(ObjReader *reader, uint32_t a, uint32_t b, uint32_t c)
{
    TriangleMesh *mesh = &reader->mesh;
    size_t corners = 3 * (size_t)mesh->triangle_count;
    TRY(MEMORY_RESERVE(mesh->triangles, reader->corner_capacity, corners, corners + 3,
                       "the faces of a mesh"));
    TRY(MEMORY_RESERVE(reader->lines, reader->line_capacity, mesh->triangle_count,
                       (size_t)mesh->triangle_count + 1, "the faces of a mesh"));
    mesh->triangles[corners] = a;
    mesh->triangles[corners + 1] = b;
    mesh->triangles[corners + 2] = c;
    reader->lines[mesh->triangle_count++] = reader->line;
    return result_ok();
}

static Result read_face(ObjReader *reader, const char *at)
{
    uint32_t first = 0, last = 0, count = 0;
    for (at = skip_blanks(at); *at; at = skip_blanks(at)) {
        int64_t number;
        const char *corner = at;
        at = read_corner(at, &number);
        if (!at)
            return result_error(
                RESULT_USAGE, "%s:%u: a face has something that is not a vertex (v, v/vt, v//vn or v/vt/vn)",
                reader->path, reader->line);
        int64_t vertex = number > 0 ? number - 1 : (int64_t)reader->mesh.vertex_count + number;
        if (number == 0 || number > INT32_MAX || vertex < 0)
            return result_error(RESULT_USAGE,
                                "%s:%u: a face uses vertex %.*s of %u (from 1, or from -1 backwards)",
                                reader->path, reader->line, (int)strcspn(corner, "/ \t\r"), corner,
                                reader->mesh.vertex_count);
        if (count == 0) first = (uint32_t)vertex;
        if (count >= 2) TRY(add_triangle(reader, first, last, (uint32_t)vertex));
        last = (uint32_t)vertex;
        count++;
    }
    if (count < 3)
        return result_error(RESULT_USAGE, "%s:%u: a face has %u vertices (3 or more)", reader->path,
                            reader->line, count);
    return result_ok();
}

static Result read_lines(ObjReader *reader)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    char *line;
    uint32_t joined = 0;
    if (strncmp(reader->at, byte_order_mark, 3) == 0) reader->at += 3;
    while (next_line(reader, &joined, &line)) {
        const char *word = skip_blanks(line);
        bool one_letter = word[0] && (is_blank(word[1]) || word[1] == 0);
        if (one_letter && word[0] == 'v') TRY(read_vertex(reader, word + 1));
        if (one_letter && word[0] == 'f') TRY(read_face(reader, word + 1));
    }
    return result_ok();
}

// Faces may come before their vertices, so this waits for the end of the file.
static Result check_indices(const ObjReader *reader)
{
    const TriangleMesh *mesh = &reader->mesh;
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++) {
        if (mesh->triangles[k] >= mesh->vertex_count)
            return result_error(RESULT_USAGE, "%s:%u: a face uses vertex %u of %u", reader->path,
                                reader->lines[k / 3], mesh->triangles[k] + 1, mesh->vertex_count);
    }
    return result_ok();
}

static Result read_mesh(ObjReader *reader)
{
    reader->at = reader->text;
    TRY(read_lines(reader));
    TRY(check_indices(reader));
    return mesh_close_surface(&reader->mesh, reader->path, reader->lines);
}

Result mesh_parse_obj(const char *path, const char *text, size_t bytes, TriangleMesh *out)
{
    ObjReader reader = {.path = path, .text = memory_allocate(bytes + 1), .text_bytes = bytes};
    *out = (TriangleMesh){0};
    if (!reader.text) return result_no_memory("a mesh file", bytes);
    memcpy(reader.text, text, bytes);
    reader.text[bytes] = 0;
    Result result = read_mesh(&reader);
    memory_free(reader.text);
    memory_free(reader.lines);
    if (!result_is_ok(&result)) mesh_free(&reader.mesh);
    *out = reader.mesh;
    return result;
}
