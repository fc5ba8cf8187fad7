// Legacy VTK polydata: binary files are written; text and binary files are read. The format is big-endian.
#include "export/export.h"
#include "export/particle_file.h"
#include "export/particle_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// --- writing ---

static void put_words(FileWriter *file, const uint32_t *words, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t word = __builtin_bswap32(words[k]);
        file_writer_write(file, &word, sizeof word);
    }
}

// Points alone are cells of one vertex: without cells ParaView shows nothing.
static void put_cells(FileWriter *file, const Geometry *geometry)
{
    static const char *const words[] = {
        [ELEMENT_VERTEX] = "VERTICES", [ELEMENT_TRIANGLE] = "POLYGONS", [ELEMENT_LINE] = "LINES"};
    GeometryElement cell = geometry_cell(geometry);
    uint32_t count = geometry_count(geometry, cell), corners = cell == ELEMENT_TRIANGLE ? 3 : 1;
    unsigned long long all =
        cell == ELEMENT_LINE ? geometry->vertex_count : (unsigned long long)corners * count;
    file_writer_print(file, "\n%s %u %llu\n", words[cell], count, all + count);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *line = geometry->line_first;
        if (cell == ELEMENT_LINE) corners = line[k + 1] - line[k];
        put_words(file, &corners, 1);
        if (cell == ELEMENT_TRIANGLE) put_words(file, geometry->triangle[k], corners);
        if (cell == ELEMENT_VERTEX) put_words(file, &k, corners);
        for (uint32_t i = 0; i < corners && cell == ELEMENT_LINE; i++)
            put_words(file, &(uint32_t){line[k] + i}, 1);
    }
}

static void put_attribute(FileWriter *file, const Geometry *geometry, const Attribute *attribute,
                          GeometryElement over)
{
    const char *name = attribute->name, *type = number_type_name(attribute->type, NAMES_VTK);
    if (attribute->components == 1)
        file_writer_print(file, "\nSCALARS %s %s 1\nLOOKUP_TABLE default\n", name, type);
    else if (attribute->role == ROLE_NORMAL || attribute->role == ROLE_VELOCITY)
        file_writer_print(file, "\n%s %s %s\n", attribute->role == ROLE_NORMAL ? "NORMALS" : "VECTORS", name,
                          type);
    else
        file_writer_print(file, "\nFIELD FieldData 1\n%s %u %u %s\n", name, attribute->components,
                          geometry_count(geometry, over), type);
    geometry_put(file, geometry, attribute, over, true);
}

// The data of points or of cells, scalars first.
static void put_data(FileWriter *file, const Geometry *geometry, GeometryElement over)
{
    bool opened = false;
    for (int wide = 0; wide < 2; wide++) {
        for (uint32_t k = 1; k < geometry->attribute_count; k++) {
            const Attribute *attribute = &geometry->attributes[k];
            bool of_cells = attribute_is_of_cells(attribute);
            if ((attribute->components > 1) != wide || of_cells != (over != ELEMENT_VERTEX)) continue;
            if (!opened)
                file_writer_print(file, "\n%s %u", of_cells ? "CELL_DATA" : "POINT_DATA",
                                  geometry_count(geometry, over));
            opened = true;
            put_attribute(file, geometry, attribute, over);
        }
    }
}

Result export_vtk(const char *path, const Geometry *geometry)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file, "# vtk DataFile Version 3.0\n");
    geometry_put_title(&file, geometry);
    file_writer_print(&file, "\nBINARY\nDATASET POLYDATA\nPOINTS %u float\n", geometry->vertex_count);
    geometry_put(&file, geometry, &geometry->attributes[0], ELEMENT_VERTEX, true);
    put_cells(&file, geometry);
    put_data(&file, geometry, ELEMENT_VERTEX);
    if (geometry_cell(geometry) != ELEMENT_VERTEX) put_data(&file, geometry, geometry_cell(geometry));
    file_writer_print(&file, "\n");
    return file_writer_commit(&file);
}

Result export_series_vtk(const char *path, FileSeries series)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file, "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [");
    for (uint32_t k = 0; k < series.count; k++) {
        file_writer_print(&file, "%s\n    {\"name\": ", k > 0 ? "," : "");
        file_writer_print_json(&file, series.files[k]);
        file_writer_print(&file, ", \"time\": %.9g}", series.times[k]);
    }
    file_writer_print(&file, "\n  ]\n}\n");
    return file_writer_commit(&file);
}

// --- reading ---

#define LINE_MAX_BYTES 256

typedef struct VtkFile {
    const char *path;
    NumberCursor cursor;
    ParticleFile *out;
    bool points_seen;
    bool point_data, cell_data; // the attributes that follow belong to points; to cells
    uint64_t rows;              // of each of them
} VtkFile;

static bool find_type(const char *name, NumberType *out)
{
    return number_type_find(NAMES_VTK, name, strlen(name), out);
}

static Result bad_line(const VtkFile *file, const char *what, const char *line)
{
    return result_error(RESULT_USAGE, "%s: %s: \"%.60s\"", file->path, what, line);
}

