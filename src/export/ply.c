// PLY: binary files are written (their numbers are in the machine's byte order, little-endian); text and
// binary files of either byte order are read.
#include "export/export.h"
#include "export/particle_file.h"
#include "export/particle_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- writing ---

#define CHUNK_BYTES 16384

// Positions, normals, velocities and colors come first.
static uint32_t order_attributes(const Geometry *geometry, const Attribute *out[GEOMETRY_ATTRIBUTES_MAX])
{
    uint32_t count = 0;
    for (int plain = 0; plain < 2; plain++) {
        for (uint32_t k = 0; k < geometry->attribute_count; k++) {
            const Attribute *attribute = &geometry->attributes[k];
            if ((attribute->role == ROLE_NONE) == plain) out[count++] = attribute;
        }
    }
    return count;
}

static void put_properties(FileWriter *file, const Attribute *attribute)
{
    static const char *const names[][3] = {[ROLE_POSITION] = {"x", "y", "z"},
                                           [ROLE_NORMAL] = {"nx", "ny", "nz"},
                                           [ROLE_VELOCITY] = {"vx", "vy", "vz"},
                                           [ROLE_COLOR] = {"red", "green", "blue"},
                                           [ROLE_RADIUS] = {"radius"}};
    const char *type = number_type_name(attribute->type, NAMES_PLY);
    for (uint32_t k = 0; k < attribute->components; k++) {
        if (attribute->role != ROLE_NONE)
            file_writer_print(file, "property %s %s\n", type, names[attribute->role][k]);
        else if (attribute->components == 1)
            file_writer_print(file, "property %s %s\n", type, attribute->name);
        else
            file_writer_print(file, "property %s %s_%u\n", type, attribute->name, k);
    }
}

static void put_vertices(FileWriter *file, const Geometry *geometry, const Attribute *const *attributes,
                         uint32_t attribute_count)
{
    uint8_t chunk[CHUNK_BYTES];
    uint32_t row_bytes = 0;
    for (uint32_t k = 0; k < attribute_count; k++) row_bytes += attribute_bytes(attributes[k]);
    uint32_t rows = CHUNK_BYTES / row_bytes;
    for (uint32_t first = 0; first < geometry->vertex_count; first += rows) {
        uint32_t left = geometry->vertex_count - first, count = left < rows ? left : rows, at = 0;
        for (uint32_t k = 0; k < attribute_count; k++) {
            geometry_gather(geometry, attributes[k], ELEMENT_VERTEX, first, count, chunk + at, row_bytes);
            at += attribute_bytes(attributes[k]);
        }
        file_writer_write(file, chunk, (size_t)count * row_bytes);
    }
}

static void put_triangles(FileWriter *file, const Geometry *geometry)
{
    for (uint32_t t = 0; t < geometry->triangle_count; t++) {
        const uint8_t corners = 3;
        file_writer_write(file, &corners, 1);
        file_writer_write(file, geometry->triangle[t], sizeof geometry->triangle[t]);
    }
}

// The pieces of lines, from vertex to vertex.
static void put_edges(FileWriter *file, const Geometry *geometry)
{
    for (uint32_t line = 0; line < geometry->line_count; line++) {
        for (uint32_t i = geometry->line_first[line]; i + 1 < geometry->line_first[line + 1]; i++)
            file_writer_write(file, (const uint32_t[]){i, i + 1}, 8);
    }
}

Result export_ply(const char *path, const Geometry *geometry)
{
    const Attribute *attributes[GEOMETRY_ATTRIBUTES_MAX];
    uint32_t count = order_attributes(geometry, attributes);
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file, "ply\nformat binary_little_endian 1.0\ncomment ");
    geometry_put_title(&file, geometry);
    file_writer_print(&file, "\nelement vertex %u\n", geometry->vertex_count);
    for (uint32_t k = 0; k < count; k++) put_properties(&file, attributes[k]);
    if (geometry->has_triangles)
        file_writer_print(&file, "element face %u\nproperty list uchar int vertex_indices\n",
                          geometry->triangle_count);
    if (geometry->line_first)
        file_writer_print(&file, "element edge %u\nproperty int vertex1\nproperty int vertex2\n",
                          geometry->vertex_count - geometry->line_count);
    file_writer_print(&file, "end_header\n");
    put_vertices(&file, geometry, attributes, count);
    put_triangles(&file, geometry);
    put_edges(&file, geometry);
    return file_writer_commit(&file);
}

