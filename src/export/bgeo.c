// Particles in Houdini's classic format (.bgeo, .bhclassic), which Partio and SPlisHSPlasH share: big-endian
// words of four bytes. Layout: "BgeoV", nine numbers, the attributes' definitions, a row of words for each
// point (x, y, z, w, then the attributes), attributes of the whole with their values, 0x00 0xff.
#include "export/export.h"
#include "export/particle_file.h"
#include "export/particle_names.h"
#include "export/xml_tags.h"

#include <string.h>

#define VERSION 5
#define CHUNK_BYTES 16384
#define WORDS_MAX 4096 // of a point; more are not what programs write

enum { BGEO_FLOAT = 0, BGEO_INT = 1, BGEO_INDEX = 4, BGEO_VECTOR = 5 };

// --- writing ---

static void put_word(FileWriter *file, uint32_t word)
{
    word = __builtin_bswap32(word);
    file_writer_write(file, &word, sizeof word);
}

static void put_float(FileWriter *file, double value)
{
    float number = (float)value;
    uint32_t word;
    memcpy(&word, &number, sizeof word);
    put_word(file, word);
}

static void put_definition(FileWriter *file, const char *name, uint32_t components, uint32_t type)
{
    uint16_t length = __builtin_bswap16((uint16_t)strlen(name)),
             size = __builtin_bswap16((uint16_t)components);
    file_writer_write(file, &length, sizeof length);
    file_writer_print(file, "%s", name);
    file_writer_write(file, &size, sizeof size);
    put_word(file, type);
    for (uint32_t k = 0; k < components; k++) put_word(file, 0); // the default
}

// Houdini's words for what it knows.
static void put_attribute(FileWriter *file, const Attribute *attribute)
{
    bool vector = attribute->role == ROLE_VELOCITY || attribute->role == ROLE_NORMAL;
    const char *name = attribute->role == ROLE_VELOCITY ? "v"
                       : attribute->role == ROLE_NORMAL ? "N"
                                                        : attribute->name;
    put_definition(file, name, attribute->components,
                   vector                          ? BGEO_VECTOR
                   : attribute->type == TYPE_FLOAT ? BGEO_FLOAT
                                                   : BGEO_INT);
}

static void put_points(FileWriter *file, const Geometry *geometry, uint32_t words)
{
    uint32_t chunk[CHUNK_BYTES / 4], rows = CHUNK_BYTES / 4 / words, row_bytes = 4 * words;
    const float one = 1;
    for (uint32_t first = 0; first < geometry->vertex_count; first += rows) {
        uint32_t left = geometry->vertex_count - first, count = left < rows ? left : rows, at = 0;
        for (uint32_t k = 0; k < geometry->attribute_count; k++) {
            const Attribute *attribute = &geometry->attributes[k];
            geometry_gather(geometry, attribute, ELEMENT_VERTEX, first, count, chunk + at, row_bytes);
            at += attribute->components + (k == 0);
        }
        for (uint32_t k = 0; k < count; k++) memcpy(&chunk[k * words + 3], &one, sizeof one);
        for (uint32_t k = 0; k < count * words; k++) chunk[k] = __builtin_bswap32(chunk[k]);
        file_writer_write(file, chunk, (size_t)count * row_bytes);
    }
}

Result export_bgeo(const char *path, const Geometry *geometry)
{
    static const char *const details[3] = {"time", "spacing", "pscale"};
    uint32_t words = 1, detail_count = geometry->timed ? 3 : 0;
    for (uint32_t k = 0; k < geometry->attribute_count; k++) {
        CHECK(number_bytes(geometry->attributes[k].type) == 4);
        words += geometry->attributes[k].components;
    }
    FileWriter file;
    TRY(file_writer_open(path, &file));
    const uint32_t header[9] = {
        VERSION, geometry->vertex_count, 0, 0, 0, geometry->attribute_count - 1, 0, 0, detail_count};
    file_writer_print(&file, "BgeoV");
    for (int k = 0; k < 9; k++) put_word(&file, header[k]);
    for (uint32_t k = 1; k < geometry->attribute_count; k++) put_attribute(&file, &geometry->attributes[k]);
    put_points(&file, geometry, words);
    const double values[3] = {geometry->time, geometry->spacing, geometry->spacing / 2};
    for (uint32_t k = 0; k < detail_count; k++) put_definition(&file, details[k], 1, BGEO_FLOAT);
    for (uint32_t k = 0; k < detail_count; k++) put_float(&file, values[k]);
    file_writer_write(&file, "\0\xff", 2);
    return file_writer_commit(&file);
}

// --- reading ---

typedef struct BgeoFile {
    const char *path;
    const uint8_t *at, *end;
    uint32_t points, point_attributes, details;
    bool plain;             // no primitives and groups stand before the details
    uint32_t words;         // of a point
    uint32_t velocity;      // its first word in a point; 0: none
    uint32_t time, spacing; // their words among the details, from 1; 0: none
} BgeoFile;

static bool take_bytes(BgeoFile *file, void *out, size_t bytes)
{
    if ((size_t)(file->end - file->at) < bytes) return false;
    memcpy(out, file->at, bytes);
    file->at += bytes;
    return true;
}

static bool take_word(BgeoFile *file, uint32_t *out)
{
    *out = 0;
    if (!take_bytes(file, out, sizeof *out)) return false;
    *out = __builtin_bswap32(*out);
    return true;
}

