// XML VTK polydata: its arrays are written in place in base64. Raw ones behind the XML would be a quarter
// shorter, but are not XML: ParaView 5.11 cannot read them with the expat that Debian 12 has mended.
// .vtp and .vtu files of other programs are read.
#include "core/memory.h"
#include "export/export.h"
#include "export/particle_file.h"
#include "export/particle_names.h"
#include "export/vtk_xml_data.h"
#include "export/vtp_arrays.h"

#include <string.h>

// --- writing ---

void vtp_begin_array(FileWriter *file, NumberType type, const char *name, uint32_t components, uint64_t count)
{
    uint64_t bytes = number_bytes(type) * components * count;
    file_writer_print(file,
                      "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%u\" format=\"binary\">\n",
                      number_type_name(type, NAMES_VTK_XML), name, components);
    file_writer_begin_base64(file);
    file_writer_write(file, &bytes, sizeof bytes);
}

void vtp_end_array(FileWriter *file)
{
    file_writer_end_base64(file);
    file_writer_print(file, "\n</DataArray>\n");
}

// first, first + step, ...
static void put_sequence(FileWriter *file, const char *name, uint32_t count, uint32_t first, uint32_t step)
{
    vtp_begin_array(file, TYPE_INT32, name, 1, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = first + i * step;
        file_writer_write(file, &number, sizeof number);
    }
    vtp_end_array(file);
}

// Points alone are cells of one vertex: without cells ParaView shows nothing.
static void put_cells(FileWriter *file, const Geometry *geometry)
{
    _Static_assert(3ull * SURFACE_TRIANGLES_MAX <= INT32_MAX, "offsets of triangles are Int32");
    uint32_t triangles = geometry->triangle_count;
    if (!geometry->has_triangles) {
        put_sequence(file, "connectivity", geometry->vertex_count, 0, 1);
        if (!geometry->line_first) {
            put_sequence(file, "offsets", geometry->vertex_count, 1, 1);
            return;
        }
        vtp_begin_array(file, TYPE_INT32, "offsets", 1, geometry->line_count);
        file_writer_write(file, geometry->line_first + 1, 4ull * geometry->line_count);
        vtp_end_array(file);
        return;
    }
    vtp_begin_array(file, TYPE_INT32, "connectivity", 1, 3ull * triangles);
    file_writer_write(file, geometry->triangle, 12ull * triangles);
    vtp_end_array(file);
    put_sequence(file, "offsets", triangles, 3, 3);
}

static void put_array(FileWriter *file, const Geometry *geometry, const Attribute *attribute,
                      GeometryElement over, const char *name)
{
    vtp_begin_array(file, attribute->type, name, attribute->components, geometry_count(geometry, over));
    geometry_put(file, geometry, attribute, over, false);
    vtp_end_array(file);
}

// The attributes of points or of cells, one after the other: NULL at the end.
static const Attribute *next_attribute(const Geometry *geometry, GeometryElement over, uint32_t *k)
{
    while (++*k < geometry->attribute_count) {
        const Attribute *attribute = &geometry->attributes[*k];
        if (attribute_is_of_cells(attribute) == (over != ELEMENT_VERTEX)) return attribute;
    }
    return NULL;
}

// Names the kind of an attribute as XML VTK does; programs show the first of each kind at first. NULL: it has
// no word for it.
static const char *active_kind(const Attribute *attribute)
{
    if (attribute->components == 1) return "Scalars";
    if (attribute->role == ROLE_NORMAL) return "Normals";
    return attribute->role == ROLE_VELOCITY ? "Vectors" : NULL;
}

static void put_active(FileWriter *file, const Geometry *geometry, GeometryElement over, const char *kind)
{
    const Attribute *attribute;
    for (uint32_t k = 0; (attribute = next_attribute(geometry, over, &k));) {
        const char *own = active_kind(attribute);
        if (!own || strcmp(own, kind) != 0) continue;
        file_writer_print(file, " %s=\"%s\"", kind, attribute->name);
        return;
    }
}

