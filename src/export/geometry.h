// Geometry with attributes, the form that every file format takes: points, vertices, triangles or lines and a
// list of attributes. Writers know formats and nothing of fluids; adaptors (export.h) describe particles,
// surfaces and obstacles without copying what lies in memory: an attribute is a strided array, so that
// structures of arrays and arrays of structures look the same.
#ifndef PBF_EXPORT_GEOMETRY_H
#define PBF_EXPORT_GEOMETRY_H

#include "core/vec3.h"
#include "export/file_writer.h"
#include "export/number_cursor.h"

#define GEOMETRY_ATTRIBUTES_MAX 32
#define GEOMETRY_LABEL_BYTES 160

// Elements that values belong to. A vertex is a point with a normal: a point at an edge has several.
typedef enum GeometryElement {
    ELEMENT_POINT,
    ELEMENT_VERTEX,
    ELEMENT_TRIANGLE,
    ELEMENT_LINE,
    ELEMENT_PART
} GeometryElement;

// Attributes that formats have a word of their own for; all others are numbers with a name.
typedef enum AttributeRole {
    ROLE_NONE,
    ROLE_POSITION,
    ROLE_NORMAL,
    ROLE_VELOCITY,
    ROLE_COLOR,
    ROLE_RADIUS
} AttributeRole;

typedef struct Attribute Attribute;
struct Attribute {
    const char *name; // "density": letters, digits and "_"
    AttributeRole role;
    GeometryElement element; // a value for each point, vertex, line or part
    NumberType type;
    uint32_t components; // 1 to 3; 3 floats for positions, normals and velocities, 3 bytes (sRGB) for colors,
                         // a float for radii
    const void *data[3]; // first value of each component
    uint32_t stride;     // bytes from one value to the next
    // Works out `count` values from `first` on where they do not lie in memory; data is what it needs. For
    // geometries whose vertices are their points, and for lines.
    void (*values)(const Attribute *attribute, uint32_t first, uint32_t count, void *out);
};

// A body; its points, vertices and triangles follow each other. Where there are as many points as vertices
// they are in the same order.
typedef struct GeometryPart {
    char label[GEOMETRY_LABEL_BYTES]; // letters, digits and "_"; no two parts have the same. "": all of it
    uint32_t number;                  // from 0, in order
    float color[3];                   // linear RGB
    uint8_t srgb[3];                  // as screens take it
    uint32_t first_point, point_count;
    uint32_t first_vertex, vertex_count;
    uint32_t first_triangle, triangle_count;
} GeometryPart;

// The axis that points up in a file. Scenes have z up; with y up they are turned by 90 degrees about x.
typedef enum UpAxis { UP_DEFAULT, UP_Y, UP_Z } UpAxis; // UP_DEFAULT: what programs expect of the format

// A position or direction of the scene as such a file has it.
static inline Vec3 geometry_turn(UpAxis up, Vec3 v)
{
    return up == UP_Y ? vec3_make(v.x, v.z, -v.y) : v;
}

// Owns nothing: what it refers to has to outlive it.
typedef struct Geometry {
    const char *name;     // "particles", "surface", "obstacles", "strands"
    UpAxis up;            // of the file that is written; attributes are z up
    bool timed;           // the next two are known
    double time, spacing; // s; m, between particles at rest
    uint32_t point_count, vertex_count, triangle_count;
    const uint32_t *vertex_point; // for each vertex, the number of its point; NULL: the same
    bool has_triangles;           // false: points alone, or lines
    uint32_t (*triangle)[3];      // numbers of vertices, counter-clockwise from outside
    const uint32_t *line_first;   // of each line, its first vertex, and one past the last; NULL: no lines
    uint32_t line_count;
    const GeometryPart *parts; // NULL: one part
    uint32_t part_count;
    Attribute attributes[GEOMETRY_ATTRIBUTES_MAX]; // the first one holds the positions, m
    uint32_t attribute_count;
} Geometry;

// Adds an attribute. data: of the first component, the others follow it without a gap; they may be changed.
Attribute *geometry_add(Geometry *geometry, const char *name, AttributeRole role, GeometryElement element,
                        NumberType type, uint32_t components, const void *data, uint32_t stride);

// The attribute of that role, or NULL.
const Attribute *geometry_find(const Geometry *geometry, AttributeRole role);

// What cells are in formats that know them: triangles, lines or vertices.
GeometryElement geometry_cell(const Geometry *geometry);

// Does such a format keep the attribute with its cells?
bool attribute_is_of_cells(const Attribute *attribute);

// Number of vertices, triangles or lines.
uint32_t geometry_count(const Geometry *geometry, GeometryElement over);

// Bytes of a value with all its components.
uint32_t attribute_bytes(const Attribute *attribute);

// Three floats at a row of a position, normal or velocity, with the axis up that the geometry asks for.
Vec3 geometry_vector(const Geometry *geometry, const Attribute *attribute, uint32_t row);

// The point of a vertex.
uint32_t geometry_point(const Geometry *geometry, uint32_t vertex);

// Part k; a geometry without parts is one, with an empty label.
GeometryPart geometry_part(const Geometry *geometry, uint32_t k);

// Values at `count` vertices, triangles or lines from `first` on, to out; out_stride: bytes from one to the
// next.
void geometry_gather(const Geometry *geometry, const Attribute *attribute, GeometryElement over,
                     uint32_t first, uint32_t count, void *out, uint32_t out_stride);

// Writes the values at all vertices, triangles or lines one after the other; big_endian: with their bytes
// swapped.
void geometry_put(FileWriter *file, const Geometry *geometry, const Attribute *attribute,
                  GeometryElement over, bool big_endian);

// Writes "pbf NAME[, time T s, spacing S m]", which readers find the spacing in.
void geometry_put_title(FileWriter *file, const Geometry *geometry);

#endif
