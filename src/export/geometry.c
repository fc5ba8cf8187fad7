#include "export/geometry.h"

#include <string.h>

#define CHUNK_BYTES 12288 // a whole number of values of any size

Attribute *geometry_add(Geometry *geometry, const char *name, AttributeRole role, GeometryElement element,
                        NumberType type, uint32_t components, const void *data, uint32_t stride)
{
    CHECK(geometry->attribute_count < GEOMETRY_ATTRIBUTES_MAX && components >= 1 && components <= 3);
    Attribute *attribute = &geometry->attributes[geometry->attribute_count++];
    *attribute = (Attribute){name, role, element, type, components, {NULL}, stride, NULL};
    for (uint32_t k = 0; k < components && data; k++)
        attribute->data[k] = (const uint8_t *)data + k * number_bytes(type);
    return attribute;
}

const Attribute *geometry_find(const Geometry *geometry, AttributeRole role)
{
    for (uint32_t k = 0; k < geometry->attribute_count; k++) {
        if (geometry->attributes[k].role == role) return &geometry->attributes[k];
    }
    return NULL;
}

uint32_t geometry_count(const Geometry *geometry, GeometryElement over)
{
    return over == ELEMENT_TRIANGLE ? geometry->triangle_count
           : over == ELEMENT_LINE   ? geometry->line_count
                                    : geometry->vertex_count;
}

GeometryElement geometry_cell(const Geometry *geometry)
{
    return geometry->has_triangles ? ELEMENT_TRIANGLE : geometry->line_first ? ELEMENT_LINE : ELEMENT_VERTEX;
}

bool attribute_is_of_cells(const Attribute *attribute)
{
    return attribute->element == ELEMENT_PART || attribute->element == ELEMENT_LINE;
}

uint32_t attribute_bytes(const Attribute *attribute)
{
    return attribute->components * number_bytes(attribute->type);
}

static const uint8_t *value_at(const Attribute *attribute, uint32_t component, uint32_t row)
{
    return (const uint8_t *)attribute->data[component] + (size_t)row * attribute->stride;
}

Vec3 geometry_vector(const Geometry *geometry, const Attribute *attribute, uint32_t row)
{
    float value[3];
    if (attribute->values) attribute->values(attribute, row, 1, value);
    for (uint32_t k = 0; k < 3 && !attribute->values; k++)
        memcpy(&value[k], value_at(attribute, k, row), sizeof *value);
    return geometry_turn(geometry->up, vec3_make(value[0], value[1], value[2]));
}

uint32_t geometry_point(const Geometry *geometry, uint32_t vertex)
{
    return geometry->vertex_point ? geometry->vertex_point[vertex] : vertex;
}

GeometryPart geometry_part(const Geometry *geometry, uint32_t k)
{
    if (geometry->parts) return geometry->parts[k];
    return (GeometryPart){.point_count = geometry->point_count,
                          .vertex_count = geometry->vertex_count,
                          .triangle_count = geometry->triangle_count};
}

// Finds the part of a vertex or triangle, from part k on.
static uint32_t find_part(const Geometry *geometry, GeometryElement over, uint32_t element, uint32_t k)
{
    for (;; k++) {
        const GeometryPart *part = &geometry->parts[k];
        uint32_t end = over == ELEMENT_TRIANGLE ? part->first_triangle + part->triangle_count
                                                : part->first_vertex + part->vertex_count;
        if (element < end) return k;
    }
}

// Values that do not lie in memory, several at a time.
static void work_out(const Attribute *attribute, uint32_t first, uint32_t count, uint8_t *to, uint32_t stride)
{
    _Alignas(double) uint8_t packed[CHUNK_BYTES];
    uint32_t bytes = attribute_bytes(attribute), rows = CHUNK_BYTES / bytes;
    for (uint32_t done = 0; done < count; done += rows) {
        uint32_t now = count - done < rows ? count - done : rows;
        attribute->values(attribute, first + done, now, packed);
        for (uint32_t k = 0; k < now; k++, to += stride) memcpy(to, packed + (size_t)k * bytes, bytes);
    }
}

// The line that a vertex is on.
static uint32_t find_line(const Geometry *geometry, uint32_t vertex)
{
    uint32_t lo = 0, hi = geometry->line_count;
    while (hi - lo > 1) {
        uint32_t middle = lo + (hi - lo) / 2;
        *(geometry->line_first[middle] <= vertex ? &lo : &hi) = middle;
    }
    return lo;
}