// The data of points or of cells.
static void put_data(FileWriter *file, const Geometry *geometry, GeometryElement over)
{
    const Attribute *attribute;
    uint32_t k = 0;
    if (!next_attribute(geometry, over, &k)) return;
    const char *element = over == ELEMENT_VERTEX ? "Point" : "Cell";
    file_writer_print(file, "<%sData", element);
    put_active(file, geometry, over, "Scalars");
    put_active(file, geometry, over, "Normals");
    put_active(file, geometry, over, "Vectors");
    file_writer_print(file, ">\n");
    for (k = 0; (attribute = next_attribute(geometry, over, &k));)
        put_array(file, geometry, attribute, over, attribute->name);
    file_writer_print(file, "</%sData>\n", element);
}

static void put_piece(FileWriter *file, const Geometry *geometry)
{
    static const char *const names[] = {
        [ELEMENT_VERTEX] = "Verts", [ELEMENT_TRIANGLE] = "Polys", [ELEMENT_LINE] = "Lines"};
    GeometryElement cell = geometry_cell(geometry);
    uint32_t n = geometry->vertex_count;
    const char *cells = names[cell];
    file_writer_print(file,
                      "<Piece NumberOfPoints=\"%u\" NumberOfVerts=\"%u\" NumberOfLines=\"%u\""
                      " NumberOfStrips=\"0\" NumberOfPolys=\"%u\">\n<Points>\n",
                      n, cell == ELEMENT_VERTEX ? n : 0, geometry->line_count, geometry->triangle_count);
    put_array(file, geometry, &geometry->attributes[0], ELEMENT_VERTEX, "Points");
    file_writer_print(file, "</Points>\n<%s>\n", cells);
    put_cells(file, geometry);
    file_writer_print(file, "</%s>\n", cells);
    put_data(file, geometry, ELEMENT_VERTEX);
    if (cell != ELEMENT_VERTEX) put_data(file, geometry, cell);
    file_writer_print(file, "</Piece>\n");
}

Result export_vtp(const char *path, const Geometry *geometry)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file, "<?xml version=\"1.0\"?>\n"
                             "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\""
                             " header_type=\"UInt64\">\n<PolyData>\n");
    if (geometry->timed)
        file_writer_print(&file,
                          "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\""
                          " format=\"ascii\">%.9g</DataArray>\n"
                          "<DataArray type=\"Float64\" Name=\"spacing\" NumberOfTuples=\"1\""
                          " format=\"ascii\">%.9g</DataArray></FieldData>\n",
                          geometry->time, geometry->spacing);
    put_piece(&file, geometry);
    file_writer_print(&file, "</PolyData>\n</VTKFile>\n");
    return file_writer_commit(&file);
}

static void put_xml_text(FileWriter *file, const char *text)
{
    for (; *text; text++) {
        const char *escaped = *text == '&'   ? "&amp;"
                              : *text == '<' ? "&lt;"
                              : *text == '>' ? "&gt;"
                              : *text == '"' ? "&quot;"
                                             : NULL;
        if (escaped)
            file_writer_print(file, "%s", escaped);
        else
            file_writer_write(file, text, 1);
    }
}

Result export_series_pvd(const char *path, FileSeries series)
{
    FileWriter file;
    TRY(file_writer_open(path, &file));
    file_writer_print(&file, "<?xml version=\"1.0\"?>\n"
                             "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
                             "  <Collection>\n");
    for (uint32_t k = 0; k < series.count; k++) {
        file_writer_print(&file, "    <DataSet timestep=\"%.9g\" part=\"0\" file=\"", series.times[k]);
        put_xml_text(&file, series.files[k]);
        file_writer_print(&file, "\"/>\n");
    }
    file_writer_print(&file, "  </Collection>\n</VTKFile>\n");
    return file_writer_commit(&file);
}

// --- reading ---

// The parts of a file that arrays may be in.
typedef enum Section { SECTION_NONE, SECTION_FIELD, SECTION_POINTS, SECTION_POINT_DATA } Section;