static Result too_short(const VtkFile *file, const char *what, uint64_t count)
{
    return result_error(RESULT_USAGE,
                        "%s: %.40s: %llu numbers are announced, the file ends or has no number before",
                        file->path, what, (unsigned long long)count);
}

static bool read_count(const char *text, uint64_t *out)
{
    char *end;
    *out = strtoull(text, &end, 10);
    return end != text && *end == '\0' && text[0] != '-' && *out <= UINT32_MAX / 2;
}

static Result skip_numbers(VtkFile *file, const char *what, NumberType type, uint64_t count)
{
    return number_skip(&file->cursor, type, count) ? result_ok() : too_short(file, what, count);
}

static Result read_points(VtkFile *file, const char *line)
{
    char count_text[32], type_text[32];
    uint64_t count;
    NumberType type;
    if (file->points_seen) return bad_line(file, "points for the second time", line);
    if (sscanf(line, "%*s %31s %31s", count_text, type_text) != 2 || !read_count(count_text, &count) ||
        !find_type(type_text, &type)) {
        return bad_line(file, "points need a count and a type", line);
    }
    if (!number_fits(&file->cursor, type, 3 * count)) return too_short(file, line, 3 * count);
    TRY(particle_file_allocate(file->out, count, false));
    file->points_seen = true;
    return number_next_vectors(&file->cursor, type, count, file->out->stream)
               ? result_ok()
               : too_short(file, "POINTS", 3 * count);
}

// Numbers with three components for every point may be the velocity; all others are skipped.
static Result read_array(VtkFile *file, const char *name, NumberType type, uint64_t width, uint64_t count)
{
    ParticleFile *out = file->out;
    bool velocity = particle_name_is_velocity(name, strlen(name)) && width == 3 && count == out->count &&
                    file->point_data;
    if (width > 0 && count > UINT32_MAX / width) return too_short(file, name, UINT32_MAX);
    if (!velocity || out->vx) return skip_numbers(file, name, type, width * count);
    if (!number_fits(&file->cursor, type, width * count)) return too_short(file, name, width * count);
    TRY(particle_file_allocate(out, count, true));
    particle_file_name_velocity(out, name, strlen(name));
    return number_next_vectors(&file->cursor, type, count, out->stream + 3)
               ? result_ok()
               : too_short(file, name, 3 * count);
}

static bool next_line(VtkFile *file, char line[LINE_MAX_BYTES])
{
    while (cursor_line(&file->cursor, line, LINE_MAX_BYTES)) {
        if (line[strspn(line, " \t\r")] != '\0') return true;
    }
    return false;
}

// METADATA ends with an empty line.
static void skip_metadata(VtkFile *file)
{
    char line[LINE_MAX_BYTES];
    while (cursor_line(&file->cursor, line, sizeof line) && line[strspn(line, " \t\r")] != '\0') continue;
}

static Result read_field(VtkFile *file, const char *line)
{
    char text[LINE_MAX_BYTES], name[64], width_text[32], count_text[32], type_text[32];
    uint64_t arrays, width, count;
    NumberType type;
    if (sscanf(line, "%*s %*s %31s", count_text) != 1 || !read_count(count_text, &arrays)) {
        return bad_line(file, "a field needs a name and a number of arrays", line);
    }
    while (arrays-- > 0) {
        if (!next_line(file, text)) return bad_line(file, "a field's arrays are missing", line);
        if (strncasecmp(text, "METADATA", 8) == 0) {
            skip_metadata(file);
            arrays++;
            continue;
        }
        if (sscanf(text, "%63s %31s %31s %31s", name, width_text, count_text, type_text) != 4 ||
            !read_count(width_text, &width) || !read_count(count_text, &count) ||
            !find_type(type_text, &type)) {
            return bad_line(file, "an array needs a name, components, a count and a known type", text);
        }
        TRY(read_array(file, name, type, width, count));
    }
    return result_ok();
}

static Result read_attribute(VtkFile *file, const char *keyword, const char *line)
{
    char name[64], type_text[32], width_text[32];
    NumberType type;
    uint64_t width = strcasecmp(keyword, "TENSORS") == 0 ? 9 : 3;
    int found = sscanf(line, "%*s %63s %31s %31s", name, type_text, width_text);
    if (found < 2 || !find_type(type_text, &type))
        return bad_line(file, "an attribute needs a name and a type", line);
    if (strcasecmp(keyword, "SCALARS") == 0) {
        width = 1;
        if (found == 3 && (!read_count(width_text, &width) || width < 1 || width > 4)) {
            return bad_line(file, "scalars have 1 to 4 components", line);
        }
        char table[LINE_MAX_BYTES];
        const char *before = file->cursor.at;
        if (!next_line(file, table) || strncasecmp(table, "LOOKUP_TABLE", 12) != 0) file->cursor.at = before;
    }
    return read_array(file, name, type, width, file->rows);
}