static void put_value(const Attribute *attribute, uint32_t row, uint8_t *to)
{
    uint32_t bytes = number_bytes(attribute->type);
    if (attribute->values) work_out(attribute, row, 1, to, attribute_bytes(attribute));
    for (uint32_t c = 0; c < attribute->components && !attribute->values; c++)
        memcpy(to + bytes * c, value_at(attribute, c, row), bytes);
}

// Values of lines at their vertices.
static void spread_over_lines(const Geometry *geometry, const Attribute *attribute, uint32_t first,
                              uint32_t count, uint8_t *to, uint32_t stride)
{
    for (uint32_t vertex = first; vertex < first + count;) {
        uint32_t line = find_line(geometry, vertex), end = geometry->line_first[line + 1];
        const uint8_t *value = to;
        put_value(attribute, line, to);
        for (to += stride; ++vertex < end && vertex < first + count; to += stride)
            memcpy(to, value, attribute_bytes(attribute));
    }
}

// Copies values as they are.
static void gather(const Geometry *geometry, const Attribute *attribute, GeometryElement over, uint32_t first,
                   uint32_t count, void *out, uint32_t out_stride)
{
    uint32_t bytes = number_bytes(attribute->type), part = 0;
    uint8_t *to = out;
    if (attribute->element == ELEMENT_LINE && over == ELEMENT_VERTEX) {
        spread_over_lines(geometry, attribute, first, count, to, out_stride);
        return;
    }
    if (attribute->values) {
        work_out(attribute, first, count, to, out_stride);
        return;
    }
    for (uint32_t k = first; k < first + count; k++, to += out_stride) {
        uint32_t row = attribute->element == ELEMENT_POINT ? geometry_point(geometry, k) : k;
        if (attribute->element == ELEMENT_PART) row = part = find_part(geometry, over, k, part);
        for (uint32_t c = 0; c < attribute->components; c++) {
            if (bytes == 4) // the usual case, without a call
                memcpy(to + 4 * c, value_at(attribute, c, row), 4);
            else
                memcpy(to + bytes * c, value_at(attribute, c, row), bytes);
        }
    }
}

static bool is_directed(const Attribute *attribute)
{
    return attribute->role == ROLE_POSITION || attribute->role == ROLE_NORMAL ||
           attribute->role == ROLE_VELOCITY;
}

void geometry_gather(const Geometry *geometry, const Attribute *attribute, GeometryElement over,
                     uint32_t first, uint32_t count, void *out, uint32_t out_stride)
{
    gather(geometry, attribute, over, first, count, out, out_stride);
    if (geometry->up != UP_Y || !is_directed(attribute)) return;
    uint8_t *at = out;
    for (uint32_t k = 0; k < count; k++, at += out_stride) {
        Vec3 v;
        memcpy(&v, at, sizeof v);
        v = geometry_turn(UP_Y, v);
        memcpy(at, &v, sizeof v);
    }
}

static void swap_bytes(uint8_t *at, uint32_t bytes, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++, at += bytes) {
        for (uint32_t i = 0; i < bytes / 2; i++) {
            uint8_t kept = at[i];
            at[i] = at[bytes - 1 - i];
            at[bytes - 1 - i] = kept;
        }
    }
}

void geometry_put(FileWriter *file, const Geometry *geometry, const Attribute *attribute,
                  GeometryElement over, bool big_endian)
{
    uint8_t chunk[CHUNK_BYTES];
    uint32_t bytes = attribute_bytes(attribute), rows = CHUNK_BYTES / bytes;
    uint32_t all = geometry_count(geometry, over);
    for (uint32_t first = 0; first < all; first += rows) {
        uint32_t count = all - first < rows ? all - first : rows;
        geometry_gather(geometry, attribute, over, first, count, chunk, bytes);
        if (big_endian) swap_bytes(chunk, number_bytes(attribute->type), count * attribute->components);
        file_writer_write(file, chunk, (size_t)count * bytes);
    }
}

void geometry_put_title(FileWriter *file, const Geometry *geometry)
{
    file_writer_print(file, "pbf %s", geometry->name);
    if (geometry->timed)
        file_writer_print(file, ", time %.9g s, spacing %.9g m", geometry->time, geometry->spacing);
}