typedef struct VtpFile {
    VtkXmlFile xml;
    XmlCursor tags;
    ParticleFile *out;
    uint64_t points, pieces; // of the whole file
    Section section;
    uint64_t first, count;                 // of the present piece's particles
    bool placed, moving;                   // these have positions, velocities
    uint64_t with_position, with_velocity; // pieces
} VtpFile;

static Result file_error(const VtpFile *file, const char *what)
{
    return result_error(RESULT_USAGE, "%s: %s", file->xml.path, what);
}

// Reads the next tag; *more is false at the end of the XML.
static Result next_tag(VtpFile *file, XmlTag *tag, bool *more)
{
    XmlOutcome outcome = xml_next(&file->tags, tag);
    *more = outcome == XML_TAG;
    return outcome == XML_MALFORMED ? file_error(file, "a tag is malformed or not closed") : result_ok();
}

static Result read_root(VtpFile *file)
{
    XmlTag root;
    bool more;
    TRY(next_tag(file, &root, &more));
    if (!more || !xml_is(root.name, "VTKFile") || root.kind != XML_OPEN)
        return file_error(file, "is XML, but no VTKFile");
    XmlText type = xml_attribute(&root, "type");
    if (!xml_is(type, "PolyData") && !xml_is(type, "UnstructuredGrid"))
        return result_error(RESULT_USAGE,
                            "%s: holds no points, but \"%.*s\" (allowed: PolyData, UnstructuredGrid)",
                            file->xml.path, (int)(type.length < 40 ? type.length : 40), type.at);
    return vtk_xml_begin(&root, &file->xml);
}

static Result take_appended(VtpFile *file, const XmlTag *tag)
{
    XmlCursor *at = &file->tags;
    file->xml.appended_base64 = xml_is(xml_attribute(tag, "encoding"), "base64");
    while (at->at < at->end && *at->at != '_') at->at++;
    if (at->at == at->end) return file_error(file, "the appended data do not begin (\"_\" is missing)");
    file->xml.appended = at->at + 1;
    at->at = at->end; // no more XML
    return result_ok();
}

// Adds up the pieces and finds the appended data, which ends the XML.
static Result survey(VtpFile *file)
{
    XmlTag tag;
    bool more;
    for (;;) {
        TRY(next_tag(file, &tag, &more));
        if (!more) break;
        if (tag.kind == XML_CLOSE) continue;
        if (xml_is(tag.name, "AppendedData")) TRY(take_appended(file, &tag));
        if (!xml_is(tag.name, "Piece")) continue;
        uint64_t points;
        if (!xml_number(&tag, "NumberOfPoints", 0, &points) || points > UINT32_MAX / 2 ||
            file->points + points > UINT32_MAX / 2)
            return file_error(file, "NumberOfPoints is not a count (0 to 2147483647)");
        file->points += points;
        file->pieces += points > 0;
        uint64_t polygons = 0, strips = 0; // a count that is not one is not worth a refusal
        xml_number(&tag, "NumberOfPolys", 0, &polygons);
        xml_number(&tag, "NumberOfStrips", 0, &strips);
        file->out->faces += polygons + strips;
    }
    return result_ok();
}

static Result read_vectors(VtpFile *file, const XmlTag *array, const char *content, bool positions)
{
    ParticleFile *out = file->out;
    VtkXmlNumbers numbers;
    TRY(vtk_xml_find(&file->xml, array, content, 3 * file->count, &numbers));
    Result result = particle_file_allocate(out, file->points, !positions);
    float *to[3] = {NULL};
    for (int axis = 0; axis < 3 && result_is_ok(&result); axis++)
        to[axis] = out->stream[positions ? axis : 3 + axis] + file->first;
    if (result_is_ok(&result) && !number_next_vectors(&numbers.cursor, numbers.type, file->count, to))
        result = vtk_xml_error(&file->xml, array, "a number is missing or is not one");
    vtk_xml_free(&numbers);
    *(positions ? &file->with_position : &file->with_velocity) += file->count > 0;
    return result;
}