// Cells: before version 5 a list of whole numbers, from then on two arrays that name their type.
static Result read_cells(VtkFile *file, const char *line)
{
    char cells_text[32], size_text[32], text[LINE_MAX_BYTES], type_text[32];
    uint64_t cells, size;
    if (sscanf(line, "%*s %31s %31s", cells_text, size_text) != 2 || !read_count(cells_text, &cells) ||
        !read_count(size_text, &size)) {
        return bad_line(file, "cells need two counts", line);
    }
    const char *before = file->cursor.at;
    if (!next_line(file, text) || sscanf(text, "OFFSETS %31s", type_text) != 1) {
        file->cursor.at = before;
        return skip_numbers(file, line, TYPE_INT32, size);
    }
    NumberType type;
    if (!find_type(type_text, &type)) return bad_line(file, "unknown type", text);
    TRY(skip_numbers(file, text, type, cells));
    if (!next_line(file, text) || sscanf(text, "CONNECTIVITY %31s", type_text) != 1 ||
        !find_type(type_text, &type)) {
        return bad_line(file, "no CONNECTIVITY behind the offsets of", line);
    }
    return skip_numbers(file, text, type, size);
}

// What the attributes that follow belong to.
static Result begin_data(VtkFile *file, bool of_points, const char *count_text, const char *line)
{
    file->point_data = of_points;
    file->cell_data = !of_points;
    if (read_count(count_text, &file->rows) && (!of_points || file->rows == file->out->count))
        return result_ok();
    return bad_line(file, of_points ? "data for another number of points" : "data of cells need a count",
                    line);
}

static bool is_any(const char *keyword, const char *const *names)
{
    for (; *names; names++) {
        if (strcasecmp(keyword, *names) == 0) return true;
    }
    return false;
}

static Result read_section(VtkFile *file, const char *line, bool *done)
{
    static const char *const cells[] = {"CELLS", "VERTICES", "LINES", "POLYGONS", "TRIANGLE_STRIPS", NULL};
    static const char *const surfaces[] = {"POLYGONS", "TRIANGLE_STRIPS", NULL};
    static const char *const attributes[] = {"SCALARS", "VECTORS", "NORMALS", "TENSORS", NULL};
    char keyword[32], count_text[32] = "";
    uint64_t count = 0;
    if (sscanf(line, "%31s %31s", keyword, count_text) < 1) return result_ok();
    if (strcasecmp(keyword, "POINTS") == 0) return read_points(file, line);
    if (is_any(keyword, surfaces) && read_count(count_text, &count)) file->out->faces += count;
    if (is_any(keyword, cells)) return read_cells(file, line);
    if (strcasecmp(keyword, "CELL_TYPES") == 0) {
        if (!read_count(count_text, &count)) return bad_line(file, "cell types need a count", line);
        return skip_numbers(file, keyword, TYPE_INT32, count);
    }
    if (strcasecmp(keyword, "POINT_DATA") == 0) return begin_data(file, true, count_text, line);
    if (strcasecmp(keyword, "CELL_DATA") == 0) {
        *done = file->out->vx != NULL; // data of points may follow, but there is all that is needed
        return begin_data(file, false, count_text, line);
    }
    if (strcasecmp(keyword, "FIELD") == 0) return read_field(file, line);
    if (strcasecmp(keyword, "METADATA") == 0) {
        skip_metadata(file);
        return result_ok();
    }
    if ((file->point_data || file->cell_data) && is_any(keyword, attributes))
        return read_attribute(file, keyword, line);
    // What this reader does not know: positions are there, the rest is not needed.
    *done = file->points_seen;
    return file->points_seen ? result_ok() : bad_line(file, "unknown section before the points", line);
}

static Result read_head(VtkFile *file)
{
    char line[LINE_MAX_BYTES], kind[32] = "";
    if (!cursor_line(&file->cursor, line, sizeof line) || !cursor_line(&file->cursor, line, sizeof line)) {
        return result_error(RESULT_USAGE, "%s: the file ends in its header", file->path);
    }
    particle_file_take_title(file->out, line);
    if (!next_line(file, line))
        return result_error(RESULT_USAGE, "%s: the file ends in its header", file->path);
    NumberCoding coding = CODING_TEXT;
    if (strncasecmp(line, "BINARY", 6) == 0)
        coding = CODING_BIG;
    else if (strncasecmp(line, "ASCII", 5) != 0)
        return bad_line(file, "neither ASCII nor BINARY", line);
    if (!next_line(file, line) || sscanf(line, "DATASET %31s", kind) != 1) {
        return bad_line(file, "no DATASET", line);
    }
    if (strcasecmp(kind, "POLYDATA") != 0 && strcasecmp(kind, "UNSTRUCTURED_GRID") != 0) {
        return bad_line(file, "a data set without points (allowed: POLYDATA, UNSTRUCTURED_GRID)", kind);
    }
    file->cursor.coding = coding;
    return result_ok();
}

Result particle_file_parse_vtk(const char *path, const char *bytes, size_t size, ParticleFile *out)
{
    VtkFile file = {.path = path, .cursor = {bytes, bytes + size, CODING_TEXT}, .out = out};
    TRY(read_head(&file));
    char line[LINE_MAX_BYTES];
    bool done = false;
    while (!done && next_line(&file, line)) TRY(read_section(&file, line, &done));
    return file.points_seen ? result_ok() : result_error(RESULT_USAGE, "%s: no points", path);
}