static bool take_half(BgeoFile *file, uint16_t *out)
{
    *out = 0;
    if (!take_bytes(file, out, sizeof *out)) return false;
    *out = __builtin_bswap16(*out);
    return true;
}

static bool skip(BgeoFile *file, size_t bytes)
{
    if ((size_t)(file->end - file->at) < bytes) return false;
    file->at += bytes;
    return true;
}

static Result cut_short(const BgeoFile *file)
{
    return result_error(RESULT_USAGE, "%s: the file ends early", file->path);
}

static float float_of(uint32_t word)
{
    float number;
    memcpy(&number, &word, sizeof number);
    return number;
}

static Result read_header(BgeoFile *file)
{
    uint32_t word[9];
    if (!skip(file, 5)) return cut_short(file);
    for (int k = 0; k < 9; k++) {
        if (!take_word(file, &word[k])) return cut_short(file);
    }
    if (word[0] != VERSION)
        return result_error(RESULT_USAGE, "%s: version %u of the format is unknown (%d)", file->path, word[0],
                            VERSION);
    if (word[1] > UINT32_MAX / 2)
        return result_error(RESULT_USAGE, "%s: %u points are too many (at most %u)", file->path, word[1],
                            UINT32_MAX / 2);
    file->points = word[1];
    file->plain = word[2] == 0 && word[3] == 0 && word[4] == 0 && word[6] == 0 && word[7] == 0;
    file->point_attributes = word[5];
    file->details = word[8];
    return result_ok();
}

// Passes over the texts that an index attribute chooses from.
static bool skip_texts(BgeoFile *file)
{
    uint32_t count;
    if (!take_word(file, &count)) return false;
    for (uint32_t k = 0; k < count; k++) {
        uint16_t length;
        if (!take_half(file, &length) || !skip(file, length)) return false;
    }
    return true;
}

typedef struct Definition {
    XmlText name; // lies in the file
    uint16_t components;
    uint32_t type;
} Definition;

static Result read_definition(BgeoFile *file, Definition *out)
{
    uint16_t length;
    *out = (Definition){0};
    if (!take_half(file, &length)) return cut_short(file);
    out->name = (XmlText){(const char *)file->at, length};
    if (!skip(file, length) || !take_half(file, &out->components) || !take_word(file, &out->type))
        return cut_short(file);
    bool numbers = out->type == BGEO_FLOAT || out->type == BGEO_INT || out->type == BGEO_VECTOR;
    if (!numbers && out->type != BGEO_INDEX)
        return result_error(RESULT_USAGE, "%s: attribute \"%.*s\" has type %u (0, 1, 4 and 5 are known)",
                            file->path, length < 40 ? length : 40, out->name.at, out->type);
    if (numbers ? !skip(file, 4u * out->components) : !skip_texts(file)) return cut_short(file);
    return result_ok();
}

static Result read_definitions(BgeoFile *file, ParticleFile *out)
{
    file->words = 4;
    for (uint32_t k = 0; k < file->point_attributes; k++) {
        Definition at;
        TRY(read_definition(file, &at));
        bool vector = at.components == 3 && (at.type == BGEO_FLOAT || at.type == BGEO_VECTOR);
        if (vector && !file->velocity && particle_name_is_velocity(at.name.at, at.name.length)) {
            file->velocity = file->words;
            particle_file_name_velocity(out, at.name.at, at.name.length);
        }
        file->words += at.components;
        if (file->words > WORDS_MAX)
            return result_error(RESULT_USAGE, "%s: points of more than %d numbers", file->path, WORDS_MAX);
    }
    return result_ok();
}

static Result read_points(BgeoFile *file, ParticleFile *out)
{
    if ((uint64_t)file->points * file->words * 4 > (uint64_t)(file->end - file->at)) return cut_short(file);
    TRY(particle_file_allocate(out, file->points, file->velocity > 0));
    for (uint32_t i = 0; i < file->points; i++) {
        for (uint32_t k = 0; k < file->words; k++) {
            uint32_t word, from = k < 3 ? k : k - file->velocity + 3;
            take_word(file, &word);
            if (k < 3 || (file->velocity > 0 && k >= file->velocity && k < file->velocity + 3))
                out->stream[from][i] = float_of(word);
        }
    }
    return result_ok();
}

// Time and spacing, which files of this program have; others are not damaged for having none.
static void read_details(BgeoFile *file, ParticleFile *out)
{
    uint32_t words = 0;
    for (uint32_t k = 0; k < file->details; k++) {
        Definition at;
        Result result = read_definition(file, &at);
        if (!result_is_ok(&result)) return;
        bool number = at.type == BGEO_FLOAT && at.components == 1;
        if (number && xml_is(at.name, "time")) file->time = words + 1;
        if (number && xml_is(at.name, "spacing")) file->spacing = words + 1;
        words += at.components;
    }
    for (uint32_t k = 1; k <= words; k++) {
        uint32_t word;
        if (!take_word(file, &word)) return;
        if (k == file->time) particle_file_take_time(out, (double)float_of(word));
        if (k == file->spacing) particle_file_take_spacing(out, (double)float_of(word));
    }
}

Result particle_file_parse_bgeo(const char *path, const char *bytes, size_t size, ParticleFile *out)
{
    BgeoFile file = {.path = path, .at = (const uint8_t *)bytes, .end = (const uint8_t *)bytes + size};
    TRY(read_header(&file));
    TRY(read_definitions(&file, out));
    TRY(read_points(&file, out));
    if (file.plain) read_details(&file, out);
    return result_ok();
}