// Takes the spacing or the time, which files of this program have.
static Result read_field(VtpFile *file, const XmlTag *array, const char *content,
                         void (*take)(ParticleFile *file, double value))
{
    VtkXmlNumbers numbers;
    double value;
    TRY(vtk_xml_find(&file->xml, array, content, 1, &numbers));
    if (number_next(&numbers.cursor, numbers.type, &value)) take(file->out, value);
    vtk_xml_free(&numbers);
    return result_ok();
}

static Result read_array(VtpFile *file, const XmlTag *array)
{
    const char *content = file->tags.at;
    XmlText name = xml_attribute(array, "Name");
    uint64_t width, rows;
    if (!xml_number(array, "NumberOfComponents", 1, &width) || !xml_number(array, "NumberOfTuples", 0, &rows))
        return vtk_xml_error(&file->xml, array, "its size is not a number");
    if (file->section == SECTION_FIELD && width == 1 && rows == 1) {
        if (xml_is(name, "spacing")) return read_field(file, array, content, particle_file_take_spacing);
        if (xml_is(name, "TimeValue")) return read_field(file, array, content, particle_file_take_time);
    }
    if (file->section == SECTION_POINTS && !file->placed) {
        file->placed = true;
        if (width != 3) return vtk_xml_error(&file->xml, array, "positions have three components");
        return read_vectors(file, array, content, true);
    }
    if (file->section == SECTION_POINT_DATA && width == 3 && !file->moving &&
        particle_name_is_velocity(name.at, name.length)) {
        file->moving = true;
        particle_file_name_velocity(file->out, name.at, name.length);
        return read_vectors(file, array, content, false);
    }
    return result_ok();
}

static Result open_piece(VtpFile *file, const XmlTag *tag)
{
    file->first += file->count;
    file->placed = file->moving = false;
    xml_number(tag, "NumberOfPoints", 0, &file->count); // checked when the pieces were added up
    return result_ok();
}

static Result read_tag(VtpFile *file, const XmlTag *tag)
{
    static const struct {
        const char *name;
        Section section;
    } sections[] = {
        {"FieldData", SECTION_FIELD}, {"Points", SECTION_POINTS}, {"PointData", SECTION_POINT_DATA}};
    if (xml_is(tag->name, "DataArray") && tag->kind != XML_CLOSE) return read_array(file, tag);
    if (xml_is(tag->name, "Piece") && tag->kind != XML_CLOSE) return open_piece(file, tag);
    for (int k = 0; k < 3; k++) {
        if (!xml_is(tag->name, sections[k].name)) continue;
        file->section = tag->kind == XML_OPEN ? sections[k].section : SECTION_NONE;
    }
    return result_ok();
}

static Result read_pieces(VtpFile *file)
{
    XmlTag tag;
    bool more;
    for (;;) {
        TRY(next_tag(file, &tag, &more));
        if (!more || xml_is(tag.name, "AppendedData")) return result_ok();
        TRY(read_tag(file, &tag));
    }
}

// Drops velocities that some of the pieces lack.
static void drop_velocities(ParticleFile *out)
{
    for (int k = 3; k < 6; k++) {
        memory_free(out->stream[k]);
        out->stream[k] = NULL;
    }
    out->velocity[0] = '\0';
}

Result particle_file_parse_vtp(const char *path, const char *bytes, size_t size, ParticleFile *out)
{
    VtpFile file = {.xml = {.path = path, .end = bytes + size}, .tags = {bytes, bytes + size}, .out = out};
    TRY(read_root(&file));
    const char *body = file.tags.at;
    TRY(survey(&file));
    // Each position is of three numbers of a byte at least.
    if (3 * file.points > vtk_xml_bytes_max(&file.xml, size))
        return result_error(RESULT_USAGE, "%s: %llu points are announced, more than the file can hold", path,
                            (unsigned long long)file.points);
    file.tags.at = body;
    TRY(read_pieces(&file));
    if (file.with_position != file.pieces) return file_error(&file, "a piece has no positions");
    if (file.with_velocity != file.pieces) drop_velocities(out);
    return particle_file_allocate(out, file.points, false);
}