// --- reading ---

#define LINE_MAX_BYTES 256
#define PROPERTIES_MAX 64
#define ELEMENTS_MAX 16

typedef struct Property {
    char name[32];
    NumberType type;
    bool list;
    NumberType length; // of a list's length
} Property;

typedef struct Element {
    char name[32];
    uint64_t count;
    Property property[PROPERTIES_MAX];
    uint32_t properties;
} Element;

typedef struct PlyFile {
    const char *path;
    NumberCursor cursor;
    Element element[ELEMENTS_MAX];
    uint32_t elements;
    int format_seen;
} PlyFile;

static bool find_type(const char *name, NumberType *out)
{
    return number_type_find(NAMES_PLY, name, strlen(name), out);
}

static Result header_error(const PlyFile *file, int line, const char *what, const char *text)
{
    return result_error(RESULT_USAGE, "%s:%d: %s: \"%.60s\"", file->path, line, what, text);
}

static Result read_format(PlyFile *file, int line, const char *text)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    char name[32];
    if (sscanf(text, "format %31s", name) == 1) {
        for (int k = 0; k < 3; k++) {
            if (strcmp(name, names[k]) != 0) continue;
            file->cursor.coding = (NumberCoding)k;
            file->format_seen = 1;
            return result_ok();
        }
    }
    return header_error(file, line, "unknown format (ascii, binary_little_endian, binary_big_endian)", text);
}

static Result read_element(PlyFile *file, int line, const char *text)
{
    char count[32], *end;
    if (file->elements == ELEMENTS_MAX)
        return header_error(file, line, "too many elements (at most 16)", text);
    Element *element = &file->element[file->elements];
    if (sscanf(text, "element %31s %31s", element->name, count) != 2) {
        return header_error(file, line, "an element has a name and a count", text);
    }
    element->count = strtoull(count, &end, 10);
    if (*end != '\0' || count[0] == '-' || element->count > UINT32_MAX / 2) {
        return header_error(file, line, "not a count (0 to 2147483647)", text);
    }
    file->elements++;
    return result_ok();
}

static Result read_property(PlyFile *file, int line, const char *text)
{
    char type[32], length[32];
    if (file->elements == 0) return header_error(file, line, "a property before any element", text);
    Element *element = &file->element[file->elements - 1];
    if (element->properties == PROPERTIES_MAX)
        return header_error(file, line, "too many properties (at most 64)", text);
    Property *property = &element->property[element->properties];
    property->list = sscanf(text, "property list %31s %31s %31s", length, type, property->name) == 3;
    if (!property->list && sscanf(text, "property %31s %31s", type, property->name) != 2) {
        return header_error(file, line, "a property has a type and a name", text);
    }
    if (!find_type(type, &property->type) || (property->list && !find_type(length, &property->length))) {
        return header_error(file, line, "unknown type (char to double, int8 to float64)", text);
    }
    element->properties++;
    return result_ok();
}

static Result read_header(PlyFile *file, ParticleFile *out)
{
    char text[LINE_MAX_BYTES];
    for (int line = 1; cursor_line(&file->cursor, text, sizeof text); line++) {
        if (strcmp(text, "end_header") == 0) {
            if (file->format_seen) return result_ok();
            return result_error(RESULT_USAGE, "%s: the header names no format", file->path);
        }
        if (strncmp(text, "format ", 7) == 0)
            TRY(read_format(file, line, text));
        else if (strncmp(text, "element ", 8) == 0)
            TRY(read_element(file, line, text));
        else if (strncmp(text, "property ", 9) == 0)
            TRY(read_property(file, line, text));
        else if (strncmp(text, "comment", 7) == 0)
            particle_file_take_title(out, text);
        else if (line > 1 && text[0] != '\0' && strncmp(text, "obj_info", 8) != 0) {
            return header_error(file, line, "not a line of a PLY header", text);
        }
    }
    return result_error(RESULT_USAGE, "%s: the header does not end (end_header is missing)", file->path);
}

