#include "export/particle_file.h"
#include "export/vtk_xml_data.h"

#include "core/memory.h"

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

// The next tag; *more is false at the end of what is XML.
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

// Adds up the pieces and finds the appended data, which end the XML.
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
            return file_error(file, "NumberOfPoints is no count (0 to 2147483647)");
        file->points += points;
        file->pieces += points > 0;
    }
    return result_ok();
}

static bool read_streams(const VtpFile *file, VtkXmlNumbers *numbers, float *const to[3])
{
    for (uint64_t i = 0; i < file->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double value;
            if (!number_next(&numbers->cursor, numbers->type, &value)) return false;
            to[axis][file->first + i] = (float)value;
        }
    }
    return true;
}

static Result read_vectors(VtpFile *file, const XmlTag *array, const char *content, bool positions)
{
    ParticleFile *out = file->out;
    VtkXmlNumbers numbers;
    TRY(vtk_xml_find(&file->xml, array, content, 3 * file->count, &numbers));
    Result result = particle_file_allocate(out, file->points, !positions);
    float *const to[2][3] = {{out->x, out->y, out->z}, {out->vx, out->vy, out->vz}};
    if (result_is_ok(&result) && !read_streams(file, &numbers, to[!positions]))
        result = vtk_xml_error(&file->xml, array, "a number is missing or none");
    vtk_xml_free(&numbers);
    *(positions ? &file->with_position : &file->with_velocity) += file->count > 0;
    return result;
}

// The particles' distance, which our own files say.
static Result read_spacing(VtpFile *file, const XmlTag *array, const char *content)
{
    VtkXmlNumbers numbers;
    double spacing;
    TRY(vtk_xml_find(&file->xml, array, content, 1, &numbers));
    if (number_next(&numbers.cursor, numbers.type, &spacing) && spacing > 0 && spacing < 1e6)
        file->out->spacing = spacing;
    vtk_xml_free(&numbers);
    return result_ok();
}

static Result read_array(VtpFile *file, const XmlTag *array)
{
    const char *content = file->tags.at;
    XmlText name = xml_attribute(array, "Name");
    uint64_t width, rows;
    if (!xml_number(array, "NumberOfComponents", 1, &width) || !xml_number(array, "NumberOfTuples", 0, &rows))
        return vtk_xml_error(&file->xml, array, "its size is no number");
    if (file->section == SECTION_FIELD && xml_is(name, "spacing") && width == 1 && rows == 1)
        return read_spacing(file, array, content);
    if (file->section == SECTION_POINTS && !file->placed) {
        file->placed = true;
        if (width != 3) return vtk_xml_error(&file->xml, array, "positions have three components");
        return read_vectors(file, array, content, true);
    }
    if (file->section == SECTION_POINT_DATA && xml_is_nearly(name, "velocity") && width == 3 &&
        !file->moving) {
        file->moving = true;
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

// Velocities that some of the pieces lack are none.
static void drop_velocities(ParticleFile *out)
{
    float **streams[3] = {&out->vx, &out->vy, &out->vz};
    for (int k = 0; k < 3; k++) {
        memory_free(*streams[k]);
        *streams[k] = NULL;
    }
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