static Result read_row(PlyFile *file, const Element *element, uint64_t row, double values[PROPERTIES_MAX])
{
    for (uint32_t k = 0; k < element->properties; k++) {
        const Property *property = &element->property[k];
        double length = 1;
        bool good = !property->list || number_next(&file->cursor, property->length, &length);
        if (good && property->list) {
            good =
                length >= 0 && length < 4e9 && number_skip(&file->cursor, property->type, (uint64_t)length);
            values[k] = 0;
        } else if (good) {
            good = number_next(&file->cursor, property->type, &values[k]);
        }
        if (good) continue;
        return result_error(RESULT_USAGE, "%s: %.31s %llu of %llu: %.31s is missing or not a number",
                            file->path, element->name, (unsigned long long)row,
                            (unsigned long long)element->count, property->name);
    }
    return result_ok();
}

// Checks that the bytes are enough: each row of an element needs its numbers, a list at least its length.
static Result check_size(const PlyFile *file, const Element *element)
{
    uint64_t row = 0;
    for (uint32_t k = 0; k < element->properties; k++) {
        const Property *property = &element->property[k];
        row += number_bytes(property->list ? property->length : property->type);
    }
    uint64_t left = (uint64_t)(file->cursor.end - file->cursor.at), needed = element->count * row;
    if (file->cursor.coding == CODING_TEXT) needed = element->count * element->properties * 2;
    if (needed <= left + 1 && (needed <= left || file->cursor.coding == CODING_TEXT)) return result_ok();
    return result_error(RESULT_USAGE, "%s: %llu elements \"%.31s\" need at least %llu bytes, %llu follow",
                        file->path, (unsigned long long)element->count, element->name,
                        (unsigned long long)needed, (unsigned long long)left);
}

// Finds the properties that hold positions and velocities; -1: there is none.
static void find_properties(const Element *element, int place[6])
{
    for (int k = 0; k < 6; k++) place[k] = -1;
    for (uint32_t k = 0; k < element->properties; k++) {
        const Property *property = &element->property[k];
        int number = property->list ? -1 : particle_name_column(property->name, strlen(property->name));
        if (number >= 0 && place[number] < 0) place[number] = (int)k;
    }
}

static Result read_vertices(PlyFile *file, const Element *element, ParticleFile *out)
{
    int place[6];
    find_properties(element, place);
    for (int k = 0; k < 3; k++) {
        if (place[k] < 0)
            return result_error(RESULT_USAGE, "%s: the vertices have no property %c", file->path, "xyz"[k]);
    }
    bool moving = place[3] >= 0 && place[4] >= 0 && place[5] >= 0;
    if (moving) {
        const char *name = element->property[place[3]].name;
        particle_file_name_velocity(out, name, strlen(name));
    }
    TRY(particle_file_allocate(out, element->count, moving));
    double values[PROPERTIES_MAX] = {0};
    for (uint64_t row = 0; row < element->count; row++) {
        TRY(read_row(file, element, row, values));
        for (int k = 0; k < (moving ? 6 : 3); k++) out->stream[k][row] = (float)values[place[k]];
    }
    return result_ok();
}

Result particle_file_parse_ply(const char *path, const char *bytes, size_t size, ParticleFile *out)
{
    PlyFile file = {.path = path, .cursor = {bytes, bytes + size, CODING_TEXT}};
    TRY(read_header(&file, out));
    for (uint32_t k = 0; k < file.elements; k++) {
        if (strcmp(file.element[k].name, "face") == 0) out->faces = file.element[k].count;
    }
    for (uint32_t k = 0; k < file.elements; k++) {
        const Element *element = &file.element[k];
        TRY(check_size(&file, element));
        if (strcmp(element->name, "vertex") == 0) return read_vertices(&file, element, out);
        double ignored[PROPERTIES_MAX];
        for (uint64_t row = 0; row < element->count && element->properties > 0; row++) {
            TRY(read_row(&file, element, row, ignored));
        }
    }
    return result_error(RESULT_USAGE, "%s: no element \"vertex\"", path);
}
